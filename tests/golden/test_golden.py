"""Nothing of what the rules do and of what is said on the wire changes unnoticed."""

import re
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from tests.golden.compact import compact, differences
from tests.golden.conversation import CONVERSATIONS
from tests.golden.files import RENEW, difference, golden, present, renew, stored
from tests.golden.playthrough import PLAYTHROUGHS

FILES = golden()


@pytest.mark.parametrize("name", FILES)
def test_everything_is_as_in_the_golden_file(name: str) -> None:
    problem = difference(name, stored(name), FILES[name]())
    if problem is not None:
        pytest.fail(problem, pytrace=False)


def test_there_is_no_golden_file_that_nothing_makes_any_more() -> None:
    stale = sorted(present() - FILES.keys())
    assert not stale, f"remove them with `{RENEW}`"


@pytest.mark.parametrize("game", GAMES)
def test_the_playthroughs_of_a_game_show_every_decision_and_every_event(game: str) -> None:
    text = "\n".join(
        line for name, each in PLAYTHROUGHS.items() if each.game == game for line in stored(f"playthroughs/{name}.txt")
    )
    assert set(re.findall(r"^seat \d+ (\w+) \d+ of ", text, re.MULTILINE)) == set(GAMES[game].actions)
    events: list[type[Event]] = [ChanceEvent, DecisionEvent, *GAMES[game].events]
    types = {event.__struct_config__.tag for event in events}
    assert set(re.findall(r"^(?:\[\w+\] )?\{type:(\w+)", text, re.MULTILINE)) == types


def test_the_wire_transcripts_show_every_message_and_most_faults() -> None:
    text = "\n".join(line for name in CONVERSATIONS for line in stored(f"wire/{name}.txt"))
    to_bot = set(re.findall(r'^\d -> \{"type":"(\w+)"', text, re.MULTILINE))
    from_bot = set(re.findall(r'^\d <- \{"type":"(\w+)"', text, re.MULTILINE))
    faults = set(re.findall(r'^\d -> \{"type":"fault","code":"(\w+)"', text, re.MULTILINE))
    assert to_bot == {"hello", "start", "act", "fault", "end", "quit"}
    assert from_bot == {"ready", "action"}
    assert faults == {"timeout", "crash", "bad_message", "illegal_action", "protocol_version"}


def test_a_difference_is_told_with_the_file_the_line_and_what_to_do() -> None:
    told = difference("wire/x.txt", ["same", "a long line"], ["same", "a lone line", "more"])
    assert told is not None
    assert "tests/golden/wire/x.txt, line 2, column 6" in told
    assert "golden: a long line" in told
    assert "now:    a lone line" in told
    assert RENEW in told


@pytest.mark.parametrize(("old", "new"), [([], ["new"]), (["same"], ["same", "new"]), (["same", "old"], ["same"])])
def test_a_missing_and_a_surplus_line_are_differences(old: list[str], new: list[str]) -> None:
    told = difference("x", old, new)
    assert told is not None
    assert f"line {max(len(old), len(new))}," in told


def test_renewing_writes_what_is_missing_and_removes_what_nothing_makes(tmp_path: Path) -> None:
    (tmp_path / "wire").mkdir()
    (tmp_path / "wire" / "stale.txt").write_text("stale\n")
    assert sorted(renew(tmp_path)) == sorted([*FILES, "wire/stale.txt"])
    assert present(tmp_path) == FILES.keys()
    assert renew(tmp_path) == []


def test_compact_text_tells_different_values_apart() -> None:
    values = ["word", "true", True, None, "null", "1", 1, "two words", 'say "word"', ["a", "b"], ["a,b"], {"a": "b"}]
    assert len({compact(value) for value in values}) == len(values)
    assert compact({"kind": "card", "group": 0, "true": "no"}) == '{kind:card,group:0,"true":no}'


def test_differences_say_what_to_set_splice_and_drop() -> None:
    old = {"a": 1, "b": [1, 2, 3], "c": [{"d": 1}], "e": 0, "f": 5}
    new = {"a": True, "b": [1, 3], "c": [{"d": 2}], "f": 5, "g": "x"}
    assert sorted(differences(old, new)) == [".a = true", ".b[1:2] = []", ".c.0.d = 2", ".e is gone", ".g = x"]
    assert list(differences({"b": [1, 1]}, {"b": [1, 1, 1]})) == [".b[2:2] = [1]"]
    assert list(differences(new, new)) == []
