"""Starts processes, checks what they use against their limits, and ends them."""

import contextlib
import errno
import time
from collections.abc import AsyncIterator, Generator, Mapping
from typing import Final

import trio

from referee.processes.bot_process import BotProcess, open_process
from referee.processes.environment import environment
from referee.processes.keeper.client import KeeperClient, KeeperError
from referee.processes.keeper.lifetime import open_keeper
from referee.processes.launch import Command, Launch, without_sandbox
from referee.processes.limits import process_tree
from referee.processes.limits.cgroups import CPU_TIME, Cgroups
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import MIB, ProcessLimits
from referee.processes.limits.process_tree import Usage
from referee.processes.sandbox.bubblewrap import Sandbox

CHECK_INTERVAL: Final = 0.1
"""Seconds between two checks of resource usage."""
RETRY_PAUSES: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to start a process while the machine is short of something."""
COUNTERS: Final = {"CPU time": CPU_TIME, "memory": "memory", "processes": "pids"}
"""The watched resources, and the controller of cgroups that counts each; v2 counts CPU time without one."""
MAX_SLICE: Final = 0.001
"""Seconds after which games continue in the middle of a check: a bot with very many processes takes longer."""
MIN_WATCH_PAUSE_RATIO: Final = 20
"""Checks take at most 1/MIN_WATCH_PAUSE_RATIO of the time: with very many processes they are less frequent."""


class Supervisor:
    """Starts processes, each in a task that owns it, and checks their limits. Made by `supervise`."""

    def __init__(
        self,
        owners: trio.Nursery,
        services: trio.Nursery,
        sandbox: Sandbox | None,
        extra_env: Mapping[str, str],
        *,
        ahead: bool,
    ) -> None:
        self.sandbox = sandbox
        self._ahead = ahead
        self._owners = owners
        self._services = services
        """For tasks that run until all processes have ended."""
        self._environment = extra_env
        self._keeper: KeeperClient | None = None
        self._opening = trio.Lock()
        self._running: set[BotProcess] = set()

    async def keeper(self) -> KeeperClient:
        """The keeper, which is started when it is first needed. Raises KeeperError."""
        async with self._opening:
            if self._keeper is None:
                self._services.start_soon(self._enforce_limits)
                self._keeper = await self._services.start(self._keep)
            return self._keeper

    async def cant_suspend(self) -> str:
        """Why bots can't be suspended here; empty if they can. Raises KeeperError."""
        if self.sandbox is not None:
            return ""
        cgroups = (await self.keeper()).cgroups
        can = cgroups is not None and cgroups.can_freeze
        return "" if can else "there is no sandbox, and no cgroup of v2 can be created"

    async def _keep(self, *, task_status: trio.TaskStatus[KeeperClient]) -> None:
        async with open_keeper(user_namespace=self.sandbox is not None, ahead=self._ahead) as keeper:
            task_status.started(keeper)
            await trio.sleep_forever()

    async def start(
        self,
        command: Command,
        limits: ProcessLimits,
        *,
        extra_env: Mapping[str, str] = {},
        writable: bool = False,
        user: int | None = None,
    ) -> BotProcess:
        """Start a program in its folder, in the sandbox if there is one. Raises SpawnError.

        If the machine is short of something, the start is retried for a while; then it raises MachineError.

        `extra_env`: environment variables besides those of all programs.
        `writable`: the program may write to its folder. `user`: its user id, if bots have their own and it is not new.
        """
        variables = environment({**self._environment, **extra_env}, sandboxed=self.sandbox is not None)
        if self.sandbox is None:
            launch = without_sandbox(command.argv, command.folder, limits, variables)
        else:
            launch = self.sandbox.wrap(command, limits, variables, writable=writable, user=user)
        keeper = await self.keeper()
        pauses = iter(RETRY_PAUSES)
        while True:
            try:
                process: BotProcess = await self._owners.start(self._own, launch, limits, keeper)
                return process
            except KeeperError:
                raise
            except MachineError as error:
                pause = next(pauses, None)
                if pause is None:
                    raise
                if error.code == errno.ETOOMANYREFS:
                    self._charge_for_descriptors()
                await trio.sleep(pause)

    def _charge_for_descriptors(self) -> None:
        """Kill the process that keeps the most descriptors in flight: it has used up what all processes share."""
        in_flight = {process: process_tree.descriptors_in_flight(process.pid) for process in self._running}
        if any(in_flight.values()):
            worst = max(in_flight, key=lambda process: in_flight[process])
            worst.end_for(
                "crash",
                f"kept {in_flight[worst]} or more descriptors in flight in its sockets, so many that no process of this"
                " user could send one",
            )

    async def _own(
        self,
        launch: Launch,
        limits: ProcessLimits,
        keeper: KeeperClient,
        *,
        task_status: trio.TaskStatus[BotProcess] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Own a process, whose limits are checked from its start to its end."""
        with contextlib.ExitStack() as checked:
            async with open_process(launch, limits=limits, keeper=keeper) as process:
                self._running.add(process)
                checked.callback(self._running.discard, process)
                task_status.started(process)

    async def _enforce_limits(self) -> None:
        """Kill processes that exceed their limits, until cancelled."""
        while process_tree.HAS_PROC:
            spent = 0.0
            for process in list(self._running):
                began = time.perf_counter()
                for _ in enforce_in_steps(process, sandboxed=self.sandbox is not None):
                    elapsed = time.perf_counter() - began
                    if elapsed >= MAX_SLICE:
                        spent += elapsed
                        await trio.lowlevel.checkpoint()
                        began = time.perf_counter()
                        if process.exited.is_set():
                            break
                spent += time.perf_counter() - began
                await trio.lowlevel.checkpoint()  # let games continue between two checks
            await trio.sleep(max(CHECK_INTERVAL, MIN_WATCH_PAUSE_RATIO * spent))


def enforce_in_steps(process: BotProcess, *, sandboxed: bool = False) -> Generator[None, None, None]:
    """Kill a process if it and its descendants together exceed a limit; if `sandboxed`, also if it hides its memory."""
    if process.exited.is_set():
        return
    limits = process.limits
    used = yield from usage(process)
    process.add_usage(used)
    if used.memory > limits.memory_mb * MIB:
        process.end_for(
            "memory", f"used {used.memory // MIB} MiB of memory; at most {limits.memory_mb} MiB (memory_mb) are allowed"
        )
    elif used.is_hidden and sandboxed:
        process.end_for("memory", "hid which files it holds open, so that its memory can't be counted (memory_mb)")
    elif used.tasks > limits.processes:
        process.end_for(
            "crash",
            f"ran more than {limits.processes} processes and threads at a time; that is the limit (processes)",
        )
    elif process.cpu_seconds > limits.cpu_seconds:
        process.end_for(
            "crash",
            f"used {process.cpu_seconds:.0f} s of CPU time; at most {limits.cpu_seconds} s (cpu_seconds) are allowed",
        )


def usage(process: BotProcess) -> Generator[None, None, Usage]:
    """The resources used by a process and its descendants: counted by the kernel if its cgroup has a controller."""
    group = process.group
    memory = tasks = seconds = None
    if group is not None:
        memory, tasks, seconds = group.memory(), group.tasks(), group.cpu_seconds()
    if memory is not None and tasks is not None and seconds is not None:
        return Usage(memory, tasks, seconds, {})
    used = yield from process_tree.walk(process.pid, process.limits.processes)
    return used._replace(
        memory=used.memory if memory is None else memory,
        tasks=used.tasks if tasks is None else tasks,
        cpu=used.cpu if seconds is None else seconds,
        own=used.own if seconds is None else {},
        is_hidden=used.is_hidden and memory is None,
    )


def format_watch(keeper: KeeperClient) -> str:
    """How this keeper watches and ends bots, for the organiser."""
    ends = "in a process namespace, which the kernel ends as a whole"
    if not keeper.in_namespace:
        ends = f"below a subreaper: no process namespace ({keeper.refusal})"
    return f"{format_counters(keeper.cgroups)}. Processes run {ends}"


def format_counters(cgroups: Cgroups | None) -> str:
    versions = {} if cgroups is None else cgroups.controllers
    counted = [
        what + (" (v1)" if versions[controller] == 1 else "")
        for what, controller in COUNTERS.items()
        if controller in versions
    ]
    rest = [what for what, controller in COUNTERS.items() if controller not in versions]
    through_proc = f"{', '.join(rest)} through /proc" if rest else ""
    if not counted:
        return f"watch: {through_proc}; no cgroups can be created here"
    return "; ".join(filter(None, (f"watch: a cgroup for each bot counts {', '.join(counted)}", through_proc)))


@contextlib.asynccontextmanager
async def supervise(
    sandbox: Sandbox | None = None, extra_env: Mapping[str, str] | None = None, *, ahead: bool = False
) -> AsyncIterator[Supervisor]:
    """A supervisor for the duration of the block. The block is left only when all its processes have ended.

    `extra_env`: additional environment variables. `ahead`: whether this thread has more weight than the processes where
    they compete for the CPU, if the system allows it. Raises KeeperError, in an exception group.
    """
    async with trio.open_nursery() as services:
        async with trio.open_nursery() as owners:
            yield Supervisor(owners, services, sandbox, extra_env or {}, ahead=ahead)
        services.cancel_scope.cancel()
