"""The processes of the referee that play games on a machine of a cluster, one for each thread of Dask that has a task.

They are the workers of `tournaments.play.worker`, used from threads of Dask, so nothing here is async. They outlive a
task, because starting one takes longer than a short game, and end when they have had none for a while.
"""

import fcntl
import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import structs

from referee.processes.bot_process import describe_status
from referee.processes.heartbeat import MAX_UNANSWERED, MAX_UNANSWERED_AT_START, PING_INTERVAL
from referee.processes.message_channel import READ_BYTES, Unframed, decode, framed
from tournaments.play.plan import GamePlan
from tournaments.play.worker_messages import BeginRound, FromWorker, Ping, Pong, RoundFailed, ToWorker
from tournaments.play.worker_process import WORKER_END_TIMEOUT, start_process

SLOTS: Final = 128
"""The most processes that play on one machine at a time. The user ids for bots are divided into as many parts."""
IDLE_SECONDS: Final = 20.0
"""Seconds without a task after which a process ends. A director that was killed can't end them."""
STOP_INTERVAL: Final = 0.25
"""Seconds between two checks whether a task is still wanted."""


class ProcessDied(Exception):
    """The process has ended, or was killed because it didn't answer. The text says how."""


class RoundHasFailed(Exception):
    """The process can't go on with these games."""

    def __init__(self, failure: RoundFailed) -> None:
        super().__init__(failure.problem)
        self.failure = failure


class Unwanted(Exception):
    """The task is not wanted any more."""


class Slot:
    """A number that no other process on this machine has, and a private folder that goes with it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        self.number, self._lock = next(_free_slots(folder))
        self.folder = Path(tempfile.mkdtemp(prefix="referee-stderr-"))

    def release(self) -> None:
        """Release the number."""
        for file in self.folder.iterdir():
            file.unlink(missing_ok=True)
        self.folder.rmdir()
        os.close(self._lock)


def _free_slots(folder: Path) -> Iterator[tuple[int, int]]:
    """Numbers that are free, each with the descriptor of its lock. Raises OSError if there is none."""
    for number in range(SLOTS):
        descriptor = os.open(folder / f"slot{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            yield number, descriptor
    raise OSError(f"{SLOTS} processes play on this machine already")


class PlayingProcess:
    """A process that plays games of one plan. Only one thread uses it at a time. Raises OSError if it can't start."""

    def __init__(self, plan: GamePlan, plan_id: str, slots: Path, *, keep_stderr: bool) -> None:
        self.plan_id = plan_id
        self.slot = Slot(slots)
        try:
            self._process: subprocess.Popen[bytes] = start_process()
        except OSError:
            self.slot.release()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._reading, self._writing = self._process.stdout, self._process.stdin
        self._unframed = Unframed()
        self._received: list[bytes] = []
        self._unanswered = 0
        self._allowed = MAX_UNANSWERED_AT_START
        self._pinged = 0.0
        # As with workers side by side on one machine: their bots don't share user ids.
        own = plan.share(self.slot.number, SLOTS)
        self.send(BeginRound.of(structs.replace(own, stderr=self.slot.folder if keep_stderr else None)))

    def send(self, message: ToWorker) -> None:
        """Send a message. Raises ProcessDied."""
        try:
            self._writing.write(framed(message))
        except OSError:
            raise ProcessDied(self._describe_end()) from None

    def receive(self, is_wanted: Callable[[], bool]) -> FromWorker:
        """The next message but Pong and RoundFailed. Raises ProcessDied, RoundHasFailed, and Unwanted."""
        while True:
            while not self._received:
                self._read(is_wanted)
            message: FromWorker = decode(self._received.pop(0), FromWorker)
            match message:
                case Pong():
                    self._unanswered, self._allowed = 0, MAX_UNANSWERED
                case RoundFailed():
                    raise RoundHasFailed(message)
                case _:
                    return message

    def _read(self, is_wanted: Callable[[], bool]) -> None:
        readable, _, _ = select.select([self._reading], [], [], STOP_INTERVAL)
        if readable:
            data = os.read(self._reading.fileno(), READ_BYTES)
            if not data:
                raise ProcessDied(self._describe_end())
            self._received += self._unframed.feed(data)
            return
        if not is_wanted():
            raise Unwanted
        if time.monotonic() - self._pinged >= PING_INTERVAL:
            # As in Heartbeat: pings are counted and not seconds, as this process may have been stopped.
            self._pinged = time.monotonic()
            self._unanswered += 1
            if self._unanswered > self._allowed:
                self._process.kill()
                raise ProcessDied(f"didn't answer for {self._allowed * PING_INTERVAL:g} s and was killed")
            self.send(Ping())

    def _describe_end(self) -> str:
        try:
            status = self._process.wait(WORKER_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return describe_status(status)

    def end(self) -> None:
        """End it with its bots. It kills them itself when its input ends; if it doesn't, its keeper does."""
        self._writing.close()
        try:
            self._process.wait(WORKER_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reading.close()
        self.slot.release()


class IdleProcesses:
    """The processes of this worker of Dask that have no task at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[float, PlayingProcess]] = []
        self._timer: threading.Timer | None = None

    def take(self, plan_id: str) -> PlayingProcess | None:
        """One that plays games of this plan. Those of other plans are left to end."""
        with self._lock:
            for index, (_, process) in enumerate(self._idle):
                if process.plan_id == plan_id:
                    del self._idle[index]
                    return process
        return None

    def add(self, process: PlayingProcess) -> None:
        """Keep an idle process for a while."""
        with self._lock:
            self._idle.append((time.monotonic(), process))
            self._end_later()

    def end(self, older_than: float = 0.0) -> None:
        """End those that have been idle for this many seconds."""
        with self._lock:
            limit = time.monotonic() - older_than
            ending = [process for since, process in self._idle if since <= limit]
            self._idle = [(since, process) for since, process in self._idle if since > limit]
        for process in ending:
            process.end()

    def _end_later(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(IDLE_SECONDS / 2, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        self.end(older_than=IDLE_SECONDS)
        with self._lock:
            self._timer = None
            if self._idle:
                self._end_later()
