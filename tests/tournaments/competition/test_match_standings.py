"""Standings: means, shared wins, and confidence intervals over deals, against numbers from tables."""

import math

import pytest

from referee.outcome import Fault, Outcome
from tournaments.competition.intervals import Estimate
from tournaments.competition.match_standings import (
    PairComparison,
    Standing,
    compare_pairs,
    estimate,
    estimate_share,
    match_standings,
    win_share,
)
from tournaments.play.schedule import ScheduledGame, rotations


def outcome(scores: list[int], ranks: list[int], faults: tuple[int, ...] = ()) -> Outcome:
    """How a game ended."""
    return Outcome(
        scores=scores,
        ranks=ranks,
        faults=[Fault("timeout", "asleep") if seat in faults else None for seat in range(len(scores))],
        asked=1,
    )


def table(results: list[Outcome], *, rotate: bool = True, bots: int = 2) -> dict[str, Standing]:
    """The rows by name, when these are the results in the order of deals and rotations."""
    names = ["a", "b", "c"][:bots]
    deals = len(results) // (bots if rotate else 1)
    schedule = sorted(rotations(deals, bots, "s", rotate=rotate), key=lambda game: game.game_id)
    return {row.name: row for row in match_standings(names, zip(schedule, results, strict=True))}


# -- rows -------------------------------------------------------------------------------------------------------------


def test_means_follow_the_bot_through_the_seats() -> None:
    rows = table([outcome([10, 20], [2, 1]), outcome([40, 30], [1, 2])])
    assert (rows["a"].score.mean, rows["b"].score.mean) == ((10 + 30) / 2, (20 + 40) / 2)
    assert (rows["a"].rank.mean, rows["b"].rank.mean) == (2, 1)
    assert (rows["a"].wins.mean, rows["b"].wins.mean) == (0, 1)
    assert (rows["a"].games, rows["b"].games) == (2, 2)


def test_rotations_of_a_deal_are_one_sample() -> None:
    """Within each deal everything cancels: were games the samples, the margin would be large."""
    rows = table([outcome([0, 100], [2, 1]), outcome([0, 100], [2, 1])] * 3)
    assert rows["a"].score == Estimate(50.0, 0.0)
    assert rows["a"].wins == Estimate(0.5, 0.0)
    assert rows["a"].games == 6


def test_margin_is_that_of_the_means_of_the_deals() -> None:
    means = [10, 14, 18]
    rows = table([outcome([mean, 0], [1, 2]) for mean in means], rotate=False)
    assert rows["a"].score.mean == 14
    assert rows["a"].score.margin == pytest.approx(4.303 * 4 / math.sqrt(3))


def test_one_deal_has_no_margin_however_often_it_is_rotated() -> None:
    rows = table([outcome([1, 2, 3], [3, 2, 1])] * 3, bots=3)
    assert [row.score for row in rows.values()] == [Estimate(2.0, None)] * 3


def test_unfinished_deal_counts_with_the_games_it_has() -> None:
    schedule = sorted(rotations(2, 2, "s"), key=lambda game: game.game_id)[:3]
    results = [outcome([10, 0], [1, 2]), outcome([0, 10], [2, 1]), outcome([40, 0], [1, 2])]
    rows = {row.name: row for row in match_standings(["a", "b"], zip(schedule, results, strict=True))}
    assert rows["a"].games == 3
    assert rows["a"].score.mean == 25  # of 10 for the first deal, 40 for the second


def test_standings_of_no_games() -> None:
    nothing: list[tuple[ScheduledGame, Outcome]] = []
    row, _ = match_standings(["a", "b"], nothing)
    assert (row.games, row.score, row.wins, row.faults) == (0, Estimate(0.0, None), Estimate(0.0, None), 0)


def test_those_who_share_the_first_place_share_the_win() -> None:
    shared = outcome([5, 5, 1], [1, 1, 3])
    assert [win_share(shared, seat) for seat in range(3)] == [0.5, 0.5, 0]
    assert sum(win_share(outcome([5, 5, 5], [1, 1, 1]), seat) for seat in range(3)) == pytest.approx(1)


def test_bot_with_a_fault_never_wins() -> None:
    no_winner = outcome([0, 0], [1, 1], faults=(0, 1))
    assert [win_share(no_winner, seat) for seat in range(2)] == [0, 0]


def test_faults_are_counted_per_bot() -> None:
    rows = table([outcome([0, 0], [2, 1], faults=(0,)), outcome([0, 0], [1, 2], faults=(1,))] * 2)
    assert (rows["a"].faults, rows["b"].faults) == (4, 0)


def test_rows_come_by_wins_and_then_by_rank() -> None:
    games = [outcome([3, 2, 1], [1, 3, 2])] * 2
    assert list(table(games, rotate=False, bots=3)) == ["a", "c", "b"]


# -- too few deals ----------------------------------------------------------------------------------


def test_fewer_than_seven_deals_have_no_interval() -> None:
    for deals, wanted in ((6, False), (7, True)):
        samples = [float(deal) for deal in range(deals)]
        for found in (estimate(samples), estimate_share([sample / 6 for sample in samples], deals)):
            assert (found.low is not None, found.high is not None) == (wanted, wanted)
    found = estimate(samples)
    assert found.mean == 3
    assert found.margin == pytest.approx(2.447 * math.sqrt(28 / 6 / 7))
    assert found.margin is not None
    assert (found.low, found.high) == (3 - found.margin, 3 + found.margin)


# -- pairs --------------------------------------------------------------------------------------------------------


def pairs(results: list[Outcome], bots: int = 2) -> list[PairComparison]:
    """The differences, when these are the results of single games, one of each deal."""
    schedule = rotations(len(results), bots, "s", rotate=False)
    return compare_pairs(["a", "b", "c"][:bots], zip(schedule, results, strict=True))


def test_difference_of_a_pair_is_free_of_the_luck_of_the_deal() -> None:
    """Deals are worth anything from 0 to 600; b is better by 1 to 3 on each of them."""
    results = [outcome([deal * 100, deal * 100 + 1 + deal % 3], [2, 1]) for deal in range(7)]
    [pair] = pairs(results)
    assert (pair.a, pair.b, pair.deals) == ("b", "a", 7)
    assert pair.score.mean == pytest.approx(13 / 7)
    assert pair.score.margin == pytest.approx(2.447 * math.sqrt((7 * 29 - 13**2) / 42 / 7))  # 1 2 3 1 2 3 1
    assert pair.ahead is not None
    assert pair.ahead.mean == 1
    assert pair.better is not None
    assert 0.999 < pair.better < 1
    rows = table(results, rotate=False)
    assert rows["a"].score.margin is not None
    assert rows["a"].score.margin > 100


def test_sureness_is_that_of_the_paired_t_test() -> None:
    """Student, The probable error of a mean (1908): hours of sleep gained by ten patients with one drug and another."""
    first = [7, -16, -2, -12, -1, 34, 37, 8, 0, 20]
    second = [19, 8, 11, 1, -1, 44, 55, 16, 46, 34]
    results = [outcome(list(gained), [1, 2]) for gained in zip(first, second, strict=True)]
    [pair] = pairs(results)
    assert pair.a == "b"
    assert pair.score.mean == pytest.approx(15.8)
    assert pair.better == pytest.approx(0.9986, abs=0.0001)  # t = 4.06 with 9 degrees of freedom
    assert pair.better == pytest.approx(1 - 0.002833 / 2, abs=1e-6)


def test_bots_that_do_equally_well_are_as_likely_better_as_worse() -> None:
    [pair] = pairs([outcome([5, 5], [1, 1])] * 7)
    assert pair.ahead is not None
    assert (pair.score.mean, pair.ahead.mean, pair.better) == (0, 0.5, 0.5)


def test_too_few_deals_make_nobody_sure() -> None:
    [pair] = pairs([outcome([9, 1], [1, 2])] * 6)
    assert pair.score.mean == 8
    assert pair.ahead is not None
    assert (pair.score.low, pair.ahead.low, pair.better) == (None, None, None)


def test_failing_is_no_better_than_losing_where_a_game_that_is_broken_off_scores_more_than_a_lost_one() -> None:
    lost = [outcome([-1, 1], [2, 1])] * 3 + [outcome([1, -1], [1, 2])] * 4
    failed = [outcome([0, 0], [2, 1], faults=(0,))] * 3 + [outcome([1, -1], [1, 2])] * 4
    [losing], [failing] = pairs(lost), pairs(failed)
    assert [(own.a, own.by_points) for own in (losing, failing)] == [("a", False), ("a", True)]
    assert [own.score.mean for own in (losing, failing)] == pytest.approx([2 / 7, 1 / 7])
    assert failing.better == losing.better
    [only] = pairs([outcome([0, 0], [2, 1], faults=(0,))] * 7)
    assert (only.a, only.score.mean) == ("b", 1)
    assert only.better is not None
    assert only.better > 0.99


def test_bots_that_never_meet_are_compared_by_points_if_one_has_failed() -> None:
    schedule = list(rotations(7, 2, "s", rotate=False, tables=[(0, 2), (1, 2)]))
    results = [
        outcome([0, 0], [2, 1], faults=(0,)) if 0 in game.seating else outcome([-1, 1], [2, 1]) for game in schedule
    ]
    pair = next(own for own in compare_pairs(["a", "b", "c"], zip(schedule, results, strict=True)) if own.b == "b")
    assert (pair.a, pair.by_points, pair.score.mean) == ("a", True, 0)


def test_every_pair_of_a_table_is_compared_and_rotations_of_a_deal_are_one_sample() -> None:
    schedule = sorted(rotations(2, 3, "s"), key=lambda game: game.game_id)
    score = {0: 30, 1: 20, 2: 10}  # of the bots, whatever their seat
    results = [outcome([score[bot] for bot in game.seating], [bot + 1 for bot in game.seating]) for game in schedule]
    found = compare_pairs(["a", "b", "c"], zip(schedule, results, strict=True))
    assert [(pair.a, pair.b, pair.deals, pair.score.mean) for pair in found] == [
        ("a", "b", 2, 10),
        ("a", "c", 2, 20),
        ("b", "c", 2, 10),
    ]
    assert compare_pairs(["a", "b"], []) == []
