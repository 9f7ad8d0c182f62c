"""What must happen to each hostile bot: its fault, in words that its author can act on, or none.

A bot with a fault here commits it in each of its games; one without must finish its games as if it were well-behaved.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.games import Game
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.players.clock import TimeControl
from tests.game_runner.harness import AMPLE_TIME
from tests.game_runner.pebbles import Pebbles

SHORT_TIME: Final = TimeControl(move=0.7, startup=30.0)
"""For bots that never answer: enough for good ones on a busy machine."""
LONG_STARTUP: Final = TimeControl(move=30.0, startup=3600.0)
"""For bots for which nobody may wait as long as that."""
SHORT_STARTUP: Final = TimeControl(move=30.0, startup=1.2)
"""For bots that are never ready."""
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
    game: type[Game] = Pebbles
    options: Mapping[str, int] = {}
    """Of the game."""


def fine(**more: object) -> Expected:
    """No fault."""
    return Expected(**more)  # type: ignore[arg-type]


def fault(code: FaultCode, message: str, **more: object) -> Expected:
    """A fault with this message."""
    return Expected(code=code, message=message, **more)  # type: ignore[arg-type]


def bad(message: str) -> Expected:
    """A bad_message that quotes the line."""
    return fault("bad_message", message)


def wrong(field: str) -> Expected:
    """A bad_message that names the wrong field before it quotes the line. Its other words are those of the decoder."""
    return bad(rf"(?:(?!: ').)*\b{field}\b(?:(?!: ').)*: {QUOTED}")


NOT_JSON: Final = r"not a JSON object: .*"
QUOTED: Final = r"'.*'(?: … \(\d+ bytes\))? \((?:at act 1|before it was ready)\); .+"
"""The beginning of the line, when it came, and what to do."""
NO_READY: Final = r"no ready within 1.2 s of the start; "
NO_ANSWER: Final = r"no answer to act 1 \(take\) within 0.7 s; "
NOTHING: Final = r"nothing came: .*"
UNREAD: Final = r"it has not read all of act 1: .*"
UNFINISHED: Final = r"(1 byte|\d+ bytes) came, but no end of line: .*"
ONLY_MESSAGES: Final = r"; standard output is for messages only: .*"
TOO_MANY_TASKS: Final = (
    r"ran over 64 processes and threads at a time; .*"
    r"|exited with status 9 at act 1"  # where the kernel refuses a process before the referee counts too many
)
TOO_MUCH_MEMORY: Final = r"used \d+ MiB of memory; .*"

BAD_OUTPUT: Final[dict[str, Expected]] = {
    # -- the start
    "silent_at_start": fault(
        "startup_timeout", NO_READY + r"(it has not read hello|nothing came): .*", control=SHORT_STARTUP
    ),
    "sends_ready_byte_by_byte": fault("startup_timeout", NO_READY + UNFINISHED, control=SHORT_STARTUP),
    "slow_at_start": fine(),
    "speaks_protocol_2": fault("protocol_version", r"speaks protocol 2; this referee speaks 1"),
    "speaks_protocol_10_to_4000": fault("protocol_version", r"speaks protocol <out of range>; this referee speaks 1"),
    "protocol_as_text": wrong("protocol"),
    "wrong_types": wrong("name"),
    "echoes_the_referee": bad(r"hello is a message of the referee: " + QUOTED),
    "byte_order_mark": bad(r"a byte order mark before the JSON: '\\ufeff\{.*' \(before it was ready\); .*"),
    "utf16": bad(r"not UTF-8 but UTF-16: '\{\\x00.*' … \(86 bytes\) \(before it was ready\); write UTF-8"),
    "endless_lines_at_start": bad(r"expected an action: '.*\"flood\".*' \(at act 1\); .*"),
    # -- answers
    "answers_twice": fine(),
    "answers_old_ids": fine(),
    "answers_before_asked": fine(),
    "answers_nothing_but_old_ids": fault(
        "timeout", NO_ANSWER + r"(an answer with id 0 came|\d+ answers came, .* id 0), to act 1: .*", control=SHORT_TIME
    ),
    "never_answers": fault("timeout", NO_ANSWER + NOTHING, control=SHORT_TIME),
    "never_ends_a_line": fault("timeout", NO_ANSWER + UNFINISHED, control=SHORT_TIME),
    "answers_byte_by_byte": fault("timeout", NO_ANSWER + UNFINISHED, control=SHORT_TIME),
    "fills_its_input": fault("timeout", NO_ANSWER + NOTHING, control=SHORT_TIME, options={"filler": 20_000}),
    "reads_no_end": fine(control=LONG_STARTUP),
    "resizes_its_input": fault(
        "crash", r"changed the size of its standard input \(F_SETPIPE_SZ\)", options={"filler": 20_000}
    ),
    "stops_reading": fault("timeout", NO_ANSWER + UNREAD, control=SHORT_TIME, options={"filler": 1_000_000}),
    "index_minus_one": fault("illegal_action", r"index -1 .*"),
    "index_10_to_30": fault("illegal_action", r"index <out of range> .*"),
    "index_as_float": wrong("index"),
    "index_as_text": wrong("index"),
    "index_true": wrong("index"),
    "id_as_text": wrong("id"),
    "index_and_action": bad(r"both index and action are given: '.*' \(at act 1\); .*"),
    "illegal_action": fault("illegal_action", r"'{\"count\": ?1000}' is not among .*"),
    "action_of_another_game": fault(
        "illegal_action",
        r"'{\"x\": 1, \"y\": -2, \"rotation\": 1}' is not a valid draft action: .*\bpersons\b.*",
        game=YearOfTheDragon,
    ),
    "sends_referee_messages": bad(r"end is a message of the referee: " + QUOTED),
    "ready_again": bad(r"expected an action: '.*somebody else.*' \(at act 1\); write \"type\":\"action\""),
    "prints_debug_output": bad(NOT_JSON + r"'evaluating 3 moves \.\.\.' \(at act 1\)" + ONLY_MESSAGES),
    # -- volume
    "one_100_mb_line": fault("oversize", r"a line of over 1048576 bytes without an end at act 1"),
    "endless_spaces": fault("oversize", r"a line of over 1048576 bytes without an end at act 1"),
    "endless_valid_lines": fault(
        "oversize", r"over 8 MiB of output \(stdout_mb\) in one game at act \d+", limits={"stdout_mb": 8}
    ),
    "endless_empty_lines": bad(r"an empty line: '' \(at act 1\); .*"),
    "endless_stderr": fault(
        "oversize", r"wrote over 8 MiB \(stderr_mb\) to its standard error in one game", limits={"stderr_mb": 8}
    ),
    "floods_while_it_plays": fine(stderr=r"log\nlog\n"),
    "huge_info": fine(),
    # -- bytes
    "invalid_utf8": bad(r"not valid UTF-8 .*caf\\ufffd.*"),
    "nul_bytes": bad(NOT_JSON + r"\\x00' \(at act 1\)"),
    "lone_surrogates": bad(NOT_JSON + r"\\ud83c is half of a surrogate pair: .* \(at act 1\)"),
    "lone_surrogates_in_its_name": bad(NOT_JSON + r"\\ud83c is half of a surrogate pair: .* \(before it was ready\)"),
    # -- JSON
    "million_brackets": bad(r".+: '\[+' … \(1000000 bytes\) \(at act 1\)"),
    "deep_action": bad(NOT_JSON + r"nested too deeply: .* \(at act 1\)"),
    "deep_info": fine(),
    "huge_numbers": wrong("index"),
    "huge_numbers_in_info": fine(),
    "not_a_number": bad(r"JSON has no NaN: .*NaN.* \(at act 1\); write null or a string instead of this number"),
    "duplicate_keys": fine(),
    "answers_in_a_list": bad(r"a list, .* \(at act 1\); .*"),
    # -- names
    "escape_sequences": fault("illegal_action", r"'{\"\\\\u001b\[2J.*' … \(\d+ bytes\) is not a valid take action: .*"),
    "megabyte_name": fine(),
    "empty_name": fine(),
    "same_name": fine(),
}
"""Hostile in what they write, which is the same with a sandbox and without, so they play without."""

BAD_PROCESSES: Final[dict[str, Expected]] = {
    # -- ends of the process
    "exits_at_once": fault("crash", r"exited with status 1 before it was ready", stderr=r"no model\.bin here"),
    "exits_quietly": fault("crash", r"exited with status 0 (at act 1|between two decisions): .*"),
    "exits_mid_line": fault("crash", r"exited with status 4 at act 1"),
    "exits_mid_game": fault("crash", r"exited with status 5 at act 2"),
    "exits_after_end": fine(),
    "dies_of_a_segfault": fault("crash", KILLED_BY.format("SIGSEGV") + " at act 1: an access to memory .*"),
    "kills_its_group": fault("crash", KILLED_BY.format("SIGKILL") + " at act 1"),
    # -- pipes and signals
    "closes_stdout": fault("crash", r"closed its standard .*output while it was still running at act 1"),
    "closes_stdin": fault("crash", r"closed its standard input .*while it was still running at act 2"),
    "closes_stderr": fine(),
    "closes_all_pipes": fault("crash", r"closed its standard .*while it was still running at act 1"),
    "stops_itself": fault("timeout", NO_ANSWER + f"({NOTHING}|{UNFINISHED})", control=SHORT_TIME),
    "stops_its_group": fault("timeout", NO_ANSWER + f"({NOTHING}|{UNFINISHED})", control=SHORT_TIME),
    "ignores_sigterm": fine(),
    "does_not_exit": bad(NOT_JSON + r"'I shall not be moved' \(at act 1\)" + ONLY_MESSAGES),
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
