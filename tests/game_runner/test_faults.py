"""Every way for a bot to fail, with a real process: the code, the message for its author, and the outcome.

`Harness.fault_of` plays against a built-in player and checks the rest each time: the other one has won, the game stops,
the record says so, and no process of the bot is left.
"""

import re

import pytest

from referee.bots.bot_spec import BotSpec
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.players.clock import TimeControl
from tests.game_runner.harness import FIRST, SHORT_TIME, Harness

never_exits = pytest.mark.usefixtures("short_grace")
"""For a bot that does not exit by itself."""


FLUSH = r"is standard output flushed \(Python: print\(…, flush=True\)\)"
SLOW = (
    r"it has said ready, so it may be too slow; decide within time_ms\."
    r" Or is its answer not flushed \(Python: print\(…, flush=True\)\)"
)
READ_LINES = r"Or does it read to the end of its input, not line by line \(Python: for line in sys.stdin\)\?"
SILENCES = {
    "no reader": ("wait_forever()", r"it has not read hello: it needs longer to start, or doesn't read standard input"),
    "a buffered ready": (
        'receive("hello"); sys.stdout.buffer.write(b\'{"type":"ready","protocol":1,"name":"x"}\\n\'); wait_forever()',
        rf"nothing came: {FLUSH}\? {READ_LINES}",
    ),
    "reads all": ("sys.stdin.buffer.read()", rf"nothing came: {FLUSH}\? {READ_LINES}"),
    "no line end": (
        "receive('hello'); send_bytes(b'{\"type\":\"ready\"'); wait_forever()",
        r'15 bytes came, but no end of line: end each message with a line feed \("\\n"\), and flush it',
    ),
    "still computing": (
        "receive('hello')\nwhile True: pass",
        r"it was still computing: load less before ready",
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
    "another id": (
        "ready(); receive('act'); send('action', id=2, index=0); wait_forever()",
        r"an answer with id 2 came, to act 1: answer with the id of the act",
    ),
    "other ids": (
        "ready(); receive('act'); [send('action', id=10**30 - n, index=0) for n in range(3)]; wait_forever()",
        r"3 answers came, the last with id <out of range>, to act 1: answer with the id of the act",
    ),
    "no line end": (
        'ready(); receive(\'act\'); send_bytes(b\'{"type":"action","id":1,"index":0}\'); wait_forever()',
        r'34 bytes came, but no end of line: end each message with a line feed \("\\n"\), and flush it',
    ),
    "a buffered answer": (
        "ready(); receive('act'); sys.stdout.buffer.write(b'{}\\n'); wait_forever()",
        rf"nothing came: {SLOW}\? {READ_LINES}",
    ),
    "sleeps": ("ready(); receive('act'); wait_forever()", rf"nothing came: {SLOW}\? {READ_LINES}"),
    "reads all": ("ready(); sys.stdin.buffer.read()", rf"nothing came: {SLOW}\? {READ_LINES}"),
    "computes": ("ready(); receive('act')\nwhile True: pass", r"it was still computing: decide within time_ms"),
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


@pytest.mark.slow
@never_exits
async def test_timeout_of_a_bot_that_does_not_read(harness: Harness) -> None:
    fault = await harness.fault_of("ready(); wait_forever()", control=SHORT_TIME, filler=1_000_000)
    assert fault.code == "timeout"
    assert "; it has not read all of act 1: " in fault.message


@pytest.mark.slow
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
        r"exited with status 0 before it was ready: a bot keeps reading until quit or the end of its input",
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
        "ready(); fork(); receive('act'); os._exit(5)",
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


def wrong(field: str, length: str = "") -> str:
    """A pattern for a message that names the wrong field, quotes the line, and says what is right.

    Its other words are the decoder's.
    """
    return rf"[^']*\b{field}\b[^']*: '.*'{length} \((at act 1|before it was ready)\); .*\"type\":\".*"


ON_ONE_LINE = "write each message on one line, without indentation"
ONLY_MESSAGES = (
    r"standard output is for messages only: use standard error for everything else"
    r" \(Python: print\(…, file=sys.stderr\)\)"
)


def misspelt(field: str, right: str) -> str:
    """A pattern for a message that quotes the line and names a field and the one that was probably meant."""
    return rf"[^']*: '.*' \(at act 1\); (write .*; )?unknown field '{field}'; did you mean '{right}'\?"


BAD_MESSAGES = {
    "no JSON": ("send_bytes(b'take one\\n')", rf"not a JSON object: .*'take one' \(at act 1\); {ONLY_MESSAGES}"),
    "a number": (
        "send_bytes(b'2\\n')",
        rf"not a JSON object: '2' \(at act 1\); an answer looks like .*; {ONLY_MESSAGES}",
    ),
    "an empty line": (
        "send_bytes(b'\\n')",
        r"an empty line: '' \(at act 1\); print messages only, with one line feed after each",
    ),
    "several lines": (
        "send_bytes(json.dumps({'type': 'action', 'id': 1, 'index': 0}, indent=2).encode() + b'\\n')",
        rf"only the beginning of a JSON object: '\{{' \(at act 1\); {ON_ONE_LINE}",
    ),
    "a later one of several lines": (
        """send_bytes(b'  "index": 0\\n')""",
        rf"only a part of a JSON object: '  \"index\": 0' \(at act 1\); {ON_ONE_LINE}",
    ),
    "the end of several lines": (
        "send_bytes(b'}\\n')",
        rf"only a part of a JSON object: '}}' \(at act 1\); {ON_ONE_LINE}",
    ),
    "single quotes": (
        "print({'type': 'action', 'id': 1, 'index': 0}, flush=True)",
        r"not a JSON object: .*; JSON uses double quotes \(json.dumps writes them\)",
    ),
    "a list": (
        "send_bytes(b'[{}]\\n')",
        r"a list, not an object: .*; write each message as an object on a line of its own",
    ),
    "a byte order mark": (
        "send_bytes(b'\\xef\\xbb\\xbf{}\\n')",
        r"a byte order mark before the JSON: .*; write UTF-8 without it",
    ),
    "UTF-16": ("send_bytes('{}\\n'.encode('utf-16'))", r"not UTF-8 but UTF-16: .*; write UTF-8"),
    "a misspelt index": ("send('action', id=1, idx=0)", misspelt("idx", "index")),
    "nothing but a misspelt index": ("send_bytes(b'{\"idx\":0}\\n')", misspelt("idx", "index")),
    "a misspelt action": ("send('action', id=1, Action={'count': 1})", misspelt("Action", "action")),
    "a misspelt id": ("send('action', msg_id=1, index=0)", misspelt("msg_id", "id")),
    "a misspelt type": ('send_bytes(b\'{"tpye":"action","id":1}\\n\')', misspelt("tpye", "type")),
    "a message of the referee": (
        "send('act', id=1, index=0)",
        r"act is a message of the referee: .* \(at act 1\); answer with \"type\":\"action\"",
    ),
    "invalid UTF-8": ('send_bytes(b\'{"type":"\\xff"}\\n\')', r"not valid UTF-8 at byte 9: .*"),
    "a million brackets": ("send_bytes(b'[' * 1_000_000 + b'\\n')", r".*: '\[+' … \(1000000 bytes\) \(at act 1\)"),
    "deep nesting": (
        'send_bytes(b\'{"type":"action","id":1,"action":\' + b"[" * 1_000_000 + b"\\n")',
        r"not a JSON object: nested too deeply: .*",
    ),
    "no type": ("send_bytes(b'{}\\n')", wrong("type")),
    "an unknown type": (
        "send('move')",
        r"unknown type 'move': '.*move.*' \(at act 1\); write \"type\":\"action\"",
    ),
    "ready again": ("send('ready', protocol=1, name='again')", r"expected an action: .*again.*"),
    "an id of 1.0": ("send('action', id=1.0, index=0)", wrong("id")),
    "an id of '1'": ("send('action', id='1', index=0)", wrong("id")),
    "an id of true": ("send('action', id=True, index=0)", wrong("id")),
    "no id": ("send('action', index=0)", wrong("id")),
    "an index of 1.0": ("send('action', id=1, index=1.0)", wrong("index")),
    "an index of '1'": ("send('action', id=1, index='1')", wrong("index")),
    "an index of true": ("send('action', id=1, index=True)", wrong("index")),
    "an index of 5000 digits": (
        'send_bytes(b\'{"type":"action","id":1,"index":\' + b"1" * 5000 + b"}\\n")',
        wrong("index", r" … \(5033 bytes\)"),
    ),
    "neither index nor action": (
        "send('action', id=1)",
        r"neither index nor action is given: '.*' \(at act 1\); it looks like \{\"type\":\"action\".*",
    ),
    "both index and action": (
        "send('action', id=1, index=0, action={'count': 1})",
        r"both index and action are given: '.*' \(at act 1\); it looks like \{\"type\":\"action\".*",
    ),
}


@pytest.mark.parametrize(("source", "message"), BAD_MESSAGES.values(), ids=BAD_MESSAGES)
async def test_bad_message(harness: Harness, source: str, message: str) -> None:
    fault = await harness.fault_of(f'ready(); receive("act"); {source}')
    assert fault.code == "bad_message"
    assert re.fullmatch(message, fault.message)
    assert len(fault.message) < 300


HELLO_ANSWERS = {
    "garbage": (
        "send_bytes(b'Hello!\\n')",
        "bad_message",
        rf"not a JSON object: .*'Hello!' \(before it was ready\); {ONLY_MESSAGES}",
    ),
    "an action": ("send('action', id=1, index=0)", "bad_message", r"expected ready as the first line: .*"),
    "no name": ("send('ready', protocol=1)", "bad_message", wrong("name")),
    "another protocol": (
        "send('ready', protocol=2, name='bot')",
        "protocol_version",
        r"speaks protocol 2; .* speaks 1",
    ),
    "an endless line": (
        "send_bytes(b'x' * 2_000_000)",
        "oversize",
        r"a line of over 1048576 bytes without an end .*ready",
    ),
}


@pytest.mark.parametrize(("source", "code", "message"), HELLO_ANSWERS.values(), ids=HELLO_ANSWERS)
@never_exits
async def test_a_wrong_answer_to_hello(harness: Harness, source: str, code: str, message: str) -> None:
    fault = await harness.fault_of(f'receive("hello"); {source}')
    assert fault.code == code
    assert re.fullmatch(message, fault.message)


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


DRAFT_FAULTS = {
    "an index of -1": ("index=-1", r"index -1 is not in 0 to 35 \(draft at act 1\)"),
    "an index out of range": ("index=36", r"index 36 is not in 0 to 35 \(draft at act 1\)"),
    "an index of 10^30": ("index=10**30", r"index <out of range> is not in 0 to 35 \(draft at act 1\)"),
    "an action that is not legal": (
        "action={'persons': ['monk', 'monk']}",
        r".*is not among the 36 legal actions of draft, the first of which is \{\"persons\":.*",
    ),
    "an action of another decision": ("action={'palace': 0}", r".*is not a valid draft action: .*\bpersons\b.*"),
    "a field of the wrong type": ("action={'persons': 'monk'}", r".*is not a valid draft action: .*\bpersons\b.*"),
    "a field with a value of the wrong type": (
        "action={'persons': ['monk', 1]}",
        r".* is not a valid draft action: .*",
    ),
    "a person that there is not": (
        "action={'persons': ['monk', 'nun']}",
        r".* is not a valid draft action: .*\bpersons\b.*",
    ),
    "too few persons": ("action={'persons': ['monk']}", r".* is not a valid draft action: .*\bpersons\b.*"),
    "an action that is a number": ("action=0", r"'0' is not a valid draft action: .+"),
}


@pytest.mark.parametrize(("fields", "message"), DRAFT_FAULTS.values(), ids=DRAFT_FAULTS)
async def test_illegal_action(harness: Harness, fields: str, message: str) -> None:
    fault = await harness.fault_of(f'ready(); answer(receive("act"), {fields})', game=YearOfTheDragon)
    assert fault.code == "illegal_action"
    assert re.fullmatch(message, fault.message)


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
