"""A player that is a program at the other end of two streams of lines: the referee's side of the protocol."""

import contextlib
import math
from functools import cache
from typing import Any, Final, Protocol

import msgspec
import trio
from msgspec import UNSET, Raw, UnsetType

from protocol import codec
from protocol.codec import BadMessage
from protocol.framing import Oversize
from protocol.messages import (
    PROTOCOL,
    Act,
    Answer,
    End,
    FaultCode,
    FaultMessage,
    Hello,
    HelloLimits,
    Message,
    Ready,
    Result,
    Start,
)
from referee import version
from referee.games import Action, Game
from referee.outcome import Fault
from referee.players.clock import SeatClock, TimeControl, milliseconds
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import Choice, GameStart, PlayerFault
from referee.printable import REPLACEMENT, excerpt, printable, sanitise
from referee.processes.child import OverLimit, ProcessEnded

RETRYABLE: Final = ("illegal_action", "bad_message")
"""Faults for which an organiser may allow another try."""
SEND_SLACK: Final = 0.0005
"""Seconds that sending a line may take without putting off its deadline."""
FAULT_MESSAGE_TIMEOUT: Final = 0.1
"""Seconds that a bot that is out has to take in why, if its standard input is full."""
MAX_LATE_SCAN: Final = 128 * 1024
"""Bytes of old answers that are looked through for an answer after the deadline: twice what a pipe holds, and no
more, for no other game goes on meanwhile."""
OLD_PER_TURN: Final = 32
"""Old answers that are read before other games have their turn: they take no longer than a decision does."""
INFO_DEPTH: Final = 100
"""Levels of lists and objects in an `info` that is kept as it is: whoever reads records has a limit too."""
MAX_NAME: Final = 60
"""Characters kept of what a bot says of itself."""


class Lines(Protocol):
    """Two streams of lines, as a Child has them."""

    async def send(self, line: bytes) -> None:
        """Write a line. Raises ProcessEnded."""
        ...

    async def receive(self) -> bytes:
        """The next line. Raises ProcessEnded or Oversize."""
        ...

    def receive_nowait(self) -> bytes | None:
        """The next line if it is there already."""
        ...

    def stop(self) -> None:
        """Nothing more will be sent or received."""
        ...


class BotPlayer:
    """Speaks the protocol with one bot: ids, clock, retries, and what counts as a fault."""

    def __init__(
        self,
        lines: Lines,
        control: TimeControl,
        limits: HelloLimits,
        retries: int = 0,
        delay: EventLoopLag | None = None,
    ) -> None:
        self.lines = lines
        self.ready = Ready(protocol=PROTOCOL, name="")
        self._control = control
        self._limits = limits
        self._retries = retries
        self._delay = delay or EventLoopLag()
        self._clock = SeatClock(control)
        self._id = 0

    async def greet(self) -> None:
        """Say hello and wait for `ready`. Raises PlayerFault."""
        limit = self._control.startup
        start = trio.current_time()
        hello = Hello(protocol=PROTOCOL, referee=version.__version__, limits=self._limits)
        try:
            with trio.move_on_after(limit if self._control.enforced else math.inf):
                await self.lines.send(codec.encode(hello))
                self.ready = self._check_ready(await self.lines.receive())
                return
        except (ProcessEnded, Oversize, BadMessage) as error:
            raise PlayerFault(as_fault(error, "before it was ready")) from None
        raise PlayerFault(
            self._too_late("startup_timeout", f"no ready within {limit:g} s of the start", start, start + limit)
        )

    def _check_ready(self, line: bytes) -> Ready:
        message = codec.decode(line)
        if not isinstance(message, Ready):
            raise BadMessage("expected ready as the first line", line)
        if message.protocol != PROTOCOL:
            theirs = short(message.protocol)
            raise PlayerFault(Fault("protocol_version", f"speaks protocol {theirs}; this referee speaks {PROTOCOL}"))
        return message

    async def begin(self, start: GameStart) -> None:
        """Tell the bot that a game begins. Raises PlayerFault."""
        self._clock = SeatClock(self._control)
        await self._tell_or_fault(
            Start(
                game_id=start.game_id,
                game=start.game.name,
                config=start.config,
                seat=start.seat,
                players=start.names,
                clock=start.clock,
                bot_seed=start.bot_seed,
            )
        )

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Ask for the decision that is due, again after a fault as often as the organiser allows. Raises PlayerFault."""
        self._clock.begin()
        retried: list[Fault] = []
        while True:
            try:
                if retried:
                    await self._tell_or_fault(FaultMessage(code=retried[-1].code, message=retried[-1].message))
                    events = []
                answer = await self._ask(game, events)
                action = resolve(answer, game)
            except (ProcessEnded, Oversize, BadMessage) as error:
                fault = as_fault(error, f"at act {self._id}")
            except PlayerFault as error:
                fault = error.fault
            else:
                seconds = self._clock.finish()
                return Choice(action=action, seconds=seconds, info=kept_info(answer.info), retried=retried)
            if fault.code not in RETRYABLE or len(retried) >= self._retries:
                raise PlayerFault(fault, retried)
            retried.append(fault)

    async def _ask(self, game: Game, events: list[Raw]) -> Answer:
        """Send `act` and wait for its answer, dropping answers to older questions."""
        turn = game.turn
        assert turn is not None
        self._id += 1
        allowance = self._clock.allowance()
        wanted = self.ready.options
        act = Act(
            id=self._id,
            decision=turn.decision,
            observation=game.observe(turn.seat) if wanted.observation else UNSET,
            legal=game.legal_actions() if wanted.legal else UNSET,
            events=events if wanted.events else UNSET,
            time_ms=milliseconds(allowance),
        )
        patience = allowance + self._control.margin if self._control.enforced else math.inf
        start = trio.current_time()
        try:
            with trio.CancelScope(deadline=start + patience) as scope:
                await self.lines.send(codec.encode(act))
                sent = trio.current_time()
                if sent - start > SEND_SLACK:  # setting a deadline again is dear, and seldom needed
                    scope.deadline = sent + patience
                start = sent
                old = 0
                while (answer := self._open_answer(await self.lines.receive())) is None:
                    old += 1
                    if old % OLD_PER_TURN == 0:
                        await trio.lowlevel.checkpoint()
            if scope.cancelled_caught:
                answer = self._arrived_unseen()
        finally:
            self._clock.spend(min(trio.current_time() - start, patience))  # after the deadline it is we who are late
        if answer is None:
            what = f"no answer to act {self._id} ({turn.decision}) within {allowance:g} s"
            raise PlayerFault(self._too_late("timeout", what, start, start + patience))
        return answer

    def _open_answer(self, line: bytes) -> Answer | None:
        """The answer in a line if it answers the open question."""
        message = codec.decode(line)
        if isinstance(message, Answer):
            return message if message.id == self._id else None
        raise BadMessage("expected an action", line)

    def _arrived_unseen(self) -> Answer | None:
        """An answer that lay in the pipe at the deadline, when the referee was the one who was late.

        The search has an end, for a bot may write old answers faster than they are read.
        """
        seen = 0
        while seen < MAX_LATE_SCAN and (line := self.lines.receive_nowait()) is not None:
            answer = self._open_answer(line)
            if answer is not None:
                return answer
            seen += len(line)
        return None

    def _too_late(self, code: FaultCode, message: str, start: float, deadline: float) -> Fault:
        """The fault of a bot that took too long, with what the referee itself was late meanwhile."""
        late = max(trio.current_time() - deadline, self._delay.longest_since(start))
        return Fault(code, message, referee_late=late if late > self._control.margin else 0.0)

    async def dismiss(self, fault: Fault) -> None:
        """Tell the bot what it did wrong, as far as it still listens, and let go of it."""
        await self._tell(FaultMessage(code=fault.code, message=fault.message), FAULT_MESSAGE_TIMEOUT)
        self.lines.stop()

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Tell the bot that the game is over; one that no longer listens shows so in its next game."""
        wanted = self.ready.options
        message = End(game_id=game_id, result=result, events=events if wanted.events else UNSET)
        await self._tell(message, self._control.startup)

    async def _tell(self, message: Message, patience: float) -> None:
        """Send a message that needs no answer, if the bot takes it in time."""
        with trio.move_on_after(patience), contextlib.suppress(ProcessEnded, Oversize):
            await self.lines.send(codec.encode(message))

    async def _tell_or_fault(self, message: Message) -> None:
        with trio.move_on_after(self._control.startup if self._control.enforced else math.inf):
            try:
                await self.lines.send(codec.encode(message))
            except (ProcessEnded, Oversize) as error:
                raise PlayerFault(as_fault(error, "between two decisions")) from None
            return
        raise PlayerFault(Fault("timeout", "did not read its standard input"))


def as_fault(error: Exception, when: str) -> Fault:
    """The fault that an error of the process or the codec amounts to."""
    match error:
        case OverLimit():
            return Fault(error.code, f"{error}")
        case ProcessEnded():
            return Fault("crash", f"{error} {when}")
        case Oversize():
            return Fault("oversize", f"{error} {when}")
        case BadMessage():
            return Fault("bad_message", f"{describe(error)} ({when})")
        case _:
            raise error


def describe(error: BadMessage) -> str:
    """What is wrong with a line, and its beginning, fit to be shown."""
    return f"{sanitise(error.problem)}: {excerpt(error.line)}" if error.line else sanitise(error.problem)


@cache
def _decoder(action: type[Action]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(action)


def resolve(answer: Answer, game: Game) -> Action:
    """The legal action that an answer means. Raises PlayerFault or BadMessage."""
    turn = game.turn
    assert turn is not None
    legal = game.legal_actions()
    spelled_out = answer.action is not UNSET and bytes(answer.action) != b"null"
    if (answer.index is not None) == spelled_out:
        raise BadMessage(f"give either index or action in the answer to act {answer.id}")
    if answer.index is not None:
        if 0 <= answer.index < len(legal):
            return legal[answer.index]
        raise illegal(f"index {short(answer.index)} is not in 0 to {len(legal) - 1} ({turn.decision})")
    assert answer.action is not UNSET
    spelling = bytes(answer.action)
    try:
        action: Action = _decoder(game.actions[turn.decision]).decode(spelling)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        problem = f"{excerpt(spelling)} is no action of {turn.decision}: {sanitise(error)}"
        raise illegal(problem) from None
    if not game.is_legal(action):
        example = msgspec.json.encode(legal[0]).decode()
        raise illegal(
            f"{excerpt(spelling)} is not among the {len(legal)} legal actions of {turn.decision},"
            f" the first of which is {example}",
        )
    return action


def illegal(message: str) -> PlayerFault:
    """The fault of an answer that the rules don't allow."""
    return PlayerFault(Fault("illegal_action", message))


def short(number: int) -> str:
    """A number that a bot sent, in a length fit for a message."""
    return str(number) if abs(number) < 10**9 else "far off"


def kept_info(info: Raw | UnsetType) -> Raw | UnsetType:
    """A bot's `info` as the record keeps it, or as a text, cut off where it is too long, if it isn't fit for records.

    Without spaces, which is all that is done to an `info` that is too long: nobody need understand a MiB of it.
    """
    if info is UNSET:
        return UNSET
    text = msgspec.json.format(bytes(info), indent=-1)
    if len(text) > codec.MAX_INFO:
        return codec.encode_part(text[: codec.MAX_INFO].decode(errors="ignore") + "…")
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:  # a number beyond all that readers of records know
        return codec.encode_part(text.decode())
    return codec.encode_part(text.decode() if is_deeper(value, INFO_DEPTH) else value)


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects lie within each other in more than so many levels."""
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and (levels == 0 or any(is_deeper(part, levels - 1) for part in value))


def clean(text: str | None) -> str | UnsetType:
    """What a bot says of itself, fit for a record or a terminal: printable and short; UNSET if nothing is seen."""
    kept = printable((text or "").strip()[:MAX_NAME])
    return kept if kept.strip(f" {REPLACEMENT}") else UNSET
