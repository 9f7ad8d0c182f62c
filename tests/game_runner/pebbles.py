"""Pebbles, a very small game: the referee is tested with it where the rules of the game do not matter.

Seats take one to three pebbles in turn from a heap; most pebbles win. Taking all but the last pebble leaves the next
seat no choice. Before the first turn each seat is sent a number that the others may not know, and one number is
for the record alone. `filler` makes every question that many bytes longer.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from random import Random
from typing import Annotated, Self

from msgspec import Meta, Struct

from referee.games import Action, Chance, Event, Game, GameConfig, Narrator, Ranking, Turn
from referee.games.interface import NOBODY
from referee.games.narrator import Said
from tests.registered import registered


class PebblesConfig(GameConfig, frozen=True, kw_only=True):
    """Seats, pebbles, and how long the questions are."""

    players: Annotated[int, Meta(ge=2, le=5, description="number of players")] = 2
    heap: Annotated[int, Meta(ge=1, le=100_000, description="pebbles on the heap")] = 7
    filler: Annotated[int, Meta(ge=0, le=10_000_000, description="bytes of filler")] = 0


class Take(Action, frozen=True, kw_only=True):
    """Take this number of pebbles."""

    count: int


class PebblesObservation(Struct, frozen=True, kw_only=True):
    """What a seat sees."""

    seat: int
    heap: int
    filler: str


class Taken(Event, frozen=True, kw_only=True, tag="taken"):
    """A seat has taken its pebbles, and this number is left. In the record too."""

    seat: int
    left: int


class PrivateNote(Event, frozen=True, kw_only=True, tag="private_note"):
    """Sent to one seat only, after each of its turns."""

    to: int
    left: int


class Pebbles(Game):
    """A game of pebbles."""

    __slots__ = ("heap", "taken")

    name = "pebbles"
    title = "Pebbles"
    Config = PebblesConfig
    Observation = PebblesObservation
    actions = {"take": Take}  # noqa: RUF012
    events = (Taken, PrivateNote)
    recorded = (Taken,)

    config: PebblesConfig

    @classmethod
    def new(cls, config: PebblesConfig, chance: Chance) -> Self:
        """A new heap."""
        game = cls(config, chance)
        game.heap = config.heap
        game.taken = [0] * config.players
        game._draw_number("luck", None)
        game._draw_number("hidden", NOBODY)
        for seat in range(config.players):
            game._draw_number(f"secret_{seat}", seat)
        game.turn = Turn(seat=0, decision="take")
        return game

    heap: int
    taken: list[int]

    def _draw_number(self, name: str, audience: int | None) -> None:
        def sample(random: Random) -> int:
            return random.randrange(10**9)

        self.draw(name, sample, int, lambda value: None, audience=audience)

    def _list_legal(self) -> list[Action]:
        return [Take(count=count) for count in range(1, min(3, self.heap) + 1)]

    def _carry_out(self, turn: Turn, action: Take) -> None:
        self.heap -= action.count
        self.taken[turn.seat] += action.count
        self.emit(Taken(seat=turn.seat, left=self.heap))
        self.emit(PrivateNote(to=turn.seat, left=self.heap), turn.seat)
        if self.heap:
            self.turn = Turn(seat=(turn.seat + 1) % self.config.players, decision="take")

    def observe(self, seat: int) -> PebblesObservation:
        """The heap."""
        return PebblesObservation(seat=seat, heap=self.heap, filler="." * self.config.filler)

    def ranking(self) -> Ranking:
        """Who has most pebbles is first."""
        ranks = [1 + sum(other > own for other in self.taken) for own in self.taken]
        return Ranking(scores=list(self.taken), ranks=ranks)

    def public_config(self) -> PebblesConfig:
        """Nothing is hidden in it."""
        return self.config

    def copy(self, chance: Chance | None = None) -> Self:
        """The same heap."""
        other = type(self)(self.config, chance or self.chance)
        other.heap, other.taken, other.turn, other.log = self.heap, list(self.taken), self.turn, list(self.log)
        return other


class PebblesNarrator(Narrator[Pebbles]):
    """Narrator of Pebbles."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """How many pebbles each turn leaves."""
        for event in events:
            if isinstance(event, Taken):
                yield Said(f"{self.names[event.seat]} leaves {event.left}")


def registered_pebbles() -> AbstractContextManager[None]:
    """The game is registered until the end of a `with` statement, so that its records can be replayed."""
    return registered(Pebbles, narrator="tests.game_runner.pebbles:PebblesNarrator")
