"""The `referee` command with pages, and a stand-in for a browser that speaks HTTP with them."""

import base64
import contextlib
import gzip
import http.client
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from referee.pages.document import Addition, DecisionShown, Document
from tests.cli.command import start
from tests.forked import fork_name
from tests.timeouts import TEST_TIMEOUT

DATA: Final = re.compile(rb'id="document">([^<]*)</script>')
ADDRESS: Final = re.compile(r"(http://\S+/)")


class Watched:
    """A running `referee` command that serves pages."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.said: list[str] = []
        """The lines of standard error so far."""
        self.streams: list[Generator[Event, None, None]] = []
        """Server-sent events that are followed, to be closed at the end."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line.decode())
        self._lines.put(None)

    def line(self, words: str) -> str:
        """The first line of standard error with these words, as soon as there is one."""
        for line in self.said:
            if words in line:
                return line
        deadline = time.monotonic() + TEST_TIMEOUT
        while (further := self._next(deadline)) is not None:
            if words in further:
                return further
        raise AssertionError(f"no line with {words!r}: {''.join(self.said)}")

    def _next(self, deadline: float) -> str | None:
        line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
        if line is not None:
            self.said.append(line)
        return line

    def spectator(self) -> "Browser":
        """A browser with the address for spectators."""
        return self.browser("watch at ")

    def browser(self, words: str) -> "Browser":
        """A browser with the address in the line with these words."""
        found = ADDRESS.search(self.line(words))
        assert found is not None
        return Browser(found[1], self.streams)

    def kill_pages(self) -> None:
        """Kill the process that serves the pages, which can't do anything about it."""
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if int(stat.read_text().rpartition(")")[2].split()[1]) == self.process.pid:
                    arguments = (stat.parent / "cmdline").read_bytes()
                    name = (stat.parent / "comm").read_text().strip()
                    if b"referee.live.process" in arguments or name == fork_name("referee.live.process"):
                        return os.kill(int(stat.parent.name), signal.SIGKILL)
        raise AssertionError("no process serves pages")

    def end(self) -> tuple[int, str]:
        """Wait for the end: the exit status, and all of standard error."""
        status = self.process.wait(TEST_TIMEOUT)
        deadline = time.monotonic() + TEST_TIMEOUT
        while self._next(deadline) is not None:
            pass
        text = "".join(self.said)
        assert "Traceback" not in text, text
        return status, text


@contextlib.contextmanager
def watched(*args: str | Path, cwd: Path | None = None) -> Iterator[Watched]:
    """Run `referee`; it is killed at the end of the block if it has not ended."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with start(*args, cwd=cwd, **streams) as process:
        run = Watched(process)
        try:
            yield run
        finally:
            process.kill()
            for stream in run.streams:
                stream.close()


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def document(self) -> Document:
        """The data of a page of a game."""
        assert self.status == 200, self.text
        found = DATA.search(self.body)
        assert found is not None
        return msgspec.json.decode(gzip.decompress(base64.b64decode(found[1])), type=Document)


class Event(NamedTuple):
    """A server-sent event."""

    name: str
    data: str

    @property
    def addition(self) -> Addition:
        """What it adds to a page."""
        return msgspec.json.decode(self.data, type=Addition)


class Browser:
    """Requests below an address that the referee printed."""

    def __init__(self, address: str, streams: "list[Generator[Event, None, None]]") -> None:
        self._streams = streams
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=TEST_TIMEOUT)

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Any request; header names with _ for -. A path with / at its begin doesn't get the token."""
        connection = self._connect()
        with contextlib.closing(connection):
            target = path if path.startswith("/") else self.path + path
            connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def get(self, path: str = "", **headers: str) -> Answer:
        """Get a page."""
        return self.request("GET", path, None, **headers)

    def post(self, path: str, value: Any, **headers: str) -> Answer:
        """Post JSON, as a page of this server does."""
        headers = {"Content_Type": "application/json", "Origin": f"http://{self.host}:{self.port}"} | headers
        return self.request("POST", path, json.dumps(value).encode(), **headers)

    def events(self, path: str, **headers: str) -> Generator[Event, None, None]:
        """Server-sent events, from now until the server ends them."""
        connection = self._connect()
        connection.request("GET", self.path + path, headers=headers)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        assert response.getheader("content-type", "").startswith("text/event-stream")
        stream = read_events(connection, response)
        next(stream)  # so that it is closed with the generator
        self._streams.append(stream)
        return stream

    def game(self) -> str:
        """The id of the game to which the waiting page of a person leads, as soon as it does."""
        return next(event.data for event in self.events("events") if event.name == "game" and event.data)

    def first_game(self) -> str:
        """The id of the first game on the page of the run, as soon as there is one."""
        for event in self.events("events"):
            if found := re.search(r'href="games/([^"]+)"', event.data):
                return found[1]
        raise AssertionError("the run has ended without a game")

    def follow(self, game_id: str) -> "Followed":
        """The page of a game, which follows its updates."""
        return Followed(self, game_id)


def read_events(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse
) -> Generator[Event, None, None]:
    """The events of a stream until its end, after an empty one. The connection is closed with this generator."""
    with contextlib.closing(connection), contextlib.closing(response):
        yield Event("", "")
        name, data = "", []
        for raw in response:
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data.append(line[6:])
            elif not line and data:
                yield Event(name, "\n".join(data))
                name, data = "", []


class Followed:
    """A page that is open: its document, with the updates so far. `raw` is all that the server has sent."""

    def __init__(self, browser: Browser, game_id: str) -> None:
        self.browser = browser
        self.game_id = game_id
        self.document = browser.get(f"games/{game_id}").document
        self.raw = msgspec.json.encode(self.document).decode()
        self.steps = list(self.document.steps)
        self.result = self.document.result
        self.ended = False
        assert self.document.live is not None
        self._events = browser.events(f"games/{self.document.live.updates}")

    def advance(self) -> bool:
        """Wait for the next update. False if there won't be another one."""
        for event in self._events:
            self.raw += event.data
            added = event.addition
            self.steps += added.steps
            self.result = added.result or self.result
            self.ended = self.ended or added.ended
            return True
        return False

    def close(self) -> None:
        """Close the page."""
        self._events.close()

    @property
    def due(self) -> DecisionShown | None:
        """The decision that is due."""
        return self.steps[-1].views[0].due

    def choose(self, action: int, step: int | None = None) -> Answer:
        """Take the decision that is due."""
        assert self.document.live is not None
        assert self.document.live.choose == f"{self.game_id}/choose"
        return self.browser.post(
            f"games/{self.document.live.choose}",
            {"step": len(self.steps) - 1 if step is None else step, "action": action},
        )

    def play(self, random: Random) -> None:
        """Take all decisions at random until the game is over."""
        while True:
            due = self.due
            if due is not None and due.legal:
                answer = self.choose(random.randrange(len(due.legal)))
                assert answer == (200, answer.headers, b"ok\n")
            before = len(self.steps)
            while len(self.steps) == before:
                if not self.advance():
                    return
