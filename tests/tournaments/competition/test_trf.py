"""TRF: the columns of the specification, what other programs read in it, and what it can't hold.

`golden/tournament.trf`, a Swiss tournament with byes, forfeits, a late entry and a withdrawal, has been accepted by
bbpPairings 6.0.0 (`--dutch FILE -c`, which also finds the same pairings) and by the parser of py4swiss 0.3.1, which
checks points, results and colours against each other. Check a new one with them if this test finds a change.
"""

from pathlib import Path

import pytest
from caissify_pairings.trf import parse_trf
from msgspec import structs

from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tests.tournaments.competition.test_results import joined, withdrawn
from tournaments.competition.results import tournament_standings
from tournaments.competition.trf import TrfError, trf

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament.trf"


def disturbed() -> Simulation:
    """A Swiss in which all that is out of the ordinary happens."""
    simulation = Simulation(regulations("swiss", 9, rounds=5), by_chance(3))
    simulation.rounds(1)
    simulation.forfeiting = {7}
    simulation.rounds(1)
    simulation.forfeiting = set()
    simulation.apply(withdrawn("b7", 3), joined("late", 3))
    return simulation.rounds()


def test_the_report_is_the_one_that_other_programs_have_accepted() -> None:
    assert trf(disturbed().progress) == GOLDEN.read_text()


def test_earlier_ratings_are_those_of_the_players() -> None:
    of = regulations("swiss", 4, rounds=2)
    for ratings, shown in (((12.4, -80.0, 3.0), [1512, 1420, 1503, 0]), ((2012.0, 1800.0, 90.0), [2012, 1800, 90, 0])):
        rated = [structs.replace(bot, rating=rating) for bot, rating in zip(of.bots, ratings, strict=False)]
        played = Simulation(structs.replace(of, bots=(*rated, of.bots[3])), by_chance(3)).rounds()
        report = trf(played.progress)
        assert [int(line[48:52].strip() or 0) for line in report.splitlines() if line.startswith("001")] == shown
        assert ("### 1500 was added to all ratings" in report) == (min(ratings) < 0)


def test_another_program_reads_the_same_tournament() -> None:
    simulation = disturbed()
    read = parse_trf(trf(simulation.progress))
    assert (read["tournament"]["name"], read["tournament"]["total_rounds"]) == ("Cup", 5)
    rows = {row.name: row for row in tournament_standings(simulation.progress, True).standings}
    assert [player["name"] for player in read["players"]] == [*(f"b{bot}" for bot in range(9)), "late"]
    for player in read["players"]:
        assert player["score"] == rows[player["name"]].points
    for number, played in enumerate(simulation.progress.history, 1):
        by_number = {player["starting_number"]: player["results"][number] for player in read["players"]}
        for table in played.round.tables:
            white, black = (bot + 1 for bot in table.bots)
            assert (by_number[white]["opponent"], by_number[white]["color"]) == (black, "w")
            assert (by_number[black]["opponent"], by_number[black]["color"]) == (white, "b")
        for bot in played.round.byes:
            assert by_number[bot + 1]["result"] == "U"
    results = {player["name"]: [one["result"] for one in player["results"].values()] for player in read["players"]}
    assert results["b7"][1:] == ["-", "Z", "Z", "Z"]
    assert results["late"][:2] == ["Z", "Z"]
    assert sum(one == "+" for each in results.values() for one in each) == 1


def test_every_field_stands_in_its_columns() -> None:
    lines = trf(disturbed().progress).splitlines()
    players = [line for line in lines if line.startswith("001")]
    for number, line in enumerate(players, 1):
        assert len(line) == 89 + 5 * 10
        assert int(line[4:8]) == number
        assert line[14:47].strip()
        assert line[47:80].strip() == ""
        assert float(line[80:84]) >= 0
        assert 1 <= int(line[85:89]) <= len(players)
        for start in range(89, len(line), 10):
            assert line[start : start + 2] == "  "
            assert line[start + 6] == line[start + 8] == " "
            assert line[start + 7] in "wb-"
            assert line[start + 9] in "1=0+-UZ"
    assert [line for line in lines if not line.startswith("001")][5:] == [
        "142 5", "162  W 1.0    D 0.5    L 0.0    Z 0.0    P 0.5", "XXR 5", "XXS PAB=0.5", *lines[-3:],
    ]  # fmt: skip


def test_long_names_stay_distinct() -> None:
    long = "x" * 59
    read = parse_trf(trf(Simulation(regulations("swiss", [f"{long}1", f"{long}2"], rounds=1)).rounds().progress))
    assert [player["name"] for player in read["players"]] == ["x" * 31 + "~1", "x" * 31 + "~2"]


def test_a_bye_that_is_worth_nothing_is_declared_so() -> None:
    report = trf(Simulation(regulations("round_robin", 3, points="table")).rounds().progress)
    assert "P 0.0" in report
    assert "XXS PAB=0.0" in report
    assert report.count("0000 - Z") == 3


def test_only_rounds_that_are_over_are_reported() -> None:
    simulation = Simulation(regulations("swiss", 4, rounds=3)).rounds(1)
    before = trf(simulation.progress)
    simulation.begin()
    simulation.add(1)
    assert trf(simulation.progress) == before


@pytest.mark.parametrize(
    ("simulation", "words"),
    [
        (Simulation(regulations("swiss", 6, seats=3, rounds=2)).rounds(), "a report has games of two"),
        (Simulation(regulations("round_robin", 4)).rounds(), 'it needs points = "table"'),
        (Simulation(regulations("swiss", 4, rounds=2)), "no round is over yet"),
        (
            Simulation(regulations("gauntlet", 4, challengers=["b0"], points="table")).rounds(),
            "b0 sits at several tables of round 1",
        ),
    ],
)
def test_what_a_report_can_not_hold_is_said(simulation: Simulation, words: str) -> None:
    with pytest.raises(TrfError, match=words):
        trf(simulation.progress)
