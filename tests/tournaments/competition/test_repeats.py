"""Repeated deals: in a game without chance deals that are all equal are one observation; once two differ, all count."""

from fractions import Fraction
from typing import Any

import pytest
from msgspec import structs

from referee.outcome import Outcome
from referee.reports.formatting import format_repeated_deals
from referee.reports.standings import format_notes
from tests.simulation.event import Event
from tests.simulation.field import Field
from tests.simulation.repeats import Pairing, Seated, held
from tests.simulation.sequential import decisions, sampling_error, sprt
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import compare_pairs, decided, match_standings
from tournaments.competition.progress import Progress
from tournaments.competition.repeats import Decided, around, count_deals, observed, repeating, without_repeats
from tournaments.competition.results import Standings, tournament_standings
from tournaments.play.schedule import ScheduledGame, rotations

pytestmark = pytest.mark.usefixtures("short_search")

ELOS = [100.0, 60.0, 20.0, -20.0, -60.0, -100.0]


def played(event: Event, elos: list[float], **field: Any) -> Progress:
    return event.play(Field(elos, "repeats", **field), "repeats")


def standings(deals: int, **field: Any) -> Standings:
    """Of a round robin of six bots."""
    return tournament_standings(played(Event(format="round_robin", bots=6, deals=deals), ELOS, **field), True)


# -- what is an observation -------------------------------------------------------------------------------------------


def test_deals_are_repeats_while_those_of_the_same_bots_in_the_same_order_are_all_equal() -> None:
    games = [Decided(deal, seating, f"{seating}") for deal in (1, 2) for seating in ((0, 1), (1, 0))]
    assert repeating(games) == {((0, 1), "")}
    assert around((2, 0, 1)) == around((0, 1, 2)) != around((0, 2, 1))
    assert repeating([*games, Decided(3, (0, 1), "another")]) == frozenset()
    assert repeating([*games, Decided(3, (0, 1), "")]) == frozenset(), "a fault equals nothing"
    assert repeating([*games, Decided(3, (0, 2), ""), Decided(4, (0, 2), "x")]) == {((0, 1), "")}
    assert repeating([Decided(1, (0, 1), "")]) == frozenset(), "a game with chance"
    assert without_repeats([(game, game.deal) for game in games]) == [1, 1]


def test_the_mean_is_that_of_all_deals_and_the_variance_that_of_clusters() -> None:
    values, parts = [1.0, 1.0, 1.0, 0.0, 0.5], ["line", "line", "line", 4, 5]
    own = observed(values, parts)
    assert len(own) == 3
    assert sum(own) / 3 == pytest.approx(sum(values) / 5)
    # Over clusters: 3/2 · Σ (size · (mean of the cluster - 0.7))² / 5².
    expected = 3 / 2 * ((3 * 0.3) ** 2 + 0.7**2 + 0.2**2) / 25
    assert sum((value - 0.7) ** 2 for value in own) / 2 / 3 == pytest.approx(expected)
    assert observed(values, ()) is values
    assert observed([1 / 3] * 4, ["line"] * 4) == [1 / 3]


# -- a match ----------------------------------------------------------------------------------------------------------


def match(deals: int, *, deviating: bool = False) -> list[tuple[ScheduledGame, Outcome]]:
    """Two bots that always play the same two games: one wins in both seats."""
    found = []
    for game in sorted(rotations(deals, 2, "s"), key=lambda game: game.game_id):
        ranks = [1, 2] if game.seating[0] == 0 else [2, 1]
        line = f"{game.seating}{deviating and game.deal == deals}"
        outcome = Outcome(
            scores=[-rank for rank in ranks], ranks=ranks, faults=[None, None], asked=1, decisions_hash=line
        )
        found.append((game, outcome))
    return found


def test_forty_equal_deals_of_a_match_have_no_interval_and_nobody_is_better() -> None:
    games = match(40)
    repeated = repeating(decided(*game) for game in games)
    counts = count_deals(decided(*game) for game in games)
    assert counts is not None
    assert (counts.deals, counts.distinct, counts.observations) == (40, 1, 1)
    assert format_repeated_deals(counts, "othello", "deals = 1") == (
        "40 deals, 1 distinct: othello has no chance, and the bots repeat themselves; equal deals count once, so"
        " deals = 1 says as much"
    )
    first, second = match_standings(["a", "b"], games, repeated)
    assert (first.name, first.wins.mean, first.wins.low, second.score.low) == ("a", 1.0, None, None)
    [pair] = compare_pairs(["a", "b"], games, repeated)
    assert (pair.deals, pair.score.mean, pair.score.low, pair.ahead and pair.ahead.low) == (40, 1.0, None, None)
    assert pair.better is None


def test_once_two_deals_differ_all_count() -> None:
    games = match(40, deviating=True)
    repeated = repeating(decided(*game) for game in games)
    assert not repeated
    counts = count_deals(decided(*game) for game in games)
    assert counts is not None
    assert (counts.deals, counts.distinct, counts.observations) == (40, 2, 40)
    assert "all deals count" in format_repeated_deals(counts, "othello", None)
    row = match_standings(["a", "b"], games, repeated)[0]
    assert row.wins.low is not None


def test_variants_that_repeat_themselves_at_tables_of_their_own_are_not_told_apart_by_more_deals() -> None:
    """Two variants (0 and 1) meet the same opponent on the same deals, as with --vary."""
    games, names = [], ["one", "other", "field"]
    for deal in range(1, 41):
        for bot in (0, 1):
            outcome = Outcome(
                scores=[bot, 0], ranks=[1, 2], faults=[None, None], asked=1, decisions_hash=f"line of {bot}"
            )
            games.append((Seated(deal, (bot, 2)), outcome))
    repeated = repeating(decided(*game) for game in games)
    pair = next(pair for pair in compare_pairs(names, games, repeated) if {pair.a, pair.b} == {"one", "other"})
    assert (pair.a, pair.deals, pair.score.mean, pair.score.low, pair.better) == ("other", 40, 1.0, None, None)
    rows = {row.name: row for row in match_standings(names, games, repeated)}
    assert rows["field"].score.low is None
    without = next(pair for pair in compare_pairs(names, games) if {pair.a, pair.b} == {"one", "other"})
    assert without.better is not None


# -- a tournament -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_thirty_deals_of_bots_that_repeat_themselves_are_rated_as_one() -> None:
    once, often, with_chance = standings(1, openings=1), standings(30, openings=1), standings(30)
    assert [row.rating for row in often.standings] == [row.rating for row in once.standings]
    assert all(row.rating and row.rating.low is None and row.rated_deals == 5 for row in often.standings)
    assert all(row.deals == 150 and row.better_than_next is None for row in often.standings)
    assert often.repeated_deals is not None
    assert (often.repeated_deals.deals, often.repeated_deals.distinct, often.repeated_deals.observations) == (
        450,
        15,
        15,
    )
    assert [row.points for row in often.standings] == [row.points for row in once.standings]
    assert "450 deals, 15 distinct: year_of_the_dragon has no chance" in "\n".join(format_notes(often))
    assert once.repeated_deals is None
    assert with_chance.repeated_deals is None
    assert all(row.rating and row.rating.low is not None for row in with_chance.standings)


def test_beside_bots_that_choose_at_random_more_deals_are_not_called_useless() -> None:
    """Two tables of three: the deals of one are all equal, those of the other all differ."""
    lines = [(deal, (0, 1), "the same") for deal in range(8)] + [(deal, (1, 2), f"{deal}") for deal in range(8)]
    counts = count_deals(Decided(*line) for line in lines)
    assert counts is not None
    assert (counts.deals, counts.distinct, counts.observations) == (16, 9, 9)
    assert format_repeated_deals(counts, "othello", "deals = 1") == (
        "16 deals, 9 distinct: othello has no chance, and some bots repeat themselves; while all deals of the same bots"
        " are equal, they count once, so deals = 1 says as much of them"
    )


def test_an_equal_deal_without_all_of_its_games_is_not_distinct() -> None:
    lines = [Decided(deal, seating, f"{seating}") for deal in (1, 2) for seating in ((0, 1), (1, 0))]
    counts = count_deals([*lines, Decided(3, (0, 1), "(0, 1)")])
    assert counts is not None
    assert (counts.deals, counts.distinct, counts.observations) == (3, 1, 1)


def test_bots_that_deviate_at_times_are_rated_over_all_deals() -> None:
    found = standings(14, openings=1, repeating=0.36)
    assert found.repeated_deals is not None
    assert found.repeated_deals.distinct < found.repeated_deals.observations == found.repeated_deals.deals
    assert all(row.rated_deals == row.deals and row.rating and row.rating.low for row in found.standings)


def test_a_game_that_a_ruling_has_set_makes_no_deal_distinct() -> None:
    progress = played(Event(format="round_robin", bots=2, deals=9), ELOS[:2], openings=1)
    [over] = progress.history
    [result] = over.results
    games = (structs.replace(result.games[0], by_ruling=True), *result.games[1:])
    progress.history = [structs.replace(over, results=(structs.replace(result, games=games),))]
    row = tournament_standings(progress, True).standings[0]
    assert row.rated_deals == 1


def test_failing_is_no_repeat_so_that_it_is_never_better_than_losing() -> None:
    event = Event(format="round_robin", bots=2, deals=9)
    progress = played(event, [0.0, 0.0], openings=1, policies={1: lambda own: "fail"})
    assert [row.rated_deals for row in tournament_standings(progress, True).standings] == [9, 9]


# -- what waits for observations --------------------------------------------------------------------------------------


def test_a_sequential_test_of_repeats_ends_undecided_and_says_why() -> None:
    event = sprt(20, batch=8, max_games=40_000)
    state: SprtState = played(event, [400.0, 0.0], openings=1, tie=0.0).additions.added["sprt"]
    assert (state.result, state.undecided_by, state.deals, state.observations) == ("undecided", "repeated_deals", 24, 1)
    random: SprtState = played(event, [400.0, 0.0], openings=1, repeating=0.0, tie=0.0).additions.added["sprt"]
    assert (random.result, random.deals) == ("accept", random.observations)


@pytest.mark.slow
def test_beside_a_field_it_goes_on_until_every_order_around_the_table_is_known() -> None:
    event = sprt(20, batch=8, max_games=40_000, seats=4, field=3)
    state: SprtState = played(event, [0.0] * 5, openings=1).additions.added["sprt"]
    assert state.observations == 6
    assert state.result is not None
    assert state.deals < 400


@pytest.mark.ci_only
def test_a_ladder_does_not_wait_for_intervals_that_repeats_never_give() -> None:
    event = Event(format="ladder", bots=4, settings={"until": 30})
    progress = played(event, ELOS[:4], openings=1)
    assert len(progress.rounds) < 40
    standings = tournament_standings(progress, True)
    assert standings.standings[-1].rated_deals == 3
    assert standings.ended_early == "the last 20 rounds only repeated earlier deals, as the game has no chance"
    assert not any("deals = 1" in note for note in format_notes(standings))  # as it is already


# -- what intervals are worth -----------------------------------------------------------------------------------------


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("openings", "repeating"),
    [(1, 0.36), *(pytest.param(*each, marks=pytest.mark.check_all) for each in ((400, 1.0), (1, 0.0)))],
    ids=["deviating", "random openings", "random"],
)
def test_intervals_of_shares_hold_the_truth(openings: int, repeating: float) -> None:
    found = held(Pairing(openings=openings, repeating=repeating), 70, 30, runs=40, seed="short")
    assert found.shown == 40
    assert found.holding >= (0.95 - sampling_error(0.95, 40)) * 40


@pytest.mark.slow
def test_sequential_tests_of_random_bots_are_those_of_a_game_with_chance() -> None:
    found = decisions(
        sprt(150, batch=6, max_games=4000),
        0,
        runs=40,
        seed="short",
        field_of=lambda *own, **given: Field(*own, openings=1, repeating=0.0, **given),
    )
    assert found.rejected >= 34
    assert Fraction(found.accepted, 40) <= Fraction(1, 8)
