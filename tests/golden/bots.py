"""Bots in memory, at the other end of the lines that a player speaks: scripted, seeded, and on a clock of their own."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec
import trio

from protocol import codec
from protocol.messages import Quit
from referee.processes.process import ProcessEnded

Act = Mapping[str, Any]
READY = '{"type":"ready","protocol":1,"name":"%s"}'


class Dies(Exception):
    """What a script raises for a process that ends."""


class Script(NamedTuple):
    """A bot: its first line, what it answers to an `act` (any number of lines), and the seconds it takes for that."""

    ready: str
    answers: Callable[[Act, Random], Iterator[str]]
    seconds: float = 0.0


class ScriptedConnection:
    """The `Lines` of a bot that follows a script; writes down every line in both directions."""

    def __init__(self, seat: int, script: Script, said: list[str]) -> None:
        self._seat = seat
        self._script = script
        self._said = said
        self._random = Random(seat)
        self._waiting: list[str] = []
        self._dead: str | None = None
        self._stopped = False

    async def send(self, line: bytes) -> None:
        """Hear a line and prepare the answers to it."""
        await trio.lowlevel.checkpoint()
        self._note("->", line.decode().removesuffix("\n"))
        message = msgspec.json.decode(line)
        if message["type"] == "hello":
            self._waiting.append(self._script.ready)
        elif message["type"] == "act":
            try:
                self._waiting.extend(self._script.answers(message, self._random))
            except Dies as end:
                self._dead = str(end)

    async def receive(self) -> bytes:
        """Say the next prepared line, or nothing for ever."""
        await trio.sleep(self._script.seconds)
        line = self.receive_nowait()
        if line is None and self._dead is not None:
            self._note("<-", f"({self._dead})")
            raise ProcessEnded(self._dead)
        if line is None:
            await trio.sleep_forever()
        assert line is not None
        return line

    def receive_nowait(self) -> bytes | None:
        """Say the next prepared line at once, if there is one."""
        if not self._waiting:
            return None
        line = self._waiting.pop(0)
        self._note("<-", line)
        return line.encode()

    def stop(self) -> None:
        """A process would get `quit` now."""
        if self._dead is None and not self._stopped:
            self._note("->", codec.encode(Quit()).decode().removesuffix("\n"))
        self._stopped = True

    def _note(self, arrow: str, text: str) -> None:
        self._said.append(f"{self._seat} {arrow} {text}")


# -- what scripts answer --------------------------------------------------------------------------------------


def by_index(act: Act, random: Random) -> Iterator[str]:
    """Any legal action, by its index."""
    yield say(act, index=random.randrange(len(act["legal"])))


def by_action(act: Act, random: Random) -> Iterator[str]:
    """Any legal action, spelled out with fields in another order, one that is unknown, and some info."""
    action = random.choice(act["legal"])
    yield say(act, action={"comment": "unknown", **dict(reversed(action.items()))}, info={"legal": len(act["legal"])})


def the_first(act: Act, random: Random) -> Iterator[str]:
    """The first legal action, whatever it is: the index of a bot that leaves all parts out."""
    yield say(act, index=0)


def late_then_right(act: Act, random: Random) -> Iterator[str]:
    """Answers to older questions, before the one that counts."""
    yield say({"id": act["id"] - 1}, index=0)
    yield say({"id": 0}, action={"palace": "anywhere"})
    yield from by_index(act, random)


def clumsy(act: Act, random: Random) -> Iterator[str]:
    """Two wrong answers to the first decision, and two to the second, each wrong in its own way; then it plays on."""
    legal = act["legal"]
    wrong = {
        1: say(act, index=len(legal)),
        2: say(act, action={"palace": "the left one"}),
        4: say(act, index=0, action=legal[0]),
        5: "I pass",
    }
    yield wrong.get(act["id"]) or say(act, index=random.randrange(len(legal)))


def until(last: int, then: Callable[[Act, Random], Iterator[str]]) -> Callable[[Act, Random], Iterator[str]]:
    """A script that behaves up to the question with this id."""

    def answers(act: Act, random: Random) -> Iterator[str]:
        return by_index(act, random) if act["id"] <= last else then(act, random)

    return answers


def silent(act: Act, random: Random) -> Iterator[str]:
    """No answer."""
    return iter(())


def dying(act: Act, random: Random) -> Iterator[str]:
    """The process ends."""
    raise Dies("exited with status 1")


def cheating(act: Act, random: Random) -> Iterator[str]:
    """An action that nobody may take."""
    yield say(act, action={"score": 100})


def say(act: Act, **fields: Any) -> str:
    """An answer to `act`."""
    return msgspec.json.encode({"type": "action", "id": act["id"], **fields}).decode()
