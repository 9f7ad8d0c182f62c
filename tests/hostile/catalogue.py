"""What must happen to each hostile bot: its fault, in words that its author can act on, or none.

A bot with a fault here commits it in each of its games; one without must finish its games as if it were well-behaved.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.players.clock import TimeControl
from tests.game_runner.harness import AMPLE_TIME

SHORT_TIME: Final = TimeControl(move=2.0, startup=30.0)
"""For bots that never answer: enough for good ones, whom it binds too, on a busy machine."""
LONG_STARTUP: Final = TimeControl(move=30.0, startup=3600.0)
"""For bots for which nobody may wait as long as that."""
KILLED_BY: Final = r"(was killed by {0}|exited with status \d+ \({0}\))"
"""The end by a signal, as reported without a sandbox and through one."""


class Expected(Struct, frozen=True, kw_only=True):
    """What must happen to a bot."""

    code: FaultCode | None = None
    message: str = ""
    """All of the fault's message, as a regular expression."""
    stderr: str = ""
    """What its standard error must contain, as a regular expression: the proof that it tried."""
    not_in_stderr: str | None = None
    """What its standard error must not contain, as a regular expression."""
    sandbox_only: bool = False
    """Whether only the sandbox protects from this bot."""
    arguments: Sequence[str] = ()
    """Its command line; names in braces stand for what the test has prepared."""
    limits: Mapping[str, int] = {}
    control: TimeControl = AMPLE_TIME
    filler: int = 0
    """Bytes by which the game makes each observation longer."""


def fine(**more: object) -> Expected:
    """No fault."""
    return Expected(**more)  # type: ignore[arg-type]


def fault(code: FaultCode, message: str, **more: object) -> Expected:
    """A fault with this message."""
    return Expected(code=code, message=message, **more)  # type: ignore[arg-type]


NO_ANSWER: Final = r"no answer to act 1 \(take\) within 2 s; "
NOTHING: Final = r"nothing came: .*"
UNFINISHED: Final = r"(1 byte|\d+ bytes) came, but no end of line: .*"
TOO_MANY_TASKS: Final = (
    r"ran more than 64 processes and threads at a time; .*"
    r"|exited with status 9 at act 1"  # where the kernel refuses a process before the referee counts too many
)
STOPPED: Final = r"a signal such as SIGSTOP has stopped one of its processes, .*"
TOO_MUCH_MEMORY: Final = r"used \d+ MiB of memory; .*"

BAD_OUTPUT: Final[dict[str, Expected]] = {
    # -- the start
    "speaks_protocol_2": fault("protocol_version", r"speaks protocol 2; this referee speaks 1"),
    "endless_lines_at_start": fault("bad_message", r"expected an action: '.*\"flood\".*' \(at act 1\); .*"),
    # -- answers
    "answers_before_asked": fine(),
    "answers_byte_by_byte": fault("timeout", NO_ANSWER + UNFINISHED, control=SHORT_TIME),
    "fills_its_input": fault("timeout", NO_ANSWER + NOTHING, control=SHORT_TIME, filler=20_000),
    "reads_no_end": fine(control=LONG_STARTUP),
    "resizes_its_input": fault("crash", r"changed the size of its standard input \(F_SETPIPE_SZ\)", filler=20_000),
    "stops_reading": fault(
        "timeout", NO_ANSWER + r"it has not read all of act 1: .*", control=SHORT_TIME, filler=200_000
    ),
    # -- volume
    "endless_spaces": fault("oversize", r"a line of over 1048576 bytes without an end at act 1"),
    "endless_valid_lines": fault(
        "oversize", r"over 8 MiB of output \(stdout_mb\) in one game at act \d+", limits={"stdout_mb": 8}
    ),
    "endless_stderr": fault(
        "oversize", r"wrote over 8 MiB \(stderr_mb\) to its standard error in one game", limits={"stderr_mb": 8}
    ),
    # -- names
    "megabyte_name": fine(),
}
"""Hostile in how much they write and when, which is the same with a sandbox and without, so they play without.

What each bad line earns is in protocol/bad-lines.json and tests/game_runner/test_faults.py."""

BAD_PROCESSES: Final[dict[str, Expected]] = {
    # -- ends of the process
    "exits_mid_game": fault("crash", r"exited with status 5 at act 2"),
    "exits_after_end": fine(),
    "dies_of_a_segfault": fault("crash", KILLED_BY.format("SIGSEGV") + " at act 1"),
    "kills_its_group": fault("crash", KILLED_BY.format("SIGKILL") + " at act 1"),
    # -- pipes and signals
    "closes_stdin": fault("crash", r"closed its standard input .*while it was still running at act 2"),
    "closes_stderr": fine(),
    "closes_all_pipes": fault("crash", r"closed its standard .*while it was still running at act 1"),
    "stops_itself": fault("timeout", NO_ANSWER + STOPPED, control=SHORT_TIME),
    "stops_its_group": fault("timeout", NO_ANSWER + STOPPED, control=SHORT_TIME),
    "ignores_sigterm": fine(),
    "does_not_exit": fault("bad_message", r"not a JSON object: .*'I shall not be moved' \(at act 1\); .*"),
    # -- more processes
    "forks_children": fine(),
    "makes_zombies": fine(),
    "daemonises": fine(stderr=r"the daemon runs"),
    "daemonises_and_exits": fault("crash", r"exited with status 7 at act 1"),
    "forks_at_quit": fine(),
    "processes_restart_each_other": fine(),
    "half_a_fork_bomb": fault("crash", r"exited with status 8 at act 1"),
    "fork_bomb": fault("crash", TOO_MANY_TASKS, limits={"processes": 64}),
    "thread_bomb": fault("crash", TOO_MANY_TASKS, limits={"processes": 64}),
    # -- resources
    "memory_bomb": fault("memory", TOO_MUCH_MEMORY, limits={"memory_mb": 200}),
    "memory_bomb_of_many": fault("memory", TOO_MUCH_MEMORY, limits={"memory_mb": 200}),
    "memory_in_files": fault("memory", TOO_MUCH_MEMORY, limits={"memory_mb": 200}),
    "fills_its_disk": fine(
        stderr=r"/tmp: \d+ MiB, then No space left", not_in_stderr=r"room for more|\d{4,} MiB in all", sandbox_only=True
    ),
    "writes_one_huge_file": fault(
        "crash", rf"{KILLED_BY.format('SIGXFSZ')} at act 1|exited with status 1 at act 1", limits={"file_mb": 16}
    ),
    "keeps_descriptors_in_flight": fine(),
    "opens_10000_files": fine(stderr=r"no more files: Too many open files"),
    "burns_cpu_in_threads": fine(),
    "burns_its_cpu_allowance": fault("crash", r"used \d s of CPU time; .*", limits={"cpu_seconds": 1}),
    "raises_its_limits": fine(
        stderr=r"(raising RLIMIT_\w+: refused.*\n){4}", not_in_stderr=r": done", sandbox_only=True
    ),
    # -- attacks
    "kills_its_parent": fine(stderr=r"SIGKILL to everybody", sandbox_only=True),
    "ptraces_its_parent": fine(stderr=r"refused", not_in_stderr=r"attached", sandbox_only=True),
    "reads_other_bots": fine(
        arguments=("{opponent}/well_behaved.py", "{opponent}", "{records}", "{home}", "/etc/shadow"),
        stderr=r"(reading \S+: refused: .*\n){5}",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "reads_proc": fine(
        stderr=r"process: (python|hidden)", not_in_stderr=r"process: (?!bwrap|python|hidden)|gold", sandbox_only=True
    ),
    "prints_its_environment": fine(stderr=r"PATH=", not_in_stderr=r"gold|SECRET"),
    "opens_the_network": fine(
        arguments=("127.0.0.1", "{port}"),
        stderr=r"calling \('127.0.0.1', \d+\): refused(.|\n)*calling \('1.1.1.1', 53\): refused",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "writes_to_other_pipes": fine(stderr=r"wrote 0 bytes", sandbox_only=True),
    "writes_to_files": fine(
        arguments=("{opponent}", "{home}", "/usr", "/etc"),
        stderr=r"(writing \S+: refused: .*\n){6}",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "makes_namespaces": fine(stderr=r"refused|no file system", not_in_stderr=r"mounted", sandbox_only=True),
    "opens_kernel_files": fine(stderr=r"^0 files open for writing", sandbox_only=True),
    "leaves_notes_for_others": fine(
        stderr=r"the lock had no effect\n(.*: refused.*\n){4}(.*: refused\n){3}",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "makes_rare_system_calls": fine(
        stderr=r"(.*: refused\n){6}ptrace: Operation not permitted\n(.*: refused.*\n){2}",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "gives_away_its_rights": fine(
        stderr=r"(.*: refused.*\n){3}(Cap\w+:\s0{16}\n){5}NoNewPrivs:\s1\nSeccomp:\s2\n",
        not_in_stderr=r": done",
        sandbox_only=True,
    ),
    "writes_to_the_terminal": fine(stderr=r"clearing the screen: refused", not_in_stderr=r": done"),
}
"""Hostile in what their processes do to themselves, to the machine and to others."""

CATALOGUE: Final = BAD_OUTPUT | BAD_PROCESSES
