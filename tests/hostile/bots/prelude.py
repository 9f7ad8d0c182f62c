"""What every bot here starts from: the protocol in a few words, so that each file shows its hostility alone."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

OLD_AGE = 60
"""Seconds after which whatever forgot to end dies of itself: a failing test must not litter the machine."""
signal.alarm(OLD_AGE)


def raw(data: bytes) -> None:
    """Bytes for the referee, as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(kind: str, **fields: Any) -> None:
    """A message for the referee."""
    raw(json.dumps({"type": kind, **fields}).encode() + b"\n")


def note(text: object) -> None:
    """A line on standard error: what the bot tried, and what came of it."""
    print(text, file=sys.stderr, flush=True)


def attempt(what: str, do: Callable[..., object], *arguments: object) -> None:
    """Try what should not work, and note what came of it."""
    try:
        note(f"{what}: done: {do(*arguments)!r}")
    except (OSError, ValueError) as error:
        note(f"{what}: refused: {error}")


def messages() -> Iterator[dict[str, Any]]:
    """What the referee says, until it is time to leave."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            return
        yield message


def hear(kind: str) -> dict[str, Any]:
    """The next message of that type; the program ends when it is time to leave."""
    for message in messages():
        if message["type"] == kind:
            return message
    sys.exit()


def ready(**fields: Any) -> None:
    """The start of a well-behaved bot."""
    hear("hello")
    say("ready", **{"protocol": 1, "name": "hostile", **fields})


def answer(act: dict[str, Any], **fields: Any) -> None:
    """An answer: the first legal action unless something else is given."""
    say("action", id=act["id"], **(fields or {"index": 0}))


def play(turns: int = -1) -> None:
    """Good answers to so many questions, or to all."""
    while turns:
        answer(hear("act"))
        turns -= 1


def fork() -> bool:
    """Whether this is the child: it dies of old age too."""
    if os.fork():
        return False
    signal.alarm(OLD_AGE)
    return True


def linger() -> None:
    """Do nothing for ever."""
    while True:
        signal.pause()
