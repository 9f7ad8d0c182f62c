"""What comes before the first game of a match: the way of its bots from the specification to a plan for its games."""

import contextlib
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

import trio
from msgspec import Struct, structs

from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import readable_files
from referee.bots.preflight import Preflight
from referee.connections.tcp import listening_socket
from referee.games import find_presenter
from referee.processes.limits.machine import provide_for
from tournaments.play.archives import pack_sources
from tournaments.play.conditions import Conditions
from tournaments.play.executor import executor_for
from tournaments.play.local import default_workers
from tournaments.play.match_beginning import beginning
from tournaments.play.match_folders import RECORDS, RecordFolderError, TraceFolderError, record_folder, trace_folder
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec
from tournaments.play.plan import GamePlan
from tournaments.play.runner import MakePerson, PlayedGame
from tournaments.play.schedule import (
    Phases,
    Schedule,
    ScheduledGame,
    Tables,
    game_of_match,
    games_of_batch,
    rotations,
)

GAME_NAME: Final = re.compile(r"(\d{1,9})-(\d|10)(?:-(\d{1,3}))?", re.ASCII)
"""Deal and rotation, and the table if there are several."""


class Batches(Protocol):
    """Decides after each batch of deals whether the match goes on, and what tables each batch has."""

    deals: int
    """Deals of a batch. The match has no further batch that would exceed its own number of deals."""

    def tables(self, batch: int) -> Tables:
        """The tables of a batch, counted from 1."""

    def finished(self, batch: int, games: Sequence[PlayedGame]) -> bool:
        """Called with all games of a batch. Returns whether another one follows."""


class Match(Struct, frozen=True, kw_only=True):
    """A match that has been checked, with its bots built: ready to be played."""

    plan: GamePlan
    field: int = 0
    """See LineUp."""
    deals: int
    rotate: bool
    seed: str
    only: tuple[int, int, int] | None = None
    """Deal, rotation and table (both from 0) of the only game; then `deals` is 1 and `rotate` false."""

    @property
    def games(self) -> int:
        if self.only is not None:
            return 1
        return self.deals * len(self.tables) * (len(self.tables[0]) if self.rotate else 1)

    @property
    def tables(self) -> Tables:
        return LineUp(self.plan.bots, self.field).tables

    def schedules(self, batches: Batches | None, games: Sequence[PlayedGame]) -> Iterator[Schedule]:
        """Its schedules, one after another: one, or one per batch. `games`: those that have finished so far."""
        if self.only is not None:
            deal, rotation, table = self.only
            tables = self.tables if batches is None else batches.tables(1 + (deal - 1) // batches.deals)
            yield Phases(iter([game_of_match(deal, rotation, tables, self.seed, table=table)]))
        elif batches is None:
            yield self._phases(
                rotations(
                    self.deals,
                    len(self.tables[0]),
                    self.seed,
                    rotate=self.rotate,
                    concurrency=self.plan.conditions.games_at_a_time,
                    tables=self.tables,
                )
            )
        else:
            for batch in range(1, self.deals // batches.deals + 1):
                before = len(games)
                deals = range((batch - 1) * batches.deals + 1, batch * batches.deals + 1)
                yield self._phases(games_of_batch(deals, batches.tables(batch), self.seed))
                if not batches.finished(batch, games[before:]):
                    return

    def _phases(self, games: Iterator[ScheduledGame]) -> Schedule:
        return Phases(games, apart=not self.plan.only_builtin)


async def prepare(
    spec: MatchSpec,
    line_up: LineUp,
    on_notice: Callable[[str], None],
    person: MakePerson | None = None,
    sources_folder: Path | None = None,
) -> Match:
    """Choose the sandbox, create the folder for records, build the bots, and hash their files.

    `spec` has been checked, and `line_up` has its bots. `sources_folder`: for the sources of bots, if the machines of a
    cluster build them. Raises as `play_match` does before the first game.
    """
    bots = line_up.bots
    only = only_game(spec, line_up)
    seed = secrets.token_hex(16) if spec.seed is None else spec.seed
    begun = await trio.to_thread.run_sync(beginning, spec, line_up, seed, abandon_on_cancel=True)
    game = begun.game
    spec = spec.with_conditions(control=begun.control)
    conditions = spec.conditions
    preflight = Preflight(bots, **conditions.isolation, on_notice=on_notice)
    preflight.check(game)
    if line_up.persons:
        if person is None:
            raise MatchError("a person needs a terminal: use `referee match`, or give play_match a `person`")
        if find_presenter(game) is None:
            raise MatchError(f"{game.title} can't be played by a person: it has no presenter")
    executor = executor_for(conditions, bots, traces=spec.traces is not None)
    if executor.plays_here:
        conditions = settled(spec, line_up, on_notice)
        at_a_time = min(conditions.games_at_a_time, spec.deals * len(line_up.tables))
        provide_for(at_a_time, sum(bot.policy is None for bot in bots), conditions.workers or 1)
    preflight.choose_sandbox()
    if not conditions.ponder and executor.plays_here:
        await preflight.check_suspending()
    with record_folders(spec, preflight) as (records, hidden):
        sources = {}
        if sources_folder is not None:
            sources = await trio.to_thread.run_sync(pack_sources, bots, sources_folder, hidden)
        await preflight.build()
        files = await trio.to_thread.run_sync(readable_files, bots, hidden, abandon_on_cancel=True)
    return Match(
        plan=GamePlan(
            game=game,
            config=begun.config,
            openings=begun.openings,
            banks=begun.banks,
            bots=bots,
            doubts=preflight.doubts if executor.plays_here else {},
            files=files,
            sources=sources,
            conditions=conditions,
            records=records,
            traces=spec.traces,
            sandbox=preflight.sandbox,
        ),
        field=line_up.field,
        deals=spec.deals if only is None else 1,
        rotate=spec.rotate and only is None,
        seed=seed,
        only=only,
    )


@contextlib.contextmanager
def record_folders(spec: MatchSpec, preflight: Preflight) -> Iterator[tuple[Path | None, list[Path]]]:
    """Make the folders for records and traces, and hide them from the bots. Raises RecordFolderError, TraceFolderError.

    Gives that for records, if they are kept, and all that are hidden. If the block fails, a new one is removed.
    """
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
        yield records, [path.absolute() for path in (RECORDS, records, spec.traces) if path is not None]
    except BaseException:
        if records is not None and spec.records is None:
            with contextlib.suppress(OSError):  # a build outside the sandbox may have written something into it
                records.rmdir()
        raise


# -- how many games and workers at a time -----------------------------------------------------------------------


def settled(spec: MatchSpec, line_up: LineUp, on_notice: Callable[[str], None]) -> Conditions:
    """The conditions with the numbers of games at a time and of workers on this machine.

    Raises MatchError and ListenError.
    """
    given = spec.conditions
    alone = check_ports(line_up.bots, given, on_notice)
    if line_up.persons:
        alone = True
        if (given.concurrency or 1) > 1:
            on_notice(f"a person plays one game at a time: --concurrency {given.concurrency} has no effect")
    concurrency = 1 if alone else given.games_at_a_time
    games_in_rotation = spec.deals * len(line_up.tables)
    at_a_time = min(concurrency, games_in_rotation)
    if at_a_time == 1 or spec.only is not None:
        workers = 1  # a single game at a time is played here: persons and ports belong to this process
    elif given.workers is not None:
        workers = min(given.workers, at_a_time)
    else:
        workers = default_workers(at_a_time, games_in_rotation * (line_up.seats if spec.rotate else 1))
    if concurrency == 1 and (given.workers or 1) > workers:
        on_notice(f"one game at a time needs one process: --workers {given.workers} has no effect")
    return structs.replace(given, concurrency=concurrency, workers=workers)


# -- what can't be played ---------------------------------------------------------------------------------------


def check_ports(bots: Sequence[BotSpec], conditions: Conditions, on_notice: Callable[[str], None]) -> bool:
    """Whether there are bots that are started manually; their ports must be free. Raises MatchError or ListenError."""
    by_hand = [bot for bot in bots if bot.port is not None]
    for bot in by_hand:
        if bot.port and sum(other.port == bot.port for other in by_hand) > 1:
            raise MatchError(f"two bots can't connect to one port: tcp:{bot.port} is given twice")
        listening_socket(bot.port or 0).close()
    if by_hand and (conditions.concurrency or 1) > 1:
        on_notice("one game at a time: a bot that is started manually plays all games over one connection")
    if by_hand and conditions.control.enforced:
        on_notice("clocks run while a bot is stopped in a debugger; --no-timeout lifts all time limits")
    return bool(by_hand)


def only_game(spec: MatchSpec, line_up: LineUp) -> tuple[int, int, int] | None:
    """The deal, and the rotation and the table from 0, of the only game that is to be played. Raises MatchError."""
    if spec.only is None:
        return None
    game_id, seats, tables = spec.only, line_up.seats, len(line_up.tables)
    name = GAME_NAME.fullmatch(game_id)
    if name is None or not int(name[1]) or (name[3] is None) != (tables == 1):
        expected = "DEAL-ROTATION, such as 0007-2" if tables == 1 else "DEAL-ROTATION-TABLE, such as 0007-2-1"
        raise MatchError(f"invalid game id {game_id}: expected {expected}")
    if spec.seed is None:
        raise MatchError(
            f"game {game_id} can be played again only with the seed of its match (--seed), which is shown above the"
            " table of that match"
        )
    deal, rotation, table = int(name[1]), int(name[2]), int(name[3] or 1)
    if not 1 <= rotation <= seats:
        raise MatchError(f"there is no game {game_id} in a match of {seats} bots: its rotations are 1 to {seats}")
    if not 1 <= table <= tables:
        raise MatchError(f"there is no game {game_id} in this match: its tables are 1 to {tables}")
    if rotation > 1 and not spec.rotate:
        raise MatchError(f"there is no game {game_id} in a match with --no-rotate: it has only rotation 1")
    return deal, rotation - 1, table - 1


def check_deal(game_id: str, deals: int) -> None:
    """Check that a match with this number of deals has this game, if it is a game id. Raises MatchError."""
    name = GAME_NAME.fullmatch(game_id)
    if name is not None and int(name[1]) > deals:
        last = "it has deal 1 only" if deals == 1 else f"its deals are 1 to {deals}"
        raise MatchError(f"there is no game {game_id} in a match with --games {deals}: {last}")
