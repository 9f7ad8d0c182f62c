"""`referee season`, as the lecturer of a course uses it."""

import html
import json
import os
import re
import shutil
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bots import BOT, QUICK_START, make_bot
from tests.cli.command import Run, assert_error, referee, start
from tests.cli.inotify import IN_MOVED_TO, FolderEvents, on_linux

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pebbles_known", "short_search")]

SEASON = """name = "Course"
[tournament]
game = "pebbles"
deals = 1
options = { heap = 60 }
[tournament.clock]
move = "30s"
startup = "30s"
[tournament.run]
sandbox = "none"
concurrency = 2
[[tournament.bot]]
builtin = "random"
[[event]]
name = "newcomers"
when = "new"
format = "gauntlet"
[[event]]
name = "ladder"
when = "day"
format = "ladder"
ladder = { budget = 8 }
"""
BROKEN = "import sys\nprint('oh no', file=sys.stderr)\nsys.exit(1)\n"
FAILS_LATER = BOT.replace("for line in", "import os\nif os.path.exists('GONE'):\n    sys.exit('no more')\nfor line in")
"""Can't be started while the file GONE is there."""


def season(folder: Path, *entrants: str, text: str = SEASON) -> Path:
    (folder / "entrants").mkdir(parents=True)
    (folder / "season.toml").write_text(text)
    for name in entrants:
        make_bot(folder / "entrants" / name, f"# {name}\n{BOT}")
    return folder


def play(folder: Path, day: int, status: int = 0, *options: str) -> Run:
    ended = referee("season", "play", folder, "--today", f"2026-11-{day}", *options)
    assert ended.status == status, ended.err
    return ended


def plays(folder: Path) -> dict[str, tuple[int | None, int]]:
    """By entrant the version that plays, and the newest one."""
    rows = referee("season", "standings", folder, "--json").json["entrants"]
    return {row["entrant"]: (row["plays"], row["newest"]) for row in rows}


def events(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "events").iterdir() if path.is_dir())


def manifest(folder: Path, event: str) -> Any:
    return json.loads((folder / "events" / event / "manifest.json").read_text())


def feedback(folder: Path, name: str) -> str:
    """The words of the page for an author."""
    page = (folder / "feedback" / name / "index.html").read_text()
    words = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


@pytest.mark.ci_only
def test_two_nights(tmp_path: Path) -> None:
    folder = season(tmp_path / "course", "alice", "bob")
    make_bot(folder / "entrants" / "carol", BROKEN)
    play(folder, 26)
    assert plays(folder) == {"alice": (1, 1), "bob": (1, 1), "carol": (None, 1)}
    assert events(folder) == ["0001-2026-11-26-newcomers", "0002-2026-11-26-ladder"]
    assert "nothing new is due on 2026-11-26\n" in play(folder, 26).err
    earlier = "nothing new is due on 2026-11-25, which is before the last event, of 2026-11-26\n"
    assert earlier in play(folder, 25).err
    assert len(events(folder)) == 2, "nothing is due twice in a day"

    (folder / "entrants" / "alice" / "bot.py").write_text(BROKEN)
    (folder / "entrants" / "carol" / "bot.py").write_text(f"# carol\n{BOT}")
    shutil.rmtree(folder / "entrants" / "bob")
    play(folder, 27)
    assert plays(folder) == {"alice": (1, 2), "bob": (None, 1), "carol": (2, 2)}
    assert events(folder)[2:] == ["0003-2026-11-27-newcomers", "0004-2026-11-27-ladder"]
    newcomers = manifest(folder, "0003-2026-11-27-newcomers")
    assert newcomers["regulations"]["settings"]["challengers"] == ["carol"]
    assert [bot["name"] for bot in newcomers["bots"]] == ["random", "alice", "carol"]

    verified = referee("tournament", "verify", folder, "--json")
    assert verified.status == 0
    assert [each["differences"] for each in verified.json] == [[]] * 4
    rated = referee("ratings", folder, "--latest", "--json").json
    assert rated == referee("season", "standings", folder, "--json").json["ratings"]
    games = referee("tournament", "games", folder, "--json").json
    assert len(games) == sum(manifest(folder, event)["standings"]["games"] for event in events(folder))
    assert all((folder / game["record"]).is_file() for game in games)
    twins = (folder / "twins.txt").read_text()
    assert "equal files:\n  alice/v2, carol/v1\n" in twins, "both are BROKEN"
    answers = json.loads((folder / "answers.json").read_text())["by_version"]
    assert set(answers) == {"alice/v1", "bob/v1", "carol/v2"}
    assert answers["alice/v1"] == answers["bob/v1"], "of the same program, asked the same questions with the same seed"
    assert len(answers["alice/v1"]) > 20
    alice, carol = feedback(folder, "alice"), feedback(folder, "carol")
    assert "Version 1 plays" in alice
    assert "Version 2 doesn't play: not ready: crash: exited with status 1" in alice
    assert "oh no" in alice
    assert "What to do: its standard error says where it stopped" in alice
    assert not re.search(r"start it yourself|cd '|--limit|\[run\]", alice)
    assert "oh no" not in carol, "she has mended it"
    assert all(row["files_sha256"][:8] in alice for row in rated["ratings"] if row["name"] == "alice")
    assert "Version 2 plays" in carol
    assert "Is it better than your last version? No version before it has played." in carol
    assert {path.suffix for path in (folder / "feedback" / "carol" / "games").iterdir()} == {".html"}
    assert (folder / "site" / "index.html").is_file()
    assert all((folder / "site" / "events" / event / "index.html").is_file() for event in events(folder))

    (folder / "entrants" / "alice" / "bot.py").write_text(f"# alice\n{BOT}")
    play(folder, 28)
    assert plays(folder)["alice"] == (3, 3), "the files are those of version 1, which were checked"
    assert manifest(folder, events(folder)[-1])["bots"][1] == newcomers["bots"][1]


@pytest.mark.ci_only
def test_a_version_that_forfeits_is_set_aside_and_can_be_checked_again(tmp_path: Path) -> None:
    folder = season(tmp_path / "course", "alice", "bob")
    play(folder, 26)
    (folder / "entrants" / "alice" / "bot.py").write_text(FAILS_LATER.replace("GONE", f"{tmp_path}/gone"))
    text = SEASON.replace('when = "new"', 'when = "2026-12-31"')
    (folder / "season.toml").write_text(text.replace('"day"', '"2026-12-31"'))
    play(folder, 27)
    (tmp_path / "gone").touch()
    (folder / "season.toml").write_text(SEASON)
    play(folder, 27)
    assert plays(folder)["alice"] == (1, 2)
    alice = feedback(folder, "alice")
    assert "Is it better than your last version? No, " not in alice
    assert "crash: exited with status 1 before it was ready" in alice
    assert "no more" in next((folder / "feedback" / "alice" / "stderr").iterdir()).read_text()
    rows = referee("season", "standings", folder, "--json").json["entrants"]
    assert "set aside: in 0003-2026-11-27-newcomers it forfeited" in rows[0]["problem"]
    ladder = manifest(folder, "0004-2026-11-27-ladder")
    first = manifest(folder, "0002-2026-11-26-ladder")
    assert ladder["bots"][1]["files_sha256"] == first["bots"][1]["files_sha256"], "the version before plays at once"
    (tmp_path / "gone").unlink()
    play(folder, 27, 0, "--recheck")
    assert plays(folder)["alice"] == (2, 2)


@on_linux
@pytest.mark.ci_only
def test_what_a_kill_leaves_is_played_by_the_next_one(tmp_path: Path) -> None:
    text = SEASON.replace("budget = 8", "budget = 20")
    folder = season(tmp_path / "course", "alice", "bob", "carol", text=text)
    (folder / "events").mkdir()
    with (
        FolderEvents(folder / "events", IN_MOVED_TO) as begun,
        start("season", "play", folder, "--today", "2026-11-26") as process,
    ):
        begun.wait_for(1, "ladder")
        process.send_signal(signal.SIGSTOP)  # it would be over soon
        assert_error(referee("season", "play", folder), 1, f"in use by process {process.pid}")
        process.kill()
    ended = play(folder, 27)
    assert "resuming 0002-2026-11-26-ladder" in ended.err
    assert events(folder)[1:] == ["0002-2026-11-26-ladder", "0003-2026-11-27-ladder"]
    assert referee("tournament", "verify", folder).status == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('move = "30s"', 'move = "soon"', 'season.toml, event "newcomers": move: '),
        ("budget = 8", "budgets = 16", 'season.toml, event "ladder": [ladder] has no key "budgets"'),
        ('name = "Course"', 'name = "Course"\nentrants = "nowhere"', "nowhere: No such file or directory"),
    ],
)
def test_a_mistake_in_the_file_is_named_before_anything_is_played(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    folder = season(tmp_path / "course", "alice", text=SEASON.replace(old, new))
    assert_error(referee("season", "play", folder), 2, words)


def test_other_folders_are_named_with_what_to_type(tmp_path: Path) -> None:
    assert_error(referee("season", "play", tmp_path), 2, "`referee season init` makes one")
    folder = tmp_path / "course"
    assert referee("season", "init", folder).status == 0
    assert "no entrants yet: `referee season play " in referee("season", "standings", folder).out
    assert_error(referee("season", "init", folder), 2, "already exists and is left unchanged")
    assert_error(referee("tournament", "standings", folder), 2, "referee season standings")


@pytest.mark.ci_only
def test_an_event_is_not_played_while_enough_is_known(tmp_path: Path) -> None:
    text = SEASON.replace("{ budget = 8 }", "{ budget = 24 }\nenough = 5000")
    folder = season(tmp_path / "course", "alice", "bob", text=text)
    play(folder, 26)
    ended = play(folder, 27)
    assert "ladder is not played: every rating is known to ± 5000 Elo" in ended.err
    assert len(events(folder)) == 2


def test_nobody_holds_up_the_others_with_versions(tmp_path: Path) -> None:
    folder = season(
        tmp_path / "course",
        *("bob", "random", "stand-in 3", "x" * 61),
        text=SEASON.replace('"new"', '"2026-12-31"').replace('"day"', '"sunday"'),
    )
    (folder / "entrants/gone").symlink_to("nowhere")
    (folder / "entrants/notes.txt").touch()
    (folder / "entrants/empty").mkdir()
    (folder / "entrants/empty/bot.py").write_text(BOT)
    many = folder / "entrants/many"
    many.mkdir()
    for number in range(24):
        with zipfile.ZipFile(many / f"{number:02}.zip", "w") as archive:
            archive.writestr("bot.toml", f'name = "many"\n{QUICK_START}')
            archive.writestr("bot.py", f"# {number}\n{BROKEN if number >= 20 else BOT}")
        os.utime(many / f"{number:02}.zip", (number, number))
    ended = play(folder, 23)
    assert "many: of 24 new versions the newest 20 are taken in, older ones never" in ended.err
    assert "'gone' is not taken in: it is a symbolic link to nowhere, which is not there\n" in ended.err
    assert "'notes.txt' is not taken in: it is not a folder\n" in ended.err
    no_file = 'it has no bot.toml: add one with name = "…" and command = "…"'
    assert f"empty: version 1 is not ready: {no_file}\n" in ended.err
    assert f"Not ready: {no_file}" in feedback(folder, "empty")
    assert "'random' is not taken in: a bot in season.toml has this name" in ended.err
    assert "xx' is not taken in: a name has at most 60 visible characters" in ended.err
    assert plays(folder).pop("stand-in 3") == (1, 1)
    assert plays(folder)["many"] == (None, 20), "three of its versions were checked, and failed"
    assert len(list((folder / "bots/many").iterdir())) == 0, "nothing is kept of them but their files"
    play(folder, 24)
    assert plays(folder)["many"] == (16, 20)
    shutil.rmtree(folder / "bots")
    play(folder, 25)
    assert plays(folder)["many"] == (16, 20)
    assert len(list((folder / "bots/many").iterdir())) == 1, "what plays is built again"
