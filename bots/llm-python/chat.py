"""Asks a model through a Unix socket, within a deadline. Needs the standard library only."""

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]

PATH = "/v1/chat/completions"
MAX_ANSWER = 4 * 1024 * 1024
MOUNTS = Path("/proc/self/mountinfo")
NO_ANSWER = "no answer in time"


class AskError(Exception):
    """There is no answer. `again`: whether another try may help; `pause`: the seconds to wait before it."""

    def __init__(self, message: str, *, again: bool = False, pause: float = 0.0) -> None:
        super().__init__(message)
        self.again = again
        self.pause = pause


class Reply:
    """What a model answered, and what that cost."""

    def __init__(self, answer: Json) -> None:
        choice = answer["choices"][0]
        usage = answer.get("usage") or {}
        self.text = str(choice["message"].get("content") or "")
        self.refusal = choice["message"].get("refusal")
        self.finish = choice.get("finish_reason")
        self.input = int(usage.get("prompt_tokens") or 0)
        self.output = int(usage.get("completion_tokens") or 0)
        self.cost = float(answer.get("cost") or 0.0)
        self.model = str(answer.get("model") or "")


def find_socket() -> str | None:
    """The socket to ask at: that of LLM_SOCKET, or else the only one that the sandbox shows; None if there is none."""
    named = os.environ.get("LLM_SOCKET")
    if named is not None:
        return named
    try:
        mounted = [line.split()[4] for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    except (OSError, IndexError, UnicodeDecodeError):
        return None
    shown = [path for path in (unescaped(name) for name in mounted) if is_socket(path)]
    return shown[0] if len(shown) == 1 else None


def unescaped(name: str) -> str:
    """A path as mountinfo has it, with blanks and backslashes as octal numbers."""
    return name.encode().decode("unicode_escape").encode("latin-1").decode(errors="replace")


def is_socket(path: str) -> bool:
    try:
        return Path(path).is_socket()
    except OSError:
        return False


def ask(place: str, request: Json, deadline: float) -> Reply:
    """Ask, and wait for the answer until time.monotonic() reaches the deadline. Raises AskError."""
    body = json.dumps(request).encode()
    patience = int(1000 * (deadline - time.monotonic()))
    if patience <= 0:
        raise AskError(NO_ANSWER)
    # HTTP/1.0: the answer comes in one piece, and ends with the connection
    head = f"POST {PATH} HTTP/1.0\r\nContent-Length: {len(body)}\r\nTimeout-Ms: {patience}\r\n\r\n"
    try:
        status, answer = _exchange(place, head.encode() + body, deadline)
    except TimeoutError:
        raise AskError(NO_ANSWER) from None
    except (FileNotFoundError, ConnectionRefusedError, PermissionError) as error:
        raise AskError(f"nothing answers at the socket: {error.strerror}") from None
    except OSError as error:
        raise AskError(f"the connection broke: {error.strerror or error}", again=True) from None
    except ValueError:
        raise AskError("the answer was cut off, or is not valid", again=True) from None
    if status != 200:
        told = answer.get("error")
        found = told if isinstance(told, dict) else {}
        pause = found.get("retry_after")
        raise AskError(
            f"status {status}: {str(found.get('message') or 'no message')[:200]}",
            again=status in (408, 429) or status >= 500,
            pause=float(pause) if isinstance(pause, int | float) and 0 <= pause < 1e6 else 0.0,
        )
    try:
        return Reply(answer)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise AskError("the answer is not a chat completion", again=True) from None


def _exchange(place: str, request: bytes, deadline: float) -> tuple[int, Json]:
    """The status and the JSON that a request gets. Raises OSError, TimeoutError among them, and ValueError."""
    with socket.socket(socket.AF_UNIX) as channel:

        def hurry() -> None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            channel.settimeout(left)  # at each step, so an answer that comes byte by byte can't extend it

        hurry()
        channel.connect(place)
        sent = memoryview(request)
        while sent:
            hurry()
            sent = sent[channel.send(sent) :]
        received = bytearray()
        while True:
            hurry()
            chunk = channel.recv(65536)
            if not chunk:
                break
            received += chunk
            if len(received) > MAX_ANSWER:
                raise ValueError
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    answer = json.loads(body)
    if not isinstance(answer, dict):
        raise ValueError
    return int(head.split(None, 2)[1]), answer
