"""What the calls of models have cost: kept in a file, so that caps hold over several runs.

A call has a line when it begins, with the maximum that it may cost, and one when it has ended. If the second one is
missing, because the proxy was ended or killed meanwhile, the amount of the first one counts. A line has no prompt, no
answer and no key. Needs the standard library only.
"""

import contextlib
import errno
import fcntl
import json
import os
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class LedgerError(Exception):
    """The file can't be used. The text says why."""


class CapReached(Exception):
    """Another call could cost more than is left."""


@dataclass
class Total:
    """The calls of one model."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cost: float = 0.0


class Ledger:
    """The costs so far, including the most that calls in progress may cost."""

    def __init__(self, path: Path, cap: float) -> None:
        """Read what is in the file. Raises LedgerError, also while another proxy writes to it."""
        self.totals: dict[str, Total] = defaultdict(Total)
        self.cap = cap
        self._reserved: dict[str, float] = defaultdict(float)
        self._lock = threading.Lock()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = path.read_bytes()
        except BlockingIOError:
            raise LedgerError(f"another proxy writes to {path}") from None
        except OSError as error:
            raise LedgerError(f"{path}: {error.strerror}") from None
        begun: dict[str, tuple[str, float]] = {}
        for number, line in enumerate(content.splitlines(), 1):
            try:
                entry = json.loads(line)
                if "begun" in entry:
                    begun[entry["begun"]] = entry["model"], float(entry["max_cost"])
                else:
                    begun.pop(entry.get("call"), None)
                    self._add(entry["model"], entry["input"], entry["output"], float(entry["cost"]))
            except (ValueError, TypeError, KeyError):
                raise LedgerError(f"{path}: line {number} is not a line of a ledger; repair or move the file") from None
        for model, max_cost in begun.values():
            self._add(model, 0, 0, max_cost)
        if content and not content.endswith(b"\n"):
            os.write(self._file, b"\n")

    def close(self) -> None:
        """Let others write to the file."""
        os.close(self._file)

    @property
    def spent(self) -> float:
        return sum(total.cost for total in self.totals.values())

    @contextlib.contextmanager
    def call(self, model: str, max_cost: float, cap: float) -> Iterator["Call"]:
        """A call that costs at most `max_cost`, which is what counts unless the block sets the real cost.

        Raises CapReached if that could exceed a cap, and LedgerError if it can't be written down.
        """
        with self._lock:
            reserved = sum(self._reserved.values())
            if (
                self.totals[model].cost + self._reserved[model] + max_cost > cap
                or self.spent + reserved + max_cost > self.cap
            ):
                raise CapReached
            call = Call(max_cost)
            try:
                self._write({"time": now(), "begun": call.call_id, "model": model, "max_cost": max_cost})
            except OSError as error:
                raise LedgerError(f"the ledger can't be written: {error.strerror}") from None
            self._reserved[model] += max_cost
        try:
            yield call
        finally:
            with self._lock:
                self._reserved[model] -= max_cost
                self._add(model, call.input, call.output, call.cost)
                with contextlib.suppress(OSError):  # then it counts the maximum after a restart
                    self._write(call.entry(model))

    def _add(self, model: str, input_tokens: int, output_tokens: int, cost: float) -> None:
        total = self.totals[model]
        total.calls += 1
        total.input += int(input_tokens)
        total.output += int(output_tokens)
        total.cost += cost

    def _write(self, entry: dict[str, Any]) -> None:
        """Add a line. Raises OSError, also if only a part of it could be written."""
        line = json.dumps(entry).encode() + b"\n"
        if os.write(self._file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Call:
    """One call. What is not known of it counts as the maximum that it may cost."""

    def __init__(self, max_cost: float) -> None:
        self.call_id = secrets.token_hex(8)
        self.began = time.monotonic()
        self.input = 0
        self.output = 0
        self.cost = max_cost
        self.result = "unknown"

    def entry(self, model: str) -> dict[str, Any]:
        return {
            "time": now(),
            "call": self.call_id,
            "model": model,
            "input": self.input,
            "output": self.output,
            "cost": round(self.cost, 9),
            "ms": round(1000 * (time.monotonic() - self.began)),
            "result": self.result,
        }
