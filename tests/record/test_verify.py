"""Verifying accepts what the referee writes, in every configuration and with every kind of fault."""

from pathlib import Path
from typing import Any

import pytest

from protocol.messages import FaultCode
from referee.games import game_names
from referee.games.forbidden_city.tiles import OWNERS
from referee.outcome import Fault
from referee.players.player import Player
from referee.record.replay import Replay
from tests.games.playing import Setup, some_setups
from tests.golden.files import FOLDER
from tests.golden.playthrough import PLAYTHROUGHS
from tests.record.played import FaultyPlayer, GamePlan, Line, RetryingPlayer, compress, first_error, lines_of, write

SETUPS = [setup for name in game_names() for setup in some_setups(name)] + [
    Setup(each.game, each.options) for each in PLAYTHROUGHS.values()
]
DRAGON = "year_of_the_dragon"
GREEN = {
    "colours": ["green"],
    "owned": dict.fromkeys(OWNERS, [{"edges": "wooo", "parts": ["green"], "picture": "none", "count": 0}] * 3),
    "two": dict.fromkeys(OWNERS, ()),
}
"""A tile set as it stands in a config."""


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_a_record_of_any_configuration_is_valid_plain_and_gzipped(setup: Setup, path: Path) -> None:
    GamePlan(setup.game, setup.options).record(path)
    assert first_error(path) is None
    assert first_error(compress(path)) is None


@pytest.mark.parametrize("record", sorted((FOLDER / "records").glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_golden_records_are_valid(record: Path) -> None:
    assert first_error(record) is None


def failed(code: FaultCode = "startup_timeout") -> Fault:
    """The fault of a bot that failed before the game."""
    return Fault(code, "never came")


FAULTS: dict[str, tuple[int, dict[int, Player | Fault]]] = {
    "one of two fails": (2, {0: FaultyPlayer(at=1)}),
    "one of two fails late": (2, {1: FaultyPlayer(at=30, code="memory")}),
    "one of two never starts": (2, {1: failed()}),
    "nobody starts": (2, {0: failed("crash"), 1: failed("protocol_version")}),
    "the game goes on with a substitute": (3, {1: FaultyPlayer(at=20, code="crash")}),
    "two substitutes, the later above the earlier": (4, {3: FaultyPlayer(at=5), 0: FaultyPlayer(at=40)}),
    "all but one fail": (4, {0: FaultyPlayer(at=9), 1: FaultyPlayer(at=3), 3: FaultyPlayer(at=50)}),
    "one never starts, one fails": (5, {4: failed(), 2: FaultyPlayer(at=33, code="oversize")}),
    "two never start and share a rank": (4, {0: failed(), 3: failed("bad_message")}),
    "further tries, all used up": (3, {0: FaultyPlayer(at=12, code="illegal_action", retries=3)}),
    "further tries that help": (3, {0: RetryingPlayer(), 2: RetryingPlayer()}),
}


@pytest.mark.parametrize(("players", "seated"), FAULTS.values(), ids=FAULTS)
def test_a_record_of_a_game_with_faults_is_valid(players: int, seated: Any, path: Path) -> None:
    GamePlan(DRAGON, {"players": players}, seated).record(path)
    assert first_error(path) is None
    assert any(line["type"] == "fault" for line in lines_of(path))


def test_the_eventful_record_has_everything_that_the_other_tests_change(lines: list[Line]) -> None:
    kinds = [line["type"] for line in lines]
    assert set(kinds) == {"game", "chance", "decision", "fault", "round", "result"}
    assert kinds.count("round") == 12
    assert {line["what"] for line in lines if line["type"] == "chance"} == {"events", "super_event", "action_groups"}
    assert {line.get("retry", False) for line in lines if line["type"] == "fault"} == {True, False}
    for mark in ("forced", "substitute", "ms", "info"):
        assert any(mark in line for line in lines)


def test_a_replay_has_the_result_and_the_number_of_lines(lines: list[Line], path: Path) -> None:
    replay = Replay(write(path, lines))
    replay.check()
    assert replay.lines == len(lines)
    assert replay.result is not None
    assert replay.result.scores == lines[-1]["scores"]
    assert replay.game.turn is None


def test_the_steps_of_a_replay_are_its_lines_with_the_events_that_followed(lines: list[Line], path: Path) -> None:
    replay = Replay(write(path, lines))
    events = replay.events()
    numbers = []
    for entry, followed in replay.steps():
        numbers.append(entry.number)
        assert bool(followed) == (lines[entry.number - 1]["type"] == "decision")
        events += followed
    assert numbers == list(range(2, len(lines) + 1))
    assert events == replay.events()


# -- valid records that this referee would not write ----------------------------------------------------------


def test_draws_may_be_given_earlier_than_they_are_needed(lines: list[Line], path: Path) -> None:
    draws = [line for line in lines if line["type"] == "chance"]
    others = [line for line in lines[1:] if line["type"] != "chance"]
    assert first_error(write(path, [lines[0], *reversed(draws), *others])) is None


def test_fields_that_nobody_knows_are_ignored_in_every_line(lines: list[Line], path: Path) -> None:
    assert first_error(write(path, [{"comment": {"a": [1]}, **line, "later": None} for line in lines])) is None
    for line in lines:
        if line["type"] == "decision":
            line["action"]["comment"] = "why not"
    assert first_error(write(path, lines)) is None


def test_the_two_persons_of_a_draft_may_come_in_either_order(lines: list[Line], path: Path) -> None:
    number = next(number for number, line in enumerate(lines) if line.get("decision") == "draft")
    lines[number]["action"]["persons"].reverse()
    wrong = first_error(write(path, lines))
    assert wrong is None or wrong.line > number + 1


@pytest.mark.parametrize("missing", ["ms", "info", "game_id", "clock"])
def test_what_is_said_beside_the_game_may_be_missing(missing: str, lines: list[Line], path: Path) -> None:
    for line in lines:
        line.pop(missing, None)
    assert first_error(write(path, lines)) is None


def test_a_forced_decision_of_a_seat_that_is_out_need_not_be_marked_as_a_substitutes(
    lines: list[Line], path: Path
) -> None:
    both = [line for line in lines if line.get("forced") and line.get("substitute")]
    assert both
    for line in both:
        del line["substitute"]
    assert first_error(write(path, lines)) is None


def test_lines_may_end_with_a_carriage_return(lines: list[Line], path: Path) -> None:
    write(path, lines)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert first_error(path) is None


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"tile_set": "mine.toml", "tiles": {"colours": 7}}, "invalid tiles: "),
        ({"tile_set": "mine.toml", "tiles": "x" * 10000}, "invalid tiles: "),
        ({"tile_set": "reconstructed", "tiles": GREEN}, "tile_set=reconstructed: other tiles are given with it"),
        ({"players": "2"}, "players='2' is not allowed; players is 2 to 4"),
        ({"players": 2.0}, "players=2.0 is not allowed"),
        ({"players": True}, "players=True is not allowed"),
    ],
)
def test_a_record_of_the_city_is_wrong_in_line_1_if_its_config_could_not_have_been_played(
    path: Path, config: dict[str, object], words: str
) -> None:
    header = {
        "type": "game",
        "record": 1,
        "game": "forbidden_city",
        "config": {"players": 2, "start_tile": "garden", **config},
        "seed": "1",
        "players": [{"name": "a"}, {"name": "b"}],
        "referee": "0.1.0",
    }
    wrong = first_error(write(path, [header]))
    assert wrong is not None
    assert (wrong.line, wrong.message[: len(words)]) == (1, words)
    assert len(wrong.message) < 300
