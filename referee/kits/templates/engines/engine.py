"""What the bridges to UCI and GTP engines share: the engine's process, and the lines of the referee."""

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Json = dict[str, Any]

PLACES = ("/usr/games", "/usr/local/games")
"""Where Debian's engines are, which may not be on PATH."""
QUIT_TIMEOUT = 2.0
MAX_TEXT = 200
"""Characters of the engine's words that are passed on."""


class EngineFailed(Exception):
    """The engine has ended, or does not speak its protocol. The text has its own last words."""


class Engine:
    """An engine that reads commands and writes lines. Its standard error is that of the bot."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = command[0]
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])
        program = shutil.which(self.name, path=path)
        if program is None:
            where = ", or the sandbox hides it: see --show" if "/" in self.name else f" on PATH, nor in {PLACES[0]}"
            raise EngineFailed(f"there is no program {self.name}{where}")
        self.deadline = time.monotonic() + threading.TIMEOUT_MAX
        """When to complain on standard error that the engine has not answered: the referee may end this bot soon."""
        self._last = ""
        self._asked = ""
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [program, *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise EngineFailed(f"{program} can't be started: {error.strerror}") from None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def allow(self, time_ms: float) -> None:
        """Expect the next answers within most of this time."""
        self.deadline = time.monotonic() + 0.9 * time_ms / 1000

    def send(self, command: str) -> None:
        """Write a command. Raises EngineFailed."""
        assert self._process.stdin is not None
        self._asked = command
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:
            while True:  # up to its end, as that says what was wrong
                self.read()

    def read(self) -> str:
        """The next line, however long it takes: the referee watches the clock. Raises EngineFailed at its end."""
        try:
            line = self._lines.get(timeout=max(0.0, self.deadline - time.monotonic()))
        except queue.Empty:
            print(self.failed("has not answered"), file=sys.stderr, flush=True)
            line = self._lines.get()
        if line is None:
            self._lines.put(None)
            raise self.failed(f"has ended with status {self._process.wait()}")
        self._last = line or self._last
        return line

    def failed(self, what: str) -> EngineFailed:
        """An error that says what the engine was asked, and what it said last."""
        asked = f' after "{self._asked[:MAX_TEXT]}"' if self._asked else ""
        said = f'; its last line was "{self._last[:MAX_TEXT]}"' if self._last else "; it has written nothing"
        return EngineFailed(f"{self.name} {what}{asked}{said}")

    def close(self) -> None:
        """Tell it to quit, and kill it if it doesn't."""
        with contextlib.suppress(EngineFailed, subprocess.TimeoutExpired):
            self.send("quit")
            self._process.wait(QUIT_TIMEOUT)
        self._process.kill()
        self._process.wait()
        self._listener.join(QUIT_TIMEOUT)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has not read everything
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.strip())
        self._lines.put(None)


def messages() -> Iterator[Json]:
    """What the referee sends, up to `quit`."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            return
        yield message


def decisions(events: Sequence[Json]) -> list[Json]:
    """The actions in these events."""
    return [event["action"] for event in events if event["type"] == "decision"]


def answer(act: Json, text: str, move: Json | None, info: Json | None) -> None:
    """Answer `act` with a legal action, or with what the engine said if that is none: the referee then quotes it."""
    action = {"action": -1, "text": text[:MAX_TEXT]} if move is None else move
    send({"type": "action", "id": act["id"], "action": action, **({"info": info} if info else {})})


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


def run(play: Callable[[Engine], None], command: Sequence[str], protocol: str) -> None:
    """Start the engine, and let it play until the referee says quit. Exits with a message if the engine fails."""
    with contextlib.ExitStack() as stack:
        try:
            engine = Engine(command)
            stack.callback(engine.close)
            play(engine)
        except EngineFailed as error:
            sys.exit(f"{protocol}: {error}")
