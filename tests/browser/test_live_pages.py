"""Live pages in a browser: a match that is watched to its end, and a whole game of each kind played by clicks."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.games import game_names
from tests.browser.opening import AXE, missing, wait_until
from tests.cli.bots import make_bot
from tests.cli.command import referee
from tests.pages.browser import Browser, watched
from tests.pages.test_live import HELD, MATCH

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing())]

Open = Callable[[Browser], Any]


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens an address. Fails in the end if a page wrote to the console or asked anything of another server."""
    problems: list[str] = []

    def open_page(at: Browser) -> Any:
        own = f"http://{at.host}:{at.port}/"
        page = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: problems.extend([] if gone(message.text) else [message.text]))
        page.on("request", lambda request: problems.extend([] if request.url.startswith(own) else [request.url]))
        page.goto(f"{own[:-1]}{at.path}")
        return page

    yield open_page
    assert problems == []


def gone(text: str) -> bool:
    """Whether the browser itself says that the server has ended, as it does."""
    return text.startswith("Failed to load resource: net::ERR_") or "net::ERR_INCOMPLETE_CHUNKED_ENCODING" in text


def last(page: Any) -> int:
    """The number of the latest position."""
    return int(page.get_by_role("slider").get_attribute("max"))


def test_a_match_is_watched_to_its_end(opened: Open, tmp_path: Path) -> None:
    held = make_bot(tmp_path / "held", HELD)
    (held / "hold").write_text("1")
    with watched(
        "match", held, "builtin:random", *MATCH, "--games", "2", "--no-rotate", "--no-record", "--watch"
    ) as match:
        spectator = match.spectator()
        index = opened(spectator)
        page = opened(spectator)
        page.locator("h2:has-text('Finished') + * a").first.click()
        page.wait_for_selector(".page")
        wait_until(page, lambda: page.locator(".live.ended").count() == 1)
        assert page.locator(".live").inner_text().startswith("the game is over")
        assert page.locator(".final tfoot td.total").count() == 2
        page.get_by_role("link", name="from the start").click()
        wait_until(page, lambda: page.locator(".place output").inner_text().startswith("0 of"))

        picture = index.locator("h2:has-text('Running') + .cards img")
        wait_until(index, lambda: picture.count() == 1 and picture.evaluate("image => image.naturalWidth") > 0)
        index.evaluate(AXE.read_text(encoding="utf-8"))
        found = index.evaluate("axe.run({ preload: false })")["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
        page.goto(index.url)
        page.locator("h2:has-text('Running') + * a").first.click()
        page.wait_for_selector(".live.connected")
        assert page.locator(".live").inner_text().startswith("live")
        waiting = last(page)
        (held / "hold").unlink()
        wait_until(page, lambda: page.locator(".live.ended").count() == 1)
        assert last(page) > waiting
        assert page.locator(".place output").inner_text().startswith(f"{last(page)} of"), "it follows the game"
        assert match.end()[0] == 0
        wait_until(index, lambda: "The run has ended." in index.locator("body").inner_text())


def test_a_page_says_that_its_server_has_gone(opened: Open, tmp_path: Path) -> None:
    held = make_bot(tmp_path / "held", HELD)
    (held / "hold").touch()
    with watched("match", held, "builtin:random", *MATCH, "--games", "1", "--no-record", "--watch") as match:
        index = opened(match.spectator())
        page = opened(match.spectator())
        page.locator("a[href^='games/']").first.click()
        page.wait_for_selector(".live.connected")
        match.kill_pages()
        wait_until(page, lambda: "doesn't answer" in page.locator(".live").inner_text())
        wait_until(index, lambda: "The server has gone" in index.locator("body").inner_text())
        (held / "hold").unlink()
        assert match.end()[0] == 0, "the games go on"


@pytest.mark.parametrize("game", game_names())
def test_a_whole_game_is_played_by_clicks(game: str, opened: Open, tmp_path: Path) -> None:
    rng = random.Random(game)
    options = ["--game", game, "--set", "players=2", "--seed", "clicks", "--record", str(tmp_path / "records")]
    with watched("match", "ann=human@web", "builtin:random", *options) as match:
        page = opened(match.browser("ann plays at"))
        page.wait_for_selector(".page")
        decisions, on_table = 0, 0
        ended, due = page.locator(".live.ended"), page.locator(".chooser input:enabled")
        while True:
            wait_until(page, lambda: ended.count() + due.count() > 0)
            if ended.count():
                break
            confirm = page.get_by_role("button", name=re.compile("^Confirm"))
            targets = page.locator(".clickable.is-target, .clickable.is-ghost")
            if decisions % 2 and targets.count():
                targets.nth(rng.randrange(targets.count())).dispatch_event("click")
                on_table += confirm.is_enabled()
                if decisions % 5 == 1:
                    page.get_by_role("button", name=re.compile("^Take back")).click()
                    assert confirm.is_disabled() or due.count(), "nothing is played before it is confirmed"
            if confirm.is_disabled():
                choices = page.get_by_role("listbox", name="Legal actions").get_by_role("option")
                choices.nth(rng.randrange(choices.count())).click()
            before = last(page)
            confirm.click()
            wait_until(page, lambda before=before: last(page) > before)  # type: ignore[misc]
            decisions += 1
            page.keyboard.press("End")  # skips what the others did
        assert page.locator(".live").inner_text().startswith("the game is over")
        assert page.locator(".final tfoot td.total").count() == 2
        assert on_table >= 3, "some actions were chosen on the table alone"
        assert match.end()[0] == 0
    [record] = (tmp_path / "records").glob("*.jsonl")
    assert referee("record", "verify", str(record)).status == 0
    assert decisions > 20
