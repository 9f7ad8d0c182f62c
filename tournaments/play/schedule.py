"""Which games are played, and in which order: deals, rotations, phases, and their seeds."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from msgspec import Struct

from referee.seeds import Derive, bot_seed, public_id

FIRST_BATCH: Final = 16
"""Deals in the first batch of a match. Each following batch is twice as large, because larger batches start fewer
processes, up to LARGEST_BATCH, because the deals of a batch are finished only in its last rotation."""
LARGEST_BATCH: Final = 64
TASKS_PER_BATCH: Final = 4
"""Tasks into which the deals of a batch are divided, if it has that many."""
DEAL_SEED_DIGITS: Final = 32
"""Hexadecimal digits of the seed of a deal, which its record shows."""


class ScheduledGame(Struct, frozen=True, kw_only=True):
    """A game to be played. `seating[seat]` is the index of the bot in that seat.

    Games of the same deal have the same seed. Games of the same phase have the same rotation, and may be played at the
    same time.
    """

    game_id: str
    public_id: str
    """The `game_id` that bots see."""
    table: int = 0
    """Bots at different tables of a round don't share processes. A match is one table."""
    deal: int
    rotation: int
    phase: int
    seating: tuple[int, ...]
    seed: str
    bot_seeds: tuple[int, ...]
    opening: int = 0
    """The number of its opening, from 0, where games have openings: the same for all games of a deal."""


class Schedule(Protocol):
    """The source of games. The runner asks for the next game when it has room, and reports each finished one.

    So the next game may depend on the results so far. Games are created on demand: the memory of a schedule does not
    grow with the number of games.
    """

    def next_game(self) -> ScheduledGame | None:
        """A game to start now. None if no game can start until a running one has finished; if none runs, the schedule
        is done."""

    def next_task(self) -> Sequence[ScheduledGame]:
        """In place of `next_game`, for machines that can't end their processes together: the games of one task.

        One machine plays them in this order, one after another, and ends all processes between two rotations and after
        the last game. Whatever tasks run at the same time, nobody who is alive has met a deal in another rotation.
        Empty if no task can start until a running one has finished; if none runs, the schedule is done.
        """

    def begun(self, games: Iterable[ScheduledGame]) -> None:
        """Called before games begin, or may have begun on another machine; once more if they were lost."""

    def finished(self, game: ScheduledGame) -> None:
        """Called when a game that `next_game` or `next_task` returned has finished."""

    def needs_processes(self, game: ScheduledGame) -> bool:
        """Whether a game at the same table in the same phase is still to begin: it can reuse the processes of this one.

        Otherwise they are ended, so that there are never more of them than running games need.
        """


class Phases:
    """A schedule of games in a fixed order. A phase begins when all games of the previous phase have finished.

    `apart`: false where no process could meet a deal in two rotations, so that `next_game` need not keep phases apart.
    """

    def __init__(self, games: Iterator[ScheduledGame], *, apart: bool = True) -> None:
        self._games = games
        self._apart = apart
        self._next = next(games, None)
        self._phase = -1
        self._running = 0
        self._tasks: deque[list[ScheduledGame]] = deque()

    def next_game(self) -> ScheduledGame | None:
        game = self._next
        if game is None or (self._apart and game.phase != self._phase and self._running):
            return None
        self._phase = game.phase
        self._running += 1
        self._next = next(self._games, None)
        return game

    def next_task(self) -> Sequence[ScheduledGame]:
        if not self._tasks:
            by_deal: dict[int, list[ScheduledGame]] = {}
            for game in self._rest_of_batch():
                by_deal.setdefault(game.deal, []).append(game)
            deals = list(by_deal)
            size = -(-len(deals) // TASKS_PER_BATCH)
            for begin in range(0, len(deals), size or 1):
                games = [game for deal in deals[begin : begin + size] for game in by_deal[deal]]
                self._tasks.append(sorted(games, key=lambda game: game.phase))
        return self._tasks.popleft() if self._tasks else ()

    def _rest_of_batch(self) -> Iterator[ScheduledGame]:
        """The games of the deals that its first phase has. The next batch may begin in the last phase."""
        first, deals = self._next, set[int]()
        while first is not None and (game := self._next) is not None:
            if game.phase == first.phase:
                deals.add(game.deal)
            elif game.deal not in deals:
                return
            self._next = next(self._games, None)
            yield game

    def begun(self, games: Iterable[ScheduledGame]) -> None:
        """Nothing to note: a match that is stopped is not resumed."""

    def finished(self, game: ScheduledGame) -> None:
        self._running -= 1

    def needs_processes(self, game: ScheduledGame) -> bool:
        return self._next is not None and self._next.phase == game.phase


Tables = Sequence[Sequence[int]]
"""The tables of a match: of each, its bots in the order of the seats in the first rotation."""


def rotations(
    deals: int, seats: int, seed: str, *, rotate: bool = True, concurrency: int = 1, tables: Tables = ()
) -> Iterator[ScheduledGame]:
    """Each deal once per rotation, so that neither luck nor seat favours a bot; without `rotate` each deal once.

    All deals of a batch in one rotation, then all in the next, and so on; the next batch goes through the rotations in
    the opposite order, so that its first one belongs to the phase of the last one and needs no new processes. All
    tables play the same deals; without `tables` there is one, of all bots.
    """
    later = max(1, seats - 1) if rotate else 1
    for number, batch in enumerate(batches(deals, max(FIRST_BATCH, concurrency))):
        phase, backwards, tables = number * later, number % 2 == 1, tables or [range(seats)]
        yield from games_of_batch(batch, tables, seed, rotate=rotate, phase=phase, backwards=backwards)


def games_of_batch(
    deals: range, tables: Tables, seed: str, *, rotate: bool = True, phase: int = 0, backwards: bool = False
) -> Iterator[ScheduledGame]:
    """All deals of a batch in the first rotation, then all in the second, and so on, or `backwards` from the last one.
    `phase`: that of the first."""
    turns = range(len(tables[0]) if rotate else 1)
    for rotation in reversed(turns) if backwards else turns:
        for deal in deals:
            for table in range(len(tables)):
                yield game_of_match(deal, rotation, tables, seed, phase, table)
        phase += 1


def game_of_match(deal: int, rotation: int, tables: Tables, seed: str, phase: int = 0, table: int = 0) -> ScheduledGame:
    """The game of a match in which a deal, counted from 1, is played in a rotation and at a table, counted from 0."""
    bots = tables[table]
    seating = tuple(bots[(seat + rotation) % len(bots)] for seat in range(len(bots)))
    return seated_game(deal, rotation, seating, seed, phase=phase, table=table, one_table=len(tables) == 1)


def seated_game(
    deal: int, rotation: int, seating: tuple[int, ...], seed: str, *, phase: int, table: int, one_table: bool
) -> ScheduledGame:
    """The game of a match in which these bots sit; its id and its seeds follow from the rest.

    The seeds of bots are those of the seat at all tables of a deal, so that a bot which draws doesn't owe a difference
    between two tables to them.
    """
    in_seats = f"{deal:04}-{rotation + 1}"
    game_id = in_seats if one_table else f"{in_seats}-{table + 1}"
    derive = deriving(seed)
    return ScheduledGame(
        game_id=game_id,
        public_id=public_id(derive, game_id),
        table=table,
        deal=deal,
        rotation=rotation,
        phase=phase,
        seating=seating,
        seed=deal_seed(seed, deal),
        bot_seeds=tuple(bot_seed(derive, in_seats, seat) for seat in range(len(seating))),
        opening=deal - 1,
    )


def deal_seed(seed: str, deal: int) -> str:
    """The seed of a deal, counted from 1, of the match with this seed."""
    return deriving(seed)(f"deal/{deal}")[:DEAL_SEED_DIGITS]


def deriving(seed: str) -> Derive:
    """The derivation of all other seeds from the seed of a match (SHA-256)."""
    return lambda purpose: hashlib.sha256(f"{seed}/{purpose}".encode()).hexdigest()


def batches(deals: int, first: int) -> Iterator[range]:
    """The deals from 1 on, in batches of growing size. A remainder smaller than the last batch is added to it."""
    begin, size = 1, first
    while begin <= deals:
        left = deals - begin + 1
        count = left if left < 2 * size else size
        yield range(begin, begin + count)
        begin += count
        size = min(2 * size, max(first, LARGEST_BATCH))
