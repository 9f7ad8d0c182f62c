"""Standings without tie-breaks and ratings, cheap enough to compute while games finish."""

from operator import is_

from msgspec import Struct

from tournaments.competition.points import Tally, round_tallies
from tournaments.competition.progress import Progress
from tournaments.competition.rounds import PlayedRound
from tournaments.competition.tiebreaks import places_by


class QuickRow(Struct, frozen=True, kw_only=True):
    place: int
    name: str
    points: float
    worth: float
    """What places go by: the points, or the points per table if the numbers of tables differ."""
    game_points: float
    games: int
    faults: int
    withdrawn: bool
    eliminated: bool


class QuickStandings:
    """The standings of a tournament at any moments: rounds that are over are added up only once, since all clocks
    of running games wait for a refresh of what is shown."""

    def __init__(self) -> None:
        self._over: list[PlayedRound] = []
        """The rounds that are added up."""
        self._sums: dict[int, Tally] = {}
        """Their totals by bot."""

    def rows(self, progress: Progress) -> list[QuickRow]:
        """The current standings. Bots with equal points share a place, unless the format has its own order, which is
        the one after the last round that is over."""
        sums = self._current_sums(progress)
        entries = progress.entries
        points = [
            own.points + entry.adjustment if entry.adjustments else own.points
            for own, entry in zip(sums, entries, strict=True)
        ]
        per_table = progress.regulations.format_settings.per_table and len({own.rounds for own in sums}) > 1
        # Equal fractions are equal as floats, and unequal ones of such small numbers are not.
        worth = [
            float(value / max(own.rounds, 1) if per_table else value) for value, own in zip(points, sums, strict=True)
        ]
        order = progress.order or (lambda bot: -worth[bot])
        return [
            QuickRow(
                place=row.place,
                name=entries[row.bot].name,
                points=float(points[row.bot]),
                worth=worth[row.bot],
                game_points=float(sums[row.bot].game_points),
                games=sums[row.bot].games,
                faults=sums[row.bot].faults,
                withdrawn=entries[row.bot].withdrawn is not None,
                eliminated=row.bot in progress.additions.eliminated,
            )
            for row in places_by(range(len(entries)), lambda bot: (entries[bot].disqualified, order(bot)))
        ]

    def _current_sums(self, progress: Progress) -> list[Tally]:
        """The totals of all bots, with the finished games of the round in progress."""
        points, bye = progress.regulations.points, progress.regulations.format_settings.bye
        view = progress.view()
        over, current = view[: len(progress.history)], view[len(progress.history) :]
        if not all(map(is_, self._over, over)) or len(self._over) > len(over):
            # A result has changed, or it is another tournament.
            self._over, self._sums = [], {}
        for played in over[len(self._over) :]:
            for bot, own in round_tallies(played, points, bye).items():
                self._sums.setdefault(bot, Tally()).add(own)
        self._over = list(over)
        now = {bot: own for played in current for bot, own in round_tallies(played, points, bye).items()}
        for bot, own in now.items():
            if bot in self._sums:
                own.add(self._sums[bot])
        found = self._sums | now
        return [found.get(bot) or Tally() for bot in range(len(progress.entries))]
