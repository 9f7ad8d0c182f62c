"""Standings without tie-breaks and ratings, cheap enough to compute while games finish."""

from msgspec import Struct

from tournaments.competition.formats.interface import Order
from tournaments.competition.points import ZERO, finished_tables, game_point_sums, totals
from tournaments.competition.progress import Progress
from tournaments.competition.rounds import PlayedRound, Points, derived
from tournaments.competition.tiebreaks import places_by


class QuickRow(Struct, frozen=True, kw_only=True):
    """The row of one bot."""

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


class _Sum(Struct):
    """The totals of a bot."""

    game_points: Points = ZERO
    rounds: int = 0
    """Rounds in which it had a table."""
    games: int = 0
    faults: int = 0


def quick_standings(progress: Progress) -> list[QuickRow]:
    """The current standings. Bots with equal points share a place, unless the format has its own order, which is the
    one after the last round that is over."""
    regulations, settings = progress.regulations, progress.regulations.format_settings
    history = progress.view()
    bots = range(len(progress.entries))
    points = totals(progress.entries, history, regulations.points, settings.bye)
    sums = [_Sum() for _ in bots]
    for played in history:
        for bot, own in _round_sums(played).items():
            total = sums[bot]
            total.game_points += own.game_points
            total.rounds += 1
            total.games += own.games
            total.faults += own.faults
    per_table = settings.per_table and len({own.rounds for own in sums}) > 1
    # Equal fractions are equal as floats, and unequal ones of such small numbers are not.
    worth = [float(points[bot] / max(sums[bot].rounds, 1) if per_table else points[bot]) for bot in bots]
    return [
        QuickRow(
            place=row.place,
            name=progress.entries[row.bot].name,
            points=float(points[row.bot]),
            worth=worth[row.bot],
            game_points=float(sums[row.bot].game_points),
            games=sums[row.bot].games,
            faults=sums[row.bot].faults,
            withdrawn=progress.entries[row.bot].withdrawn is not None,
            eliminated=row.bot in progress.additions.eliminated,
        )
        for row in places_by(bots, _last_if_disqualified(progress, worth))
    ]


def _last_if_disqualified(progress: Progress, worth: list[float]) -> Order:
    order = progress.order or (lambda bot: -worth[bot])
    return lambda bot: (progress.entries[bot].disqualified, order(bot))


@derived
def _round_sums(played: PlayedRound) -> dict[int, _Sum]:
    """The totals of a round, for each bot that had a table in it."""
    found: dict[int, _Sum] = {}
    for result in finished_tables(played):
        for position, (bot, value) in enumerate(zip(result.table.bots, game_point_sums(result), strict=True)):
            own = found.setdefault(bot, _Sum())
            own.game_points += value
            own.games += len(result.games)
            own.faults += sum(game.faults[position] for game in result.games)
    return found
