"""Built-in players, for tests and as simple opponents."""

import random
from collections.abc import Callable
from typing import Final

import trio
from msgspec import Raw

from protocol.messages import Result
from referee.games import Action, Game
from referee.outcome import Fault
from referee.players.player import Choice, GameStart

Policy = Callable[[list[Action], random.Random], Action]


def choose_random(legal: list[Action], rng: random.Random) -> Action:
    """A legal action, all with the same probability."""
    return legal[int(rng.random() * len(legal))]


def choose_first(legal: list[Action], rng: random.Random) -> Action:
    return legal[0]


POLICIES: Final[dict[str, Policy]] = {"random": choose_random, "first": choose_first}


class BuiltinPlayer:
    """Plays a policy. Its random numbers come from the bot seed, so it is reproducible."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._rng = random.Random(0)

    async def begin(self, start: GameStart) -> None:
        self._rng = random.Random(start.bot_seed)
        await trio.lowlevel.checkpoint()

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        await trio.lowlevel.checkpoint()
        return Choice(action=self._policy(game.legal_actions(), self._rng))

    async def dismiss(self, fault: Fault) -> None:
        """Built-in players commit no faults."""

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Built-in players ignore the result."""
