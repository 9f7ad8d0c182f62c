"""What every format promises: settings from TOML, the same rounds from the same seed, draws that are our own."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from tests.tournaments.competition.formats.tournament_factory import by_chance, play_out, tournament
from tournaments.competition.formats import FORMATS
from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import Format
from tournaments.competition.points import game_points, points_at_table
from tournaments.competition.rounds import Deal, GameResult, Points, Table, TableResult

SETTINGS: dict[str, dict[str, Any]] = {
    "round_robin": {"cycles": 2},
    "swiss": {"rounds": 3},
    "gauntlet": {"challengers": ["bot0"], "rounds": 2},
    "knockout": {"advance": 1},
    "double_elimination": {},
    "groups": {"groups": 2, "third_place": True},
    "ladder": {"budget": 60},
    "sprt": {"candidate": "bot0", "baseline": "bot1", "field": ["bot2"], "elo1": 60, "max_games": 100},
}


def format_named(name: str) -> Format:
    """With the settings as a file has them."""
    return msgspec.convert(SETTINGS[name], FORMATS[name])


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_seed_gives_the_same_rounds(name: str) -> None:
    of = tournament(3 if name == "sprt" else 7)
    format_ = format_named(name)
    format_.check(of)
    first = play_out(format_, of, by_chance(4))
    assert first == play_out(format_, of, by_chance(4))
    assert first
    plan = format_.plan(of)
    assert plan.rule
    assert plan.games is not None
    games = sum(len(result.games) for round_ in first for result in round_.results)
    assert games <= plan.games if plan.upper_bound else games == plan.games


@pytest.mark.parametrize("name", FORMATS)
def test_unknown_settings_are_refused(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `round`"):
        msgspec.convert({**SETTINGS[name], "round": 3}, FORMATS[name])


def test_draws_are_sha_256_in_counter_mode() -> None:
    # From the key hmac.digest(b'seed', b'purpose', 'sha256'), the hashes of it and eight bytes of 0, then of 1.
    draws = Draws("seed", "purpose")
    assert [draws.below(1000) for _ in range(6)] == [31, 577, 336, 573, 848, 885]
    assert Draws("seed", "purpose").shuffled(range(8)) == [1, 6, 4, 5, 3, 0, 2, 7]


def test_draws_are_even() -> None:
    draws = Draws("seed", "dice")
    counts = Counter(draws.below(6) for _ in range(6000))
    assert all(850 < counts[face] < 1150 for face in range(6))


def game(ranks: tuple[int, ...], forfeits: tuple[bool, ...] | None = None) -> GameResult:
    """A game with these ranks."""
    none = (False,) * len(ranks)
    return GameResult(deal=Deal(1), rotation=0, ranks=ranks, scores=ranks, forfeits=forfeits or none, faults=none)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (Points(1, 2), Points(1, 2))),
        ((2, 1, 4, 2), (Points(1, 2), 1, 0, Points(1, 2))),
        ((1, 1, 1), (Points(1, 2),) * 3),
        ((1, 2, 3, 4, 5), (1, Points(3, 4), Points(1, 2), Points(1, 4), 0)),
    ],
)
def test_game_points(ranks: tuple[int, ...], expected: tuple[Points, ...]) -> None:
    assert game_points(game(ranks)) == expected


def test_forfeits_are_worth_nothing_also_where_two_forfeit() -> None:
    assert not any(game_points(game((1, 1), (True, True))))
    result = TableResult(table=Table((4, 5)), games=(game((1, 1), (True, True)),))
    assert not any(points_at_table(result, "table"))


def test_table_points_are_the_places_by_the_sum_of_game_points() -> None:
    games = (game((1, 2, 3)), game((2, 1, 3)), game((3, 1, 2)))
    result = TableResult(table=Table((4, 5, 6)), games=games)
    assert points_at_table(result, "table") == (Points(1, 2), Points(1), Points(0))
    assert points_at_table(result, "game") == (Points(1, 2), Points(5, 6), Points(1, 6))
