"""The sample bots do what the README and their folders promise."""

import ast
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import referee

ROOT = Path(__file__).parents[2]
KIT = ROOT / "referee/kits/templates/python"
"""Bots whose command names it use its modules."""
TESTED_ELSEWHERE = ("gtp-python", "llm-python", "quick-cpp", "searcher-python", "uci-python")
BOTS = sorted(path.parent for path in ROOT.glob("bots/*/bot.toml") if path.parent.name not in TESTED_ELSEWHERE)
"""Sample bots without separate test modules."""
TIME_SCALE = "10"
"""Generous, so that a bot does not lose on time because other tests run at the same time."""


def match(*arguments: str) -> dict[str, Any]:
    """A match without records, as its JSON; a fault of any bot fails the test."""
    ended = referee("match", *arguments, "--json", "--no-record", "--time-scale", TIME_SCALE, cwd=ROOT)
    assert ended.status == 0, ended.out + ended.err
    result: dict[str, Any] = ended.json
    return result


def test_sample_bots_and_the_kit_in_python_need_the_standard_library_alone() -> None:
    """In the tests they have the packages of the tests too, so that playing would not show it."""
    for folder in (*BOTS, KIT):
        files = list(folder.glob("*.py"))
        assert files
        imported = {
            name.partition(".")[0]
            for file in files
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        kit = KIT.glob("*.py") if "{kits}/python" in (folder / "bot.toml").read_text(encoding="utf-8") else ()
        assert imported <= sys.stdlib_module_names | {file.stem for file in (*files, *kit)}, folder


def test_the_random_bot_is_the_shortest_example() -> None:
    assert len((ROOT / "bots/random-python/random_bot.py").read_text().splitlines()) <= 15


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("year_of_the_dragon", 2, []),
        ("year_of_the_dragon", 3, ["great_wall=true", "super_event=random"]),
        ("year_of_the_dragon", 5, ["edition=first"]),
        ("forbidden_city", 3, []),
        ("forbidden_city", 4, ["start_tile=advanced"]),
    ],
)
def test_sample_bots_play_every_kind_of_game_without_a_fault(game: str, players: int, options: list[str]) -> None:
    settings = [word for option in (f"players={players}", *options) for word in ("--set", option)]
    for first in range(0, len(BOTS), players):
        bots = [*map(str, BOTS[first:]), *["builtin:random"] * players][:players]
        (played,) = match(*bots, "--games", "1", "--no-rotate", "--seed", "x", "--game", game, *settings)["games"]
        assert played["faults"] == [None] * players


@pytest.mark.slow
def test_a_sample_bot_passes_the_checks_without_a_warning() -> None:
    """Here one, and those that take little time; all of both in `make smoke`."""
    levels = [word for level in ("handshake", "ending") for word in ("--only", level)]
    bot = ROOT / "bots/random-python"
    ended = referee("bot", "check", bot, "--quick", "--strict", "--time-scale", TIME_SCALE, *levels)
    assert ended.status == 0, ended.out + ended.err


@pytest.mark.ci_only
def test_steady_is_rarely_beaten_by_random_bots() -> None:
    """Promised, and measured over 100 deals: twice their mean score, first in 95 %. Here a sample of 3 deals."""
    steady, *others = match("bots/steady-python", "builtin:random", "builtin:random", "--games", "3", "--seed", "spar")[
        "standings"
    ]
    assert steady["name"] == "steady"
    assert steady["wins"]["mean"] >= 0.95
    assert all(steady["score"]["mean"] >= 2 * other["score"]["mean"] for other in others)


@pytest.mark.ci_only
def test_a_sample_bot_gives_the_same_answers_to_the_same_questions() -> None:
    for game, best in (("year_of_the_dragon", "steady"), ("forbidden_city", "mason")):
        bots = [f"bots/{name}-python" for name in (best, "random")]
        first, second = (
            match(*bots, "--games", "1", "--no-rotate", "--seed", "again", "--game", game)["games"] for _ in range(2)
        )
        assert first == second


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("game", "bots"),
    [
        pytest.param("year_of_the_dragon", ["steady", "foresight", "recruiter", "random"], marks=pytest.mark.check_all),
        ("forbidden_city", ["mason", "foresight", "recruiter", "random"]),
    ],
)
def test_each_step_beats_the_one_below(game: str, bots: list[str]) -> None:
    for stronger, weaker in pairwise(bots):
        folders = [f"bots/{name}-python" for name in (stronger, weaker)]
        [pair] = match(*folders, "--game", game, "--games", "8", "--seed", "steps")["pairs"]
        assert (pair["a"], pair["better"] > 0.99) == (stronger, True)
