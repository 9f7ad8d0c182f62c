"""A page has every decision of a record, drawn and told, whatever has become of the record."""

import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from random import Random

import msgspec
import pytest

from referee.games import find_narrator, find_renderer
from referee.pages.document import Document
from referee.pages.html import write_page
from referee.pages.svg import panels_at
from referee.pages.timeline import Timeline, all_audiences, numbers_in
from referee.record.render import player_names, render
from referee.record.replay import Replay
from tests.game_runner.pebbles import Pebbles
from tests.pages.playing import PLANS, page, whole_page, without_due
from tests.record.played import GamePlan, lines_of, write
from tests.registered import registered

GAMES_WITH_RENDERER = ("year_of_the_dragon", "forbidden_city")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]  # whose records and pages are made once


def words(text: str) -> list[str]:
    return re.findall(r"[\w(),-]+", text)


def listed(runs: Sequence[int]) -> list[int]:
    """The indices in runs, one by one."""
    found: list[int] = []
    for index in runs:
        found += [index] if index >= 0 else [found[-1] + n for n in range(1, 1 - index)]
    return found


def lines_told(document: Document, audience: int = 0) -> list[str]:
    """What is told, with the names of the players in their places."""
    names = {0xE000 + seat: player.name for seat, player in enumerate(document.seats)}
    texts = (document.texts[line.text] for step in document.steps for line in step.views[audience].lines)
    return [text.translate(names) for text in texts]


def applied(document: Document, end: int, audience: int) -> tuple[dict[str, dict[str, object]], list[str]]:
    """The sprites by panel and key after a step, and the panels in their order, from the differences."""
    shown: dict[str, dict[str, object]] = {}
    order: list[int] = []
    for step in document.steps[: end + 1]:
        view = step.views[audience]
        for change in view.changes:
            panel = shown.setdefault(document.frames[change.frame].key, {})
            for key in change.gone:
                del panel[key]
            panel |= {document.sprites[index].key: document.sprites[index] for index in change.put}
        order = order if view.order is None else view.order
    return shown, [document.frames[index].key for index in order]


@pytest.mark.ci_only
@pytest.mark.parametrize("game", PLANS)
def test_there_is_a_step_for_the_setup_and_for_each_decision_and_fault_and_the_result(
    records: Mapping[str, Path], game: str
) -> None:
    document = whole_page(records[game])
    kinds = [line["type"] for line in lines_of(records[game]) if line["type"] in ("decision", "fault", "result")]
    assert [step.kind for step in document.steps] == ["setup", *kinds]
    assert document.audiences == [str(audience) for audience in all_audiences(3)]
    assert document.result is not None
    assert not document.error
    rounds = [step.round for step in document.steps]
    assert rounds == sorted(rounds)


@pytest.mark.parametrize("game", PLANS)
def test_it_is_told_in_the_words_of_the_record_shown_as_text(records: Mapping[str, Path], game: str) -> None:
    shown = words(" ".join(render(Replay(records[game]))))
    told = [line for line in lines_told(whole_page(records[game])) if "  " not in line and "round" not in line.lower()]
    assert len(told) > 40
    known = {*shown, "wins", "share", "first", "rank", "tiles", "a", "s", "moves", "builds"}
    known |= {"the", "referee", "plays", "for", "it", "from", "now", "on", "and", "is", "placed", "last"}
    unknown = [line for line in told if not set(words(line)) <= known]
    assert unknown == []


def test_each_step_is_told_in_whole_sentences_of_who_decided(records: Mapping[str, Path]) -> None:
    document = whole_page(records["year_of_the_dragon"])
    for step in document.steps:
        sentences = [document.texts[line.text] for line in step.views[0].lines if line.level == 2]
        assert not [each for each in sentences if each.endswith(":") or each.startswith("…")]
        if step.kind == "decision" and step.seat is not None:
            assert chr(0xE000 + step.seat) in sentences[0]


def test_players_have_places_in_lines_so_that_their_names_may_be_words_of_the_game(records: Mapping[str, Path]) -> None:
    lines = lines_of(records["year_of_the_dragon"])
    for player, name in zip(lines[0]["players"], ("palace", "a.b (2)", "harvest"), strict=True):
        player["name"] = name
    document = page(b"".join(msgspec.json.encode(line) + b"\n" for line in lines), ["all"])
    told = {document.texts[line.text] for step in document.steps for line in step.views[0].lines}
    assert any(line.startswith("\ue000 ") for line in told)
    assert any(re.match(r"Order of play: [\ue000-\ue002] \(", line) for line in told)
    assert not any("a.b (2)" in line for line in told)


@pytest.mark.parametrize("game", GAMES_WITH_RENDERER)
def test_differences_add_up_to_what_the_renderer_draws(records: Mapping[str, Path], game: str) -> None:
    replay = Replay(records[game])
    timeline = Timeline(replay, ["all"])
    kind = find_renderer(replay.game_type)
    assert kind is not None
    renderer = kind(player_names(replay.header.players), "all")
    timeline.finish()
    document = timeline.document()
    assert document.result is not None
    renderer.places = document.result.ranks
    renderer.out = {seat for seat, fault in enumerate(document.result.faults) if fault}
    drawn = renderer.draw(replay.game)
    last = len(document.steps) - 1
    shown, order = applied(document, last, 0)
    assert order == [panel.key for panel in drawn]
    assert {key: shown[key] for key in order} == {
        panel.key: {sprite.key: sprite for sprite in panel.sprites} for panel in drawn
    }
    assert [panel.key for panel in panels_at(document, last)] == order


@pytest.mark.parametrize("game", PLANS)
def test_each_decision_has_its_legal_actions_and_the_one_that_was_taken(records: Mapping[str, Path], game: str) -> None:
    document = whole_page(records[game])
    for step in document.steps:
        if step.kind != "decision":
            continue
        everything = step.views[0].decision
        assert everything is not None
        assert everything.seat == step.seat
        legal = listed(everything.legal)
        assert len({document.actions[index].label for index in legal}) == len(legal) > 0
        assert everything.forced == (len(legal) == 1)
        own = step.views[1 + everything.seat].decision
        assert own is not None
        assert own.legal
        assert [own.taken, own.info, own.numbers] == [everything.taken, everything.info, everything.numbers]
        others = [view.decision for seat, view in enumerate(step.views[1:]) if seat != everything.seat]
        assert all(other is not None and not other.legal and other.info is None for other in others)
    taken = [step.views[0].decision for step in document.steps if step.kind == "decision"]
    assert sum(each is not None and each.taken is not None for each in taken) > 0.9 * len(taken)
    assert any(each is not None and each.numbers.keys() == {"asked"} for each in taken)


def test_a_seat_sees_the_message_of_its_own_faults_only(records: Mapping[str, Path]) -> None:
    document = whole_page(records["forbidden_city"])
    faults = [(step.seat, step.views) for step in document.steps if step.kind == "fault"]
    assert {seat for seat, _ in faults} == {0, 1, 2}
    for seat, views in faults:
        assert all(view.fault is not None and view.fault.seat == seat for view in views)
        readers = [number for number, view in enumerate(views) if view.fault and view.fault.message is not None]
        assert seat is not None
        assert readers == [0, 1 + seat]


def test_places_are_those_of_the_result_wherever_they_are_shown(records: Mapping[str, Path]) -> None:
    document = whole_page(records["year_of_the_dragon"])
    assert document.result is not None
    ranks, last = document.result.ranks, len(document.steps) - 1
    assert ranks[2] == 3
    assert document.result.scores[2] > min(document.result.scores), "by the scores alone it would be second"
    (out,) = [n for n, step in enumerate(document.steps) if step.views[0].fault and not step.views[0].fault.retry]
    assert lines_told(document)[-1] == "player 2 is out for timeout and is placed last"
    for audience in range(len(document.audiences)):
        places = [step.views[audience].places for step in document.steps]
        assert places[0] is None, "nobody is ahead in the setup"
        assert [each for each in places if each is not None][-1] == ranks
        assert all(each[2] == 3 for each in places[out:] if each)
        for seat, rank in enumerate(ranks):
            shown, _ = applied(document, last, audience)
            ordinal = ("1st", "2nd", "3rd")[rank - 1]
            said = f"out, {ordinal}" if seat == 2 else f"points, {ordinal}"
            assert f'"{said}"' in msgspec.json.encode(shown[f"mat{seat}"]["rank"]).decode()
        shown, _ = applied(document, 0, audience)
        assert not re.search("1st|2nd|3rd", msgspec.json.encode(shown["mat0"]["rank"]).decode())


def test_a_bot_that_is_out_is_played_by_the_referee_from_then_on(records: Mapping[str, Path]) -> None:
    document = whole_page(records["forbidden_city"])
    assert "player 2 is out: timeout; the referee plays for it from now on" in lines_told(document)
    (out,) = [n for n, step in enumerate(document.steps) if step.views[0].fault and not step.views[0].fault.retry]
    for step, is_said in ((out - 1, False), (out, True)):
        shown, _ = applied(document, step, 0)
        assert ("player 2: out" in msgspec.json.encode(shown["seat2"]["open"]).decode()) == is_said


@pytest.mark.parametrize("game", GAMES_WITH_RENDERER)
def test_scores_of_the_last_step_are_the_result_and_are_broken_down(records: Mapping[str, Path], game: str) -> None:
    document = whole_page(records[game])
    assert document.result is not None
    for audience in range(len(document.audiences)):
        scores = [step.views[audience].scores for step in document.steps]
        assert [each for each in scores if each is not None][-1] == document.result.scores
    assert document.breakdown is not None
    assert [sum(column) for column in zip(*document.breakdown.points, strict=True)] == document.result.scores


@pytest.mark.parametrize("game", GAMES_WITH_RENDERER)
def test_there_is_something_to_jump_to(records: Mapping[str, Path], game: str) -> None:
    marks = [mark for step in whole_page(records[game]).steps for mark in step.views[0].marks]
    assert set(marks) == {"event" if game == "year_of_the_dragon" else "settlement"}
    assert len(marks) > 5


# -- games that are being played ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", PLANS)
def test_a_page_that_grows_is_the_page_of_the_whole_record_in_the_end(records: Mapping[str, Path], game: str) -> None:
    lines = records[game].read_bytes().splitlines(keepends=True)
    decisions = [n for n, line in enumerate(lines) if line.startswith((b'{"type":"decision"', b'{"type":"result"'))]
    replay = Replay(b"".join(lines[: decisions[0]]))
    timeline = Timeline(replay, ["public"])
    timeline.advance()
    document = timeline.document()
    for begin, end in zip(decisions, [*decisions[1:], len(lines)], strict=True):
        assert document.result is None
        due = document.steps[-1].views[0].due
        assert due is None or not due.legal
        replay.extend(b"".join(lines[begin:end]))
        timeline.advance()
        added = timeline.addition()
        document = msgspec.structs.replace(
            document,
            frames=document.frames + added.frames,
            sprites=document.sprites + added.sprites,
            texts=document.texts + added.texts,
            actions=document.actions + added.actions,
            steps=[*without_due(document.steps), *added.steps],
            result=added.result,
            breakdown=added.breakdown,
        )
    assert document == page(records[game], ["public"])


# -- records of all kinds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", ["year_of_the_dragon", "high_card", pytest.param("forbidden_city", marks=pytest.mark.ci_only)]
)
def test_a_record_that_breaks_off_anywhere_has_a_page_up_to_there(records: Mapping[str, Path], game: str) -> None:
    lines = records[game].read_bytes().splitlines(keepends=True)
    cuts = Random(game).sample(range(5, len(lines)), 3)
    for cut, audience in zip([1, 2, 4, *cuts], cycle(all_audiences(3)), strict=False):
        document = page(b"".join(lines[:cut]), [audience])
        assert f"breaks off here, after line {cut}" in document.error
        assert document.steps[-1].kind == "broken off"
        assert document.result is None
        assert write_page(document)


def test_the_decision_that_was_due_when_a_record_broke_off_is_shown_with_its_legal_actions(
    records: Mapping[str, Path],
) -> None:
    lines = records["forbidden_city"].read_bytes().splitlines(keepends=True)
    document = page(b"".join(lines[:12]))
    due = [view.due for view in document.steps[-1].views]
    assert due[0] is not None
    assert [each is not None and bool(each.legal) for each in due] == [
        True,
        *(seat == due[0].seat for seat in range(3)),
        False,
    ]


def test_a_wrong_record_has_a_page_up_to_the_wrong_line(records: Mapping[str, Path], tmp_path: Path) -> None:
    lines = lines_of(records["year_of_the_dragon"])
    wrong = next(n for n, line in enumerate(lines) if n > 60 and line["type"] == "decision")
    lines[wrong]["action"] = {"secret": "</script>"}
    whole = page(write(tmp_path / "wrong.jsonl", lines))
    assert whole.error.startswith(f"The record is wrong in line {wrong + 1}: not an action of ")
    assert page(tmp_path / "wrong.jsonl", ["public"]).error == f"The record is wrong in line {wrong + 1}."


def test_a_game_of_others_without_renderer_is_drawn_as_its_narrator_draws_it(records: Mapping[str, Path]) -> None:
    document = whole_page(records["high_card"])
    assert document.frames == []  # this narrator draws nothing
    assert document.rules  # the presenter's
    with registered(Replay(records["forbidden_city"]).game_type, narrator=CITY_NARRATOR):
        document = page(records["forbidden_city"])
        replay = Replay(records["forbidden_city"])
        replay.check()
        board = list(find_narrator(replay.game_type)(replay.game, document.seats[0].name * 3, 100).draw())
    [panel] = panels_at(document, len(document.steps) - 1)
    drawn = [str(sprite.shape[0].children[0]).replace("\N{NO-BREAK SPACE}", " ") for sprite in panel.sprites]
    assert sorted(drawn) == sorted(line for line in board if line.strip())


CITY_NARRATOR = "referee.games.forbidden_city.narrator:CityNarrator"


def test_a_game_that_does_not_say_what_is_known_of_it_lists_decisions_for_a_seat(tmp_path: Path) -> None:
    with registered(Pebbles, narrator="tests.game_runner.pebbles:PebblesNarrator"):
        document = page(GamePlan("pebbles", {"players": "2"}).record(tmp_path / "pebbles.jsonl"))
    everything, seat, _, public = (lines_told(document, audience) for audience in range(4))
    assert "player 0 leaves" in " ".join(everything)
    for told in (seat, public):
        assert told[0].startswith("The rules of this game don't say what this audience knows of it")
        assert any(line.startswith('player 0, take: {"count":') for line in told)


def test_numbers_of_an_info_are_those_at_its_top() -> None:
    assert numbers_in('{"a": 1, "b": 2.5, "c": "3", "d": [4], "e": true, "f": null}') == {"a": 1, "b": 2.5}
    assert numbers_in("17") == {"info": 17}
    assert numbers_in('"text"') == {}
    assert numbers_in("{broken") == {}
    assert numbers_in("[" * 10_000 + "]" * 10_000) == {}
    assert numbers_in(f'{{"a": 1, "large": 1{"0" * 400}, "small": -1{"0" * 400}}}') == {"a": 1}
