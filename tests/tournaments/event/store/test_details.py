"""The details of a game are those of its record: times of decisions that its bots took, and what was wrong."""

import msgspec
import pytest

from referee.players.thinking_time import ThinkingTime, bucket
from referee.record.reader import InvalidRecord
from tournaments.event.store.details import MAX_FAULT_LINE, details_of

LINES = (
    {"type": "game", "players": [{"name": "a"}, {"name": "b"}], "anything": [1]},
    {"type": "chance", "what": "cards", "value": [1]},
    {"type": "decision", "seat": 0, "decision": "x", "action": {}, "ms": 2.5},
    {"type": "decision", "seat": 0, "decision": "x", "action": {}, "ms": 40.125},
    {"type": "decision", "seat": 0, "decision": "x", "action": {}, "forced": True, "ms": 999},
    {"type": "fault", "seat": 1, "code": "illegal_action", "message": "tried again", "retry": True},
    {"type": "fault", "seat": 1, "code": "crash", "message": "it ended\u202e\nand more"},
    {"type": "decision", "seat": 1, "decision": "x", "action": {}, "substitute": True, "ms": 7},
    {"type": "result", "scores": [1, 2]},
)


def record(*lines: object) -> bytes:
    """Lines as in a file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def test_decisions_that_a_bot_took_are_counted_and_faults_have_their_first_line() -> None:
    found = details_of(record(*LINES))
    first, second = found.thinking
    assert (first.decisions, first.total_ms, first.worst_ms) == (2, 42.625, 40.125)
    assert first.counts == {bucket(0.0025): 1, bucket(0.040125): 1}
    assert second.decisions == 0
    assert found.faults == (None, "crash: it ended\N{REPLACEMENT CHARACTER}")


def test_sums_over_games_are_those_of_a_match() -> None:
    sums, expected = ThinkingTime(), ThinkingTime()
    for ms in (2.5, 40.125):
        expected.add(ms / 1000)
    details_of(record(*LINES)).thinking[0].add_to(sums)
    assert sums.summary("a") == expected.summary("a")


def test_what_the_director_knows_of_a_fault_takes_the_place_of_the_message() -> None:
    found = details_of(record(*LINES), [None, "crash: it ended; its standard error: KeyError: 3" + "x" * 1000])
    assert found.faults[0] is None
    assert (found.faults[1] or "").startswith("crash: it ended; its standard error: KeyError: 3xx")
    assert len(found.faults[1] or "") <= MAX_FAULT_LINE + 1


@pytest.mark.parametrize(
    "broken",
    [b"", b"{}\n", record({"type": "game", "players": []}, LINES[2]), record(*LINES[:2]) + b'{"type":"decision","se'],
)
def test_a_record_that_is_wrong_has_no_details(broken: bytes) -> None:
    with pytest.raises(InvalidRecord):
        details_of(broken)
