"""The process of a keeper: its start, the watch over it while it is needed, and its end."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import trio

from referee.printable import sanitise
from referee.processes.keeper.client import KEEPER_START_TIMEOUT, KeeperClient, KeeperError
from referee.processes.limits.cgroups import scope_command
from referee.processes.limits.machine import raise_descriptor_limit

KEEPER_PROGRAM: Final = """
import sys
for name, folder in zip(("referee", "referee.processes"), sys.argv[1:]):
    sys.modules[name] = type(sys)(name)
    sys.modules[name].__path__ = [folder]
from referee.processes.keeper.main import main
main(int(sys.argv[3]), sys.argv[4])
"""
"""Runs the keeper without importing the `__init__` modules of its packages."""
KEEPER_END_TIMEOUT: Final = 10.0
"""Seconds that the keeper has to end everything and itself."""
EXIT_POLL_INTERVAL: Final = 0.002
PASSED_VARIABLES: Final = ("LD_", "DYLD_", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
"""Prefixes of the environment variables that Python or systemd-run may need to run."""
SCOPE_TIMEOUT: Final = 3.0
"""Seconds that systemd has to answer."""


@contextlib.asynccontextmanager
async def open_keeper(*, user_namespace: bool, ahead: bool = False) -> AsyncIterator[KeeperClient]:
    """A keeper for the duration of the block, after which all its processes have ended. Raises KeeperError.

    `ahead`: whether this thread has more weight than bots where they compete for the CPU, if the system allows it.

    If the referee is not root, the keeper can have a process namespace only in a user namespace, in which set-user-ID
    programs don't work; `user_namespace` says whether that is acceptable.
    """
    namespace = "process" if os.geteuid() == 0 else "user" if user_namespace else ""
    raise_descriptor_limit()
    scope = scope_command()
    if scope and not await _succeeds([*scope, "/bin/true"]):
        scope = []
    try:
        ours, theirs = socket.socketpair()
        with theirs:
            program = _start_keeper(scope, theirs, namespace)
    except OSError as error:
        raise KeeperError.of(error, "start the process that starts bots") from None
    ours.setblocking(False)
    keeper = KeeperClient(ours)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keeper.receive_all)
            nursery.start_soon(keeper.send_all)
            nursery.start_soon(_watch, keeper, program)
            with trio.move_on_after(KEEPER_START_TIMEOUT):
                await keeper.is_ready.wait()
            if not keeper.is_ready.is_set():
                raise KeeperError(f"the process that starts bots was not ready within {KEEPER_START_TIMEOUT:g} s")
            if keeper.in_namespace:
                program.wait()
            nursery.start_soon(_watch_heartbeat, keeper)
            await keeper.use_cgroups(in_scope=bool(scope))
            own = keeper.cgroups.enter_own_group() if ahead and keeper.cgroups else None
            try:
                yield keeper
            finally:
                if own is not None and not own.move_back():
                    with trio.CancelScope(shield=True):
                        await trio.to_thread.run_sync(own.clear)
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await _end_keeper(keeper, program)


async def _succeeds(command: Sequence[str]) -> bool:
    """Whether a command ends soon, and successfully."""
    null = subprocess.DEVNULL
    with trio.move_on_after(SCOPE_TIMEOUT), contextlib.suppress(OSError):
        done = await trio.run_process(
            command, stdin=null, stdout=null, stderr=null, check=False, start_new_session=True
        )
        return done.returncode == 0
    return False


def _start_keeper(scope: Sequence[str], link: socket.socket, namespace: str) -> "subprocess.Popen[bytes]":
    """Start the keeper, through the command `scope` unless that is empty. Raises OSError."""
    here = Path(__file__).parents[1]
    return subprocess.Popen(
        [*scope, sys.executable, "-IS", "-c", KEEPER_PROGRAM, str(here.parent), str(here), str(os.getpid()), namespace],
        stdin=link.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name.startswith(PASSED_VARIABLES)},
        cwd="/",
        start_new_session=True,
    )


async def _watch(keeper: KeeperClient, program: "subprocess.Popen[bytes]") -> None:
    """Raise KeeperError when the keeper ends, or nothing can be exchanged with it any more."""
    await keeper.ended.wait()
    if keeper.problem is not None:
        raise keeper.problem
    assert program.stderr is not None
    os.set_blocking(program.stderr.fileno(), False)
    said = (program.stderr.read() or b"").decode(errors="replace").strip().splitlines()
    raise KeeperError("the process that starts bots has ended" + (f": {sanitise(said[-1])}" if said else ""))


async def _watch_heartbeat(keeper: KeeperClient) -> None:
    """Raise KeeperError when the keeper does nothing any more."""
    keeper.heartbeat.answered()  # it is ready
    silence = await keeper.heartbeat.watch(keeper.ping)
    keeper.is_unresponsive = True
    raise KeeperError(
        f"the process that starts bots hasn't answered for {silence:g} s: was it stopped, or is the machine out of"
        " memory? Finished games are kept"
    )


async def _end_keeper(keeper: KeeperClient, program: "subprocess.Popen[bytes]") -> None:
    """Let the keeper end, and wait for it; kill it if it doesn't."""
    with contextlib.suppress(OSError):
        keeper.link.shutdown(socket.SHUT_WR)
    with trio.move_on_after(0 if keeper.is_unresponsive else KEEPER_END_TIMEOUT):
        await keeper.receive_all()  # it may not even have reported yet that it is ready
        if keeper.pidfd is not None:
            await trio.lowlevel.wait_readable(keeper.pidfd)
        while program.poll() is None:  # noqa: ASYNC110 (there is no portable event)
            await trio.sleep(EXIT_POLL_INTERVAL)
    if keeper.pidfd is not None:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(keeper.pidfd, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # it is a child if this process is init or a subreaper
            os.waitid(os.P_PIDFD, keeper.pidfd, os.WEXITED)  # noqa: ASYNC222 (it has been killed)
    if keeper.cgroups is not None:
        keeper.cgroups.remove()
    program.kill()
    program.wait()
    assert program.stderr is not None
    program.stderr.close()
    keeper.close()


def keepers_of(referee: int) -> list[int]:
    """The keepers of a process, from /proc; they may outlive it for a moment."""
    processes = os.listdir("/proc") if os.path.isdir("/proc") else ()  # noqa: PTH112, PTH208
    return [int(name) for name in processes if name.isdigit() and is_keeper_of(referee, name)]


def is_keeper_of(referee: int, process: str) -> bool:
    """Whether a process is a keeper of another one."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/cmdline", "rb", buffering=0) as file:  # noqa: PTH123
        words = file.read().split(b"\0")
        return KEEPER_PROGRAM.encode() in words and str(referee).encode() in words
    return False


async def wait_for_keepers(referee: int) -> None:
    """Wait until all keepers of a process that has ended, and so all its bots, have ended, too."""
    while keepers_of(referee):  # noqa: ASYNC110 (they are not child processes)
        await trio.sleep(EXIT_POLL_INTERVAL)
