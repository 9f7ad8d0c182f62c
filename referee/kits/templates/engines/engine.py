"""What the bridges to UCI and GTP engines share: the engine's process, and the lines of the referee."""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

PLACES = ("/usr/games", "/usr/local/games")
"""Where Debian installs engines, which may not be on PATH."""
QUIT_TIMEOUT = 2.0


class EngineFailed(Exception):
    """The engine has ended, or does not speak its protocol. The text has its own last words."""


class Engine:
    """An engine that reads commands and writes lines. Its standard error is that of the bot."""

    def __init__(self, command: Sequence[str]) -> None:
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])
        program = shutil.which(command[0], path=path)
        if program is None:
            raise EngineFailed(f"there is no program {command[0]} on PATH, nor in {' or '.join(PLACES)}")
        self.name = command[0]
        self._last = ""
        self._asked = ""
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process = subprocess.Popen(
            [program, *command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            bufsize=1,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, command: str) -> None:
        """Write a command. Raises EngineFailed."""
        assert self._process.stdin is not None
        self._asked = command
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:
            self.read()  # what it has written before it ended
            raise self.failed("does not read") from None

    def read(self) -> str:
        """The next line, however long it takes: the referee watches the clock. Raises EngineFailed at its end."""
        line = self._lines.get()
        if line is None:
            self._lines.put(None)
            raise self.failed(f"has ended with status {self._process.wait()}")
        self._last = line or self._last
        return line

    def failed(self, what: str) -> EngineFailed:
        """An error that says what the engine was asked, and what it said last."""
        said = f'; its last line was "{self._last[:200]}"' if self._last else "; it has written nothing"
        asked = f' after "{self._asked[:200]}"' if self._asked else ""
        return EngineFailed(f"{self.name} {what}{asked}{said}")

    def close(self) -> None:
        """Tell it to quit, and kill it if it doesn't."""
        try:
            self.send("quit")
            self._process.wait(QUIT_TIMEOUT)
        except (EngineFailed, subprocess.TimeoutExpired):
            self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)


def messages() -> Iterator[Json]:
    """What the referee sends, up to `quit`."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            return
        yield message


def answer(act: Json, text: str, move: Json | None, info: Json | None) -> None:
    """Answer `act` with a legal action, or with what the engine said if that is none: the referee then quotes it."""
    action = {"action": {"action": -1, "text": text} if move is None else move}
    send({"type": "action", "id": act["id"], **action, **({"info": info} if info else {})})


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


def run(play: Any, engine: Sequence[str], protocol: str) -> None:
    """Start the engine, and `play(engine)` until the referee says quit. Exits with a message if the engine fails."""
    running: Engine | None = None
    try:
        running = Engine(engine)
        play(running)
    except EngineFailed as error:
        sys.exit(f"{protocol}: {error}")
    finally:
        if running is not None:
            running.close()
