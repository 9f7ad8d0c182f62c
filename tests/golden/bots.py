"""Scripted bots in memory, in place of processes: they answer at once or after a while on the mock clock."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec
import trio

from protocol import codec
from protocol.messages import Quit
from referee.connections import ConnectionEnded
from tests.memory_connection import MemoryConnection

Act = Mapping[str, Any]
Answers = Callable[[Act, Random], Iterator[str]]
"""The lines, any number of them, that a bot writes after an `act`."""
READY = '{"type":"ready","protocol":1,"name":"%s"}'


class Exits(Exception):
    """Raised by the answers of a bot whose process exits."""


class ScriptedBot(NamedTuple):
    """A bot: its first line, its answers, and the seconds that it takes for each line."""

    ready: str
    answers: Answers
    seconds: float = 0.0


class ScriptedConnection(MemoryConnection):
    """The connection to a scripted bot. Adds every line to `log`: `0 -> …` to the bot in seat 0, `0 <- …` from it."""

    def __init__(self, seat: int, bot: ScriptedBot, log: list[str]) -> None:
        super().__init__()
        self._seat = seat
        self._bot = bot
        self._log = log
        self._random = Random(seat)
        self._unread: list[str] = []
        self._exit: str | None = None

    async def send(self, line: bytes) -> None:
        """Take a line and prepare the answers to it."""
        await trio.lowlevel.checkpoint()
        self._add("->", line.decode().removesuffix("\n"))
        message = msgspec.json.decode(line)
        if message["type"] == "hello":
            self._unread.append(self._bot.ready)
        elif message["type"] == "act":
            try:
                self._unread.extend(self._bot.answers(message, self._random))
            except Exits as end:
                self._exit = str(end)

    async def receive(self) -> bytes:
        """The next prepared line. Waits forever if there is none."""
        await trio.sleep(self._bot.seconds)
        line = self.receive_nowait()
        if line is None and self._exit is not None:
            self._add("<-", f"({self._exit})")
            raise ConnectionEnded(self._exit)
        if line is None:
            await trio.sleep_forever()
        assert line is not None
        return line

    def receive_nowait(self) -> bytes | None:
        """The next prepared line, or None."""
        if not self._unread:
            return None
        line = self._unread.pop(0)
        self._add("<-", line)
        return line.encode()

    def close(self) -> None:
        """Log the `quit` that a process would now be sent."""
        if self._exit is None and not self.ended.is_set():
            self._add("->", codec.encode(Quit()).decode().removesuffix("\n"))
        super().close()

    def _add(self, arrow: str, text: str) -> None:
        self._log.append(f"{self._seat} {arrow} {text}")


# -- what bots answer -----------------------------------------------------------------------------------------


def by_index(act: Act, random: Random) -> Iterator[str]:
    """Any legal action, by its index."""
    yield answer(act, index=random.randrange(len(act["legal"])))


def by_action(act: Act, random: Random) -> Iterator[str]:
    """Any legal action as an object with its fields in another order and an unknown one, and some info."""
    action = random.choice(act["legal"])
    yield answer(
        act, action={"comment": "unknown", **dict(reversed(action.items()))}, info={"legal": len(act["legal"])}
    )


def first_index(act: Act, random: Random) -> Iterator[str]:
    """The first legal action, by its index: the only choice of a bot that is sent nothing."""
    yield answer(act, index=0)


def late_then_right(act: Act, random: Random) -> Iterator[str]:
    """Answers to older questions, then the one that counts."""
    yield answer({"id": act["id"] - 1}, index=0)
    yield answer({"id": 0}, action={"palace": "anywhere"})
    yield from by_index(act, random)


def misbehaving(act: Act, random: Random) -> Iterator[str]:
    """Two wrong answers to the first decision, a draft, and two to the second, each wrong in its own way."""
    legal = act["legal"]
    wrong = {
        1: answer(act, index=len(legal)),
        2: answer(act, action={"persons": ["monk", "monk"]}),
        4: answer(act, index=0, action=legal[0]),
        5: READY % "again",
    }
    yield wrong.get(act["id"]) or answer(act, index=random.randrange(len(legal)))


def by_index_until(last: int, then: Answers) -> Answers:
    """Legal actions up to the question with the id `last`, after it the answers of `then`."""

    def answers(act: Act, random: Random) -> Iterator[str]:
        return by_index(act, random) if act["id"] <= last else then(act, random)

    return answers


def silent(act: Act, random: Random) -> Iterator[str]:
    """No answer."""
    return iter(())


def exiting(act: Act, random: Random) -> Iterator[str]:
    """The process exits."""
    raise Exits("exited with status 1")


def illegal(act: Act, random: Random) -> Iterator[str]:
    """A palace that nobody has."""
    yield answer(act, action={"palace": 99})


def answer(act: Act, **fields: Any) -> str:
    """The line that answers `act`."""
    return msgspec.json.encode({"type": "action", "id": act["id"], **fields}).decode()
