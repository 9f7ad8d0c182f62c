"""Reports in a browser: what they show at each size, that everything leads where it says, and without a script."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import AXE, missing, wait_until
from tests.cli.command import referee
from tests.tournaments.event.store.organiser import Organiser, tournament_file

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing())]

CUP = """
format = "knockout"
game = "year_of_the_dragon"
name = "A cup"
seed = "x"
[knockout]
third_place = true
[run]
sandbox = "none"
"""
NAMES = ("first", "dice", "coin </script><b>", "die")
SIZES = ((390, 844), (1280, 800), (1920, 1080))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report as a folder and as one file."""
    path = tmp_path_factory.mktemp("cup")
    bots = "".join(f"[[bot]]\nbuiltin = '{'first' if n == 'first' else 'random'}'\nname = '{n}'\n" for n in NAMES)
    (path / "cup.toml").write_text(CUP + bots)
    assert referee("tournament", "run", path / "cup.toml", "--out", path / "cup").status == 0
    for name in ("site", "cup.html"):
        made = referee("tournament", "report", path / "cup", "-o", path / name, "--replays", "all")
        assert made.status == 0, made.err
    return {"folder": path / "site" / "index.html", "file": path / "cup.html"}


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """Opens a file. Fails in the end if a page wrote to the console or asked for anything but files."""
    problems: list[str] = []

    def open_page(file: Path, *, width: int = 1280, height: int = 800, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)

        def watch(page: Any) -> None:
            page.set_default_timeout(10_000)
            page.on("console", lambda message: problems.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: problems.append(f"error: {error}"))
            page.on(
                "request",
                lambda request: problems.extend([] if request.url.startswith(("file:", "blob:")) else [request.url]),
            )

        context.on("page", watch)
        page = context.new_page()
        page.goto(file.as_uri())
        return page

    yield open_page
    assert problems == []


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_report_is_read_at_each_size_with_nothing_that_is_out_of_the_page(
    kind: str, reports: dict[str, Path], opened: Any
) -> None:
    for width, height in SIZES:
        page = opened(reports[kind], width=width, height=height)
        assert page.locator("h1").first.inner_text() == "A cup"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#standings > .wide tbody tr").count() == len(NAMES)
        assert page.locator("#bracket svg").is_visible()
        assert "semi-final" in page.locator("#bracket svg").text_content()
        assert page.locator("#bracket .wide").first.evaluate("plot => plot.scrollLeft") == 0, "from its first stage"
        assert page.locator("#places").count() == 0, "the bracket says it better"
    for scheme in ("light", "dark"):
        page = opened(reports[kind], color_scheme=scheme)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run({ preload: false })")["violations"]
        assert [
            (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ] == []


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_bots_and_games_are_a_click_away(kind: str, reports: dict[str, Path], opened: Any) -> None:
    page = opened(reports[kind])
    page.locator("#standings").get_by_role("link", name="coin").click()
    page.wait_for_url(lambda url: url.endswith(("/bots/3-coin-script-b.html", "#bot-2")))
    assert page.get_by_role("heading", level=1, name="coin </script><b>").is_visible()
    page.go_back()
    page.locator("#games summary").first.click()
    link = page.locator("#games tbody a").first
    if kind == "file":
        with page.context.expect_page() as game:
            link.click()
        shown = game.value
    else:
        link.click()
        shown = page
    shown.wait_for_selector(".page")
    assert "year" in shown.title().lower()
    before = shown.locator(".place output").inner_text()
    shown.keyboard.press("ArrowRight")
    assert shown.locator(".place output").inner_text() != before


def test_games_are_filtered_by_bot(reports: dict[str, Path], opened: Any) -> None:
    page = opened(reports["folder"])
    page.locator("#games select").select_option(label="first")
    rows = page.locator("#games tbody tr:visible")
    assert rows.count() > 0
    assert all("first" in text for text in rows.all_inner_texts())
    assert page.locator("#games").get_by_role("status").inner_text() == f"{rows.count()} games"


def test_everything_but_the_filter_is_there_without_a_script(reports: dict[str, Path], opened: Any) -> None:
    for kind in ("folder", "file"):
        page = opened(reports[kind], java_script_enabled=False)
        assert page.locator("#standings > .wide tbody tr").count() == len(NAMES)
        assert page.locator("#ratings svg.chart").is_visible()
        page.locator("#ratings summary").click()
        assert page.locator("#ratings table").is_visible()
        assert page.locator("#games select").count() == 0


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address at which the folder `site` is served."""
    (tmp_path / "site").mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path / "site")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", ["", "cup.html"])
def test_a_report_refreshes_itself_in_place_until_the_event_is_over(
    name: str, served: str, browser: Any, tmp_path: Path
) -> None:
    text = 'format = "round_robin"\ngame = "year_of_the_dragon"\nname = "Cup"\n'
    cup = Organiser.begin(tournament_file(tmp_path, text), tmp_path / "cup")
    written = tmp_path / "site" / (name or "index.html")

    def write() -> None:
        """The report as it is now, which refreshes itself at once."""
        made = referee("tournament", "report", cup.folder.path, "-o", tmp_path / "site" / name, "--replays", "public")
        assert made.status == 0, made.err
        written.write_text(written.read_text().replace('data-refresh="20"', 'data-refresh="0.1"'))

    cup.play_rounds(1)
    cup.pair()
    write()
    page = browser.new_page(viewport={"width": 800, "height": 500})
    header = page.locator("header").first
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.goto(served + name)
    page.locator("#games select").select_option(label="b")
    page.locator("#conditions summary").first.click()
    page.evaluate("document.getElementById('conditions').scrollIntoView()")
    mine = page.evaluate("window.mine = document.getElementById('conditions').getBoundingClientRect().top")
    assert "round 2 of 3 after 0 of its 4 games" in header.inner_text()
    games = page.locator("#games tbody tr:visible").count()
    cup.play_round()
    cup.pair()
    write()
    wait_until(page, lambda: "round 3 of 3 after 0 of its 4 games" in header.inner_text())
    assert page.locator("#games select").input_value() == "1"
    rows = page.locator("#games tbody tr:visible")
    assert rows.count() > games
    assert all("b " in row for row in rows.all_inner_texts())
    assert page.locator("#conditions details").first.get_attribute("open") is not None
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.evaluate("document.getElementById('conditions').getBoundingClientRect().top") == pytest.approx(
        mine, abs=2
    )
    assert page.evaluate("window.mine") == mine, "it was not loaded again"
    assert "This page refreshes itself, last at" in header.inner_text()
    written.rename(tmp_path / "away")
    wait_until(page, lambda: "could not be refreshed; it tries again" in header.inner_text())
    (tmp_path / "away").rename(written)
    cup.play_round()
    cup.finish_with_standings()
    write()
    wait_until(page, lambda: "this page no longer changes" in header.inner_text())
    assert "Final, after 3 rounds" in header.inner_text()
    assert " won with " in page.locator(".lead").first.inner_text()
    asked = len(requests)
    page.wait_for_timeout(500)
    assert len(requests) == asked
    assert [problem for problem in problems if "404" not in problem] == []
