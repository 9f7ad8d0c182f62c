"""Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.

Every message is a JSON object on one line. Messages and fields of later versions are ignored.

A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game.
"""

import json
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

PROTOCOL = 1
"""The version of the protocol that this file speaks."""

Choose = Callable[[Any, Any], int]
"""Returns the index of a legal action. It is given `start`, which the referee sent when the game began, and `act`."""


def play(name: str, games: Mapping[str, Choose]) -> None:
    """Play games over standard input and output until the referee says quit or disconnects.

    From here on `print` writes to standard error, since standard output is for the protocol alone.
    """
    lines, output = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        talk(name, games, lines, output)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()  # the referee has exited, and nobody reads our output
        sys.exit(1)


def talk(name: str, games: Mapping[str, Choose], lines: Iterable[bytes], output: IO[bytes]) -> None:
    """Answer each of these lines, until one says quit or there are no more."""
    start: dict[str, Any] = {}
    choose: Choose = choose_randomly(0)
    for line in lines:
        message = read(line)
        match message.get("type"):
            case "hello":
                # To be sent less, which is faster to read: "options": {"events": False}
                send(output, {"type": "ready", "protocol": PROTOCOL, "name": name})
            case "start":
                start = message
                choose = games.get(start["game"]) or choose_randomly(start["bot_seed"])
            case "act":
                try:
                    index = choose(start, message)
                except Exception:
                    log(f"act {message['id']} ({message['decision']}) of game {start.get('game_id')}:")
                    log(traceback.format_exc())
                    sys.exit(1)
                send(output, {"type": "action", "id": message["id"], "index": index})
            case "fault":
                log(f"the referee says: {message['code']}: {message['message']}")
            case "quit":
                return


def choose_randomly(seed: int) -> Choose:
    """A function that takes random actions, the same ones for the same seed."""
    state = seed % 2147483646 + 1

    def choose(start: Any, act: Any) -> int:
        nonlocal state
        state = state * 48271 % 2147483647  # the generator minstd_rand of C++
        index: int = state % len(act["legal"])
        return index

    return choose


def read(line: bytes) -> dict[str, Any]:
    """The message on a line; an empty one if there is none, which needs no answer."""
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
