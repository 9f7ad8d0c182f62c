"""Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.

Every message is a JSON object on one line. What the referee may send later, in a further version, is ignored.
"""

import json
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import IO, Any

from messages import CityAct, CityStart, DragonAct, DragonStart

PROTOCOL = 1
"""The version of the protocol that this file speaks."""

ChooseDragon = Callable[[DragonStart, DragonAct], int]
ChooseCity = Callable[[CityStart, CityAct], int]


def play(name: str, choose_dragon: ChooseDragon, choose_city: ChooseCity) -> None:
    """Play games over standard input and output until the referee says quit or is gone.

    From here on `print` writes to standard error, since standard output is for the protocol alone.
    """
    lines, output = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        talk(name, choose_dragon, choose_city, lines, output)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()  # the referee is gone, and so is whoever would read more from us
        sys.exit(1)


def talk(
    name: str, choose_dragon: ChooseDragon, choose_city: ChooseCity, lines: Iterable[bytes], output: IO[bytes]
) -> None:
    """Answer each of these lines, until one says quit or there are no more."""
    choices: dict[str, Callable[[Any, Any], int]] = {"year_of_the_dragon": choose_dragon, "forbidden_city": choose_city}
    start: dict[str, Any] = {}
    for line in lines:
        message = read(line)
        match message.get("type"):
            case "hello":
                # To be sent less, which is faster to read: "options": {"events": False}
                send(output, {"type": "ready", "protocol": PROTOCOL, "name": name})
            case "start":
                start = message
            case "act":
                index = 0
                if start.get("game") in choices:
                    try:
                        index = choices[start["game"]](start, message)
                    except Exception:
                        log(f"act {message['id']} ({message['decision']}) of game {start['game_id']}:")
                        log(traceback.format_exc())
                        sys.exit(1)
                send(output, {"type": "action", "id": message["id"], "index": index})
            case "fault":
                log(f"the referee says: {message['code']}: {message['message']}")
            case "quit":
                return


def read(line: bytes) -> dict[str, Any]:
    """The message on a line; an empty one if there is none, for then there is nothing to do."""
    if not line.strip():
        return {}
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        log(f"this line is not JSON ({error}): {line[:200]!r}")
        return {}
    return message if isinstance(message, dict) else {}


def send(output: IO[bytes], message: dict[str, Any]) -> None:
    """Write a message and flush it: a pipe would keep it back."""
    output.write(json.dumps(message).encode() + b"\n")
    output.flush()


def log(text: str) -> None:
    """Write to standard error at once, so that nothing is lost in a crash."""
    print(text, file=sys.stderr, flush=True)
