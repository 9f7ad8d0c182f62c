"""A program that tries, as two bots would, to send a bit from one sandbox to another. Run by channel_report.py.

Its arguments are a role and a file that both sandboxes show. `send` and `receive` run at the same time, `leave_traces`
and `find_traces` one after the other. The receiving ones print a JSON object: what a channel carried, or an empty text
if nothing came through. `send` runs until it is killed. Only the standard library is used.
"""

import contextlib
import ctypes
import json
import mmap
import os
import platform
import resource
import sys
import time
from pathlib import Path
from typing import Final

FUTEX: Final = {"x86_64": 202, "aarch64": 98}
FUTEX_WAIT, FUTEX_WAKE = 0, 1
C_LIBRARY: Final = ctypes.CDLL(None, use_errno=True)
C_LIBRARY.mmap.restype = ctypes.c_void_p
C_LIBRARY.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
MESSAGE_TIMEOUT: Final = 1.5
"""How long a message is waited for."""
ATTEMPT_INTERVAL: Final = 0.01
SHARED_MEMORY: Final = 2 * 1024 * 1024
FILE_PAGES: Final = 256
MESSAGE: Final = tuple(index * 37 % 256 for index in range(32))
"""The pages that `leave_traces` reads."""
UNREAD_PAGES: Final = tuple(index * 37 % 256 for index in range(100, 132))
"""As many that it doesn't."""
PIPES: Final = 8192
"""How many pipes `leave_traces` makes."""
INODES_PER_CPU: Final = 1024
"""Each processor takes as many numbers of inodes at a time from the counter of the machine."""


class Timespec(ctypes.Structure):
    """The struct of that name."""

    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def map_file(path: str) -> int:
    """The address of the first page of a file, mapped for reading and shared."""
    fd = os.open(path, os.O_RDONLY)
    address: int = C_LIBRARY.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    os.close(fd)
    ctypes.string_at(address, 1)
    return address


def futex(address: int, operation: int, value: int, timeout: float = 0.0) -> int:
    """futex(2); OSError is not raised."""
    limit = Timespec(int(timeout), int(timeout % 1 * 1e9))
    result: int = C_LIBRARY.syscall(
        FUTEX[platform.machine()], ctypes.c_void_p(address), operation, value, ctypes.byref(limit), None, 0
    )
    return result


def send(path: str) -> None:
    """Wake whoever waits on the file, and use shared memory now and then."""
    address = map_file(path)
    for step in range(1_000_000):
        futex(address, FUTEX_WAKE, 1)
        if step % 10 == 0:
            Path("/dev/shm/sent").write_bytes(bytes(SHARED_MEMORY))
        elif step % 10 == 5:
            Path("/dev/shm/sent").unlink()
        time.sleep(ATTEMPT_INTERVAL)


def receive(path: str) -> dict[str, str]:
    """Try what two bots that are alive at the same time have in common."""
    return {
        "futexes": receive_wake(path),
        "pagemap": readable("pagemap"),
        "smaps": readable("smaps") or readable("smaps_rollup"),
        "sysinfo": receive_shared_memory(),
    }


def receive_wake(path: str) -> str:
    address = map_file(path)
    value = int.from_bytes(ctypes.string_at(address, 4), sys.byteorder, signed=True)
    end = time.monotonic() + MESSAGE_TIMEOUT
    while time.monotonic() < end:
        if futex(address, FUTEX_WAIT, value, 0.1) == 0:
            return "a futex on a file that both map woke the other one"
    return ""


def readable(name: str) -> str:
    """Whether this process or a child of it can read this file about itself."""

    def found() -> bool:
        with contextlib.suppress(OSError), Path("/proc/self", name).open("rb") as file:
            return bool(file.read(8))
        return False

    who = "it"
    if not found():
        who = "a child process"
        child = os.fork()
        if not child:
            os._exit(0 if found() else 1)
        if os.waitpid(child, 0)[1]:
            return ""
    return f"{who} can read /proc/self/{name}, which tells what others have mapped"


def receive_shared_memory() -> str:
    """Whether sysinfo(2) shows the shared memory of another process."""
    seen = set()
    end = time.monotonic() + MESSAGE_TIMEOUT
    while time.monotonic() < end:
        fields = (ctypes.c_ulong * 16)()  # uptime, three loads, total, free and shared memory
        C_LIBRARY.sysinfo(fields)
        seen.add(fields[6])
        if max(seen) - min(seen) >= SHARED_MEMORY // 2:
            return "sysinfo(2) shows the shared memory of the whole machine"
        time.sleep(ATTEMPT_INTERVAL)
    return ""


def leave_traces(path: str) -> dict[str, str]:
    """Read some pages of a file, and make the machine's counters move."""
    touch(path, MESSAGE)
    for _ in range(20):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    left = {"numbers": str(latest_number())}
    for _ in range(PIPES):
        number_of_pipe()
    return {**left, **look(path)}


def find_traces(path: str) -> dict[str, str]:
    read, silent = (touch(path, pages) for pages in (MESSAGE, UNREAD_PAGES))
    return {"read": str(read), "silent": str(silent), "numbers": str(latest_number()), **look(path)}


def touch(path: str, pages: tuple[int, ...]) -> int:
    """Read these pages of a file. Returns the number of major page faults."""
    with (
        Path(path).open("rb") as file,
        mmap.mmap(file.fileno(), FILE_PAGES * mmap.PAGESIZE, prot=mmap.PROT_READ) as mapped,
    ):
        mapped.madvise(mmap.MADV_RANDOM)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        for page in pages:
            mapped[page * mmap.PAGESIZE]
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before


def number_of_pipe() -> int:
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


def latest_number() -> int:
    """How far the kernel has counted pipes and sockets, on any processor."""
    return max(number_of_pipe() for _ in range(INODES_PER_CPU + 1))


def look(path: str) -> dict[str, str]:
    """What all counters in /proc and the times of the file say."""
    times = Path(path).stat()
    seen = {"times": f"{times.st_atime_ns} {times.st_mtime_ns} {times.st_ctime_ns}"}
    for name in sys.argv[3:]:
        with contextlib.suppress(OSError):
            seen[f"/proc/{name}"] = Path("/proc", name).read_text()
    return seen


if __name__ == "__main__":
    roles = {"receive": receive, "leave_traces": leave_traces, "find_traces": find_traces}
    if sys.argv[1] == "send":
        send(sys.argv[2])
    else:
        print(json.dumps(roles[sys.argv[1]](sys.argv[2])))  # noqa: T201
