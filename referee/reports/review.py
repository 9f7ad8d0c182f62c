"""Reviews of recorded games: every decision is given to a search, in several processes, within a budget.

A review of a record has two phases. All decisions are searched for the best action; where it isn't the one taken, the
two are compared in new games, since the best of many looks better than it is.
"""

import contextlib
import hashlib
import math
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple, Self

import msgspec
from msgspec import Struct

from protocol.record import DecisionLine
from referee.games import Game, find_narrator
from referee.games.narrator import in_points
from referee.games.policy import Measure
from referee.own_python import spawning
from referee.pages.audience import renderer_for
from referee.processes.limits.machine import cores
from referee.record.reader import read_unpacked
from referee.record.render import player_names
from referee.record.replay import Replay, as_json, index_of
from referee.record.review import Review, ReviewedDecision
from referee.reports.formatting import format_path
from referee.reports.next_steps import NextStep, after_review
from referee.search import Budget, policy_for
from referee.search.review import Pair, Reviewer, variants
from tournaments.competition.intervals import Estimate, mean_interval

THRESHOLDS: Final[dict[Measure, float]] = {"lead": 1.0, "result": 0.05}
"""A candidate or a mistake costs more than this."""
SEARCHED: Final = 0.5
"""The part of the budget after which better actions have been searched for; the rest is for comparing."""
SPEED_TEST_SECONDS: Final = 0.5
"""Seconds in which the speed is measured, if the budget is a number of playouts."""
MOST_CHOICES: Final = 24
"""A decision gets more of the budget the more choices it has, up to these."""


class Limits(Struct, frozen=True, kw_only=True):
    """What the review of one record may cost."""

    seconds: float = math.inf
    playouts: int = sys.maxsize
    """For each decision, on average. What is found then doesn't depend on the machine."""


class Due(Struct, kw_only=True):
    """A decision that is reviewed."""

    position: int
    round: int
    seat: int
    decision: str
    scores: list[float]
    legal: list[Any]
    labels: list[str]
    taken: int | None
    """Its index in `legal`; None if it is written differently."""
    action: Any
    value: float = 0.0
    better: int | None = None
    searched: int = 0
    """Playouts of the search."""
    lost: float = 0.0
    """How much more the better action was worth in the search."""
    pairs: list[list[Pair]] = []
    """By policy."""

    @property
    def costs(self) -> list[float]:
        """Under each policy."""
        return [fmean(pair.better - pair.taken for pair in pairs) for pairs in self.pairs if pairs]


class KindCost(Struct, frozen=True, kw_only=True):
    """What decisions of one kind cost a bot in a game, on average over the games reviewed."""

    bot: str
    decision: str
    games: int
    decisions: int
    mistakes: int
    candidates: int
    cost: float
    """Per game, of all decisions of the kind."""
    low: float | None
    """The bounds of the 95 % interval, over the policies, of these games; None where it can't be told."""
    high: float | None


class ReviewedRecords(Struct, frozen=True, kw_only=True):
    """What `referee record review --json` prints."""

    reviews: list[Review]
    """One for each record, with all decisions reviewed."""
    worst: list[ReviewedDecision]
    """What cost most: mistakes, then candidates and what is uncertain, the worst of each first."""
    kinds: list[KindCost]
    """What each kind of decision costs each bot a game."""
    interrupted: bool
    next: list[NextStep]

    @classmethod
    def of(cls, reviews: list[Review], worst: int) -> Self:
        """`worst`: the number that is listed."""
        ranked = worst_first(reviews)[:worst]
        return cls(
            reviews=reviews,
            worst=[decision for _, decision in ranked],
            kinds=costs_by_kind(reviews),
            interrupted=any(review.interrupted for review in reviews),
            next=list(after_review(*ranked[0])) if ranked else [],
        )


def due_decisions(replay: Replay, seats: Sequence[int]) -> list[Due]:
    """The decisions of these seats in which there was a choice. Replays the record. Raises InvalidRecord."""
    if replay.unstarted is not None:
        raise replay.unstarted
    names = player_names(replay.header.players)
    narrator = find_narrator(replay.game_type)(replay.game, names)
    narrator.drawings = False
    found, round_no = list[Due](), 0
    for numbered in replay.rest:
        line = numbered.line
        for said in narrator.narrate([event for event, _ in replay.latest()]):
            round_no = said.round or round_no
        if isinstance(line, DecisionLine) and line.seat in seats and is_reviewed(line, replay.game):
            game, legal = replay.game, replay.game.legal_actions()
            shown = renderer_for(type(game), names, line.seat)
            found.append(
                Due(
                    position=replay.position,
                    round=round_no,
                    seat=line.seat,
                    decision=line.decision,
                    scores=[in_points(type(game), score) for score in game.ranking().scores],
                    legal=list(map(msgspec.to_builtins, legal)),
                    labels=[choice.label for choice in shown.choices(game, legal)],
                    taken=index_of(line.action, legal),
                    action=line.action,
                )
            )
        replay.step()
    return found


def is_reviewed(line: DecisionLine, game: Game) -> bool:
    """Whether a player took this decision, and had a choice."""
    return not (line.forced or line.opening or line.substitute or game.turn is None) and len(game.legal_actions()) > 1


class RecordReview:
    """The review of one record, phase by phase."""

    def __init__(self, record: Path, replay: Replay, seats: Sequence[int], limits: Limits) -> None:
        """Raises InvalidRecord."""
        self.record = record
        self._sha256 = hashlib.sha256(read_unpacked(record)).hexdigest()
        self.names = player_names(replay.header.players)
        self.game = replay.game_type
        self.policy = policy_for(replay.game_type)
        self.due = due_decisions(replay, seats)
        self._limits = limits
        self._began = time.monotonic()
        self._seconds = 0.0
        self._interrupted = True

    def seconds_needed(self) -> float:
        """About how long it will take with a budget of playouts, by a few of them in the middle of the game."""
        task = Task(self.record, self.due[len(self.due) // 2].position, "", sys.maxsize, SPEED_TEST_SECONDS)
        began = time.monotonic()
        tried = compare(task, 0)
        each = (time.monotonic() - began) / max(1, 2 * sum(map(len, tried)))
        return each * self._limits.playouts * len(self.due) / cores()

    def run(self, pool: Executor, on_progress: Callable[[float], None]) -> None:
        """Use the budget. `on_progress`: is called with the part done."""
        self._began = time.monotonic()
        spend = partial(self._spend, pool, on_progress)
        try:
            for due, searched in spend(self.due, "search", 0.0, SEARCHED):
                due.searched, due.value, due.better = searched.playouts, searched.value, searched.better
                due.lost = searched.lost
            other = sorted((due for due in self.due if due.better is not None), key=lambda due: -due.lost)
            del other[self._comparable() :]
            for due, pairs in spend(other, "compare", SEARCHED, 1.0):
                due.pairs = pairs
            self._interrupted = False
        finally:
            self._seconds = time.monotonic() - self._began

    def _comparable(self) -> int:
        """Of how many decisions the budget suffices to compare two actions twice under each policy; at least one."""
        playouts = (1 - SEARCHED) * self._limits.playouts * len(self.due)
        return max(1, int(playouts / (4 * len(variants(self.policy)))))

    def _spend(
        self,
        pool: Executor,
        on_progress: Callable[[float], None],
        chosen: Sequence[Due],
        phase: str,
        begin: float,
        end: float,
    ) -> Iterator[tuple[Due, Any]]:
        """Spend the budget between these parts of it on decisions. Yields each with what was found, in any order."""
        limits, searching = self._limits, phase == "search"
        weights = [min(len(due.legal), MOST_CHOICES) if searching else 1 for due in chosen]
        seconds = (self._began + end * limits.seconds - time.monotonic()) * cores()
        playouts = (end - begin) * limits.playouts * len(self.due)
        tasks: dict[Future[Any], tuple[Due, float]] = {}
        for due, weight in zip(chosen, weights, strict=True):
            part = weight / sum(weights)
            task = Task(self.record, due.position, phase, round(playouts * part), seconds * part)
            future = pool.submit(search, task) if due.better is None else pool.submit(compare, task, due.better)
            tasks[future] = due, part
        done = 0.0
        for future in as_completed(tasks):
            due, part = tasks[future]
            yield due, future.result()
            done += part
            on_progress(begin + (end - begin) * done)

    def result(self) -> Review:
        measures = self.policy.measures
        threshold = THRESHOLDS[measures]
        return Review(
            record=str(format_path(self.record)),
            record_sha256=self._sha256,
            game=self.game.name,
            measures=measures,
            policies=len(variants(self.policy)),
            threshold=threshold,
            playouts=sum(due.searched + 2 * sum(map(len, due.pairs)) for due in self.due),
            seconds=round(self._seconds, 3),
            interrupted=self._interrupted,
            decisions=[self._decision(due, threshold) for due in self.due if due.searched],
        )

    def _decision(self, due: Due, threshold: float) -> ReviewedDecision:
        costs = due.costs
        pairs = [pair for of_policy in due.pairs for pair in of_policy]
        alone = [pair.better - pair.taken for pair in pairs] if len(costs) == 1 else costs
        found = mean_interval(alone)
        better = due.better if pairs else None
        return ReviewedDecision(
            position=due.position,
            round=due.round,
            seat=due.seat,
            player=self.names[due.seat],
            decision=due.decision,
            scores=due.scores,
            taken=due.action,
            taken_text=as_json(due.action) if due.taken is None else due.labels[due.taken],
            better=None if better is None else due.legal[better],
            better_text="" if better is None else due.labels[better],
            value=fmean(pair.taken for pair in pairs) if pairs else due.value,
            cost=found.mean,
            low=found.low,
            high=found.high,
            by_policy=costs,
            playouts=due.searched + 2 * len(pairs),
            verdict="candidate" if len(costs) > 1 and is_certain(found, threshold) else "",
            play_on=play_on(self.record, due, len(self.names), better),
        )


def play_on(record: Path, due: Due, seats: int, better: int | None) -> str:
    position = f"{format_path(record)}#{due.position}"
    words = ["referee", "match", *["BOT"] * seats, "--from", position, "--redraw", str(due.seat)]
    if better is not None:
        words += ["--take", as_json(due.legal[better])]
    return shlex.join(words)


def is_certain(cost: Estimate, threshold: float) -> bool:
    """Whether a cost is above the threshold, and its interval above 0."""
    return cost.low is not None and cost.low > 0 and cost.mean > threshold


def worst_first(reviews: Iterable[Review]) -> list[tuple[Review, ReviewedDecision]]:
    """The mistakes of all records, then what else seems to cost more than the threshold, unless a bot has denied it.

    By what is halfway between the cost and its lower bound: a small certain cost is not worse than a large likely one.
    """
    found = [
        (review, each)
        for review in reviews
        for each in review.decisions
        if each.verdict or (each.cost > review.threshold and not each.bot)
    ]
    return sorted(found, key=lambda pair: (pair[1].verdict != "mistake", -pair[1].cost - (pair[1].low or 0.0)))


def costs_by_kind(reviews: Sequence[Review]) -> list[KindCost]:
    """What each kind of decision costs each bot a game: the bots by name, and what costs most first."""
    games: dict[str, int] = {}
    kinds: dict[tuple[str, str], list[ReviewedDecision]] = {}
    for review in reviews:
        for bot in {each.player for each in review.decisions}:
            games[bot] = games.get(bot, 0) + 1
        for each in review.decisions:
            kinds.setdefault((each.player, each.decision), []).append(each)
    found = []
    for (bot, decision), of_kind in kinds.items():
        judged = [each.by_policy for each in of_kind if each.by_policy]
        policies = min(map(len, judged), default=0)
        totals = [sum(costs[policy] for costs in judged) / games[bot] for policy in range(policies)] or [0.0]
        interval = mean_interval(totals)
        found.append(
            KindCost(
                bot=bot,
                decision=decision,
                games=games[bot],
                decisions=len(of_kind),
                mistakes=sum(each.verdict == "mistake" for each in of_kind),
                candidates=sum(each.verdict == "candidate" for each in of_kind),
                cost=interval.mean,
                low=interval.low,
                high=interval.high,
            )
        )
    return sorted(found, key=lambda kind: (kind.bot, -kind.cost))


# -- in the processes -------------------------------------------------------------------------------------------------


class Searched(Struct, frozen=True):
    playouts: int
    value: float
    """Of the action taken."""
    better: int | None
    """The index of the best action; None if it is the one taken."""
    lost: float
    """How much more it is worth."""


@contextlib.contextmanager
def reviewing() -> Iterator[Executor]:
    """The processes that search, one for each core. Ends at once if it is left by an exception."""
    with spawning() as context:  # a task may start a process at any time
        at_signals = (signal.SIGINT, signal.SIG_DFL)  # they end at once
        pool = ProcessPoolExecutor(cores(), mp_context=context, initializer=signal.signal, initargs=at_signals)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


@lru_cache(maxsize=1)
def _positions(record: Path) -> dict[int, tuple[Game, Any]]:
    """The positions of a record in which there is a choice, each with the action that was taken."""
    replay, found = Replay(record), dict[int, tuple[Game, Any]]()
    for numbered in replay.rest:
        line = numbered.line
        if isinstance(line, DecisionLine) and is_reviewed(line, replay.game):
            game = replay.game.copy()
            action = msgspec.convert(line.action, game.actions[line.decision])
            found[replay.position] = game, game.canonical(action)
        replay.step()
    return found


class Task(NamedTuple):
    """A part of the budget, for one decision."""

    record: Path
    position: int
    phase: str
    """Part of the seed: no two phases see the same games."""
    playouts: int
    seconds: float

    def reviewer(self) -> tuple[Reviewer, Game, Any, Budget]:
        """With the game, the action taken, and the budget."""
        budget = Budget(self.playouts, self.seconds, clock=time.monotonic, start=time.monotonic())
        game, taken = _positions(self.record)[self.position]
        assert game.turn is not None
        random = Random(os.fsencode(f"{self.record.name}#{self.position}, {self.phase}"))
        return Reviewer(game, game.turn.seat, variants(policy_for(type(game))), random), game, taken, budget


def search(task: Task) -> Searched:
    """Search for the best action."""
    reviewer, game, taken, budget = task.reviewer()
    legal, ranked = game.legal_actions(), reviewer.ranked(taken, budget)
    value = next(each for each in ranked if each.action == taken).mean
    best = ranked[0].action
    index = None if best == taken else legal.index(best)
    return Searched(sum(len(each.values) for each in ranked), value, index, ranked[0].mean - value)


def compare(task: Task, better: int) -> list[list[Pair]]:
    """Compare the action taken with the one of this index."""
    reviewer, game, taken, budget = task.reviewer()
    return reviewer.pairs(game.legal_actions()[better], taken, budget)
