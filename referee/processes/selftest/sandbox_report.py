"""Checks which promises of the sandbox hold on this machine: a program inside it tries each (attempts.py)."""

import contextlib
import ctypes
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from referee.processes import linux
from referee.processes.environment import environment
from referee.processes.launch import Command, Launch, SpawnError, without_sandbox
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import MIB, ProcessLimits, max_processes
from referee.processes.sandbox.bubblewrap import WRAPPER_PROCESSES, Sandbox, SandboxError
from referee.processes.sandbox.choice import Mode, choose
from referee.processes.sandbox.seccomp import ARCHITECTURES, table
from referee.processes.selftest import keeper_report
from referee.processes.selftest.channel_report import try_channels
from referee.processes.selftest.guarantees import SandboxCheck, SandboxReport
from referee.processes.supervisor import supervise

GUARANTEE_PROGRAM: Final = "attempts.py"
GUARANTEE_TIMEOUT: Final = 60.0
PROMISES: Final = {
    "files": "a bot sees only the system's files and its own",
    "read_only": "it can write to no files except in its /tmp and /dev/shm",
    "kernel_files": "nothing in /proc and /sys can be opened for writing",
    "scratch": "its /tmp is its own, has a limited size, and is gone afterwards",
    "access_times": "reading a file leaves no trace",
    "network": "it has no network, and can't reach servers on this machine",
    "processes": "it doesn't see other processes, and can't signal them",
    "privileges": "it has no capabilities and gets no new privileges",
    "user": "it doesn't run as root",
    "system_calls": "system calls that it doesn't need are refused",
    "messages": "locks, leases, hints and times of files tell another bot nothing",
    "keyring": "its keyring is not the referee's",
    "limits": "its processes, files and CPU time are limited by the kernel",
    "environment": "it gets only the variables that are documented or requested",
    "descriptors": "it gets only its three pipes as descriptors",
    "streams": "it can open /dev/stdin, /dev/stdout and /dev/stderr as usual",
    **keeper_report.PROCESS_PROMISES,
}
WITHOUT_SANDBOX: Final = ("limits", "environment", "descriptors", "keyring", "ends")
"""Promises that hold without a sandbox too."""
UNKNOWN_CALLS: Final = {
    "x86_64": {"inotify_init1": 294, "mincore": 27, "modify_ldt": 154, "io_setup": 206},
    "aarch64": {"inotify_init1": 26, "mincore": 232, "io_setup": 0},
}
UNKNOWN_EVERYWHERE: Final = {
    "io_uring_setup": 425,
    "clone3": 435,
    "openat2": 437,
    "memfd_secret": 447,
    "cachestat": 451,
    "a system call that no kernel knows": 9999,
}
SMALL: Final = ProcessLimits(processes=40, open_files=256, file_mb=3, tmp_mb=3, cpu_seconds=100)
SESSION_KEYRING: Final = "import ctypes, sys; print(ctypes.CDLL(None).syscall(int(sys.argv[1]), 0, -3, 0))"
"""Prints the serial number of the session keyring: keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0)."""

DEVICE_TIMES: Final = """
import os, sys
for name in filter(os.path.exists, sys.argv[1:]):
    try:
        os.utime(name)
    except OSError:
        continue
    print("the times of", name, "can be set", file=sys.stderr)
"""
"""Tries to set the times of files, as any user who may write to them can."""


async def examine(mode: Mode = "auto") -> SandboxReport:
    """Try every promise in the sandbox that a match with this mode would use. Takes about a second. Never raises."""
    try:
        sandbox, reason = choose(mode)
    except SandboxError as error:
        sandbox, reason = None, str(error)
    return await report_on(sandbox, reason)


async def report_on(sandbox: Sandbox | None, reason: str = "") -> SandboxReport:
    found = await trio.to_thread.run_sync(try_promises, sandbox)
    watch, kept_by_keeper = await keeper_report.try_keeper(sandbox)
    found |= kept_by_keeper
    if sandbox is not None and not found.get("messages", "not tried"):
        found["messages"] = await device_problem(sandbox)
    channels = await trio.to_thread.run_sync(try_channels, sandbox)
    return SandboxReport(
        sandbox="none" if sandbox is None else "bubblewrap",
        reason=reason,
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        bubblewrap=None if sandbox is None else version(sandbox),
        user="root" if os.geteuid() == 0 else "ordinary",
        filtered=sandbox is not None and sandbox.filtered,
        watch=watch,
        checks=tuple(
            SandboxCheck(
                name=name,
                promise=promise,
                verdict="untested" if name not in found else "fail" if found[name] else "pass",
                reason=found.get(name, "the program that tries it could not be run"),
            )
            for name, promise in PROMISES.items()
        ),
        channels=channels,
    )


async def device_problem(sandbox: Sandbox) -> str:
    """The problem with the devices that the sandbox shows, or "". The keeper protects them, so it starts this."""
    argv = (sys.executable, "-IS", "-c", DEVICE_TIMES, *(f"/dev/{name}" for name in linux.DEVICE_NAMES))
    problem = ""
    try:
        async with supervise(sandbox) as supervisor:
            process = await supervisor.start(Command(argv, Path("/usr")), SMALL)
            with trio.move_on_after(GUARANTEE_TIMEOUT):
                await process.exited.wait()
            process.stop()
            await process.closed.wait()
            problem = "; ".join(process.stderr.tail.decode(errors="replace").splitlines())
    except* (MachineError, SpawnError) as errors:
        problem = str(errors.exceptions[0])
    return problem


def version(sandbox: Sandbox) -> str | None:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [sandbox.bwrap, "--version"], capture_output=True, text=True, check=True, timeout=GUARANTEE_TIMEOUT
        )
        return done.stdout.strip().removeprefix("bubblewrap ")
    return None


def try_promises(sandbox: Sandbox | None) -> dict[str, str]:
    """The problem with each promise: empty if it is kept."""
    found = {} if sandbox is not None else dict.fromkeys(PROMISES, "there is no sandbox")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        program = folder / GUARANTEE_PROGRAM
        program.write_text(Path(__file__).with_name(GUARANTEE_PROGRAM).read_text(encoding="utf-8"))
        os.utime(program, (0, 0))
        secret = secrets.token_hex(8)
        aim = stack.enter_context(_targets(folder, sandbox))
        aim |= {"secret": secret, "wanted": "yes"}
        hidden = folder / "hidden"
        if sandbox is not None:
            sandbox = msgspec.structs.replace(sandbox, hide=(*sandbox.hide, hidden))
        os.environ["REFEREE_SECRET"] = secret
        stack.callback(os.environ.pop, "REFEREE_SECRET")
        variables = environment({"WANTED": "yes"}, sandboxed=sandbox is not None)
        argv = (sys.executable, "-IS", str(program), msgspec.json.encode(aim).decode())
        try:
            if sandbox is None:
                output = _run(without_sandbox(argv, folder, SMALL, variables))
            else:
                output = _run(sandbox.wrap(Command(argv, folder), SMALL, variables))
            found |= msgspec.json.decode(output, type=dict[str, str])
        except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
            pass
        if sandbox is not None and found:
            if Path("/tmp/left by a bot").exists():
                found["scratch"] = "others can see what it writes to /tmp"
            found["access_times"] = "the time of a file has changed" if program.stat().st_atime else ""
            found.setdefault("user", "")
        found.pop("keyring", None)
        if (keyring := _keyring_problem(folder)) is not None:
            found["keyring"] = keyring
    return found


@contextlib.contextmanager
def _targets(folder: Path, sandbox: Sandbox | None) -> Iterator[dict[str, Any]]:
    """The targets of the attempts: files, servers and processes that a bot must not reach."""
    hidden = folder / "hidden"
    hidden.mkdir()
    (hidden / "secret").write_text("secret")
    outside = Path(tempfile.mkdtemp())
    (outside / "secret").write_text("secret")
    abstract = secrets.token_hex(8)
    promises = WITHOUT_SANDBOX if sandbox is None else PROMISES
    elsewhere = {"access_times", "keyring", *keeper_report.PROCESS_PROMISES, *(() if os.geteuid() == 0 else ("user",))}
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
            unix.bind("\0" + abstract)
            unix.listen()
            yield {
                "promises": [name for name in promises if name not in elsewhere],
                "private": [
                    str(outside),
                    str(outside / "secret"),
                    "/etc/shadow",
                    "/var",
                    "/run",
                    "/boot",
                    "/root/.ssh",
                ],
                "home": os.path.expanduser("~/.ssh"),  # noqa: PTH111 (raises without a home)
                "hidden": str(hidden),
                "tmp_bytes": SMALL.tmp_mb * MIB,
                "port": server.getsockname()[1],
                "abstract": abstract,
                "pid": os.getpid(),
                "namespaces": {name: _namespace(name) for name in ("ns/pid", "ns/net", "ns/ipc", "ns/uts", "ns/mnt")},
                "machine": platform.machine(),
                "refused": _calls("refuse"),
                "unknown": {**UNKNOWN_CALLS.get(platform.machine(), {}), **UNKNOWN_EVERYWHERE},
                "limits": _limits(sandbox),
            }
    finally:
        shutil.rmtree(outside, ignore_errors=True)


def _namespace(name: str) -> str:
    try:
        return str(Path("/proc/self", name).readlink())
    except OSError:
        return ""


def _calls(action: str) -> dict[str, int]:
    """The numbers of the system calls with an action, by name."""
    if platform.machine() not in ARCHITECTURES:
        return {}
    numbers = ((call.name, getattr(call, platform.machine()), call.action) for call in table())
    return {name: number for name, number, found in numbers if number is not None and found == action}


def _limits(sandbox: Sandbox | None) -> dict[str, int]:
    expected = {"RLIMIT_NOFILE": SMALL.open_files, "RLIMIT_FSIZE": SMALL.file_mb * MIB, "RLIMIT_CORE": 0}
    expected["RLIMIT_CPU"] = SMALL.cpu_seconds + 2
    if sandbox is not None:
        expected["RLIMIT_NPROC"] = max_processes(SMALL.processes) - WRAPPER_PROCESSES
    return expected


def _run(launch: Launch) -> bytes:
    """The output of a program. Raises OSError or subprocess.SubprocessError."""
    with launch.popen_arguments() as arguments:
        done = subprocess.run(**arguments, capture_output=True, input=b"", check=True, timeout=GUARANTEE_TIMEOUT)
    output: bytes = done.stdout
    return output


def _keyring_problem(folder: Path) -> str | None:
    """The problem with the session keyring of a new process; None if it is not known."""
    number = linux.KEYCTL_NUMBERS.get(platform.machine())
    if number is None or sys.platform != "linux":
        return None
    own = ctypes.CDLL(None).syscall(number, 0, -3, 0)
    argv = (sys.executable, "-IS", "-c", SESSION_KEYRING, str(number))
    try:
        other = int(_run(without_sandbox(argv, folder, SMALL, {})))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return "it has the session keyring of the referee" if other == own else ""
