"""A page is one file that requests nothing, and in which nothing from a bot can run."""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from referee.games.renderer import Node, Panel, Sprite
from referee.pages.html import write_page
from referee.pages.pools import Pools
from referee.pages.svg import write_svg
from tests.pages.playing import page, whole_page
from tests.record.played import GamePlan, lines_of, write

HOSTILE = "</script><script>alert(1)</script><!--<svg onload=alert(2)>&quot;\u2028\U0001f600"
USUAL = {
    "year_of_the_dragon": {"players": "5", "great_wall": "true", "super_event": "random"},
    "forbidden_city": {"players": "2"},
}
MAX_PAGE = 300_000

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]  # whose records and pages are made once


class Elements(HTMLParser):
    """The tags of a page with their attributes, and the text of the scripts."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._within = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._within = tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._within, []).append(data)
        self._within = ""


@pytest.mark.ci_only
def test_a_page_is_the_document_and_two_hashed_parts_and_requests_nothing(records: Mapping[str, Path]) -> None:
    document = whole_page(records["forbidden_city"])
    elements = Elements(write_page(document))
    assert not [attributes for _, attributes in elements.found if "src" in attributes or "href" in attributes]
    assert [attributes.get("type") for tag, attributes in elements.found if tag == "script"] == ["text/plain", "module"]
    data, script = elements.texts["script"]
    assert gzip.decompress(base64.b64decode(data)) == msgspec.json.encode(document)
    [policy] = [str(each["content"]) for tag, each in elements.found if each.get("http-equiv")]
    assert policy.startswith("default-src 'none'; ")
    for content in (script, elements.texts["style"][0]):
        assert base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() in policy
    assert "unsafe" not in policy
    assert not re.search(r"url\(|@import", elements.texts["style"][0])


def test_nothing_that_a_bot_says_is_html(records: Mapping[str, Path], tmp_path: Path) -> None:
    lines = lines_of(records["year_of_the_dragon"])
    for player in lines[0]["players"]:
        player |= {"name": HOSTILE, "bot": HOSTILE, "author": HOSTILE}
    for line in lines:
        if line["type"] == "fault":
            line["message"] = HOSTILE
        if line["type"] == "decision" and "ms" in line:
            line["info"] = HOSTILE
    content = write_page(page(write(tmp_path / "hostile.jsonl", lines), ["all"], [HOSTILE.encode()] * 3))
    plain = Elements(write_page(page(records["year_of_the_dragon"], ["all"])))
    assert [tag for tag, _ in Elements(content).found] == [tag for tag, _ in plain.found]
    assert "alert(" not in re.sub(r'(?s)<script type="text/plain".*', "", content).replace("&lt;script&gt;alert(1)", "")


@pytest.mark.ci_only
@pytest.mark.parametrize("game", USUAL)
def test_a_usual_game_takes_less_than_300_kilobytes(game: str, tmp_path: Path) -> None:
    record = GamePlan(game, USUAL[game]).record(tmp_path / "usual.jsonl")
    assert len(write_page(page(record)).encode()) < MAX_PAGE


@pytest.mark.parametrize(
    "game", ["year_of_the_dragon", "high_card", pytest.param("forbidden_city", marks=pytest.mark.ci_only)]
)
def test_the_same_record_gives_the_same_bytes(records: Mapping[str, Path], game: str) -> None:
    first, second = (write_page(page(records[game], [0])) for _ in range(2))
    assert first == second


# -- SVG ------------------------------------------------------------------------------------------------------


def panel(*nodes: Node) -> Panel:
    return Panel(key="p", title=HOSTILE, width=100, height=50, sprites=[Sprite(key="s", x=0, y=0, shape=nodes)])


def test_text_in_an_svg_is_escaped() -> None:
    drawn = write_svg([panel(Node("text", {"class": '"><script>'}, [HOSTILE]))], HOSTILE)
    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    assert [text.get("class") for text in texts][1:] == ['"><script>']
    assert "onload" not in re.sub(r"&lt;.*?&gt;", "", drawn)


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (Node("script"), "can't contain <script>"),
        (Node("g", {}, [Node("a")]), "can't contain <a>"),
        (Node("g", {"onclick": "alert(1)"}), "can't have onclick"),
        (Node("rect", {"style": "fill: url(http://x)"}), "can't have style"),
    ],
)
def test_a_drawing_has_only_shapes(node: Node, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        write_svg([panel(node)], "")
    with pytest.raises(ValueError, match=re.escape(problem)):
        Pools().sprite(panel(node).sprites[0])


def test_colours_of_an_svg_follow_the_viewer_and_need_no_variables() -> None:
    css = (
        ".scene { --room: #ffeedd; } .dark .scene, .scene.dark { --room: #221100; } .scene .room { fill: var(--room); }"
    )
    drawn = write_svg([panel(Node("rect", {"class": "room"}))], "", css)
    light, dark = drawn.split("@media (prefers-color-scheme:dark)")
    assert ".scene .room{fill: #ffeedd;}" in light
    assert ".scene .room{fill: #221100;}" in dark
    assert "var(" not in drawn
