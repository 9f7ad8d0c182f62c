"""Tries whether a bot's processes end with it, and whether they can be suspended, for `referee sandbox`."""

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import Final

import trio

from referee.processes.bot_process import BotProcess
from referee.processes.launch import Command, SpawnError
from referee.processes.limits import process_tree
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.procfs import SYSTEM_TIME, USER_TIME, read_stat
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.supervisor import Supervisor, format_watch, supervise

PROCESS_PROMISES: Final = {
    "ends": "everything that it has started ends with it",
    "stands_still": "with --no-ponder none of its processes run while it is not its turn",
}
DETACHED: Final = """
import os
if not os.fork():
    os.setsid()
    os.fork()
while True: pass
"""
"""Three busy processes, two of them in their own session."""
RESUMES_ITSELF: Final = """
import ctypes, signal, struct
signal.alarm(60)
libc, timers = ctypes.CDLL(None), [ctypes.c_void_p() for _ in range(24)]
event = ctypes.create_string_buffer(struct.pack("Pii", 0, signal.SIGCONT, 0), 64)
def set_timers(*_):
    for number, timer in enumerate(timers, 1):
        milliseconds = 2 * number if number <= 16 else 32 << number - 16
        libc.timer_settime(timer, 0, struct.pack("qqqq", 0, 0, *divmod(milliseconds * 1000000, 10**9)), None)
for timer in timers: libc.timer_create(1, event, ctypes.byref(timer))
signal.signal(signal.SIGCONT, set_timers)
set_timers()
print("here", flush=True)
while True: pass
"""
"""A busy process with timers (timer_create(2)) that send it SIGCONT, and are set again as soon as it runs: on a busy
machine that may take seconds."""
DETACHED_PROCESSES: Final = 3
TRIAL_START_TIMEOUT: Final = 10.0
SUSPEND_TIMEOUT: Final = 2.0
"""Seconds within which everything must be suspended."""
SUSPENDED_FOR: Final = 0.1
"""Seconds for which it must stay suspended. The kernel shows CPU time in steps of 0.01 s."""
TRIAL_POLL_INTERVAL: Final = 0.01


async def try_keeper(sandbox: Sandbox | None) -> tuple[str, dict[str, str]]:
    """How bots are watched and ended here, and the problem with each promise that could be tried: empty if it is
    kept."""
    found: dict[str, str] = {}
    watch = ""
    if not process_tree.HAS_PROC:
        return "only process groups are ended here, as there is no /proc", found
    token = secrets.token_hex(8)
    try:
        async with supervise(sandbox) as supervisor:
            watch = format_watch(await supervisor.keeper())
            command = Command((sys.executable, "-IS", "-c", DETACHED, token), Path("/usr"))
            process = await supervisor.start(command, ProcessLimits())
            with trio.move_on_after(TRIAL_START_TIMEOUT):
                while len(ticks(token)) < DETACHED_PROCESSES:  # noqa: ASYNC110 (there is no event for this)
                    await trio.sleep(TRIAL_POLL_INTERVAL)
                found["stands_still"] = await supervisor.cant_suspend() or (
                    "" if await is_suspended(process, token) else "some of its processes keep running"
                )
                found["ends"] = ""
            process.stop()
            await process.closed.wait()
            if found.get("stands_still") == "":
                found["stands_still"] = await try_continued(supervisor)
    except* (MachineError, SpawnError) as errors:
        watch = watch or str(errors.exceptions[0])
    if "ends" in found and ticks(token):
        found["ends"] = "some of its processes are left"
    return watch, found


async def try_continued(supervisor: Supervisor) -> str:
    """The problem if a process sends SIGCONT to itself: it should stay suspended, or be ended for it."""
    token = secrets.token_hex(8)
    command = Command((sys.executable, "-IS", "-c", RESUMES_ITSELF, token), Path("/usr"))
    process = await supervisor.start(command, ProcessLimits())
    with trio.move_on_after(TRIAL_START_TIMEOUT):
        await trio.lowlevel.wait_readable(process.stdout)
    still = await is_suspended(process, token)
    process.stop()
    await process.closed.wait()
    return "" if still else "a process that a timer sends SIGCONT keeps running"


async def is_suspended(process: BotProcess, token: str) -> bool:
    """Whether all processes of a busy bot are soon suspended by `suspend` until `resume`, or have ended."""
    process.suspend()
    still = False
    with trio.move_on_after(SUSPEND_TIMEOUT):
        while not still:
            before = ticks(token)
            await trio.sleep(SUSPENDED_FOR)
            still = ticks(token) == before
    await process.resume()
    return still


def ticks(token: str) -> dict[str, int]:
    """The CPU time used by each process of the program with this argument."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError, IndexError):  # it has ended
            words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
            if words[0] == os.fsencode(sys.executable) and token.encode() in words:
                fields = read_stat(name)
                found[name] = int(fields[USER_TIME]) + int(fields[SYSTEM_TIME])
    return found
