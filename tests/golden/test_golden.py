"""The golden files cover everything that the rules do and everything that is sent."""

import re

import pytest

from referee.games import find_game, game_names
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from tests.generate.files import stored
from tests.golden.compact import compact, differences
from tests.golden.playthrough import PLAYTHROUGHS
from tests.golden.scenarios import SCENARIOS


@pytest.mark.parametrize("game", game_names())
def test_the_playthroughs_of_a_game_show_every_decision_and_every_event(game: str) -> None:
    names = [name for name, each in PLAYTHROUGHS.items() if each.game == game]
    assert names, f"add playthroughs of {game} to PLAYTHROUGHS in tests/golden/playthrough.py"
    text = "\n".join(line for name in names for line in stored(f"tests/golden/playthroughs/{name}.txt"))
    assert set(re.findall(r"^seat \d+ (\w+) \d+ of ", text, re.MULTILINE)) == set(find_game(game).actions)
    events: list[type[Event]] = [ChanceEvent, DecisionEvent, *find_game(game).events]
    types = {event.__struct_config__.tag for event in events}
    assert set(re.findall(r"^(?:\[\w+\] )?\{type:(\w+)", text, re.MULTILINE)) == types


def test_the_wire_transcripts_show_every_message_and_most_faults() -> None:
    text = "\n".join(line for name in SCENARIOS for line in stored(f"tests/golden/wire/{name}.txt"))
    to_bot = set(re.findall(r'^\d -> \{"type":"(\w+)"', text, re.MULTILINE))
    from_bot = set(re.findall(r'^\d <- \{"type":"(\w+)"', text, re.MULTILINE))
    faults = set(re.findall(r'^\d -> \{"type":"fault","code":"(\w+)"', text, re.MULTILINE))
    assert to_bot == {"hello", "start", "act", "fault", "end", "quit"}
    assert from_bot == {"ready", "action"}
    assert faults == {"timeout", "crash", "bad_message", "illegal_action", "protocol_version"}


def test_different_values_have_different_compact_texts() -> None:
    values = ["word", "true", True, None, "null", "1", 1, "two words", 'say "word"', ["a", "b"], ["a,b"], {"a": "b"}]
    assert len({compact(value) for value in values}) == len(values)
    assert compact({"kind": "card", "group": 0, "true": "no"}) == '{kind:card,group:0,"true":no}'


def test_differences_say_what_to_set_splice_and_drop() -> None:
    old = {"a": 1, "b": [1, 2, 3], "c": [{"d": 1}], "e": 0, "f": 5}
    new = {"a": True, "b": [1, 3], "c": [{"d": 2}], "f": 5, "g": "x"}
    assert sorted(differences(old, new)) == [".a = true", ".b[1:2] = []", ".c.0.d = 2", ".e is gone", ".g = x"]
    assert list(differences({"b": [1, 1]}, {"b": [1, 1, 1]})) == [".b[2:2] = [1]"]
    assert list(differences(new, new)) == []
