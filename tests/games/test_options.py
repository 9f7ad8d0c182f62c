"""Options with floats, free text and numbers without bounds; seats and scores beyond those of our games."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, field

from referee.conformance.variants import variants
from referee.games import GameConfig, OptionError, config_from, find_narrator
from referee.games.options import options
from referee.games.placed_names import place_names
from referee.record.render import format_options
from referee.record.styled import styled
from tests.cli.command import referee
from tests.game_runner.pebbles import Pebbles, PebblesConfig
from tests.registered import registered


class WideConfig(PebblesConfig, frozen=True, kw_only=True):
    """Ten seats, and options of every kind."""

    players: Annotated[int, Meta(ge=2, le=10, description="number of players")] = 2
    discount: Annotated[float, Meta(ge=0, le=1, description="of later points")] = 0.5
    weight: Annotated[float, Meta(description="any")] = 1.0
    offset: Annotated[int, Meta(description="any")] = 0
    rounds: Annotated[int, Meta(ge=1, description="some")] = 3
    depth: Annotated[int, Meta(le=9, description="few")] = 3
    fen: Annotated[str, Meta(description="the position")] = ""


class Wide(Pebbles):
    """Pebbles of ten seats, in tenths of points."""

    __slots__ = ()
    name = "wide"
    title = "Wide Pebbles"
    Config = WideConfig
    score_scale = 10


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    """The game is registered."""
    with registered(Wide, narrator="tests.game_runner.pebbles:PebblesNarrator"):
        yield


def test_an_option_of_another_kind_is_an_error_of_the_game() -> None:
    class ListConfig(PebblesConfig, frozen=True, kw_only=True):
        heaps: Annotated[list[int], Meta(description="pebbles on each heap")] = field(default_factory=list)

    with pytest.raises(TypeError, match=r"no description for the values of an option of type list\[int\]"):
        options(ListConfig)


def test_every_kind_of_option_is_described_with_its_bounds() -> None:
    described = {option.name: option for option in options(WideConfig)}
    assert {name: option.values for name, option in described.items()} == {
        "players": "2 to 10",
        "heap": "1 to 100000",
        "filler": "0 to 10000000",
        "discount": "a number from 0 to 1",
        "weight": "a number",
        "offset": "a whole number",
        "rounds": "a whole number of at least 1",
        "depth": "a whole number of at most 9",
        "fen": "text",
    }
    assert (described["discount"].minimum, described["discount"].maximum) == (0.0, 1.0)
    assert msgspec.to_builtins(described["weight"]) == {
        "name": "weight",
        "values": "a number",
        "default": 1.0,
        "description": "any",
    }
    assert "weight=1.0  any\n      a number\n" in referee("games", "wide").out
    assert referee("games", "wide", "--json").json["wide"]["score_scale"] == 10


def test_values_are_taken_from_text_and_refused_with_what_is_allowed() -> None:
    def given(**values: Any) -> GameConfig:
        config: GameConfig = config_from(WideConfig, values, from_text=True)
        return config

    config = given(discount="0.25", weight="-1e3", offset="-7", rounds="10000", fen="8/8 w - -")
    assert msgspec.to_builtins(config) == {
        **msgspec.to_builtins(WideConfig()),
        "discount": 0.25,
        "weight": -1000.0,
        "offset": -7,
        "rounds": 10000,
        "fen": "8/8 w - -",
    }
    assert "weight -1000.0" in format_options(config, config)
    assert len(variants(Wide)) == 9
    for name, value in {"discount": "1.5", "weight": "much", "offset": "0.5", "rounds": "0", "depth": "10"}.items():
        with pytest.raises(OptionError, match=f"{name}={value} is not allowed; {name} is "):
            given(**{name: value})


def test_ten_seats_play_each_rotation_and_one_of_them_again(tmp_path: Path) -> None:
    match = ["match", *["builtin:random"] * 10, "--game", "wide", "--set", "heap=30", "--games", "1", "--seed", "x"]
    played = referee(*match, "--record", str(tmp_path / "all"))
    assert played.status == 0, played.err
    assert len([*(tmp_path / "all").glob("0001-*.jsonl")]) == 10
    again = referee(*match, "--only", "0001-10", "--record", str(tmp_path / "again"))
    assert again.status == 0, again.err
    [record] = (tmp_path / "again").glob("*.jsonl")
    assert record.name == "0001-10.jsonl"
    assert record.read_bytes().count(b"\n") == (tmp_path / "all" / record.name).read_bytes().count(b"\n")
    assert referee("record", "view", str(record), "-o", str(tmp_path / "page.html")).status == 0
    names = [f"player {seat}" for seat in range(10)]
    assert styled("".join(place_names(names)), names, find_narrator(Wide)).plain == "".join(names)
    assert re.search(r"\n  1\. random\S* +0\.\d\n", referee("record", "show", str(record)).out)
    assert re.search(r" 0\.\d\b", referee("record", "verify", str(record)).out)
    for name in ("0001-11", "0001-0", "0001-01"):
        assert referee(*match, "--only", name).status == 2


def test_scores_are_shown_in_points_and_listed_in_units(tmp_path: Path) -> None:
    """Each pebble is a tenth of a point: in tables and reports, but not in JSON."""
    match = ["match", "builtin:random", "builtin:first", "--game", "wide", "--games", "4", "--seed", "x", "--no-record"]
    units = referee(*match, "--json").json
    means = {row["name"]: row["score"]["mean"] for row in units["standings"]}
    report = tmp_path / "match.html"
    shown = referee(*match, "--report", str(report))
    assert shown.status == 0, shown.err
    for name, mean in means.items():
        assert re.search(rf"\b{name} +│ +{mean / 10:.1f} ", shown.out), (name, mean, shown.out)
    assert f"{units['pairs'][0]['score']['mean'] / 10:+.1f}" in shown.out
    first = dict(zip(units["games"][0]["bots"], units["games"][0]["scores"], strict=True))
    assert all(f"{name} {score / 10:.10g}" in report.read_text() for name, score in first.items())

    file = tmp_path / "cup.toml"
    file.write_text(
        'format = "round_robin"\ngame = "wide"\ntiebreaks = ["score_difference"]\n'
        '[run]\nsandbox = "none"\n[[bot]]\nbuiltin = "random"\n[[bot]]\nbuiltin = "first"\n'
    )
    assert referee("tournament", "run", str(file), "--out", str(tmp_path / "cup")).status == 0
    games = referee("tournament", "games", str(tmp_path / "cup"), "--json").json
    listed = referee("tournament", "games", str(tmp_path / "cup")).out
    for game in games:
        assert all(
            f"{name} {score / 10:.10g} (" in listed for name, score in zip(game["bots"], game["scores"], strict=True)
        )
    rows = referee("tournament", "standings", str(tmp_path / "cup"), "--json").json["standings"]
    largest = max(row["tiebreaks"]["score_difference"] for row in rows)
    assert re.search(rf" {largest / 10:g} ", referee("tournament", "standings", str(tmp_path / "cup")).out)
