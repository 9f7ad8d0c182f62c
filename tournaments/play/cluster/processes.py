"""The processes of the referee that play games on a machine of a cluster, one for each thread of Dask that has a task.

They are the workers of `tournaments.play.worker`, used from threads of Dask. They outlive a task, because starting one
takes longer than a short game, and end when they have had none for a while.
"""

import fcntl
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import trio
from msgspec import structs

from tournaments.play.plan import GamePlan
from tournaments.play.worker_messages import BeginRound, FromWorker, ToWorker
from tournaments.play.worker_process import WorkerProcess

SLOTS: Final = 128
"""The most processes that play on one machine at a time. The user ids for bots are divided into as many parts."""
IDLE_SECONDS: Final = 20.0
"""Seconds without a task after which a process ends. A director that was killed can't end them."""


class Slot:
    """A number that no other process on this machine has, and a private folder that goes with it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        self.number, self._lock = next(_free_slots(folder))
        self.folder = Path(tempfile.mkdtemp(prefix="referee-stderr-"))

    def release(self) -> None:
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
        self.received = SimpleQueue[FromWorker | None]()
        """Its messages, and None when it has died."""
        try:
            self._worker = trio.from_thread.run_sync(self._start, trio_token=running_trio()[0])
        except OSError:
            self.slot.release()
            raise
        # As with workers side by side on one machine: their bots don't share user ids.
        own = plan.share(self.slot.number, SLOTS)
        self.send(BeginRound.of(structs.replace(own, stderr=self.slot.folder if keep_stderr else None)))

    def _start(self) -> WorkerProcess:
        worker = WorkerProcess()
        running_trio()[1].start_soon(worker.own, self.received.put)
        return worker

    def send(self, message: ToWorker) -> None:
        running_trio()[0].run_sync_soon(self._worker.channel.send, message)

    def describe_end(self) -> str:
        """How it ended, once None was received."""
        return self._worker.describe_end()

    def end(self) -> None:
        trio.from_thread.run(self._worker.close, trio_token=running_trio()[0])
        self.slot.release()


_starting: Final = threading.Lock()
_running: Final[list[tuple[trio.lowlevel.TrioToken, trio.Nursery]]] = []


def running_trio() -> tuple[trio.lowlevel.TrioToken, trio.Nursery]:
    """Trio in a thread of its own, which exchanges messages with all processes of this worker of Dask."""
    with _starting:
        if not _running:
            started = SimpleQueue[tuple[trio.lowlevel.TrioToken, trio.Nursery]]()

            async def run() -> None:
                async with trio.open_nursery() as nursery:
                    started.put((trio.lowlevel.current_trio_token(), nursery))
                    await trio.sleep_forever()

            threading.Thread(target=trio.run, args=(run,), daemon=True).start()
            _running.append(started.get())
        return _running[0]


class IdleProcesses:
    """The processes of this worker of Dask that have no task at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[PlayingProcess, threading.Timer] = {}

    def reuse(self, plan_id: str) -> PlayingProcess | None:
        """One that plays games of this plan. Those of other plans are left to end."""
        with self._lock:
            found = next((process for process in self._idle if process.plan_id == plan_id), None)
            if found is not None:
                self._idle.pop(found).cancel()
            return found

    def add(self, process: PlayingProcess) -> None:
        timer = threading.Timer(IDLE_SECONDS, self._end, [process])
        timer.daemon = True
        with self._lock:
            self._idle[process] = timer
        timer.start()

    def end(self) -> None:
        for process in [*self._idle]:
            self._end(process)

    def _end(self, process: PlayingProcess) -> None:
        with self._lock:
            timer = self._idle.pop(process, None)
        if timer is not None:
            timer.cancel()
            process.end()
