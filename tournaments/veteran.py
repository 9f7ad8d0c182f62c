"""A process that has played before, and may be about to leave when its next game begins."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Raw

from protocol.messages import Result
from referee.games import Game
from referee.outcome import Fault
from referee.players.player import Choice, GameStart, Player, PlayerFault
from referee.processes.child import Child

FAREWELL: Final = 0.05
"""Seconds that a process has to take in the last lines of its game before the next one is played all the same."""


class Veteran:
    """A player whose process is used again. If that turns out to have ended without looking at the new game, no fault
    was committed: a fresh process plays the game from its beginning.

    Whoever has taken anything of the game from its input plays it, so that no bot gets a second try at a position, nor
    more time. One that has peeked without taking (tee(2)) and leaves gets a fresh process, once in a game.
    """

    def __init__(self, player: Player, child: Child, relieve: Callable[[], Awaitable[Player]]) -> None:
        self._player = player
        self._child = child
        self._relieve = relieve
        self._start: GameStart | None = None
        self._is_on_duty = False
        """Whether this process has answered in this game, or is a fresh one already."""
        self._has_left = False
        """Whether its process is gone and no other has come."""

    async def begin(self, start: GameStart) -> None:
        """A game begins. Raises PlayerFault."""
        self._start = start
        await self._child.has_read_all(FAREWELL)  # or it might read this game's first lines together with them
        try:
            await self._player.begin(start)
        except PlayerFault as error:
            await self._hand_over(error.fault)

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Take the decision that is due. Raises PlayerFault."""
        try:
            choice = await self._player.decide(game, events)
        except PlayerFault as error:
            await self._hand_over(error.fault)
            choice = await self._player.decide(game, events)
        self._is_on_duty = True
        return choice

    async def _hand_over(self, fault: Fault) -> None:
        """Have a fresh process begin the game, if that is fair. Raises PlayerFault."""
        if fault.code != "crash" or self._is_on_duty or not self._child.has_read_nothing():
            raise PlayerFault(fault)
        assert self._start is not None
        self._has_left = True
        self._player = await self._relieve()
        self._has_left = False
        self._is_on_duty = True
        await self._player.begin(self._start)

    async def dismiss(self, fault: Fault) -> None:
        """The player is out of the game."""
        if not self._has_left:
            await self._player.dismiss(fault)

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """The game is over."""
        await self._player.end(game_id, result, events)
