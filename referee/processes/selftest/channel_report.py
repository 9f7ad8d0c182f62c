"""Tries what two bots in two sandboxes can tell each other (channel_attempts.py): at once, and one after the other."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from referee.processes.environment import environment
from referee.processes.launch import Command
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.sandbox import page_cache
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.image import why_no_images
from referee.processes.sandbox.proc_view import MACHINE_COUNTERS, STATIC
from referee.processes.selftest.channel_attempts import FILE_PAGES, MESSAGE, PIPES
from referee.processes.selftest.guarantees import SandboxCheck, Verdict

CHANNEL_PROGRAM: Final = "channel_attempts.py"
FILE: Final = "seen by both"
READ_FILE: Final = "read by both"
CHANNEL_TIMEOUT: Final = 20.0
LIMITS: Final = ProcessLimits(processes=40, open_files=256, file_mb=16, cpu_seconds=100)
CLOSED_BY_IMAGE: Final = '; files = "image" closes it'
CHANNELS: Final = {
    "futexes": "at once: futexes on a file of the system that both map",
    "pagemap": "at once: pagemap, which tells who else has mapped a page",
    "smaps": "at once: smaps, which tells the same",
    "sysinfo": "at once: memory of the whole machine in sysinfo(2)",
    "caches": "at once: caches of the processor, and load",
    "page_cache": "one after the other: which pages of a file are in the page cache",
    "page_cache_dropped": "the same, where files are dropped from it in between",
    "counters": "one after the other: counters of the machine in /proc",
    "times": "one after the other: times of files",
    "numbers": "at once and one after the other: numbers of pipes, sockets and processes",
    "image": "file systems of their own (files = image) for both",
}
"""What is tried between two sandboxes, by name."""
NOT_TRIED: Final[dict[str, tuple[Verdict, str]]] = {
    "caches": ("open", "two processes that are alive on one machine share them; not tried"),
    "image": ("untested", "an image of all files takes minutes to make"),
}
REMEDIES: Final = {
    "futexes": CLOSED_BY_IMAGE,
    "pagemap": f"; Landlock closes it{CLOSED_BY_IMAGE}",
    "smaps": f"; Landlock closes it{CLOSED_BY_IMAGE}",
    "page_cache": f", unless files are dropped between rotations (see security.md){CLOSED_BY_IMAGE}",
}


def try_channels(sandbox: Sandbox | None) -> tuple[SandboxCheck, ...]:
    """Whether each channel is closed (pass) or open. Takes about four seconds."""
    found: dict[str, tuple[Verdict, str]] = {}
    missing = "there is no sandbox"
    if sandbox is not None:
        found = dict(NOT_TRIED)
        if problem := why_no_images():
            found["image"] = ("untested", problem)
        with contextlib.suppress(OSError, subprocess.SubprocessError, msgspec.DecodeError, KeyError, ValueError):
            for name, carried in _carried(sandbox):
                found[name] = ("open", f"{carried}{REMEDIES.get(name, '')}") if carried else ("pass", "")
        missing = "the program that tries it could not be run"
    checks = []
    for name, what in CHANNELS.items():
        verdict, reason = found.get(name, ("untested", missing))
        checks.append(SandboxCheck(name=name, promise=what, verdict=verdict, reason=reason))
    return tuple(checks)


def _carried(sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    """By channel, what it carried; empty for nothing.

    Raises OSError, SubprocessError, DecodeError, KeyError, ValueError.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        program = folder / CHANNEL_PROGRAM
        program.write_text(Path(__file__).with_name(CHANNEL_PROGRAM).read_text(encoding="utf-8"))
        for shown in (folder / FILE, folder / READ_FILE):
            with shown.open("wb") as file:
                file.write(bytes(FILE_PAGES * os.sysconf("SC_PAGESIZE")))
                file.flush()
                os.fsync(file.fileno())
        with _running(sandbox, folder, "send") as _, _running(sandbox, folder, "receive") as receiver:
            yield from _output(receiver).items()
        found = []
        for drop in (False, True):
            page_cache.forget([str(shown)], time.monotonic() + CHANNEL_TIMEOUT)
            with _running(sandbox, folder, "leave_traces") as process:
                left = _output(process)
            if drop:
                page_cache.forget([str(shown)], time.monotonic() + CHANNEL_TIMEOUT)
            with _running(sandbox, folder, "find_traces") as process:
                found.append(_output(process))
        kept, dropped = found
        if kept.pop("silent") == dropped.pop("silent") == str(len(MESSAGE)):  # else this disk has no major faults
            for channel, read in (("page_cache", kept.pop("read")), ("page_cache_dropped", dropped.pop("read"))):
                yield (
                    channel,
                    "" if read == str(len(MESSAGE)) else "the number of major page faults tells what was read",
                )
        passed = int(dropped.pop("numbers")) - int(left.pop("numbers"))
        kept.pop("numbers")
        yield "numbers", "the kernel counts those of all sandboxes together" if passed >= PIPES else ""
        yield "times", "they have changed" if left.pop("times") != dropped.pop("times") else ""
        changed = [each for each in left if left[each] != dropped.get(each)]
        yield "counters", f"{', '.join(changed)} have changed" if changed else ""


@contextlib.contextmanager
def _running(sandbox: Sandbox, folder: Path, role: str) -> "Iterator[subprocess.Popen[bytes]]":
    """A process of the program in a sandbox; it is killed after the block. Raises OSError."""
    counters = [name for name in (*MACHINE_COUNTERS, *STATIC) if Path("/proc", name).exists()]
    argv = (
        sys.executable,
        "-IS",
        str(folder / CHANNEL_PROGRAM),
        role,
        str(folder / (FILE if role in ("send", "receive") else READ_FILE)),
        *counters,
    )
    launch = sandbox.wrap(Command(argv, folder), LIMITS, environment({}, sandboxed=True))
    with launch.popen_arguments() as arguments:
        process = subprocess.Popen(
            **arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _output(process: "subprocess.Popen[bytes]") -> dict[str, str]:
    """What a process of the program prints. Raises SubprocessError, DecodeError."""
    output, _ = process.communicate(timeout=CHANNEL_TIMEOUT)
    return msgspec.json.decode(output, type=dict[str, str])
