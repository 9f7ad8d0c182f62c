"""SPRT: the tables of a batch, when it decides, and how often it errs."""

from collections.abc import Sequence
from math import log
from random import Random

import pytest

from tests.tournaments.competition.formats.tournament_factory import all_equal, play_out, tournament
from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.formats.sprt import Sprt, expected_points

HEAD_TO_HEAD = Sprt(candidate="bot0", baseline="bot1", elo1=100, batch=4)
BESIDE_FIELD = Sprt(candidate="bot0", baseline="bot1", field=("bot2", "bot3", "bot4"), elo1=100, batch=4)


def test_candidate_and_baseline_take_the_same_seats_beside_the_same_field() -> None:
    orders = set()
    for round_ in play_out(BESIDE_FIELD, tournament(5, 4), all_equal, most=10):
        first, second = round_.round.tables
        assert [1 if bot == 0 else bot for bot in first.bots] == list(second.bots)
        assert round_.round.deals == 4
        orders.add(second.bots)
    assert len(orders) > 3


def test_two_bots_play_each_other_and_change_who_begins() -> None:
    history = play_out(HEAD_TO_HEAD, tournament(2), all_equal, most=10)
    assert {table.bots for round_ in history for table in round_.round.tables} == {(0, 1), (1, 0)}


@pytest.mark.parametrize(("format_", "bots", "seats"), [(HEAD_TO_HEAD, 2, 2), (BESIDE_FIELD, 5, 4)])
def test_it_accepts_who_always_wins_and_rejects_who_never_does(format_: Sprt, bots: int, seats: int) -> None:
    of, levels = tournament(bots, seats), {0: 2, 1: 0}
    history = play_out(format_, of, lambda bots, _game: [levels.get(bot, 1) for bot in bots])
    state = format_.decide(of, history)
    assert (state.result, state.llr >= state.upper) == ("accept", True)
    assert state.games == sum(len(result.games) for round_ in history for result in round_.results)
    history = play_out(format_, of, lambda bots, _game: [-levels.get(bot, 1) for bot in bots])
    assert format_.decide(of, history).result == "reject"


def test_bots_that_play_alike_are_rejected() -> None:
    history = play_out(HEAD_TO_HEAD, tournament(2), all_equal)
    state = HEAD_TO_HEAD.decide(tournament(2), history)
    assert (state.result, state.mean) == ("reject", 0)


def test_the_bounds_are_those_of_wald_where_the_risks_differ() -> None:
    format_ = Sprt(candidate="bot0", baseline="bot1", alpha=0.01, beta=0.2)
    state = format_.decide(tournament(2), [])
    assert (state.lower, state.upper) == pytest.approx((log(0.2 / 0.99), log(0.8 / 0.01)))


def test_it_ends_undecided_before_it_plays_more_than_the_most_games() -> None:
    format_ = Sprt(candidate="bot0", baseline="bot1", elo0=-1, elo1=1, batch=4, max_games=50)
    of = tournament(2)
    history = play_out(format_, of, all_equal)
    state = format_.decide(of, history)
    assert (state.result, state.games, state.deals) == ("undecided", 48, 24)
    assert format_.plan(of).games == 48


def test_nothing_is_decided_where_both_win_everything_beside_the_field() -> None:
    of = tournament(5, 4)
    format_ = Sprt(candidate="bot0", baseline="bot1", field=BESIDE_FIELD.field, max_games=500)
    history = play_out(format_, of, lambda bots, _game: [int(bot < 2) for bot in bots])
    assert format_.decide(of, history).result == "undecided"


def test_the_likelihood_ratio_is_that_of_normal_differences() -> None:
    of = tournament(2)
    format_ = Sprt(candidate="bot0", baseline="bot1", elo0=0, elo1=100, batch=2)
    results = iter([[1, 0], [1, 0], [1, 0], [0, 1]])

    def play(bots: Sequence[int], _game: int) -> Sequence[int]:
        scores = next(results)
        return [scores[bot] for bot in bots]

    history = play_out(format_, of, play, most=1)
    # Differences per deal: 1 and 0. One is added to both sums of squares.
    mean = 2 * expected_points(100) - 1
    assert expected_points(100) == pytest.approx(0.640065)
    expected = 2 / 2 * log((1 + 0 + 1) / ((1 - mean) ** 2 + mean**2 + 1))
    assert format_.decide(of, history).llr == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wrong"), [(0, "accept"), (150, "reject")])
def test_it_errs_in_no_more_runs_than_stated(elo: float, wrong: str) -> None:
    format_, of, random = Sprt(candidate="bot0", baseline="bot1", elo1=150, batch=4), tournament(2), Random(elo)
    win = expected_points(elo) - 0.15

    def play(bots: Sequence[int], _game: int) -> Sequence[int]:
        chance = random.random()
        score = 1 if chance < win else 0 if chance < win + 0.3 else -1
        return [score if bot == 0 else 0 for bot in bots]

    runs = 300
    results = [format_.decide(of, play_out(format_, of, play)).result for _ in range(runs)]
    # 5 % of 300 are 15; with three standard deviations more, 26.
    assert results.count(wrong) <= 26  # type: ignore[arg-type]
    assert "undecided" not in results


@pytest.mark.parametrize(
    ("format_", "bots", "seats", "text"),
    [
        (Sprt(candidate="bot0", baseline="bot0"), 2, 2, 'candidate: "bot0" has two roles'),
        (Sprt(candidate="bot0", baseline="x"), 2, 2, 'unknown bot "x"'),
        (Sprt(candidate="bot0", baseline="bot1"), 3, 2, '"bot2" has no role in the test'),
        (
            Sprt(candidate="bot0", baseline="bot1"),
            2,
            4,
            "3 bots sit beside .* table of 4, not 0",
        ),
        (Sprt(candidate="bot0", baseline="bot1", elo1=-5), 2, 2, "elo1 must be more than elo0"),
        (Sprt(candidate="bot0", baseline="bot1", alpha=0.7), 2, 2, "alpha must be between 0 and 0.5, not 0.7"),
        (Sprt(candidate="bot0", baseline="bot1", max_games=10), 2, 2, "one batch alone is 16 games"),
    ],
)
def test_settings_that_cannot_be_met_are_named(format_: Sprt, bots: int, seats: int, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(tournament(bots, seats))


def test_forfeited_deals_are_lost() -> None:
    simulation = Simulation(regulations("sprt", 2, candidate="b0", baseline="b1", batch=8, max_games=4000))
    simulation.forfeiting = {1}
    assert simulation.round()
    settings = simulation.progress.regulations.format_settings
    assert isinstance(settings, Sprt)
    state = settings.decide(simulation.progress.format_context(), simulation.progress.history)
    assert (state.deals, state.mean) == (8, 1.0)
    assert state.llr > 0
