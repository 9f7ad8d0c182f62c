"""Which games are played, in which order: deals, seat rotations, phases, and the seeds of everything."""

import hashlib
from collections.abc import Iterator
from typing import Final, Protocol

from msgspec import Struct

BOT_SEED_BITS: Final = 53
FIRST_BATCH: Final = 8
"""Deals in the first batch of a match. Each further batch is twice as large, so that a long match starts few
processes, up to the size of LARGEST_BATCH, so that finished deals never lag far behind."""
LARGEST_BATCH: Final = 64


class ScheduledGame(Struct, frozen=True, kw_only=True):
    """A game to be played. `seating[seat]` is the index of the bot that sits there.

    Games of one deal share their seed. Games of one phase share their rotation, and may run side by side.
    """

    game_id: str
    deal: int
    rotation: int
    phase: int
    seating: tuple[int, ...]
    seed: str
    bot_seeds: tuple[int, ...]


class Schedule(Protocol):
    """The source of games. The runner asks for the next one when it has room, and reports each that has finished.

    So the next game may depend on the results so far. A schedule keeps no more than it needs to decide: how many games
    it has in all costs nothing.
    """

    def next_game(self) -> ScheduledGame | None:
        """A game to begin now. None if none can begin before a running game has finished; or, if none runs, ever."""
        ...

    def finished(self, game: ScheduledGame) -> None:
        """A game that `next_game` returned has finished."""
        ...


class Phases:
    """A schedule of games in a fixed order, in phases: a phase begins when the one before has finished."""

    def __init__(self, games: Iterator[ScheduledGame]) -> None:
        self._games = games
        self._next = next(games, None)
        self._phase = -1
        self._running = 0

    def next_game(self) -> ScheduledGame | None:
        """The next game of the phase, or the first of the next one once no game is running."""
        game = self._next
        if game is None or (game.phase != self._phase and self._running):
            return None
        self._phase = game.phase
        self._running += 1
        self._next = next(self._games, None)
        return game

    def finished(self, game: ScheduledGame) -> None:
        """A game has finished."""
        self._running -= 1


def rotations(
    deals: int, seats: int, seed: str, *, rotate: bool = True, concurrency: int = 1
) -> Iterator[ScheduledGame]:
    """Every deal once per cyclic rotation of the seats (or once, in the order given), so that luck and seat cancel.

    In phases: all deals of a batch in the first rotation, then all in the second, and so on; then the next batch.
    """
    phase = 0
    for batch in batches(deals, max(FIRST_BATCH, concurrency)):
        for rotation in range(seats if rotate else 1):
            for deal in batch:
                game_id = f"{deal:04}-{rotation + 1}"
                yield ScheduledGame(
                    game_id=game_id,
                    deal=deal,
                    rotation=rotation,
                    phase=phase,
                    seating=tuple((seat + rotation) % seats for seat in range(seats)),
                    seed=derive(seed, "deal", deal)[:32],
                    bot_seeds=tuple(
                        int(derive(seed, "bot", game_id, seat), 16) % 2**BOT_SEED_BITS for seat in range(seats)
                    ),
                )
            phase += 1


def batches(deals: int, first: int) -> Iterator[range]:
    """The deals from 1 on, in batches of growing size. A rest that is not worth a batch belongs to the last one."""
    begin, size = 1, first
    while begin <= deals:
        left = deals - begin + 1
        taken = left if left < 2 * size else size
        yield range(begin, begin + taken)
        begin += taken
        size = min(2 * size, max(first, LARGEST_BATCH))


def derive(seed: str, *path: str | int) -> str:
    """A seed for one purpose, as hexadecimal digits: one says nothing about another."""
    return hashlib.sha256("/".join(map(str, (seed, *path))).encode()).hexdigest()
