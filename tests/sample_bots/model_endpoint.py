"""A language model's endpoint on this machine, for tests: it answers as it is told, in every wrong way too.

`python -m tests.sample_bots.model_endpoint` is one that always takes action 1, to try a proxy without a real model.
"""

import contextlib
import json
import socketserver
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

KEY: Final = "sk-local-7f3a9c51d2"
"""The key that the endpoint wants."""
REASON: Final = "It closes a room that pays me."
USAGE: Final = {"prompt_tokens": 1000, "completion_tokens": 50}


def said(text: str | None, *, refusal: str | None = None, finish: str = "stop") -> bytes:
    """An answer of a model."""
    choice = {"message": {"role": "assistant", "content": text, "refusal": refusal}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": USAGE}).encode()


def move(action: object, reason: str = REASON) -> str:
    """What a model should say."""
    return json.dumps({"reason": reason, "action": action})


BODIES: Final = {
    "good": said(move(1)),
    "fenced": said(f"Let me think {{briefly}}.\n```json\n{move(1)}\n```"),
    "half a pair": said('{"reason": "Good \\ud83d", "action": 1}'),
    "emoji": said(move(1, "\U0001f600" * 400)),
    "long number": said(f'{{"action": {"9" * 4000}}}'),
    "in parts": json.dumps(
        {
            "choices": [{"message": {"content": [{"type": "thinking"}, {"type": "text", "text": move(1)}]}}],
            "usage": USAGE,
        }
    ).encode(),
    "cut after the action": said(f'{{"action": 1, "reason": "{REASON}', finish="length"),
    "two": said(f"{move(1)}\n{move(2)}"),
    "half a number": said('{"action": "\\ud83d"}'),
    "text": said("I would take the second one."),
    "out of range": said(move(9999)),
    "no number": said(move(None)),
    "refuses": said(None, refusal="I can't help with games."),
    "filtered": said("", finish="content_filter"),
    "too long": said('{"reason": "First of all, it is important to consider that', finish="length"),
    "not JSON": b"<html>Bad gateway</html>",
    "no choices": b'{"choices": []}',
    "cached": json.dumps(
        {
            "choices": [{"message": {"content": move(1)}}],
            "usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 800}},
        }
    ).encode(),
    "no usage": json.dumps({"choices": [{"message": {"content": move(1)}}]}).encode(),
}
"""Answers with status 200."""
STATUSES: Final = {"401": 401, "long 401": 401, "429": 429, "500": 500, "302": 302}


class Endpoint(socketserver.ThreadingTCPServer):
    """Answers each request as the next word of `script` says; with none left as the last one did."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, script: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Endpoint

    def do_POST(self) -> None:
        """Answer it."""
        endpoint = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "")
        endpoint.requests.append({**request, "path": self.path, "key": key})
        how = endpoint.script[min(len(endpoint.requests), len(endpoint.script)) - 1]
        if how == "echo":
            return self.answer(200, said(move(0, f"I was told {key}")))
        if how in STATUSES:
            filler = "x" * (300 - len('{"error": {"message": "bad key Bearer sk-local-')) if how == "long 401" else ""
            return self.answer(STATUSES[how], json.dumps({"error": {"message": f"{filler}bad key {key}"}}).encode())
        if how == "drops":
            return None
        if how == "never":
            endpoint.stopped.wait()
            return None
        body = BODIES.get(how, BODIES["good"])
        if how == "cut off":
            return self.answer(200, body[: len(body) // 2], length=len(body))
        if how == "byte by byte":
            self.answer(200, b"", length=len(body))
            with contextlib.suppress(OSError):
                while not endpoint.stopped.wait(0.02):
                    self.wfile.write(b" ")
            return None
        return self.answer(200, body)

    def answer(self, status: int, body: bytes, length: int | None = None) -> None:
        """Send an answer, or the beginning of one."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Retry-After", "0")
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextlib.contextmanager
def endpoint(*script: str) -> Iterator[Endpoint]:
    """An endpoint with this script, for the duration of the block."""
    with Endpoint([*script]) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    with Endpoint(["good"]) as local:
        sys.stdout.write(f"{local.url}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            local.serve_forever()
