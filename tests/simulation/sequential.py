"""The error rates of sequential tests, and their numbers of deals, in simulated matches."""

import math
import statistics
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from tests.simulation.event import Event
from tests.simulation.field import LUCK, Field
from tournaments.competition.fit import ELO_PER_LOG
from tournaments.competition.formats.sprt import SprtState

POINTS: Final = 41
"""Of the quadrature over luck."""


class Decisions(Struct, frozen=True, kw_only=True):
    """How the tests ended."""

    runs: int
    accepted: int
    rejected: int
    undecided: int
    mean_deals: float


def sprt(elo1: float, *, batch: int, max_games: int, seats: int = 2, field: int = 0) -> Event:
    """A test of 0 against `elo1` with risks of 5 %. b0 is the candidate, b1 the baseline, and the others the field."""
    settings = {
        "candidate": "b0",
        "baseline": "b1",
        "field": tuple(f"b{2 + bot}" for bot in range(field)),
        "elo1": elo1,
        "batch": batch,
        "max_games": max_games,
    }
    return Event(format="sprt", bots=2 + field, seats=seats, settings=settings)


def decisions(event: Event, elo: float, *, runs: int, seed: str, field_of: Callable[..., Any] = Field) -> Decisions:
    """Tests that are played to their end, where the candidate is better than the baseline by `elo`.

    Beside a field, whose bots are all alike, the candidate is half of that better than they, and the baseline half of
    it worse. `field_of`: makes the bots from their strengths and a seed; without luck-free ties.
    """
    elos = [0.0] * event.bots
    if event.bots > 2:
        elos[0], elos[1] = advantage_of(elo / 2), advantage_of(-elo / 2)
    else:
        elos[0] = advantage_of(elo)
    states: list[SprtState] = []
    for run in range(runs):
        progress = event.play(field_of(elos, f"{seed}/{run}", tie=0.0), f"{seed}/{run}")
        states.append(progress.additions.added["sprt"])
    return Decisions(
        runs=runs,
        accepted=sum(state.result == "accept" for state in states),
        rejected=sum(state.result == "reject" for state in states),
        undecided=sum(state.result == "undecided" for state in states),
        mean_deals=statistics.fmean(state.deals for state in states),
    )


def advantage_of(elo: float) -> float:
    """The advantage in strength, in Elo, at which the expected score, luck included, is that of `elo`."""
    target = 1 / (1 + 10 ** (-elo / 400))
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if _expected(middle) < target:
            low = middle
        else:
            high = middle
    return low * ELO_PER_LOG


def sampling_error(share: float, runs: int) -> float:
    """Twice the standard deviation of a share over so many runs."""
    return 2 * math.sqrt(share * (1 - share) / runs)


def _expected(advantage: float) -> float:
    normal = statistics.NormalDist(0, LUCK * math.sqrt(2))
    lucks = [normal.inv_cdf((point + 0.5) / POINTS) for point in range(POINTS)]
    return statistics.fmean(1 / (1 + math.exp(-advantage - luck)) for luck in lucks)
