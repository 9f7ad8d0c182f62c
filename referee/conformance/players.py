"""The players in the games of a check: the bot, observed and sometimes asked in difficult ways, and opponents."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Final

import trio
from msgspec import UNSET, Raw, Struct

from protocol.framing import Oversize
from protocol.messages import FaultMessage
from referee.bots.policies import choose_random
from referee.conformance.finding import ShownLine
from referee.conformance.wire import Wire
from referee.connections import ConnectionEnded
from referee.games import Game
from referee.games.interface import Action
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import milliseconds
from referee.players.player import Choice, PlayerFault
from referee.players.session import BotSession

DIFFICULT_INTERVAL: Final = 6
"""Every sixth decision is asked in a difficult way."""
WAITED_FOR: Final = 5
"""Questions before which a bot gets time to write something that it was not asked for."""
UNASKED_PAUSE: Final = 0.05
"""Seconds of that time."""
UNASKED: Final = Fault("bad_message", "it wrote a line before it was asked")
CHECKPOINT_INTERVAL: Final = 4
"""Decisions of an opponent after which it lets other tasks run, which takes time."""
NOT_ACCEPTED: Final = FaultMessage(
    code="illegal_action", message="this check refuses a legal action, to see whether the bot answers a second time"
)


class Decision(Struct, frozen=True):
    kind: str
    action: Action
    seconds: float
    allowed: float
    """The seconds that the bot was told it had."""
    info_bytes: int
    """Length of the JSON of `info`; 0 without it."""
    fallback: str | None = None
    """Why the bot took it at random, if it says so."""

    @property
    def share(self) -> float:
        return self.seconds / max(self.allowed, 0.001)


class LongestAnswer(Struct, frozen=True):
    """The answer of a game that took the largest share of its time, and its lines."""

    decision: Decision
    wire: Callable[[], Sequence[ShownLine]]


class ObservedPlayer(BotPlayer):
    """The bot as a player; keeps its decisions. `asked` is the kind of the decision that it was last asked for."""

    def __init__(self, session: BotSession, wire: Wire) -> None:
        super().__init__(session)
        self.decisions: list[Decision] = []
        self.asked = ""
        self.longest_answer: LongestAnswer | None = None
        self.game: Game | None = None
        """Once it has been asked."""
        self._wire = wire

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        assert game.turn is not None
        self.game = game
        self.asked = game.turn.decision
        choice = await self.ask(game, events)
        decision = Decision(
            kind=self.asked,
            action=choice.action,
            seconds=choice.seconds,
            allowed=self.session.time_ms / 1000,
            info_bytes=0 if choice.info is UNSET else len(bytes(choice.info)),
            fallback=choice.fallback,
        )
        self.decisions.append(decision)
        if self.longest_answer is None or decision.share > self.longest_answer.decision.share:
            self.longest_answer = LongestAnswer(decision, self._wire.excerpt(2))
        return choice

    async def ask(self, game: Game, events: list[Raw]) -> Choice:
        """Ask as the referee does in a match."""
        return await super().decide(game, events)


class RetriedPlayer(ObservedPlayer):
    """Refuses some of the bot's answers, as after an illegal action if the organiser allows retries."""

    async def ask(self, game: Game, events: list[Raw]) -> Choice:
        choice = await super().ask(game, events)
        if len(self.decisions) % DIFFICULT_INTERVAL == 1:
            await self.session.post(NOT_ACCEPTED)
            choice = await super().ask(game, [])
        return choice


class OvertakenPlayer(ObservedPlayer):
    """Asks some questions twice, under two ids and without waiting: the first answer comes too late."""

    async def ask(self, game: Game, events: list[Raw]) -> Choice:
        if len(self.decisions) % DIFFICULT_INTERVAL == 1:
            move = self.session.control.move
            assert move is not None
            # No more time than that: the clock of the second question runs as well.
            await self.session.post(self.session.next_act(game, events, milliseconds(move)))
            events = []
        return await super().ask(game, events)


class WaitingPlayer(ObservedPlayer):
    """Waits a moment before each of the first questions. A bot that writes something then has answered a question that
    it can't know yet: that is the fault UNASKED."""

    async def ask(self, game: Game, events: list[Raw]) -> Choice:
        if len(self.decisions) < WAITED_FOR:
            with trio.move_on_after(UNASKED_PAUSE), contextlib.suppress(ConnectionEnded, Oversize):
                await self.session.connection.receive()
                raise PlayerFault(UNASKED)
        return await super().ask(game, events)


class Opponent(BuiltinPlayer):
    """Chooses at random, and fails after this number of decisions."""

    def __init__(self, decisions: int | None = None) -> None:
        super().__init__(choose_random)
        self._fails_after = decisions
        self._decisions = 0

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        if self._decisions == self._fails_after:
            raise PlayerFault(Fault("crash", "an opponent that fails, for this check"))
        self._decisions += 1
        if not self._decisions % CHECKPOINT_INTERVAL:  # also for when the bot is out, and no longer waited for
            await trio.lowlevel.checkpoint()
        return Choice(action=choose_random(game.legal_actions(), self._rng))
