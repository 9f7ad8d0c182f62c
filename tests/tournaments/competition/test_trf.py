"""TRF: the columns of the specification, what other programs read in it, and what it can't hold.

`golden/tournament.trf`, a Swiss tournament with byes, forfeits, a late entry and a withdrawal, has been accepted by
bbpPairings 6.0.0 (`--dutch FILE -c`, which also finds the same pairings). Check a new one with it if this test finds a
change. py4swiss checks points, results and colours against each other.
"""

from pathlib import Path

import pytest
from caissify_pairings.trf import parse_trf
from msgspec import structs
from py4swiss.trf import ParsedTrf, TrfParser

from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tests.tournaments.competition.test_results import joined, withdrawn
from tests.tournaments.competition.test_rulings import give
from tournaments.competition.changes import ByeGranted, Disqualified, Ended, PairedByHand, Penalised, Ruled
from tournaments.competition.progress import Progress
from tournaments.competition.results import tournament_standings
from tournaments.competition.trf import TrfError, trf, trf_limits

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


def checked(progress: Progress, folder: Path) -> ParsedTrf:
    """A report as py4swiss reads it, which raises an error if something in it contradicts something else."""
    path = folder / "cup.trf"
    path.write_text(trf(progress), encoding="utf-8")
    return TrfParser.parse(path)


def lines(progress: Progress, *codes: str) -> list[str]:
    return [line for line in trf(progress).splitlines() if line.startswith(codes)]


def test_points_besides_results_are_in_lines_of_their_own(tmp_path: Path) -> None:
    cup = Simulation(regulations("swiss", 8, rounds=4), by_chance(3)).rounds(2)
    give(cup, Penalised, bot="b2", points=-0.5)
    give(cup, Penalised, bot="b3", points=10)
    give(cup, ByeGranted, bot="b4", number=3, points=0.5)
    give(cup, ByeGranted, bot="b5", number=4, points=0.2)
    cup.rounds()
    assert lines(cup.progress, "299") == [
        "299          -0.5  002    3", "299          10.0  002    4", "299 Z         0.2  004    6",
    ]  # fmt: skip
    read = checked(cup.progress, tmp_path).player_sections
    beside = {"b2": -5, "b3": 100, "b5": 2}
    for row in tournament_standings(cup.progress, True).standings:
        found = next(player for player in read if player.name == row.name)
        assert found.points_times_ten == round(10 * row.points) - beside.get(row.name, 0)
    assert "points of b2, b3, b5 besides results are in lines 299" in trf_limits(cup.progress)[0]
    give(cup, Penalised, bot="b2", points=-0.25)
    assert "were rounded" in trf_limits(cup.progress)[1]


def test_pairs_that_may_not_meet_and_who_is_absent_in_the_coming_round_are_told(tmp_path: Path) -> None:
    of = structs.replace(regulations("swiss", 8, rounds=4), forbidden=(("b3", "b0"), ("b1", "b2")))
    cup = Simulation(of, by_chance(3)).rounds(2)
    cup.apply(withdrawn("b7", 3))
    give(cup, ByeGranted, bot="b4", number=3, points=0.5)
    assert lines(cup.progress, "240", "260", "XXP", "XXZ") == [
        "260 001 004    1    4", "XXP 1 4", "260 001 004    2    3", "XXP 2 3",
        "240 H 003    5", "240 Z 003    8", "XXZ 5 8",
    ]  # fmt: skip
    read = checked(cup.progress, tmp_path).x_section
    assert (read.zeroed_ids, read.forbidden_pairs) == ({5, 8}, {(1, 4), (2, 3)})
    assert trf_limits(cup.progress) == []
    give(cup, Ended)
    assert lines(cup.progress, "240", "XXZ") == []


def test_what_a_report_can_not_say_is_said_beside_it(tmp_path: Path) -> None:
    cup = Simulation(regulations("swiss", 6, rounds=4), by_chance(3)).rounds(2)
    names = tuple(f"b{bot}" for bot in range(6))
    give(cup, PairedByHand, number=3, tables=(names[:2], names[2:4], names[4:]), byes=())
    cup.rounds(1)
    give(cup, Ruled, game_id="r01-t001-d01-s1", ranks=(1, 1))
    for game in cup.progress.rounds[2].planned.values():
        if game.table == 1:
            give(cup, Ruled, game_id=game.game_id, ranks=None)
    hand, void, changed = trf_limits(cup.progress)
    assert "paired by hand, which a report can't show: round 3" in hand
    assert "all void" in void
    assert "r01-t001-d01-s1 was ruled on or played again before round 4" in changed
    checked(cup.progress, tmp_path)
    assert all(f"### {limit}" in trf(cup.progress) for limit in (hand, void, changed))
    (repeated,) = trf_limits(Simulation(regulations("swiss", 4, rounds=4)).rounds().progress)
    assert repeated.startswith("round 4 repeats a meeting")


@pytest.mark.parametrize("format_", ["swiss", "round_robin", "knockout", "double_elimination", "groups"])
def test_a_checker_accepts_the_report_of_every_format_with_forfeits_and_withdrawals(
    format_: str, tmp_path: Path
) -> None:
    cup = Simulation(regulations(format_, 9, points="table"), by_chance(4))
    cup.forfeiting = {3, 4}
    checked(cup.rounds(1).progress, tmp_path)
    give(cup, Disqualified, bot="b3")
    cup.forfeiting = set()
    checked(cup.rounds(2).progress, tmp_path)


def test_long_names_stay_distinct() -> None:
    long = "x" * 59
    read = parse_trf(trf(Simulation(regulations("swiss", [f"{long}1", f"{long}2"], rounds=1)).rounds().progress))
    assert [player["name"] for player in read["players"]] == ["x" * 31 + "~1", "x" * 31 + "~2"]


def test_a_name_is_never_more_than_one_line() -> None:
    names = ["a\n001 9999 \x1b[31m", "b"]
    lines = trf(Simulation(regulations("swiss", names, rounds=1)).rounds().progress).splitlines()
    assert sum(line.startswith("001") for line in lines) == 2
    assert "\x1b" not in "".join(lines)


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
