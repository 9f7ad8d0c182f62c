"""`referee tournament rule`, `penalty`, `disqualify`, `reinstate`, `bye`, `pause` and `status`, as an organiser gives
them: with a reason, between rounds and after the end; all of it is verified.
"""

import csv
import json
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.tournament.run import ways_on
from referee.games.narrator import format_game_id
from tests.cli.command import Run, assert_error, referee
from tests.tournaments.competition.simulated import Simulation, regulations
from tests.tournaments.competition.test_results import withdrawn
from tests.tournaments.event.store.organiser import Organiser, tournament_file
from tournaments.event.store.load import load

WHY: Final = ("--reason", "the machine failed")
SWISS: Final = 'format = "swiss"\ngame = "pebbles"\nname = "Cup"\n[swiss]\nrounds = 3\n'
GAME: Final = "r01-t001-d01-s1"


@pytest.fixture
def cup(tmp_path: Path, pebbles_known: None) -> Organiser:
    """The first of three rounds is over."""
    organiser = Organiser.begin(tournament_file(tmp_path, SWISS), tmp_path / "cup")
    organiser.play_round()
    return organiser


def tournament(command: str, cup: Organiser, *arguments: str) -> Run:
    return referee("tournament", command, cup.folder.path, *arguments)


def done(run: Run) -> str:
    assert run.status == 0, run.err
    return run.out


def events(cup: Organiser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((cup.folder.path / "manifest.json").read_text())["events"]
    return found


def standings(cup: Organiser) -> dict[str, Any]:
    return {row["name"]: row for row in tournament("standings", cup, "--json").json["standings"]}


@pytest.mark.slow
def test_rulings_are_events_that_standings_and_verify_know(cup: Organiser) -> None:
    given = tournament("rule", cup, GAME, "--void", *WHY)
    assert done(given) == "What was paired stays; this counts from the pairing of round 2 on\n"
    assert given.err == f"{format_game_id(GAME)}, counts for nobody: {WHY[1]}\n"
    done(tournament("rule", cup, "r01-t001-d01-s2", "--ranks", "1,1", *WHY))
    done(tournament("penalty", cup, "a", "--points", "-0.5", *WHY))
    done(tournament("disqualify", cup, "b", *WHY))
    done(tournament("disqualify", cup, "b", "--undo", "--reason", "it was another one"))
    done(tournament("bye", cup, "d", "--round", "3"))
    assert [(event["event"], event["round"]) for event in events(cup)] == [
        ("ruled", 2), ("ruled", 2), ("penalised", 2), ("disqualified", 2), ("undone", 2), ("bye_granted", 2),
    ]  # fmt: skip
    assert events(cup)[-1]["points"] == 0.5
    assert standings(cup)["a"]["adjustment"] == -0.5
    shown = done(tournament("standings", cup))
    assert "penalty" in shown
    assert "Ruling before round 2: b is disqualified; its results stay: the machine failed (undone)" in shown
    listed = done(tournament("games", cup))
    assert "void by a ruling: the machine failed" in listed
    assert "ranks set by a ruling: the machine failed" in listed
    done(tournament("verify", cup))


def test_a_dry_run_shows_the_standings_before_and_after_and_changes_nothing(cup: Organiser) -> None:
    before = (cup.folder.path / "manifest.json").read_bytes()
    shown = done(tournament("penalty", cup, "a", "--points", "+2", "--dry-run", *WHY))
    assert shown.index("Before:") < shown.index("After:") < shown.index("+2") < shown.index("Nothing has been changed")
    assert "\n\nAfter:\n" in shown
    assert shown.endswith("\n\nNothing has been changed (--dry-run)\n")
    assert (cup.folder.path / "manifest.json").read_bytes() == before


@pytest.mark.slow
def test_a_finished_tournament_is_ruled_on_and_its_standings_are_published_again(cup: Organiser) -> None:
    cup.finish_with_standings()
    assert "The final standings in the manifest have been replaced" in done(tournament("disqualify", cup, "a", *WHY))
    manifest = json.loads((cup.folder.path / "manifest.json").read_text())
    assert manifest["standings"]["standings"][-1]["name"] == "a"
    assert len(manifest["standings"]["rulings"]) == 1
    assert "Ruling after the end: a is disqualified" in done(tournament("standings", cup))
    headings, *rows = csv.reader(done(tournament("standings", cup, "--csv")).splitlines())
    assert {row[headings.index("name")] for row in rows if row[headings.index("disqualified")] == "true"} == {"a"}
    done(tournament("verify", cup))
    assert_error(tournament("bye", cup, "b", "--round", "3"), 1, "is finished")
    manifest["standings"]["standings"][-1]["place"] = 1
    (cup.folder.path / "manifest.json").write_text(json.dumps(manifest))
    assert tournament("verify", cup).status == 1


def test_a_withdrawn_bot_is_reinstated(cup: Organiser) -> None:
    cup.withdraw("a")
    assert_error(tournament("reinstate", cup, "b"), 1, "has not been withdrawn")
    done(tournament("reinstate", cup, "a"))
    assert not standings(cup)["a"]["withdrawn"]
    done(tournament("verify", cup))


@pytest.mark.slow
def test_too_few_bots_pause_it_until_one_is_reinstated_or_the_organiser_ends_it(cup: Organiser) -> None:
    for bot in "abc":
        done(tournament("withdraw", cup, bot))
    path = cup.folder.path
    paused = tournament("resume", cup, "--json")
    problem = "round 2 can't be paired: a table needs at least 2 bots; left: 1; withdrawn: a, b, c"
    assert (paused.status, paused.json["finished"]) == (1, False)
    assert f"paused: {problem}" in paused.err
    for command in (f"reinstate {path} a, then resume {path}", f"add {path} BOT, then", f'end {path} --reason "…"'):
        assert f": referee tournament {command}" in paused.err
    found = tournament("status", cup, "--json").json
    assert (found["state"], found["problem"]) == ("paused", problem)
    assert problem in done(tournament("status", cup))
    done(tournament("reinstate", cup, "a"))
    assert "problem" not in tournament("status", cup, "--json").json
    done(tournament("withdraw", cup, "a"))

    done(tournament("penalty", cup, "d", "--points", "-1", *WHY))
    assert_error(tournament("end", cup, "--reason", " "), 2, "a reason")
    assert "its seed and the final standings are in the manifest" in done(tournament("end", cup, "--reason", "no bots"))
    early = "the organiser ended it before round 2: no bots"
    done(tournament("penalty", cup, "c", "--points", "-1", *WHY))
    told = done(tournament("standings", cup))
    assert f"Ended early: {early}" in told
    assert [told.count(when) for when in ("Ruling before round 2: ", "Ruling after the end: ")] == [2, 1]
    assert tournament("standings", cup, "--json").json["ended_early"] == early
    assert early in done(tournament("status", cup))
    assert tournament("resume", cup).status == 0
    assert_error(tournament("reinstate", cup, "a"), 1, "no further round is played")
    done(tournament("verify", cup))


def test_a_command_to_copy_is_one_command_whatever_the_author_of_a_bot_calls_it() -> None:
    name = "x; rm -rf $HOME"
    progress = Simulation(regulations("round_robin", [name, "b"], cycles=2)).progress
    progress.apply(withdrawn(name, 1))
    back, _, end = ways_on(Path("my cup"), progress)
    assert back == f"to continue: referee tournament reinstate 'my cup' '{name}', then resume 'my cup'"
    assert end.startswith("to end it as it is: referee tournament end 'my cup' --reason")


def test_verify_finds_a_ruling_that_was_not_possible(cup: Organiser) -> None:
    """Written by hand, with a chain to match: the rules of rulings are checked too."""
    done(tournament("disqualify", cup, "a", *WHY))
    manifest = json.loads((cup.folder.path / "manifest.json").read_text())
    manifest["events"].append(manifest["events"][0])
    (cup.folder.path / "manifest.json").write_text(json.dumps(manifest))
    assert "event 2: it was not possible" in tournament("verify", cup).out


@pytest.mark.slow
def test_the_next_round_is_paired_by_hand(cup: Organiser, tmp_path: Path) -> None:
    tables = tmp_path / "round2.toml"
    tables.write_text('tables = [["a", "b"], ["d", "c"]]', encoding="utf-8-sig")
    to_set = ("--round", "2", "--set", str(tables), "--reason", "the hall has two rooms")
    assert "Nothing has been changed" in done(tournament("pairings", cup, *to_set, "--dry-run"))
    given = tournament("pairings", cup, *to_set)
    assert "What was paired stays" in done(given)
    assert "round 2 was paired by hand" in given.err
    assert_error(tournament("pairings", cup, *to_set), 1, "has been set already")
    done(tournament("pairings", cup, "--round", "2", "--undo", "--reason", "it has one"))
    done(tournament("pairings", cup, *to_set))
    assert_error(tournament("pairings", cup, "--set", str(tables)), 2, "give --round and --reason")
    tables.write_text("tables = 3")
    assert_error(tournament("pairings", cup, *to_set), 2, "round2.toml: Expected `array`, got `int`")
    again = Organiser(cup.folder, load(cup.folder, repair=True).progress)
    again.play_round()
    (row,) = tournament("pairings", cup, "--round", "2", "--json").json["rounds"]
    assert [table["bots"] for table in row["tables"]] == [["a", "b"], ["d", "c"]]
    done(tournament("verify", cup))


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("rule", GAME, *WHY), 2, "give one of --ranks, --void and --undo"),
        (("rule", GAME, "--ranks", "a", *WHY), 2, "should be numbers"),
        (("rule", GAME, "--ranks", "1,3", *WHY), 2, "equal ones share a rank"),
        (("rule", GAME, "--undo", *WHY), 1, "no such ruling about r01-t001-d01-s1"),
        (("penalty", "a", *WHY), 2, "either --points or --undo"),
        (("rule", GAME, "--ranks", "1", *WHY), 2, "has 2 seats"),
        (("penalty", "a", "--points", "0", *WHY), 2, "points must be below 0"),
        (("penalty", "nobody", "--points", "1", *WHY), 2, "unknown bot"),
        (("pause",), 1, "is not being played"),
    ],
)
def test_what_can_not_be_ruled_is_said(cup: Organiser, arguments: tuple[str, ...], status: int, words: str) -> None:
    command, *rest = arguments
    assert_error(tournament(command, cup, *rest), status, words)
    assert events(cup) == []


@pytest.mark.slow
def test_the_status_is_a_line_or_json(cup: Organiser) -> None:
    assert done(tournament("status", cup)).startswith("interrupted: after round 1 of 3, 4 of 12 games")
    found = tournament("status", cup, "--json").json
    assert list(found) == ["round", "rounds", "games", "of", "games_per_second", "ends", "state"]
    assert (found["round"], found["rounds"], found["games"], found["of"], found["ends"]) == (1, 3, 4, 12, None)
    cup.pair()
    assert tournament("status", cup, "--json").json["in_progress"] == {"round": 2, "games": 0, "of": 4}
    cup.finish_with_standings()
    (cup.folder.path / "hosts").symlink_to("elsewhere")  # so that nobody may write, as to somebody else's folder
    assert tournament("status", cup, "--json").json["state"] == "finished"
