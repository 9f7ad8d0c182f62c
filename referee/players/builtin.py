"""Built-in players, for tests and as simple opponents."""

import random

import trio
from msgspec import Raw

from protocol.messages import Result, Start
from referee.bots.policies import Policy
from referee.games import Game
from referee.outcome import Fault
from referee.players.player import Choice


class BuiltinPlayer:
    """Plays a policy. Its random numbers come from the bot seed, so it is reproducible."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._rng = random.Random(0)

    async def begin(self, start: Start) -> None:
        self._rng = random.Random(start.bot_seed)
        await trio.lowlevel.checkpoint()

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        await trio.lowlevel.checkpoint()
        return Choice(action=self._policy(game.legal_actions(), self._rng))

    async def dismiss(self, fault: Fault) -> None:
        """Built-in players commit no faults."""

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Built-in players ignore the result."""
