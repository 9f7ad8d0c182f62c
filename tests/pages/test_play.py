"""`human@web`: people who play in browsers, over HTTP as their pages do."""

import json
from pathlib import Path
from random import Random
from typing import Final

import pytest

from referee.games.renderer import Audience
from tests.pages.browser import Followed, watched
from tests.pages.playing import without_due
from tests.pages.test_live import assert_nothing_hidden, shown_steps

pytestmark = pytest.mark.usefixtures("forked_modules")

pytest.importorskip("h11", reason="the package of the extra web is not installed")

PEOPLE: Final = ("ann=human@web", "ben=human@web")


def play_to_the_end(pages: list[Followed], random: Random) -> None:
    """Whoever is on turn decides; the others follow."""
    ended = [False for _ in pages]
    while not all(ended):
        for page in pages:
            if page.due is not None and page.due.legal:
                answer = page.choose(random.randrange(len(page.due.legal)))
                assert (answer.status, answer.text) == (200, "ok\n")
        ended = [not page.advance() for page in pages]


@pytest.mark.ci_only
def test_two_people_play_a_whole_game(tmp_path: Path) -> None:
    records = tmp_path / "records"
    options: list[str | Path] = ["--game", "forbidden_city", "--set", "players=2", "--record", records, "--watch"]
    with watched("match", *PEOPLE, *options) as match:
        browsers = [match.browser(f"{name} plays at") for name in ("ann", "ben")]
        spectator = match.spectator()
        assert len({browser.path for browser in [*browsers, spectator]}) == 3
        assert "You play as ann." in browsers[0].get().text
        pages = [browser.follow(browser.game()) for browser in browsers]
        page = spectator.follow(spectator.first_game())
        assert [page.document.audiences for page in [*pages, page]] == [["0"], ["1"], ["public"]]
        assert page.document.live is not None
        assert not page.document.live.choose

        acting, waiting = pages if pages[0].due is not None and pages[0].due.seat == 0 else pages[::-1]
        assert acting.due is not None
        assert acting.due.legal
        assert waiting.due is not None
        assert not waiting.due.legal
        refused = waiting.choose(0)
        assert (refused.status, refused.text) == (409, "It is not your turn.\n")
        for action in (-1, len(acting.due.legal), 10**30):
            refused = acting.choose(action)
            assert refused.status in (400, 409)
            assert refused.text.startswith(("There is no such action", "The answer can't be read"))
        first = len(acting.steps) - 1
        assert acting.choose(0).status == 200
        refused = acting.choose(0, first)
        assert (refused.status, refused.text) in [
            (409, "This decision has already been taken.\n"),
            (409, "It is not your turn.\n"),
        ]
        for one in pages:
            assert one.advance()
        refused = acting.choose(0, first)
        assert (refused.status, refused.text) == (409, "This decision has already been taken.\n")
        address = f"games/{acting.game_id}/choose"
        for body in (b"", b"nonsense", b"[]", b'{"step": 1}', b'{"step": "1", "action": 0}', b" " * 5000):
            refused = acting.browser.request("POST", address, body, Content_Type="application/json")
            assert refused.status == (413 if len(body) > 4096 else 400)
            assert "can't be read" in refused.text
        form = acting.browser.request("POST", address, json.dumps({"step": first, "action": 0}).encode())
        assert form.status == 400, "as a form of another site could send it"
        assert acting.browser.post(address, {"step": 0, "action": 0}, Origin="http://evil.example").status == 403

        play_to_the_end(pages, Random(1))
        while page.advance():
            pass
        assert match.end()[0] == 0
    [record] = records.glob("*.jsonl")
    audiences: list[Audience] = [0, 1, "public"]
    for one, audience in zip([*pages, page], audiences, strict=True):
        # What a page may know that is cut for an audience is tested on records.
        assert without_due(one.steps) == shown_steps(record, audience)
        assert one.ended
        assert one.result == pages[0].result
        assert json.loads(record.read_text().splitlines()[0])["seed"] not in one.raw
    assert_nothing_hidden(page.document, page.steps)


@pytest.mark.slow
def test_a_clock_runs_out() -> None:
    # Time enough for a request while the second game runs, in which nobody answers either.
    options = ["--game", "forbidden_city", "--move-time", "4s", "--no-record", "--games", "2"]
    with watched("match", "ann=human@web", "builtin:random", *options) as match:
        browser = match.browser("ann plays at")
        page = browser.follow(browser.game())
        while page.advance():
            pass
        assert page.ended
        assert page.result is not None
        assert page.result.faults == ["timeout", None]
        fault = next(step.views[0].fault for step in page.steps if step.views[0].fault is not None)
        assert (fault.seat, fault.code) == (0, "timeout")
        late = page.choose(0)
        assert (late.status, late.text) == (409, "This game is over.\n")


@pytest.mark.slow
def test_a_page_that_is_opened_again_and_a_person_who_leaves() -> None:
    options = ["--game", "forbidden_city", "--no-timeout", "--no-record", "--games", "2"]
    with watched("match", "ann=human@web", "builtin:random", *options) as match:
        browser = match.browser("ann plays at")
        game = browser.game()
        page = browser.follow(game)
        while page.due is None or not page.due.legal:
            assert page.advance()
        assert page.choose(0).status == 200
        assert page.advance()
        again = browser.follow(game)
        assert without_due(again.steps)[: len(page.steps)] == without_due(page.steps)
        assert browser.post("leave", {}).status == 200
        while again.advance():
            pass
        assert again.ended
        assert match.end()[0] == 130


@pytest.mark.slow
def test_nobody_can_play_without_the_pages() -> None:
    with watched("match", "ann=human@web", "builtin:random", "--no-record") as match:
        browser = match.browser("ann plays at")
        browser.game()
        match.kill_pages()
        status, said = match.end()
        assert status == 1
        assert "the process that serves pages has ended: nobody can play in a browser any more" in said
