"""What a match needs of a player, and what can go wrong with one."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.messages import Clock, FaultCode, Result
from referee.games import Action, Game


class Fault(Exception):
    """What puts a player out of a game: a code of the protocol, and words its author can act on."""

    def __init__(self, code: FaultCode, message: str, *, referee_late: float = 0.0) -> None:
        super().__init__(message)
        self.code: FaultCode = code
        self.message = message
        self.referee_late = referee_late
        """Seconds that the referee itself was late while a player ran out of time, if it was more than the margin."""
        self.warnings: Sequence[Fault] = ()
        """Earlier faults in the same decision for which the player got another try."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


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
    warnings: Sequence[Fault] = ()


class Player(Protocol):
    """Answers decisions in one game after the other."""

    async def begin(self, start: GameStart) -> None:
        """A game begins. Raises Fault."""
        ...

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Take the decision that is due in `game`; `events` is news since the last call. Raises Fault."""
        ...

    async def dismiss(self, fault: Fault) -> None:
        """The player is out of the game for this fault. Never raises."""
        ...

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """The game is over. Never raises."""
        ...
