"""The rules: seats take one to three stones from a heap in turn. Whoever takes the last one wins."""

from random import Random
from typing import Annotated, Self

from msgspec import Meta, Struct

from referee.games import Action, Chance, Event, Game, GameConfig, Ranking, Turn

MOST = 3
"""Stones that a seat may take."""
SPREAD = 5
"""The heap has up to this number of stones more than the option says: chance decides."""


class MyGameConfig(GameConfig, frozen=True, kw_only=True):
    """The options: fields with a description are set by users, as `--set stones=30`."""

    players: Annotated[int, Meta(ge=2, le=4, description="number of players")] = 2
    stones: Annotated[int, Meta(ge=10, le=1000, description="fewest stones on the heap")] = 20


class Take(Action, frozen=True, kw_only=True):
    """Take this number of stones."""

    count: int


class MyGameObservation(Struct, frozen=True, kw_only=True):
    """What a seat sees."""

    seat: int
    stones: int
    taken: list[int]


class LastStone(Event, frozen=True, kw_only=True, tag="last_stone"):
    """A seat has taken the last stone."""

    seat: int


class MyGame(Game):
    """My Game."""

    __slots__ = ("stones", "taken", "winner")

    name = "my_game"
    title = "My Game"
    Config = MyGameConfig
    Observation = MyGameObservation
    actions = {"take": Take}  # noqa: RUF012
    events = (LastStone,)
    recorded = ()

    config: MyGameConfig
    stones: int
    taken: list[int]
    winner: int | None

    @classmethod
    def new(cls, config: MyGameConfig, chance: Chance) -> Self:
        """A new game, up to its first decision."""
        game = cls(config, chance)
        low, high = config.stones, config.stones + SPREAD

        def sample(random: Random) -> int:
            return random.randint(low, high)

        game.stones = game.draw("stones", sample, int, lambda value: None if low <= value <= high else "out of range")
        game.taken = [0] * config.players
        game.winner = None
        game.turn = Turn(seat=0, decision="take")
        return game

    def _list_legal(self) -> list[Action]:
        return [Take(count=count) for count in range(1, min(MOST, self.stones) + 1)]

    def _carry_out(self, turn: Turn, action: Take) -> None:
        self.stones -= action.count
        self.taken[turn.seat] += action.count
        if self.stones:
            self.turn = Turn(seat=(turn.seat + 1) % self.config.players, decision="take")
        else:
            self.winner = turn.seat
            self.emit(LastStone(seat=turn.seat))

    def observe(self, seat: int) -> MyGameObservation:
        """Everything that the seat may see: here nothing is hidden."""
        return MyGameObservation(seat=seat, stones=self.stones, taken=self.taken)

    def ranking(self) -> Ranking:
        """One point for the last stone."""
        scores = [int(seat == self.winner) for seat in range(self.config.players)]
        return Ranking(scores=scores, ranks=[1 + sum(other > own for other in scores) for own in scores])

    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy, for search."""
        twin = type(self)(self.config, self.chance if chance is None else chance)
        twin.turn, twin.log = self.turn, self.log[:]
        twin.stones, twin.taken, twin.winner = self.stones, self.taken[:], self.winner
        return twin
