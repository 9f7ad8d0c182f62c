"""Which columns standings and cross tables have, for people and for programs, and the notes below them."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from referee.reports.bracket import format_final
from referee.reports.formatting import format_range, format_rating
from referee.reports.model import Table
from referee.reports.standings import (
    cross_table,
    format_begun_again,
    format_notes,
    margin_heading,
    quick_table,
    standings_table,
)
from referee.reports.winner import leader, tournament_winner
from tests.tournaments.competition.simulated import Play, Simulation, by_chance, by_strength, regulations
from tests.tournaments.samples import each_format
from tournaments.competition.changes import Disqualified, Penalised, Withdrawn
from tournaments.competition.intervals import Rating
from tournaments.competition.quick_standings import QuickRow, QuickStandings
from tournaments.competition.regulations import Regulations
from tournaments.competition.results import Forfeit, Standings, tournament_standings

EACH = pytest.mark.parametrize("of", each_format(), ids=lambda of: of.format)
CSV = {
    "place", "name", "eliminated", "points", "points_per_table", "adjustment", "elo", "low", "high", "better_than_next",
    "above_next", "above_next_low", "above_next_high", "rated_deals", "unrated_games",
    "replayed_games", "only", "deals", "games", "faults", "byes",
    "tables", "game_points", "joined", "withdrawn_before", "withdrawn_reason", "disqualified",
}  # fmt: skip


def final(of: Regulations, play: Play = by_strength) -> Standings:
    return tournament_standings(Simulation(of, play).rounds().progress, True)


def shown(table: Table, heading: str) -> list[str]:
    """The texts of a column."""
    texts = table.texts()
    return [row[texts[0].index(heading)] for row in texts[1:]]


def values(table: Table, key: str) -> Sequence[Any]:
    return next(column.values for column in table.columns if column.key == key)


@EACH
def test_programs_get_the_same_columns_in_every_tournament_and_the_values_of_the_json(of: Regulations) -> None:
    standings = final(of, by_chance(2))
    rows, table = standings.standings, standings_table(standings, {})
    seats = {f"seat_{seat}" for seat in range(of.seats)}
    assert {column.key for column in table.columns if column.key} == CSV | seats | set(rows[0].tiebreaks)
    for key in ("place", "points", "game_points", "games", "deals", "better_than_next", "eliminated"):
        assert values(table, key) == [getattr(row, key) for row in rows]
    assert values(table, "low") == [None if row.rating is None else row.rating.low for row in rows]


def test_people_see_places_points_ratings_and_tie_breaks_in_this_order() -> None:
    standings = final(regulations("round_robin", 5, deals=8), by_chance(3))
    table = standings_table(standings, {})
    assert list(table.texts()[0]) == [
        "", "bot", "points", "rating", "95 %", "above next", "deals", "games", "faults", "byes",
        "direct", "wins", "Sonneborn", "score diff.", "tables", "game points",
    ]  # fmt: skip
    assert shown(table, "above next")[-1] == ""
    assert [column.kind for column in table.shown[:3]] == ["number", "name", "number"]


def test_columns_without_anything_to_say_are_left_out() -> None:
    of = regulations("swiss", 4, rounds=2)
    nothing_played = standings_table(tournament_standings(Simulation(of).progress, False), {})
    assert {"rating", "95 %", "above next", "penalty", "byes", "out in"}.isdisjoint(nothing_played.texts()[0])
    simulation = Simulation(of).rounds(1)
    simulation.apply(Penalised(round=2, at="2026-01-01T00:00:00Z", bot="b0", points=-0.5, reason="late"))
    table = standings_table(tournament_standings(simulation.progress, False), {})
    assert sorted(shown(table, "penalty")) == ["", "", "", "-0.5"]
    assert sorted(values(table, "adjustment")) == [-0.5, 0, 0, 0]


def test_a_knockout_names_the_stages_and_shows_no_points() -> None:
    simulation = Simulation(regulations("knockout", 4)).rounds()
    standings = tournament_standings(simulation.progress, True)
    table = standings_table(standings, {1: "semi-final, play-off 2 of 5 and third place"})
    assert shown(table, "out in") == ["winner", "round 2", "semi-final", "semi-final"]
    assert values(table, "eliminated") == [None, 2, 1, 1]
    assert "points" not in table.texts()[0]


def test_the_columns_of_per_table_points_say_so() -> None:
    simulation = Simulation(regulations("round_robin", 5)).rounds(2)
    table = standings_table(tournament_standings(simulation.progress, False), {})
    assert {"points per table", "wins per table", "direct"} <= set(table.texts()[0])


@EACH
def test_standings_in_progress_are_those_columns_that_need_no_fit(of: Regulations) -> None:
    progress = Simulation(of, by_chance(2)).rounds(1).progress
    places_by = progress.regulations.format_settings.places_by
    table = quick_table(QuickStandings().rows(progress), places_by=places_by)
    headings = ["", "bot", "points", "games", "faults"] if places_by != "bracket" else ["", "bot", "games", "faults"]
    assert list(table.texts()[0]) == headings


def test_the_cross_table_has_the_points_of_each_pair_and_its_tables_if_they_are_several() -> None:
    simulation = Simulation(regulations("round_robin", ["a", "=b", "c"], cycles=2)).rounds(4)
    standings = tournament_standings(simulation.progress, False)
    table = cross_table(standings)
    assert table.texts()[1:] == (("1", "a", "×", "1", "1"), ("2", "=b", "0", "×", "2/2"), ("3", "c", "0", "0/2", "×"))
    assert [column.title for column in table.shown[2:]] == ["a", "=b", "c"]
    assert values(table, "c") == [1, 2, None]
    assert values(table, "place") == [1, 2, 3]


# -- notes ----------------------------------------------------------------------------------------------------


def test_words_of_the_notes_are_in_the_table_also_where_nothing_is_bounded() -> None:
    standings = final(regulations("round_robin", 4, deals=8), by_chance(3))
    rows = [
        structs.replace(
            row,
            rating=None if row.rating is None else structs.replace(row.rating, low=None, high=None),
            difference_to_next=None,
            rated_deals=6 if number == 3 else row.rated_deals,
        )
        for number, row in enumerate(standings.standings)
    ]
    unbounded = structs.replace(standings, standings=rows)
    assert shown(standings_table(unbounded, {}), "95 %") == ["unbounded", "unbounded", "unbounded", "too few deals"]
    notes = list(format_notes(unbounded))
    assert "Too few deals for some intervals of ratings: a bot needs 7" in notes
    assert any(note.startswith("at least, at most, unbounded:") for note in notes)
    few = structs.replace(unbounded, standings=[structs.replace(row, rated_deals=6) for row in rows])
    assert "95 %" not in standings_table(few, {}).texts()[0]
    assert "Too few deals for intervals of ratings: a bot needs 7" in format_notes(few)


@EACH
def test_a_star_over_the_intervals_is_explained(of: Regulations) -> None:
    standings = final(of, by_chance(2))
    starred = margin_heading(standings).endswith("*")
    assert starred == any(note.startswith("* ") for note in format_notes(standings))


def test_intervals_to_one_side_are_conditional_too() -> None:
    """One has only won, and one only lost: both intervals are bounded to one side."""
    standings = final(regulations("sprt", 2, deals=8, candidate="b0", baseline="b1", batch=8, max_games=80))
    assert all(each.rating is not None and None in (each.rating.low, each.rating.high) for each in standings.standings)
    assert margin_heading(standings) == "95 %*"
    assert any(note.startswith("* ") for note in format_notes(standings))


def test_who_has_only_won_is_said_and_who_was_not_connected() -> None:
    notes = list(format_notes(final(regulations("round_robin", 2, deals=8))))
    assert "b0 has won every rated game: there is no bound on how much better it is" in notes
    simulation = Simulation(regulations("knockout", 4, deals=8), by_chance(3)).rounds(1)
    standings = tournament_standings(simulation.progress, False)
    groups = " | ".join(map(", ".join, standings.unconnected or []))
    assert (
        f"Not connected by any chain of games, so their ratings can't be compared and have no bounds: {groups}"
        in format_notes(standings)
    )


def test_a_sentence_says_who_has_won_or_leads_and_how_certain_that_is() -> None:
    cup = regulations("round_robin", 5, deals=8)
    assert tournament_winner(final(cup), {}) == (
        "b0 won with 4 points, 1 ahead of b1. The rating of b0 is at least 224 above that of b1."
    )
    assert tournament_winner(final(cup, by_chance(3)), {}) == (
        "b0 won with 2.31 points, 0.09 ahead of b3."
        " By the ratings it is not certain that b0 is better than b3: 57.8 % confidence."
    )
    for name in ("knockout", "double_elimination"):
        played = Simulation(regulations(name, 4)).rounds().progress
        standings = tournament_standings(played, True)
        assert tournament_winner(standings, {}, format_final(played, standings)).startswith(
            "b0 won the final against b1, 2 to 0. The deals are too few to say whether b0 is better than b1."
        )
    level = Simulation(regulations("knockout", 2), lambda planned: [0, 0]).rounds().progress
    assert (
        format_final(level, tournament_standings(level, True))
        == "b1, 6 to 6: level after all play-offs, with the better seed"
    )
    begun = tournament_standings(Simulation(cup).rounds(1).progress, False)
    assert tournament_winner(begun, {}) == (
        "b1 leads with 1 point, as many as b2, by score difference (48 to 16)."
        " b1 has met b2 neither directly nor through others, so nothing compares the two."
    )
    swiss = Simulation(regulations("swiss", 8, rounds=3)).rounds(1).progress
    assert tournament_winner(tournament_standings(swiss, False), {}) == "4 bots share the lead with 1 point."
    assert leader(QuickStandings().rows(swiss), "points", {}) == "4 bots share the lead with 1 point"
    forfeited = structs.replace(
        final(cup), forfeits=[Forfeit(name="b4", round=1, table=1, games=2)], ended_early="the power failed"
    )
    assert tournament_winner(forfeited, {}).startswith("The tournament ended early: the power failed. b0 won with")
    assert tournament_winner(forfeited, {}).endswith(" 2 games were forfeited, and count as lost.")
    nothing = tournament_standings(Simulation(cup).progress, False)
    assert tournament_winner(nothing, {}) == "No game is over yet."


def test_a_final_that_nobody_lost_or_whose_winner_is_disqualified_is_not_told() -> None:
    cup = Simulation(regulations("knockout", 3)).rounds(1)
    cup.apply(Withdrawn(round=2, at="", bot="b0", reason="asked to"))
    for finished in (False, True):
        assert format_final(cup.progress, tournament_standings(cup.progress, finished)) == ""
    cup = Simulation(regulations("knockout", 4)).rounds()
    cup.apply(Disqualified(round=3, at="", bot="b0", reason="cheated"))
    standings = tournament_standings(cup.progress, True)
    assert format_final(cup.progress, standings) == ""
    assert "b0 was disqualified" in tournament_winner(standings, {}, format_final(cup.progress, standings))


def rows(*places: int, points: Sequence[float], out: Sequence[bool] = (False, False, False)) -> list[QuickRow]:
    """Bots called a, b and c."""
    return [
        QuickRow(
            place=place, name=name, points=own, worth=own, game_points=own, games=1, faults=0, withdrawn=False,
            eliminated=is_out,
        )
        for place, name, own, is_out in zip(places, "abc", points, out, strict=False)
    ]  # fmt: skip


def test_who_leads_says_what_the_places_go_by() -> None:
    assert leader(rows(1, 2, points=[1, 3]), "points", {}) == "a leads; b is second", "b is disqualified"
    assert leader(rows(1, 2, points=[3, 1]), "points", {}, finished=True) == "a won with 3 points, 2 ahead of b"
    assert leader(rows(1, 2, points=[3, 1]), "final", {}, finished=True) == "a won; b is second"
    assert leader(rows(1, 1, points=[2, 2]), "points", {}, finished=True) == "Both bots are level with 2 points"
    assert leader(rows(1, 1, points=[2, 2]), "bracket", {}, finished=True) == "Both bots were still in the tournament"
    two_of_three = rows(1, 1, 3, points=[2, 2, 1])
    assert leader(two_of_three, "points", {}, finished=True) == "a and b share the win with 2 points"
    assert leader(two_of_three, "bracket", {}) == "a and b are still in the tournament"
    assert leader(two_of_three, "final", {}) == "a and b are first so far"
    one_out = rows(1, 1, 3, points=[2, 2, 1], out=[False, False, True])
    assert leader(one_out, "final", {}) == "a and b are still in the tournament"


def test_a_ladder_is_won_by_the_rating() -> None:
    standings = final(regulations("ladder", 4, deals=8, budget=64), by_chance(3))
    first, second, *_ = (row.rating for row in standings.standings)
    assert first is not None
    assert second is not None
    begins = (
        f"{standings.standings[0].name} won with a rating of {first.elo:.0f}, {first.elo - second.elo:.0f} ahead of"
    )
    assert tournament_winner(standings, {}).startswith(begins)


def test_of_a_gauntlet_the_challengers_are_told_and_of_a_test_its_decision() -> None:
    of = regulations("gauntlet", 5, challengers=["b2"])
    standings = final(of, by_chance(5))
    own = next(row for row in standings.standings if row.name == "b2")
    assert own.place > 1
    said = f"b2 has {own.worth:.2f} points, place {own.place} of 5."
    assert tournament_winner(standings, of.settings) == said
    of = regulations("sprt", 2, deals=8, candidate="b0", baseline="b1", batch=8, max_games=80)
    assert tournament_winner(final(of), of.settings) == (
        "The test of b0 against b1 is undecided: no decision within the maximum number of games, after 40 deals."
    )


def test_ratings_in_lines_have_a_true_minus_also_in_bounds() -> None:
    one_sided = [
        format_range(Rating(5.0, 2.0, None)),
        format_range(Rating(5.0, None, 9.0)),
        format_range(Rating(5.0, None, None)),
    ]
    assert one_sided == [" (at least +2)", " (at most +9)", ""]
    bounds = [format_range(Rating(-5.0, -11.0, 0.0)), format_rating(-222.4), format_rating(3.0, sign="+")]
    assert bounds == [" (−11 to +0)", "−222", "+3"]


def test_games_that_were_begun_again_are_told_without_the_names_of_files() -> None:
    assert (
        format_begun_again(2) == "2 games begun again, as the referee or a worker had ended or a record was discarded"
    )
