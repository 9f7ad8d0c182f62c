"""The standings of a tournament and its cross table: which columns they have, and the notes below them."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.games import find_game
from referee.games.narrator import format_count, readable
from referee.printable import printable
from referee.reports.comparison import format_sprt
from referee.reports.formatting import (
    format_column,
    format_confidence,
    format_interval,
    format_points,
    format_repeated_deals,
    format_seat_wins,
    format_setting,
    format_unconnected,
)
from referee.reports.model import Cell, Column, Table, for_programs, numbers
from referee.reports.state import RoundNames, format_early_end
from tournaments.competition.changes import FilesAccepted
from tournaments.competition.formats.interface import PlacesBy
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.intervals import MIN_DEALS, Rating
from tournaments.competition.quick_standings import QuickRow
from tournaments.competition.results import Forfeit, StandingRow, Standings
from tournaments.event.store.manifest import Manifest

TIE_BREAK_NAMES: Final = {
    "buchholz": ("Buchholz", "Buchholz"),
    "buchholz_cut1": ("cut 1", "Buchholz cut 1"),
    "direct_encounter": ("direct", "direct encounter"),
    "sonneborn_berger": ("Sonneborn", "Sonneborn–Berger"),
    "wins": ("wins", "wins"),
    "score_difference": ("score diff.", "score difference"),
}
"""The heading of each tie-break, and its name in a sentence."""
COLUMN_MEANINGS: Final = {
    "points": "at most 1 per round",
    "rating": "Elo, with mean 0: a difference of 200 is 3.2 wins to one loss",
    "95 %": "the confidence interval of the rating, over deals",
    "above next": "the confidence that it is better than the bot in the next row",
    "deals": "a deal is everything that chance decides in a game; it is played in all rotations of the seats",
    "faults": "games in which it was too slow, crashed, or broke the rules",
    "byes": "rounds in which it would have played but was given no table",
    "Buchholz": "the sum of its opponents' points",
    "cut 1": "Buchholz without the lowest of its opponents' points",
    "direct": "direct encounter: the points of bots with equal points against each other",
    "Sonneborn": "Sonneborn–Berger: the sum of its opponents' points, times the points scored against each",
    "wins": "tables or games that it has won outright",
    "score diff.": "the sum of its scores less the mean of the others' scores",
    "game points": "their sum over its games, at most 1 each",
}
"""Of headings of standings."""
PLACES_GO_BY: Final[dict[PlacesBy, str]] = {
    "points": "Places go by {points}, then by the tie-breaks in the order of their columns.",
    "rating": "Places go by the rating: bots of about equal strength meet, so points say little.",
    "bracket": "Places go by how far a bot has come in the bracket; those that went out in the same round share one.",
    "final": "Places go by how far a bot has come in the final, then by the places in the first stage.",
}
"""What places go by, in a sentence."""
MAX_TIES: Final = 3
"""Pairs of equal bots of which a note says what decides between them."""
NO_SANDBOX: Final = "sandbox: none"
"""The beginning of a session's `sandbox` in a manifest, if there was none."""
SHADES: Final = 5
GONE: Final = "gone"
"""The class of a bot that plays no more."""
CROSS_NOTE: Final = (
    "Points of the bot in the row against the bot in the column, at most 1 per table; over 1 table: points/tables"
)
SIDE: Final = {"won": "better it is", "lost": "worse it is"}
MAX_ROUNDS: Final = 8
"""Rounds that a line about forfeits lists by number."""


def format_conditions(manifest: Manifest) -> Iterator[str]:
    """Notes below the standings: whose files were changed, and what colluding bots could gain."""
    if manifest.regulations.shared_deals is not None:
        yield manifest.regulations.shared_deals
    for name, problem in manifest.left_out.items():
        yield f"{name} was not ready, and the tournament began without it: {problem}"
    accepted = [(event.bots, event.round) for event in manifest.events if isinstance(event, FilesAccepted)]
    yield from dict.fromkeys(
        f"Files of {', '.join(bots)} changed before round {number}, at the latest" for bots, number in accepted
    )
    if manifest.hosts:
        games = ", ".join(f"{host} {len(games)}" for host, games in manifest.hosts.items())
        yield f"Games played by machines of a cluster: {games}"
    if any(session.sandbox.startswith(NO_SANDBOX) for session in manifest.sessions):
        yield "Played without a sandbox, at least in part: bots could talk to each other, and read each other's files"


def standings_table(standings: Standings, names: RoundNames, bots: Sequence[Cell] | None = None) -> Table:
    """The standings. `bots`: the cells with the names, where they are more than text."""
    rows = standings.standings
    elos, lows, highs = parts_of([row.rating for row in rows])
    above, above_low, above_high = parts_of([row.difference_to_next for row in rows])
    bounded = shows_intervals(standings)
    compared = any(row.better_than_next or row.difference_to_next for row in rows)
    return Table.of(
        "Standings",
        numbers("", [row.place for row in rows], "place", title="place"),
        Column("bot", bots or [printable(row.name) for row in rows], "name", key="name", values=[r.name for r in rows]),
        Column(
            "out in",
            [format_eliminated(standings, row, names) for row in rows],
            "text",
            key="eliminated",
            values=[row.eliminated for row in rows],
        ).shown_if(any(row.eliminated is not None for row in rows)),
        numbers("points", [row.points for row in rows], "points").shown_if(places_by(standings) != "bracket"),
        numbers("points per table", [row.points_per_table for row in rows], "points_per_table", max_digits=3).shown_if(
            is_per_table(standings)
        ),
        Column(
            "penalty",
            [f"{row.adjustment:+g}" if row.adjustment else "" for row in rows],
            key="adjustment",
            values=[row.adjustment for row in rows],
        ).shown_if(any(row.adjustment for row in rows)),
        numbers("rating", elos, "elo", form=".0f").shown_if(any(row.rating is not None for row in rows)),
        Column(margin_heading(standings), [format_margin(row) for row in rows]).shown_if(bounded),
        for_programs("low", lows),
        for_programs("high", highs),
        Column(
            "above next",
            [*(format_above_next(row) for row in rows[:-1]), ""],
            key="better_than_next",
            values=[row.better_than_next for row in rows],
        ).shown_if(bounded and compared),
        for_programs("above_next", above),
        for_programs("above_next_low", above_low),
        for_programs("above_next_high", above_high),
        for_programs("rated_deals", [row.rated_deals for row in rows]),
        for_programs("unrated_games", [row.unrated_games for row in rows]),
        for_programs("replayed_games", [row.replayed_games for row in rows]),
        for_programs("only", [row.only for row in rows]),
        numbers("deals", [row.deals for row in rows], "deals"),
        numbers("games", [row.games for row in rows], "games"),
        numbers("faults", [row.faults for row in rows], "faults"),
        numbers("byes", [row.byes for row in rows], "byes").shown_if(any(row.byes for row in rows)),
        *tiebreak_columns(standings),
        numbers("tables", [row.tables for row in rows], "tables"),
        numbers("game points", [row.game_points for row in rows], "game_points"),
        *(for_programs(f"seat_{seat}", [row.seat_counts[seat] for row in rows]) for seat in range(standings.seats)),
        for_programs("joined", [row.joined for row in rows]),
        for_programs("withdrawn_before", [row.withdrawn_before for row in rows]),
        for_programs("withdrawn_reason", [row.withdrawn_reason for row in rows]),
        for_programs("disqualified", [row.disqualified for row in rows]),
    )


def column_meanings(table: Table) -> dict[str, str]:
    """What the headings of standings mean, where they don't say it."""
    own = {heading: heading.removesuffix(" per table").rstrip("*") for heading in table.texts()[0]}
    return {heading: COLUMN_MEANINGS[name] for heading, name in own.items() if name in COLUMN_MEANINGS}


def parts_of(ratings: Sequence[Rating | None]) -> Iterator[list[float | None]]:
    """The ratings, their lower bounds, and their upper bounds."""
    for part in ("elo", "low", "high"):
        yield [None if rating is None else getattr(rating, part) for rating in ratings]


def quick_table(rows: Sequence[QuickRow | StandingRow], *, places_by: PlacesBy, moved: Sequence[Cell] = ()) -> Table:
    """The standings of a tournament in progress, without what takes long to compute. `moved`: how each
    bot's place has changed."""
    with_points = places_by != "bracket"
    bots = [Cell(printable(row.name), css=GONE if row.withdrawn or row.eliminated else "") for row in rows]
    return Table.of(
        "Standings",
        numbers("", [row.place for row in rows]),
        Column("", moved, "text").shown_if(any(cell.text for cell in moved)),
        Column("bot", bots, "name"),
        Column("points per table", [format_points(row.worth) for row in rows]).shown_if(
            with_points and any(row.worth != row.points for row in rows)
        ),
        Column("points", [format_points(row.points) for row in rows]).shown_if(with_points),
        numbers("games", [row.games for row in rows]),
        numbers("faults", [row.faults for row in rows]),
    )


def moved_cell(before: int | None, now: int, *, ascii_only: bool = False) -> Cell:
    if before is None or before == now:
        return Cell()
    better, worse = ("+", "-") if ascii_only else ("▲", "▼")
    return Cell(f"{better}{before - now}", css="up") if before > now else Cell(f"{worse}{now - before}", css="down")


def tiebreak_columns(standings: Standings) -> Iterator[Column]:
    """The tie-breaks in the order in which they decide, each marked where it does."""
    rows = standings.standings
    for name in rows[0].tiebreaks if rows else ():
        heading = TIE_BREAK_NAMES[name][0]
        unit = " per table" if is_per_table(standings) and name != "direct_encounter" else ""
        cells = [
            Cell(text, css="decides") if row.ahead_by == name else text
            for row, text in zip(rows, shown_tiebreaks(standings, name), strict=True)
        ]
        values = [row.tiebreaks[name] for row in rows]
        yield Column(f"{heading}{unit}", cells, key=name, values=values)


def shown_tiebreaks(standings: Standings, name: str) -> list[str]:
    """A tie-break of all bots. People see differences of scores in points of the rules."""
    scale = find_game(standings.game).score_scale if name == "score_difference" else 1
    found = [row.tiebreaks[name] for row in standings.standings]
    return format_column([None if value is None else value / scale for value in found])


def format_tie(standings: Standings, index: int) -> str:
    """The tie-break by which the bot in this row is ahead of the next one, with the values of both where they tell."""
    name = standings.standings[index].ahead_by or ""
    shown = shown_tiebreaks(standings, name)
    own, other = shown[index : index + 2]
    values = f" ({own} to {other})" if own and other and own != other else ""
    return f"{TIE_BREAK_NAMES[name][1]}{values}"


def format_ties(standings: Standings) -> Iterator[str]:
    """Why of bots with equal points one is ahead."""
    rows = standings.standings
    tied = [index for index, row in enumerate(rows) if row.ahead_by is not None]
    if tied:
        said = [
            f"{rows[at].name} is ahead of {rows[at + 1].name} by {format_tie(standings, at)}" for at in tied[:MAX_TIES]
        ]
        said += [f"{len(tied) - MAX_TIES} more likewise"] if len(tied) > MAX_TIES else []
        yield f"Of bots with equal points, {'; '.join(said)}"


def cross_table(standings: Standings, bots: Sequence[Cell] | None = None) -> Table:
    """The points of each bot against each other one. For people the columns have the numbers of the rows."""
    rows = standings.standings
    order = {row.name: index for index, row in enumerate(rows)}
    met: dict[tuple[int, int], tuple[float, int]] = {}
    """By row and column, the points of the bot in the row, and at how many tables they met."""
    for pair in standings.pairs:
        a, b = order[pair.a], order[pair.b]
        met[a, b], met[b, a] = (pair.a_points, pair.tables), (pair.b_points, pair.tables)
    return Table.of(
        "Points of each bot in a row against the bot in a column",
        for_programs("place", [row.place for row in rows]),
        numbers("", range(1, len(rows) + 1), title="number"),
        Column("bot", bots or [printable(row.name) for row in rows], "name", key="name", values=list(order)),
        *(
            Column(
                str(index + 1),
                [format_cross(met.get((other, index)), is_self=other == index) for other in range(len(rows))],
                title=printable(name),
                key=name,
                values=[met[other, index][0] if (other, index) in met else None for other in range(len(rows))],
            )
            for name, index in order.items()
        ),
    )


def format_cross(found: tuple[float, int] | None, *, is_self: bool) -> Cell:
    """A cell of the cross table: the points, and at how many tables if at several; the darker, the larger its share."""
    if is_self:
        return Cell("×", css="self")
    if found is None:
        return Cell()
    points, tables = found
    shade = min(max(round(points / tables * SHADES), 0), SHADES) if tables else 0
    return Cell(format_points(points) if tables == 1 else f"{format_points(points)}/{tables}", css=f"h{shade}")


def format_order(standings: Standings) -> str:
    """What places go by."""
    order = PLACES_GO_BY[places_by(standings)].format(
        points="points per table" if is_per_table(standings) else "points"
    )
    tied = any(row.ahead_by for row in standings.standings)
    return f"{order} The deciding tie-break is bold." if tied else order


def places_by(standings: Standings) -> PlacesBy:
    return FORMATS[standings.format].places_by if standings.format in FORMATS else "points"


def is_per_table(standings: Standings) -> bool:
    return any(row.points_per_table is not None for row in standings.standings)


def format_eliminated(standings: Standings, row: StandingRow, names: RoundNames) -> str:
    """The stage in which a bot went out: without play-offs and the tables beside it."""
    if row.eliminated is None:
        return "winner" if standings.finished and row.place == 1 else ""
    name = names.get(row.eliminated, f"round {row.eliminated}")
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


def format_begun_again(games: int) -> str:
    """How many games of a round were begun again."""
    return f"{format_count(games, 'games')} begun again, as the referee or a worker had ended or a record was discarded"


def format_notes(standings: Standings) -> Iterator[str]:
    rows = standings.standings
    if standings.ended_early is not None:
        early = format_early_end(standings.ended_early)
        yield f"{early[0].upper()}{early[1:]}"
    yield from format_ties(standings)
    for row in rows:
        if row.withdrawn and not row.disqualified:
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
    for number, again in standings.begun_again.items():
        yield f"Round {number}: {format_begun_again(again)}"
    ended = next((one.event for one in standings.rulings if one.kind == "ended" and not one.undone), 0)
    for ruling in standings.rulings:
        if ruling.event == ended and standings.finished:
            continue  # said above
        undone = " (undone)" if ruling.undone else ""
        after_all = standings.finished and ruling.round > standings.round and ruling.event > ended
        when = "after the end" if after_all else f"before round {ruling.round}"
        yield f"Ruling {when}: {ruling.ruling}: {ruling.reason}{undone}"
    unrated = [f"{row.name} {row.unrated_games}" for row in rows if row.unrated_games]
    if unrated:
        yield f"Games in no rating, because of a ruling: {', '.join(unrated)}"
    if standings.repeated_deals is not None:
        several = standings.sprt is None and any(row.deals > row.tables for row in rows)
        yield format_repeated_deals(standings.repeated_deals, standings.game, "deals = 1" if several else None)
    if standings.seat_wins is not None and standings.seat_wins.deals:
        yield format_seat_wins(standings.seat_wins)
    if standings.sprt is not None:
        yield format_sprt(standings.sprt)
    for name, value in standings.added.items():
        yield f"{readable(name)}: {format_setting(value)}"
    yield from format_interval_notes(standings)


def format_interval_notes(standings: Standings) -> Iterator[str]:
    rated = [row for row in standings.standings if row.rating is not None]
    without = [row for row in rated if row.rating is not None and None in (row.rating.low, row.rating.high)]
    if any(has_too_few_deals(row) for row in without):
        whose = "intervals of ratings" if all(map(has_too_few_deals, rated)) else "some intervals of ratings"
        yield f"Too few deals for {whose}: a bot needs {MIN_DEALS}"
    yield from format_bounds(standings, without)
    if margin_heading(standings) == CONDITIONAL:
        yield ("* 95 % confidence intervals over deals, conditional on who met whom: results decided that")
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
        yield format_unconnected(standings.unconnected)
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
        " it could not be started, or was withdrawn. These count as lost"
    )
