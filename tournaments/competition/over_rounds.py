"""Places and ratings of all bots after each round of a tournament, for plots. Pure."""

from itertools import accumulate
from typing import Final

from msgspec import Struct, structs

from tournaments.competition.formats.interface import FormatContext, Results
from tournaments.competition.points import finished_tables
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import Strengths, ranked_games
from tournaments.competition.results import Standings

MAX_POINTS: Final = 40
"""Rounds after which ratings are computed, at most."""
FITTED_BOTS: Final = 400
"""Of many bots fewer: so many ratings in all, as the time of a fit grows faster than the number of bots."""
MIN_POINTS: Final = 5


class AfterRound(Struct, frozen=True, kw_only=True):
    """The tournament after one of its rounds, with the results that count by now."""

    round: int
    games: int
    """Played up to then."""
    places: tuple[int | None, ...]
    """By bot; None before it has joined."""
    ratings: tuple[float | None, ...]
    """By bot; None before its first rated game."""


def over_rounds(progress: Progress, standings: Standings | None = None) -> list[AfterRound]:
    """The tournament after each of its rounds that are over, or after some of them, evenly spaced up to the last.

    `standings`: as they are now, if no round is in progress. The last round is then not computed again.
    """
    rounds = len(progress.history)
    most = min(MAX_POINTS, max(MIN_POINTS, FITTED_BOTS // max(len(progress.entries), 1)))
    numbers = sorted({rounds - step * rounds // most for step in range(min(most, rounds))}) if rounds > most else None
    games = list(accumulate(sum(len(result.games) for result in finished_tables(over)) for over in progress.history))
    found = [
        _after(progress, number, games[number - 1])
        for number in numbers or range(1, rounds + 1)
        if standings is None or number < rounds
    ]
    if standings is not None and rounds:
        rows = {row.name: row for row in standings.standings}
        own = [rows[entry.name] for entry in progress.entries]
        ratings = tuple(None if row.rating is None else row.rating.elo for row in own)
        places = tuple(row.place for row in own)
        found.append(AfterRound(round=rounds, games=games[-1], places=places, ratings=ratings))
    return found


def _after(progress: Progress, number: int, games: int) -> AfterRound:
    history = progress.history[:number]
    ratings = Strengths(ranked_games(history))
    results = Results(history=history, paired_by=progress.paired_by[:number], ratings=ratings)
    placed = progress.regulations.format_settings.ranking(_context(progress, number), results)
    place = {row.bot: row.place for row in placed}
    rated = [ratings[bot] for bot in range(len(progress.entries))]
    return AfterRound(
        round=number,
        games=games,
        places=tuple(place[bot] if entry.joined <= number else None for bot, entry in enumerate(progress.entries)),
        ratings=tuple(None if rating is None else rating.rounded().elo for rating in rated),
    )


def _context(progress: Progress, number: int) -> FormatContext:
    """The input of the format as it was after a round: without the penalties, withdrawals and byes since."""
    entries = tuple(
        structs.replace(
            entry,
            adjustments=tuple(own for own in entry.adjustments if own[0] <= number + 1),
            withdrawn=None if entry.withdrawn is not None and entry.withdrawn > number + 1 else entry.withdrawn,
        )
        for entry in progress.entries
    )
    return structs.replace(progress.format_context(), entries=entries)
