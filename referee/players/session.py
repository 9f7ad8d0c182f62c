"""A session with one bot over one connection, from `hello` to `quit`: the handshake, and state that outlives a game."""

import contextlib
import math
from collections.abc import Callable
from typing import Final

import trio
from msgspec import UNSET, Raw

from protocol import codec
from protocol.codec import BadMessage
from protocol.framing import Oversize
from protocol.messages import PROTOCOL, Act, Answer, FaultCode, FaultMessage, Hello, HelloLimits, Message, Ready
from protocol.record import PlayerInfo
from referee import version
from referee.bots.diagnosis import Wait, explain_line, explain_wait
from referee.bots.languages import Language
from referee.connections import Connection, ConnectionEnded
from referee.games import Game
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import PlayerFault
from referee.players.secrets import Secrets
from referee.printable import displayed_name, excerpt, sanitise
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import MIB

MAX_MESSAGE: Final = 500
"""Maximum length of the message of a fault (specification, section 3)."""

NO_SECRETS: Final = Secrets(())


class BotSession:
    """A session with one bot. It may play many games, one after another, each through a BotPlayer."""

    def __init__(
        self,
        connection: Connection,
        control: TimeControl,
        limits: HelloLimits,
        lag: EventLoopLag | None = None,
        language: Callable[[], Language | None] = lambda: None,
        secrets: Secrets = NO_SECRETS,
    ) -> None:
        """`language` guesses the language of the bot, for messages about faults, and `secrets` are not quoted in
        them."""
        self.connection = connection
        self.control = control
        self.lag = lag or EventLoopLag()
        self.ready = Ready(protocol=PROTOCOL, name="")
        self.last_id = 0
        """The id of the latest `act`; ids never repeat in a session."""
        self.time_ms = 0
        """Of the latest `act`."""
        self.has_answered = False
        self.games = 0
        """The number of games that it has been sent the `start` of."""
        self.stray = ""
        """The first output that belonged to no game, as an excerpt; empty if there was none."""
        self.has_strayed = False
        self.begun = b""
        """The beginning of a line of which the rest had not come when the latest game began."""
        self._limits = limits
        self._language = language
        self.secrets = secrets
        self._cpu_at_ready = 0.0

    async def greet(self) -> None:
        """Send `hello` and wait for `ready`. Raises PlayerFault."""
        limit = self.control.startup
        start = trio.current_time()
        hello = Hello(protocol=PROTOCOL, referee=version.__version__, limits=self._limits)
        try:
            with trio.move_on_after(limit if self.control.enforced else math.inf):
                await self.connection.send(codec.encode(hello))
                self.ready = check_ready(await self.connection.receive())
                self._cpu_at_ready = self.connection.pending().cpu_seconds
                return
        except (ConnectionEnded, Oversize, BadMessage) as error:
            raise PlayerFault(self.fault_from(error, "before it was ready", Ready)) from None
        message = f"no ready within {limit:g} s of the start"
        raise PlayerFault(self.late_fault("startup_timeout", message, start, start + limit))

    async def post(self, message: Message) -> None:
        """Send a message without waiting for the bot: what doesn't fit is sent before the next `act`, at the expense
        of its time. Raises PlayerFault if the bot has ended."""
        try:
            await self.connection.post(codec.encode(message))
        except ConnectionEnded as error:
            raise PlayerFault(self.fault_from(error, "between two decisions")) from None

    def next_act(self, game: Game, events: list[Raw], time_ms: int) -> Act:
        """The next `act`, for the decision that is due, with the parts that the bot wants."""
        turn = game.turn
        assert turn is not None
        self.last_id += 1
        self.time_ms = time_ms
        parts = self.ready.options
        return Act(
            id=self.last_id,
            decision=turn.decision,
            observation=game.observation_to_send(turn.seat) if parts.observation else UNSET,
            legal=game.legal_to_send() if parts.legal else UNSET,
            events=events if parts.events else UNSET,
            tensor=game.tensor(turn.seat) if parts.tensor else UNSET,
            time_ms=time_ms,
        )

    def clear_output(self) -> None:
        """Between two games: take what the bot has written. It belongs to no game and costs nothing, but is `stray`
        unless it answers an earlier question."""
        lines = self.connection.take_unreceived()
        self.begun = lines[-1]
        for line in lines if self.begun else lines[:-1]:
            if not self.stray and not self._is_late_answer(line):
                self.stray, self.has_strayed = excerpt(self.secrets.hide(line)), True

    def _is_late_answer(self, line: bytes) -> bool:
        try:
            message = codec.decode(line)
        except BadMessage:
            return False
        return isinstance(message, Answer) and message.id <= self.last_id

    async def dismiss(self, fault: Fault) -> None:
        """Send the bot the fault that eliminates it, and close the connection. Never raises."""
        with contextlib.suppress(PlayerFault, MachineError):
            await self.post(FaultMessage(code=fault.code, message=fault.message))
        self.connection.close()

    def late_fault(
        self, code: FaultCode, message: str, start: float, deadline: float, dropped: int = 0, dropped_id: int = 0
    ) -> Fault:
        """The fault of a bot that took too long, with the event loop lag between `start` and now.

        `dropped` answers with other ids came meanwhile, the last of them with `dropped_id`.
        """
        now = trio.current_time()
        late = max(now - deadline, self.lag.longest_since(start))
        pending = self.connection.pending()
        wait = Wait(
            asked=None if code == "startup_timeout" else self.last_id,
            seconds=now - start,
            dropped=dropped,
            dropped_id=short_number(dropped_id),
            unfinished=pending.unfinished,
            is_unread=pending.is_unread,
            is_stopped=pending.is_stopped,
            cpu_seconds=pending.cpu_seconds - self._cpu_at_ready,
            has_answered=self.has_answered,
            memory_mb=pending.memory // MIB,
            max_memory_mb=0 if self._limits.memory_mb is UNSET else self._limits.memory_mb,
        )
        message = f"{message}; {explain_wait(wait, self._language())}"
        return Fault(code, message, referee_late=late if late > self.control.margin else 0.0)

    def fault_from(self, error: Exception, when: str, wanted: type[Ready | Answer] = Answer) -> Fault:
        """The fault for an error of the connection or of a line that should have been a `wanted`; `when` says when it
        happened. Other errors are raised."""
        match error:
            case ConnectionEnded(code=None):
                return Fault("crash", f"{error} {when}")
            case ConnectionEnded(code=code) if code is not None:
                return Fault(code, str(error))
            case Oversize():
                return Fault("oversize", f"{error} {when}")
            case BadMessage():
                return Fault("bad_message", self._explain(error, when, wanted))
            case _:
                raise error

    def _explain(self, error: BadMessage, when: str, wanted: type[Ready | Answer]) -> str:
        """A message that says what is wrong with a line, when it came, and what to do."""
        line = self.secrets.hide(error.line)
        found = explain_line(line, wanted, self._language())
        reason = found.problem or self.secrets.hide_text(error.problem)
        problem = format_bad_message(BadMessage(reason, line))
        return sanitise(f"{problem} ({when}); {found.remedy}", MAX_MESSAGE - 3)

    def player_info(self, name: str) -> PlayerInfo:
        """The description of this bot in a record. `name` is the one that the organiser gave it."""
        bot, version, author = (
            displayed_name(None if text is None else self.secrets.hide_text(text))
            for text in (self.ready.name, self.ready.version, self.ready.author)
        )
        return PlayerInfo(
            name=name,
            bot=UNSET if bot is None or bot == name else bot,
            version=version or UNSET,
            author=author or UNSET,
        )


def check_ready(line: bytes) -> Ready:
    """The `ready` in a line. Raises BadMessage, and PlayerFault for another version of the protocol."""
    message = codec.decode(line)
    if not isinstance(message, Ready):
        raise BadMessage("expected ready as the first line", line)
    if message.protocol != PROTOCOL:
        theirs = short_number(message.protocol)
        raise PlayerFault(Fault("protocol_version", f"speaks protocol {theirs}; this referee speaks {PROTOCOL}"))
    return message


def format_bad_message(error: BadMessage) -> str:
    """What is wrong with a line and an excerpt of it, printable."""
    return f"{sanitise(error.problem)}: {excerpt(error.line)}"


def short_number(number: int) -> str:
    """A number from a bot, short enough for a message."""
    return str(number) if abs(number) < 10**9 else "<out of range>"
