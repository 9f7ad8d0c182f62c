"""What bots in the sandbox can read of /proc: their own processes in part, and nothing that counts what others do.

The machine's counters go up with what every bot does, and keep their values when it has ended: they are covered. Some
files of a process tell what the kernel has loaded of files that it shares with others (`pagemap`, `smaps`). Landlock
hides those, also from child processes, which no mount can do: they are made when they are looked up.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from referee.processes import linux
from referee.processes.launch import COPY_OPTION

MACHINE_COUNTERS: Final = (
    "buddyinfo",
    "cgroups",
    "crypto",
    "diskstats",
    "interrupts",
    "key-users",
    "keys",
    "loadavg",
    "locks",
    "mdstat",
    "modules",
    "pagetypeinfo",
    "partitions",
    "pressure/cpu",
    "pressure/io",
    "pressure/irq",
    "pressure/memory",
    "sched_debug",
    "schedstat",
    "slabinfo",
    "softirqs",
    "swaps",
    "sys/fs/aio-nr",
    "sys/fs/dentry-state",
    "sys/fs/file-nr",
    "sys/fs/inode-nr",
    "sys/fs/inode-state",
    "sys/kernel/pty/nr",
    "sys/kernel/random/entropy_avail",
    "timer_list",
    "vmallocinfo",
    "vmstat",
    "zoneinfo",
)
"""Files in /proc that count what the whole machine does. They can't be opened in the sandbox."""
STATIC: Final = ("meminfo", "stat", "uptime")
"""Counters that programs need: each sandbox gets a copy of what they were when the referee first made one."""
STATIC_FD: Final = 10
"""The number of the first descriptor from which bubblewrap reads a copy; the others follow."""
READABLE: Final = (
    *("cpuinfo", "filesystems", "version", "sys/net", "sys/vm", *STATIC),
    *("sys/fs/file-max", "sys/fs/nr_open", "sys/fs/pipe-max-size"),
    *("sys/kernel/cap_last_cap", "sys/kernel/ngroups_max", "sys/kernel/osrelease", "sys/kernel/pid_max"),
    *("sys/kernel/random/boot_id", "sys/kernel/random/uuid", "sys/kernel/threads-max"),
    *("self/cgroup", "self/cmdline", "self/maps", "self/mountinfo", "self/mounts", "self/status"),
    *("self/gid_map", "self/uid_map"),
)
"""What Landlock leaves readable of /proc. In `self` these are the files of a bot's first process: mono needs two."""
REFER_VERSION: Final = 2
"""The first version of Landlock (Linux 5.19) under which files can be moved from one folder to another."""
LANDLOCK_CREATE_RULESET: Final = 444
"""The same on all architectures; with the flag 1 it returns the version."""
CONFINE: Final = """
my $handled = pack("Q", 0x2004);
(my $rules = syscall(444, $handled, 8, 0)) >= 0 or exit 126;
while ((my $path = shift) ne "--") {
    sysopen(my $file, $path, 0x200000) or next;
    my $rule = pack("Ql", -d $file ? 0x2004 : 4, fileno $file);
    syscall(445, $rules, 1, $rule, 0) == 0 or exit 126;
}
syscall(446, $rules, 0) == 0 or exit 126;
exec { $ARGV[0] } @ARGV;
exit 126;
"""
"""Executes the command after `--` such that it and its child processes can read files only below the paths before that.

A program of Perl, as every distribution has it, it starts in a millisecond, and it can make any system call:
landlock_create_ruleset, landlock_add_rule (LANDLOCK_RULE_PATH_BENEATH) and landlock_restrict_self, with the rights
LANDLOCK_ACCESS_FS_READ_FILE and, for folders, LANDLOCK_ACCESS_FS_REFER, which would otherwise be refused everywhere.
Paths are opened with O_PATH."""


def landlock_version() -> int:
    """The version of Landlock that the kernel offers; 0 or less if it has none."""
    if not linux.IS_LINUX:
        return 0
    version: int = linux.LIBC.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1)
    return version


def covers(*, landlock: bool) -> Iterator[str]:
    """The arguments of bubblewrap that cover the machine's counters. It reads the copies from `static_copies`.

    `landlock`: Landlock hides all but READABLE, so that only the copies are needed; 30 mounts would take 7 ms.
    """
    for name in () if landlock else MACHINE_COUNTERS:
        if Path("/proc", name).exists():
            yield from ("--ro-bind", "/dev/null", f"/proc/{name}")  # without `dev`: it can't be opened at all
    for descriptor, name in zip(static_copies(), STATIC, strict=True):
        # a copy for each sandbox: a file that they share could carry a message (futexes, pagemap)
        yield from ("--perms", "0444", COPY_OPTION, str(descriptor), f"/proc/{name}")


@cache
def static_copies() -> dict[int, bytes]:
    """By descriptor, the contents of the files in STATIC when this was first called."""
    return {STATIC_FD + index: Path("/proc", name).read_bytes() for index, name in enumerate(STATIC)}


def confine(perl: str, folders: Iterable[str]) -> tuple[str, ...]:
    """The words before an absolute command that let it read files in these folders, and in /proc only READABLE."""
    return (perl, "-e", CONFINE, *sorted(folders), *(f"/proc/{name}" for name in READABLE), "--")
