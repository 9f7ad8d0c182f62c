"""Starts processes, checks what they use against their limits, and ends them."""

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

import trio

from referee.processes import process_tree
from referee.processes.environment import environment
from referee.processes.keeper_client import KeeperClient, Program, open_keeper
from referee.processes.limits import MIB, ProcessLimits, kernel_limits
from referee.processes.process import BotProcess, run_process
from referee.processes.sandbox import READY_FD, Sandbox

CHECK_INTERVAL: Final = 0.1
"""Seconds between two checks of the use of resources."""
NONE: Final[Mapping[str, str]] = MappingProxyType({})
MAX_SHARE: Final = 20
"""Checks take at most 1/MAX_SHARE of the time: with very many processes there are fewer of them."""


class Supervisor:
    """Starts processes, each in a task of `nursery` that owns it. Made by `supervise`."""

    def __init__(
        self, nursery: trio.Nursery, keeper: KeeperClient, sandbox: Sandbox | None, extra_env: Mapping[str, str]
    ) -> None:
        self.keeper = keeper
        self.sandbox = sandbox
        self._nursery = nursery
        self._environment = extra_env
        self._running: set[BotProcess] = set()
        self._wrapped: dict[tuple[object, ...], list[str]] = {}
        """Command lines in the sandbox: it takes a millisecond to find out what a bot needs to see."""

    async def start(
        self,
        argv: Sequence[str],
        folder: Path,
        limits: ProcessLimits,
        *,
        extra_env: Mapping[str, str] = NONE,
        from_command_line: bool = False,
        writable: bool = False,
    ) -> BotProcess:
        """Start a program in its folder, in the sandbox if there is one. Raises SpawnError.

        `extra_env`: environment variables besides those of all programs.
        `from_command_line`: the organiser typed the command, so the files that it names are visible in the sandbox.
        `writable`: the program may write to its folder.
        """
        if self.sandbox is not None:
            what = (tuple(argv), folder, limits, from_command_line, writable)
            if what not in self._wrapped:
                self._wrapped[what] = self.sandbox.wrap(
                    argv, folder, limits, from_command_line=from_command_line, writable=writable
                )
            argv = self._wrapped[what]
        variables = environment({**self._environment, **extra_env}, sandboxed=self.sandbox is not None)
        program = Program(
            argv=argv,
            folder=folder,
            environment=variables,
            limits=kernel_limits(limits),
            ready_fd=None if self.sandbox is None else READY_FD,
        )
        run = partial(run_process, program, limits=limits, keeper=self.keeper)
        process: BotProcess = await self._nursery.start(self._own, run)
        return process

    async def _own(self, run: Callable[..., Awaitable[None]], *, task_status: trio.TaskStatus[BotProcess]) -> None:
        """Run a process, registered for checks from its start to its end."""
        registered: list[BotProcess] = []

        class Registration:
            def started(_, process: BotProcess) -> None:  # noqa: N805
                registered.append(process)
                self._running.add(process)
                task_status.started(process)

        try:
            await run(task_status=Registration())
        finally:
            self._running.difference_update(registered)

    async def enforce_limits(self) -> None:
        """Kill processes that exceed their limits, until cancelled."""
        while process_tree.AVAILABLE:
            began = time.perf_counter()
            for process in list(self._running):
                if not process.exited.is_set():
                    enforce(process)
                    await trio.lowlevel.checkpoint()  # let games continue between two checks
            await trio.sleep(max(CHECK_INTERVAL, MAX_SHARE * (time.perf_counter() - began)))


def enforce(process: BotProcess) -> None:
    """Kill a process if it and its descendants together exceed a limit."""
    limits = process.limits
    used = process_tree.usage(process.pid, limits.processes)
    process.add_usage(used)
    if used.memory > limits.memory_mb * MIB:
        process.end_for(
            "memory", f"used {used.memory // MIB} MiB of memory; at most {limits.memory_mb} MiB (memory_mb) are allowed"
        )
    elif used.tasks > limits.processes:
        process.end_for(
            "crash",
            f"ran over {limits.processes} processes and threads at a time; no more (processes) are allowed",
        )
    elif process.cpu_seconds > limits.cpu_seconds:
        process.end_for(
            "crash",
            f"used {process.cpu_seconds:.0f} s of CPU time; at most {limits.cpu_seconds} s (cpu_seconds) are allowed",
        )


@contextlib.asynccontextmanager
async def supervise(
    sandbox: Sandbox | None = None, extra_env: Mapping[str, str] | None = None
) -> AsyncIterator[Supervisor]:
    """A supervisor for the duration of the block. The block is left only when all its processes have ended.

    `extra_env`: additional environment variables. Raises KeeperError, in an exception group.
    """
    async with (
        open_keeper(user_namespace=sandbox is not None) as keeper,
        trio.open_nursery() as enforcing,
    ):
        async with trio.open_nursery() as nursery:
            supervisor = Supervisor(nursery, keeper, sandbox, extra_env or {})
            enforcing.start_soon(supervisor.enforce_limits)
            yield supervisor
        enforcing.cancel_scope.cancel()
