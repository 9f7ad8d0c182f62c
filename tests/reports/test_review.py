"""A review finds what a decision cost: exactly where that can be known, and no mistake where policies disagree."""

import contextlib
import hashlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from msgspec import structs

from referee.cli.record_review import begin, show_kinds
from referee.games import find_game, new_game
from referee.games.policy import Measure
from referee.pages.timeline import Timeline
from referee.players.builtin import BuiltinPlayer
from referee.record.replay import Replay
from referee.record.review import Review, based_on, read_review, write_review
from referee.reports.futures import FEW_FUTURES, FUTURES, confirmed
from referee.reports.review import KindCost, Limits, RecordReview, costs_by_kind, worst_first
from referee.search import Budget, RandomPlayouts, policy_for, weights_of, why_unsearchable
from referee.search.review import CHANGE, VARIANTS, Reviewer, variants
from tests.game_runner.pebbles import Pebbles, Take
from tests.record.played import GamePlan
from tests.registered import registered

NARRATOR = "tests.game_runner.pebbles:PebblesNarrator"
BOLD = 1.0  # how much a pebble of one's own counts


class SearchablePebbles(Pebbles):
    """Pebbles whose secrets don't matter."""

    __slots__ = ()

    def determinize(self, seat: int, random: Random) -> Any:
        return self.copy()


class ExactPolicy:
    """Knows the value of every heap: all seats play as well as possible for the lead in pebbles."""

    measures: ClassVar[Measure] = "lead"

    def __init__(self, game: Any, seat: int, random: Random) -> None:
        self.seat = seat

    def candidates(self, game: Any) -> Sequence[Take]:
        legal: Sequence[Take] = game.legal_actions()
        return legal

    def playout(self, game: Any) -> float:
        lead = game.taken[self.seat] - game.taken[1 - self.seat]
        rest = best_lead(game.heap)
        return float(lead + (rest if game.turn is None or game.turn.seat == self.seat else -rest))


class BoldPolicy(ExactPolicy):
    """Prefers to take few pebbles or many, depending on its weight."""

    def playout(self, game: Any) -> float:
        return (BOLD - 1.1) * float(game.taken[self.seat])


def best_lead(heap: int) -> int:
    """Of the seat whose turn it is, over the other one."""
    return max((count - best_lead(heap - count) for count in range(1, min(3, heap) + 1)), default=0)


class InProcess(Executor):
    """Does everything at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def taking(*counts: int) -> BuiltinPlayer:
    """Takes these numbers of pebbles in turn, and then the largest ones."""
    left = list(counts)

    def choose(legal: Sequence[Any], random: Random) -> Any:
        count = left.pop(0) if left else 3
        return legal[min(count, len(legal)) - 1]

    return BuiltinPlayer(choose)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Path]:
    """From seven pebbles seat 0 takes one (best: three), seat 1 three of six, seat 0 one of three, seat 1 the rest."""
    with registered(SearchablePebbles, narrator=NARRATOR, policy=f"{__name__}:ExactPolicy"):
        players = {0: taking(1, 1), 1: taking(3)}
        yield GamePlan("pebbles", {"heap": "7"}, players).record(tmp_path / "0001-1.jsonl")


def reviewed(record: Path, limits: Limits, seats: Sequence[int] = (0, 1), *, until: float = 2.0) -> Review:
    """The review by this process. `until`: the part at which it is interrupted."""

    def on_progress(part: float) -> None:
        if part >= until:
            raise KeyboardInterrupt

    review = RecordReview(record, Replay(record), seats, limits)
    with contextlib.suppress(KeyboardInterrupt):
        review.run(InProcess(), on_progress)
    return review.result()


def test_what_a_decision_cost_is_exact_where_the_policies_know_it(record: Path) -> None:
    review = reviewed(record, Limits(playouts=400))
    expected = []
    for heap, seat, taken in ((7, 0, 1), (6, 1, 3), (3, 0, 1), (2, 1, 2)):
        cost = best_lead(heap) - (taken - best_lead(heap - taken))
        expected.append((seat, {"count": taken}, float(cost)))
    assert expected[2][2] == 4.0  # three points ahead in place of one behind
    found = [(each.seat, each.taken, each.cost) for each in review.decisions]
    assert found == expected
    third = review.decisions[2]
    assert (third.better, third.low, third.high, third.verdict) == ({"count": 3}, 4.0, 4.0, "candidate")
    assert third.by_policy == [4.0] * VARIANTS
    best = '{"count":3}'
    assert third.play_on == f"referee match BOT BOT --from '{record}#2' --redraw 0 --take '{best}'"
    assert [bool(each.verdict) for each in review.decisions] == [cost > 1 for _, _, cost in expected]
    assert not review.interrupted
    assert review.playouts == sum(each.playouts for each in review.decisions) <= 4 * 400


def test_the_worst_come_first_and_kinds_sum_up_what_they_cost_a_game(record: Path) -> None:
    review = reviewed(record, Limits(playouts=400))
    worst = worst_first([review, review])
    costs = [each.cost for _, each in worst]
    assert costs == sorted(costs, reverse=True)
    likely, certain = (structs.replace(worst[0][1], cost=cost, low=low) for cost, low in ((9.0, -1.0), (2.0, 1.5)))
    first = worst_first(
        [structs.replace(review, decisions=[certain, likely, structs.replace(certain, bot="b", verdict="")])]
    )
    assert [each for _, each in first] == [likely, certain]
    kinds = costs_by_kind([review, review])
    assert {kind.bot for kind in kinds} == {"player 0", "player 1"}
    own = next(kind for kind in kinds if kind.bot == "player 0")
    assert own.games == 2
    assert own.cost == sum(each.cost for each in review.decisions if each.seat == 0)
    assert own.candidates == 2 * sum(bool(each.verdict) for each in review.decisions if each.seat == 0)


def test_the_same_playouts_give_the_same_review_and_only_of_the_seats_that_are_wanted(record: Path) -> None:
    both, own = reviewed(record, Limits(playouts=100)), reviewed(record, Limits(playouts=100), [0])
    assert [each.seat for each in own.decisions] == [0, 0]
    again = reviewed(record, Limits(playouts=100))
    assert again.decisions == both.decisions


def test_an_interrupted_review_has_what_was_found_until_then(record: Path) -> None:
    review = reviewed(record, Limits(playouts=400), until=0.3)
    assert review.interrupted
    assert 0 < len(review.decisions) < 4
    assert not any(each.verdict for each in review.decisions)  # nothing has been compared


def test_where_the_policies_disagree_there_is_no_candidate(record: Path) -> None:
    with registered(SearchablePebbles, narrator=NARRATOR, policy=f"{__name__}:BoldPolicy"):
        review = reviewed(record, Limits(playouts=400))
    judged = [each for each in review.decisions if each.by_policy]
    assert judged
    for each in judged:
        assert min(each.by_policy) < 0 < max(each.by_policy)
        assert not each.verdict


def test_variants_of_a_policy_differ_by_a_third_in_each_weight_or_in_how_they_learn() -> None:
    policy = policy_for(find_game("year_of_the_dragon"))
    weights, varied = weights_of(policy), variants(policy)
    assert varied[0] is policy
    assert len(varied) == VARIANTS
    for each in varied[1:]:
        changed: Any = each.choose_action.__globals__  # type: ignore[attr-defined]
        changes = [abs(changed[name] / value - 1) for name, value in weights.items()]
        assert changes == pytest.approx([CHANGE] * len(weights))
    learns = [vars(each).get("learns", 2) for each in variants(RandomPlayouts)]
    assert learns == [2, 0, 1, 3, 4]


@pytest.mark.ci_only
def test_a_review_depends_only_on_what_the_seat_knew() -> None:
    """In two games that a seat can't tell apart, the same random numbers give the same values."""
    game = new_game("year_of_the_dragon", "hidden", players=2)
    assert game.turn is not None
    seat, taken = game.turn.seat, game.legal_actions()[0]
    other = game.determinize(seat, Random("other"))
    found = []
    for each in (game, other):
        reviewer = Reviewer(each, seat, variants(policy_for(type(game)))[:2], Random(1))
        ranked = reviewer.ranked(taken, Budget(playouts=150))
        found.append([(candidate.action, candidate.values) for candidate in ranked])
    assert found[0] == found[1]


def test_a_page_shows_the_review_beside_its_record_to_those_who_may_see_the_seat(record: Path) -> None:
    write_review(record, reviewed(record, Limits(playouts=400)))
    review = read_review(record)
    assert review is not None
    timeline = Timeline(Replay(record), review=review)
    timeline.finish()
    document = timeline.document()
    assert "8 policies" in document.review
    marked = {
        document.audiences[number]: [place for place, step in enumerate(document.steps) if step.views[number].marks]
        for number in range(len(document.audiences))
    }
    own = [[each.position + 1 for each in review.decisions if each.verdict and each.seat == seat] for seat in (0, 1)]
    assert own[0]
    assert marked == {"all": sorted(own[0] + own[1]), "0": own[0], "1": own[1], "public": []}
    shown = document.steps[3].views[0].decision
    assert shown is not None
    assert shown.review is not None
    assert (shown.review.cost, shown.review.better, shown.review.verdict) == (4.0, 2, "candidate")


@pytest.mark.parametrize("content", [b"{", b"[1]", b'{"review": 1}', b"[" * 100_000])
def test_a_review_that_cannot_be_read_is_none(record: Path, content: bytes) -> None:
    record.with_name("0001-1.review.json").write_bytes(content)
    assert read_review(record) is None


def test_a_review_of_another_game_is_not_shown(record: Path) -> None:
    review = reviewed(record, Limits(playouts=400))
    other = structs.replace(review.decisions[2], taken={"count": 2})
    timeline = Timeline(Replay(record), review=structs.replace(review, decisions=[other]))
    timeline.finish()
    assert not any(view.marks for step in timeline.document().steps for view in step.views)


def test_only_mistakes_that_a_bot_confirms_by_playing_on_are_left(record: Path) -> None:
    """With bots that always take one pebble taking all three wins two points, and taking fewer at first loses some."""
    review = reviewed(record, Limits(playouts=400))
    other = structs.replace(review.decisions[0], better={"count": 1}, taken={"count": 3}, verdict="candidate")
    review = structs.replace(review, decisions=[other, *review.decisions[1:]])
    parts: list[float] = []
    [played], interrupted = confirmed([review], "builtin:first", 1, math.inf, parts.append)
    assert not interrupted
    assert parts[-1] == 1.0
    first, _, third, _ = played.decisions
    assert (first.verdict, first.futures) == ("", FEW_FUTURES)  # a few games were enough
    assert (third.verdict, third.cost, third.low, third.futures) == ("mistake", 2.0, 2.0, FUTURES)
    assert [each.bot for each in played.decisions] == ["builtin:first", "", "builtin:first", ""]
    assert "costs more than 1 when builtin:first plays on in all seats" in " ".join(based_on([played]))


def test_a_review_of_one_seat_keeps_what_is_known_of_the_other(record: Path) -> None:
    whole = reviewed(record, Limits(playouts=400))
    own = [reviewed(record, Limits(playouts=400), [seat]) for seat in (0, 1)]
    own = [structs.replace(each, seconds=each.playouts / 10) for each in own]
    for review in (structs.replace(own[1], interrupted=True), own[0], own[0], own[0]):
        write_review(record, review)
    kept = read_review(record)
    assert kept is not None
    assert [each.position for each in kept.decisions] == [each.position for each in whole.decisions]
    assert kept.playouts == sum(each.playouts for each in kept.decisions)
    assert kept.seconds == pytest.approx(kept.playouts / 10)  # those of what was replaced don't count
    assert kept.interrupted
    again = structs.replace(whole, decisions=[structs.replace(each, cost=9.0) for each in whole.decisions])
    write_review(record, again)
    assert read_review(record) == again


def test_a_review_keeps_nothing_of_another_record_or_another_way_to_judge(record: Path) -> None:
    review = reviewed(record, Limits(playouts=100), [0])
    assert review.record_sha256 == hashlib.sha256(record.read_bytes()).hexdigest()
    other = reviewed(record, Limits(playouts=100), [1])
    for name, value in (("record_sha256", "0"), ("policies", 3), ("threshold", 9.0)):
        write_review(record, structs.replace(other, **{name: value}))
        write_review(record, review)
        assert read_review(record) == review


def test_what_is_found_of_a_kind_of_decision_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"decisions": 240, "mistakes": 0, "candidates": 12}
    kind = KindCost(bot="b", decision="play_card", games=20, **found, cost=4.1, low=2.9, high=5.3)
    show_kinds([kind, structs.replace(kind, mistakes=1, low=None), structs.replace(kind, candidates=0)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "  play card  4.1 (2.9 to 5.3), 12 candidates in 240",
        "  play card  4.1, 1 mistake and 12 candidates in 240",
        "  play card  4.1 (2.9 to 5.3), none in 240",
    ]


def test_a_path_that_is_not_text_loses_no_review(record: Path) -> None:
    other = record.rename(record.with_name(os.fsdecode(b"caf\xe9.jsonl")))
    write_review(other, reviewed(other, Limits(playouts=100)))
    kept = read_review(other)
    assert kept is not None
    assert len(kept.decisions) == 4
    assert kept.record.endswith("caf\ufffd.jsonl")


@pytest.mark.parametrize("game", ["open_spiel:leduc_poker", "open_spiel:hearts"])
def test_a_game_that_hides_decisions_can_be_reviewed_by_its_record(game: str, tmp_path: Path) -> None:
    """Though no bot can search it: it isn't sent what others decide."""
    pytest.importorskip("pyspiel")
    assert why_unsearchable(find_game(game)) is not None
    record = GamePlan(game, {}, {}).record(tmp_path / "0001-1.jsonl")
    begun = begin(record, "0", None, Limits(playouts=20))
    begun.run(InProcess(), lambda part: None)
    assert {each.seat for each in begun.result().decisions} == {0}
