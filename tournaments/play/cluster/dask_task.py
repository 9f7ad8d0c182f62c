"""A task as a worker of Dask runs it.

The director hears of it by events that are logged under the topic of the task, games as they finish. Dask itself
carries no result.
"""

from typing import Any, Final

from distributed import get_worker

from referee.processes.message_channel import decode, encode
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import FromMachine, Task

EXECUTING: Final = ("executing", "long-running")
REPORTING: Final = ("running", "paused", "closing_gracefully")
"""The states of a worker of Dask that still reports what it computes."""


def play(message: bytes) -> None:
    """Play the games of a Task."""
    task: Task = decode(message, Task)
    worker: Any = get_worker()
    key = worker.get_current_task()

    def send(event: FromMachine) -> None:
        worker.log_event(task.topic, encode(event))

    def is_wanted() -> bool:
        # The scheduler has a worker of Dask release what no client wants any more, also when the client has ended.
        state = worker.state.tasks.get(key)
        return state is not None and state.state in EXECUTING and worker.status.name in REPORTING

    machine.play(task, send, is_wanted)
