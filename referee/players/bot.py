"""A player that is a bot: the referee's side of the protocol within one game."""

import contextlib
import sys
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

import msgspec
import trio
from msgspec import UNSET, Raw, Struct

from protocol import codec
from protocol.codec import BadMessage
from protocol.framing import Oversize
from protocol.messages import Answer, End, FaultMessage, Result, Start
from referee.bots.diagnosis import misspelt
from referee.connections import ConnectionEnded
from referee.games import Action, Game
from referee.outcome import Fault
from referee.players.clock import SeatClock, milliseconds
from referee.players.player import Choice, PlayerFault
from referee.players.session import MAX_MESSAGE, BotSession, short_number
from referee.players.thinking_time import ThinkingTime
from referee.printable import escape, escape_string, excerpt, sanitise
from referee.processes.limits.machine import MachineError

RETRYABLE: Final = ("illegal_action", "bad_message")
"""Faults after which an organiser may allow another try."""
READ_TIMEOUT: Final = 0.05
"""Seconds to wait until a bot has read the last lines of its previous game before the next one begins."""
MAX_LATE_SCAN: Final = 128 * 1024
"""Bytes in the pipe that are searched for an answer after the deadline: twice the size of a pipe. The search blocks all
other games, so it is bounded."""
MAX_SKIP: Final = 15
"""Questions in a row after which no answer is looked for at once, if a bot has been slow."""
OLD_PER_TURN: Final = 32
"""Old answers read before other tasks may run; reading them takes about as long as one decision."""
LAST_GAME: Final = "did it write this at the end of the game before? What comes after start belongs to the new game"
INFO_DEPTH: Final = 100
"""Maximum nesting of an `info` that is recorded as JSON, because readers of records have limits too."""
MAX_ESCAPE: Final = 6
"""Bytes of the longest escape sequence of one byte: an `info` of at most its limit divided by this always fits."""
MAX_FALLBACK: Final = 200
"""Characters of the reason for a decision at random."""
MAX_UTF8: Final = 4
"""Bytes of the longest character."""


class BotPlayer:
    """Plays one game over a session. It keeps the clock, allows retries, and decides what is a fault.

    `replace` is given if the session has played an earlier game. Its bot may have been exiting when this game began: if
    the session ends before the bot has read anything of this game, that is not a fault, and `replace` returns a new
    session that plays the game from the beginning, on the same clock. Once the bot has read anything of the game it is
    not replaced, so that no bot gets a second try at a position; one that only peeks at its input (tee(2)) and exits
    gets a new process once in a game, but no more time. `replace` raises PlayerFault if the start fails.

    The time of every decision that the bot takes is added to `thinking`. `clock` replaces the seat's new clock.
    """

    def __init__(
        self,
        session: BotSession,
        retries: int = 0,
        replace: Callable[[], Awaitable[BotSession]] | None = None,
        thinking: ThinkingTime | None = None,
        clock: SeatClock | None = None,
    ) -> None:
        self.session = session
        self._retries = retries
        self._replace = replace
        self._thinking = thinking
        self._control = session.control
        self._clock = clock or SeatClock(session.control)
        self._start: Start | None = None
        self._abandoned = False
        """Whether the session has ended and has not been replaced."""
        self._first_id = 0
        """The id of the first question of this game."""
        self._line = b""
        """The latest answer to an open question."""
        self._dropped = self._dropped_id = 0
        """The number of answers to older questions since the latest question, and the id of the last one."""
        self._skip = self._skipped = 0
        """Questions after which no answer is looked for at once, from now on and the last time."""

    # -- the game -----------------------------------------------------------------------------------------

    async def begin(self, start: Start) -> None:
        """Send `start`, without waiting until the bot reads it. Raises PlayerFault."""
        self._start = start
        try:
            await self._send_start(start)
        except PlayerFault as error:
            await self._replace_session(error)
        connection = self.session.connection
        if connection.suspends:
            await connection.wait_until_read(READ_TIMEOUT)
            connection.suspend()

    async def _send_start(self, start: Start) -> None:
        session = self.session
        if session.games:  # otherwise the bot might read lines of both games at once
            await session.connection.wait_until_read(READ_TIMEOUT)
            if session.has_strayed:  # once it has read `end`, it may be about to write again
                await trio.sleep(READ_TIMEOUT)
            session.clear_output()
        session.games += 1
        self._first_id = session.last_id + 1
        await session.post(start)

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Ask for the decision that is due, again after a fault if the organiser allows it. Raises PlayerFault."""
        retried: list[Fault] = []
        while True:
            session = self.session
            try:
                if retried:
                    await session.post(FaultMessage(code=retried[-1].code, message=retried[-1].message))
                    events = []
                answer = await self._ask(game, events)
                action = self._resolve(answer, game)
                break
            except (ConnectionEnded, Oversize, BadMessage) as error:
                when = f"at act {session.last_id}"
                if isinstance(error, BadMessage) and session.games > 1 and session.last_id == self._first_id:
                    when += f", the first of its game: {LAST_GAME}"
                fault = session.fault_from(error, when)
            except PlayerFault as error:
                fault = error.fault
            if fault.code in RETRYABLE and len(retried) < self._retries:
                retried.append(fault)
            else:
                await self._replace_session(PlayerFault(fault, retried))
        seconds, info, fallback = self._clock.finish(), answer.info, None
        if info is not UNSET:
            said, info = fallback_in(info), kept_info(info)
            fallback = None if said is None else session.secrets.hide_text(said)
        session.has_answered = True
        self._replace = None
        if self._thinking is not None:
            self._thinking.add(seconds, fallback)
        connection = session.connection
        if connection.suspends:
            connection.suspend()
        return Choice(
            action=action,
            seconds=seconds,
            info=info,
            fallback=fallback,
            stderr=connection.logged_stderr(),
            retried=retried,
        )

    def _resolve(self, answer: Answer, game: Game) -> Action:
        try:
            return resolve(answer, game, self._line)
        except (PlayerFault, BadMessage):
            line = self.session.secrets.hide(self._line)
            if line == self._line:
                raise
        message = codec.decode(line)
        if not isinstance(message, Answer):
            raise BadMessage("expected an action", line)
        return resolve(message, game, line)

    async def _replace_session(self, error: PlayerFault) -> None:
        """Begin the game again in a new session if the bot has read nothing of it. Otherwise raises `error`."""
        replace = self._replace
        if replace is None or error.fault.code != "crash" or error.retried:
            raise error
        if not self.session.connection.has_read_nothing():
            raise error
        assert self._start is not None
        self._replace = None
        self._abandoned = True
        self.session = await replace()
        self._abandoned = False
        await self._send_start(self._start)

    async def dismiss(self, fault: Fault) -> None:
        if not self._abandoned:
            await self.session.dismiss(fault)

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Send the result, without waiting until the bot reads it."""
        parts = self.session.ready.options
        message = End(game_id=game_id, result=result, events=events if parts.events else UNSET)
        with contextlib.suppress(PlayerFault, MachineError):  # an end after the game is not a fault
            await self.session.post(message)

    # -- one decision -------------------------------------------------------------------------------------

    async def _ask(self, game: Game, events: list[Raw]) -> Answer:
        """Send `act` and wait for its answer, dropping answers to older questions.

        Time counts from the first attempt to write: a bot that doesn't make room for the question is charged for it.
        """
        turn = game.turn
        assert turn is not None
        session = self.session
        connection = session.connection
        self._dropped = 0
        allowance, timeout = self._clock.limits()
        line = codec.encode(session.next_act(game, events, milliseconds(allowance)))
        if connection.suspends:
            await connection.resume()  # before the clock runs
        start = trio.current_time()
        answer = None
        try:
            # The other games have their turn before the answer is looked for, and then it is often there: that is
            # cheaper than to set up a wait for it. Looking in vain costs a little: a slow bot is spared it ever more
            # often.
            if not connection.send_nowait(line):
                pass
            elif self._skip > 0:
                self._skip -= 1
            else:
                await trio.lowlevel.checkpoint()
                received = connection.receive_nowait()
                if received is None:
                    self._skip = self._skipped = min(2 * self._skipped + 1, MAX_SKIP)
                else:
                    self._skipped = 0
                    answer = self._open_answer(received)
            if answer is None:
                answer = await self._awaited_answer(start + timeout)
        finally:
            seconds = trio.current_time() - start
            # What comes after the deadline is the referee's lag. If that lag is over the margin, it may have begun
            # before the deadline, and the bot is not charged for the margin either.
            late = seconds > timeout + self._control.margin
            self._clock.spend(seconds if seconds <= timeout else allowance if late else timeout)
        if answer is None:
            message = f"no answer to act {session.last_id} ({turn.decision}) within {allowance:g} s"
            end = start + timeout
            raise PlayerFault(
                session.late_fault("timeout", message, start, end, dropped=self._dropped, dropped_id=self._dropped_id)
            )
        return answer

    async def _awaited_answer(self, deadline: float) -> Answer | None:
        """The answer to the question, of which not all may have been sent. None if it doesn't come in time."""
        connection = self.session.connection
        with trio.CancelScope(deadline=deadline) as scope:
            await connection.flush()
            old = 0
            while (answer := self._open_answer(await connection.receive())) is None:
                old += 1
                if old % OLD_PER_TURN == 0:
                    await trio.lowlevel.checkpoint()
        return self._answer_in_pipe() if scope.cancelled_caught else answer

    def _open_answer(self, line: bytes) -> Answer | None:
        """The answer in a line if it answers the open question; None if it answers an older one, or is the rest of a
        line that was begun before the game. Raises BadMessage."""
        begun, self.session.begun = self.session.begun, b""
        try:
            message = codec.decode(line)
        except BadMessage:
            if begun:
                return None
            raise
        if not isinstance(message, Answer):
            raise BadMessage("expected an action", line)
        if message.id == self.session.last_id:
            self._line = line
            return message
        self._dropped += 1
        self._dropped_id = message.id
        return None

    def _answer_in_pipe(self) -> Answer | None:
        """The answer to the open question if it is already in the pipe: it arrived in time, and the referee is late.

        At most MAX_LATE_SCAN bytes are searched: a bot may write old answers faster than they are read.
        """
        scanned = 0
        while scanned < MAX_LATE_SCAN and (line := self.session.connection.receive_nowait()) is not None:
            answer = self._open_answer(line)
            if answer is not None:
                return answer
            scanned += len(line)
        return None


# -- answers --------------------------------------------------------------------------------------------------


@cache
def _decoder(action: type[Action]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(action)


def resolve(answer: Answer, game: Game, line: bytes) -> Action:
    """The legal action that an answer gives, by index or in full; `line` is the answer as received.

    Raises PlayerFault or BadMessage.
    """
    turn = game.turn
    assert turn is not None
    spelled_out = answer.action is not UNSET and bytes(answer.action) != b"null"
    if (answer.index is not None) == spelled_out:
        given = "both index and action are given" if spelled_out else "neither index nor action is given"
        raise BadMessage(given, line)
    if answer.index is not None:
        if (chosen := game.legal_at(answer.index)) is not None:
            return chosen
        last, when = len(game.legal_actions()) - 1, f"{turn.decision} at act {answer.id}"
        raise illegal(f"index {short_number(answer.index)} is not in 0 to {last} ({when})")
    assert answer.action is not UNSET
    spelling = bytes(answer.action)
    try:
        action: Action = _decoder(game.actions[turn.decision]).decode(spelling)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        hint = misspelt_field(spelling, game.actions[turn.decision])
        problem = f"{sanitise(codec.describe_mismatch(str(error)))} (at act {answer.id})"
        raise illegal(f"{excerpt(spelling)} is not a valid {turn.decision} action: {problem}{hint}") from None
    legal_action = game.canonical(action)
    if legal_action is None:
        legal = game.legal_actions()
        example = msgspec.json.encode(legal[0]).decode()
        raise illegal(
            f"{excerpt(spelling)} is not among the {len(legal)} legal actions of {turn.decision},"
            f" the first of which is {example} (at act {answer.id})"
        )
    return legal_action


def misspelt_field(spelling: bytes, action: type[Action]) -> str:
    """A hint for a message about an action with an unknown field; empty if all are known."""
    try:
        fields = msgspec.json.decode(spelling)
    except (msgspec.DecodeError, RecursionError):
        return ""
    wrong = misspelt(fields, action.__struct_encode_fields__) if isinstance(fields, dict) else None
    return f"; {wrong}" if wrong else ""


def illegal(message: str) -> PlayerFault:
    return PlayerFault(Fault("illegal_action", sanitise(message, MAX_MESSAGE - 3)))


class _Note(Struct):
    """An `info` that says that the decision was taken at random."""

    fallback: str | bool


def fallback_in(info: Raw) -> str | None:
    """The reason that an `info` gives for a decision at random (specification, section 4); None without `fallback`."""
    if b'"fallback"' not in bytes(info):
        return None
    try:
        fallback = _note.decode(info).fallback
    except (msgspec.DecodeError, RecursionError):
        return None
    if not fallback:
        return None
    return fallback[:MAX_FALLBACK] if isinstance(fallback, str) else ""


_note: Final = msgspec.json.Decoder(_Note)


def kept_info(info: Raw) -> Raw:
    """A bot's `info` as it is recorded (specification, section 4), with unprintable characters escaped.

    If it is too long, too deep or has numbers beyond doubles, it becomes a string that contains the JSON, truncated. An
    `info` that is too long is truncated without parsing it.
    """
    text = msgspec.json.format(bytes(info), indent=-1)
    if len(text) <= codec.MAX_INFO:
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:  # a number beyond what readers of records can represent
            value = text.decode()
        else:
            value = text.decode() if is_deeper(value, INFO_DEPTH) or is_beyond_doubles(value) else value
        kept = codec.encode_json(value)
        if len(kept) * MAX_ESCAPE <= codec.MAX_INFO:
            return Raw(kept)
        escaped = escape(kept.decode()).encode()
        if len(escaped) <= codec.MAX_INFO:
            return Raw(escaped)
    # Still too long, so that it gets the … of a truncated string.
    start = text[: codec.MAX_INFO + MAX_UTF8].decode(errors="ignore")
    return Raw(escape_string(codec.encode_json(start).decode(), codec.MAX_INFO).encode())


def is_beyond_doubles(value: Any) -> bool:
    """Whether there is a whole number that is too large for a double; the decoder refuses only fractions."""
    match value:
        case dict():
            return any(map(is_beyond_doubles, value.values()))
        case list():
            return any(map(is_beyond_doubles, value))
    return isinstance(value, int) and abs(value) > sys.float_info.max


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested in more than this number of levels."""
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and (levels == 0 or any(is_deeper(part, levels - 1) for part in value))
