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
COMPLAINT_MS = 10
"""How long before the end of its time an engine that has not answered is quoted."""
QUIT_TIMEOUT = 0.5
"""Seconds that an engine has to quit, less than the referee leaves its bot."""
MAX_TEXT = 200
"""Characters of the engine's words that are passed on."""
MAX_LINE = 16_384
"""Characters of a line of the engine, what follows being another line."""
MAX_UNREAD = 1000
"""Lines of the engine that are kept: one that writes more while nobody listens has to wait."""


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
        self.deadline: float | None = None
        """When to complain on standard error that the engine has not answered: the referee may end this bot soon."""
        self._last = ""
        self._asked = ""
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_UNREAD)
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
        threading.Thread(target=self._listen, daemon=True).start()

    def allow(self, time_ms: float | None) -> None:
        """Expect the next answers within nearly all of this time; None: there is no limit."""
        self.deadline = None
        if time_ms is not None:
            self.deadline = time.monotonic() + max(0.9 * time_ms, time_ms - COMPLAINT_MS) / 1000

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
            line = self._lines.get(timeout=self.deadline and max(0.0, self.deadline - time.monotonic()))
        except queue.Empty:
            print(self.failed("has not answered"), file=sys.stderr, flush=True)
            self.deadline = None  # once is enough
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
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has not read everything
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            while line := lines.readline(MAX_LINE):
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
    try:
        engine = Engine(command)
        try:
            play(engine)
        except EngineFailed:
            engine.kill()  # to quit may take longer than is left on the clock
            raise
        engine.close()
    except EngineFailed as error:
        sys.exit(f"{protocol}: {error}")
