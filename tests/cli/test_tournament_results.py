"""`referee tournament standings`, `games`, `pairings` and `export`: of a tournament in progress, in all three forms."""

import csv
import io
import re
from pathlib import Path
from typing import Final

import pytest
from msgspec import structs
from rich.cells import cell_len

from referee.reports.game_list import tables_table
from tests.cli.command import assert_error, assert_usage_error, referee, run_on_terminal
from tests.tournaments.event.store.organiser import Organiser, tournament_file
from tournaments.competition.game_list import pairings
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load

pytestmark = pytest.mark.slow

LONG: Final = "a-name-of-sixty-characters-that-goes-on-and-on-to-its-end-"
NAMES: Final = ("steady", f"{LONG}1", f"{LONG}2", "=cmd()", "dice")
SWISS: Final = 'format = "swiss"\ngame = "year_of_the_dragon"\nname = "Cup"\n[swiss]\nrounds = 3\n'


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of three rounds are over and a game of the third; dice could not be started, and was withdrawn; a game was
    played again."""
    folder = tmp_path_factory.mktemp("results")
    organiser = Organiser.begin(tournament_file(folder, SWISS, NAMES), folder / "cup")
    organiser.play_round()
    organiser.failing = {"dice"}
    organiser.play_round()
    organiser.withdraw("dice")
    organiser.replay("r01-t001-d01-s1")
    organiser.pair()
    assert organiser.progress.current is not None
    organiser.play_game(organiser.progress.current.missing()[0])
    return folder / "cup"


def test_standings_as_json_have_the_promised_form(cup: Path) -> None:
    standings = referee("tournament", "standings", cup, "--json").json
    assert (standings["schema"], standings["tournament"], standings["format"]) == (1, "Cup", "swiss")
    assert (standings["round"], standings["rounds"], standings["finished"], standings["games"]) == (2, 3, False, 9)
    assert standings["in_progress"] == {"round": 3, "games": 1, "of": 4}
    assert sorted(row["name"] for row in standings["standings"]) == sorted(NAMES)
    dice = next(row for row in standings["standings"] if row["name"] == "dice")
    assert (dice["withdrawn"], dice["withdrawn_before"], dice["withdrawn_reason"]) == (True, 3, "wished to")
    assert standings["replayed"] == 1


@pytest.mark.parametrize("columns", [40, 80])
def test_standings_on_a_terminal_show_every_bot_and_column(cup: Path, columns: int) -> None:
    shown = run_on_terminal("tournament", "standings", str(cup), columns=columns)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r\n", "\n").splitlines()
    table = [line for line in lines if line.startswith(("┃", "│"))]
    assert table
    assert max(map(cell_len, table)) <= columns
    for heading in ("bot", "points", "rating", "Buchholz", "tables", "faults", "byes"):
        assert any(heading in line for line in table)
    names = {line.split("│")[2].strip() for line in table if line.startswith("│")}
    assert len(names) == 5
    assert {"steady", "=cmd()", "dice"} <= names
    assert {name[-1] for name in names - {"steady", "=cmd()", "dice"}} == {"1", "2"}


def test_people_are_told_how_far_it_is_and_what_happened(cup: Path) -> None:
    shown = referee("tournament", "standings", cup)
    assert shown.status == 0
    assert "Standings in round 3 of 3 after 1 of its 4 games, 9 games of " in shown.out
    assert "dice was withdrawn before round 3: wished to" in shown.out
    assert "dice forfeited 2 games at 1 table, in round 2: it could not be started" in shown.out
    assert "1 game was played again; the first results are struck out" in shown.out
    assert "Too few deals for intervals of ratings: a bot needs 7" in shown.out
    assert all(name in shown.out for name in NAMES)


def test_csv_can_be_read_back_and_holds_no_formula(cup: Path) -> None:
    for command, column in (("standings", "name"), ("games", "bot_0"), ("pairings", "bot_1")):
        text = referee("tournament", command, cup, "--csv").out
        rows = list(csv.DictReader(io.StringIO(text)))
        assert rows
        assert {row[column] for row in rows} <= {*(name for name in NAMES if name != "=cmd()"), "'=cmd()", ""}
        assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]
    assert '"\'=cmd()"' in text


def test_games_are_listed_with_scores_and_what_is_struck_out(cup: Path) -> None:
    games = referee("tournament", "games", cup, "--json").json
    assert [game["game_id"] for game in games if game["replayed"] == "r01-t001-d01-s1-again1"] == ["r01-t001-d01-s1"]
    assert all((cup / game["record"]).is_file() for game in games)
    lines = referee("tournament", "games", cup).out.splitlines()
    assert len(lines) == len(games) == 10
    assert lines[-1].endswith("struck out, played again as r01-t001-d01-s1-again1: late")
    shown = run_on_terminal("tournament", "games", str(cup), columns=80).replace("\r\n", "\n").splitlines()
    assert max(map(cell_len, shown)) <= 80
    assert any(f"{LONG}1" in line for line in shown)


def test_pairings_tell_rounds_tables_and_byes(cup: Path) -> None:
    lines = referee("tournament", "pairings", cup).out.splitlines()
    assert [line for line in lines if line.startswith("Round")] == [
        "Round 1, deal 1",
        "Round 2, deal 2",
        "Round 3, deal 3, being played",
    ]
    assert sum(line.startswith("  bye  ") for line in lines) == 2
    assert sum("(0 of 2 games)" in line for line in lines) == 1


def test_export_writes_the_rounds_that_are_over(cup: Path, tmp_path: Path) -> None:
    written = referee("tournament", "export", cup, "--trf", tmp_path / "cup.trf")
    assert (written.status, written.out) == (0, f"{tmp_path}/cup.trf is written\n")
    assert (tmp_path / "cup.trf").read_text().count("\n001 ") == 5
    assert (
        "\n### r01-t001-d01-s1 was played again as r01-t001-d01-s1-again1, which counts: late\n"
        in (tmp_path / "cup.trf").read_text()
    )


def test_the_cross_table_has_the_points_of_each_pair(cup: Path) -> None:
    found = referee("tournament", "standings", cup, "--json").json
    order = [row["name"] for row in found["standings"]]
    rows = list(csv.reader(io.StringIO(referee("tournament", "standings", cup, "--crosstable", "--csv").out)))
    assert rows[0][:2] == ["place", "name"]
    for pair in found["pairs"]:
        a, b = order.index(pair["a"]), order.index(pair["b"])
        assert (float(rows[a + 1][b + 2]), float(rows[b + 1][a + 2])) == (pair["a_points"], pair["b_points"])
    shown = referee("tournament", "standings", cup, "--crosstable").out
    assert all(shown.count("×") == len(order) and name in shown for name in order)
    assert_error(referee("tournament", "standings", cup, "--crosstable", "--json"), 2, "in `pairs`")


def test_a_knockout_names_its_stages_and_shows_no_points_beside_places(tmp_path: Path) -> None:
    file = 'format = "knockout"\ngame = "year_of_the_dragon"\nseed = "x"\n'
    organiser = Organiser.begin(tournament_file(tmp_path, file), tmp_path / "cup")
    while not organiser.progress.additions.eliminated:
        organiser.play_round()
    shown = referee("tournament", "standings", tmp_path / "cup").out
    assert re.search(r"Standings after semi-final(, play-off \d of 5)? \(round \d\)", shown)
    assert "┃ points ┃" not in shown
    assert shown.count(" semi-final │") >= 1
    assert referee("tournament", "pairings", tmp_path / "cup").out.startswith("Semi-final (round 1), deal 1")
    assert referee("tournament", "status", tmp_path / "cup", "--json").json["name"].startswith("semi-final")
    organiser.play_rounds()
    organiser.finish_with_standings()
    shown = referee("tournament", "standings", tmp_path / "cup").out
    names = [organiser.progress.round_name(begun.round.number) or "" for begun in organiser.progress.begun]
    offs = sum("play-off" in name for name in names)
    assert offs > 0
    assert f"Final standings after {len(names) - offs} rounds and {offs} play-off" in shown


def test_what_is_wrong_is_said_in_a_line(cup: Path, tmp_path: Path) -> None:
    assert_error(referee("tournament", "standings", tmp_path), 2, "is not the folder of a tournament")
    assert_error(referee("tournament", "games", cup, "--json", "--csv"), 2, "give --json or --csv, not both")
    assert_error(referee("tournament", "export", cup, "--trf", tmp_path / "no" / "x"), 1, "can't write")
    assert_usage_error(referee("tournament", "export", cup), "--trf")


@pytest.mark.parametrize("command", ["games", "pairings"])
def test_a_round_that_has_not_begun_is_said(cup: Path, command: str) -> None:
    shown = referee("tournament", command, cup, "--round", "9")
    assert (shown.status, shown.out) == (0, "")
    assert shown.err == "round 9 has not begun; 3 rounds have\n"


def test_a_bot_that_is_absent_at_its_request_is_in_the_csv_of_pairings(cup: Path) -> None:
    found = pairings(load(TournamentFolder.open(cup), repair=False).progress)
    table = tables_table([structs.replace(found.rounds[0], absent=("dice",))], found.seats)
    columns = {column.key: column.values for column in table.columns}
    assert [bot for kind, bot in zip(columns["table"], columns["bot_0"], strict=True) if kind == "absent"] == ["dice"]


def test_a_bot_without_a_game_in_a_round_that_has_begun_says_nothing_of_the_round(cup: Path) -> None:
    shown = referee("tournament", "games", cup, "--round", "3", "--bot", "dice")
    assert (shown.status, shown.out, shown.err) == (0, "", "")
