"""The page of a game in a browser: stepping, keys, links, views, reading it without eyes, and text that is hostile."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from referee.pages.document import Document
from tests.browser.made_up import HOSTILE, NAMES, STEPS, made_up
from tests.browser.opening import AXE, html, missing, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing())]

Open = Callable[..., Any]
SITE: Final = "http://referee.test/"


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a document as a file. Fails in the end if a page wrote to the console or asked for anything but files."""
    problems: list[str] = []

    def open_page(
        document: Document, *, fragment: str = "", width: int = 1280, height: int = 800, **options: Any
    ) -> Any:
        file = tmp_path / "game.html"
        file.write_text(html(document), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("request", lambda request: problems.extend([] if request.url.startswith("file:") else [request.url]))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        page.goto(f"{file.as_uri()}{fragment}")
        page.wait_for_selector(".page")
        return page

    yield open_page
    assert problems == []


def place(page: Any) -> int:
    """The position shown."""
    return int(page.locator(".place output").inner_text().split()[0])


def test_arrows_show_each_position_and_the_same_ones_backwards(opened: Open) -> None:
    page = opened(made_up())

    def look() -> tuple[int, str, str]:
        return place(page), page.locator(".panels").inner_html(), page.locator(".standing").inner_text()

    page.emulate_media(reduced_motion="reduce")
    there = []
    for _ in range(STEPS):
        page.keyboard.press("ArrowRight")
        there.append(look())
    assert [number for number, _, _ in there] == list(range(1, STEPS + 1))
    for number, table, standing in reversed(there[:-1]):
        page.keyboard.press("ArrowLeft")
        now = look()
        assert (now[0], now[2]) == (number, standing)
        assert without_floating(now[1]) == without_floating(table)


def without_floating(table: str) -> str:
    """A table without the numbers that float off, which only steps forwards show."""
    return re.sub(r'<text class="floats".*?</text>', "", table)


def test_keys_and_buttons_go_to_rounds_ends_and_marks(opened: Open) -> None:
    page = opened(made_up())
    for key, expected in [
        ("End", STEPS),
        ("Home", 0),
        ("Shift+ArrowRight", 1),
        ("Shift+ArrowRight", 8),
        ("Shift+ArrowLeft", 1),
        ("f", 7),
        ("e", 8),
        ("e", 16),
        ("Shift+E", 8),
    ]:
        page.keyboard.press(key)
        assert place(page) == expected, key
    buttons = ("Forward one step", 9), ("Back one step", 8), ("Forward one round", 16), ("To the end", STEPS)
    for name, expected in buttons:
        page.get_by_role("button", name=name).click()
        assert place(page) == expected, name
    page.get_by_role("button", name=re.compile("faults 1")).click()
    assert place(page) == 7
    assert page.locator(".decision .fault").inner_text().startswith("✕ Fault, asked again: illegal action")


def test_where_a_bot_is_out_what_it_wrote_last_is_shown(opened: Open) -> None:
    document = made_up()
    views = [replace(view, fault=view.fault and replace(view.fault, retry=False)) for view in document.steps[7].views]
    document.steps[7] = replace(document.steps[7], views=views)
    seat = document.steps[7].seat
    document = replace(document, stderr=["Traceback" if index == seat else "" for index in range(len(NAMES))])
    page = opened(document, fragment="#7")
    assert page.locator(".decision .said pre").first.inner_text() == "Traceback"


def test_space_plays_and_pauses(opened: Open) -> None:
    page = opened(made_up())
    page.get_by_label("Speed of playing").select_option("10")
    page.locator("body").click(position={"x": 700, "y": 20})
    page.keyboard.press("Space")
    wait_until(page, lambda: place(page) >= 3)
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Play").count() == 1


def test_the_scrubber_is_a_slider_with_the_round_in_words(opened: Open) -> None:
    page = opened(made_up())
    slider = page.get_by_role("slider", name="Position in the game")
    slider.fill("9")
    assert place(page) == 9
    assert slider.get_attribute("aria-valuetext") == f"9 of {STEPS} · round 2"


def test_a_link_names_a_position(opened: Open) -> None:
    page = opened(made_up(), fragment="#9")
    assert place(page) == 9
    page.keyboard.press("ArrowRight")
    wait_until(page, lambda: page.evaluate("location.hash") == "#10")
    page.evaluate("location.hash = '#4'")
    wait_until(page, lambda: place(page) == 4)
    page.locator(".log a[href='#8']").click()
    assert place(page) == 8


def test_log_and_marks_show_nothing_that_the_reader_has_not_come_to(opened: Open) -> None:
    page = opened(made_up(), fragment="#9")
    numbers = page.locator(".log .number")
    page.keyboard.press("ArrowLeft")
    assert numbers.all_inner_texts() == [str(number) for number in range(10)]
    assert page.locator(".log [aria-current] .number").inner_text() == "8"
    assert page.locator(".mark-at").count() == 2, "the event of step 16 is still to come"
    assert page.get_by_role("button", name="events").locator(".count").inner_text() == "1"


def test_views_show_what_an_audience_knows(opened: Open) -> None:
    page = opened(made_up(), fragment="#6")
    sentence = page.locator(".decision .sentence")
    assert sentence.inner_text() == "steady moves to field 6"
    for key, pressed, expected in [
        ("p", "public", "Hidden from this view."),
        ("1", "steady, seat 1", "steady moves to field 6"),
        ("3", "random, seat 3", "Hidden from this view."),
        ("0", "all", "steady moves to field 6"),
    ]:
        page.keyboard.press(key)
        assert sentence.inner_text() == expected
        assert page.get_by_role("button", name=pressed, exact=True).get_attribute("aria-pressed") == "true"


def test_a_page_for_one_audience_has_no_choice_of_views(opened: Open) -> None:
    page = opened(made_up(audiences=("public",)), fragment="#6")
    assert page.locator(".views button").count() == 0
    assert page.locator(".views").inner_text().split() == ["seen", "by", "the", "public"]
    page.keyboard.press("1")
    assert page.locator(".decision .sentence").inner_text() == "Hidden from this view."


def test_a_decision_lists_eight_legal_actions_with_the_one_taken(opened: Open) -> None:
    page = opened(made_up(), fragment="#14")
    assert page.locator(".legal li").count() == 8
    assert page.locator(".legal .taken").inner_text().endswith("move to field 14")
    page.get_by_role("button", name="17 more").click()
    assert page.locator(".legal li").count() == 25
    page.get_by_role("button", name="on the table").click()
    assert page.locator("[data-panel=board] .is-ghost").count() == 23
    taken = page.locator("[data-panel=board] .is-chosen[data-key=ghost]")
    assert taken.get_attribute("transform") == "translate(460 225)"


def test_what_a_bot_said_and_wrote_and_how_long_it_took(opened: Open) -> None:
    page = opened(made_up(), fragment="#2")
    assert "13 ms" in page.locator(".decision .facts").inner_text()
    assert f"note {HOSTILE}" in page.locator(".info").inner_text()
    assert page.locator(".said pre").inner_text().strip() == "thinking…"
    page.keyboard.press("End")
    page.get_by_text("Standard error of").click()
    assert page.locator(".said pre").inner_text() == f"bye {HOSTILE}"


def test_the_last_position_has_the_scoring(opened: Open) -> None:
    page = opened(made_up(), fragment=f"#{STEPS}")
    rows = page.locator(".final tr").all_inner_texts()
    assert [cell.strip() for cell in rows[-1].split("\t")][:3] == ["Place", "1st", "1st ✕ illegal action"]
    assert rows[1].split("\t")[0].strip() == "moves"
    table = page.locator("[data-panel=board]").bounding_box()
    assert table["y"] + table["height"] <= 800, "beside the last position, which stays on the screen"
    page.keyboard.press("ArrowLeft")
    assert page.locator(".final").count() == 0


def test_a_broken_record_says_where_it_ends(opened: Open) -> None:
    page = opened(made_up(error=f"line 40 is wrong: {HOSTILE}"), fragment="#99")
    assert f"line 40 is wrong: {HOSTILE}" in page.locator(".banner").inner_text()


def test_rules_are_explained_at_a_click_and_keys_in_the_help(opened: Open) -> None:
    page = opened(made_up(), fragment="#4")
    page.get_by_role("button", name="great wall").click()
    assert "It is long" in page.get_by_role("dialog", name="Great wall").inner_text()
    # Before the event of the closed dialog has come: a key is not lost, nor is what it opens closed again.
    again = "document.querySelector('dialog').close(); dispatchEvent(new KeyboardEvent('keydown', {key: '?'}))"
    for _ in range(2):
        page.evaluate(again)
        assert "next fault" in page.get_by_role("dialog", name="Keys").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert place(page) == 4
    page.locator("[data-key='piece 0']").click()
    assert "piece on field 1" in page.get_by_role("dialog", name="On the table").inner_text()


def test_only_what_moved_glides_and_only_on_single_steps(opened: Open) -> None:
    page = opened(made_up())
    # The keys of what begins to glide are kept, since on a busy machine an animation is over before a test can look.
    page.evaluate("""() => {
        const animate = Element.prototype.animate;
        window.glided = [];
        Element.prototype.animate = function (frames, options) {
            window.glided.push(frames[0].transform?.startsWith("translate(") ? this.dataset.key : "another animation");
            return animate.call(this, frames, options);
        };
    }""")
    glided = "window.glided.splice(0)"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(glided) == ["piece 0"]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(glided) == ["piece 0"]
    page.keyboard.press("End")
    assert set(page.evaluate(glided)) <= {"another animation"}
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(glided) == []


def test_what_changed_is_outlined_and_what_was_paid_floats_off(opened: Open) -> None:
    page = opened(made_up(), fragment="#3")
    page.keyboard.press("ArrowRight")
    outlined = "els => els.map(each => each.closest('.sprite').dataset.key + ' ' + each.getAttribute('class'))"
    edges = page.locator(".outline .edge").evaluate_all(outlined)
    assert edges == ["piece 3 edge line-seat3", "yuan 3 edge line-seat3"]
    assert page.locator(".floats").all_text_contents() == ["−2"]


def test_the_sentence_is_read_out(opened: Open) -> None:
    page = opened(made_up())
    page.keyboard.press("ArrowRight")
    status = page.locator("[role=status]")
    assert status.get_attribute("aria-live") == "polite"
    assert status.inner_text() == "steady moves to field 1"


def test_text_of_bots_stays_text(opened: Open) -> None:
    page = opened(made_up(), fragment="#7")
    assert page.locator("img").count() == 0
    assert page.locator(".standing .who").nth(1).inner_text() == NAMES[1]


@pytest.mark.parametrize(("scheme", "fragment"), [("light", "#7"), ("dark", f"#{STEPS}")])
def test_axe_finds_nothing_serious(opened: Open, scheme: str, fragment: str) -> None:
    for width in (1280, 390):
        page = opened(made_up(), fragment=fragment, width=width, color_scheme=scheme)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run()")["violations"]
        serious = [
            (each["id"], each["help"], [node["html"][:200] for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], (width, fragment)


def test_on_a_phone_the_rest_is_behind_one_button(opened: Open) -> None:
    page = opened(made_up(), fragment="#4", width=390, height=844)
    assert not page.locator(".log").is_visible()
    assert "moves to field 4" in page.locator(".caption").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="more").click()
    assert page.locator(".log").is_visible()
    page.get_by_role("button", name="table", exact=True).click()
    assert page.locator("[data-panel=board]").is_visible()


def test_on_a_phone_a_choice_is_made_and_confirmed_below_the_table_without_the_controls(opened: Open) -> None:
    deciding = made_up(finished=False, live={"choose": "/choose", "seat": 0})
    page = opened(deciding, fragment=f"#{STEPS - 1}", width=390, height=844)
    assert not page.locator(".controls").is_visible()
    page.locator("[data-panel=board] [data-key='field 5']").dispatch_event("click")
    choice = page.get_by_role("group", name="Your choice")
    assert "move to field 5" in choice.inner_text()
    box = choice.get_by_role("button", name="Confirm").bounding_box()
    assert box["y"] + box["height"] <= 844


def test_a_person_chooses_by_clicks_search_and_keys(browser: Any) -> None:
    document = made_up(finished=False, live={"updates": "/updates", "choose": "/choose", "seat": 0})
    sent: list[dict[str, int]] = []
    addition = {"steps": [{"kind": "result", "round": 3, "views": [{}] * len(document.audiences)}], "ended": True}

    def answer(route: Any) -> None:
        match route.request.url.removeprefix(SITE):
            case "choose":
                sent.append(json.loads(route.request.post_data))
                route.fulfill(status=204)
            case "updates" if sent:
                route.fulfill(content_type="text/event-stream", body=f"data: {json.dumps(addition)}\n\n")
            case "updates":
                route.fulfill(content_type="text/event-stream", body="retry: 50\n\n")
            case _:
                route.fulfill(content_type="text/html", body=html(document))

    page = browser.new_page()
    page.set_default_timeout(10_000)
    page.route("**/*", answer)
    page.goto(SITE)
    options = page.get_by_role("listbox", name="Legal actions").get_by_role("option")
    assert options.count() == 25
    page.get_by_label("Search the legal actions").fill("field 2")
    assert options.all_inner_texts() == [f"move to field {n}" for n in (2, 20, 21, 22, 23)]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("#actions [aria-selected=true]").inner_text() == "move to field 20"
    page.keyboard.press("Escape")
    page.get_by_label("Search the legal actions").fill("")
    page.locator("[data-panel=board] [data-key='field 5']").click(position={"x": 5, "y": 8})
    assert page.locator("#actions [aria-selected=true]").inner_text() == "move to field 5"
    page.keyboard.press("u")
    assert options.count() == 25
    page.locator("[data-panel=board] [data-key=ghost]").nth(6).click()
    page.keyboard.press("Enter")
    wait_until(page, lambda: place(page) == STEPS)
    assert sent == [{"step": STEPS - 1, "action": 6}]
    assert page.locator(".live").inner_text().splitlines() == ["not finished", "from the start"]
    page.close()
