"""`referee tournament report` and `referee match --report`: what is in a report, what is not, and where it goes."""

import base64
import gzip
import json
import re
import shutil
import sqlite3
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from referee.live.games import LivePage
from referee.reports.bracket import bracket_section
from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, referee
from tests.cli.on_pty import run_on_terminal
from tests.game_runner.pebbles import registered_pebbles
from tests.tournaments.competition.simulated import Simulation, regulations
from tests.tournaments.event.store.organiser import Organiser, tournament_file
from tournaments.competition.changes import Penalised, Withdrawn
from tournaments.event.store.database import Database
from tournaments.event.store.details import details_of

pytest.importorskip("jinja2", reason="the packages of the extra report are not installed")
pytestmark = pytest.mark.usefixtures("pebbles_known")

CUP: Final = """
format = "round_robin"
game = "pebbles"
name = "Cup <script>alert(1)</script>"
seed = "a-seed-that-is-secret"
[options]
heap = 60
[round_robin]
rounds = 1
[run]
sandbox = "none"
on_round = "true --token=SECRET-TOKEN"
env = { KEY = "SECRET-VALUE" }
[[bot]]
builtin = "first"
name = "first <i>&amp;"
[[bot]]
builtin = "random"
"""


class Links(HTMLParser):
    """The addresses and the ids in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.to: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("href", "src"):
                self.to.append(value or "")
            if name == "id":
                self.ids.append(value or "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of one round that is over: two games, in one of which a bot has written to standard error."""
    path = tmp_path_factory.mktemp("tournament")
    (path / "cup.toml").write_text(CUP, encoding="utf-8")
    with registered_pebbles():
        assert referee("tournament", "run", path / "cup.toml", "--out", path / "cup").status == 0
    (path / "cup" / "stderr" / "r01-t001-d01-s1.seat0.stderr").write_text("only for its author")
    return path / "cup"


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    """Its report as a folder, with all games."""
    path = folder.parent / "site"
    with registered_pebbles():
        made = referee("tournament", "report", folder, "-o", path)
    assert (made.status, made.out.strip()) == (0, str(path / "index.html")), made.err
    return path


def report(folder: str | Path, *options: str | Path) -> Run:
    """Write a report."""
    made = referee("tournament", "report", folder, *options)
    assert made.status == 0, made.err
    return made


def all_files(path: Path) -> dict[str, bytes]:
    """By name the files below a folder."""
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def pages(path: Path) -> Iterator[tuple[Path, Links]]:
    """All pages below a folder."""
    for file in sorted(path.rglob("*.html")):
        yield file, Links(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_games_name_the_machine_of_a_cluster_that_played_them(folder: Path, site: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "cup")
    (tmp_path / "cup" / "hosts").write_text("r01-t001-d01-s1\tsix <&\nr01-t001-d01-s1\tseven <b>\n", encoding="utf-8")
    report(tmp_path / "cup", "-o", tmp_path / "site")
    assert "machine</th>" not in (site / "index.html").read_text()
    for page in (tmp_path / "site" / "index.html", *(tmp_path / "site" / "bots").glob("*.html")):
        html = page.read_text()
        assert (html.count("seven &lt;b&gt;"), html.count("six"), html.count("machine</th>")) == (1, 0, 1)


@pytest.mark.slow
def test_every_link_leads_somewhere_and_every_game_and_bot_has_a_page(site: Path) -> None:
    ids = {file: set(page.ids) for file, page in pages(site)}
    for file, page in pages(site):
        for to in page.to:
            name, _, place = to.partition("#")
            target = (file.parent / name).resolve() if name else file
            assert target.is_file(), (file, to)
            if place and "replays" not in to:
                assert place in ids[target], (file, to)
    assert len(list((site / "replays").glob("*.html"))) == 2
    assert len(list((site / "bots").glob("*.html"))) == 2
    assert "script" in [tag for _, page in pages(site / "replays") for tag in page.tags]
    for replay in (site / "replays").glob("*.html"):
        assert "../assets/page.js" in Links(replay.read_text()).to, "games share one script"
        assert replay.stat().st_size < 300_000


@pytest.mark.slow
def test_the_same_folder_gives_the_same_report(folder: Path, site: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "cup")
    report(tmp_path / "cup", "-o", tmp_path / "site")
    assert all_files(tmp_path / "site") == all_files(site)


def test_all_sections_are_there_and_text_of_others_stays_text(site: Path) -> None:
    html = (site / "index.html").read_text(encoding="utf-8")
    sections = ["standings", "cross", "scores", "seats", "games", "conditions", "verify"]
    assert not {"faults", "events"} & set(Links(html).ids), "there were none"
    assert [key for key in Links(html).ids if key in sections] == sections
    assert "Cup &lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "first &lt;i&gt;&amp;amp;" in html
    assert "<i>" not in html
    assert "alert(1)</script>" not in html


def test_what_may_be_secret_is_not_shown(folder: Path, site: Path) -> None:
    every = b"".join(all_files(site).values()).decode(errors="replace")
    assert "SECRET" not in every
    assert "a-seed-that-is-secret" in every, "it is published at the end"
    assert json.loads((folder / "manifest.json").read_text())["head"] in every
    assert "data-refresh" not in (site / "index.html").read_text()
    assert "connect-src" not in every
    assert "only for its author" not in "".join(text for _, text in contents(site)), "unless --replays all asks for it"


@pytest.mark.parametrize(
    "changed",
    ["run = 3", "bot = 4", 'bot = ["x"]', '[run]\nenv = "SECRET"', "[[bot]]\nenv = 5", '[bot]\nenv = { A = "SECRET" }'],
)
def test_a_tournament_file_that_was_changed_since_shows_nothing_secret(
    changed: str, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "cup")
    (tmp_path / "cup" / "tournament.toml").write_text(changed)
    report(tmp_path / "cup", "-o", tmp_path / "cup.html", "--replays", "none")
    assert "SECRET" not in (tmp_path / "cup.html").read_text()


@pytest.mark.parametrize("time", ["yesterday", "2026-01-01T00:00:00", "9999-12-31T23:59:59-23:00"])
def test_a_manifest_with_a_time_that_is_none_is_refused(time: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "cup")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sessions"][0]["started"] = time
    (tmp_path / "cup" / "manifest.json").write_text(json.dumps(manifest))
    for command in (("report", "-o", "cup.html"), ("status",)):
        shown = referee("tournament", command[0], "cup", *command[1:], cwd=tmp_path)
        assert shown.status == 1
        assert f'"{time}" is not a time with a time zone' in " ".join(shown.err.split())


@pytest.mark.slow
def test_one_file_needs_nothing_else_and_has_as_many_games_as_fit(
    folder: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = (site / "replays" / "r01-t001-d01-s1.html").read_text(encoding="utf-8")
    data = drawn.partition('id="document">')[2].partition("<")[0]
    monkeypatch.setattr("referee.reports.write.MAX_REPLAYS", len(data))
    file = tmp_path / "cup.html"
    made = report(folder, "-o", file)
    assert "the file has 1 of the 2 games to look at; a folder has them all" in made.err
    page = Links(file.read_text(encoding="utf-8"))
    assert [to for to in page.to if not to.startswith("#")] == []
    assert {to[1:] for to in page.to} <= set(page.ids)
    assert [key for key in page.ids if key.startswith("replay-r")] == ["replay-r01-t001-d01-s1"]
    assert data in file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_later_report_draws_only_what_is_new_and_removes_what_is_no_longer_shown(
    folder: Path, site: Path, tmp_path: Path
) -> None:
    shutil.copytree(site, tmp_path / "site")
    drawn = sorted((tmp_path / "site" / "replays").iterdir())
    drawn[0].write_text("as it was")
    drawn[1].unlink()
    report(folder, "-o", tmp_path / "site")
    assert drawn[0].read_text() == "as it was"
    assert drawn[1].read_bytes() == (site / "replays" / drawn[1].name).read_bytes()
    report(folder, "-o", tmp_path / "site", "--replays", "none")
    assert [file for file in drawn if file.exists()] == []
    assert "replays/" not in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.slow
def test_a_terminal_shows_how_many_games_are_drawn_and_how_long_the_others_take(folder: Path, tmp_path: Path) -> None:
    shown = run_on_terminal("tournament", "report", folder, "-o", tmp_path / "site", status=0, TERM="xterm")
    assert re.search(r"2/2 games drawn \S+ \S+ [\d.]+/s", re.sub(r"\x1b\[[\d;?]*\w", "", shown)), shown
    again = run_on_terminal("tournament", "report", folder, "-o", tmp_path / "site", status=0, TERM="xterm")
    assert "games drawn" not in again, "they were drawn already"


def test_a_folder_with_something_else_in_it_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    made = referee("tournament", "report", folder, "-o", tmp_path)
    assert made.status == 1
    assert f"{tmp_path} is not empty and not a report; choose another folder with -o" in made.err
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    made = referee("tournament", "report", folder, "-o", tmp_path / "notes.txt")
    assert made.status == 1
    assert "is a file; give a folder, or a name that ends with .html" in made.err


@pytest.mark.parametrize("name", ["bots", "replays", "assets"])
def test_nothing_is_written_or_removed_through_a_link(folder: Path, tmp_path: Path, name: str) -> None:
    site, target = tmp_path / "cup-report", tmp_path / "target"
    shutil.copytree(folder, tmp_path / "cup")
    target.mkdir()
    for file in ("1-mine.html", "r01-t001-d01-s1.html", "notes.html"):
        (target / file).write_text("mine")
    report(folder, "-o", site, "--replays", "none")
    shutil.rmtree(site / name, ignore_errors=True)
    (site / name).symlink_to(target)
    state = json.loads((site / "report.json").read_text())
    (site / "report.json").write_text(json.dumps(state | {"games": {"r01-t001-d01-s1": {"shown": "", "slowest": {}}}}))
    made = referee("tournament", "report", tmp_path / "cup", "--replays", "public")
    assert made.status == 1
    assert f"can't write to {site / name}: it is a link" in made.err
    assert sorted((file.name, file.read_text()) for file in target.iterdir()) == [
        ("1-mine.html", "mine"),
        ("notes.html", "mine"),
        ("r01-t001-d01-s1.html", "mine"),
    ]
    (site / name).unlink()
    (site / "bots").mkdir(exist_ok=True)
    for file in ("99-gone.html", "notes.html"):
        (site / "bots" / file).touch()
    report(tmp_path / "cup", "--replays", "none")
    kept = {file.name for file in (site / "bots").iterdir()}
    assert "notes.html" in kept
    assert "99-gone.html" not in kept
    site.rename(tmp_path / "elsewhere")
    site.symlink_to(tmp_path / "elsewhere")
    assert f"{site} is a link" in referee("tournament", "report", tmp_path / "cup").err


def test_it_is_written_beside_the_folder_by_default_and_opened(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    shutil.copytree(folder, tmp_path / "cup")
    made = referee("tournament", "report", "cup", "--replays", "none", "--open", cwd=tmp_path)
    assert (made.status, made.out.strip()) == (0, "cup-report/index.html")
    assert opened == [(tmp_path / "cup-report" / "index.html").as_uri()]
    assert "no browser could be started here: open" in made.err


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_without_a_tournament_nothing_is_written(path: str, tmp_path: Path) -> None:
    made = referee("tournament", "report", path, "-o", "site", cwd=tmp_path)
    assert made.status == 2
    assert not (tmp_path / "site").exists()


# -- while it is played ---------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Organiser:
    """A tournament whose first round is over, and whose second has begun."""
    text = 'format = "round_robin"\ngame = "pebbles"\nname = "Cup"\nseed = "still-secret"\n'
    organiser = Organiser.begin(tournament_file(tmp_path, text, "abc"), tmp_path / "cup", "still-secret")
    organiser.pair()
    organiser.play_round()
    organiser.pair()
    assert organiser.progress.current is not None
    organiser.play_game(organiser.progress.current.missing()[0])
    return organiser


@pytest.mark.slow
def test_before_the_end_there_are_no_games_or_public_ones_of_rounds_that_are_over(
    running: Organiser, tmp_path: Path
) -> None:
    folder = running.folder.path
    refused = referee("tournament", "report", folder, "-o", tmp_path / "site", "--replays", "all")
    assert refused.status == 1
    assert "--replays public or none" in refused.err
    assert not (tmp_path / "site").exists()
    report(folder, "-o", tmp_path / "site")
    assert not (tmp_path / "site" / "replays").exists()
    index = (tmp_path / "site" / "index.html").read_text()
    assert "Interrupted: in round 2 of 3 after 1 of its 2 games, 3 games of " in index
    assert "still-secret" not in index
    assert "secret until the end" in index
    assert "Round 2, being played" in index
    assert re.search(r"<td>\w [\d.]+ · \w [\d.]+</td>\s*<td class=\"n\">1 of 2</td>", index)
    assert 'data-refresh="20"' in index
    assert "connect-src" in index
    assert running.progress.current is not None
    report(folder, "-o", tmp_path / "site", "--replays", "public")
    drawn = {file.stem for file in (tmp_path / "site" / "replays").iterdir()}
    assert drawn == {game.game_id for game in running.progress.games() if game.round == 1}
    running.play_game(running.progress.current.missing()[0])
    running.close()
    running.replay("r01-t001-d01-s1")
    report(folder, "-o", tmp_path / "site", "--replays", "public")
    note = '"note":"struck out, played again: late"'
    assert [file.stem for file, text in contents(tmp_path / "site" / "replays") if note in text] == ["r01-t001-d01-s1"]


def test_before_the_first_round_there_is_a_report_too(tmp_path: Path) -> None:
    text = 'format = "knockout"\ngame = "year_of_the_dragon"\n'
    organiser = Organiser.begin(tournament_file(tmp_path, text, "abc"), tmp_path / "cup")
    report(organiser.folder.path, "-o", tmp_path / "cup.html")
    assert "before the first round" in (tmp_path / "cup.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("knockout", ["Bracket"]),
        ("double_elimination", ["Winners' bracket", "Losers' bracket", "Grand final"]),
        ("groups", ["Bracket"]),
    ],
)
def test_each_bracket_is_drawn(name: str, titles: list[str]) -> None:
    section = bracket_section(Simulation(regulations(name, 4)).rounds().progress)
    assert section is not None
    drawn = section.parts or [section]
    assert [each.title for each in drawn] == titles
    assert all(each.plot.startswith('<svg class="bracket"') for each in drawn)
    assert all(each.table is not None and each.table.rows for each in drawn)


def test_a_bracket_says_where_the_seeds_have_decided() -> None:
    section = bracket_section(Simulation(regulations("knockout", 2), lambda planned: [0, 0]).rounds().progress)
    assert section is not None
    with_bye = bracket_section(Simulation(regulations("knockout", 3)).rounds().progress)
    assert with_bye is not None
    assert with_bye.notes == ["Byes in semi-final: b0"]
    assert section.notes[-1] == "final: level after all play-offs, so that b0 advances by the better seed"


@pytest.mark.parametrize(
    ("name", "titles"), [("knockout", ["Bracket"]), ("double_elimination", ["Winners' bracket"]), ("groups", [])]
)
def test_a_bracket_of_which_withdrawals_leave_no_table_is_not_drawn(name: str, titles: list[str]) -> None:
    cup = Simulation(regulations(name, 4)).rounds(1)
    for bot in ("b0", "b1", "b2"):
        cup.apply(Withdrawn(round=2, at="2026-01-01T00:00:00Z", bot=bot, reason="asked to"))
    section = bracket_section(cup.progress)
    assert [each.title for each in (section.parts or [section] if section else [])] == titles


@pytest.mark.slow
def test_rulings_and_faults_are_told_with_their_reasons(running: Organiser, tmp_path: Path) -> None:
    running.apply(Penalised(round=2, at="2026-01-01T00:00:00Z", bot="a", points=-0.5, reason="late <again>"))
    planned = running.progress.current.missing()[0] if running.progress.current is not None else None
    assert planned is not None
    running.failing.add("b")
    running.failing.add("c")
    running.play_game(planned)
    report(running.folder.path, "-o", tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text()
    assert "a has a penalty of -0.5 points: late &lt;again&gt;" in index
    assert "crash: could not be started" in index
    assert "crash: could not be started" in (tmp_path / "site" / "bots" / "2-b.html").read_text()
    told = index.count("crash: could not be started")
    running.close()
    running.pair()
    assert running.progress.current is not None
    running.play_game(running.progress.current.missing()[0])
    report(running.folder.path, "-o", tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text()
    assert "crash</td>" in index
    assert index.count("crash: could not be started") == told, "other tables may still play the deals of this round"


def test_no_record_is_read_for_thinking_times_where_the_database_has_them(running: Organiser, tmp_path: Path) -> None:
    folder = running.folder
    report(folder.path, "-o", tmp_path / "from-records")
    with Database.open(folder.database) as database:
        games = list(database.games())
        kept = {game: details_of(folder.read_record(game.game_id)) for game in games}
        database.write(remove=[game.game_id for game in games])
        for game, details in kept.items():
            database.write(games=[(game, details)])
    before = dict.fromkeys(folder.record_ids())
    for name in before:
        folder.record(name).write_bytes(b"")
    report(folder.path, "-o", tmp_path / "from-database")
    assert all_files(tmp_path / "from-database") == all_files(tmp_path / "from-records")


def test_the_director_keeps_details_with_every_game(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "tournament.db")) as connection:
        kept = dict(connection.execute("SELECT game_id, details FROM details"))
    assert set(kept) == {file.name.removesuffix(".jsonl.gz") for file in (folder / "records").iterdir()}
    assert all(json.loads(text)["thinking"][0]["decisions"] > 0 for text in kept.values())


@pytest.mark.ci_only
def test_each_round_publishes_it_as_the_docs_say(tmp_path: Path) -> None:
    script = f"""set -eu
{sys.executable} -m referee tournament report "$1" --replays none -o site
cp site/index.html "seen-$(ls | grep -c seen-).html"
"""
    (tmp_path / "publish.sh").write_text(script)
    known = 'game = "year_of_the_dragon"\n'  # by other processes, too
    text = CUP.replace('game = "pebbles"\n', known).replace("[options]\nheap = 60\n", "")
    text = text.replace("true --token=SECRET-TOKEN", "sh publish.sh")
    (tmp_path / "cup.toml").write_text(text, encoding="utf-8")
    played = referee("tournament", "run", tmp_path / "cup.toml", "--out", tmp_path / "cup")
    assert (played.status, "on_round" in played.err) == (0, False), played.err
    first, last = ((tmp_path / f"seen-{number}.html").read_text(encoding="utf-8") for number in (0, 1))
    assert "Running: after round 1 of 1, 2 games of 1 deal" in first
    assert "a-seed-that-is-secret" not in first
    assert "Final, after 1 round, 2 games of 1 deal" in last


# -- what is not told of this machine -------------------------------------------------------------------------

TALKATIVE: Final = BOT.replace(
    "import json, random, sys\n",
    "import json, os, random, sys\n\nhere = [os.getcwd(), __file__, os.path.expanduser('~/x'), sys.executable]\n"
    "print(*here, ' '.join(map(repr, here)), file=sys.stderr, flush=True)\n",
).replace(
    '"index": rng.randrange(len(message["legal"]))}\n',
    '"index": 0, "info": here}\n        if message["id"] == 9:\n            try:\n'
    '                open(__file__ + ".ready", "x")\n            except OSError as error:\n'
    "                raise OSError(*map(repr, here)) from error\n",
)
"""Tells everybody where it is, and crashes with a traceback, but for its first game."""


def contents(pages: Path) -> Iterator[tuple[Path, str]]:
    """All files below a folder, with what is packed in them."""
    for file in sorted(path for path in pages.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8")
        packed = re.findall(r'<script type="text/plain"[^>]*>(H4sI[^<]+)</script>', text)
        yield file, text + "".join(gzip.decompress(base64.b64decode(each)).decode() for each in packed)


@pytest.mark.ci_only
def test_no_page_names_a_folder_or_a_command_of_this_machine_unless_asked(tmp_path: Path) -> None:
    bot = make_bot(tmp_path / "my bots", TALKATIVE)
    command = f"{sys.executable} '{bot}/bot.py' --key=SECRET"
    text = f"""
format = "round_robin"
game = "pebbles"
options = {{ heap = 60 }}
[run]
sandbox = "none"
[[bot]]
command = {json.dumps(command)}
name = "mine"
[[bot]]
builtin = "random"
"""
    (tmp_path / "cup.toml").write_text(text)
    (tmp_path / "pages").mkdir()
    assert referee("tournament", "run", tmp_path / "cup.toml", "--out", tmp_path / "cup").status == 0
    records, pages = tmp_path / "records", tmp_path / "pages"
    played: list[str | Path] = [
        "match",
        f"mine={command}",
        "builtin:random",
        "--game",
        "pebbles",
        "--set",
        "heap=60",
        "--games",
        "1",
        "--sandbox",
        "none",
        "--record",
        records,
    ]
    assert referee(*played, "--report", pages / "match.html").status == 3
    report(tmp_path / "cup", "-o", pages / "site", "--replays", "all")
    report(tmp_path / "cup", "-o", pages / "cup.html", "--replays", "all")
    view: list[str | Path] = ["record", "view", records / "0001-1.jsonl", "-o"]
    for name, options in {"all": [], "seat": ["--as-seat", "0"], "public": ["--public"], "svg": ["--svg", "9"]}.items():
        assert referee(*view, pages / f"{name}.html", *options).status == 0
    lines = (records / "0001-1.jsonl").read_bytes().splitlines()
    (pages / "live.html").write_bytes(LivePage(lines, "all").html("0001-1"))
    assert referee("ratings", tmp_path / "cup", "--report", pages / "ratings.html").status == 0
    of_machine = (str(tmp_path), str(Path.home()) + "/", sys.prefix, "SECRET")
    found = [(file, word) for file, text in contents(pages) for word in of_machine if word in text]
    assert found == []
    shown = dict(contents(pages))
    assert "…/bot.py" in shown[pages / "all.html"]
    assert "…/bot.py" in shown[pages / "match.html"]
    assert referee(*view, pages / "all.html", "--with-paths").status == 0
    report(tmp_path / "cup", "-o", pages / "site", "--replays", "all", "--with-paths")
    shown = dict(contents(pages))
    assert all(str(bot) in shown[pages / name] for name in ("all.html", "site/index.html"))
    assert any(str(bot) in text for file, text in shown.items() if file.parent.name == "replays")


# -- a match --------------------------------------------------------------------------------------------------


@pytest.mark.ci_only
def test_a_match_is_written_as_one_file(tmp_path: Path) -> None:
    bots = ["builtin:first", "builtin:random"]
    options = ["--games", "1", "--seed", "<b>s</b>", "--record", str(tmp_path / "records")]
    played = referee("match", *bots, *options, "--report", tmp_path / "match.html")
    assert played.status == 0, played.err
    assert f"report: {tmp_path / 'match.html'}" in played.err
    html = (tmp_path / "match.html").read_text(encoding="utf-8")
    page = Links(html)
    for key in ("standings", "scores", "seats", "games", "conditions", "bot-0", "replay-0001-1"):
        assert key in page.ids
    assert {to[1:] for to in page.to} <= set(page.ids)
    assert "b" not in page.tags
    assert "seed &lt;b&gt;s&lt;/b&gt;" in html


@pytest.mark.parametrize(
    ("name", "problem"),
    [("report", "has to end with .html"), ("no/where.html", "there is no folder"), ("folder.html", "is a folder")],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_match(name: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "folder.html").mkdir()
    refused = referee("match", "builtin:first", "builtin:random", "--report", name, cwd=tmp_path)
    assert refused.status == 2
    assert problem in refused.message
    assert not (tmp_path / "records").exists()


def test_without_its_package_a_report_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.reports.needed.NEEDED_PACKAGE", "no_such_package")
    of_match = referee("match", "builtin:first", "builtin:first", "--report", "m.html")
    for refused in (referee("tournament", "report", folder), of_match):
        assert refused.status == 2
        assert "pip install -e '.[report]'" in refused.message
