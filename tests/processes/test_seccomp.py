"""The filter of system calls: what it decides, executed here as the kernel would, for each processor it is made for."""

import errno
import struct
from typing import Final

import pytest

from referee.processes.sandbox import seccomp
from referee.processes.sandbox.seccomp import ALLOW, ARCHITECTURES, IGNORE, KILL, compile_filter, fail, table

MACHINES: Final = list(ARCHITECTURES)
I386: Final = 0x40000003
X32: Final = 0x40000000


def decision(machine: str, call: str | int, *arguments: int, convention: int | None = None) -> int:
    """What the filter returns for a system call, given by name or number."""
    number = numbers(machine)[call] if isinstance(call, str) else call
    program = compile_filter(machine)
    assert program is not None
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, ARCHITECTURES[machine][0] if convention is None else convention, 0, *values)
    return execute(program, data)


def numbers(machine: str) -> dict[str, int]:
    """The numbers of the system calls in the table, by name."""
    found = {call.name: getattr(call, machine) for call in table()}
    return {name: number for name, number in found.items() if number is not None}


def execute(program: bytes, data: bytes) -> int:
    """A classic BPF machine with the instructions that a filter needs."""
    instructions = list(struct.iter_unpack("<HBBI", program))
    place, accumulator = 0, 0
    while True:
        code, if_true, if_false, operand = instructions[place]
        place += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x06:
                return int(operand)
            case 0x15:
                place += if_true if accumulator == operand else if_false
            case 0x25:
                place += if_true if accumulator > operand else if_false
            case 0x35:
                place += if_true if accumulator >= operand else if_false
            case 0x45:
                place += if_true if accumulator & operand else if_false
            case _:
                raise AssertionError(f"no instruction {code:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_each_line_of_the_table_is_decided_as_it_says(machine: str) -> None:
    expected = {"allow": ALLOW, "refuse": fail(errno.EPERM), "ignore": IGNORE}
    for call in table():
        number = getattr(call, machine)
        if number is not None and call.action in expected:
            assert decision(machine, number) == expected[call.action], call.name


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_that_are_not_in_the_table_do_not_exist(machine: str) -> None:
    known = set(numbers(machine).values())
    for number in {*range(700), X32, X32 + 1, 2**31 - 1} - known:
        assert decision(machine, number) == fail(errno.ENOSYS), number


@pytest.mark.parametrize("machine", MACHINES)
def test_programs_for_another_processor_are_killed(machine: str) -> None:
    assert decision(machine, "read", convention=I386) == KILL


REFUSED: Final = {
    "keyrings": ("add_key", "request_key", "keyctl"),
    "other processes": ("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "setns"),
    "the kernel": ("bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module", "syslog"),
    "mounts": ("mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen", "fsmount", "mount_setattr"),
    "watching files": ("fanotify_init", "fanotify_mark", "open_by_handle_at"),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_bot_needs_is_refused(machine: str, kind: str) -> None:
    for call in REFUSED[kind]:
        assert decision(machine, call) == fail(errno.EPERM), call


@pytest.mark.parametrize("machine", MACHINES)
def test_what_programs_can_do_without_does_not_exist(machine: str) -> None:
    known = numbers(machine)
    for call in (
        "clone3",
        "io_uring_setup",
        "inotify_init1",
        "inotify_add_watch",
        "openat2",
        "memfd_secret",
        "mincore",
        "io_setup",
        "io_submit",
    ):
        assert call not in known


@pytest.mark.parametrize("machine", MACHINES)
def test_locks_succeed_without_effect(machine: str) -> None:
    assert decision(machine, "flock", 3, 2) == IGNORE
    for command in (6, 7, 37, 38):  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
        assert decision(machine, "fcntl", 3, command) == IGNORE


@pytest.mark.parametrize("machine", MACHINES)
def test_commands_of_fcntl_are_allowed_by_a_list(machine: str) -> None:
    allowed = {command for command in range(2000) if decision(machine, "fcntl", 3, command) == ALLOW}
    leases, notify, pipe_size, hints = {1024, 1025}, {1026}, {1031}, {1035, 1036, 1037, 1038}
    assert allowed.isdisjoint(leases | notify | pipe_size | hints)
    assert {0, 1, 2, 3, 4, 1030} <= allowed
    assert decision(machine, "fcntl", 3, (1 << 32) | 1031) == fail(errno.EINVAL), "the kernel ignores the high bits"


@pytest.mark.parametrize("machine", MACHINES)
def test_families_of_sockets_are_allowed_by_a_list(machine: str) -> None:
    allowed = {family for family in range(64) if decision(machine, "socket", family) == ALLOW}
    assert allowed == {1, 2, 10, 16}
    assert decision(machine, "socket", 16, 3, 15) == fail(errno.EPROTONOSUPPORT), "NETLINK_KOBJECT_UEVENT"


@pytest.mark.parametrize("machine", MACHINES)
def test_protocols_of_sockets_are_allowed_by_a_list(machine: str) -> None:
    for family in (2, 10):
        allowed = {protocol for protocol in range(300) if decision(machine, "socket", family, 1, protocol) == ALLOW}
        assert allowed == {0, 6, 17}
    assert decision(machine, "setsockopt", 3, 6, 31) == fail(errno.ENOPROTOOPT)  # TCP_ULP
    assert decision(machine, "setsockopt", 3, 6, 1) == ALLOW  # TCP_NODELAY
    assert decision(machine, "setsockopt", 3, 1, 31) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_no_process_hides_from_the_referee_or_disturbs_others(machine: str) -> None:
    assert decision(machine, "prctl", 4, 0) == IGNORE, "programs that keep keys in memory want success"
    for option in (62, 67):  # PR_SCHED_CORE and PR_SET_MEMORY_MERGE
        assert decision(machine, "prctl", option, 1) == fail(errno.EINVAL)
    for option in (1, 3, 15, 22, 38):  # PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_SET_SECCOMP, no new rights
        assert decision(machine, "prctl", option) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_ioctl_is_for_terminals_and_sockets(machine: str) -> None:
    assert decision(machine, "ioctl", 0, 0x5413) == ALLOW  # TIOCGWINSZ
    assert decision(machine, "ioctl", 0, 0x541B) == ALLOW  # FIONREAD
    assert decision(machine, "ioctl", 0, 0x5412) == fail(errno.EPERM)  # TIOCSTI
    assert decision(machine, "ioctl", 0, 0x5423) == fail(errno.EPERM)  # TIOCSETD
    assert decision(machine, "ioctl", 0, 0xC0506617) == fail(errno.ENOTTY)  # FS_IOC_ADD_ENCRYPTION_KEY


@pytest.mark.parametrize("machine", MACHINES)
def test_no_file_can_get_a_set_id_bit(machine: str) -> None:
    assert decision(machine, "fchmod", 3, 0o755) == ALLOW
    create, flags_only = 0o101, 0o1
    for bits in (0o4755, 0o2755):
        assert decision(machine, "fchmod", 3, bits) == fail(errno.EPERM)
        assert decision(machine, "fchmodat", 3, 0, bits) == fail(errno.EPERM)
        assert decision(machine, "fchmodat2", 3, 0, bits) == fail(errno.EPERM)
        assert decision(machine, "mknodat", 3, 0, bits) == fail(errno.EPERM)
        assert decision(machine, "openat", 3, 0, create, bits) == fail(errno.EPERM)
        assert decision(machine, "openat", 3, 0, flags_only, bits) == ALLOW, "without O_CREAT there is no mode"


@pytest.mark.parametrize("machine", MACHINES)
def test_processes_and_threads_but_no_namespaces(machine: str) -> None:
    threads, user_namespace = 0x3D0F00, 0x10000000
    assert decision(machine, "clone", threads) == ALLOW
    assert decision(machine, "clone", user_namespace) == fail(errno.EPERM)
    assert decision(machine, "unshare", user_namespace) == fail(errno.EPERM)
    assert decision(machine, "unshare", 0x400) == ALLOW  # CLONE_FILES


def test_no_filter_for_a_processor_without_a_table() -> None:
    assert compile_filter("sparc64") is None


def test_every_rule_is_used() -> None:
    assert {call.action for call in table()} == {*seccomp.RULES, *seccomp.ACTIONS}
