"""Live pages: `--watch` of matches and tournaments, `tournament watch`, and who may read them."""

import importlib.util
import re
import signal
import socket
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.games.renderer import Audience
from referee.live.access import AddressError, parse_address
from referee.live.messages import (
    GameOver,
    GameRecorded,
    GameShown,
    LinesWritten,
    RunEnded,
    RunShown,
    SeatToken,
    StandingsShown,
)
from referee.pages.document import Document, Step
from referee.pages.svg import main_panels, panels_at, write_svg
from referee.pages.timeline import Timeline
from referee.record.replay import Replay
from tests.cli.bots import BOT, make_bot
from tests.cli.command import assert_error, referee
from tests.pages.browser import Answer, Browser, Watched, watched
from tests.pages.playing import page as page_of
from tests.pages.playing import without_due

pytest.importorskip("h11", reason="the package of the extra web is not installed")
from referee.live.connections import Request
from referee.live.games import Newest
from referee.live.index import WHOLE_GAMES, index_page
from referee.live.run import LiveRun
from referee.live.server import Site

pytestmark = pytest.mark.usefixtures("forked_modules")

HELD = BOT.replace(
    '    elif message["type"] == "start":\n',
    '    elif message["type"] == "start":\n'
    "        games += 1\n"
    "        while games > allowed():\n"
    "            time.sleep(0.01)\n",
).replace(
    "import json, random, sys\n",
    "import json, os, random, sys, time\n\n"
    "games = 0\n\n"
    "def allowed():\n"
    "    try:\n"
    '        return os.path.getsize(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hold"))\n'
    "    except FileNotFoundError:\n"
    "        return games\n",
)
"""While there is a file `hold` beside it, begins no further game. Its size: how many a process may begin."""
MATCH = ("--no-timeout", "--sandbox", "none", "--game", "forbidden_city", "--concurrency", "1")
CUP = """
format = "round_robin"
name = "Spring Cup"
game = "forbidden_city"
deals = 2
seed = "x"
[clock]
move = "60s"
startup = "60s"
[run]
concurrency = 1
sandbox = "none"
[[bot]]
path = "held"
name = "held"
[[bot]]
builtin = "random"
name = "random"
"""


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A bot that begins no game while there is a file `hold` in its folder."""
    return make_bot(tmp_path / "held", HELD)


def shown_steps(record: Path, audience: Audience) -> list[Step]:
    """The steps of a page made from the whole record for this audience."""
    return without_due(page_of(record, [audience]).steps)


def assert_nothing_hidden(document: Document, more: Sequence[Step] = ()) -> None:
    """The page has only the public's view, without seeds, legal actions and infos. `more`: steps that followed."""
    assert document.audiences == ["public"]
    assert not document.seed
    shown = [step.views[0].decision for step in [*document.steps, *more] if step.views[0].decision is not None]
    assert shown
    assert not any(decision.legal or decision.info for decision in shown)


def finished_games(browser: Browser, count: int = 1) -> list[str]:
    """The ids of the finished games, as soon as there are so many."""
    for event in browser.events("events"):
        _, _, finished = event.data.partition("<h2>Finished</h2>")
        found = re.findall(r'href="games/([^"]+)"', finished)
        if len(found) >= count:
            return found
    raise AssertionError("the run has ended")


def stop(run: Watched) -> None:
    """Interrupt at once."""
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 130


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.ci_only)])
def test_the_games_of_a_match_appear_and_its_end_is_told(workers: int, held: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    options: list[str | Path] = ["--games", "400", "--record", records, "--workers", str(workers), "--watch"]
    with watched("match", held, "builtin:random", *MATCH, *options) as run:
        browser = run.spectator()
        assert f"ssh -L {browser.port}:127.0.0.1:{browser.port}" in run.line("only this machine")
        finished_games(browser)
        (held / "hold").touch()
        page = browser.get()
        assert page.status == 200
        assert "held" in page.text or "bot" in page.text
        assert "Standings so far" in page.text
        linked = re.compile(r'<h2>Running</h2>(?:(?!<h2>).)*href="games/')
        assert any(linked.search(event.data) for event in browser.events("events")), "it can be followed"
        game_id = finished_games(browser)[-1]
        document = browser.get(f"games/{game_id}").document
        assert without_due(document.steps) == shown_steps(records / f"{game_id}.jsonl", "public")
        assert_nothing_hidden(document)
        assert document.result is not None
        assert document.live is not None
        updates = list(browser.events(f"games/{document.live.updates}"))
        assert [event.addition.ended for event in updates] == [True]
        news = browser.events("events")
        next(news)
        stop(run)
        assert [event.data for event in news if event.name == "end"] == ["The run has ended."]
        with pytest.raises(ConnectionError):
            browser.get()


@pytest.mark.ci_only
def test_a_tournament_is_watched_from_its_own_and_from_another_terminal(held: Path, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    (held / "hold").write_text("1")
    with watched("tournament", "run", "cup.toml", "--watch", cwd=tmp_path) as run:
        own = run.spectator()
        first = finished_games(own)[-1]
        with watched("tournament", "watch", "cup", cwd=tmp_path) as other:
            record = tmp_path / "cup" / "records" / f"{first}.jsonl.gz"
            for browser in (own, other.spectator()):
                assert first in finished_games(browser)
                page = browser.get()
                assert "points" in page.text
                document = browser.get(f"games/{first}").document
                assert without_due(document.steps) == shown_steps(record, "public")
                assert_nothing_hidden(document)
            (held / "hold").unlink()
            assert run.end()[0] == 0
            status, said = other.end()
            assert status == 0
            assert "the tournament is finished" in said
    with watched("tournament", "watch", "cup", cwd=tmp_path) as after:
        browser = after.spectator()
        assert any("<h1 data-final>Spring Cup</h1>" in event.data for event in browser.events("events"))
        assert 'role="status">finished<' in browser.get().text
        after.process.send_signal(signal.SIGTERM)
        assert after.end()[0] == 0
    again = referee("tournament", "run", "cup.toml", "--watch", cwd=tmp_path)
    assert again.status == 2
    assert "http://" not in again.err, "no address before the command line is known to be right"


async def ask(site: Site, path: str, method: str = "GET", **headers: str) -> Answer:
    """The answer of a site to a request; header names with _ for -."""
    given = {"host": "127.0.0.1:80"} | {name.lower().replace("_", "-"): value for name, value in headers.items()}
    nobody: Any = SimpleNamespace(whose=0)
    request = Request(connection=nobody, method=method, path=path, query={}, headers=given, body=b"{}")
    response = await site.answer(request)
    return Answer(
        response.status, dict(response.headers), response.content if isinstance(response.content, bytes) else b""
    )


@pytest.mark.slow
async def test_who_may_read_and_that_nobody_can_change_anything(records: Mapping[str, Path]) -> None:
    run = LiveRun(RunShown("Cup", "", hidden=True), "token", lambda message: None)
    run.receive(GameRecorded("0001-1", ("a", "b", "c"), records["forbidden_city"].read_bytes()))
    site, of_all = (Site(run, frozenset({"localhost", "box"}), loopback=loopback) for loopback in (True, False))
    assert (await ask(site, "/token/")).status == 200
    for host in ("evil.example", "evil.example:80", "192.168.1.5:80", "box", "box:80", ""):
        assert (await ask(site, "/token/", host=host)).status == 403
    assert (await ask(site, "/token/", host="localhost:81")).status == 200, "a port that SSH forwards"
    assert (await ask(of_all, "/token/", host="192.168.1.5:80")).status == 200
    for host in ("box:80", "BOX:80", "10.0.0.1", "[fe80::1]:80"):
        assert (await ask(of_all, "/token/", host=host)).status == 200
    for host in ("localhost", "[::1]:80"):
        assert (await ask(site, "/token/", host=host)).status == 200
    for host in ("box.evil.example", ""):
        assert (await ask(of_all, "/token/", host=host)).status == 403
    assert (await ask(of_all, "/token/", host="evil.example")).status == 403
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        assert (await ask(site, "/token/", **headers)).status == 403
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert (await ask(site, "/token/", **link)).status == 200, "a link in a mail"
    for path in ("/", "*", "/unknown/", "/toke/", "/unknown/events", "/unknown/games/0001-1", "/token/games/0009-9"):
        assert (await ask(site, path)).status == (307 if path == "*" else 404)
    assert (await ask(site, "/token/games/..%2f..%2fetc")).status == 404
    assert (await ask(site, "/token")).headers["Location"] == "/token/"
    for path in ("games/0001-1/choose", "leave"):
        refused = await ask(site, f"/token/{path}", "POST", content_type="application/json")
        assert (refused.status, refused.text) == (403, "Spectators can't change anything.\n")
        assert (await ask(site, f"/token/{path}")).status == 405
        assert (await ask(site, f"/unknown/{path}", "POST")).status == 404
    headers = (await ask(site, "/token/")).headers
    assert headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in headers
    document = (await ask(site, "/token/games/0001-1")).document
    assert document.audiences == ["all"]
    assert document.seed


@pytest.mark.slow
async def test_spectators_see_what_runs_who_leads_and_the_newest_positions_as_the_public_does(
    records: Mapping[str, Path],
) -> None:
    lines = records["year_of_the_dragon"].read_bytes().splitlines()
    half = lines[: len(lines) // 2]
    run = LiveRun(RunShown("Cup", "", hidden=False, tokens=(SeatToken("c", "of c"),)), "token", lambda message: None)
    site = Site(run, frozenset(), loopback=True)
    run.receive(StandingsShown((("", "bot"), ("1", "b")), "in round 3", "b leads with 2 points"))
    run.receive(GameShown("r03-t002-d05-s1", ("a", "<b>", "c"), (None, None, "of c")))
    run.receive(GameShown("r03-t002-d05-s2", ("<b>", "c", "a")))  # of a worker: its lines aren't sent
    run.receive(LinesWritten("r03-t002-d05-s1", tuple(half[:1])))
    await run.update_previews()
    assert "<img" not in (await ask(site, "/token/")).text, "the setup isn't complete yet"
    run.receive(LinesWritten("r03-t002-d05-s1", tuple(half[1:])))
    page = (await ask(site, "/token/")).text
    assert "b leads with 2 points" in page
    assert "in round 3" in page
    await run.update_previews()
    page = (await ask(site, "/token/")).text
    assert "Round 3, table 2, deal 5, rotation 2: &lt;b&gt;, c, a</li>" in page, "without a link"
    newest = Newest(b"\n".join([*half[:9], b""]), "public")
    newest.extend(b"\n".join([*half[9:], b""]))
    number, scores, drawn = newest.draw()
    timeline = Timeline(Replay(b"\n".join([*half, b""])), ["public"])
    timeline.advance()
    document = timeline.document()
    shown = main_panels(panels_at(document, len(document.steps) - 1))
    assert number == document.steps[-1].round
    assert sorted(drawn) == sorted(write_svg(shown, document.title, document.css)), "in another order"
    assert f"round {number} of the game" in page
    assert all(f"{name} {score:.10g}</li>" in page for name, score in zip(("a", "&lt;b&gt;", "c"), scores, strict=True))
    [picture] = re.findall(r'<img class="picture" src="([^"?]+)\?', page)
    answer = await ask(site, f"/token/{picture}")
    assert (answer.status, answer.text) == (200, drawn)
    everything = Newest(b"\n".join([*half, b""]), "all")
    assert drawn != everything.draw().picture, "hands are hidden"
    assert (await ask(site, f"/of c/{picture}")).status == 404, "a person sees a game from the own seat only"
    assert (await ask(site, f"/token/{picture}", "POST")).status == 405

    run.receive(LinesWritten("r03-t002-d05-s1", tuple(lines[len(half) :])))
    run.receive(GameOver("r03-t002-d05-s1", "<b> 9, a 7, c 3"))
    run.receive(GameOver("r03-t002-d05-s2", "a 8, c 7, <b> 1"))
    page = (await ask(site, "/token/")).text
    assert page.count("&lt;b&gt; 9, a 7, c 3") == 1, "in the list; the last position drawn isn't the end"
    assert "<h2>Running</h2>" not in page
    assert "rotation 2: a 8, c 7, &lt;b&gt; 1</li>" in page
    assert (await ask(site, "/token/games/r03-t002-d05-s1")).document.result is not None
    run.receive(RunEnded("The run has ended."))
    await run.update_previews()
    page = (await ask(site, "/token/")).text
    assert "href=" not in page.partition("<main")[2], "nobody answers any more"
    [last] = re.findall(r'<img class="picture" src="([^"?]+)\?', page)
    assert (await ask(site, f"/token/{last}")).text == Newest(b"\n".join([*lines, b""]), "public").draw().picture


async def test_a_game_that_cannot_be_drawn_is_listed_and_positions_that_are_not_sent_are_not_promised(
    records: Mapping[str, Path],
) -> None:
    lines = records["year_of_the_dragon"].read_bytes().splitlines()
    run = LiveRun(RunShown("Cup", "", hidden=False, whole_games=True), "token", lambda message: None)
    run.receive(GameRecorded("0001-1", ("a", "b", "c"), b"\n".join([lines[0], b"no line"])))
    assert WHOLE_GAMES not in index_page(run).decode()
    run.receive(GameShown("0002-1", ("a", "b", "c")))
    assert escape(WHOLE_GAMES) in index_page(run).decode()
    await run.update_previews()
    page = index_page(run).decode()
    assert "Deal 1, rotation 1" in page, "one that can't be drawn is listed"
    assert "<img" not in page


@pytest.mark.slow
def test_opening_it_to_other_hosts_is_said_aloud(held: Path) -> None:
    (held / "hold").touch()
    options = ["--games", "1", "--no-record", "--watch", "--show-hidden", "--listen", "0.0.0.0"]
    with watched("match", held, "builtin:random", *MATCH, *options) as run:
        assert "with everything hidden" in run.line("watch at")
        assert "every host that can reach 0.0.0.0 can open these pages" in run.line("every host")
        assert not any("ssh -L" in line for line in run.said)
        browser = run.spectator()
        browser.host = "127.0.0.1"
        assert browser.get(Host=f"{socket.gethostname()}:{browser.port}").status == 200
        assert browser.get(Host="evil.example").status == 403
        stop(run)


@pytest.mark.ci_only
def test_browsers_that_never_read_do_not_hold_the_run_up(held: Path) -> None:
    with watched("match", held, "builtin:random", *MATCH, "--games", "20", "--no-record", "--watch") as run:
        browser = run.spectator()
        game_id = browser.first_game()
        sockets = []
        for path in [f"games/{game_id}", f"games/{game_id}/events", "events", ""] * 5:
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.connect((browser.host, browser.port))
            connection.sendall(f"GET {browser.path}{path} HTTP/1.1\r\nHost: {browser.host}\r\n\r\n".encode())
            sockets.append(connection)
        for vanished in sockets[::2]:
            vanished.close()
        assert finished_games(browser, 5)
        status, said = run.end()
        assert status == 0, said
        for connection in sockets:
            connection.close()


@pytest.mark.ci_only
def test_without_the_pages_the_games_go_on(held: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    (held / "hold").touch()
    with watched("match", held, "builtin:random", *MATCH, "--games", "5", "--record", records, "--watch") as run:
        assert run.spectator().first_game()
        run.kill_pages()
        assert "the games continue" in run.line("the process that serves pages has ended")
        (held / "hold").unlink()
        assert run.end()[0] == 0
        assert len([*records.glob("*.jsonl")]) == 10


# -- what is refused ------------------------------------------------------------------------------------------


def test_options_without_pages_are_refused() -> None:
    for options in (["--listen", "0.0.0.0"], ["--show-hidden"]):
        ended = referee("match", "builtin:random", "builtin:first", "--no-record", *options)
        assert_error(ended, 2, f"{options[0]} has an effect only with --watch")


def test_an_invalid_address_is_refused() -> None:
    for address in ("", "host:x", "1.2.3.4:99999", ":80"):
        with pytest.raises(AddressError):
            parse_address(address)
    ended = referee("match", "builtin:random", "builtin:first", "--no-record", "--watch", "--listen", "host:port")
    assert_error(ended, 2, "expected ADDRESS or ADDRESS:PORT")


@pytest.mark.slow
def test_a_taken_port_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = referee("match", "builtin:random", "builtin:first", "--no-record", "--watch", "--listen", address)
        assert_error(ended, 1, f"can't listen on {address}: Address already in use; give --listen another")


@pytest.mark.parametrize("arguments", [("match", "human@web"), ("match", "builtin:first", "--watch")])
def test_missing_packages_are_named(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "h11" else found(name))
    ended = referee(*arguments, "builtin:random", "--no-record")
    assert_error(ended, 1, "pages in a browser need the package h11")
    assert "pip install -e '.[web]'" in ended.err


def test_a_folder_without_a_tournament_is_refused(tmp_path: Path) -> None:
    assert referee("tournament", "watch", tmp_path).status == 2


def test_addresses() -> None:
    assert parse_address("192.168.1.5") == ("192.168.1.5", 0)
    assert parse_address("192.168.1.5:80") == ("192.168.1.5", 80)
    assert parse_address("[::1]:80") == ("::1", 80)
    assert parse_address("::1") == ("::1", 0)
