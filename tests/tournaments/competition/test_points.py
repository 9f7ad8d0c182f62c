"""Points: exact, 1 for a win and 0 for the last place with any number of seats, 0 for every forfeit."""

from fractions import Fraction
from itertools import product

import pytest

from tests.tournaments.competition.results import game, played, table
from tournaments.competition.points import (
    HALF,
    ONE,
    ZERO,
    Meeting,
    game_points,
    meetings,
    points_at_table,
    round_points,
    tallies,
)
from tournaments.competition.rounds import Entry

THIRD = Fraction(1, 3)
FOUR = [Entry(name=name) for name in "abcd"]


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ([1, 2], [1, 0]),
        ([1, 1], [HALF, HALF]),
        ([2, 1, 3], [HALF, 1, 0]),
        ([1, 1, 3, 4], [5 * THIRD / 2, 5 * THIRD / 2, THIRD, 0]),
        ([1, 2, 2, 4, 5], [1, Fraction(5, 8), Fraction(5, 8), Fraction(1, 4), 0]),
        ([1, 1, 1, 1, 1], [HALF] * 5),
    ],
)
def test_game_points(ranks: list[int], points: list[Fraction]) -> None:
    assert list(game_points(game(ranks))) == points


@pytest.mark.slow
def test_game_points_of_a_game_add_up_to_half_a_point_per_seat() -> None:
    for seats in range(2, 6):
        for ranks in product(range(1, seats + 1), repeat=seats):
            assert sum(game_points(game(list(ranks)))) == Fraction(seats, 2)


def test_forfeit_gives_nothing_and_everybody_else_is_better() -> None:
    assert game_points(game([1, 2], forfeits=[0])) == (ZERO, ONE)
    assert game_points(game([1, 2, 3], forfeits=[0])) == (ZERO, ONE, HALF)


def test_two_forfeits_at_a_table_both_give_nothing() -> None:
    assert game_points(game([1, 1], forfeits=[0, 1])) == (ZERO, ZERO)
    assert points_at_table(table((0, 1), game([1, 1], forfeits=[0, 1])), "table") == (ZERO, ZERO)
    assert game_points(game([1, 1, 1], forfeits=[0, 2])) == (ZERO, ONE, ZERO)


@pytest.mark.parametrize(
    ("games", "points"),
    [
        ([[1, 2], [1, 2]], (1, 0)),
        ([[1, 2], [2, 1]], (HALF, HALF)),
        ([[1, 2], [1, 1]], (1, 0)),
        # 1½ game points against 1 and ½: the sums decide, not the wins.
        ([[2, 1, 3], [1, 3, 2]], (1, HALF, 0)),
        ([[1, 2, 3], [3, 1, 2]], (HALF, 1, 0)),
    ],
)
def test_table_points_are_those_of_the_places_by_the_sums(games: list[list[int]], points: tuple[Fraction, ...]) -> None:
    assert points_at_table(table(range(len(games[0])), *map(game, games)), "table") == points


def test_bot_that_forfeits_one_game_of_two_keeps_what_it_scored() -> None:
    half = table((0, 1), game([1, 2]), game([1, 2], forfeits=[0]))
    assert points_at_table(half, "table") == (HALF, HALF)


def test_round_is_worth_the_mean_of_its_games_or_the_points_of_the_table() -> None:
    round_ = played([table((0, 1), game([1, 2]), game([1, 1]))], byes=[2])
    assert round_points(round_, "game", HALF) == {0: Fraction(3, 4), 1: Fraction(1, 4), 2: HALF}
    assert round_points(round_, "table", HALF) == {0: 1, 1: 0, 2: HALF}
    assert round_points(round_, "table", Fraction(0))[2] == 0


def test_round_is_worth_at_most_one_also_at_many_tables() -> None:
    gauntlet = played([table((0, other), game([1, 2])) for other in (1, 2, 3)])
    assert round_points(gauntlet, "game", HALF)[0] == 1


def test_table_that_has_not_begun_counts_for_nothing() -> None:
    history = [played([table((0, 1), game([1, 2])), table((2, 3))])]
    assert round_points(history[0], "game", HALF).keys() == {0, 1}
    assert [tally.tables for tally in tallies(FOUR, 2, history, "game", HALF)] == [1, 1, 0, 0]


def test_what_a_bot_has_added_up() -> None:
    first = played(
        [table((0, 1), game([1, 2], rotation=0), game([2, 1], rotation=1, faults=[0])), table((2, 3), game([1, 1]))]
    )
    second = played([table((1, 0), game([1, 2], deal=2), game([1, 2], deal=2, rotation=1))], byes=[2])
    one, other, third, _ = tallies(FOUR, 2, [first, second], "table", HALF)
    assert (one.tables, one.games, one.deals) == (2, 4, 2)
    assert (one.points, one.game_points) == (HALF, ONE)
    assert (other.points, other.game_points) == (Fraction(3, 2), Fraction(3))
    assert (one.faults, other.faults) == (1, 0)
    assert one.seat_counts == other.seat_counts == [2, 2]
    assert (third.byes, third.tables) == (1, 1)
    assert third.points == 1


def test_every_bot_sits_in_each_seat_once_per_deal() -> None:
    rotated = played([table((3, 1, 0, 2), *(game([1, 2, 3, 4], rotation=rotation) for rotation in range(4)))])
    assert all(tally.seat_counts == [1] * 4 for tally in tallies(FOUR, 4, [rotated], "game", HALF))


def test_pairs_that_met_and_what_they_scored_against_each_other() -> None:
    history = [
        played([table((2, 0), game([1, 2]), game([1, 1]))]),
        played([table((0, 1, 2), game([1, 2, 3]), game([3, 2, 1]))]),
    ]
    assert meetings(history, "game") == [
        Meeting(a=0, b=1, tables=1, games=2, a_points=HALF, b_points=HALF),
        Meeting(a=0, b=2, tables=2, games=4, a_points=Fraction(3, 4), b_points=Fraction(5, 4)),
        Meeting(a=1, b=2, tables=1, games=2, a_points=HALF, b_points=HALF),
    ]
    assert meetings(history, "table")[1].b_points == Fraction(3, 2)
