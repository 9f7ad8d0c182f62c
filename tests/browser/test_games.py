"""Pages of real games in a browser, as `record view` writes them."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import AXE, html, missing
from tests.cli.command import referee
from tests.pages.playing import whole_page
from tests.record.played import GamePlan

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.mark.parametrize("game", ["year_of_the_dragon", "forbidden_city"])
def test_a_recorded_game_can_be_read_from_its_start_to_its_end(game: str, browser: Any, tmp_path: Path) -> None:
    """Of three players, on the first screen of usual sizes, where nothing moves from step to step."""
    records = tmp_path / "records"
    bots = ["builtin:random"] * 3
    played = referee("match", *bots, "--game", game, "--games", "1", "--seed", "5", "--record", str(records))
    assert played.status == 0, played.err
    file = tmp_path / "game.html"
    written = referee("record", "view", str(records / "0001-1.jsonl"), "-o", str(file))
    assert written.status == 0, written.err
    problems: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.extend([] if request.url.startswith("file:") else [request.url]))
    page.goto(file.as_uri())
    page.wait_for_selector(".page")
    last = int(page.get_by_role("slider").get_attribute("max"))
    standings: list[str] = []
    for width, height, step in ((1280, 800, 1), (1440, 900, 9), (1920, 1080, 9)):
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("Home")
        fold = page.locator(".dock").bounding_box()["y"]
        seen = [page.locator(f"[data-panel={name}]").bounding_box() for name in ON_FIRST_SCREEN[game]]
        assert all(box["y"] + box["height"] <= fold for box in seen), (width, seen)
        read, places = page.evaluate(READ, step)
        assert places == 1, "the table moves"
        standings = standings or read
    assert len(standings) == last + 1
    page.keyboard.press("End")
    assert page.locator(".place output").inner_text().startswith(f"{last} of {last}")
    assert page.locator(".final tfoot td.total").count() == len(bots)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for number in (last, last // 2):
        page.get_by_role("slider").fill(str(number))
        found = page.evaluate("axe.run()")["violations"]
        assert [each for each in found if each["impact"] in ("serious", "critical")] == []
    assert page.locator(".standing").inner_text() == standings[last // 2]
    for name in ("public", "all"):
        page.get_by_role("button", name=name, exact=True).click()
        assert page.locator(".panel").count() > 1
    assert problems == []


READ = """async (stride) => {
  const slider = document.querySelector("input[type=range]");
  const standings = [];
  const places = new Set();
  for (let step = 0; step <= slider.max; step += stride) {
    slider.value = step;
    slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    standings.push(document.querySelector(".standing").innerText);
    const panels = [...document.querySelectorAll("[data-panel]")].map((each) => each.getBoundingClientRect());
    places.add(JSON.stringify(panels.map(({ left, top, width, height }) => [left, top, width, height])));
  }
  return [standings, places.size];
}"""
"""The scores in the header at each step or at one of so many, and how many layouts the panels had."""
ON_FIRST_SCREEN = {
    "year_of_the_dragon": ("year", "mat0", "mat1", "mat2"),
    "forbidden_city": ("board", "seat0", "seat1", "seat2", "open"),
}
DRAWINGS = {
    "year_of_the_dragon": {"players": "5", "great_wall": "true", "super_event": "flood"},
    "open_spiel:chess": {},
    "open_spiel:hex": {"board_size": "5"},
    "open_spiel:hearts": {},
    "open_spiel:backgammon": {},
    "open_spiel:liars_dice": {},
    "open_spiel:blotto": {},
}
"""A game of each drawing, and one that is shown as text."""
SMALLEST = 10.95
"""Pixels of text, which is rounded."""
TEXTS = """() => [...document.querySelectorAll(".page *")].filter((each) =>
    [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && !each.closest(".for-readers") &&
    each.checkVisibility() && each.getBoundingClientRect().width).map((each) => {
  const size = parseFloat(getComputedStyle(each).fontSize);
  return [size * (each.getScreenCTM ? each.getScreenCTM().a : 1), each.textContent];
})"""


@pytest.mark.parametrize("game", DRAWINGS)
def test_each_drawing_can_be_read_on_a_phone_and_by_everybody(game: str, browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
    record = GamePlan(game, DRAWINGS[game]).record(tmp_path / "game.jsonl")
    file = tmp_path / "game.html"
    file.write_text(html(whole_page(record)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce", color_scheme="dark")
    page.goto(file.as_uri())
    page.wait_for_selector(".page")
    slider = page.get_by_role("slider")
    slider.fill(str(int(slider.get_attribute("max")) // 2))
    assert [text for size, text in page.evaluate(TEXTS) if size < SMALLEST] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate("axe.run()")["violations"] == []
