"""A program that tries, as a bot would, to do what the sandbox promises to prevent. Run by sandbox_report.py.

Its only argument is a JSON object with the targets. It prints a JSON object that says for each promise what went wrong:
an empty text if the promise was kept. Only the standard library is used: a bot's Python has nothing else.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

TARGETS: Final[dict[str, Any]] = json.loads(sys.argv[1]) if __name__ == "__main__" else {}
MAX_FORKS: Final = 200
TRACEABLE: Final = ("ns/pid", "ns/net", "ns/ipc", "ns/uts", "ns/mnt")
F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_SET_RW_HINT = 1024, 1026, 1031, 1036
RWF_NOWAIT: Final = 8
FORBIDDEN_PROTOCOLS: Final = (1, 33, 115, 132, 136, 256, 262)
"""ICMP, DCCP, L2TP, SCTP, UDP-Lite, SMC and MPTCP."""
SOCKET_TYPES: Final[tuple[int, ...]] = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, 6)
"""The last is SOCK_DCCP."""
PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
GETPID_OF_32_BIT: Final = bytes.fromhex("b814000000cd80c3")
"""mov $20, %eax; int $0x80; ret"""


def succeeded(what: str, do: Callable[..., object], *arguments: object) -> Iterator[str]:
    try:
        do(*arguments)
    except (OSError, ValueError):
        return
    yield what


def writable(path: str) -> bool:
    """Whether a file can be opened for writing. Nothing is written."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def status(field: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((line.split()[1] for line in lines if line.startswith(f"{field}:")), "")


# -- the promises -----------------------------------------------------------------------------------------------------


def files() -> Iterator[str]:
    for path in TARGETS["private"]:
        yield from succeeded(f"{path} is visible", os.stat, path)
    yield from succeeded("its home is visible", os.listdir, TARGETS["home"])
    Path(__file__).read_bytes()  # for its access time
    if any(Path(TARGETS["hidden"]).iterdir()):
        yield "a file hidden in its own folder is visible"


def read_only() -> Iterator[str]:
    for folder in (".", "/", "/usr", "/etc", "/opt", "/var", "/dev", "/proc", "/sys", TARGETS["hidden"]):
        yield from succeeded(f"a file was created in {folder}", os.open, f"{folder}/made", os.O_CREAT | os.O_WRONLY)
    yield from succeeded("its own file can be opened for writing", os.open, __file__, os.O_WRONLY)


def kernel_files() -> Iterator[str]:
    found = []
    for top in ("/proc", "/sys"):
        for folder, _, names in os.walk(top):
            paths = (f"{folder}/{name}" for name in names if "/fd/" not in f"{folder}/" and "/task/" not in folder)
            found += [path for path in paths if writable(path)]
    if found:
        yield f"{len(found)} files can be opened for writing, such as {found[0]}"


def scratch() -> Iterator[str]:
    room = os.statvfs("/tmp")
    if room.f_blocks * room.f_frsize != TARGETS["tmp_bytes"]:
        yield f"/tmp has {room.f_blocks * room.f_frsize} bytes"
    Path("/tmp/left by a bot").write_text("for the next")


def network() -> Iterator[str]:
    yield from succeeded(
        "a server on this machine answered", socket.create_connection, ("127.0.0.1", TARGETS["port"]), 2
    )
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if others:
        yield f"there is a network interface {others[0]}"
    with socket.socket(socket.AF_UNIX) as abstract:
        yield from succeeded(
            "an abstract socket of this machine answered", abstract.connect, "\0" + TARGETS["abstract"]
        )


def processes() -> Iterator[str]:
    yield from succeeded("the referee can be signalled", os.kill, TARGETS["pid"], 0)
    seen = [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    if len(seen) > 3:
        yield f"{len(seen)} processes are visible"
    for name in TRACEABLE:
        if str(Path("/proc/self", name).readlink()) == TARGETS["namespaces"][name]:
            yield f"{name} is the referee's"


def privileges() -> Iterator[str]:
    for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(status(field), 16):
            yield f"{field} is {status(field)}"
    if status("NoNewPrivs") != "1":
        yield "programs can get new privileges"


def user() -> Iterator[str]:
    """The user id on the host. Tried only if the referee runs as root: otherwise it is the referee's."""
    inside, outside, _ = map(int, Path("/proc/self/uid_map").read_text().split()[:3])
    if os.getuid() - inside + outside == 0:
        yield "it is root"


def system_calls() -> Iterator[str]:
    if status("Seccomp") != "2":
        yield "there is no filter"
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for wanted, calls in ((errno.EPERM, TARGETS["refused"]), (errno.ENOSYS, TARGETS["unknown"])):
        for name, number in calls.items():
            result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
            if result != -1 or ctypes.get_errno() != wanted:
                yield f"{name} is not refused"
    for family in set(range(48)) - {1, 2, 10, 16}:
        for kind in SOCKET_TYPES:
            yield from succeeded(f"a socket of family {family} was created", socket.socket, family, kind)
    for protocol in FORBIDDEN_PROTOCOLS:
        for kind in SOCKET_TYPES:
            yield from succeeded(
                f"a socket of protocol {protocol} was created", socket.socket, socket.AF_INET, kind, protocol
            )
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) or libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1:
        yield "it can hide its open files"
    yield from succeeded("it created a terminal", os.openpty)
    if libc.unshare(0x10000000) == 0:
        yield "it created a user namespace"
    if TARGETS["machine"] == "x86_64" and not killed_by(signal.SIGSYS, make_32_bit_call):
        yield "system calls of 32-bit programs are possible"
    yield from succeeded("a set-user-ID file was created", set_id_file)


def set_id_file() -> None:
    Path("/tmp/set-user-ID").touch()
    os.chmod("/tmp/set-user-ID", 0o4755)  # noqa: PTH101


def make_32_bit_call() -> None:
    code = ctypes.CDLL(None)
    code.mmap.restype = ctypes.c_void_p
    place = code.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))
    ctypes.memmove(place, GETPID_OF_32_BIT, len(GETPID_OF_32_BIT))
    ctypes.CFUNCTYPE(ctypes.c_int)(place)()


def killed_by(number: int, do: Callable[[], None]) -> bool:
    child = os.fork()
    if not child:
        do()
        os._exit(0)
    return os.waitpid(child, 0)[1] & 0x7F == number


def messages() -> Iterator[str]:
    """Channels from one bot to another through a file that both see."""
    first, second = (os.open("/usr/bin/env", os.O_RDONLY) for _ in range(2))
    for lock in (fcntl.LOCK_EX, fcntl.LOCK_SH):
        fcntl.flock(first, lock | fcntl.LOCK_NB)
        try:
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield "locks of others are visible"
    for name, command, argument in (
        ("a lease", F_SETLEASE, fcntl.F_RDLCK),
        ("a notification", F_NOTIFY, 1),
        ("a write hint", F_SET_RW_HINT, struct.pack("Q", 2)),
    ):
        yield from succeeded(f"{name} on a file of the system was accepted", fcntl.fcntl, first, command, argument)
    yield from succeeded("a pipe was resized", fcntl.fcntl, 1, F_SETPIPE_SZ, 4096)
    yield from succeeded("cached pages can be detected", os.preadv, first, [bytearray(1)], 0, RWF_NOWAIT)
    for descriptor in (first, second):
        os.close(descriptor)


def limits() -> Iterator[str]:
    for name, value in TARGETS["limits"].items():
        found = resource.getrlimit(getattr(resource, name))
        if found[1] == resource.RLIM_INFINITY or found[1] > value:
            yield f"{name} is {found[1]} instead of {value}"
    if TARGETS["limits"].get("RLIMIT_NPROC") and count_forks() > TARGETS["limits"]["RLIMIT_NPROC"]:
        yield "it can start more processes than it may"


def count_forks() -> int:
    """The number of processes that can be started, up to MAX_FORKS."""
    children: list[int] = []
    try:
        for _ in range(MAX_FORKS):
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


def environment() -> Iterator[str]:
    if TARGETS["secret"] in os.environ.values():
        yield "variables of the referee are passed on"
    if os.environ.get("WANTED", "") != TARGETS["wanted"]:
        yield "a requested variable is missing"


def descriptors() -> Iterator[str]:
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that listed them
            if int(descriptor.name) > 2:
                yield f"descriptor {descriptor.name} is open: {descriptor.readlink()}"


def streams() -> Iterator[str]:
    """Not an attack: many programs read /dev/stdin."""
    done = subprocess.run(["cat", "/dev/stdin"], input=b"x", capture_output=True, check=False)
    if done.stdout != b"x":
        yield f"cat /dev/stdin: {done.stderr.decode(errors='replace').strip()}"
    for path in ("/dev/stdout", "/dev/stderr"):
        if not writable(path):
            yield f"{path} can't be opened"


ATTEMPTS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    function.__name__: function
    for function in (
        *(files, read_only, kernel_files, scratch, network, processes, privileges, user, system_calls, messages),
        *(limits, environment, descriptors, streams),
    )
}


def try_all(names: Iterable[str]) -> dict[str, str]:
    """Try each promise. Returns what went wrong, by promise."""
    found = {}
    for name in names:
        try:
            found[name] = "; ".join(ATTEMPTS[name]())
        except Exception as error:  # not a broken promise, but none that has been tested either
            found[name] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    print(json.dumps(try_all(TARGETS["promises"])))  # noqa: T201
