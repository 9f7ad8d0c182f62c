"""Alterations by a difficult referee to its lines, all allowed by the protocol: fields and messages that no bot knows,
optional fields left out, unusual names, and the same JSON spelled differently.

An alteration takes a line and returns the lines that are sent instead.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from referee.connections import Connection
from referee.connections.traced import Sink, TracedConnection

Alteration = Callable[[bytes], Sequence[bytes]]
Json = dict[str, Any]

UNKNOWN_FIELD: Final = "added_later"
UNKNOWN_VALUE: Final[Json] = {"text": 'a "quoted" \\ word', "list": [1, 2.5, [], None], "flag": True}
UNKNOWN_MESSAGES: Final = (
    b'{"type":"weather","sky":"clear"}\n',
    b'{"type":"notice","id":1,"text":"sent by a later version of the referee"}\n',
)
UNUSUAL_NAMES: Final = ('O\'Brien "the wall"', "C:\\bots\\new\\table", "龍 🐉 Ærøskøbing", '{"type":"quit"}', "ñ" * 60)
"""Names that bots may have: with quotes, backslashes or other scripts, one like a message, and the longest."""
HOLDERS: Final = ("limits", "config", "clock", "observation", "result")
"""The objects in messages that get an unknown field too."""


class AlteredConnection(TracedConnection):
    """A TracedConnection whose lines to the bot are altered before they are shown and sent."""

    def __init__(self, inner: Connection, sink: Sink, alter: Alteration) -> None:
        super().__init__(inner, sink)
        self.alter = alter

    async def send(self, line: bytes) -> None:
        for each in self.alter(line):
            await super().send(each)

    def send_nowait(self, line: bytes) -> bool:
        written = True
        for each in self.alter(line):
            written = super().send_nowait(each)
        return written

    async def post(self, line: bytes) -> None:
        for each in self.alter(line):
            await super().post(each)


def unaltered(line: bytes) -> Sequence[bytes]:
    return (line,)


def with_unknown_fields(line: bytes) -> Sequence[bytes]:
    """Add a field that no bot knows to the message and to each object and event in it."""
    message = json.loads(line)
    message[UNKNOWN_FIELD] = UNKNOWN_VALUE
    for part in (*(message.get(name) for name in HOLDERS), *message.get("events", ())):
        if isinstance(part, dict):
            part[UNKNOWN_FIELD] = UNKNOWN_VALUE
    return (compact(message),)


def with_unknown_messages(line: bytes) -> Sequence[bytes]:
    """Add messages that no bot knows before and after each one, but not before the first."""
    first, second = UNKNOWN_MESSAGES
    return (line, first, second) if json.loads(line)["type"] == "hello" else (first, line, second)


def without_optional_fields(line: bytes) -> Sequence[bytes]:
    """Remove the memory limit from `hello`: it is absent where there is none."""
    message = json.loads(line)
    if message["type"] != "hello":
        return (line,)
    message["limits"].pop("memory_mb", None)
    return (compact(message),)


def with_unusual_names(line: bytes) -> Sequence[bytes]:
    message = json.loads(line)
    if message["type"] != "start":
        return (line,)
    message["players"] = [UNUSUAL_NAMES[seat % len(UNUSUAL_NAMES)] for seat in range(len(message["players"]))]
    return (compact(message),)


def spelled_differently(line: bytes) -> Sequence[bytes]:
    """Spell the same message with its fields in another order, spaces between them, and characters escaped."""
    message = reordered(json.loads(line))
    kind = message["type"]
    text = json.dumps(message)  # with a space after each comma and colon
    plain, escaped = json.dumps(kind), f'"\\u{ord(kind[0]):04x}{kind[1:]}"'
    head, found, tail = text.rpartition(f'"type": {plain}')
    assert found
    return (f'{head}"type": {escaped}{tail}\n'.encode(),)


def reordered(value: Any) -> Any:
    """The same value with the fields of all objects in the opposite order."""
    if isinstance(value, dict):
        return {name: reordered(part) for name, part in reversed(value.items())}
    return [reordered(part) for part in value] if isinstance(value, list) else value


def compact(message: Json) -> bytes:
    """The line of a message as the referee spells it."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
