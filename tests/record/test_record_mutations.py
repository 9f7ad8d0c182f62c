"""Any change in a record is found at the line where the rules contradict it, and nothing crashes."""

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.test_messages import values
from tests.record.oracle import begin, first_wrong_line
from tests.record.played import Line, first_error, lines_of, write

pytestmark = [pytest.mark.slow, pytest.mark.ci_only]

fixed = settings(derandomize=True, max_examples=30)
fewer = settings(fixed, max_examples=15)

UNCHECKED = ("ms", "info", "clock")
"""Fields whose numbers cannot be checked by the rules."""
Place = tuple[Any, ...]
"""Keys and indexes that lead to a value."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where to write records, one over the other."""
    return tmp_path_factory.mktemp("any-change") / "record.jsonl"


def places(value: Any, wanted: type, path: Place = ()) -> list[Place]:
    """Where in a value there is something of that type, unchecked fields left out."""
    found = [path] if type(value) is wanted else []
    if isinstance(value, dict):
        for key, part in value.items():
            found += places(part, wanted, (*path, key)) if key not in UNCHECKED else []
    if isinstance(value, list):
        for index, part in enumerate(value):
            found += places(part, wanted, (*path, index))
    return found


def put(lines: list[Line], path: Place, value: Any) -> list[Line]:
    """The lines with something else at that place."""
    changed: Any = copy.deepcopy(lines)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return list(changed)


def look(lines: list[Line], path: Place) -> Any:
    """What is at that place."""
    inner: Any = lines
    for key in path:
        inner = inner[key]
    return inner


def legal_at(lines: list[Line], at: int) -> list[Any]:
    """All that could have been decided at a line, as JSON."""
    game = begin(lines)
    for line in lines[1:at]:
        if line["type"] == "decision":
            assert game.turn is not None
            game.apply(msgspec.convert(line["action"], game.actions[game.turn.decision]))
    return [msgspec.to_builtins(action) for action in game.legal_actions()]


def decisions_of(lines: list[Line]) -> list[Line]:
    """The decisions, rounds and result of a record."""
    return [line for line in lines if line["type"] in ("decision", "round", "result")]


def assert_found_where_the_rules_say(lines: list[Line], scratch: Path) -> None:
    """Check that verification and the oracle agree on the first wrong line, or that there is none."""
    found = first_error(write(scratch, lines))
    assert (None if found is None else found.line) == first_wrong_line(lines), found


def test_the_oracle_finds_nothing_wrong_with_a_valid_record(eventful_lines: list[Line]) -> None:
    assert first_wrong_line(eventful_lines) is None


@fixed
@given(data=st.data())
def test_another_number_anywhere_is_found(data: st.DataObject, eventful_lines: list[Line], scratch: Path) -> None:
    place = data.draw(st.sampled_from(places(eventful_lines[1:], int)).map(lambda path: (path[0] + 1, *path[1:])))
    number = look(eventful_lines, place)
    other = data.draw((st.integers(-2, 12) | st.integers()).filter(lambda other: other != number))
    changed = put(eventful_lines, place, other)
    if changed[place[0]]["type"] == "chance":
        assert first_error(write(scratch, changed)) is not None
    else:
        assert_found_where_the_rules_say(changed, scratch)


@fewer
@given(data=st.data())
def test_another_legal_action_anywhere_is_found_unless_nothing_that_follows_shows_it(
    data: st.DataObject, eventful_lines: list[Line], scratch: Path
) -> None:
    decisions = [at for at, line in enumerate(eventful_lines) if line["type"] == "decision"]
    at = data.draw(st.sampled_from(decisions))
    action = data.draw(st.sampled_from(legal_at(eventful_lines, at)))
    assert_found_where_the_rules_say(put(eventful_lines, (at, "action"), action), scratch)


@fewer
@given(data=st.data())
def test_an_inverted_flag_is_found(data: st.DataObject, eventful_lines: list[Line], scratch: Path) -> None:
    decisions = [at for at, line in enumerate(eventful_lines) if line["type"] == "decision"]
    at = data.draw(st.sampled_from(decisions))
    mark = data.draw(st.sampled_from(["forced", "substitute"]))
    line = eventful_lines[at]
    if mark == "substitute" and line.get("forced") and line.get(mark):
        return  # both are right: nobody was asked
    changed = put(eventful_lines, (at, mark), not line.get(mark, False))
    found = first_error(write(scratch, changed))
    assert found is not None
    assert found.line == at + 1


@fixed
@given(data=st.data())
def test_any_value_anywhere_at_worst_makes_the_record_invalid(
    data: st.DataObject, eventful_lines: list[Line], scratch: Path
) -> None:
    kind = data.draw(st.sampled_from([int, str, list, dict]))
    place = data.draw(st.sampled_from(places(eventful_lines, kind)).filter(bool))
    found = first_error(write(scratch, put(eventful_lines, place, data.draw(values))))
    assert found is None or 0 <= found.line <= len(eventful_lines) + 1


@fixed
@given(data=st.data())
def test_lines_removed_repeated_and_swapped_at_worst_make_the_record_invalid(
    data: st.DataObject, eventful_lines: list[Line], scratch: Path
) -> None:
    lines = list(eventful_lines)
    for _ in range(data.draw(st.integers(1, 3))):
        at, to = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["lose", "double", "swap"])):
            case "lose":
                del lines[at]
            case "double":
                lines.insert(to, lines[at])
            case _:
                lines[at], lines[to] = lines[to], lines[at]
    found = first_error(write(scratch, lines))
    assert found is None or 0 < found.line <= len(lines) + 1
    if found is None:
        assert decisions_of(lines_of(scratch)) == decisions_of(eventful_lines)
