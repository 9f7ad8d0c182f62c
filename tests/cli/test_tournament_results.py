"""`referee tournament standings`, `games`, `pairings` and `export`: of a tournament in progress, in all three forms."""

import csv
import io
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import assert_error, assert_usage_error, referee
from tests.game_runner.pebbles import registered_pebbles
from tests.tournaments.event.store.organiser import Organiser, tournament_file

LONG: Final = "a-name-of-sixty-characters-that-goes-on-and-on-to-its-end-"
NAMES: Final = ("steady", f"{LONG}1", f"{LONG}2", "=cmd()", "dice")
SWISS: Final = 'format = "swiss"\ngame = "pebbles"\nname = "Cup"\n[swiss]\nrounds = 3\n'
pytestmark = pytest.mark.usefixtures("pebbles_known")


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of three rounds are over and a game of the third; dice could not be started, and was withdrawn; a game was
    played again."""
    folder = tmp_path_factory.mktemp("results")
    with registered_pebbles():
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


@pytest.mark.slow
def test_standings_as_json_have_the_promised_form(cup: Path) -> None:
    standings = referee("tournament", "standings", cup, "--json").json
    assert (standings["schema"], standings["tournament"], standings["format"]) == (1, "Cup", "swiss")
    assert (standings["round"], standings["rounds"], standings["finished"], standings["games"]) == (2, 3, False, 9)
    assert standings["in_progress"] == {"round": 3, "games": 1, "of": 4}
    assert sorted(row["name"] for row in standings["standings"]) == sorted(NAMES)
    dice = next(row for row in standings["standings"] if row["name"] == "dice")
    assert (dice["withdrawn"], dice["withdrawn_before"], dice["withdrawn_reason"]) == (True, 3, "wished to")
    assert standings["replayed"] == 1


def test_people_are_told_how_far_it_is_and_what_happened(cup: Path) -> None:
    shown = referee("tournament", "standings", cup)
    assert shown.status == 0
    heading, *lines = shown.out.splitlines()
    assert heading.startswith("Cup: Pebbles, Swiss of 5 bots, tables of 2. Standings in round 3 of 3 after 1 of its 4")
    assert {
        "dice was withdrawn before round 3: wished to",
        "1 game was played again; the first results are struck out",
        "Too few deals for intervals of ratings: a bot needs 7",
    } <= set(lines)
    assert "dice forfeited 2 games at 1 table, in round 2: it could not be started" in shown.out
    assert all(name in shown.out for name in NAMES)


def test_csv_can_be_read_back_and_holds_no_formula(cup: Path) -> None:
    for command, column in (("standings", "name"), ("games", "bot_0"), ("pairings", "bot_1")):
        text = referee("tournament", command, cup, "--csv").out
        rows = list(csv.DictReader(io.StringIO(text)))
        assert rows
        assert {row[column] for row in rows} <= {*(name for name in NAMES if name != "=cmd()"), "'=cmd()", ""}
        assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]


def test_the_cross_table_is_for_people_and_spreadsheets(cup: Path) -> None:
    rows = list(csv.reader(io.StringIO(referee("tournament", "standings", cup, "--crosstable", "--csv").out)))
    assert rows[0][:2] == ["place", "name"]
    assert "'=cmd()" in rows[0]
    shown = referee("tournament", "standings", cup, "--crosstable").out
    assert shown.count("×") == len(NAMES)
    assert_error(referee("tournament", "standings", cup, "--crosstable", "--json"), 2, "in `pairs`")


def test_games_and_pairings_are_listed_from_their_first_to_their_last(cup: Path) -> None:
    games = referee("tournament", "games", cup, "--json").json
    assert all((cup / game["record"]).is_file() for game in games)
    lines = referee("tournament", "games", cup).out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(" ")] == [game["game_id"] for game in games]
    assert lines[0] == "Round 1, table 1, deal 1"
    assert len(games) == 10
    rounds = [line for line in referee("tournament", "pairings", cup).out.splitlines() if line.startswith("Round")]
    assert rounds == ["Round 1, deal 1", "Round 2, deal 2", "Round 3, deal 3, being played"]


def test_export_writes_the_rounds_that_are_over(cup: Path, tmp_path: Path) -> None:
    written = referee("tournament", "export", cup, "--trf", tmp_path / "cup.trf")
    assert (written.status, written.out) == (0, f"{tmp_path}/cup.trf is written\n")
    text = (tmp_path / "cup.trf").read_text()
    assert text.count("\n001 ") == 5
    assert "\n### r01-t001-d01-s1 was played again as r01-t001-d01-s1-again1, which counts: late\n" in text


def test_what_is_wrong_is_said_in_a_line(cup: Path, tmp_path: Path) -> None:
    assert_error(referee("tournament", "standings", tmp_path), 2, "is not the folder of a tournament")
    assert_error(referee("tournament", "games", cup, "--json", "--csv"), 2, "give --json or --csv, not both")
    assert_error(referee("tournament", "export", cup, "--trf", tmp_path / "no" / "x"), 1, "can't write")
    assert_usage_error(referee("tournament", "export", cup), "--trf")


def test_the_report_for_fide_can_be_piped(cup: Path, tmp_path: Path) -> None:
    assert referee("tournament", "export", cup, "--trf", tmp_path / "cup.trf").status == 0
    piped = referee("tournament", "export", cup, "--trf", "-", cwd=tmp_path)
    assert (piped.status, piped.out) == (0, (tmp_path / "cup.trf").read_text())
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    "words",
    [
        "withdraw CUP nobody",
        "penalty CUP nobody --points 1 --reason x",
        "disqualify CUP nobody --reason x --dry-run",
        "reinstate CUP nobody",
        "bye CUP nobody --round 3",
        "bye CUP steady --round 9",
        "rule CUP r09-t001-d01-s1 --void --reason x",
        "replay CUP r09-t001-d01-s1 --reason x",
        "games CUP --bot nobody",
        "pairings CUP --round 9",
        "add CUP bots/nobody",
    ],
)
def test_what_the_tournament_does_not_have_is_wrong_usage_with_every_command(cup: Path, words: str) -> None:
    ended = referee("tournament", *(str(cup) if word == "CUP" else word for word in words.split()))
    assert ended.status == 2, ended.err
    assert "unknown" in ended.err or "no " in ended.err


def test_games_and_pairings_are_shown_of_a_round_and_of_a_bot(cup: Path) -> None:
    games = referee("tournament", "games", cup, "--round", "2", "--bot", "steady", "--json").json
    assert len(games) == 2
    assert all(game["round"] == 2 and "steady" in game["bots"] for game in games)
    rounds = referee("tournament", "pairings", cup, "--bot", "steady", "--json").json["rounds"]
    assert [len(row["tables"]) + len(row["byes"]) for row in rounds] == [1, 1, 1]
    for command in ("games", "pairings"):
        unknown = referee("tournament", command, cup, "--bot", "e")
        assert_error(unknown, 2, 'unknown bot "e"; the bots are steady, ')
        for number in ("9", "0"):
            beyond = referee("tournament", command, cup, "--round", number, "--json")
            assert_error(beyond, 2, f"there is no round {number}; the tournament has at most 3")
    nothing = referee("tournament", "games", cup, "--round", "3", "--bot", "dice")
    assert (nothing.status, nothing.out, nothing.err) == (0, "", "")
