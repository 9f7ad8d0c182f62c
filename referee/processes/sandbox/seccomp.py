"""The filter of system calls for bots in the sandbox: a program for seccomp(2), compiled here from a table.

system_calls.txt says for each system call what happens:

- `allow`: it is executed.
- `refuse`: it fails with EPERM.
- `ignore`: it succeeds and does nothing. Locks are among these: a program that can't lock a file fails (SQLite) or
  prints a warning (Java), and locks would be visible to other bots.
- the name of a rule below: its arguments decide.

A system call that is not in the table fails with ENOSYS, so that a program falls back as on an older kernel. A call
with the conventions of another processor (32-bit programs) ends the process. The kernel compares arguments of type int
by their low 32 bits, and so does the filter.
"""

import errno
import platform
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

SYSTEM_CALLS_FILE: Final = "system_calls.txt"
ARCHITECTURES: Final = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
"""By `platform.machine()`: the number of the calling convention (AUDIT_ARCH_*), and its column in the table."""


class Instruction(NamedTuple):
    """One instruction of classic BPF; the jumps count instructions to skip."""

    code: int
    if_true: int
    if_false: int
    operand: int


Block = list[Instruction]

# -- the instructions that are needed, and the values that a filter returns (linux/seccomp.h) -------------------------

KILL: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
ERRNO: Final = 0x00050000
IGNORE: Final = ERRNO
"""Not executed, and the result is 0."""
NUMBER_OFFSET: Final = 0
ARCHITECTURE_OFFSET: Final = 4
ARGUMENTS_OFFSET: Final = 16


def fail(number: int) -> int:
    """The return value of a filter that makes the system call fail with this errno."""
    return ERRNO | number


def load(offset: int) -> Instruction:
    return Instruction(0x20, 0, 0, offset)


def load_argument(index: int) -> Instruction:
    """Load the low 32 bits of an argument (both processors are little-endian)."""
    return load(ARGUMENTS_OFFSET + 8 * index)


def mask(bits: int) -> Instruction:
    return Instruction(0x54, 0, 0, bits)


def decide(result: int) -> Instruction:
    return Instruction(0x06, 0, 0, result)


def if_equal(value: int, then: Block) -> Block:
    """Execute `then`, which must end with a decision, if the accumulator equals `value`."""
    return [Instruction(0x15, 0, len(then), value), *then]


def if_any_bit(bits: int, then: Block) -> Block:
    """Execute `then`, which must end with a decision, if one of these bits is set in the accumulator."""
    return [Instruction(0x45, 0, len(then), bits), *then]


def cases(index: int, blocks: Iterable[tuple[Iterable[int], Block]], otherwise: Block) -> Block:
    """By the values of an argument, what to execute: blocks that end with a decision."""
    block = [load_argument(index)]
    for values, then in blocks:
        for value in values:
            block += if_equal(value, then)
    return [*block, *otherwise]


def one_of(index: int, allowed: Iterable[int], otherwise: int) -> Block:
    """Allow these values of an argument."""
    return cases(index, [(allowed, [decide(ALLOW)])], [decide(otherwise)])


def without_bits(index: int, bits: int) -> Block:
    """Fail with EPERM if an argument has one of these bits."""
    return [load_argument(index), *if_any_bit(bits, [decide(fail(errno.EPERM))]), decide(ALLOW)]


# -- rules for the arguments of system calls --------------------------------------------------------------------------

FILE_COMMANDS: Final = (
    *(0, 1030, 1, 2, 3, 4),  # F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL
    *(8, 9, 10, 11, 15, 16),  # F_SETOWN, F_GETOWN, F_SETSIG, F_GETSIG, F_SETOWN_EX, F_GETOWN_EX
    *(5, 36),  # F_GETLK and F_OFD_GETLK, which never find a lock of a bot
    *(1032, 1033, 1034),  # F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS
)
"""Commands of fcntl(2), without leases, notifications and write hints, which could pass a message through a file that
another bot sees too, and without F_SETPIPE_SZ, with which a bot could make the referee wait."""
LOCK_COMMANDS: Final = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW."""
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
"""Families of sockets."""
ALLOWED_PROTOCOLS: Final = {UNIX: (0, UNIX), INET: (0, 6, 17), INET6: (0, 6, 17), NETLINK: (0,)}
"""The protocols of each family: TCP and UDP for the internet families, NETLINK_ROUTE for netlink."""
TCP, TCP_ULP = 6, 31
"""A level of setsockopt(2) and its option that puts another protocol of the kernel on top of TCP."""
PR_SET_DUMPABLE: Final = 4
"""An option of prctl(2) that hides the open files of a process from the referee."""
USELESS_OPTIONS: Final = (62, 67)
"""PR_SCHED_CORE and PR_SET_MEMORY_MERGE of prctl(2), which leave a part of a processor idle, and find equal pages of
other processes."""
TERMINAL_SETTINGS: Final = (0x5412, 0x541C, 0x541D, 0x5423)
"""TIOCSTI and TIOCLINUX, which type on a terminal, TIOCCONS, and TIOCSETD, which loads drivers."""
DEVICE_KINDS: Final = (0x5400, 0x8900)
"""The kinds of ioctl(2) commands for terminals and for sockets; those for file systems are not allowed."""
NEW_NAMESPACES: Final = 0x7E020000
"""All CLONE_NEW* except CLONE_NEWTIME, whose bit has another meaning for clone(2)."""
NEW_TIME_NAMESPACE: Final = 0x80
SET_ID_MODE: Final = 0o6000
"""The bits of a file mode by which a program gets the rights of its owner or group."""
CREATE_FLAGS: Final = 0o100 | 0o20000000
"""O_CREAT and the bit of O_TMPFILE; without them open(2) ignores its mode."""
PERSONALITIES: Final = (0, 0xFFFFFFFF, 0x0040000, 0x0020000, 0x0020008, 0x0000008)
"""The ones that Docker allows: Linux, a query, and without random addresses."""


def _ioctl() -> Block:
    kinds = [mask(0xFF00)]
    for kind in DEVICE_KINDS:
        kinds += if_equal(kind, [decide(ALLOW)])
    kinds.append(decide(fail(errno.ENOTTY)))
    return cases(1, [(TERMINAL_SETTINGS, [decide(fail(errno.EPERM))])], kinds)


def _open(flags: int) -> Block:
    """For open(2) and openat(2): `flags` is the index of that argument, which the mode follows."""
    return [load_argument(flags), *if_any_bit(CREATE_FLAGS, without_bits(flags + 1, SET_ID_MODE)), decide(ALLOW)]


RULES: Final[dict[str, Block]] = {
    "fcntl": cases(1, [(LOCK_COMMANDS, [decide(IGNORE)])], one_of(1, FILE_COMMANDS, fail(errno.EINVAL))),
    "ioctl": _ioctl(),
    "prctl": cases(
        0, [([PR_SET_DUMPABLE], [decide(IGNORE)]), (USELESS_OPTIONS, [decide(fail(errno.EINVAL))])], [decide(ALLOW)]
    ),
    "socket": cases(
        0,
        [([family], one_of(2, own, fail(errno.EPROTONOSUPPORT))) for family, own in ALLOWED_PROTOCOLS.items()],
        [decide(fail(errno.EAFNOSUPPORT))],
    ),
    "setsockopt": cases(
        1, [([TCP], cases(2, [([TCP_ULP], [decide(fail(errno.ENOPROTOOPT))])], [decide(ALLOW)]))], [decide(ALLOW)]
    ),
    "socketpair": one_of(0, [UNIX], fail(errno.EAFNOSUPPORT)),
    "clone": without_bits(0, NEW_NAMESPACES),
    "unshare": without_bits(0, NEW_NAMESPACES | NEW_TIME_NAMESPACE),
    "personality": one_of(0, PERSONALITIES, fail(errno.EPERM)),
    # RWF_NOWAIT would tell which pages of a file another bot has read
    "preadv2": one_of(5, [0], fail(errno.EOPNOTSUPP)),
    "open": _open(1),
    "openat": _open(2),
    "creat": without_bits(1, SET_ID_MODE),
    "mknod": without_bits(1, SET_ID_MODE),
    "mknodat": without_bits(2, SET_ID_MODE),
    "chmod": without_bits(1, SET_ID_MODE),
    "fchmod": without_bits(1, SET_ID_MODE),
    "fchmodat": without_bits(2, SET_ID_MODE),
    "fchmodat2": without_bits(2, SET_ID_MODE),
}
ACTIONS: Final = {"allow": ALLOW, "refuse": fail(errno.EPERM), "ignore": IGNORE}
UNKNOWN: Final = fail(errno.ENOSYS)


class SystemCall(NamedTuple):
    """A row of the table: its number on each architecture (None: it doesn't exist there), and what happens."""

    name: str
    x86_64: int | None
    aarch64: int | None
    action: str


@cache
def table() -> tuple[SystemCall, ...]:
    """The system calls that don't fail with ENOSYS."""
    text = Path(__file__).with_name(SYSTEM_CALLS_FILE).read_text(encoding="ascii")
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return tuple(SystemCall(name, _number(x86), _number(arm), action) for name, x86, arm, action in lines)


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


@cache
def compile_filter(machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it, for this or another `platform.machine()`; None if there is no table for it."""
    architecture = ARCHITECTURES.get(machine or platform.machine())
    if architecture is None:
        return None
    convention, column = architecture
    program = [load(ARCHITECTURE_OFFSET), Instruction(0x15, 1, 0, convention), decide(KILL), *_dispatch(column)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _dispatch(column: int) -> Iterator[Instruction]:
    plain: dict[int, int] = {}
    yield load(NUMBER_OFFSET)
    for call in table():
        number = call[column]
        if not isinstance(number, int):
            continue
        if call.action in ACTIONS:
            plain[number] = ACTIONS[call.action]
        else:
            yield from if_equal(number, RULES[call.action])
    for first, last, action in _ranges(plain):
        yield Instruction(0x25, 3, 0, last)  # greater: look at the next range
        yield Instruction(0x35, 0, 1, first)  # not less
        yield decide(action)
        yield decide(UNKNOWN)
    yield decide(UNKNOWN)


def _ranges(actions: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """Ranges of consecutive numbers with the same action, in ascending order: first, last, action."""
    numbers = sorted(actions)
    first = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], -1], strict=True):
        if following != number + 1 or actions[following] != actions[number]:
            yield first, number, actions[number]
            first = following
