"""Cycles and misfits: what is named, and what may be chance."""

from collections.abc import Mapping, Sequence
from itertools import count

import pytest

from tournaments.competition.fit import RankedGame
from tournaments.competition.head_to_head import Cycle, Duel, Misfit, cycles, duels_of, misfits
from tournaments.competition.ratings import rate
from tournaments.competition.rounds import Deal

STRONG = (2, 2, 2, 1, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2)
"""By deal how many of its two games a bot wins: 26 of 28."""


def duel(pairs: Mapping[tuple[int, int], Sequence[int]], *, ties: int = 0) -> list[RankedGame]:
    """Deals of two games, of which the first bot of a pair wins so many; in each of `ties` more deals both are tied."""
    games = []
    numbers = count(1)
    for (bot, other), wins in pairs.items():
        for won in wins:
            deal = Deal(next(numbers))
            games += [RankedGame(deal, ((bot,), (other,)))] * won + [RankedGame(deal, ((other,), (bot,)))] * (2 - won)
        games += [RankedGame(Deal(next(numbers)), ((bot, other),)) for _ in range(ties)]
    return games


def found(games: Sequence[RankedGame]) -> tuple[list[Cycle], list[Misfit]]:
    bots = sorted({bot for game in games for group in game.groups for bot in group})
    duels, ratings = duels_of(games, dict(zip(bots, bots, strict=True))), rate(games)
    elo = {bot: rating.elo for bot in bots if (rating := ratings[bot]) is not None}
    name = "abcdef".__getitem__
    return cycles(duels, name), misfits(duels, elo, name)


@pytest.mark.parametrize("ties", [0, 20])
def test_a_cycle_is_named_with_its_shares_and_ties_say_nothing(ties: int) -> None:
    named, apart = found(duel({(0, 1): STRONG, (1, 2): STRONG, (2, 0): STRONG}, ties=ties))
    assert named == [Cycle(["a", "b", "c"], [0.929, 0.929, 0.929])]
    assert [(misfit.bot, misfit.other, misfit.share, misfit.expected) for misfit in apart] == [
        ("a", "b", 0.929, 0.5),
        ("b", "c", 0.929, 0.5),
        ("c", "a", 0.929, 0.5),
    ]


def test_a_longer_cycle_is_named_once() -> None:
    ring = {(bot, (bot + 1) % 4): STRONG for bot in range(4)}
    even = {(0, 2): [1] * 10, (1, 3): [1] * 10}
    assert [cycle.bots for cycle in found(duel({**ring, **even}))[0]] == [["a", "b", "c", "d"]]


def test_who_beats_a_bot_of_a_cycle_is_not_in_it() -> None:
    ring = {(2, 3): STRONG, (3, 4): STRONG, (4, 2): STRONG}
    assert [cycle.bots for cycle in found(duel({(0, 1): STRONG, (1, 2): STRONG, **ring}))[0]] == [["c", "d", "e"]]


def test_an_order_has_no_cycle_however_clear_it_is() -> None:
    clear = {(bot, other): [2] * 20 for bot in range(5) for other in range(bot + 1, 5)}
    assert found(duel(clear)) == ([], [])


def test_a_cycle_that_chance_may_have_made_is_not_named() -> None:
    weak = (2, 1, 2, 0, 2, 1, 2, 2, 1, 2)
    assert found(duel({(0, 1): weak, (1, 2): weak, (2, 0): weak})) == ([], [])
    few = STRONG[:6]
    assert found(duel({(0, 1): few, (1, 2): few, (2, 0): few})) == ([], []), "an interval needs seven deals"


def test_a_misfit_is_a_pair_far_from_its_ratings() -> None:
    """Two bots that are equal against all others, but not against each other."""
    others = {(bot, other): [1] * 40 for bot in (0, 1) for other in (2, 3, 4, 5)}
    named, apart = found(duel({(0, 1): STRONG, **others}))
    assert named == []
    (misfit,) = apart
    assert (misfit.bot, misfit.other, misfit.share) == ("a", "b", 0.929)
    assert 0.5 < misfit.expected < 0.6


def test_the_more_pairs_the_clearer_each_has_to_be() -> None:
    seven_of_seven = Duel(1.0, 7.0)  # by chance in 1 of 64 cases, at either side
    assert seven_of_seven.contradicts(0.5, pairs=3)
    assert not seven_of_seven.contradicts(0.5, pairs=4)


def test_over_games_each_has_the_same_weight() -> None:
    over = Duel.over_games([Duel(0.9, 1000.0), Duel(0.5, 10.0)])
    assert over.share == 0.7
    assert over.effective == pytest.approx(39.6, abs=0.1)
