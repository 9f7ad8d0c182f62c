"""What the game runner needs of a player."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.messages import Clock, Result
from referee.games import Action, Game
from referee.outcome import Fault


class PlayerFault(Exception):
    """Raised where a player commits the fault that puts it out of the game.

    `retried`: earlier faults in the same decision, for which the player got another try.
    """

    def __init__(self, fault: Fault, retried: Sequence[Fault] = ()) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.retried = retried


class GameStart(Struct, frozen=True, kw_only=True):
    """What a player is told when a game begins."""

    game_id: str
    game: type[Game]
    config: Any
    seat: int
    names: list[str]
    clock: Clock
    bot_seed: int


class Choice(Struct, kw_only=True):
    """A player's answer: the action, the seconds it took, and what goes into the record beside it."""

    action: Action
    seconds: float = 0.0
    info: Raw | UnsetType = UNSET
    retried: Sequence[Fault] = ()
    """Faults before this answer, for which the player got another try."""


class Player(Protocol):
    """Answers decisions in one game after the other."""

    async def begin(self, start: GameStart) -> None:
        """A game begins. Raises PlayerFault."""
        ...

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Take the decision that is due in `game`; `events` is news since the last call. Raises PlayerFault."""
        ...

    async def dismiss(self, fault: Fault) -> None:
        """The player is out of the game for this fault. Never raises."""
        ...

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """The game is over. Never raises."""
        ...
