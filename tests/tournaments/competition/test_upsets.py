"""Upsets between bots, and the bounds of ratings that come from them: in simulated tournaments and by brute force."""

from itertools import combinations

import pytest

from tests.simulation.coverage import coverage
from tests.simulation.event import games_of, round_robin
from tests.simulation.field import tiers
from tests.simulation.sequential import sampling_error
from tournaments.competition.fit import RankedGame
from tournaments.competition.intervals import Rating
from tournaments.competition.ratings import rate
from tournaments.competition.rounds import Deal
from tournaments.competition.upsets import ENOUGH, Upsets

TIERS = [
    (8, 4, 2, 14, 800, 20),
    *(pytest.param(*of, marks=pytest.mark.check_all) for of in [(8, 3, 2, 7, 600, 30), (9, 4, 3, 14, 800, 12)]),
]
"""Bots, those of the upper tier, seats, deals, distance in Elo, and runs."""


def bounded(rating: Rating | None) -> tuple[bool, bool]:
    assert rating is not None
    return rating.low is not None, rating.high is not None


def group_games(upsets: int) -> list[RankedGame]:
    """Two groups of three in 14 deals. Within a group everybody beats everybody; the first group wins all but so many
    of the games against the second one."""
    games = []
    for deal in range(14):
        for group in ((0, 1, 2), (3, 4, 5)):
            for a, b in combinations(group, 2):
                games += [RankedGame(Deal(deal), ((a,), (b,))), RankedGame(Deal(deal), ((b,), (a,)))]
        winner, loser = (3 + deal % 3, deal % 3) if deal < upsets else (deal % 3, 3 + deal % 3)
        games.append(RankedGame(Deal(deal), ((winner,), (loser,))))
    return games


# -- the promise ----------------------------------------------------------------------------------------------


@pytest.mark.check_all
@pytest.mark.parametrize(("bots", "top", "seats", "deals", "apart", "runs"), TIERS)
def test_shown_intervals_cover_between_tiers(
    bots: int, top: int, seats: int, deals: int, apart: int, runs: int
) -> None:
    """At least 93 % given that they are shown, up to the sampling error; `make simulate` measures it exactly."""
    event, elos = round_robin(bots, seats, deals), tiers(bots, top, apart)
    found = coverage(event, elos, runs=runs, seed="promise", luck=0.0, tie=0.0)
    for claims in (found.ratings, found.differences):
        assert claims.tournaments > 0
        assert claims.share >= 0.93 - sampling_error(0.93, claims.tournaments)
        assert claims.holding >= (0.93 - sampling_error(0.93, runs)) * claims.one_sided
    assert found.ratings.missing > 0


@pytest.mark.parametrize(("seats", "deals"), [(2, 14), (2, 56), (4, 7)])
def test_connected_bots_nearly_keep_the_width_of_the_jackknife(seats: int, deals: int) -> None:
    found = rate(games_of(round_robin(8, seats, deals), tiers(8, 4, 100), "connected"))
    widths = 0.0
    for bot in range(8):
        rating = found[bot]
        assert rating is not None
        assert rating.low is not None
        assert rating.high is not None
        widths += (rating.high - rating.low) / 2
    margins = sum(found.margin(bot) for bot in range(8))
    assert margins <= widths <= 1.15 * margins


# -- what bounds a rating -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("upsets", "connected"), [(0, False), (1, False), (2, True), (6, True)])
def test_one_upset_does_not_connect_two_groups(upsets: int, connected: bool) -> None:
    found = rate(group_games(upsets))
    for better in range(3):
        assert bounded(found.difference(better, 4)) == (True, connected)
        assert bounded(found.difference(4, better)) == (connected, True)
        assert (found.better(better, 4) is not None) is connected
    assert bounded(found.difference(0, 1)) == bounded(found.difference(3, 4)) == (True, True)
    assert bounded(found[0]) == (True, connected)
    assert bounded(found[5]) == (connected, True)


def test_fewer_upsets_give_a_wider_interval() -> None:
    widths = []
    for upsets in (2, 4, 7):
        found = rate(group_games(upsets)).difference(0, 3)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_bots_that_no_chain_of_games_connects_are_not_compared() -> None:
    pairs = [(0, 1), (2, 3)]
    games = [RankedGame(Deal(d), ((a,), (b,))) for d in range(9) for one in pairs for a, b in (one, one[::-1])]
    found = rate(games)
    assert found.components() == [[0, 1], [2, 3]]
    assert found.difference(0, 2) is None
    assert found.better(0, 2) is None
    assert bounded(found[0]) == (False, False)
    assert bounded(found.difference(0, 1)) == (True, True)
    joined = rate([*games, *(RankedGame(Deal(d), ((a,), (b,))) for d in (20, 21, 22) for a, b in ((1, 2), (2, 1)))])
    assert joined.components() == [[0, 1, 2, 3]]
    assert bounded(joined.difference(0, 2)) == (True, True)


def test_a_bot_that_has_only_won_leaves_the_others_an_interval() -> None:
    """In a field of twelve its share of the mean is small."""
    elos = [3000.0, *(100.0 * bot for bot in range(11))]
    found = rate(games_of(round_robin(12, 2, 22), elos, "only won"))
    assert found.only(0) == "won"
    assert bounded(found[0]) == (True, False)
    assert sum(bounded(found[bot]) == (True, True) for bot in range(1, 12)) >= 6


# -- counting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_fewest_upsets_are_those_of_a_count_over_all_groups(seats: int) -> None:
    for apart in (0, 600):
        games = games_of(round_robin(6, seats, 5 if seats == 5 else 10), tiers(6, 3, apart), apart)
        beaten: dict[tuple[Deal, int], set[int]] = {}
        for one in games:
            order = [bot for (bot,) in one.groups]
            for place, bot in enumerate(order):
                beaten.setdefault((one.deal, bot), set()).update(order[place + 1 :])
        groups = [set(group) for size in range(1, 6) for group in combinations(range(6), size)]
        upsets = [sum(bot not in group and bool(of & group) for (_, bot), of in beaten.items()) for group in groups]
        found = Upsets(games)
        for a in range(6):
            for b in set(range(6)) - {a}:
                fewest = min(
                    count for group, count in zip(groups, upsets, strict=True) if a in group and b not in group
                )
                assert found.fewest(a, b).upsets == min(fewest, ENOUGH)
                if fewest < ENOUGH:
                    assert b in found.few(a, above=True)
                    assert a in found.few(b, above=False)


def test_of_many_bots_few_have_to_be_looked_at() -> None:
    games = games_of(round_robin(12, 2, 33), tiers(12, 1, 2000), "few")
    found = Upsets(games)
    found.fewest(1, 2)
    assert [list(found.few(bot, above=False)) for bot in (1, 11)] == [[0], [0]]
    assert list(found.few(1, above=True)) == []


def test_a_tie_is_an_upset_of_both() -> None:
    found = Upsets([RankedGame(Deal(1), ((0, 1),)), RankedGame(Deal(1), ((1,), (2,)))])
    assert [found.fewest(a, b).upsets for a, b in ((0, 1), (1, 0), (2, 1), (1, 2))] == [1, 1, 1, 0]
    assert [found.only(bot) for bot in (2, 0)] == ["lost", None]
