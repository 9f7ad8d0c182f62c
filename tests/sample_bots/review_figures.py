"""The figures of docs/bots/review.md: whether `referee record review` finds mistakes, and whether they are any.

    .venv/bin/python -m tests.sample_bots.review_figures planted [--seeds one two] [--playouts 160000 | --time 60]
    .venv/bin/python -m tests.sample_bots.review_figures confirmed [--games 8] [--playouts 300] [--play-on]

`planted`: in games of steady against itself up to ten decisions of one seat are replaced by a worst legal action that
costs over five points: in many futures in which steady plays on in both seats the interval of its cost is wholly above
that. Says how many of them are among the worst 15 of that seat. `--playouts` are of one game.

`confirmed`: of the worst ten candidates in games of quick, or with `--play-on` of the worst ten mistakes, says how many
playing on with quick itself confirms: the interval over futures that the review hasn't seen excludes 0. `--playouts`
are for each decision.

`--records` keeps the games in a folder, and plays only those that it doesn't have.
"""

import argparse
import importlib.util
import json
import math
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import msgspec
import trio

from referee.cli.record_review import format_cost
from referee.games import Game, find_game
from referee.players.builtin import BuiltinPlayer
from referee.players.player import Choice
from referee.record.replay import Replay
from referee.record.review import Review
from referee.reports.futures import confirmed as confirmed_by
from referee.reports.futures import cost_by_playing_on
from referee.reports.review import Limits, RecordReview, reviewing, worst_first
from tests.record.played import record_game
from tournaments.competition.intervals import mean_interval
from tournaments.play.match import play_match
from tournaments.play.match_spec import MatchSpec

BOTS: Final = Path(__file__).parents[2] / "bots"
DRAGON: Final = "year_of_the_dragon"
PLANTS: Final = 10
COSTLY: Final = 5.0
TRIED: Final = 3
"""Worst actions by steady's own simulation."""
FEW_FUTURES: Final = 4
"""Games after each of them, and after what steady takes, to choose one."""
LOOKS: Final = (16, 48, 144)
"""Other games after that one: numbers of them after which its cost may be certain."""
FUTURES: Final = 60
"""Games after each of two actions that no review has seen."""
WORST: Final = 15


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


# -- confirmed --------------------------------------------------------------------------------------------------------


def play(game: str, bot: str, games: int, seed: str, folder: Path) -> list[Path]:
    """The records of games of a bot against itself."""
    if not folder.exists():
        bots = [f"own={bot}", f"other={bot}"]
        trio.run(play_match, MatchSpec(bots=bots, game=game, deals=games, rotate=False, seed=seed, records=folder))
    return sorted(folder.glob("*.jsonl"))[:games]


def confirmed(asked: argparse.Namespace, folder: Path) -> None:
    bot = str(BOTS / "quick-cpp")
    records = play(asked.game, bot, asked.games, asked.seeds[0], folder / f"quick-{asked.seeds[0]}")
    reviews = []
    with reviewing() as pool:
        for record in records:
            run = RecordReview(record, Replay(record), [0], Limits(playouts=asked.playouts))
            run.run(pool, lambda part: None)
            reviews.append(run.result())
    if asked.play_on:
        reviews, _ = confirmed_by(reviews, bot, 10, math.inf, lambda part: None)
    verdict = "mistake" if asked.play_on else "candidate"
    found = [pair for pair in worst_first(reviews) if pair[1].verdict == verdict]
    decisions = sum(len(each.decisions) for each in reviews)
    say(f"{len(found)} times {verdict} in {decisions} decisions of {asked.games} games")
    count = 0
    for review, each in found[:10]:
        cost = cost_by_playing_on(review, each, bot, FUTURES, "figures")
        count += cost.low is not None and cost.low > 0
        own, by_quick = format_cost(each.cost, each.low, each.high), format_cost(cost.mean, cost.low, cost.high)
        say(f"{Path(review.record).name}#{each.position} {each.decision}: {own}; by quick {by_quick}")
    say(f"confirmed: {count} of {min(10, len(found))}")


# -- planted ----------------------------------------------------------------------------------------------------------


class Steady(BuiltinPlayer):
    """Plays as the bot steady does; at some decisions, if `plants` says so, it takes a worst action instead."""

    def __init__(self, config: dict[str, Any], plants: int, seed: str) -> None:
        spec = importlib.util.spec_from_file_location("steady", BOTS / "steady-python" / "steady.py")
        assert spec is not None
        assert spec.loader is not None
        self._program: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._program)
        self._config, self._left, self._random = config, plants, Random(seed)
        self.planted: list[int] = []
        """The numbers of decisions in the game, from 0, that are mistakes."""

    def answer(self, game: Game) -> Any:
        """What steady takes."""
        legal = game.legal_actions()
        return legal[self._program.choose(*self._asked(game), self._config)] if len(legal) > 1 else legal[0]

    def _asked(self, game: Game) -> Any:
        assert game.turn is not None
        return msgspec.json.decode(msgspec.json.encode([game.observe(game.turn.seat), game.legal_actions()]))

    async def decide(self, game: Game, events: list[Any]) -> Choice:
        await trio.lowlevel.checkpoint()
        action = self.answer(game)
        if self._left and len(game.legal_actions()) > 1:
            worst, cost = self._worst(game, action)
            if cost > COSTLY and self._is_costly(game, action, worst):
                self._left -= 1
                self.planted.append(sum(event.__class__.__name__ == "DecisionEvent" for event, _ in game.log))
                action = worst
        return Choice(action=action)

    def _worst(self, game: Game, taken: Any) -> tuple[Any, float]:
        """Of the worst actions by steady's own simulation the one that costs most in a few futures, and how much."""
        observation, legal = self._asked(game)
        outlook = self._program.Outlook(observation, self._config)
        ends = []
        for action in legal:
            board = self._program.Board(
                observation["players"][observation["seat"]], observation["hand"], outlook.own_wall
            )
            stage = self._program.carry_out(board, outlook, observation["turn"], action)
            ends.append(self._program.play_on(board, outlook, stage))
        by_end = sorted(zip(ends, game.legal_actions(), strict=True), key=lambda each: each[0])
        tried = [action for _, action in by_end[:TRIED] if action != taken]
        costs = [fmean(self._costs(game, taken, action, FEW_FUTURES)) for action in tried]
        return tried[costs.index(max(costs))], max(costs)

    def _is_costly(self, game: Game, best: Any, worst: Any) -> bool:
        """Whether an action certainly costs over five points if steady plays on in both seats."""
        costs: list[float] = []
        for look in LOOKS:
            costs += self._costs(game, best, worst, look - len(costs))
            cost = mean_interval(costs)
            assert cost.low is not None
            if cost.low > COSTLY or cost.mean < COSTLY:
                return cost.low > COSTLY
        return False

    def _costs(self, game: Game, best: Any, worst: Any, futures: int) -> list[float]:
        """In new futures."""
        assert game.turn is not None
        samples = [game.determinize(game.turn.seat, self._random) for _ in range(futures)]
        return [self._lead(sample, best) - self._lead(sample, worst) for sample in samples]

    def _lead(self, sample: Game, action: Any) -> float:
        """Of the seat in the end."""
        assert sample.turn is not None
        seat, twin = sample.turn.seat, sample.copy()
        twin.apply(action)
        while twin.turn is not None:
            twin.apply(self.answer(twin))
        scores = twin.ranking().scores
        return scores[seat] - scores[1 - seat]


def plant(record: Path, seed: str) -> list[int]:
    """Play a game and record it. Returns the positions of what is planted in it."""
    planted = record.with_suffix(".json")
    if not planted.exists():
        game = find_game(DRAGON)
        config = game.Config(players=2)
        clumsy, other = (Steady(msgspec.to_builtins(config), plants, seed) for plants in (PLANTS, 0))
        record_game(record, game, config, ["clumsy", "steady"], {0: clumsy, 1: other}, seed)
        planted.write_text(json.dumps(clumsy.planted))
    positions: list[int] = json.loads(planted.read_text())
    return positions


def planted(asked: argparse.Namespace, folder: Path) -> None:
    in_all = among = 0
    for seed in asked.seeds:
        record = folder / f"planted-{seed}.jsonl"
        positions = plant(record, seed)
        if not asked.playouts and not asked.time:
            say(f"{seed}: {len(positions)} planted")
            continue
        due = RecordReview(record, Replay(record), [0], Limits())
        limits = Limits(seconds=asked.time) if asked.time else Limits(playouts=asked.playouts // len(due.due))
        with reviewing() as pool:
            run = RecordReview(record, Replay(record), [0], limits)
            run.run(pool, lambda part: None)
        review: Review = run.result()
        worst = [each for _, each in worst_first([review])]
        found = {each.position for each in worst[:WORST]}
        say(
            f"{seed}: {review.playouts} playouts in {review.seconds:.0f} s for {len(review.decisions)} decisions;"
            f" planted {len(positions)}, of which among the worst {WORST}: {len(found & {*positions})}"
        )
        for each in review.decisions:
            if each.position in {*positions} - found:
                own = format_cost(each.cost, each.low, each.high)
                what = f"#{each.position} {each.decision}, {own}: {each.taken_text} -> {each.better_text}"
                say(f"  not among them: {what}")
        in_all += len(positions)
        among += len(found & {*positions})
    say(f"in all: {among} of {in_all}")


def main() -> None:
    parser = argparse.ArgumentParser(description="The figures of docs/bots/review.md.")
    parser.add_argument("what", choices=("planted", "confirmed"))
    parser.add_argument("--game", default=DRAGON)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--playouts", type=int, default=0)
    parser.add_argument("--time", type=float)
    parser.add_argument("--play-on", action="store_true")
    parser.add_argument("--seeds", nargs="+", default=["one", "two", "three", "four", "five"])
    parser.add_argument("--records", type=Path)
    asked = parser.parse_args()
    folder = asked.records or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (planted if asked.what == "planted" else confirmed)(asked, folder)
    finally:
        if asked.records is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
