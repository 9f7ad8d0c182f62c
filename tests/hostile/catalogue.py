"""What must happen to each hostile bot: its fault, in words that its author can act on, or none.

Wherever a bot is here with a fault, it is one in each of its games; one without must come through its games as if it
were well-behaved.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.games import Game
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.players.clock import TimeControl
from tests.game_runner.harness import PATIENT
from tests.game_runner.pebbles import Pebbles

HASTY: Final = TimeControl(move=0.7, startup=30.0)
"""For bots that never answer: enough for good ones on a busy machine."""
HASTY_START: Final = TimeControl(move=30.0, startup=1.2)
"""For bots that are never ready."""
ENDED: Final = r"(was killed by {0}|exited with status \d+ \({0}\))"
"""The death by a signal, as it is seen without a sandbox and through one."""


class Expected(Struct, frozen=True, kw_only=True):
    """What must happen to a bot."""

    code: FaultCode | None = None
    message: str = ""
    """All of the fault's message, as a regular expression."""
    stderr: str = ""
    """What its standard error must contain, as a regular expression: the proof that it tried."""
    never: str | None = None
    """What its standard error must not contain, as a regular expression."""
    sandbox_only: bool = False
    """Whether only the sandbox protects from this bot."""
    arguments: Sequence[str] = ()
    """Of its command line; names in braces stand for what the test has prepared."""
    limits: Mapping[str, int] = {}
    control: TimeControl = PATIENT
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


NOT_JSON: Final = r"not a JSON object: .*"
NO_INT: Final = r"Expected `int \| null`, got `{}` - at `\$\.index`: '.*' \(at act 1\)"
TOO_MANY: Final = (
    r"ran over 64 processes and threads at a time; no more \(processes\) are allowed"
    r"|exited with status 9 at act 1"  # where the kernel refuses a process before the referee counts too many
)
TOO_MUCH: Final = r"used \d+ MiB of memory; at most 200 MiB \(memory_mb\) are allowed"

WORDS: Final[dict[str, Expected]] = {
    # -- the start
    "silent_at_start": fault("startup_timeout", r"no ready within 1.2 s of the start", control=HASTY_START),
    "drips_its_ready": fault("startup_timeout", r"no ready within 1.2 s of the start", control=HASTY_START),
    "slow_at_start": fine(),
    "speaks_protocol_2": fault("protocol_version", r"speaks protocol 2; this referee speaks 1"),
    "speaks_protocol_10_to_4000": fault("protocol_version", r"speaks protocol far off; this referee speaks 1"),
    "protocol_as_text": bad(r"Expected `int`, got `str` - at `\$\.protocol`: '.*' \(before it was ready\)"),
    "wrong_types": bad(r"Expected `str`, got `array` - at `\$\.name`: '.*' \(before it was ready\)"),
    "echoes_the_referee": bad(r"Invalid value 'hello' - at `\$\.type`: '.*' … \(\d+ bytes\) \(before it was ready\)"),
    "byte_order_mark": bad(NOT_JSON + r"'\\ufeff\{.*' \(before it was ready\)"),
    "utf16": bad(NOT_JSON + r"'\{\\x00.*' … \(86 bytes\) \(before it was ready\)"),
    "endless_lines_at_start": bad(r"expected an action: '.*\"flood\".*' \(at act 1\)"),
    # -- answers
    "answers_twice": fine(),
    "answers_old_ids": fine(),
    "answers_before_asked": fine(),
    "answers_nothing_but_old_ids": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s", control=HASTY),
    "never_answers": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s", control=HASTY),
    "never_ends_a_line": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s.*", control=HASTY),
    "drip_feeds": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s.*", control=HASTY),
    "stops_reading": fault("timeout", r"no answer to act 1 .*", control=HASTY, options={"filler": 1_000_000}),
    "index_minus_one": fault("illegal_action", r"index -1 is not in 0 to 2 \(take\)"),
    "index_10_to_30": fault("illegal_action", r"index far off is not in 0 to 2 \(take\)"),
    "index_as_float": bad(NO_INT.format("float")),
    "index_as_text": bad(NO_INT.format("str")),
    "index_true": bad(NO_INT.format("bool")),
    "id_as_text": bad(r"Expected `int`, got `str` - at `\$\.id`: '.*' \(at act 1\)"),
    "index_and_action": bad(r"give either index or action in the answer to act 1 \(at act 1\)"),
    "illegal_action": fault(
        "illegal_action", r"'{\"count\": ?1000}' is not among the 3 legal actions of take, the first of which is .*"
    ),
    "action_of_another_game": fault(
        "illegal_action",
        r"'{\"x\": 1, \"y\": -2, \"rotation\": 1}' is no action of draft: .*missing required field `persons`",
        game=YearOfTheDragon,
    ),
    "plays_the_referee": bad(r"Invalid value 'end' - at `\$\.type`: .* \(at act 1\)"),
    "ready_again": bad(r"expected an action: '.*somebody else.*' \(at act 1\)"),
    "prints_debug_output": bad(NOT_JSON + r"'evaluating 3 moves \.\.\.' \(at act 1\)"),
    # -- volume
    "one_100_mb_line": fault("oversize", r"a line of over 1048576 bytes without an end at act 1"),
    "endless_spaces": fault("oversize", r"a line of over 1048576 bytes without an end at act 1"),
    "endless_valid_lines": fault(
        "oversize", r"over 8 MiB \(stdout_mb\) on standard output in one game at act 1", limits={"stdout_mb": 8}
    ),
    "endless_empty_lines": bad(NOT_JSON + r" '' \(at act 1\)"),
    "endless_stderr": fault(
        "oversize", r"wrote over 8 MiB \(stderr_mb\) to its standard error in one game", limits={"stderr_mb": 8}
    ),
    "floods_while_it_plays": fine(stderr=r"log\nlog\n"),
    "huge_info": fine(),
    # -- bytes
    "invalid_utf8": bad(r"not valid UTF-8 at byte \d+: '.*caf\\ufffd.*' \(at act 1\)"),
    "nul_bytes": bad(NOT_JSON + r"trailing characters.*\\x00' \(at act 1\)"),
    "lone_surrogates": bad(NOT_JSON + r"\\ud83c is half of a surrogate pair: .* \(at act 1\)"),
    "lone_surrogates_in_its_name": bad(NOT_JSON + r"\\ud83c is half of a surrogate pair: .* \(before it was ready\)"),
    # -- JSON
    "million_brackets": bad(r"Expected `object`, got `array`: .* \(1000000 bytes\) \(at act 1\)"),
    "deep_action": bad(NOT_JSON + r"nested too deeply: .* \(at act 1\)"),
    "deep_info": fine(),
    "huge_numbers": bad(r"Integer value out of range - at `\$\.index`: .* \(at act 1\)"),
    "huge_numbers_in_info": fine(),
    "not_a_number": bad(NOT_JSON + r"invalid character.*NaN.* \(at act 1\)"),
    "duplicate_keys": fine(),
    "answers_in_a_list": bad(r"Expected `object`, got `array`: .* \(at act 1\)"),
    # -- names
    "escape_sequences": fault("illegal_action", r"'{\"\\\\u001b\[2J.*' … \(\d+ bytes\) is no action of take: .*"),
    "megabyte_name": fine(),
    "empty_name": fine(),
    "same_name": fine(),
}
"""What they say: the same with a sandbox and without, so they play without."""

DEEDS: Final[dict[str, Expected]] = {
    # -- ends of the process
    "exits_at_once": fault("crash", r"exited with status 1 before it was ready", stderr=r"no model\.bin here"),
    "exits_quietly": fault("crash", r"exited with status 0 (at act 1|between two decisions)"),
    "exits_mid_line": fault("crash", r"exited with status 4 at act 1"),
    "exits_mid_game": fault("crash", r"exited with status 5 at act 2"),
    "exits_after_end": fine(),
    "dies_of_a_segfault": fault("crash", ENDED.format("SIGSEGV") + " at act 1"),
    "kills_its_group": fault("crash", ENDED.format("SIGKILL") + " at act 1"),
    # -- pipes and signals
    "closes_stdout": fault("crash", r"closed its standard .*output while it was still running at act 1"),
    "closes_stdin": fault("crash", r"closed its standard input .*while it was still running at act 2"),
    "closes_stderr": fine(),
    "closes_all_pipes": fault("crash", r"closed its standard .*while it was still running at act 1"),
    "stops_itself": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s.*", control=HASTY),
    "stops_its_group": fault("timeout", r"no answer to act 1 \(take\) within 0.7 s.*", control=HASTY),
    "ignores_sigterm": fine(),
    "refuses_to_leave": bad(NOT_JSON + r"'I shall not be moved' \(at act 1\)"),
    # -- more processes
    "forks_children": fine(),
    "makes_zombies": fine(),
    "daemonises": fine(stderr=r"the daemon runs"),
    "daemonises_and_exits": fault("crash", r"exited with status 7 at act 1"),
    "runs_away_at_quit": fine(),
    "hydra": fine(),
    "half_a_fork_bomb": fault("crash", r"exited with status 8 at act 1"),
    "fork_bomb": fault("crash", TOO_MANY, limits={"processes": 64}),
    "thread_bomb": fault("crash", TOO_MANY, limits={"processes": 64}),
    # -- resources
    "memory_bomb": fault("memory", TOO_MUCH, limits={"memory_mb": 200}),
    "memory_bomb_of_many": fault("memory", TOO_MUCH, limits={"memory_mb": 200}),
    "memory_in_files": fault("memory", TOO_MUCH, limits={"memory_mb": 200}),
    "fills_its_disk": fine(
        stderr=r"/tmp: \d+ MiB, then No space left", never=r"room for more|\d{4,} MiB in all", sandbox_only=True
    ),
    "writes_one_huge_file": fault(
        "crash", rf"{ENDED.format('SIGXFSZ')} at act 1|exited with status 1 at act 1", limits={"file_mb": 16}
    ),
    "opens_10000_files": fine(stderr=r"no more files: Too many open files"),
    "burns_cpu_in_threads": fine(),
    "burns_its_cpu_allowance": fault(
        "crash", r"used \d s of CPU time; at most 1 s \(cpu_seconds\) are allowed", limits={"cpu_seconds": 1}
    ),
    "raises_its_limits": fine(stderr=r"(raising RLIMIT_\w+: refused.*\n){4}", never=r": done", sandbox_only=True),
    # -- attacks
    "kills_its_parent": fine(stderr=r"SIGKILL to everybody", sandbox_only=True),
    "ptraces_its_parent": fine(stderr=r"attached|refused", sandbox_only=True),
    "reads_other_bots": fine(
        arguments=("{neighbour}/well_behaved.py", "{neighbour}", "{records}", "{home}", "/etc/shadow"),
        stderr=r"(reading \S+: refused: .*\n){5}",
        never=r": done",
        sandbox_only=True,
    ),
    "reads_proc": fine(stderr=r"process: python", never=r"process: (?!bwrap|python)|gold", sandbox_only=True),
    "prints_its_environment": fine(stderr=r"PATH=", never=r"gold|SECRET"),
    "opens_the_network": fine(
        arguments=("127.0.0.1", "{port}"),
        stderr=r"calling \('127.0.0.1', \d+\): refused(.|\n)*calling \('1.1.1.1', 53\): refused",
        never=r": done",
        sandbox_only=True,
    ),
    "writes_to_other_pipes": fine(stderr=r"wrote 0 bytes", sandbox_only=True),
    "writes_to_files": fine(
        arguments=("{neighbour}", "{home}", "/usr", "/etc"),
        stderr=r"(writing \S+: refused: .*\n){6}",
        never=r": done",
        sandbox_only=True,
    ),
    "makes_namespaces": fine(stderr=r"refused|no file system", never=r"mounted", sandbox_only=True),
    "writes_to_the_terminal": fine(stderr=r"clearing the screen: refused", never=r": done"),
}
"""What they do: to themselves, to the machine and to others."""

CATALOGUE: Final = WORDS | DEEDS
