"""What decisions cost by playing on with a bot: futures of a position, after the action taken and a better one."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec import structs

from referee.games import find_game
from referee.games.interface import Ranking
from referee.games.narrator import in_points
from referee.record.review import Review, ReviewedDecision
from referee.reports.review import is_certain, worst_first
from referee.search.playouts import result
from tournaments.competition.intervals import Estimate, mean_interval
from tournaments.play.match import MatchInterrupted, play_match
from tournaments.play.match_spec import MatchSpec

FEW_FUTURES: Final = 4
"""Games after each of the two actions, to see whether a decision is worth more of them."""
FUTURES: Final = 12
"""Then as many others, which decide."""
EXAMINED: Final = 4
"""For each mistake that is asked for, this many candidates are examined: those that cost most by the search."""


def cost_by_playing_on(review: Review, decision: ReviewedDecision, bot: str, futures: int, seed: str) -> Estimate:
    """What the decision cost if this bot plays on in all seats, in the same futures after both actions.

    What the seat couldn't know is drawn again in each. Raises what
    `play_match` does, and MatchInterrupted whenever a signal came.
    """
    better = _values(review, decision, decision.better, bot, futures, seed)
    taken = _values(review, decision, decision.taken, bot, futures, seed)
    return mean_interval([one - other for one, other in zip(better, taken, strict=True)])


def _values(
    review: Review, decision: ReviewedDecision, action: object, bot: str, futures: int, seed: str
) -> list[float]:
    """What the futures after an action are worth to the seat, in their order."""
    players = len(decision.scores)
    spec = MatchSpec(
        bots=[f"bot{seat}={bot}" for seat in range(players)],
        deals=futures,
        rotate=False,
        seed=seed,
        played_on=f"{review.record}#{decision.position}",
        redraw=decision.seat,
        take=json.dumps(action),
        keep_records=False,
    )
    played = trio.run(play_match, spec)
    if played.interrupted:
        raise MatchInterrupted("interrupted")
    outcomes = [game.outcome for game in played.games]
    if review.measures == "result":
        return [result(Ranking(scores=each.scores, ranks=each.ranks), decision.seat) for each in outcomes]
    game = find_game(review.game)
    leads = []
    for each in outcomes:
        rivals = [score for seat, score in enumerate(each.scores) if seat != decision.seat]
        leads.append(float(in_points(game, each.scores[decision.seat] - max(rivals))))
    return leads


def most_games(worst: int) -> int:
    """The most games that `confirmed` plays."""
    return EXAMINED * worst * 2 * (FEW_FUTURES + FUTURES)


def confirmed(
    reviews: Sequence[Review], bot: str, worst: int, seconds: float, on_progress: Callable[[float], None]
) -> tuple[list[Review], bool]:
    """The reviews after playing on with a bot from the worst candidates, and whether that was interrupted: those that
    it confirms are mistakes, and others no longer candidates.

    `worst`: the number of mistakes that is asked for. `seconds`: after as many no further candidate is examined. Raises
    what `play_match` raises.
    """
    end = time.monotonic() + seconds
    decided: dict[tuple[str, int], ReviewedDecision] = {}
    examined, interrupted = worst_first(reviews)[: EXAMINED * worst], False
    for number, (review, each) in enumerate(examined):
        if time.monotonic() > end:
            break
        seed, futures = f"{Path(review.record).name}#{each.position}", FEW_FUTURES
        try:
            cost = cost_by_playing_on(review, each, bot, FEW_FUTURES, f"{seed} tried")
            if cost.mean > review.threshold:
                futures = FUTURES
                cost = cost_by_playing_on(review, each, bot, FUTURES, seed)
        except MatchInterrupted:
            interrupted = True
            break
        decided[review.record, each.position] = structs.replace(
            each,
            cost=cost.mean,
            low=cost.low,
            high=cost.high,
            bot=bot,
            futures=futures,
            verdict="mistake" if futures == FUTURES and is_certain(cost, review.threshold) else "",
        )
        on_progress((number + 1) / len(examined))
    return [
        structs.replace(
            review,
            interrupted=review.interrupted or interrupted,
            decisions=[decided.get((review.record, each.position), each) for each in review.decisions],
        )
        for review in reviews
    ], interrupted
