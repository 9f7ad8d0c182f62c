"""Pages of real games in a browser, as `record view` writes them."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import AXE, chromium, missing
from tests.cli.command import referee

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.mark.parametrize("game", ["year_of_the_dragon", "forbidden_city"])
def test_a_recorded_game_can_be_read_from_its_start_to_its_end(game: str, tmp_path: Path) -> None:
    records = tmp_path / "records"
    bots = ["builtin:random"] * 2
    played = referee("match", *bots, "--game", game, "--games", "1", "--seed", "5", "--record", str(records))
    assert played.status == 0, played.err
    file = tmp_path / "game.html"
    written = referee("record", "view", str(records / "0001-1.jsonl"), "-o", str(file))
    assert written.status == 0, written.err
    problems: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: problems.extend([] if request.url.startswith("file:") else [request.url]))
        page.goto(file.as_uri())
        page.wait_for_selector(".page")
        last = int(page.get_by_role("slider").get_attribute("max"))
        standings = [standing(page)]
        for _ in range(last):
            page.keyboard.press("ArrowRight")
            standings.append(standing(page))
        assert page.locator(".place output").inner_text().startswith(f"{last} of {last}")
        assert page.locator(".final tfoot td.total").count() == 2
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for number in (last, last // 2):
            page.get_by_role("slider").fill(str(number))
            found = page.evaluate("axe.run()")["violations"]
            assert [each for each in found if each["impact"] in ("serious", "critical")] == []
        assert standing(page) == standings[last // 2]
        for name in ("public", "all"):
            page.get_by_role("button", name=name, exact=True).click()
            assert page.locator(".panel").count() > 1
    assert problems == []


def standing(page: Any) -> str:
    """The scores in the header."""
    text: str = page.locator(".standing").inner_text()
    return text
