"""Every way for a process to fail: the code, the message for its author, and the outcome.

What it writes is in tests/players/test_bad_answers.py, and here only what depends on a pipe.

`Harness.fault_of` plays against a built-in player and checks the rest each time: the other one has won, the game stops,
the record says so, and no process of the bot is left.
"""

import re

import pytest

from referee.bots.bot_spec import BotSpec
from referee.players.clock import TimeControl
from tests.game_runner.harness import FIRST, SHORT_TIME, Harness

never_exits = pytest.mark.usefixtures("short_grace")
"""For a bot that does not exit by itself."""


FLUSH = r"perhaps standard output is not flushed \(Python: print\(…, flush=True\)\)"
SLOW = (
    r"it has said ready, so it may be too slow; decide within time_ms\."
    r" Or its answer is not flushed \(Python: print\(…, flush=True\)\)"
)
READ_LINES = r"or it reads to the end of its input, not line by line \(Python: for line in sys.stdin\)"
SILENCES = {
    "no reader": ("wait_forever()", r"it has not read hello: it needs longer to start, or doesn't read standard input"),
    "a buffered ready": (
        'receive("hello"); sys.stdout.buffer.write(b\'{"type":"ready","protocol":1,"name":"x"}\\n\'); wait_forever()',
        rf"nothing came: {FLUSH}, {READ_LINES}",
    ),
    "reads all": ("sys.stdin.buffer.read()", rf"nothing came: {FLUSH}, {READ_LINES}"),
    "no line end": (
        "receive('hello'); send_bytes(b'{\"type\":\"ready\"'); wait_forever()",
        r'15 bytes came, but no end of line: end each message with a line feed \("\\n"\), and flush it',
    ),
}
"""Bots that never become ready, and what came instead."""


@never_exits
@pytest.mark.parametrize(("source", "came"), SILENCES.values(), ids=SILENCES)
async def test_startup_timeout(harness: Harness, source: str, came: str) -> None:
    fault = await harness.fault_of(source, control=TimeControl(startup=0.6))
    assert fault.code == "startup_timeout"
    assert re.fullmatch(rf"no ready within 0.6 s of the start; {came}", fault.message), fault


TIMEOUTS = {
    "no line end": (
        'ready(); receive(\'act\'); send_bytes(b\'{"type":"action","id":1,"index":0}\'); wait_forever()',
        r'34 bytes came, but no end of line: end each message with a line feed \("\\n"\), and flush it',
    ),
    "a buffered answer": (
        "ready(); receive('act'); sys.stdout.buffer.write(b'{}\\n'); wait_forever()",
        rf"nothing came: {SLOW}, {READ_LINES}",
    ),
    "sleeps": ("ready(); receive('act'); wait_forever()", rf"nothing came: {SLOW}, {READ_LINES}"),
    "reads all": ("ready(); sys.stdin.buffer.read()", rf"nothing came: {SLOW}, {READ_LINES}"),
    "stops itself": (
        "ready(); receive('act'); os.kill(os.getpid(), signal.SIGSTOP)",
        r"a signal such as SIGSTOP has stopped one of its processes, .*",
    ),
    "does not read": ("ready(); play(1); wait_forever()", r"it has not read all of act \d: .*"),
    "has answered": (
        "ready(); play(1); receive('act'); wait_forever()",
        r"nothing came, though it has answered before: decide within time_ms",
    ),
}
"""Bots that don't answer in time, and what came instead."""


@never_exits
@pytest.mark.parametrize(("source", "came"), TIMEOUTS.values(), ids=TIMEOUTS)
async def test_timeout(harness: Harness, source: str, came: str) -> None:
    fault = await harness.fault_of(source, control=SHORT_TIME)
    assert fault.code == "timeout"
    assert re.fullmatch(rf"no answer to act \d \(take\) within 0.2 s; {came}", fault.message), fault


@never_exits
async def test_timeout_of_a_bot_that_computes(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.bots.diagnosis.THINKING_SHARE", 0.01)  # on a busy machine it gets no more
    fault = await harness.fault_of("ready(); receive('act')\nwhile True: pass", control=SHORT_TIME)
    assert fault.message.endswith("; it was still computing: decide within time_ms")


@pytest.mark.ci_only
@never_exits
async def test_timeout_of_a_bot_that_floods_old_answers_for_ever(harness: Harness) -> None:
    fault = await harness.fault_of(
        """
        ready()
        signal.alarm(120)
        old_answers = b'{"type":"action","id":0,"index":0}\\n' * 100_000
        while True:
            send_bytes(old_answers)
        """,
        control=SHORT_TIME,
    )
    assert fault.code == "timeout"


CRASHES = {
    "at once": ("sys.exit(7)", r"exited with status 7 before it was ready"),
    "before ready": (
        'receive("hello"); sys.exit(0)',
        r"exited with status 0 before it was ready",
    ),
    "by an exception": ('ready(); receive("act"); raise KeyError', r"exited with status 1 at act 1"),
    "in the middle of a line": (
        "ready(); receive('act'); send_bytes(b'{\"type\"'); sys.exit(3)",
        r"exited with status 3 at act 1",
    ),
    "in the middle of the game": ("ready(); play(2); sys.exit(4)", r"exited with status 4 at act 3"),
    "by a signal": (
        "ready(); play(1); receive('act'); os.kill(os.getpid(), signal.SIGKILL)",
        r"was killed by SIGKILL at act 2",
    ),
    "while a child holds its pipes": (
        "ready(); child(); receive('act'); os._exit(5)",
        r"exited with status 5 at act 1",
    ),
    "by closing its output": (
        "ready(); receive('act'); os.close(1); wait_forever()",
        r"closed its standard input or output while it was still running at act 1",
    ),
    "by closing its input": (
        "ready(); play(1); os.close(0); answer({'id': 2}); wait_forever()",
        r"closed its standard input or output while it was still running at act \d",
    ),
}


@pytest.mark.parametrize(("source", "message"), CRASHES.values(), ids=CRASHES)
@never_exits
async def test_crash(harness: Harness, source: str, message: str) -> None:
    fault = await harness.fault_of(source, heap=100)
    assert fault.code == "crash"
    assert re.fullmatch(message, fault.message)


async def test_crash_of_a_program_that_cannot_be_started(harness: Harness) -> None:
    played = await harness.play_one(BotSpec(name="lost", argv=("./no-such-program",), folder=harness.folder), FIRST)
    fault = played.outcome.faults[0]
    assert fault is not None
    assert str(fault) == "crash: can't start './no-such-program': No such file or directory"
    assert played.outcome.ranks == [2, 1]


async def test_bad_message_of_a_program_says_what_to_do_in_its_language(harness: Harness) -> None:
    fault = await harness.fault_of("ready(); receive('act'); send_bytes(b'take one\\n')")
    assert fault.code == "bad_message"
    assert fault.message.endswith("use standard error for everything else (Python: print(…, file=sys.stderr))")


@never_exits
async def test_oversize_in_answer_to_hello(harness: Harness) -> None:
    fault = await harness.fault_of("receive('hello'); send_bytes(b'x' * 2_000_000)")
    assert fault.code == "oversize"
    assert re.fullmatch(r"a line of over 1048576 bytes without an end .*ready", fault.message)


OVERSIZES = {
    "a line without an end": (
        "while True: send_bytes(b'x' * 100_000)",
        r"a line of over 1048576 bytes without an end at act 1",
    ),
    "a line too long by one": ("send_bytes(b' ' * 1048577 + b'\\n')", r".* line of (over )?104857\d bytes.*at act 1"),
}


@pytest.mark.parametrize(("source", "message"), OVERSIZES.values(), ids=OVERSIZES)
@never_exits
async def test_oversize(harness: Harness, source: str, message: str) -> None:
    fault = await harness.fault_of(f'ready(); receive("act")\n{source}')
    assert fault.code == "oversize"
    assert re.fullmatch(message, fault.message)


FLOODS = {"one line": "x", "many lines": "x" * 99 + "\\n"}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
@never_exits
async def test_oversize_of_a_flood_that_meets_a_long_question(harness: Harness, flood: str) -> None:
    fault = await harness.fault_of(
        f"ready()\nwhile True: send_bytes(b'{flood}' * 1000)",
        control=TimeControl(enforced=False),
        filler=1_000_000,
    )
    assert fault.code == "oversize"


@never_exits
async def test_memory(harness: Harness) -> None:
    source = "ready(); receive('act'); block = b'x' * (200 << 20); wait_forever()"
    played = await harness.play_one(harness.bot(source, memory_mb=64), FIRST)
    fault = played.outcome.faults[0]
    assert fault is not None
    assert fault.code == "memory"
    assert re.fullmatch(r"used \d+ MiB of memory; at most 64 MiB \(memory_mb\) are allowed", fault.message)


async def test_fault_is_sent_to_the_bot_before_quit(harness: Harness) -> None:
    fault = await harness.fault_of(
        """
        ready()
        answer(receive("act"), index=99)
        fault = receive("fault")
        report(f"{fault['code']}: {fault['message']}")
        """
    )
    assert harness.all_reported() == [str(fault)] == ["illegal_action: index 99 is not in 0 to 2 (take at act 1)"]
