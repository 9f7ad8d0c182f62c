"""A match from start to end, for the `referee match` command and for any other Python program: `play_match`."""

import contextlib
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import trio
from msgspec import Meta, Struct, structs

from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import readable_hashes
from referee.bots.preflight import Preflight
from referee.connections.tcp import ListenError, listening_socket
from referee.connections.trace_file import TraceWriteError
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.games import DEFAULT_GAME, Game, find_presenter
from referee.players.clock import TimeControlError
from referee.players.event_loop_lag import LagSummary
from referee.players.thinking_time import ThinkingTime
from referee.processes.limits.machine import MachineError, provide_for
from referee.processes.sandbox.image import ImageError
from referee.record.writer import Recorder, RecordWriteError
from tournaments.play.archives import ArchiveError, pack_sources
from tournaments.play.batches import Batches
from tournaments.play.conditions import Conditions, UnderConditions
from tournaments.play.configuration import configuration
from tournaments.play.dispatcher import WorkerError
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice, Observer, ignore, notices_to
from tournaments.play.executor import ExecutorError, executor_for, executor_kind
from tournaments.play.interruption import Interruption, catch_signals
from tournaments.play.line_up import LineUpError, line_up
from tournaments.play.local import default_workers
from tournaments.play.match_folders import (
    RECORDS,
    RecordFolderError,
    TraceFolderError,
    link_latest,
    record_folder,
    trace_folder,
)
from tournaments.play.measurements import Measurements
from tournaments.play.plan import GamePlan
from tournaments.play.played_games import PlayedGames
from tournaments.play.pool import DoubtfulStartError
from tournaments.play.runner import MakePerson, PlayedGame
from tournaments.play.schedule import Phases, Schedule, Tables, game_of_match, games_of_batch, rotations

GAME_NAME: Final = re.compile(r"(\d{1,9})-(\d|10)(?:-(\d{1,3}))?", re.ASCII)
"""Deal and rotation, and the table if there are several."""


CANT_GO_ON: Final = (DoubtfulStartError, ListenError, WorkerError, ImageError, ExecutorError, ArchiveError)
"""Errors of executors that end a match."""


class MatchSpec(UnderConditions, Struct, frozen=True, kw_only=True):
    """The specification of a match. Plain data that can be sent to another process."""

    bots: list[str]
    """As on the command line: a folder with a bot.toml, a command line, NAME= before either, or `builtin:random`."""
    field: list[str] = []
    """Opponents, as `bots`. If there are any, `bots` don't meet: each plays with the field, on the same deals."""
    vary: list[str] = []
    """NAME=VALUE,VALUE …: variants of the first of `bots` are played, and the others are the field."""
    game: str = DEFAULT_GAME
    options: dict[str, Any] = {}
    """Options of the game; values may be given as text, as on the command line."""
    deals: Annotated[int, Meta(ge=1)] = 10
    rotate: bool = True
    """Whether each deal is played in every rotation, or only once."""
    seed: str | None = None
    """Printable text from which all other seeds are derived. None: a random one."""
    only: str | None = None
    """The only game to play, such as `0007-2`: deal 7, rotation 2; with a field `0007-2-1`, the first of `bots`. Needs
    `seed`; `deals` has no meaning."""
    records: Path | None = None
    """The folder for records and standard error; it must not contain records yet. None: a new folder in `records`."""
    keep_records: bool = True
    traces: Path | None = None
    """The folder for traces of all lines to and from bots; it must not contain traces yet. None: no traces are kept."""


class Match(Struct, frozen=True, kw_only=True):
    """A match that has been checked, with its bots built: ready to be played."""

    plan: GamePlan
    field: int = 0
    """The number of bots, the last ones, that are the field; each other one has a table of its own with them."""
    workers: int = 1
    deals: int
    rotate: bool
    seed: str
    only: tuple[int, int, int] | None = None
    """Deal, rotation and table (both from 0) of the only game; then `deals` is 1 and `rotate` false."""

    @property
    def games(self) -> int:
        """The number of games, if the match is not ended early."""
        if self.only is not None:
            return 1
        return self.deals * len(self.tables) * (len(self.tables[0]) if self.rotate else 1)

    @property
    def tables(self) -> Tables:
        """One table of all bots; or, with a field, one for each bot under comparison."""
        bots = range(len(self.plan.bots))
        compared = len(bots) - self.field
        return [(bot, *bots[compared:]) for bot in bots[:compared]] if self.field else [tuple(bots)]

    def schedule(self) -> Schedule:
        """A new schedule of all games."""
        tables, concurrency = self.tables, self.plan.conditions.games_at_a_time
        return Phases(
            rotations(
                self.deals, len(tables[0]), self.seed, rotate=self.rotate, concurrency=concurrency, tables=tables
            ),
            apart=not self.plan.only_builtin,
        )

    def only_game(self, tables: Tables) -> Schedule:
        """A schedule of the only game, which is played at one of these tables."""
        assert self.only is not None
        deal, rotation, table = self.only
        return Phases(iter([game_of_match(deal, rotation, tables, self.seed, table=table)]))


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


class MatchError(RefereeError):
    """The match can't be played as specified. The text says what to change."""


class MatchFailed(RefereeError):
    """The match could not continue. `result` has the games that had finished."""

    def __init__(self, message: str, result: MatchResult) -> None:
        super().__init__(message, result)
        self.message = message
        self.result = result

    def __str__(self) -> str:
        return self.message


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
) -> MatchResult:
    """Check everything, build the bots, and play the match; all processes have ended when this returns or raises.

    `observer` is called with live events (`tournaments.play.events`): Notice, MatchBegun, GameBegun and MatchGameOver.
    `on_game` is called with each game as it finishes, before the observer is. In the main thread, SIGINT,
    SIGTERM and SIGHUP end the match early; a caller that catches signals itself passes its `interruption`. `person`
    makes the player of one game for a BOT `human`, by its name; without it no person can play.
    With `batches` the match may be over before all deals have been played.

    Raises MatchError, BotSpecError, OptionError, MachineError, SandboxError, ListenError, RecordFolderError,
    TraceFolderError or BuildError before the first game, MatchInterrupted if a signal came before it, and MatchFailed
    if the match can't continue. What `on_game` or `observer` raises ends the match and is raised again.

    Several matches may be played in one process at a time, and the program may start processes of its own meanwhile:
    the bots of a match are the child processes of a process that only this match has. If the match needs more open
    files than the soft limit allows, this limit is raised (getrlimit(2)).
    """
    with contextlib.ExitStack() as stack:
        interruption = interruption or stack.enter_context(catch_signals())
        with interruption.scope():
            sources = None
            spec = validated_spec(spec)
            if spec.conditions.build_remotely:
                sources = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-sources-")))
            match = await prepare(spec, notices_to(observer), person, sources)
            if not interruption.requested:
                bots = tuple(bot.name for bot in match.plan.bots)
                observer(
                    MatchBegun(game=match.plan.game.name, bots=bots, games=match.games, records=match.plan.records)
                )
                result = await play(match, on_game or (lambda game: None), observer, interruption, person, batches)
                if spec.records is None and match.plan.records is not None and not result.interrupted:
                    link_latest(match.plan.records)
                return result
        raise MatchInterrupted("interrupted before the first game")


# -- before the first game ------------------------------------------------------------------------------------


async def prepare(
    spec: MatchSpec,
    on_notice: Callable[[str], None],
    person: MakePerson | None = None,
    sources_folder: Path | None = None,
) -> Match:
    """Check the specification, choose the sandbox, create the folder for records, and build the bots.

    `sources_folder`: for the sources of bots, if the machines of a cluster build them.
    """
    conditions = spec.conditions
    try:
        bots, field = line_up(spec.bots, spec.field, spec.vary, conditions.limits, conditions.show_to)
    except LineUpError as error:
        raise MatchError(str(error)) from None
    seats, tables = (1 + field, len(bots) - field) if field else (len(bots), 1)
    only = None if spec.only is None else only_game(spec.only, spec.seed, seats, tables, rotate=spec.rotate)
    game, config = configuration(spec.game, spec.options, seats)
    preflight = Preflight(
        bots,
        mode=conditions.sandbox,
        show=conditions.show,
        files=conditions.files,
        environment=conditions.environment,
        on_notice=on_notice,
    )
    preflight.check(game)
    concurrency = conditions.games_at_a_time
    if check_ports(bots, spec, on_notice):
        concurrency = 1
    if any(bot.is_person for bot in bots):
        check_persons(game, person)
        if concurrency > 1 and conditions.concurrency is not None:
            on_notice(f"a person plays one game at a time: --concurrency {concurrency} has no effect")
        concurrency = 1
    at_a_time = min(concurrency, spec.deals * tables)
    workers = number_of_workers(spec, at_a_time, spec.deals * tables * (seats if spec.rotate else 1))
    if conditions.workers is not None and workers < conditions.workers and concurrency == 1:
        on_notice(f"one game at a time needs one process: --workers {conditions.workers} has no effect")
    kind = executor_for(conditions, bots, traces=spec.traces is not None)
    if kind.plays_here:
        provide_for(at_a_time, sum(bot.policy is None for bot in bots), workers)
    preflight.choose_sandbox()
    if not conditions.ponder and kind.plays_here:
        await preflight.check_suspending()
    preflight.hide(RECORDS)
    records = record_folder(spec.records) if spec.keep_records else None
    try:
        if spec.traces is not None:
            trace_folder(spec.traces, records)
            would_see = f"is in {spec.traces}, so it would see the traces; give --trace another folder"
            preflight.hide(spec.traces, lambda bot: TraceFolderError(f"{bot.name} {would_see}"))
        if records is not None:
            preflight.hide(
                records, lambda bot: RecordFolderError(f"{bot.name} is in {records}, so it would see the records")
            )
        kept = [path.absolute() for path in (RECORDS, records, spec.traces) if path is not None]
        sources = {}
        if sources_folder is not None:
            sources = await trio.to_thread.run_sync(pack_sources, bots, sources_folder, kept)
        await preflight.build()
        hashes = await trio.to_thread.run_sync(readable_hashes, bots if records else [], kept, abandon_on_cancel=True)
    except BaseException:
        if records is not None and spec.records is None:
            with contextlib.suppress(OSError):  # a build outside the sandbox may have written something into it
                records.rmdir()
        raise
    return Match(
        plan=GamePlan(
            game=game,
            config=config,
            bots=bots,
            doubts=preflight.doubts if kind.plays_here else {},
            files_sha256=hashes,
            sources=sources,
            conditions=structs.replace(
                conditions, concurrency=concurrency if kind.plays_here else conditions.concurrency, workers=workers
            ),
            records=records,
            traces=spec.traces,
            sandbox=preflight.sandbox,
        ),
        field=field,
        workers=workers,
        deals=spec.deals if only is None else 1,
        rotate=spec.rotate and only is None,
        seed=secrets.token_hex(16) if spec.seed is None else spec.seed,
        only=only,
    )


def check_ports(bots: Sequence[BotSpec], spec: MatchSpec, on_notice: Callable[[str], None]) -> bool:
    """Whether there are bots that are started manually; their ports must be free. Raises MatchError or ListenError."""
    by_hand = [bot for bot in bots if bot.port is not None]
    for bot in by_hand:
        if bot.port and sum(other.port == bot.port for other in by_hand) > 1:
            raise MatchError(f"two bots can't connect to one port: tcp:{bot.port} is given twice")
        listening_socket(bot.port or 0).close()
    if by_hand and (spec.conditions.concurrency or 1) > 1:
        on_notice("one game at a time: a bot that is started manually plays all games over one connection")
    if by_hand and spec.conditions.control.enforced:
        on_notice("clocks run while a bot is stopped in a debugger; --no-timeout lifts all time limits")
    return bool(by_hand)


def only_game(game_id: str, seed: str | None, seats: int, tables: int, *, rotate: bool) -> tuple[int, int, int]:
    """The deal, and the rotation and the table from 0, of the only game that is to be played. Raises MatchError."""
    name = GAME_NAME.fullmatch(game_id)
    if name is None or not int(name[1]) or (name[3] is None) != (tables == 1):
        expected = "DEAL-ROTATION, such as 0007-2" if tables == 1 else "DEAL-ROTATION-TABLE, such as 0007-2-1"
        raise MatchError(f"invalid game id {game_id}: expected {expected}")
    if seed is None:
        raise MatchError(
            f"game {game_id} can be played again only with the seed of its match (--seed), which is shown above the"
            " table of that match"
        )
    deal, rotation, table = int(name[1]), int(name[2]), int(name[3] or 1)
    if not 1 <= rotation <= seats:
        raise MatchError(f"there is no game {game_id} in a match of {seats} bots: its rotations are 1 to {seats}")
    if not 1 <= table <= tables:
        raise MatchError(f"there is no game {game_id} in this match: its tables are 1 to {tables}")
    if rotation > 1 and not rotate:
        raise MatchError(f"there is no game {game_id} in a match with --no-rotate: it has only rotation 1")
    return deal, rotation - 1, table - 1


def check_deal(game_id: str, deals: int) -> None:
    """Check that a match with this number of deals has this game, if it is a game id. Raises MatchError."""
    name = GAME_NAME.fullmatch(game_id)
    if name is not None and int(name[1]) > deals:
        last = "it has deal 1 only" if deals == 1 else f"its deals are 1 to {deals}"
        raise MatchError(f"there is no game {game_id} in a match with --games {deals}: {last}")


def number_of_workers(spec: MatchSpec, at_a_time: int, games: int) -> int:
    """How many processes play this many games, of which so many are played at the same time."""
    if at_a_time == 1 or spec.only is not None:
        return 1  # a single game at a time is played here: persons and ports belong to this process
    if spec.conditions.workers is not None:
        return min(spec.conditions.workers, at_a_time)
    if spec.conditions.watched:
        return 1  # running games are shown by this process only
    return default_workers(at_a_time, games)


def check_persons(game: type[Game], person: MakePerson | None) -> None:
    """Raises MatchError if persons can't play here."""
    if person is None:
        raise MatchError("a person needs a terminal: use `referee match`, or give play_match a `person`")
    if find_presenter(game) is None:
        raise MatchError(f"{game.title} can't be played by a person: it has no presenter")


def validated_spec(spec: MatchSpec) -> MatchSpec:
    """The specification, its values converted to the types of its fields. Raises MatchError for an invalid value.

    Structs don't check their fields when they are created.
    """
    try:
        spec = msgspec.convert(as_given(spec), MatchSpec, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as error:
        raise MatchError(f"the match can't be played as specified: {error}") from None
    if spec.seed is not None and not spec.seed.isprintable():
        raise MatchError("the seed must be printable text")
    try:
        spec.conditions.control.check()
    except TimeControlError as error:
        raise MatchError(f"the time control: {error}") from None
    for path in spec.conditions.show:
        if not path.exists():
            raise MatchError(f"{path} can't be shown to bots: there is no such file or folder")
    return spec


def as_given(spec: MatchSpec | Conditions) -> dict[str, Any]:
    """The values of all fields, by their names in JSON."""
    values = {each.encode_name: getattr(spec, each.name) for each in structs.fields(spec)}
    return {name: as_given(value) if isinstance(value, Conditions) else value for name, value in values.items()}


# -- the games ------------------------------------------------------------------------------------------------


async def play(
    match: Match,
    on_game: Callable[[PlayedGame], None],
    observer: Observer,
    interruption: Interruption,
    person: MakePerson | None,
    batches: Batches | None,
) -> MatchResult:
    """Play all games of a prepared match. Raises MatchFailed."""
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

    @contextlib.contextmanager
    def callers_code() -> Iterator[None]:
        """Distinguish the errors of the caller's functions from those of the match."""
        try:
            yield
        except Exception as error:
            failures.append(error)
            raise

    def tell(event: LiveEvent) -> None:
        if isinstance(event, Notice):
            notices.append(event.text)
        with callers_code():
            observer(event)

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        games.append(played)  # its record has been written
        with callers_code():
            on_game(played)
        tell(game_finished(played))

    try:
        with interruption.scope(), single_errors():
            async with executor_kind(match.plan.conditions).open(match.plan.conditions, tell, person) as executor:
                for schedule in schedules(match, batches, games):
                    await executor.play(match.plan, schedule, store, measured)
    except (RecordWriteError, TraceWriteError, MachineError, *CANT_GO_ON) as error:
        raise MatchFailed(str(error), result()) from None
    except OSError as error:
        if error in failures:
            raise
        raise MatchFailed(f"the match can't continue: {error.strerror or error}", result()) from None
    return result()


def schedules(match: Match, batches: Batches | None, games: Sequence[PlayedGame]) -> Iterator[Schedule]:
    """The schedules of a match, one after another: one, or one per batch. `games`: those that have finished so far."""
    if match.only is not None:
        batch = 1 if batches is None else 1 + (match.only[0] - 1) // batches.deals
        yield match.only_game(match.tables if batches is None else batches.tables(batch))
    elif batches is None:
        yield match.schedule()
    else:
        for batch in range(1, match.deals // batches.deals + 1):
            before = len(games)
            deals = range((batch - 1) * batches.deals + 1, batch * batches.deals + 1)
            games_of = games_of_batch(deals, batches.tables(batch), match.seed)
            yield Phases(games_of, apart=not match.plan.only_builtin)
            if not batches.finished(batch, games[before:]):
                return


def game_finished(played: PlayedGame) -> MatchGameOver:
    """The event for a finished game."""
    return MatchGameOver(
        game_id=played.game.game_id,
        deal=played.game.deal,
        rotation=played.game.rotation + 1,
        seating=played.game.seating,
        outcome=played.outcome,
    )
