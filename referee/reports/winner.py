"""Who has won, or leads, in a sentence: by how much, and how certain that is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.comparison import MAX_WINNERS, format_test, named
from referee.reports.formatting import format_confidence, format_estimate, format_points, format_rating
from referee.reports.standings import format_margin, format_tie, has_too_few_deals, places_by
from referee.reports.state import format_early_end
from tournaments.competition.formats.interface import PlacesBy
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.match_standings import Standing
from tournaments.competition.pooled import PooledRatings, RankingOverGames, RatingRow, RowOverGames
from tournaments.competition.quick_standings import QuickRow
from tournaments.competition.results import StandingRow, Standings

if TYPE_CHECKING:
    from referee.reports.match_results import MatchSummary

CERTAIN_ENOUGH: Final = 0.95
"""The confidence from which on a sentence doesn't call a difference uncertain."""


def match_winner(found: "MatchSummary") -> str:
    """Who has won a match: the share of games, the difference per deal, and what can't be told apart."""
    if not found.result.games:
        return "No game was finished, so nobody has won."
    early = "The match ended early. " if found.broken_off else ""
    if found.state is not None:
        return printable(early + format_test(found.state, *found.names[:2]))
    if found.field:
        return printable(early + " ".join(map(_sentence, found.format_verdict())))
    first, *others = found.standings
    of = format_count(len(found.result.games), "games")
    level = [row for row in found.standings if row.wins.mean == first.wins.mean]
    faults = "".join(f" {row.name} had {format_count(row.faults, 'faults')}." for row in found.standings if row.faults)
    if len(level) > 1:
        said = f"{named([row.name for row in level])} are level: each won {_share(first)} of {of}."
    else:
        shares = ", ".join(f"{row.name} {_share(row)}" for row in others[:MAX_WINNERS])
        won = f"{_share(first)} of {of}, {shares}" if len(found.result.games) > 1 else "the only game"
        said = f"{first.name} won {won}. {_certainty(found, first.name, len(others))}"
    return printable(early + said + faults)


def _certainty(found: "MatchSummary", first: str, others: int) -> str:
    pairs = [pair for pair in found.pairs_shown if first in (pair.a, pair.b)]
    if all(pair.better is None for pair in pairs):
        deals = format_count(found.deals, "deals") if found.deals < MIN_DEALS else "the distinct deals"
        verb = "is" if found.deals == 1 else "are"
        return f"That may be luck: {deals} {verb} too few to rule it out; {MIN_DEALS} are needed for intervals."
    doubtful = [pair for pair in pairs if pair.a != first or pair.better is None or pair.better < CERTAIN_ENOUGH]
    if doubtful:
        names = named([pair.b if pair.a == first else pair.a for pair in doubtful])
        return f"That may be luck: more deals are needed to say whether {first} is better than {names}."
    least = format_confidence(min(pair.better or 0.0 for pair in pairs))
    if others > 1:
        return f"{first} is better than each of the others with {least} confidence."
    by, unit = (2, "game points") if pairs[0].by_points else (1, "points")
    more = f"{format_estimate(pairs[0].score, digits=by)} {unit} more per deal"
    return f"{first} scored {more}, and is better with {least} confidence."


def tournament_winner(standings: Standings, settings: Mapping[str, Any], final: str = "") -> str:
    """Who has won a tournament or leads it: points, the lead, and what the ratings say of it.

    `settings`: of its format; `final`: from `format_final`.
    """
    rows = [row for row in standings.standings if not row.disqualified]
    if not standings.games:
        return "No game is over yet." if not standings.finished else "No game was played, so nobody has won."
    early = "" if standings.ended_early is None else f"The tournament {format_early_end(standings.ended_early)}. "
    if standings.sprt is not None:
        return printable(early + format_test(standings.sprt, settings["candidate"], settings["baseline"]))
    out = [row.name for row in standings.standings if row.disqualified]
    disqualified = f" {named(out)} {'was' if len(out) == 1 else 'were'} disqualified." if out else ""
    by = format_tie(standings, 0) if rows and rows[0].ahead_by else ""
    said = leader(rows, places_by(standings), settings, finished=standings.finished, by=by, final=final)
    forfeited = sum(forfeit.games for forfeit in standings.forfeits)
    were = "was forfeited, and counts" if forfeited == 1 else "were forfeited, and count"
    forfeits = f" {format_count(forfeited, 'games')} {were} as lost." if forfeited else ""
    sure = "" if "challengers" in settings else _certainty_of_ratings(rows, standings.unconnected)
    return printable(f"{early}{said}.{disqualified}{sure}{forfeits}")


def leader(
    rows: Sequence[QuickRow | StandingRow],
    by_what: PlacesBy,
    settings: Mapping[str, Any],
    *,
    finished: bool = False,
    by: str = "",
    final: str = "",
) -> str:
    """Who has won or leads, without a full stop.

    `rows`: the best first; `by_what`: what places go by; `settings`: of the format; `by`: the tie-break that decides
    between the first two; `final`: from `format_final`.
    """
    if not rows:
        return "Nobody has won"
    if "challengers" in settings:  # the others have only met these
        own = [row for row in rows if row.name in settings["challengers"]]
        of = " per table" if any(row.worth != row.points for row in rows) else ""
        return "; ".join(
            f"{row.name} has {format_points(row.worth)} points{of}, place {row.place} of {len(rows)}" for row in own
        )
    first, *others = rows
    names = [row.name for row in rows if row.place == first.place]
    if len(names) > 1:
        everybody = "Both bots" if len(names) == 2 else f"All {len(names)} bots"
        who = named(names) if len(names) < len(rows) else everybody
        if by_what == "bracket" or any(row.eliminated for row in rows):
            return f"{who} {'were' if finished else 'are'} still in the tournament"
        if by_what == "final":
            return f"{who} are first so far"
        level = "are level" if len(names) == len(rows) else f"share {'the win' if finished else 'the lead'}"
        return f"{who} {level}{_with(rows, by_what)}"
    said = f"{first.name} {'won' if finished else 'leads'}{_with(rows, by_what)}"
    if finished and final:
        return f"{said} the final against {final}"
    if not others:
        return said
    second = others[0]
    if isinstance(first, StandingRow) and isinstance(second, StandingRow) and by_what == "rating":
        return f"{said}, {_elo(first) - _elo(second):.0f} ahead of {second.name}"
    if not _with(rows, by_what):
        return f"{said}; {second.name} is second"
    lead = first.worth - second.worth
    ahead = f"{format_points(lead)} ahead of" if lead else "as many as"
    return f"{said}, {ahead} {second.name}{f', by {by}' if by else ''}"


def _with(rows: Sequence[QuickRow | StandingRow], by_what: PlacesBy) -> str:
    """What the first one has of what places go by."""
    first = rows[0]
    if by_what == "rating" and isinstance(first, StandingRow):
        return f" with a rating of {format_rating(_elo(first))}"
    worth = [row.worth for row in rows]
    if by_what != "points" or worth != sorted(worth, reverse=True):  # one that is behind others is disqualified
        return ""
    per_table = " per table" if any(row.worth != row.points for row in rows) else ""
    return f" with {format_points(first.worth)} {'point' if first.worth == 1 else 'points'}{per_table}"


def _elo(row: StandingRow) -> float:
    return 0.0 if row.rating is None else row.rating.elo


def _certainty_of_ratings(rows: Sequence[StandingRow], unconnected: Sequence[Sequence[str]]) -> str:
    """Whether the first bot is better than the second one, as far as ratings tell. `unconnected`: as in Standings."""
    if len(rows) < 2 or rows[0].place == rows[1].place or rows[0].rating is None or rows[1].rating is None:
        return ""
    first, second, better = rows[0], rows[1], rows[0].better_than_next
    if better is not None:
        return _by_ratings(first.name, second.name, better)
    if first.difference_to_next is not None and (first.difference_to_next.low or 0) > 0:
        return (
            f" The rating of {first.name} is at least {first.difference_to_next.low:.0f} above that of {second.name}."
        )
    if has_too_few_deals(first) or has_too_few_deals(second):
        return f" The deals are too few to say whether {first.name} is better than {second.name}."
    low, high = rows[0].rating.low, rows[1].rating.high
    apart = low is not None and high is not None and low > high
    if never_met := _never_met(first.name, second.name, unconnected):
        return never_met
    ratings = " and ".join(
        f"{format_rating(row.rating.elo)} ({format_margin(row)})" for row in (first, second) if row.rating
    )
    return (
        f" By the ratings, {ratings}, {f'{first.name} is the better one' if apart else 'either may be the better one'}."
    )


def ratings_leader(found: PooledRatings | RankingOverGames) -> str:
    """Who leads a ranking by ratings, by how much, and how certain that is."""
    rows: Sequence[RatingRow | RowOverGames] = found.ratings
    if len(rows) < 2:
        return ""
    first, second = rows[0], rows[1]
    level = [row.name for row in rows if row.place == first.place]
    if len(level) > 1:
        return printable(f"{named(level)} share the first place with a rating of {format_rating(first.rating.elo)}.")
    lead = f"{format_rating(first.rating.elo)}, {first.rating.elo - second.rating.elo:.0f} above {second.name}"
    better = first.better_than_next
    if never_met := _never_met(first.name, second.name, found.unconnected):
        return printable(f"{first.name} has the highest rating.{never_met}")
    unsure = " The deals are too few to say" if first.deals < MIN_DEALS else " The results don't say"
    sure = f"{unsure} how sure that is." if better is None else _by_ratings(first.name, second.name, better)
    return printable(f"{first.name} leads with a rating of {lead}.{sure}")


def _never_met(first: str, second: str, unconnected: Sequence[Sequence[str]]) -> str:
    if not unconnected or any(first in group and second in group for group in unconnected):
        return ""
    return f" {first} has met {second} neither directly nor through others, so nothing compares the two."


def _by_ratings(first: str, second: str, better: float) -> str:
    """How certain it is by the ratings that one bot is better than the second."""
    confidence = format_confidence(max(better, 1 - better))
    if better < 0.5:
        return f" By the ratings {second} may well be the better one: {confidence} confidence."
    if better < CERTAIN_ENOUGH:
        return f" By the ratings it is not certain that {first} is better than {second}: {confidence} confidence."
    return f" By the ratings {first} is better than {second} with {confidence} confidence."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _share(row: Standing) -> str:
    return f"{row.wins.mean * 100:.3g} %"
