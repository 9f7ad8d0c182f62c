"""A task as a worker of Dask runs it.

It reports to the director by events logged under the topic of the task, each game as it finishes. The result of the
Dask task itself is not used.
"""

import time
from typing import Any, Final

from distributed import get_worker

from referee.processes.message_channel import decode, encode
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import FromMachine, SentTask
from tournaments.play.worker_messages import TaskResult

EXECUTING: Final = ("executing", "long-running")
FLUSH_INTERVAL: Final = 0.1
"""Seconds between two messages with finished games."""
REPORTING: Final = ("running", "paused", "closing_gracefully")
"""The states of a worker of Dask that still reports what it computes."""


def play(message: bytes) -> None:
    task: SentTask = decode(message, SentTask)
    worker: Any = get_worker()
    key = worker.get_current_task()

    pending: list[FromMachine] = []
    flushed = 0.0

    def flush() -> None:
        nonlocal flushed
        if pending:
            worker.log_event(task.topic, encode(tuple(pending)))
            pending.clear()
            flushed = time.monotonic()

    def send(event: FromMachine) -> None:
        # Each message costs the scheduler and the director more than a short game: those that end soon after another
        # wait for the next message, or for the question whether the task is wanted.
        pending.append(event)
        if not isinstance(event, TaskResult) or is_due():
            flush()

    def is_due() -> bool:
        return time.monotonic() - flushed >= FLUSH_INTERVAL

    def is_wanted() -> bool:
        if is_due():
            flush()
        # The scheduler has a worker of Dask release what no client wants any more, also when the client has ended.
        state = worker.state.tasks.get(key)
        return state is not None and state.state in EXECUTING and worker.status.name in REPORTING

    machine.play(task, send, is_wanted)
