"""`referee ratings`: several events in one fit, and versions of a bot."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ratings")]  # the events are played once

CUP = """format = "round_robin"
game = "forbidden_city"
deals = 2
seed = "{}"
[clock]
move = "30s"
startup = "30s"
[run]
sandbox = "none"
[[bot]]
builtin = "random"
[[bot]]
builtin = "first"
[[bot]]
path = "bot"
name = "mine"
"""


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tournaments and a match; the bot has changed after the first tournament."""
    folder = tmp_path_factory.mktemp("events")
    make_bot(folder / "bot")
    for name in ("spring", "autumn"):
        (folder / f"{name}.toml").write_text(CUP.format(name))
        ended = referee("tournament", "run", f"{name}.toml", cwd=folder)
        assert ended.status == 0, ended.err
        (folder / "bot" / "bot.py").write_text(BOT + "# better now\n")
    options = ("--game", "forbidden_city", "--games", "4", "--record", "match", "--sandbox", "none")
    ended = referee("match", "mine=bot", "builtin:random", *options, "--move-time", "30s", cwd=folder)
    assert ended.status == 0, ended.err
    return folder


@pytest.mark.ci_only
def test_one_event_has_the_ratings_of_its_standings(events: Path) -> None:
    rated = {row["name"]: row for row in referee("ratings", "spring", "--json", cwd=events).json["ratings"]}
    for row in referee("tournament", "standings", "spring", "--json", cwd=events).json["standings"]:
        assert rated[row["name"]]["rating"] == row["rating"]


def test_records_of_a_tournament_are_not_rated_beside_it(events: Path) -> None:
    """They would count twice, and also where they are struck out."""
    assert_error(referee("ratings", "spring", "spring/records", cwd=events), 2, "give that one")


def test_versions_of_a_bot_are_told_apart_or_joined(events: Path) -> None:
    found = referee("ratings", "spring", "autumn", "match", "spring", "--json", cwd=events).json
    mine = [row for row in found["ratings"] if row["name"] == "mine"]
    hashes = [
        json.loads((events / name / "manifest.json").read_text())["bots"][2]["files_sha256"]
        for name in ("spring", "autumn")
    ]
    assert {row["files_sha256"]: (row["events"], row["games"]) for row in mine} == {
        hashes[0]: (1, 8),
        hashes[1]: (2, 16),
    }, "the match records the hash of the tournament, and no folder counts twice"
    assert found["games"] == 12 + 12 + 8
    joined = referee("ratings", "spring", "autumn", "match", "--join", "--json", cwd=events).json
    assert [(row["versions"], row["games"]) for row in joined["ratings"] if row["name"] == "mine"] == [(2, 24)]
    latest = referee("ratings", "spring", "autumn", "match", "--latest", "--json", cwd=events).json
    assert [row["files_sha256"] for row in latest["ratings"] if row["name"] == "mine"] == [hashes[1]]
    assert latest["games"] == found["games"]
    assert_error(referee("ratings", "spring", "--latest", "--join", cwd=events), 2, "give --join or --latest, not both")
    shown = referee("ratings", "spring", "autumn", "match", cwd=events).out
    assert all(digest[:8] in shown for digest in hashes)
    assert referee("ratings", "spring", "match", "--csv", cwd=events).out.count('"mine"') == 2


def test_records_of_strangers_neither_hang_the_fit_nor_end_in_a_traceback(tmp_path: Path) -> None:
    options = ["--game", "forbidden_city", "--games", "1", "--record", str(tmp_path)]
    assert referee("match", "builtin:first", "builtin:random", *options).status == 0
    record, *others = sorted(tmp_path.glob("*.jsonl"))
    for other in others:
        other.unlink()
    first, *lines, last = map(json.loads, record.read_text().splitlines())

    def rate(players: int, ranks: int) -> Run:
        changed = {**first, "players": [{"name": f"p{n}"} for n in range(players)]}
        result = {**last, "ranks": [1] * ranks, "scores": [0] * ranks, "faults": [None] * ranks}
        record.write_text("".join(json.dumps(line) + "\n" for line in (changed, *lines, result)))
        return referee("ratings", tmp_path)

    assert rate(2, 2).status == 0
    for players, ranks in ((2, 1), (1, 2), (30, 30)):
        assert_error(rate(players, ranks), 2, "no record of a finished game")
    assert_error(rate(1, 1), 2, "no game there can be rated")


def test_what_can_not_be_rated_is_said(events: Path, tmp_path: Path) -> None:
    assert_error(referee("ratings", tmp_path), 2, "contains no game records")
    assert_error(referee("ratings", "spring", "--report", "page.txt", cwd=events), 2, "has to end with .html")
    shutil.copytree(events / "spring", tmp_path / "backup")
    assert_error(referee("ratings", "spring", tmp_path / "backup", cwd=events), 2, "are copies of one tournament")


def test_several_games_give_one_ranking_and_a_page(events: Path, tmp_path: Path) -> None:
    dragon = ("--game", "year_of_the_dragon", "--games", "4", "--record", tmp_path / "dragon")
    assert referee("match", "builtin:first", "builtin:random", *dragon).status == 0
    folders = ("spring", "autumn", str(tmp_path / "dragon"))
    found = referee("ratings", *folders, "--json", cwd=events).json
    assert [(game["game"], game["events"]) for game in found["games"]] == [
        ("forbidden_city", ["spring", "autumn"]),
        ("year_of_the_dragon", [str(tmp_path / "dragon")]),
    ]
    rows = {row["name"]: row for row in found["ratings"]}
    assert {name: [elo is not None for elo in row["in_games"]] for name, row in rows.items()} == {
        "first": [True, True],
        "random": [True, True],
        "mine": [True, False],
    }
    newest = [row["rating"]["elo"] for row in found["games"][0]["ratings"] if row["name"] == "mine"]
    assert rows["mine"]["in_games"][0] in newest
    assert rows["first"]["rating"]["low"] is None, "four deals of a game are too few"
    for record in [*(events / "match").glob("*.jsonl*"), *(tmp_path / "dragon").glob("*.jsonl*")]:
        (tmp_path / "both").mkdir(exist_ok=True)
        shutil.copy(record, tmp_path / "both" / f"{record.parent.name}-{record.name}")
    both = referee("ratings", tmp_path / "both", "--json").json
    assert {game["game"]: game["games"] for game in both["games"]} == {"forbidden_city": 8, "year_of_the_dragon": 8}
    page = tmp_path / "ratings.html"
    shown = referee("ratings", *folders, "--report", page, cwd=events)
    assert (shown.status, shown.err) == (0, f"report: {page}\n")
    assert "Ranking over 2 games, each with the same weight: forbidden_city, year_of_the_dragon" in shown.out
    assert "1 of 2" in shown.out
    assert "A bot counts in each game with its newest version there" in shown.out
    html = page.read_text()
    assert html.count("<table") == 3
    assert "3 events: spring, autumn, dragon" in html
    assert html.count("<svg") >= 3
    assert 'href="#bot' not in html, "there are no pages of bots"
    assert referee("ratings", *folders, "--csv", cwd=events).out.startswith(
        "place,name,elo,low,high,better_than_next,games,deals,forbidden_city,year_of_the_dragon"
    )
