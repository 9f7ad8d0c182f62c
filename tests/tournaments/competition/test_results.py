"""The standings of tournaments of every format: their form, places, events, and what counts while a round is played."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log
from typing import Any

import msgspec
import pytest

from tests.cases import some_in_ci
from tests.tournaments.competition.simulated import Play, Simulation, by_chance, by_strength, regulations
from tests.tournaments.samples import each_format, sample_of
from tournaments.competition.changes import Joined, Ruled, Withdrawn
from tournaments.competition.games import PlannedGame
from tournaments.competition.quick_standings import QuickStandings
from tournaments.competition.regulations import Entrant, Regulations
from tournaments.competition.results import StandingRow, Standings, tournament_standings

pytestmark = pytest.mark.usefixtures("short_search")

AT = "2026-11-22T06:00:00+00:00"
FORMATS: list[Regulations] = [
    *each_format(),
    *(regulations("round_robin", 6, seats=seats, deals=2) for seats in (3, 4, 5)),
    *(regulations("swiss", 7, seats=seats, rounds=4) for seats in (2, 3, 4, 5)),
    *(regulations("gauntlet", 7, seats=seats, challengers=["b0", "b1"], rounds=3) for seats in (3, 5)),
    *(regulations("knockout", 9, seats=seats, third_place=seats == 2) for seats in (2, 4)),
    regulations("ladder", 7, seats=4, budget=80),
    regulations("sprt", 5, seats=4, candidate="b0", baseline="b1", field=["b2", "b3", "b4"], batch=2, max_games=200),
]
IN_CI = [of for of in FORMATS if of.seats < 4 or of.format in ("sprt", "knockout")]
EACH = pytest.mark.parametrize(
    "of", some_in_ci(FORMATS, IN_CI), ids=lambda of: f"{of.format}-{len(of.bots)}-{of.seats}"
)


def played(of: Regulations, play: Play = by_strength, rounds: int = 1000) -> Simulation:
    return Simulation(of, play).rounds(rounds)


PLAYED: dict[int, tuple[Simulation, Standings]] = {}


def by_luck(of: Regulations) -> tuple[Simulation, Standings]:
    """A whole tournament of one of FORMATS and its standings. Played once, so not to be changed."""
    number = FORMATS.index(of)
    if number not in PLAYED:
        simulation = played(of, by_chance(2))
        PLAYED[number] = simulation, tournament_standings(simulation.progress, True)
    return PLAYED[number]


def final(of: Regulations, play: Play = by_strength) -> Standings:
    return tournament_standings(played(of, play).progress, True)


def row(standings: Standings, name: str) -> StandingRow:
    return next(row for row in standings.standings if row.name == name)


def as_json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def withdrawn(bot: str, before: int, reason: str = "could not be started at 3 tables in a row") -> Withdrawn:
    return Withdrawn(round=before, at=AT, bot=bot, reason=reason, automatic=True)


def joined(bot: str, before: int) -> Joined:
    return Joined(round=before, at=AT, bot=Entrant(name=bot), source={"builtin": "random"})


def logistic(x: float) -> float:
    return 1 / (1 + exp(-x))


# -- the form -------------------------------------------------------------------------------------------------


def test_two_bots_and_seven_deals_are_these_standings() -> None:
    of = regulations("round_robin", ["x", "y"], deals=7)

    def play(planned: PlannedGame) -> Sequence[int]:
        # x wins both games of a deal, but for one of the last deal.
        winner = 1 if (planned.deal, planned.rotation) == (7, 2) else 0
        return [10 if bot == winner else 4 for bot in planned.bots]

    standings = as_json(final(of, play))  # whose fields are those of the golden folders
    first, second = standings["standings"]
    difference, rating = first["difference_to_next"], first["rating"]
    pair = {"a": "x", "b": "y", "tables": 1, "games": 14, "a_points": 13 / 14, "b_points": 1 / 14}
    assert standings["pairs"] == [pair | {"difference": difference}]
    assert difference["low"] < difference["elo"] < difference["high"]
    assert rating["elo"] == -second["rating"]["elo"]
    # Where the likelihood of 13 wins to 1, with half a win and half a loss of each against strength 1, is highest.
    strength = rating["elo"] * log(10) / 400
    assert 13 - 14 * logistic(2 * strength) + 0.5 * (1 - 2 * logistic(strength)) == pytest.approx(0, abs=0.001)
    assert rating["low"] < rating["elo"] < rating["high"]
    # One upset alone bounds the difference, but far away: see the sign test, which would be 1 − ½⁷.
    assert 0.97 < first["better_than_next"] <= 1 - 0.5**7
    assert (first["name"], first["points"], first["game_points"], first["seat_counts"]) == ("x", 13 / 14, 13.0, [7, 7])
    assert (first["deals"], first["rated_deals"], first["only"], first["points_per_table"]) == (7, 7, None, None)
    assert first["tiebreaks"] == {
        "direct_encounter": None, "wins": 13.0, "sonneborn_berger": 13 / 14 / 14, "score_difference": 72,
    }  # fmt: skip
    assert (second["place"], second["better_than_next"]) == (2, None)


def test_bots_without_a_chain_of_games_are_not_compared() -> None:
    """A knockout after its first round."""
    simulation = played(regulations("knockout", 4, deals=8), by_chance(3), rounds=1)
    standings = tournament_standings(simulation.progress, False)
    assert sorted(map(sorted, standings.unconnected or [])) == [["b0", "b3"], ["b1", "b2"]]
    assert all(row.rating is not None and row.rating.low is row.rating.high is None for row in standings.standings)
    apart = [
        one for one, two in pairwise(standings.standings) if {one.name, two.name} not in ({"b0", "b3"}, {"b1", "b2"})
    ]
    assert apart
    assert all(row.better_than_next is None for row in apart)
    assert all(row.difference_to_next is None for row in apart)
    assert all(pair.difference for pair in standings.pairs)


def test_who_has_only_won_is_said_of_rated_games() -> None:
    """b0 wins all games but the first one, which it forfeits and a ruling strikes out."""
    simulation = Simulation(regulations("round_robin", 4, deals=8))
    simulation.forfeiting = {0}
    simulation.begin()
    simulation.add(1)
    simulation.forfeiting = set()
    simulation.add()
    simulation.progress.close()
    simulation.rounds()
    before = row(tournament_standings(simulation.progress, True), "b0")
    assert (before.deals, before.rated_deals, before.only) == (24, 24, None)
    first = next(game for game in simulation.progress.games() if any(game.forfeits))
    simulation.apply(Ruled(round=4, at="", game_id=first.game_id, ranks=None, reason="a power cut"))
    best = row(tournament_standings(simulation.progress, True), "b0")
    assert (best.rated_deals, best.only) == (24, "won")
    assert best.rating is not None
    assert best.rating.high is None


def test_a_swiss_of_two_seats_does_not_say_how_sure_the_order_is() -> None:
    two, three = (final(regulations("swiss", 6, seats=seats, rounds=3, deals=8), by_chance(4)) for seats in (2, 3))
    assert all(row.better_than_next is None for row in two.standings)
    assert any(row.rating is not None and row.rating.low is not None for row in two.standings)
    assert any(row.better_than_next is not None for row in three.standings)


@EACH
def test_sums_agree_with_the_games(of: Regulations) -> None:
    simulation, standings = by_luck(of)
    games = list(simulation.progress.games())
    assert (standings.sprt is not None) == (of.format == "sprt")
    assert standings.games == len(games) == sum(row.games for row in standings.standings) / of.seats or of.seats > 2
    for each in standings.standings:
        bot = simulation.progress.index(each.name)
        own = [game for game in games if bot in game.bots]
        assert each.games == len(own) == sum(each.seat_counts)
        assert each.deals == len({game.deal for game in own})
        assert each.game_points == pytest.approx(
            sum(
                sum((game.ranks[seat] < rank) + (game.ranks[seat] == rank) / 2 for rank in game.ranks) - 0.5
                for game in own
                for seat in [game.bots.index(bot)]
            )
            / (len(own[0].bots) - 1)
            if len({len(game.bots) for game in own}) == 1
            else each.game_points
        )


@EACH
def test_places_are_in_order_and_equal_ones_share_a_place(of: Regulations) -> None:
    places = [row.place for row in by_luck(of)[1].standings]
    assert places[0] == 1
    assert all(place in (before, index) for index, (before, place) in enumerate(pairwise([1, *places]), 1))


@pytest.mark.slow
def test_standings_say_whether_results_decide_about_the_schedule() -> None:
    assert {of.format for of in FORMATS if not by_luck(of)[1].conditional} >= {"round_robin", "gauntlet"}
    assert all(by_luck(of)[1].conditional == of.format_settings.adaptive for of in FORMATS)


# -- places ---------------------------------------------------------------------------------------------------


def test_a_knockout_goes_by_when_a_bot_went_out() -> None:
    standings = final(regulations("knockout", 8, third_place=True))
    assert [(row.place, row.name, row.eliminated) for row in standings.standings] == [
        (1, "b0", None), (2, "b1", 3), (3, "b2", 2), (4, "b3", 2),
        (5, "b4", 1), (5, "b5", 1), (5, "b6", 1), (5, "b7", 1),
    ]  # fmt: skip
    assert standings.standings[0].tiebreaks == {}


def test_without_a_third_place_both_losers_of_the_semi_finals_share_it() -> None:
    assert [row.place for row in final(regulations("knockout", 4)).standings] == [1, 2, 3, 3]


def test_while_a_knockout_is_played_those_still_in_it_share_the_first_place() -> None:
    standings = tournament_standings(played(regulations("knockout", 8), rounds=1).progress, False)
    assert [row.place for row in standings.standings] == [1, 1, 1, 1, 5, 5, 5, 5]


@pytest.mark.slow
def test_a_ladder_goes_by_the_rating() -> None:
    standings = final(regulations("ladder", 6, budget=200), by_chance(4))
    ratings = [row.rating.elo for row in standings.standings if row.rating is not None]
    assert ratings == sorted(ratings, reverse=True)
    assert standings.standings[0].tiebreaks == {}


def test_where_a_withdrawal_leaves_different_numbers_of_tables_points_per_table_decide() -> None:
    simulation = played(regulations("round_robin", 4), rounds=1)
    simulation.apply(withdrawn("b3", 2))
    standings = tournament_standings(simulation.rounds().progress, True)
    # b0 has met all three others, b1 and b2 only two of them.
    assert [(row.name, row.tables, row.points_per_table) for row in standings.standings[:1]] == [("b0", 3, 1.0)]
    assert {row.points_per_table for row in standings.standings} > {1.0}
    assert final(regulations("round_robin", 4)).standings[0].points_per_table is None


def test_the_example_of_points_per_table_in_the_documentation() -> None:
    simulation = Simulation(regulations("round_robin", ["a", "b", "c", "d"], points="table"))
    simulation.rounds(1)
    simulation.apply(withdrawn("d", 2))
    simulation.play = lambda planned: [0, 0]
    standings = tournament_standings(simulation.rounds().progress, True)
    assert [(row.name, row.points, row.points_per_table) for row in standings.standings[:2]] == [
        ("b", 1.5, 0.75), ("a", 2.0, 2 / 3),
    ]  # fmt: skip


def test_a_bye_of_a_swiss_is_worth_half_a_point_and_no_table() -> None:
    standings = final(regulations("swiss", 5, rounds=3))
    assert sum(row.byes for row in standings.standings) == 3
    last = row(standings, "b4")
    assert (last.byes, last.tables, last.games, last.points) == (1, 2, 4, 0.5 + last.game_points / 2)


# -- events ---------------------------------------------------------------------------------------------------


def test_a_withdrawal_is_told_with_its_round_and_reason_and_changes_no_result() -> None:
    simulation = played(regulations("swiss", 6, rounds=4), rounds=2)
    before = tournament_standings(simulation.progress, False)
    simulation.apply(withdrawn("b5", 3))
    gone = row(tournament_standings(simulation.progress, False), "b5")
    assert (gone.withdrawn, gone.withdrawn_before) == (True, 3)
    assert gone.withdrawn_reason == "could not be started at 3 tables in a row"
    assert (gone.points, gone.games) == (row(before, "b5").points, row(before, "b5").games)


def test_a_late_entry_has_no_points_of_rounds_before() -> None:
    simulation = played(regulations("swiss", 4, rounds=3), rounds=1)
    simulation.apply(joined("late", 2))
    late = row(tournament_standings(simulation.rounds().progress, True), "late")
    assert (late.joined, late.tables + late.byes) == (2, 2)


def test_forfeits_are_listed_and_count_as_lost() -> None:
    simulation = Simulation(regulations("round_robin", 4))
    simulation.forfeiting = {3}
    standings = tournament_standings(simulation.rounds().progress, True)
    assert [(each.name, each.round, each.games) for each in standings.forfeits] == [("b3", n, 2) for n in (1, 2, 3)]
    absent = row(standings, "b3")
    assert (absent.faults, absent.points, absent.only) == (6, 0, "lost")


# -- while a round is played ----------------------------------------------------------------------------------


@EACH
def test_finished_games_of_the_round_in_progress_count_and_it_says_so(of: Regulations) -> None:
    simulation = played(of, by_chance(5), rounds=1)
    over = tournament_standings(simulation.progress, False)
    if simulation.begin() is None:
        return
    assert tournament_standings(simulation.progress, False).games == over.games
    simulation.add(1)
    standings = tournament_standings(simulation.progress, False)
    assert (standings.round, standings.finished, standings.games) == (1, False, over.games + 1)
    assert standings.in_progress is not None
    assert (standings.in_progress.round, standings.in_progress.games) == (2, 1)
    assert standings.in_progress.of > 1


def test_before_the_first_game_all_share_the_first_place() -> None:
    for of in FORMATS:
        standings = tournament_standings(Simulation(of).progress, False)
        assert {row.place for row in standings.standings} == {1}
        assert {row.rating for row in standings.standings} == {None}
        assert (standings.round, standings.games, standings.pairs) == (0, 0, [])


@pytest.mark.parametrize(
    ("of", "rounds"),
    [
        (regulations("round_robin", 5), 5),
        (regulations("swiss", 8, rounds=3), 3),
        (regulations("ladder", 4, until=50.0), None),
    ],
    ids=["round_robin", "swiss", "ladder"],
)
def test_the_number_of_rounds_is_given_where_it_is_known(of: Regulations, rounds: int | None) -> None:
    assert tournament_standings(Simulation(of).progress, False).rounds == rounds


# -- quick standings ------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@EACH
def test_quick_standings_add_up_to_the_same_at_every_moment(of: Regulations) -> None:
    simulation, kept = Simulation(of, by_chance(6)), QuickStandings()

    def compare() -> None:
        rows = kept.rows(simulation.progress)
        assert rows == QuickStandings().rows(simulation.progress)
        full = {row.name: row for row in tournament_standings(simulation.progress, False).standings}
        for each in rows:
            other = full[each.name]
            assert (each.points, each.game_points, each.games) == (other.points, other.game_points, other.games)
            assert (each.faults, each.withdrawn) == (other.faults, other.withdrawn)
            assert each.eliminated == (other.eliminated is not None)

    compare()
    for _ in range(3):
        if simulation.begin() is None:
            break
        compare()
        simulation.add(3)
        compare()
        simulation.add()
        compare()
        simulation.progress.close()
        compare()
    first = next(simulation.progress.games())
    simulation.replay(first.game_id, [*first.scores[1:], first.scores[0]])
    compare()
    if sample_of(of.format).joining:
        simulation.apply(joined("late", simulation.progress.next_number))
        simulation.apply(withdrawn("b0", simulation.progress.next_number))
        compare()


@pytest.mark.slow
def test_quick_standings_order_by_points_bracket_or_strength() -> None:
    for of in (regulations("round_robin"), regulations("knockout"), regulations("ladder", budget=100)):
        assert QuickStandings().rows(played(of).progress)[0].name == "b0"


# -- sequential tests -----------------------------------------------------------------------------------------


def test_a_sequential_test_is_told_with_its_result() -> None:
    of = regulations("sprt", 2, candidate="b0", baseline="b1", elo1=100, batch=4)
    assert (state := tournament_standings(Simulation(of).progress, False).sprt) is not None
    assert (state.result, state.deals) == (None, 0)
    assert (state := final(of).sprt) is not None
    assert (state.result, state.mean) == ("accept", 1.0)
    assert (state := final(of, lambda planned: list(planned.bots)).sprt) is not None
    assert state.result == "reject"
