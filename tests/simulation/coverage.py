"""How often what standings claim of ratings is true, in simulated tournaments of honest bots."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct

from tests.simulation.event import Event, shuffled
from tests.simulation.field import Field
from tournaments.competition.intervals import Rating
from tournaments.competition.ratings import Ratings, ranked_games, rate
from tournaments.competition.results import Standings, tournament_standings

ROUNDING: Final = 0.05
"""In Elo: ratings are shown to a tenth."""
SURE: Final = 0.975
"""The confidence that is claimed where an interval just excludes 0."""
AT_AN_END: Final = 2


class Claims(Struct):
    """Claims of a kind, and how many of them are true."""

    intervals: int = 0
    covering: int = 0
    half_widths: float = 0.0
    one_sided: int = 0
    holding: int = 0
    """One-sided bounds that hold."""
    without: int = 0
    tournaments: int = 0
    """Those with an interval."""

    def add(self, found: Rating | None, true: float) -> bool:
        """Count a value. Returns whether it has an interval."""
        if found is None or (found.low is None and found.high is None):
            self.without += 1
            return False
        holds = (found.low is None or found.low - ROUNDING <= true) and (
            found.high is None or true <= found.high + ROUNDING
        )
        if found.low is None or found.high is None:
            self.one_sided += 1
            self.holding += holds
            return False
        self.intervals += 1
        self.covering += holds
        self.half_widths += (found.high - found.low) / 2
        return True

    @property
    def share(self) -> float:
        """The share of intervals that contain the truth."""
        return self.covering / self.intervals if self.intervals else 1.0

    @property
    def missing(self) -> float:
        """The share of values without an interval."""
        return 1 - self.intervals / (self.intervals + self.one_sided + self.without)

    @property
    def half_width(self) -> float:
        """The mean of all half-widths in Elo."""
        return self.half_widths / self.intervals if self.intervals else 0.0


class Neighbours(Struct):
    """Neighbours in a ranking of whom one is called better, and how often that is right."""

    sure: int = 0
    """With a confidence of 97.5 %."""
    rightly: int = 0
    all: int = 0

    def add(self, better: float | None, gap: float) -> None:
        """`better`: the confidence that is claimed of the first; `gap`: by how much it is better."""
        if better is not None:
            self.all += 1
            if better >= SURE or better <= 1 - SURE:
                self.sure += 1
                self.rightly += gap > 0 if better > 0.5 else gap < 0

    @property
    def above(self) -> float:
        """The share about whom nothing wrong is claimed with that confidence."""
        return 1 - (self.sure - self.rightly) / self.all if self.all else 1.0


class Coverage(Struct):
    """Over all tournaments of a row."""

    ratings: Claims
    by_games: Claims
    """The same without the normal prior."""
    ends: Claims
    """The ratings of the first and the last two places."""
    differences: Claims
    """Of all pairs that have met, and of neighbours in the standings."""
    neighbours: Neighbours

    def add(self, standings: Standings, ratings: Ratings, true: Sequence[float]) -> None:
        """Count what these standings claim. `ratings`: theirs; `true`: the true ratings by bot."""
        rows = standings.standings
        for bot, value in enumerate(true):
            self.by_games.add(ratings.by_games(bot), value)
        values = {row.name: true[int(row.name[1:])] for row in rows}
        any_rating = any_end = any_difference = False
        for place, row in enumerate(rows):
            any_rating |= self.ratings.add(row.rating, values[row.name])
            if place < AT_AN_END or place >= len(rows) - AT_AN_END:
                any_end |= self.ends.add(row.rating, values[row.name])
        for row, following in pairwise(rows):
            gap = values[row.name] - values[following.name]
            any_difference |= self.differences.add(row.difference_to_next or None, gap)
            self.neighbours.add(row.better_than_next, gap)
        for pair in standings.pairs:
            any_difference |= self.differences.add(pair.difference or None, values[pair.a] - values[pair.b])
        self.ratings.tournaments += any_rating
        self.ends.tournaments += any_end
        self.differences.tournaments += any_difference


def coverage(event: Event, elos: Sequence[float], *, runs: int, seed: str, **field: Any) -> Coverage:
    """Play tournaments and count the claims of their final standings that are true. `field`: as for Field."""
    found = Coverage(Claims(), Claims(), Claims(), Claims(), Neighbours())
    true_of = dict(zip(elos, Field(elos, seed, **field).truth(event.seats), strict=True))
    for run in range(runs):
        own = shuffled(elos, f"{seed}/{run}")
        progress = event.play(Field(own, f"{seed}/{run}", **field), f"{seed}/{run}")
        ratings = rate(ranked_games(progress.history))
        found.add(tournament_standings(progress, finished=True), ratings, [true_of[elo] for elo in own])
    return found
