"""The standings of a tournament for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET
from rich.box import HEAVY_HEAD
from rich.table import Table

from referee.games import find_game
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.comparison import format_sprt
from referee.reports.formatting import format_column, format_confidence, format_interval, format_round
from referee.reports.terminal import Column, fitting_tables
from tournaments.competition.changes import FilesAccepted
from tournaments.competition.formats import FORMATS
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import Rating
from tournaments.competition.results import Forfeit, StandingRow, Standings
from tournaments.event.store.manifest import Manifest

HEADINGS: Final = {
    "buchholz": "Buchholz",
    "buchholz_cut1": "cut 1",
    "direct_encounter": "direct",
    "sonneborn_berger": "Sonneborn",
    "wins": "wins",
    "score_difference": "score diff.",
}
"""Of tie-breaks."""
NO_SANDBOX: Final = "sandbox: none"
"""The beginning of a session's `sandbox` in a manifest, if there was none."""
SIDE: Final = {"won": "better it is", "lost": "worse it is"}
MAX_ROUNDS: Final = 8
"""Rounds that a line about forfeits lists by number."""


def round_names(progress: Progress) -> list[str | None]:
    """The names of the rounds that have begun; None for a round that has only its number."""
    return [progress.round_name(begun.round.number) for begun in progress.begun]


def format_conditions(manifest: Manifest) -> Iterator[str]:
    """Notes below the standings: whose files were changed, and what colluding bots could gain."""
    if manifest.regulations.shared_deals is not None:
        yield manifest.regulations.shared_deals
    for name, problem in manifest.left_out.items():
        yield f"{name} was not ready, and the tournament began without it: {problem}"
    for event in manifest.events:
        if isinstance(event, FilesAccepted):
            yield f"Files of {', '.join(event.bots)} changed before round {event.round}, at the latest"
    if manifest.hosts:
        games = ", ".join(f"{host} {len(games)}" for host, games in manifest.hosts.items())
        yield f"Games played by machines of a cluster: {games}"
    if any(session.sandbox.startswith(NO_SANDBOX) for session in manifest.sessions):
        yield "Played without a sandbox, at least in part: bots could talk to each other, and read each other's files"


def format_heading(standings: Standings, names: Sequence[str | None]) -> str:
    """The tournament, and its state."""
    what = f"{standings.tournament}: {standings.format}, {standings.game}, tables of {standings.seats}"
    number, of = standings.round, standings.rounds
    games = f"{format_count(standings.games, 'games')} of {format_count(standings.deals, 'deals')}"
    if standings.finished:
        play_offs = sum(name is not None and ", play-off " in name for name in names)
        rounds = format_count(standings.round - play_offs, "rounds")
        and_offs = f" and {format_count(play_offs, 'play-offs')}" if play_offs else ""
        return f"{what}. Final standings after {rounds}{and_offs}, {games}"
    over = names[max(number, 1) - 1] if names else None
    after = f"{'after' if number else 'before the end of'} {format_round(max(number, 1), of, over)}"
    now = standings.in_progress
    if now is None:
        return f"{what}. Standings {after}, {games}"
    return (
        f"{what}. Standings {after}, with {now.games} of the {now.of} games of"
        f" {format_round(now.round, None, names[now.round - 1])}, which is not over"
    )


def standings_tables(standings: Standings, width: int | None, names: Sequence[str | None]) -> list[Table]:
    """The standings as a table, or as several where the terminal is narrow."""
    rows = standings.standings
    points = Column("points", format_column([row.points for row in rows]))
    by_points = FORMATS[standings.format].places_by_points if standings.format in FORMATS else True
    values = [points] if by_points else []
    per_table = any(row.points_per_table is not None for row in rows)
    if per_table:
        values.append(Column("points per table", format_column([row.points_per_table for row in rows], max_digits=3)))
    if any(row.eliminated is not None for row in rows):
        values.append(Column("out in", [format_eliminated(row, names) for row in rows]))
    if any(row.adjustment is not UNSET for row in rows):
        given = [0.0 if row.adjustment is UNSET else row.adjustment for row in rows]
        values.append(Column("penalty", ["" if not value else f"{value:+g}" for value in given]))
    values.append(Column("games", [str(row.games) for row in rows]))
    values.append(Column("rating", ["" if row.rating is None else f"{row.rating.elo:.0f}" for row in rows]))
    if shows_intervals(standings):
        values.append(Column(margin_heading(standings), [format_margin(row) for row in rows]))
        if any(row.better_than_next is not None or row.difference_to_next for row in rows):
            values.append(Column("above next", [*(format_above_next(row) for row in rows[:-1]), ""]))
    for name in rows[0].tiebreaks if rows else ():
        unit = " per table" if per_table and name != "direct_encounter" else ""
        found = [tiebreak_shown(standings.game, name, row.tiebreaks[name]) for row in rows]
        values.append(Column(f"{HEADINGS.get(name, name)}{unit}", format_column(found)))
    values += [
        Column("tables", [str(row.tables) for row in rows]),
        Column("game points", format_column([row.game_points for row in rows])),
        Column("faults", [str(row.faults) for row in rows]),
    ]
    if any(row.byes for row in rows):
        values.append(Column("byes", [str(row.byes) for row in rows]))
    bots = Column("bot", [printable(row.name) for row in rows])
    places = Column("", [str(row.place) for row in rows])
    return fitting_tables([bots], values, width, HEAVY_HEAD, [places])


def tiebreak_shown(game: str, name: str, value: float | None) -> float | None:
    """A tie-break as shown: differences of scores in points of the rules."""
    if value is None or name != "score_difference":
        return value
    return value / find_game(game).score_scale


def format_eliminated(row: StandingRow, names: Sequence[str | None]) -> str:
    """The round in which a bot went out."""
    if row.eliminated is None:
        return ""
    name = names[row.eliminated - 1] if 0 < row.eliminated <= len(names) else None
    return str(row.eliminated) if name is None else stage_of(name)


def stage_of(name: str) -> str:
    """The stage in which a bot went out, by the name of the round: without play-offs and the tables beside it."""
    return name.partition(",")[0].partition(" and ")[0]


def format_margin(row: StandingRow) -> str:
    """The margin of a rating, a bound to one side, or why there is none."""
    return "" if row.rating is None else format_interval(row.rating, too_few_deals=has_too_few_deals(row))


def shows_intervals(standings: Standings) -> bool:
    """Whether anything is bounded, or the notes say why nothing is though some bot has enough deals."""
    rows = standings.standings
    if any(is_bounded(row.rating) or is_bounded(row.difference_to_next) for row in rows):
        return True
    return not standings.unconnected and any(row.rating is not None and not has_too_few_deals(row) for row in rows)


def is_bounded(rating: Rating | None) -> bool:
    """Whether a rating or a difference has a bound to at least one side."""
    return rating is not None and not rating.low is rating.high is None


def has_too_few_deals(row: StandingRow) -> bool:
    """Whether a bot has too few rated deals for an interval."""
    return row.rated_deals < MIN_DEALS


def format_above_next(row: StandingRow) -> str:
    """The confidence that a bot is better than the next one, or the bound of the difference if it has only one."""
    difference = row.difference_to_next
    if row.better_than_next is not None:
        return format_confidence(row.better_than_next)
    if difference is None:
        return "never met"
    if difference.low is not None and difference.low > 0:
        return f"by at least {difference.low:.0f}"
    return "unbounded" if is_bounded(difference) else "too few deals"


def format_notes(standings: Standings) -> Iterator[str]:
    """Notes below the standings."""
    rows = standings.standings
    for row in rows:
        if row.withdrawn and row.disqualified is not True:
            reason = f": {row.withdrawn_reason}" if row.withdrawn_reason else ""
            yield f"{row.name} was withdrawn before round {row.withdrawn_before}{reason}"
        if row.joined > 1:
            yield f"{row.name} joined in round {row.joined}"
    for row in rows:
        own = [forfeit for forfeit in standings.forfeits if forfeit.name == row.name]
        if own:
            yield format_forfeits(row.name, own)
    if standings.replayed:
        games = format_count(standings.replayed, "games")
        yield f"{games} {'was' if standings.replayed == 1 else 'were'} played again; the first results are struck out"
    for ruling in () if standings.rulings is UNSET else standings.rulings:
        undone = " (undone)" if ruling.undone else ""
        after_all = standings.finished and ruling.round > standings.round
        when = "after the end" if after_all else f"before round {ruling.round}"
        yield f"Ruling {when}: {ruling.ruling}: {ruling.reason}{undone}"
    if standings.sprt is not None:
        yield format_sprt(standings.sprt)
    if standings.added is not UNSET:
        for name, value in standings.added.items():
            yield f"{name.replace('_', ' ')}: {format_added(value)}"
    yield from format_interval_notes(standings)


def format_added(value: object) -> str:
    """A value that a format adds to standings: lists with commas, mappings with semicolons."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {format_added(own)}" for name, own in value.items())
    return ", ".join(map(format_added, value)) if isinstance(value, list | tuple) else str(value)


def format_interval_notes(standings: Standings) -> Iterator[str]:
    """The kind of the intervals, or why there are none."""
    rated = [row for row in standings.standings if row.rating is not None]
    without = [row for row in rated if row.rating is not None and None in (row.rating.low, row.rating.high)]
    if any(has_too_few_deals(row) for row in without):
        whose = "intervals of ratings" if all(map(has_too_few_deals, rated)) else "some intervals of ratings"
        yield f"Too few deals for {whose}: a bot needs {MIN_DEALS}"
    yield from format_bounds(standings, without)
    if margin_heading(standings) == CONDITIONAL:
        yield (
            "* 95 % confidence intervals over deals, conditional on who met whom: results decided that, and the"
            " intervals are somewhat too narrow"
        )
    elif len(without) < len(rated):
        yield "± 95 % confidence intervals over deals"


CONDITIONAL: Final = "95 %*"


def margin_heading(standings: Standings) -> str:
    """The heading of intervals of ratings, with a star if a note says that those shown are conditional."""
    shown = [row.rating for row in standings.standings if row.rating is not None]
    bounded = any(bound is not None for rating in shown for bound in (rating.low, rating.high))
    return CONDITIONAL if standings.conditional and bounded else "95 %"


def format_bounds(standings: Standings, without: Sequence[StandingRow]) -> Iterator[str]:
    """Why some ratings are bounded to one side only, or not at all."""
    if standings.unconnected:
        groups = " | ".join(", ".join(group) for group in standings.unconnected)
        yield f"Not connected by any chain of games, so their ratings can't be compared: {groups}"
        return
    enough = [row for row in without if not has_too_few_deals(row)]
    for what in ("won", "lost"):
        names = ", ".join(row.name for row in enough if row.only == what)
        if names:
            have = "has" if "," not in names else "have"
            yield f"{names} {have} {what} every rated game: there is no bound on how much {SIDE[what]}"
    if any(row.only is None for row in enough):
        yield (
            "at least, at most, unbounded: a bot or group has hardly ever lost to the others, or hardly ever won, so"
            " that gap has no bound"
        )


def format_forfeits(name: str, forfeits: Sequence[Forfeit]) -> str:
    """A note for the opponents of a bot that could not be started."""
    rounds = sorted({forfeit.round for forfeit in forfeits})
    numbers = ", ".join(map(str, rounds[:MAX_ROUNDS])) + (" …" if len(rounds) > MAX_ROUNDS else "")
    games = format_count(sum(forfeit.games for forfeit in forfeits), "games")
    tables = format_count(len(forfeits), "tables")
    return (
        f"{name} forfeited {games} at {tables}, in round{'s' * (len(rounds) > 1)} {numbers}:"
        " it could not be started, or was withdrawn. These count as lost, and are not in its rating"
    )
