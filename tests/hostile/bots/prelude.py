"""Functions for the protocol that every bot here uses, so that its own file has only what is hostile.

They import neither json nor signal nor typing: that takes longer than starting Python.
"""

from __future__ import annotations

import os
import sys
from _signal import alarm, pause  # type: ignore[import-not-found]

from quick_json import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LIFETIME = 120
"""Seconds after which every process of a bot ends by itself, so that a failing test leaves none behind."""
alarm(LIFETIME)


def send_bytes(data: bytes) -> None:
    """Write bytes to the referee, as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(kind: str, **fields: Any) -> None:
    """Send a message to the referee."""
    send_bytes(encode({"type": kind, **fields}))


def note(text: object) -> None:
    """Write a line to standard error: what the bot tried, and with what result."""
    print(text, file=sys.stderr, flush=True)


def attempt(what: str, do: Callable[..., object], *arguments: object) -> None:
    """Try what should not work, and note the result."""
    try:
        note(f"{what}: done: {do(*arguments)!r}")
    except (OSError, ValueError) as error:
        note(f"{what}: refused: {error}")


def messages() -> Iterator[dict[str, Any]]:
    """The messages of the referee up to `quit`."""
    for line in sys.stdin:
        message = decode(line)
        if message["type"] == "quit":
            return
        yield message


def receive(kind: str) -> dict[str, Any]:
    """The next message of that type; exits at `quit`."""
    for message in messages():
        if message["type"] == kind:
            return message
    sys.exit()


def ready(**fields: Any) -> None:
    """Wait for `hello` and send `ready`."""
    receive("hello")
    send("ready", **{"protocol": 1, "name": "hostile", **fields})


def answer(act: dict[str, Any], **fields: Any) -> None:
    """Answer with these fields, or with the first legal action."""
    send("action", id=act["id"], **(fields or {"index": 0}))


def play(turns: int = -1) -> None:
    """Answer this number of questions with the first legal action, or all."""
    while turns:
        answer(receive("act"))
        turns -= 1


def fork() -> bool:
    """Fork; True in the child, which ends by itself after LIFETIME too."""
    if os.fork():
        return False
    alarm(LIFETIME)
    return True


def wait_forever() -> None:
    """Do nothing until killed."""
    while True:
        pause()
