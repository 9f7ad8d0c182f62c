"""Owns all processes of bots: starts them, watches what they use, and leaves nothing of them."""

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from referee.processes import process_tree
from referee.processes.child import Child, run_child
from referee.processes.environment import environment
from referee.processes.limits import MIB, ProcessLimits
from referee.processes.reaper import Reaper
from referee.processes.sandbox import Sandbox
from referee.processes.watchdog import Watchdog, watchdog

INTERVAL: Final = 0.1
"""Seconds between two looks at what bots use and what they left behind."""
SHARE: Final = 20
"""A look takes at most one part in so many of the time: with very many bots there are fewer looks."""


class Supervisor:
    """Starts processes, each in a task of `nursery` that owns it. Made by `supervise`."""

    def __init__(
        self, nursery: trio.Nursery, reaper: Reaper, sandbox: Sandbox | None, further: Mapping[str, str]
    ) -> None:
        self.reaper = reaper
        self.sandbox = sandbox
        self.guardian: Watchdog | None = None
        self._nursery = nursery
        self._environment = environment(further, sandboxed=sandbox is not None)
        self._running: dict[Child, ProcessLimits] = {}

    async def start(
        self,
        argv: Sequence[str],
        folder: Path,
        limits: ProcessLimits,
        *,
        quit_line: bytes,
        quit_grace: float,
        typed: bool = False,
        writable: bool = False,
    ) -> Child:
        """Start a program in its folder, in the sandbox if there is one. Raises SpawnError."""
        if self.sandbox is not None:
            argv = self.sandbox.wrap(argv, folder, limits, typed=typed, writable=writable)
        run = partial(
            run_child,
            argv,
            folder,
            self._environment,
            limits=limits,
            quit_line=quit_line,
            quit_grace=quit_grace,
            reaper=self.reaper,
        )
        child: Child = await self._nursery.start(self._own, run, limits)
        return child

    async def _own(
        self, run: Callable[..., Awaitable[None]], limits: ProcessLimits, *, task_status: trio.TaskStatus[Child]
    ) -> None:
        """Run a child under supervision."""
        started: list[Child] = []

        class Registration:
            """Hears of the start before whoever asked for it."""

            def started(_, child: Child) -> None:  # noqa: N805
                started.append(child)
                self._running[child] = limits
                self._tell_guardian("+", child)
                task_status.started(child)

        try:
            await run(task_status=Registration())
        finally:
            for child in started:
                del self._running[child]
                self._tell_guardian("-", child)

    def _tell_guardian(self, sign: str, child: Child) -> None:
        if self.guardian is not None:
            self.guardian.tell(sign, child.pid)

    async def watch(self) -> None:
        """End those who use too much, and what others left behind, until cancelled."""
        while process_tree.KNOWN:
            began = time.perf_counter()
            self.reaper.sweep()
            for child, limits in list(self._running.items()):
                if not child.exited.is_set():
                    check(child, limits)
                    await trio.lowlevel.checkpoint()  # games go on between two looks
            await trio.sleep(max(INTERVAL, SHARE * (time.perf_counter() - began)))


def check(child: Child, limits: ProcessLimits) -> None:
    """End a process that uses more than it may, all its descendants counted in."""
    used = process_tree.usage(child.pid, limits.processes)
    child.note_cpu(used)
    if used.memory > limits.memory_mb * MIB:
        child.end_for(
            "memory", f"used {used.memory // MIB} MiB of memory; at most {limits.memory_mb} MiB (memory_mb) are allowed"
        )
    elif used.tasks > limits.processes:
        child.end_for(
            "crash",
            f"ran over {limits.processes} processes and threads at a time; no more (processes) are allowed",
        )
    elif child.cpu_seconds > limits.cpu_seconds:
        child.end_for(
            "crash",
            f"used {child.cpu_seconds:.0f} s of CPU time; at most {limits.cpu_seconds} s (cpu_seconds) are allowed",
        )


@contextlib.asynccontextmanager
async def supervise(
    sandbox: Sandbox | None = None, further: Mapping[str, str] | None = None
) -> AsyncIterator[Supervisor]:
    """A supervisor as long as the block lasts, which is left only when all its processes have ended.

    `further`: environment variables besides the usual few. Outside the sandbox a guardian kills the bots if the
    referee is killed; bubblewrap sees to that itself.
    """
    reaper = Reaper()
    with reaper.installed(), contextlib.ExitStack() as stack:
        async with trio.open_nursery() as watching:
            async with trio.open_nursery() as nursery:
                supervisor = Supervisor(nursery, reaper, sandbox, further or {})
                if sandbox is None:
                    supervisor.guardian = stack.enter_context(watchdog())
                    reaper.adopt(supervisor.guardian.pid)
                watching.start_soon(supervisor.watch)
                yield supervisor
            watching.cancel_scope.cancel()
