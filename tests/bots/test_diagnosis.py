"""What is said of lines that are not messages, and of bots that don't answer in time."""

import pytest
from msgspec import structs

from protocol.messages import Answer
from referee.bots.diagnosis import Wait, explain_line, explain_wait
from referee.bots.languages import PHP, C

LINES = {
    b'{"type":"action","id":1,"index":0,"info":NaN}': "JSON has no NaN",
    b'{"type":"action","id":1,"index":0,"info":[-Infinity]}': "JSON has no Infinity",
    b'{"type":"action","id":1,"index":0}{"type":"action","id":1,"index":0}': "two messages on one line",
    b'{"type":"act{"type":"action","id":1,"index":0}ion","id":2,"index":0}': "two messages on one line",
}


@pytest.mark.parametrize(("line", "problem"), LINES.items())
def test_numbers_that_json_has_not_and_mixed_lines_are_named(line: bytes, problem: str) -> None:
    assert explain_line(line, Answer, None).problem == problem


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        (b'{"type":"action","id":1,"index":0,"info":"NaN",}', "write messages with a JSON library"),
        (b'{"type":"action","id":"1","index":0,"note":2}', 'write {"type":"action","id":…,"index":…}'),
        (b'{"type":"action","id":1,"note":2}', 'write {"type":"action","id":…,"index":…}'),
        (b'{"type":"action","id":1,"index":0,"action":{},"note":2}', "give either index or action"),
    ],
)
def test_what_to_do_follows_from_what_is_wrong_with_a_line_and_not_from_what_is_ignored(
    line: bytes, remedy: str
) -> None:
    assert explain_line(line, Answer, None).remedy == remedy


def wait(memory_mb: int, max_memory_mb: int) -> Wait:
    return Wait(
        asked=3,
        seconds=1.0,
        dropped=0,
        dropped_id="0",
        unfinished=0,
        is_unread=False,
        cpu_seconds=1.0,
        has_answered=True,
        memory_mb=memory_mb,
        max_memory_mb=max_memory_mb,
    )


def test_a_program_that_may_not_be_flushed_is_told_how_in_its_language() -> None:
    silent = structs.replace(wait(0, 0), asked=None, cpu_seconds=0.0, has_answered=False)
    assert explain_wait(silent, C).startswith(
        "nothing came: perhaps standard output is not flushed (C: fflush(stdout)), or"
    )


@pytest.mark.parametrize(("asked", "advice"), [(None, "load less before ready"), (3, "decide within time_ms")])
def test_a_bot_that_has_computed_for_a_good_part_of_the_time_is_told_so(asked: int | None, advice: str) -> None:
    late = structs.replace(wait(0, 0), asked=asked, has_answered=False)
    assert explain_wait(late, None) == f"it was still computing: {advice}"
    assert explain_wait(structs.replace(late, cpu_seconds=0.1), None).startswith("nothing came: ")
    assert explain_wait(structs.replace(late, cpu_seconds=0.1), PHP)[-1] == ")", "more may follow, so no question"


def test_a_bot_that_is_late_and_uses_much_memory_hears_of_both() -> None:
    late = "nothing came, though it has answered before: decide within time_ms"
    assert explain_wait(wait(500, 2048), None) == late
    assert explain_wait(wait(5000, 0), None) == late
    used = "it uses 1900 of at most 2048 MiB of memory (memory_mb), so its memory may keep growing"
    assert explain_wait(wait(1900, 2048), None) == f"{late}; {used}"
    stopped = explain_wait(structs.replace(wait(0, 0), is_stopped=True), None)
    assert stopped.startswith("a signal such as SIGSTOP has stopped one of its processes")


def test_an_author_of_php_is_told_what_prints_empty_lines() -> None:
    assert "(PHP: json_encode returns false for NAN" in str(explain_line(b"", Answer, PHP).remedy)
