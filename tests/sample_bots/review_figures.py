"""The figures of docs/bots/review.md: whether `referee record review` finds mistakes, and whether they are any.

    .venv/bin/python -m tests.sample_bots.review_figures confirmed [--games 8] [--playouts 800] [--futures 40]

`confirmed`: of the worst ten decisions in games of quick, says for how many playing on with quick itself, after the
action taken and after the better one, confirms that the better one is better.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from protocol.record import DecisionLine, FaultLine
from referee.bots.bot_spec import parse_bots
from referee.games import Game, find_game
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.opening import PlayedOn
from referee.record.replay import Replay, draw_of
from referee.record.review import Review, ReviewedDecision
from referee.reports.formatting import format_estimate
from referee.reports.review import Limits, RecordReview, reviewing, worst_first
from tests.playing import plan_of, play_games
from tournaments.competition.intervals import Estimate, mean_interval
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

BOTS: Final = Path(__file__).parents[2] / "bots"
DRAGON: Final = "year_of_the_dragon"


def reviews_of(records: Sequence[Path], bot: str, limits: Limits, worst: int) -> list[Review]:
    """The reviews of what this bot decided."""
    reviews = []
    with reviewing() as pool:
        for record in records:
            replay = Replay(record)
            seats = [seat for seat, player in enumerate(replay.header.players) if player.name == bot]
            review = RecordReview(record, replay, seats, limits)
            review.run(pool, worst, lambda part: None)
            reviews.append(review.result())
    return reviews


def play(game: type[Game], bots: Sequence[str], games: int, seed: str, **given: Any) -> list[PlayedGame]:
    """Games between bots, the n-th of which is called bot n, from 0."""
    played: list[PlayedGame] = []
    plan = plan_of(game, parse_bots([f"bot{seat}={bot}" for seat, bot in enumerate(bots)]), **given)
    trio.run(play_games, plan, Phases(rotations(games, len(bots), seed, rotate=False)), played.append)
    return sorted(played, key=lambda each: each.game.deal)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


# -- confirmed --------------------------------------------------------------------------------------------------------


def future_leads(record: Path, decision: ReviewedDecision, action: Any, bot: str, futures: int) -> list[float]:
    """The lead of the seat at the end of each future after this action, with the bot in all seats."""
    replay = Replay(record)
    steps, position = replay.advance(), 0
    while position < decision.position:
        line = next(steps)[0].line
        position += isinstance(line, DecisionLine | FaultLine)
    game = replay.game.copy()
    assert game.turn is not None
    game.apply(msgspec.convert(action, game.actions[game.turn.decision]))
    log = [event for event, _ in game.log]
    opening = PlayedOn(
        position=f"{record.name}#{position}",
        draws=[(*draw_of(event), msgspec.to_builtins(event.value)) for event in log if isinstance(event, ChanceEvent)],
        actions=[msgspec.to_builtins(event.action) for event in log if isinstance(event, DecisionEvent)],
        redraw=decision.seat,
    )
    options = msgspec.to_builtins(replay.config)
    leads: list[float] = []
    for each in play(type(game), [bot] * replay.config.players, futures, "futures", openings=opening, **options):
        scores = each.outcome.scores
        leads.append(scores[decision.seat] - max(s for seat, s in enumerate(scores) if seat != decision.seat))
    return leads


def playing_on(record: Path, decision: ReviewedDecision, bot: str, futures: int) -> Estimate:
    """What the decision cost by playing on with the bot itself in the same futures."""
    better, taken = (future_leads(record, decision, each, bot, futures) for each in (decision.better, decision.taken))
    return mean_interval([own - its for own, its in zip(better, taken, strict=True)])


def confirmed(asked: argparse.Namespace) -> None:
    bot = str(BOTS / "quick-cpp")
    with tempfile.TemporaryDirectory() as folder:
        games = play(find_game(asked.game), [bot, bot], asked.games, asked.seed, records=Path(folder))
        records = [game.record for game in games if game.record is not None]
        reviews = reviews_of(records, "bot0", Limits(playouts=asked.playouts), 5)
        found, count = worst_first(reviews), 0
        decisions = sum(len(review.decisions) for review in reviews)
        say(f"{len(found)} mistakes in {decisions} decisions of {len(records)} games")
        for review, each in found[:10]:
            by_bot = playing_on(Path(review.record), each, bot, asked.futures)
            count += by_bot.low is not None and by_bot.low > 0
            said = format_estimate(Estimate(each.cost, None, each.low, each.high))
            say(
                f"{Path(review.record).name}#{each.position} {each.decision}: {said},"
                f" by quick {format_estimate(by_bot)};"
                f" {each.taken_text} -> {each.better_text}"
            )
        say(f"confirmed: {count} of {min(10, len(found))}")


def main() -> None:
    parser = argparse.ArgumentParser(description="The figures of docs/bots/review.md.")
    parser.add_argument("what", choices=("confirmed",))
    parser.add_argument("--game", default=DRAGON)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--playouts", type=int, default=800)
    parser.add_argument("--futures", type=int, default=40)
    parser.add_argument("--seed", default="review")
    asked = parser.parse_args()
    confirmed(asked)


if __name__ == "__main__":
    main()
