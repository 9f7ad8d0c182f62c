"""The figures of docs/bots/review.md: whether `referee record review` finds mistakes, and whether they are any.

    .venv/bin/python -m tests.sample_bots.review_figures planted [--playouts 2000 | --time 60]
    .venv/bin/python -m tests.sample_bots.review_figures confirmed [--games 8] [--playouts 300] [--play-on]

`planted`: in a game of steady against itself up to ten decisions of one seat are replaced by the worst legal action,
where that costs over five points by playing on with steady, and by playouts, in other futures than the review sees.
Says how many of them are among the worst 15 of that seat.

`confirmed`: of the worst ten decisions in games of quick, says how many playing on with quick itself confirms: the
interval over futures that the review hasn't seen excludes 0. With `--play-on` the review plays on with quick too.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import msgspec
import trio

from referee.bots.bot_spec import parse_bots
from referee.cli.record_review import format_cost
from referee.games import Game, find_game
from referee.players.builtin import BuiltinPlayer
from referee.players.player import Choice
from referee.record.replay import Replay
from referee.record.review import Review
from referee.reports.futures import confirmed as confirmed_by
from referee.reports.futures import cost_by_playing_on
from referee.reports.review import Limits, RecordReview, reviewing, worst_first
from referee.search import Budget, policy_for
from referee.search.review import Reviewer, variants
from tests.playing import plan_of, play_games
from tests.record.played import record_game
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

BOTS: Final = Path(__file__).parents[2] / "bots"
DRAGON: Final = "year_of_the_dragon"
COSTLY: Final = 5.0
FUTURES: Final = 40
"""Games after each of two actions that no review has seen."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def reviews_of(records: Sequence[Path], seats: Sequence[int], limits: Limits, worst: int) -> list[Review]:
    reviews = []
    with reviewing() as pool:
        for record in records:
            review = RecordReview(record, Replay(record), seats, limits)
            review.run(pool, worst, lambda part: None)
            reviews.append(review.result())
    return reviews


# -- confirmed --------------------------------------------------------------------------------------------------------


def play(game: type[Game], bot: str, games: int, seed: str, records: Path) -> list[Path]:
    """The records of games of a bot against itself."""
    played: list[PlayedGame] = []
    plan = plan_of(game, parse_bots([f"own={bot}", f"other={bot}"]), records=records)
    trio.run(play_games, plan, Phases(rotations(games, 2, seed, rotate=False)), played.append)
    return sorted(each.record for each in played if each.record is not None)


def confirmed(asked: argparse.Namespace) -> None:
    bot = str(BOTS / "quick-cpp")
    with tempfile.TemporaryDirectory() as folder:
        records = play(find_game(asked.game), bot, asked.games, asked.seed, Path(folder))
        reviews = reviews_of(records, [0], Limits(playouts=asked.playouts), 10)
        found = worst_first(reviews)
        say(f"{len(found)} mistakes in {sum(len(each.decisions) for each in reviews)} decisions of {asked.games} games")
        if asked.play_on:
            reviews, _ = confirmed_by(reviews, bot, 10, lambda part: None)
            found = worst_first(reviews)
            say(f"{len(found)} of those examined are confirmed in the review's own futures")
        count = 0
        for review, each in found[:10]:
            cost = cost_by_playing_on(review, each, bot, FUTURES, "figures")
            count += cost.low is not None and cost.low > 0
            own, by_quick = format_cost(each.cost, each.low, each.high), format_cost(cost.mean, cost.low, cost.high)
            say(f"{Path(review.record).name}#{each.position} {each.decision}: {own}; by quick {by_quick}")
        say(f"confirmed: {count} of {min(10, len(found))}")


# -- planted ----------------------------------------------------------------------------------------------------------


class Steady(BuiltinPlayer):
    """Plays as the bot steady does; at some decisions, if `plants` says so, it takes the worst action instead."""

    def __init__(self, config: dict[str, Any], plants: int = 0) -> None:
        spec = importlib.util.spec_from_file_location("steady", BOTS / "steady-python" / "steady.py")
        assert spec is not None
        assert spec.loader is not None
        self._program: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._program)
        self._config, self._left, self._random = config, plants, Random(plants)
        self.planted: list[int] = []
        """The numbers of decisions in the game, from 0, that are mistakes."""

    def answer(self, game: Game) -> Any:
        assert game.turn is not None
        legal = game.legal_actions()
        if len(legal) == 1:
            return legal[0]
        as_json = msgspec.json.decode(msgspec.json.encode([game.observe(game.turn.seat), legal]))
        return legal[self._program.choose(*as_json, self._config)]

    async def decide(self, game: Game, events: list[Any]) -> Choice:
        await trio.lowlevel.checkpoint()
        action = self.answer(game)
        if self._left and len(game.legal_actions()) > 1 and self._random.random() < 1 / 2:
            worst, cost = self._worst(game)
            if cost > COSTLY and self._cost(game, action, worst) > COSTLY:
                self._left -= 1
                self.planted.append(sum(event.__class__.__name__ == "DecisionEvent" for event, _ in game.log))
                action = worst
        return Choice(action=action)

    def _worst(self, game: Game) -> tuple[Any, float]:
        """By playouts of every action, and what it costs by them."""
        assert game.turn is not None
        reviewer = Reviewer(game, game.turn.seat, variants(policy_for(type(game))), self._random)
        candidates = reviewer.ranked(game.legal_actions()[0], Budget(playouts=24 * len(game.legal_actions())))
        tried = [each for each in candidates if each.values]
        worst = min(tried, key=lambda each: each.mean)
        return worst.action, max(each.mean for each in tried) - worst.mean

    def _cost(self, game: Game, best: Any, worst: Any) -> float:
        """How much worse an action is if steady plays on in all seats."""
        assert game.turn is not None
        seat, costs = game.turn.seat, []
        for _ in range(8):
            sampled, leads = game.determinize(seat, self._random), []
            for action in (best, worst):
                twin = sampled.copy()
                twin.apply(action)
                while twin.turn is not None:
                    twin.apply(self.answer(twin))
                scores = twin.ranking().scores
                leads.append(scores[seat] - scores[1 - seat])
            costs.append(leads[0] - leads[1])
        return fmean(costs)


def planted(asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        game, record = find_game(DRAGON), Path(folder) / "0001-1.jsonl"
        config = game.Config(players=2)
        clumsy, other = (Steady(msgspec.to_builtins(config), plants) for plants in (10, 0))
        record_game(record, game, config, ["clumsy", "steady"], {0: clumsy, 1: other}, asked.seed)
        [review] = reviews_of([record], [0], asked.limits, 15)
        worst = [each for _, each in worst_first([review])][:15]
        found = {each.position for each in worst}
        say(f"{review.playouts} playouts in {review.seconds:.0f} s for {len(review.decisions)} decisions")
        say(f"{sum(each.mistake for each in review.decisions)} mistakes")
        for each in review.decisions:
            if each.position in {*clumsy.planted} - found:
                own = format_cost(each.cost, each.low, each.high)
                say(f"not among them: #{each.position} {each.decision}, {own}: {each.taken_text} -> {each.better_text}")
        say(f"planted: {len(clumsy.planted)}, of which among the worst 15: {len(found & {*clumsy.planted})}")


def main() -> None:
    parser = argparse.ArgumentParser(description="The figures of docs/bots/review.md.")
    parser.add_argument("what", choices=("planted", "confirmed"))
    parser.add_argument("--game", default=DRAGON)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--playouts", type=int, default=300)
    parser.add_argument("--time", type=float)
    parser.add_argument("--play-on", action="store_true")
    parser.add_argument("--seed", default="review")
    asked = parser.parse_args()
    asked.limits = Limits(playouts=asked.playouts) if asked.time is None else Limits(seconds=asked.time)
    (planted if asked.what == "planted" else confirmed)(asked)


if __name__ == "__main__":
    main()
