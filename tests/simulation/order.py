"""How well a format orders its bots: rank correlation, and the error of the ratings of the first three."""

import math
import statistics
from collections.abc import Sequence

from msgspec import Struct

from tests.simulation.event import Event, shuffled
from tests.simulation.field import Field
from tournaments.competition.results import tournament_standings


class Ordered(Struct, frozen=True, kw_only=True):
    """Means over tournaments."""

    correlation: float
    """Spearman's, of places and true strengths."""
    error: float
    """Root of the mean squared error of the ratings of the first three, in Elo."""
    pairs: float
    """The share of pairs of bots that have met."""
    most: float
    """Rounds in which the pair that met most often did so."""


def order(event: Event, elos: Sequence[float], *, runs: int, seed: str) -> Ordered:
    """Play tournaments and compare their final standings with the truth."""
    true_of = dict(zip(elos, Field(elos, seed).truth(event.seats), strict=True))
    correlations, squares, pairs, most = [], [], [], []
    for run in range(runs):
        own = shuffled(elos, f"{seed}/{run}")
        standings = tournament_standings(event.play(Field(own, f"{seed}/{run}"), f"{seed}/{run}"), finished=True)
        rows = standings.standings
        true = [true_of[own[int(row.name[1:])]] for row in rows]
        if any(elos):
            correlations.append(_rank_correlation([row.place for row in rows], true))
        for row, value in zip(rows[:3], true, strict=False):
            assert row.rating is not None
            squares.append((row.rating.elo - value) ** 2)
        pairs.append(len(standings.pairs) / math.comb(len(rows), 2))
        most.append(max(pair.tables for pair in standings.pairs))
    return Ordered(
        correlation=statistics.fmean(correlations) if correlations else 0.0,
        error=math.sqrt(statistics.fmean(squares)),
        pairs=statistics.fmean(pairs),
        most=statistics.fmean(most),
    )


def _rank_correlation(places: Sequence[int], true: Sequence[float]) -> float:
    """1 if the best bot is first, and so on."""
    return statistics.correlation(places, [sum(other > own for other in true) for own in true])
