"""A match from start to end, for the `referee match` command and for any other Python program: `play_match`."""

import contextlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.bots.hashed_files import FilesChangedError
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.players.event_loop_lag import LagSummary
from referee.players.thinking_time import ThinkingTime
from referee.record.writer import Recorder
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice, Observer, ignore, notices_to
from tournaments.play.executor import executor_kind
from tournaments.play.interruption import Interruption, catch_signals
from tournaments.play.match_folders import link_latest
from tournaments.play.match_preparation import Batches, Match, prepare
from tournaments.play.match_spec import LineUp, MatchSpec
from tournaments.play.played_games import PlayedGames
from tournaments.play.runner import MakePerson, Measurements, PlayedGame


class MatchResult(Struct, frozen=True, kw_only=True):
    """The result of a match, or of the games that had finished when it ended early."""

    match: Match
    games: PlayedGames
    """The finished games, sorted by deal and rotation: a sequence of PlayedGame, each made when it is asked for. Of
    standard error they have the text only for seats with a fault."""
    seconds: float
    """Seconds from the start of the first game to the end of the last."""
    thinking: list[ThinkingTime]
    """By bot; nothing is counted for built-in players."""
    lag: LagSummary
    notices: list[str] = []
    """What the organiser was told while the games were played, such as warnings about bots."""
    interrupted: bool


class MatchFailed(RefereeError):
    """The match could not continue. `result` has the games that had finished."""

    def __init__(self, message: str, result: MatchResult) -> None:
        super().__init__(message, result)  # both, so that it can be sent to another process
        self.result = result

    def __str__(self) -> str:
        return str(self.args[0])


class MatchInterrupted(RefereeError):
    """A signal ended the match before its first game."""


async def play_match(
    spec: MatchSpec,
    on_game: Callable[[PlayedGame], None] | None = None,
    *,
    observer: Observer = ignore,
    interruption: Interruption | None = None,
    person: MakePerson | None = None,
    batches: Batches | None = None,
    bots: LineUp | None = None,
) -> MatchResult:
    """Check everything, build the bots, and play the match; all processes have ended when this returns or raises.

    `observer` is called with live events (`tournaments.play.events`): Notice, MatchBegun, GameBegun and MatchGameOver.
    `on_game` is called with each game as it finishes, before the observer is. In the main thread, SIGINT,
    SIGTERM and SIGHUP end the match early; a caller that catches signals itself passes its `interruption`. `person`
    makes the player of one game for a BOT `human`, by its name; without it no person can play.
    With `batches` the match may be over before all deals have been played. `bots`: those of `spec`, if a caller has
    parsed them already.

    Raises MatchError, BotSpecError, OptionError, MachineError, SandboxError, ListenError, RecordFolderError,
    TraceFolderError, BuildError or FilesChangedError before the first game, MatchInterrupted if a signal came before
    it, and MatchFailed if the match can't continue. What `on_game` or `observer` raises ends the match and is raised
    again.

    Several matches may be played in one process at a time, and the program may start processes of its own meanwhile:
    the bots of a match are the child processes of a process that only this match has. If the match needs more open
    files than the soft limit allows, this limit is raised (getrlimit(2)).
    """
    with contextlib.ExitStack() as stack:
        interruption = interruption or stack.enter_context(catch_signals())
        with interruption.scope():
            sources = None
            spec = spec.checked()
            if spec.conditions.build_remotely:
                sources = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-sources-")))
            bots = bots or spec.line_up()
            match = await prepare(spec, bots, notices_to(observer), person, sources)
            if not interruption.requested:
                names, records = tuple(bot.name for bot in bots.bots), match.plan.records
                observer(MatchBegun(game=match.plan.game.name, bots=names, games=match.games, records=records))
                result = await play(match, on_game or (lambda game: None), observer, interruption, person, batches)
                if spec.records is None and records is not None and not result.interrupted:
                    link_latest(records)
                return result
        raise MatchInterrupted("interrupted before the first game")


async def play(
    match: Match,
    on_game: Callable[[PlayedGame], None],
    observer: Observer,
    interruption: Interruption,
    person: MakePerson | None,
    batches: Batches | None,
) -> MatchResult:
    """Play all games of a prepared match. Raises MatchFailed, for any OSError or RefereeError but the caller's."""
    games = PlayedGames(match.plan, match.seed, one_table=len(match.tables) == 1)
    began = time.monotonic()
    measured = Measurements(match.plan)
    notices: list[str] = []

    def result() -> MatchResult:
        games.sort()
        return MatchResult(
            match=match,
            games=games,
            seconds=time.monotonic() - began,
            thinking=list(measured.thinking),
            lag=measured.lag.summary(),
            notices=notices,
            interrupted=interruption.requested,
        )

    failures: list[Exception] = []

    def tell(what: Callable[[Any], None], value: Any) -> None:
        """Call a function of the caller, whose errors are distinguished from those of the match."""
        try:
            what(value)
        except Exception as error:
            failures.append(error)
            raise

    def observe(event: LiveEvent) -> None:
        if isinstance(event, Notice):
            notices.append(event.text)
        tell(observer, event)

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        games.append(played)  # its record has been written
        tell(on_game, played)
        observe(
            MatchGameOver(
                game_id=played.game.game_id,
                deal=played.game.deal,
                rotation=played.game.rotation + 1,
                seating=played.game.seating,
                outcome=played.outcome,
            )
        )

    try:
        with interruption.scope(), single_errors():
            async with executor_kind(match.plan.conditions).open(match.plan.conditions, observe, person) as executor:
                for schedule in match.schedules(batches, games):
                    await executor.play(match.plan, schedule, store, measured)
    except (RefereeError, OSError) as error:
        if error in failures:
            raise
        problem = f"the match can't continue: {error.strerror or error}" if isinstance(error, OSError) else str(error)
        if isinstance(error, FilesChangedError):
            problem += ". Let the match play a copy of its folder"
        raise MatchFailed(problem, result()) from None
    return result()
