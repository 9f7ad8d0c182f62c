"""Passes the questions of bots in the sandbox on to language models: holds the keys, counts costs, enforces caps.

python3 proxy.py models.toml --sockets FOLDER

makes a Unix socket for each model in models.toml. The organiser shows one of them to a bot, which sends requests of the
OpenAI API (POST /v1/chat/completions) to it. Only the text and some settings of a request are passed on: the model, the
most tokens and the key are decided here. The bot gets the text, the tokens and the cost of an answer, but only the
status of an error, since an endpoint may quote the key.

Needs the standard library only.
"""

import argparse
import contextlib
import http.client
import json
import math
import os
import signal
import socket
import socketserver
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ledger import Call, CapReached, Ledger, LedgerError
from models import Model, Models, ModelsError, read_models, version

Json = dict[str, Any]

PATHS = ("/v1/chat/completions", "/chat/completions")
PASSED_ON = ("temperature", "top_p", "seed", "stop", "response_format", "reasoning_effort")
"""Settings of a request that are passed on. Not tools, for example: some endpoints have one that searches the web."""
ROLES = ("system", "developer", "user", "assistant")
MAX_REQUEST = 512 * 1024
"""Bytes of a request."""
MAX_ANSWER = 4 * 1024 * 1024
"""Bytes of an answer."""
READ_TIMEOUT = 10.0
"""Seconds that a bot may be silent while it sends its request."""
MAX_CONNECTIONS = 32
"""Connections to one socket at a time; more are closed at once."""
MAX_SOCKET_PATH = 100
CHECK_INTERVAL = 0.5
"""Seconds between two checks of the file of models."""
MESSAGE_TOKENS = 16
"""Tokens that an endpoint may add to each message: a generous bound."""


class Refused(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, status: int, code: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.answer: Json = {"error": {"code": code, "message": message}}
        if retry_after is not None:
            self.answer["error"]["retry_after"] = retry_after


class Rate:
    """At most so many calls in any 60 seconds: an endpoint's limit often counts for all models with the same key."""

    def __init__(self, per_minute: int) -> None:
        self._ends = deque([0.0] * per_minute, per_minute)
        """When each of the latest calls is 60 seconds old."""
        self._lock = threading.Lock()

    def wait(self, deadline: float) -> None:
        """Wait until a call may be made. Raises Refused if that is after the deadline."""
        with self._lock:
            now = time.monotonic()
            begin = max(now, self._ends[0])
            if begin > deadline:
                raise Refused(429, "rate", "too many questions a minute", math.ceil(begin - now))
            self._ends.append(begin + 60)
        time.sleep(begin - now)


class Endpoint:
    """One model: checks requests, passes them on, and counts."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self.model = model
        self._ledger = ledger
        self._rate = Rate(model.per_minute)
        self._free = threading.BoundedSemaphore(model.at_a_time)

    def answer(self, request: bytes, seconds: float) -> Json:
        """The answer to the request of a bot that waits for this many seconds. Raises Refused."""
        deadline = time.monotonic() + min(seconds, self.model.timeout)
        body = self._checked(request)
        max_cost = self.model.cost(max_input_tokens(body), body[self.model.tokens_field])
        if not self._free.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise Refused(429, "busy", "too many questions at a time")
        try:
            self._rate.wait(deadline)
            with self._ledger.call(self.model.name, max_cost, self.model.cap) as call:
                return self._ask(body, call)
        except CapReached:
            raise Refused(402, "cap", "what may be spent has been spent") from None
        except LedgerError as error:
            self._log(str(error))
            raise Refused(424, "ledger", "the costs can't be written down") from None
        finally:
            self._free.release()

    def _checked(self, request: bytes) -> Json:
        """The request as it is passed on. Raises Refused."""
        try:
            asked = json.loads(request)
            messages = [
                {"role": message["role"], "content": message["content"]}
                for message in asked["messages"]
                if message["role"] in ROLES and isinstance(message["content"], str)
            ]
            wanted = asked.get("max_completion_tokens", asked.get("max_tokens", self.model.max_tokens))
            tokens = max(1, min(int(wanted), self.model.max_tokens))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            raise Refused(400, "request", "the request is not one of chat completions with texts") from None
        if not messages or len(messages) != len(asked["messages"]):
            raise Refused(400, "request", "messages are texts of a system, user or assistant")
        passed_on = {key: asked[key] for key in PASSED_ON if key in asked}
        return {**passed_on, "model": self.model.model, "messages": messages, self.model.tokens_field: tokens}

    def _ask(self, body: Json, call: Call) -> Json:
        """Ask the endpoint. Whatever the bot does meanwhile, the answer is waited for and counted. Raises Refused."""
        sent = False
        try:
            with connection(self.model) as (link, url):
                headers = {"Content-Type": "application/json", "Accept": "application/json"}
                if self.model.key is not None:
                    headers["Authorization"] = f"Bearer {self.model.key}"
                sent = True
                link.request("POST", url, json.dumps(body).encode(), headers)
                response = link.getresponse()
                content = response.read(MAX_ANSWER + 1)
                if response.length and len(content) <= MAX_ANSWER:
                    raise http.client.IncompleteRead(content)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:  # also of a socket shut down
            call.result = type(error).__name__
            if not sent:
                call.cost = 0.0
            self._log(f"{'no answer' if sent else 'not reached'}: {type(error).__name__}")
            raise Refused(502, "endpoint", f"the endpoint {'broke off' if sent else 'is not there'}") from None
        call.result = str(response.status)
        if response.status != 200:
            call.cost = 0.0
            self._log(f"status {response.status}: {self._redacted(content.decode(errors='replace'))[:300]}")
            after = response.headers.get("Retry-After", "")
            raise Refused(
                # 424: it will not help to ask again
                429 if response.status == 429 else 502 if response.status >= 500 else 424,
                "endpoint",
                f"the endpoint answered with status {response.status}",
                float(after) if after.isdecimal() and len(after) < 6 else None,
            )
        return self._passed_back(content, call)

    def _passed_back(self, content: bytes, call: Call) -> Json:
        """The part of an answer that the bot gets. Counts its cost. Raises Refused."""
        try:
            answer = json.loads(content)
            usage = answer.get("usage") or {}
            choice = answer["choices"][0]
            message = choice["message"]
            texts = {key: message.get(key) for key in ("content", "refusal")}
            if isinstance(texts["content"], list):  # of parts; some are thinking
                texts["content"] = "".join(part["text"] for part in texts["content"] if part["type"] == "text")
            finish = choice.get("finish_reason")
            if len(content) > MAX_ANSWER or not all(text is None or isinstance(text, str) for text in texts.values()):
                raise ValueError
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            call.result = "not an answer"
            self._log("an answer that is not a chat completion")
            raise Refused(502, "endpoint", "the endpoint did not send a chat completion") from None
        counts = [number(usage, key) for key in ("prompt_tokens", "completion_tokens")]
        if None not in counts:
            call.input, call.output = (count or 0 for count in counts)
            cached = number(usage.get("prompt_tokens_details"), "cached_tokens") or 0
            call.cost = self.model.cost(call.input, call.output, min(cached, call.input))
        kept = {key: None if text is None else self._redacted(text) for key, text in texts.items()}
        return {
            "object": "chat.completion",
            "model": self.model.name,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", **kept},
                    "finish_reason": finish if finish in ("stop", "length", "content_filter") else None,
                }
            ],
            "usage": {"prompt_tokens": call.input, "completion_tokens": call.output},
            "cost": call.cost,
        }

    def _redacted(self, text: str) -> str:
        """The text without the key, in case an endpoint repeats what it was sent."""
        return text if self.model.key is None else text.replace(self.model.key, "[key]")

    def _log(self, text: str) -> None:
        print(f"{self.model.name}: {text!r}", file=sys.stderr, flush=True)


def number(table: object, key: str) -> int | None:
    """A number of tokens as reported by an endpoint; None if it is missing or invalid."""
    count = table.get(key) if isinstance(table, dict) else None
    return count if type(count) is int and 0 <= count < 10**9 else None


def max_input_tokens(body: Json) -> int:
    """An upper bound of the input tokens of a request: one per byte, which is several times too many."""
    return len(json.dumps(body)) + MESSAGE_TOKENS * len(body["messages"])


@contextlib.contextmanager
def connection(model: Model) -> Iterator[tuple[http.client.HTTPConnection, str]]:
    """A connection to an endpoint, and the path to ask; it is shut down when the time of the model is up.

    Redirections are not followed: the key would go elsewhere.
    """
    parts = urlsplit(model.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    link = kind(parts.hostname or "", parts.port, timeout=model.timeout)
    link.connect()
    channel = link.sock

    def give_up() -> None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(channel, socket.SHUT_RDWR)  # of the socket below TLS, too

    timer = threading.Timer(model.timeout, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield link, f"{parts.path.rstrip('/')}/chat/completions"
    finally:
        timer.cancel()
        link.close()


class Handler(BaseHTTPRequestHandler):
    """One request of a bot."""

    timeout = READ_TIMEOUT
    server: "SocketServer"

    def do_POST(self) -> None:
        status, answer = 200, {}
        try:
            length = self.headers.get("Content-Length", "")
            if self.path not in PATHS:
                raise Refused(404, "request", f"only {PATHS[0]} is there")
            if not length.isdecimal() or len(length) > 9 or int(length) > MAX_REQUEST:
                raise Refused(413, "request", f"a request has a length of at most {MAX_REQUEST} bytes")
            request = self.rfile.read(int(length))
            if len(request) < int(length):
                return  # the bot has gone
            patience = self.headers.get("Timeout-Ms", "")
            seconds = int(patience) / 1000 if patience.isdecimal() and len(patience) < 10 else float("inf")
            if self.server.endpoint is None:
                raise Refused(404, "model", "this model has been removed")
            answer = self.server.endpoint.answer(request, seconds)
        except Refused as refused:
            status, answer = refused.status, refused.answer
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: each call is in the ledger."""


class SocketServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The socket of one model."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, path: Path, endpoint: Endpoint) -> None:
        """Listen. A socket of an earlier proxy is replaced in one step, so that there always is one."""
        self.endpoint: Endpoint | None = endpoint
        """None once it is no longer in the file of models."""
        self.path = path
        self._connections = threading.BoundedSemaphore(MAX_CONNECTIONS)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        super().__init__(str(new), Handler)
        new.chmod(0o666)  # bots run as other users if the referee is root; the folder is closed to all others
        new.rename(path)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is room for another connection."""
        return self._connections.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection in its own thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a bot that has disconnected; print no traceback, which could quote a request."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"{self.path.stem}: {error!r}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def serve(models: Models, ledger: Ledger, folder: Path) -> Iterator[dict[str, SocketServer]]:
    """Serve all models for the duration of the block; yields their servers by name. Raises ModelsError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise ModelsError(f"{folder}: {error.strerror}") from None
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise ModelsError(f"{folder}: only you may be able to enter this folder (chmod 700)")
    with contextlib.ExitStack() as stack:
        servers: dict[str, SocketServer] = {}
        for model in models.models:
            path = folder.resolve() / f"{model.name}.sock"
            if len(os.fsencode(path)) > MAX_SOCKET_PATH:
                raise ModelsError(f"{path}: too long for a socket; give a folder with a shorter path")
            try:
                server = SocketServer(path, Endpoint(model, ledger))
            except OSError as error:
                raise ModelsError(f"{path}: {error.strerror}") from None
            stack.callback(server.server_close)
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
            stack.callback(server.shutdown)
            servers[model.name] = server
        yield servers


def follow(
    given: Path, models: Models, servers: dict[str, SocketServer], ledger: Ledger, stop: threading.Event
) -> Models:
    """Read the file of models again when it changes, until `stop` is set: the sockets stay, which bots are shown.

    Returns the models as they were read last.
    """
    seen = models.version
    while not stop.wait(CHECK_INTERVAL):
        try:
            if (now := version(given)) == seen:
                continue
            seen = now
            changed = read_models(given)
        except OSError:  # it is being replaced
            continue
        except ModelsError as error:
            print(f"not reloaded: {error}", file=sys.stderr, flush=True)
            continue
        models, seen = changed, changed.version
        ledger.cap = changed.cap
        found = {model.name: model for model in changed.models}
        for name, server in servers.items():
            # Calls in progress keep the one before.
            server.endpoint = Endpoint(found[name], ledger) if name in found else None
        print(f"{given} has been read again", flush=True)
    return models


def report(models: Models, ledger: Ledger) -> Iterator[str]:
    """The costs so far, a line for each model."""
    yield f"{'model':20} {'calls':>8} {'input':>12} {'output':>12} {'cost':>10} {'cap':>10}"
    for model in models.models:
        total = ledger.totals[model.name]
        yield (
            f"{model.name:20} {total.calls:8} {total.input:12} {total.output:12} {total.cost:10.4f} {model.cap:10.4f}"
        )
    yield f"{'all in the ledger':55} {ledger.spent:10.4f} {models.cap:10.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A proxy for bots that ask language models.")
    parser.add_argument("models", type=Path, metavar="FILE", help="the models, as docs/bots/language-models.md says")
    parser.add_argument("--sockets", type=Path, metavar="FOLDER", help="where the sockets are made")
    parser.add_argument("--report", action="store_true", help="only show what has been spent")
    given = parser.parse_args()
    if given.sockets is None and not given.report:
        parser.error("give a folder for the sockets: --sockets FOLDER")
    try:
        models = read_models(given.models)
        with contextlib.closing(Ledger(models.ledger, models.cap)) as ledger:
            if given.sockets is not None and not given.report:
                stop = threading.Event()
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, lambda *_: stop.set())
                with serve(models, ledger, given.sockets) as servers:
                    for model in models.models:
                        print(f"{model.name}: {servers[model.name].path} asks {model.model} at {model.url}")
                    print("ready; Ctrl-C ends", flush=True)
                    models = follow(given.models, models, servers, ledger, stop)
            print("\n".join(report(models, ledger)))
    except (ModelsError, LedgerError) as error:
        sys.exit(f"proxy: {error}")


if __name__ == "__main__":
    main()
