"""Tie-breaks against published examples, and what they become with more than two seats.

"Exercises": Mario Held, "Exercises in Tie-Breaking", rev. 2403220900, published by the FIDE Technical Commission
(https://tec.fide.com/2024/03/18/tie-break-exercise/, https://arbiters.fide.com/news/9119). Its solutions hold for the
Handbook's editions of September 2023 and August 2024; that of March 2026 caps the dummy's score.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.tournaments.competition.results import game, played, table
from tournaments.competition.points import HALF, ONE, ZERO
from tournaments.competition.rounds import Entry, Points
from tournaments.competition.tiebreaks import Crosstable, Encounter, Kind, RoundRecord, TieBreak, round_records

RESULTS = {"+": ONE, "=": HALF, "-": ZERO}

SWISS = {
    1: "+W9 =B13 =W2 +B15 =W4",
    2: "+B10 +W7 =B1 +W16 =B3",
    3: "=W11 +B6 +W8 =B4 =W2",
    4: "+B12 =BYE +W13 =W3 =B1",
    5: "-W13 -B15 +W11 =B7 +W10",
    6: "-B14 -W3 +BYE +W10 +B8",
    7: "+W15 -B2 -B16 =W5 -B11",
    8: "=B16 +W14 -B3 +W13 -W6",
    9: "-B1 -W10 =BYE -F11 +BYE",
    10: "-W2 +B9 -W15 -B6 -B5",
    11: "=B3 -W16 -B5 +F9 +W7",
    12: "-W4 +BYE +F14 -- --",
    13: "+B5 =W1 -B4 -B8 -W14",
    14: "+W6 -B8 -F12 -- +B13",
    15: "-B7 +W5 +B10 -W1 -B16",
    16: "=W8 +B11 +W7 -B2 +W15",
}
"""Exercises, 2.1: half-point byes on request (=BYE), byes from the pairing (+BYE), forfeits (F), a withdrawal (--)."""

SWISS_ENCOUNTERS = {
    1: "+W9 =B13 =W2 +B15 =W4 =B6 =B3 =W16 +B8",
    2: "+B10 +W7 =B1 +W16 +B3 =W4 -W6 =B15 =W5",
    3: "=W11 +B6 +W8 =B4 -W2 +B16 =W1 +W14 +B10",
    4: "+B12 =BYE +W13 =W3 =B1 =B2 =W16 =B6 +W15",
    5: "-W13 -B15 +W11 =B7 +W10 -B14 +B9 -W8 =B2",
    6: "-B14 -W3 +BYE +W10 +B8 =W1 +B2 =W4 +B16",
    7: "+W15 -B2 -B16 =W5 -B11 -B10 +W13 +W9 +B14",
    8: "=B16 +W14 -B3 +W13 -W6 =B11 =W15 +B5 -W1",
    9: "-B1 -W10 =BYE -F11 +BYE +B13 -W5 -B7 =W12",
    10: "-W2 +B9 -W15 -B6 -B5 +W7 +B12 +W11 -W3",
    11: "=B3 -W16 -B5 +F9 +W7 =W8 -B14 -B10 =W13",
    12: "-W4 +BYE +F14 -- -- -B15 -W10 =B13 =B9",
    13: "+B5 =W1 -B4 -B8 -W14 -W9 -B7 =W12 =B11",
    14: "+W6 -B8 -F12 -- +B13 +W5 +W11 -B3 -W7",
    15: "-B7 +W5 +B10 -W1 -B16 +W12 =B8 =W2 -B4",
    16: "=W8 +B11 +W7 -B2 +W15 -W3 =B4 =B1 -W6",
}
"""Exercises, exercise 25."""


def crosstable(rows: dict[int, str]) -> Crosstable:
    """From the notation of the exercises; bots are the numbers of the rows less 1."""
    return Crosstable([[record(cell) for cell in rows[number].split()] for number in sorted(rows)])


def record(cell: str) -> RoundRecord:
    """One cell: result, then the colour and number of the opponent, or what the round was instead."""
    points = RESULTS[cell[0]]
    wins = int(points == ONE)
    if cell in {"--", "=BYE"}:
        return RoundRecord(kind=Kind.ABSENT, points=points)
    if cell == "+BYE":
        return RoundRecord(kind=Kind.BYE, points=points, wins=wins)
    if cell[1] == "F":
        kind = Kind.FORFEIT_WIN if wins else Kind.FORFEIT_LOSS
        return RoundRecord(kind=kind, points=points, absent=wins, wins=wins)
    return RoundRecord(kind=Kind.PLAYED, points=points, wins=wins, encounters=(Encounter(int(cell[2:]) - 1, points),))


def values(found: Crosstable, tiebreak: TieBreak) -> dict[int, float | None]:
    """By number of the row."""
    rows = found.ranking([tiebreak])
    return {row.bot + 1: None if (value := row.tiebreaks[tiebreak]) is None else float(value) for row in rows}


# -- published examples -------------------------------------------------------------------------------------------


def test_buchholz() -> None:
    """Exercises 1 to 4, and for all players the table of exercise 9."""
    assert values(crosstable(SWISS), "buchholz") == {
        2: 13.0, 3: 15.5, 4: 15.0, 1: 12.5, 16: 12.5, 6: 12.0, 8: 13.5, 11: 13.5,
        5: 8.5, 15: 12.0, 12: 11.5, 14: 11.0, 7: 14.5, 13: 14.0, 9: 9.0, 10: 13.0,
    }  # fmt: skip


def test_buchholz_cut1() -> None:
    """Exercises 5 to 8."""
    expected = {
        5: 7.5, 8: 12.0, 11: 12.0, 7: 12.5, 9: 7.5, 13: 12.0, 1: 11.0, 3: 13.0, 4: 11.5, 16: 11.0,
        12: 9.5, 14: 9.0, 15: 11.0,
    }  # fmt: skip
    found = values(crosstable(SWISS), "buchholz_cut1")
    assert {number: found[number] for number in expected} == expected


def test_sonneborn_berger() -> None:
    """Exercises 11 and 12."""
    assert values(crosstable(SWISS), "sonneborn_berger") == {
        2: 9.5, 3: 10.5, 4: 9.75, 1: 8.0, 16: 7.25, 6: 6.5, 11: 5.75, 8: 5.25,
        5: 4.25, 14: 4.5, 12: 4.0, 15: 3.5, 13: 4.25, 7: 3.25, 9: 2.25, 10: 1.5,
    }  # fmt: skip


def test_wins() -> None:
    """Exercise 27: byes that are worth a win and wins by forfeit count."""
    assert values(crosstable(SWISS), "wins") == {
        2: 3, 16: 3, 1: 2, 3: 2, 4: 2, 6: 3, 5: 2, 8: 2, 11: 2, 12: 2, 14: 2, 15: 2, 7: 1, 9: 1, 13: 1, 10: 1,
    }  # fmt: skip


def test_standings_share_places_that_no_tiebreak_separates() -> None:
    """Exercises, table "Final Rankings" of chapter 3: numbers 1 and 16 stay tied by Buchholz, so do 8 and 11."""
    rows = crosstable(SWISS).ranking(["buchholz"])
    order = [2, 3, 4, 1, 16, 6, 8, 11, 5, 15, 12, 14, 7, 13, 9, 10]
    assert [row.bot + 1 for row in rows] == order
    assert [row.place for row in rows] == [1, 2, 3, 4, 4, 6, 7, 7, 9, 10, 11, 12, 13, 14, 15, 16]


MATRIX = ["*1101½", "0*½111", "0½*111", "100*½0", "000½*1", "½0010*"]
"""Exercises, 2.2; the forfeit of 6 against 5 counts as a game, since the pairings are fixed in advance."""


def matrix(rows: Sequence[str]) -> Crosstable:
    """From a table of all against all; `-` stands for a missing encounter, `*` for the bot itself."""
    points = {"1": ONE, "½": HALF, "0": ZERO}
    return Crosstable(
        [
            [
                RoundRecord(kind=Kind.PLAYED, points=points[cell], encounters=(Encounter(other, points[cell]),))
                for other, cell in enumerate(row)
                if cell in points
            ]
            for row in rows
        ]
    )


def test_sonneborn_berger_in_a_round_robin() -> None:
    """Exercise 14, with the names of the first form of the table: 5 is Helene, 6 is Franck."""
    assert values(matrix(MATRIX), "sonneborn_berger") == {1: 9.25, 2: 6.25, 3: 6.25, 4: 4.25, 5: 2.25, 6: 3.25}


def test_direct_encounter_in_a_round_robin() -> None:
    """Exercise 26: Alyx before Bruno and Charline, who stay tied; Helene, Franck, David."""
    rows = matrix(MATRIX).ranking(["direct_encounter"])
    assert [(row.bot + 1, row.place) for row in rows] == [(1, 1), (2, 2), (3, 2), (5, 4), (6, 5), (4, 6)]
    assert [row.tiebreaks["direct_encounter"] for row in rows] == [2, HALF, HALF, Fraction(3, 2), 1, HALF]
    decided = [row.ahead_by(following) for row, following in pairwise(rows)]
    assert decided == ["direct_encounter", None, None, "direct_encounter", "direct_encounter"]


def tied(rows: Sequence[str]) -> list[list[int]]:
    """The order by direct encounter of bots that are tied whatever they scored here."""
    return matrix(rows).direct_encounter(range(len(rows)))[0]


def test_direct_encounter_decides_what_missing_encounters_could_not_change() -> None:
    """Exercises, example of chapter 6: Alyx first, Bruno second whatever Charline and David had done."""
    rows = ["*111", "0*11", "00*-", "00-*"]
    assert tied(rows) == [[0], [1], [2, 3]]
    assert matrix(rows).direct_encounter(range(4))[1] == {0: 3, 1: 2, 2: None, 3: None}


def test_direct_encounter_of_those_who_have_hardly_met_decides_nothing() -> None:
    """Exercises 23 and 24: players at 3.5 and at 2.5 points."""
    rows = ["*-½-", "-*½-", "½½*-", "---*"]
    assert tied(rows) == [[0, 1, 2, 3]]
    assert set(matrix(rows).direct_encounter(range(4))[1].values()) == {None}
    assert tied(["*-1", "-*-", "0-*"]) == [[0, 1, 2]]


def test_direct_encounter_within_each_group_of_tied_bots() -> None:
    """Exercise 25: at 6 points 6 is first and 2 last, 1 and 4 stay tied; no other group is decided."""
    rows = crosstable(SWISS_ENCOUNTERS).ranking(["direct_encounter"])
    places = [(row.place, row.bot + 1) for row in rows]
    assert places[:5] == [(1, 3), (2, 6), (3, 1), (3, 4), (5, 2)]
    assert sorted(places[5:8]) == [(6, 7), (6, 8), (6, 16)]
    assert sorted(places[8:12]) == [(9, 5), (9, 10), (9, 14), (9, 15)]
    assert sorted(places[12:]) == [(13, 11), (14, 9), (14, 12), (16, 13)]
    by_number = {row.bot + 1: row.tiebreaks["direct_encounter"] for row in rows}
    assert {by_number[3], by_number[7], by_number[5]} == {None}


# -- what the exercises leave out ---------------------------------------------------------------------------------


def test_repeated_encounters_count_by_their_mean() -> None:
    """[6.1.2]: 0 beat 1 and lost to it, and beat 2; 1 and 2 drew."""

    def rounds(*encounters: tuple[int, Points]) -> list[RoundRecord]:
        return [
            RoundRecord(kind=Kind.PLAYED, points=points, encounters=(Encounter(other, points),))
            for other, points in encounters
        ]

    found = Crosstable(
        [rounds((1, ONE), (1, ZERO), (2, ONE)), rounds((0, ZERO), (0, ONE), (2, HALF)), rounds((0, ZERO), (1, HALF))]
    )
    assert found.direct_encounter([0, 1, 2]) == ([[0], [1], [2]], {0: Fraction(3, 2), 1: 1, 2: HALF})


def test_direct_encounter_of_a_bot_that_is_not_tied_is_not_defined() -> None:
    assert matrix(["*1", "0*"]).ranking(["direct_encounter"])[0].tiebreaks == {"direct_encounter": None}


def test_later_tiebreaks_decide_only_what_earlier_ones_leave_open() -> None:
    rows = crosstable(SWISS).ranking(["wins", "buchholz"])
    assert [row.bot + 1 for row in rows][:5] == [2, 16, 3, 4, 1]


def entries(count: int, **changes: Entry) -> list[Entry]:
    """Entries named by their index, with some replaced (`e3=…`)."""
    return [changes.get(f"e{index}", Entry(name=str(index))) for index in range(count)]


def test_rounds_before_a_late_entry_and_after_a_withdrawal_are_absences() -> None:
    late = Entry(name="3", joined=2)
    gone = Entry(name="1", withdrawn=2)
    history = [
        played([table((0, 1), game([1, 2]))], byes=[2], number=1),
        played([table((0, 3), game([1, 2]))], byes=[2], number=2),
    ]
    rounds = round_records(entries(4, e1=gone, e3=late), history, "table", bye=HALF, predetermined=False)
    assert [[record.kind for record in own] for own in rounds] == [
        [Kind.PLAYED, Kind.PLAYED],
        [Kind.PLAYED, Kind.ABSENT],
        [Kind.BYE, Kind.BYE],
        [Kind.ABSENT, Kind.PLAYED],
    ]
    # For 0, the absence of 1 at the end is a draw; that of 3 at the beginning is not.
    assert Crosstable(rounds).buchholz(0) == HALF + ZERO


def test_forfeit_is_unplayed_where_pairings_follow_results_and_a_game_where_they_do_not() -> None:
    history = [played([table((0, 1), game([1, 2], forfeits=[1]))]), played([table((0, 1), game([2, 1]))])]
    swiss = round_records(entries(2), history, "table", bye=HALF, predetermined=False)
    assert [own[0].kind for own in swiss] == [Kind.FORFEIT_WIN, Kind.FORFEIT_LOSS]
    assert Crosstable(swiss).direct_encounter([0, 1])[0] == [[1], [0]]
    fixed = round_records(entries(2), history, "table", bye=ZERO, predetermined=True)
    assert {record.kind for own in fixed for record in own} == {Kind.PLAYED}
    assert Crosstable(fixed).direct_encounter([0, 1])[0] == [[0, 1]]


def test_buchholz_of_larger_tables_is_a_sum_of_means_and_its_cut_removes_a_round() -> None:
    """0 has met 1 and 2 (3⁄2 and ½ points), then 3 and 4 (½ and 0)."""
    history = [
        played([table((0, 1, 2), game([1, 2, 3]))], number=1),
        played([table((0, 3, 4), game([1, 2, 3])), table((1, 2), game([1, 2]))], number=2),
    ]
    rounds = round_records(entries(5), history, "game", bye=HALF, predetermined=False)
    found = Crosstable(rounds)
    assert found.points == [2, Fraction(3, 2), 0, HALF, 0]
    assert found.buchholz(0) == Fraction(3, 4) + Fraction(1, 4)
    assert found.buchholz_cut1(0) == Fraction(3, 4)
    assert found.sonneborn_berger(0) == Fraction(3, 4) + Fraction(1, 4)
    assert found.sonneborn_berger(1) == Fraction(0 * 2 + 1 * 0, 2) + 0


def test_opponent_that_forfeited_at_a_larger_table_counts_as_a_dummy() -> None:
    history = [played([table((0, 1, 2), game([1, 2, 3], forfeits=[2]))])]
    rounds = round_records(entries(3), history, "game", bye=HALF, predetermined=False)
    assert [own[0].kind for own in rounds] == [Kind.PLAYED, Kind.PLAYED, Kind.FORFEIT_LOSS]
    found = Crosstable(rounds)
    assert found.points == [1, HALF, 0]
    assert found.buchholz(0) == (HALF + 1) / 2
    assert found.sonneborn_berger(1) == (HALF + 0) / 2


def test_wins_are_games_or_tables_as_the_points_are() -> None:
    history = [played([table((0, 1), game([1, 2]), game([1, 2], rotation=1))])]
    wins = [
        Crosstable(round_records(entries(2), history, points, bye=HALF, predetermined=False)).wins(0)
        for points in ("game", "table")
    ]
    assert wins == [2, 1]


@pytest.mark.parametrize(
    ("scores", "faults", "difference"),
    [([10, 4], [], 6), ([10, 4, 2], [], 7), ([10, 4], [1], 0), ([10, 4, 2], [2], 6), ([10, 4, 2], [0], 0)],
)
def test_score_difference_leaves_out_scores_after_a_fault(
    scores: list[int], faults: list[int], difference: int
) -> None:
    seats = range(len(scores))
    history = [played([table(seats, game([1 + seat for seat in seats], scores=scores, faults=faults))])]
    rounds = round_records(entries(len(scores)), history, "game", bye=HALF, predetermined=False)
    assert Crosstable(rounds).score_difference(0) == difference


def test_different_numbers_of_tables_are_compared_per_table() -> None:
    """0 has beaten 2 once; 1 has beaten it twice and lost once: more points, but fewer per table."""
    history = [
        played([table((0, 2), game([1, 2]))]),
        played([table((1, 2), game([1, 2]))]),
        played([table((1, 2), game([1, 2]))]),
        played([table((1, 2), game([2, 1]))]),
    ]
    rounds = round_records(entries(3), history, "table", bye=ZERO, predetermined=True)
    assert [row.bot for row in Crosstable(rounds).ranking([])] == [1, 0, 2]
    per_table = Crosstable(rounds, per_table=True)
    assert [row.bot for row in per_table.ranking([])] == [0, 1, 2]
    assert per_table.points == [1, Fraction(2, 3), Fraction(1, 4)]
    assert per_table.wins(1) == Fraction(2, 3)


def test_bots_that_have_played_nothing_share_the_first_place() -> None:
    rounds = round_records(entries(3), [], "game", bye=HALF, predetermined=False)
    names: list[TieBreak] = ["buchholz_cut1", "direct_encounter", "sonneborn_berger"]
    assert [row.place for row in Crosstable(rounds).ranking(names)] == [1, 1, 1]
