"""The interface of a player."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.messages import Result, Start
from referee.games import Action, Game
from referee.outcome import Fault


class PlayerFault(Exception):
    """Raised when a player commits the fault that eliminates it.

    `retried`: earlier faults in the same decision, after which the player got another try.
    """

    def __init__(self, fault: Fault, retried: Sequence[Fault] = ()) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.retried = retried


class Choice(Struct, kw_only=True):
    """A player's answer: the action, the seconds it took, and the `info` for the record."""

    action: Action
    """A legal one, as `Game.canonical` gives it."""
    seconds: float = 0.0
    info: Raw | UnsetType = UNSET
    fallback: str | None = None
    """Why the bot took it at random, if it says in `info` that it did."""
    stderr: int = 0
    """The bytes of the file with the bot's standard error that it had written by then."""
    retried: Sequence[Fault] = ()
    """Faults before this answer, after which the player got another try."""


class Player(Protocol):
    """Answers the decisions of one seat in one game."""

    async def begin(self, start: Start) -> None:
        """Begin the game. Raises PlayerFault."""

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Choose an action for the turn of `game`. Raises PlayerFault.

        `events`: those since the last call as JSON, which may be several in an element, with commas between them.
        """

    async def dismiss(self, fault: Fault) -> None:
        """Called when the player is eliminated for this fault. Never raises."""

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Called when the game is over. Never raises."""
