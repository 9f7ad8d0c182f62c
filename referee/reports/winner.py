"""Who has won, or leads, in a sentence: by how much, and how certain that is."""

from collections.abc import Sequence
from typing import Final

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.comparison import format_sprt
from referee.reports.formatting import format_confidence, format_estimate, format_points
from referee.reports.match_results import MatchSummary
from referee.reports.standings import places_by_points
from referee.reports.state import format_early_end
from tournaments.competition.match_standings import Standing
from tournaments.competition.quick_standings import QuickRow
from tournaments.competition.results import StandingRow, Standings

CERTAIN_ENOUGH: Final = 0.95
"""The confidence from which on a sentence doesn't call a difference uncertain."""
MAX_WINNERS: Final = 3
"""The most bots that share a place and are named; more are counted."""


def match_winner(found: MatchSummary) -> str:
    """Who has won a match: the share of games, the difference per deal, and what can't be told apart."""
    if not found.result.games:
        return "No game was finished, so nobody has won."
    early = "The match ended early. " if found.broken_off else ""
    if found.state is not None or found.field:
        return printable(early + " ".join(map(_sentence, found.format_verdict())))
    first, *others = found.standings
    of = format_count(len(found.result.games), "games")
    level = [row for row in found.standings if row.wins.mean == first.wins.mean]
    faults = "".join(f" {row.name} had {format_count(row.faults, 'faults')}." for row in found.standings if row.faults)
    if len(level) > 1:
        said = f"{_named([row.name for row in level])} are level: each won {_share(first)} of {of}."
    else:
        shares = ", ".join(f"{row.name} {_share(row)}" for row in others[:MAX_WINNERS])
        said = f"{first.name} won {_share(first)} of {of}, {shares}. {_certainty(found, first.name, len(others))}"
    return printable(early + said + faults)


def _certainty(found: MatchSummary, first: str, others: int) -> str:
    pairs = [pair for pair in found.pairs_shown if first in (pair.a, pair.b)]
    if all(pair.better is None for pair in pairs):
        note = found.format_interval_note()
        return f"That may be luck: {note[0].lower()}{note[1:]}."
    doubtful = [pair for pair in pairs if pair.a != first or pair.better is None or pair.better < CERTAIN_ENOUGH]
    if doubtful:
        names = _named([pair.b if pair.a == first else pair.a for pair in doubtful])
        return f"That may be luck: more deals are needed to say whether {first} is better than {names}."
    least = format_confidence(min(pair.better or 0.0 for pair in pairs))
    if others > 1:
        return f"It is better than each of the others with {least} confidence."
    by, unit = (2, "game points") if pairs[0].by_points else (1, "points")
    more = f"{format_estimate(pairs[0].score, digits=by)} {unit} more per deal"
    return f"It scored {more}, and is better with {least} confidence."


def tournament_winner(standings: Standings) -> str:
    """Who has won a tournament or leads it: points, the lead, and what the ratings say of it."""
    rows = standings.standings
    if not standings.games:
        return "No game is over yet." if not standings.finished else "No game was played, so nobody has won."
    early = "" if standings.ended_early is None else f"The tournament {format_early_end(standings.ended_early)}. "
    if standings.sprt is not None:
        return printable(early + format_sprt(standings.sprt))
    by_points = places_by_points(standings)
    points = [row.points if row.points_per_table is None else row.points_per_table for row in rows]
    per_table = rows[0].points_per_table is not None
    places = [(row.place, row.name) for row in rows]
    said = leader(places, points if by_points else None, finished=standings.finished, per_table=per_table)
    forfeited = sum(forfeit.games for forfeit in standings.forfeits)
    forfeits = f" {format_count(forfeited, 'games')} were forfeited, and count as lost." if forfeited else ""
    return printable(f"{early}{said}.{_certainty_of_ratings(rows)}{forfeits}")


def leader(
    places: Sequence[tuple[int, str]], points: Sequence[float] | None, *, finished: bool, per_table: bool = False
) -> str:
    """Who has won or leads, without a full stop. `places`: with their bots, the best first; `points`: of each, if
    places go by them: for all tables or `per_table`."""
    names = [name for place, name in places if place == places[0][0]]
    if points is not None and list(points) != sorted(points, reverse=True):
        points = None  # those of a ladder, whose places go by ratings
    if len(names) > 1:
        with_points = "" if points is None else f" with {_points(points[0], per_table=per_table)}"
        if len(names) == len(places):
            return f"All {len(names)} bots are level{with_points}"
        return f"{_named(names)} share {'the win' if finished else 'the lead'}{with_points}"
    verb = "won" if finished else "leads"
    if points is None or len(places) == 1:
        return f"{names[0]} {verb}" + (f"; {places[1][1]} is second" if len(places) > 1 else "")
    lead, second = points[0] - points[1], places[1][1]
    ahead = f"{format_points(lead)} ahead of {second}" if lead > 0 else f"as many as {second}, by tie-break"
    return f"{names[0]} {verb} with {_points(points[0], per_table=per_table)}, {ahead}"


def quick_leader(rows: Sequence[QuickRow], *, by_points: bool, finished: bool) -> str:
    """Who has won or leads, by standings without ratings; empty before the first game."""
    if not any(row.games for row in rows):
        return ""
    points = [row.worth for row in rows] if by_points else None
    per_table = any(row.worth != row.points for row in rows)
    return printable(leader([(row.place, row.name) for row in rows], points, finished=finished, per_table=per_table))


def _certainty_of_ratings(rows: Sequence[StandingRow]) -> str:
    """Whether the first bot is better than the second one, as far as ratings tell."""
    if len(rows) < 2 or rows[0].place == rows[1].place or rows[0].rating is None:
        return ""
    first, second, better = rows[0], rows[1], rows[0].better_than_next
    if better is None:
        low = None if first.difference_to_next is None else first.difference_to_next.low
        if low is not None and low > 0:
            return f" Its rating is at least {low:.0f} above that of {second.name}."
        return f" The deals are too few to say whether it is better than {second.name}."
    if better < CERTAIN_ENOUGH:
        confidence = format_confidence(better)
        return f" By the ratings it is not certain that it is better than {second.name}: {confidence} confidence."
    return f" By the ratings it is better than {second.name} with {format_confidence(better)} confidence."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _named(names: Sequence[str]) -> str:
    if len(names) > MAX_WINNERS:
        return f"{len(names)} bots"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _share(row: Standing) -> str:
    return f"{row.wins.mean * 100:.3g} %"


def _points(points: float, *, per_table: bool) -> str:
    return f"{format_points(points)} {'point' if points == 1 else 'points'}{' per table' if per_table else ''}"
