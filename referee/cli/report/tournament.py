"""The report of a tournament, from its folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct

from referee.cli.formatting import format_column, format_points
from referee.cli.report.bracket import bracket_section
from referee.cli.report.conditions import conditions_section, verification_section
from referee.cli.report.model import Cell, Heading, Page, Report, Row, Section, Table
from referee.cli.report.plots import Axis, Line, axis_row, interval_row, line_chart
from referee.cli.report.sections import (
    GameShown,
    Who,
    bot_sections,
    faults_section,
    games_by_bot,
    games_section,
    numeric,
    scores_section,
    seats_section,
    thinking_section,
    thinking_times,
)
from referee.cli.tournament.plain_view import format_event
from referee.cli.tournament.standings_text import HEADINGS, format_above_next, format_margin, format_notes
from referee.games.narrator import format_count
from referee.printable import printable
from referee.record.reader import InvalidRecord
from tournaments.competition.changes import AnyRuling
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.game_list import GameRow, game_rows
from tournaments.competition.over_rounds import AfterRound, over_rounds
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import Rating
from tournaments.competition.results import PairRow, StandingRow, Standings, tournament_standings
from tournaments.competition.rounds import Deal
from tournaments.competition.rulings import standing_events
from tournaments.competition.stages import round_names, stages
from tournaments.event.status import Status, status
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails, details_of
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest

MOST_CROSSED: Final = 120
"""Bots of a cross table: with more a table of all pairs is more than anybody reads."""
SHADES: Final = 10
Value = Callable[[AfterRound, int], float | None]
"""A figure of a bot after a round."""


class Source(Struct, frozen=True, kw_only=True):
    """What a report is made of."""

    folder: TournamentFolder
    manifest: Manifest
    progress: Progress
    status: Status
    standings: Standings
    names: dict[int, str]
    """Of rounds that have one: those of a knockout."""
    who: Who
    games: list[GameShown]
    after: list[AfterRound]

    @property
    def index(self) -> dict[str, int]:
        """By name, the index of a bot."""
        return {entry.name: bot for bot, entry in enumerate(self.progress.entries)}

    def round_name(self, number: int) -> str:
        """A round as people call it."""
        name = self.names.get(number)
        return f"Round {number}" if name is None else f"Round {number}: {name}"


def read_source(path: Path) -> Source:
    """Read the folder of a tournament. Raises StoreError and NoTournament."""
    folder = TournamentFolder.open(path)
    loaded = load(folder, repair=False)
    manifest, progress = loaded.manifest, loaded.progress
    standings = tournament_standings(progress, manifest.finished)
    place = {row.name: row.place for row in standings.standings}
    rows = game_rows(progress)
    details = read_details(folder, rows)
    index = {entry.name: bot for bot, entry in enumerate(progress.entries)}
    deals_of = progress.regulations.deals_of
    return Source(
        folder=folder,
        manifest=manifest,
        progress=progress,
        status=status(path),
        standings=standings,
        names=round_names(stages(progress), progress.regulations.seats),
        who=Who.of(index, [place[name] for name in index]),
        games=[_game(row, index, deals_of, details.get(row.game_id)) for row in rows],
        after=over_rounds(progress),
    )


def read_details(folder: TournamentFolder, rows: Sequence[GameRow]) -> dict[str, GameDetails]:
    """The details of all games: those in the database, and of games that have none there those in the records."""
    found: dict[str, GameDetails] = {}
    try:
        with Database.open(folder.database, read_only=True) as database:
            found = database.details()
    except StoreError:
        pass  # a copy without it, or a damaged one: `load` has got along without it too
    for row in rows:
        if row.game_id not in found:
            try:
                found[row.game_id] = details_of(folder.read_record(row.game_id))
            except (StoreError, InvalidRecord):
                continue  # a published copy may have no records
    return {name: own for name, own in found.items() if len(own.thinking) == len(own.faults)}


def _game(row: GameRow, index: Mapping[str, int], deals_of: str, details: GameDetails | None) -> GameShown:
    note = ""
    if row.replayed is not None:
        note = f"struck out, played again as {row.replayed}: {row.reason}"
    elif row.ruling is not UNSET:
        kind = "counts for nobody" if row.ruling == "void" else "the result was set by a ruling"
        note = kind if row.reason is None else f"{kind}: {row.reason}"
    if details is not None and len(details.thinking) != len(row.bots):
        details = None
    return GameShown(
        game_id=row.game_id,
        round=row.round,
        table=row.table,
        deal=Deal.of(deals_of, row.table, row.deal),
        bots=[index[name] for name in row.bots],
        scores=row.scores,
        ranks=row.ranks,
        points=row.points,
        faults=row.faults,
        counts=row.replayed is None and row.ruling is UNSET,
        note=printable(note),
        details=details,
    )


def tournament_report(source: Source) -> Report:
    """The whole report."""
    who, games, progress = source.who, source.games, source.progress
    programs = [bot.folder is not None for bot in source.manifest.bots]
    programs += [True] * (len(who.names) - len(programs))
    move = source.manifest.clock.move
    sections = [
        standings_section(source),
        bracket_section(progress),
        cross_section(source),
        places_section(source),
        ratings_section(source),
        scores_section(who, games),
        thinking_section(who, thinking_times(len(who.names), games), programs, None if move is None else move * 1000),
        seats_section(who, games, _seat_counts(source.standings, source.index)),
        faults_section(who, games),
        games_section(who, games, source.round_name),
        events_section(progress),
        conditions_section(source.manifest, source.folder, progress.format_context()),
        verification_section(source.manifest),
    ]
    home = Page(
        target="home",
        title=printable(source.standings.tournament),
        lines=heading_lines(source),
        live=source.status.state == "running",
        sections=[section for section in sections if section is not None],
    )
    own_games = games_by_bot(len(who.names), games)
    bots = [bot_page(source, bot, own_games[bot], is_program=programs[bot]) for bot in range(len(who.names))]
    versions = source.manifest.versions
    return Report(
        pages=[home, *bots],
        bots=who.names,
        rounds=[begun.round.number for begun in progress.begun],
        footer=f"Made by referee {versions.get('referee', '')} from the folder of the tournament",
    )


def heading_lines(source: Source) -> list[str]:
    """What is played, and how far it is."""
    standings, progress = source.standings, source.progress
    title = progress.regulations.game_type.title
    lines = [
        f"{title}, {standings.format.replace('_', ' ')} of {len(progress.entries)} bots, tables of {standings.seats}"
    ]
    games = f"{format_count(standings.games, 'games')} of {format_count(standings.deals, 'deals')}"
    if standings.finished:
        lines.append(f"Final, after {format_count(standings.round, 'rounds')} and {games}")
        return lines
    found = source.status
    of = "" if standings.rounds is None or source.names else f" of {standings.rounds}"
    name = source.names.get(found.round)
    where = f"round {found.round}{of}" if name is None else f"{name} (round {found.round})"
    now = standings.in_progress
    parts = [f"{where}, {now.games} of its {now.of} games" if now is not None else f"after {where}", games]
    if found.ends is not None:
        parts.append(f"ends about {found.ends[:16].replace('T', ' ')} UTC")
    lines.append(f"{found.state.capitalize()}: {', '.join(parts)}")
    return lines


# -- standings ------------------------------------------------------------------------------------------------


def standings_section(source: Source) -> Section:
    """Places, points and ratings, with their intervals on one axis."""
    standings, index, who = source.standings, source.index, source.who
    rows = standings.standings
    knockout = isinstance(source.progress.regulations.format_settings, Knockout)
    before = _before(source)
    ratings = [row.rating for row in rows if row.rating is not None]
    axis = rating_axis(ratings)
    columns: list[tuple[Heading, list[Cell]]] = [
        (Heading("", title="place"), [numeric(str(row.place)) for row in rows]),
        (Heading("bot", number=False), [who.cell(index[row.name], _state_css(row)) for row in rows]),
    ]
    if before is not None:
        number, places = before
        moved = [_moved(places[index[row.name]], row.place) for row in rows]
        columns.insert(1, (Heading("", number=False, title=f"change since round {number}"), moved))
    if knockout:
        columns.append((Heading("out in", number=False), [Cell(_out(source, row)) for row in rows]))
    else:
        columns.append((Heading("points"), _numbers([row.points for row in rows])))
    if any(row.points_per_table is not None for row in rows):
        per_table = format_column([row.points_per_table for row in rows], max_digits=3)
        columns.append((Heading("points per table"), [numeric(value) for value in per_table]))
    if any(row.adjustment is not UNSET for row in rows):
        given = [0.0 if row.adjustment is UNSET else row.adjustment for row in rows]
        columns.append((Heading("penalty"), [numeric("" if not value else f"{value:+g}") for value in given]))
    if ratings:
        columns.append(
            (Heading("rating"), [numeric("" if row.rating is None else f"{row.rating.elo:.0f}") for row in rows])
        )
        drawn = [Cell("") if row.rating is None else Cell("", svg=_rating_row(axis, row, who, index)) for row in rows]
        columns.append((Heading("rating, 95 % interval", number=False, svg=axis_row(axis)), drawn))
        columns.append(
            (Heading("95 %*" if standings.conditional else "95 %"), [numeric(format_margin(row)) for row in rows])
        )
        if any(row.better_than_next is not None or row.difference_to_next for row in rows):
            above = [*(format_above_next(row) for row in rows[:-1]), ""]
            columns.append(
                (
                    Heading("above next", title="the confidence that it is better than the next one"),
                    [numeric(value) for value in above],
                )
            )
    if not knockout:
        for name in rows[0].tiebreaks if rows else ():
            columns.append((Heading(HEADINGS.get(name, name)), _numbers([row.tiebreaks[name] for row in rows])))
    columns += [
        (Heading(name), [numeric(str(value)) for value in values])
        for name, values in (
            ("deals", [row.deals for row in rows]),
            ("games", [row.games for row in rows]),
            ("faults", [row.faults for row in rows]),
            ("byes", [row.byes for row in rows]),
        )
        if name != "byes" or any(values)
    ]
    return Section(
        key="standings",
        title="Standings",
        table=Table(
            caption="Standings",
            headings=[heading for heading, _ in columns],
            rows=[Row(cells) for cells in zip(*(cells for _, cells in columns), strict=True)],
        ),
        notes=[printable(note) for note in format_notes(standings)],
    )


def rating_axis(ratings: Sequence[Rating]) -> Axis:
    """An axis for ratings and their intervals."""
    return Axis.over([value for own in ratings for value in (own.elo, own.low, own.high) if value is not None])


def _rating_row(axis: Axis, row: StandingRow, who: Who, index: Mapping[str, int]) -> str:
    assert row.rating is not None
    label = f"rating {row.rating.elo:.0f}, {format_margin(row)}"
    return interval_row(axis, row.rating.elo, row.rating.low, row.rating.high, label, who.css(index[row.name]))


def _numbers(values: Sequence[float | None]) -> list[Cell]:
    return [numeric(value) for value in format_column(values)]


def _before(source: Source) -> tuple[int, tuple[int | None, ...]] | None:
    """The places before the last round."""
    earlier = [after for after in source.after if after.round < len(source.progress.begun)]
    return (earlier[-1].round, earlier[-1].places) if earlier else None


def _moved(before: int | None, now: int) -> Cell:
    if before is None or before == now:
        return Cell("")
    return Cell(f"▲{before - now}", css="up") if before > now else Cell(f"▼{now - before}", css="down")


def _out(source: Source, row: StandingRow) -> str:
    if row.eliminated is None:
        return "" if not source.standings.finished else "winner"
    return source.names.get(row.eliminated, f"round {row.eliminated}").partition(", play-off")[0]


def _state_css(row: StandingRow) -> str:
    return "gone" if row.withdrawn else ""


# -- who met whom ---------------------------------------------------------------------------------------------


def cross_section(source: Source) -> Section | None:
    """The points of each bot against each other one, in the order of the standings."""
    who, pairs = source.who, source.standings.pairs
    order = who.in_order()
    if not pairs or len(order) > MOST_CROSSED:
        return None
    index = source.index
    points: dict[tuple[int, int], tuple[float, int]] = {}
    for pair in pairs:
        a, b = index[pair.a], index[pair.b]
        points[a, b], points[b, a] = (pair.a_points, pair.tables), (pair.b_points, pair.tables)
    rows = []
    for place, bot in enumerate(order, 1):
        cells: list[Cell] = [numeric(str(place)), who.cell(bot)]
        for other in order:
            if other == bot:
                cells.append(Cell("", css="self"))
            elif (bot, other) in points:
                own, tables = points[bot, other]
                shade = round(own / tables * SHADES) if tables else 0
                cells.append(Cell(format_points(own), css=f"n h{min(max(shade, 0), SHADES)}"))
            else:
                cells.append(Cell(""))
        rows.append(Row(cells))
    table = Table(
        caption="Points of each bot in a row against the bot in a column",
        headings=[
            Heading(""),
            Heading("bot", number=False),
            *(Heading(str(place), title=who.names[bot]) for place, bot in enumerate(order, 1)),
        ],
        rows=rows,
    )
    words = (
        "The points of the bot in a row against the one in a column, both in the order of the standings; the darker,"
        " the larger its share. An empty cell: they have not met."
    )
    return Section(key="cross", title="Cross table", words=[words], table=table)


# -- over the rounds ------------------------------------------------------------------------------------------


def places_section(source: Source) -> Section | None:
    """The places after each round."""
    who, after = source.who, source.after
    if len(after) < 2:
        return None
    lines = [
        Line(
            name=f"{who.places[bot]} {who.names[bot]}",
            points=[(each.round, float(place)) for each in after if (place := each.places[bot]) is not None],
            css=who.css(bot),
        )
        for bot in who.in_order()
    ]
    rounds = [each.round for each in after]
    return Section(
        key="places",
        title="Places",
        words=["The place after each round, with the results that count by now."],
        plot=line_chart(lines, "places after each round", "round", "place", places=True, steps=rounds),
        table=_over_rounds_table(source, "Place after each round", lambda each, bot: each.places[bot], ""),
        folded="The places as a table",
    )


def ratings_section(source: Source) -> Section | None:
    """The ratings after each round, and the interval of the last ones."""
    who, after = source.who, source.after
    if len(after) < 2 or not any(rating is not None for rating in after[-1].ratings):
        return None
    last = {source.index[row.name]: row.rating for row in source.standings.standings}
    lines = []
    for bot in who.in_order():
        points = [(float(each.games), rating) for each in after if (rating := each.ratings[bot]) is not None]
        own = last[bot]
        interval = None if own is None or source.progress.current is not None else (own.low, own.high)
        lines.append(Line(name=who.names[bot], points=points, css=who.css(bot), interval=interval))
    lines.sort(key=lambda line: -line.points[-1][1] if line.points else 0.0)
    return Section(
        key="ratings",
        title="Ratings",
        words=[
            "Elo, with mean 0, from one fit over all games up to then. The bar at the end is the 95 % interval; the"
            " first ratings are from few games and say little."
        ],
        plot=line_chart(lines, "ratings over games", "games played", "rating"),
        table=_over_rounds_table(source, "Rating after each round", lambda each, bot: each.ratings[bot], ".0f"),
        folded="The ratings as a table",
    )


def _over_rounds_table(source: Source, caption: str, value: Value, digits: str) -> Table:
    who, after = source.who, source.after
    return Table(
        caption=caption,
        headings=[
            Heading("bot", number=False),
            *(Heading(str(each.round), title=f"round {each.round}") for each in after),
        ],
        rows=[
            Row(
                [
                    who.cell(bot),
                    *(numeric("" if (own := value(each, bot)) is None else f"{own:{digits}}") for each in after),
                ]
            )
            for bot in who.in_order()
        ],
    )


# -- events ---------------------------------------------------------------------------------------------------


def events_section(progress: Progress) -> Section:
    """Rulings and everything else that happened beside the games, with reasons."""
    valid = {number for number, _ in standing_events(progress.events)}
    rows = []
    for number, event in enumerate(progress.events, 1):
        undone = isinstance(event, AnyRuling) and number not in valid
        rows.append(
            Row(
                [
                    numeric(str(number)),
                    numeric(str(event.round)),
                    Cell("ruling" if isinstance(event, AnyRuling) else "event"),
                    Cell(printable(format_event(event, progress)), css="struck" if undone else ""),
                    Cell(printable(event.at)),
                ]
            )
        )
    if not rows:
        return Section(key="events", title="Rulings and events", words=["There were none."])
    return Section(
        key="events",
        title="Rulings and events",
        words=["In the order in which they apply, each with its reason. The round is the first one paired after it."],
        table=Table(
            caption="Rulings and events",
            headings=[
                Heading("no."),
                Heading("round"),
                Heading("kind", number=False),
                Heading("what, and why", number=False),
                Heading("when", number=False),
            ],
            rows=rows,
        ),
    )


# -- the page of a bot ----------------------------------------------------------------------------------------


def bot_page(source: Source, bot: int, games: Sequence[GameShown], *, is_program: bool) -> Page:
    """The page of a bot."""
    who, entry = source.who, source.progress.entries[bot]
    row = next(row for row in source.standings.standings if row.name == entry.name)
    owner = f" by {printable(entry.owner)}" if entry.owner else ""
    rating = "" if row.rating is None else f", rating {row.rating.elo:.0f} {format_margin(row)}"
    lines = [
        f"{printable(source.standings.tournament)}: place {row.place} of {len(who.names)}{owner}{rating}",
        f"{format_points(row.points)} points in {format_count(row.games, 'games')},"
        f" {format_count(row.faults, 'faults')}",
    ]
    sections = [opponents_section(source, bot), _own_ratings(source, bot)]
    return Page(
        target=f"bot:{bot}",
        title=who.names[bot],
        lines=lines,
        mark=who.mark(bot),
        sections=[
            *(section for section in sections if section is not None),
            *bot_sections(who, bot, games, is_program=is_program, tables=True),
        ],
    )


def opponents_section(source: Source, bot: int) -> Section | None:
    """The results of a bot against each of the others that it has met."""
    index, who = source.index, source.who
    name = source.progress.entries[bot].name
    own = [pair for pair in source.standings.pairs if name in (pair.a, pair.b)]
    if not own:
        return None
    own.sort(key=lambda pair: who.places[index[_other(pair, name)]])
    differences = [(pair, _difference(pair, name)) for pair in own]
    axis = rating_axis([found for _, found in differences if found is not None] or [Rating(0.0, None, None)])
    rows = []
    for pair, found in differences:
        points = pair.a_points if pair.a == name else pair.b_points
        drawing, shown = "", "not compared"
        if found is not None:
            shown = f"{found.elo:+.0f}" + (
                "" if found.low is None or found.high is None else f" ({found.low:+.0f} to {found.high:+.0f})"
            )
            drawing = interval_row(axis, found.elo, found.low, found.high, f"difference {shown}", who.css(bot))
        rows.append(
            Row(
                [
                    who.cell(index[_other(pair, name)]),
                    numeric(format_points(points)),
                    numeric(str(pair.tables)),
                    numeric(str(pair.games)),
                    Cell("", svg=drawing),
                    numeric(shown),
                ]
            )
        )
    return Section(
        key="opponents",
        title="By opponent",
        words=["The difference of the ratings, from all games of the tournament, with its 95 % interval."],
        table=Table(
            caption=f"The results of {who.names[bot]} by opponent",
            headings=[
                Heading("opponent", number=False),
                Heading("points"),
                Heading("tables"),
                Heading("games"),
                Heading("difference", number=False, svg=axis_row(axis)),
                Heading("rating less the opponent's"),
            ],
            rows=rows,
        ),
    )


def _other(pair: PairRow, name: str) -> str:
    return pair.b if pair.a == name else pair.a


def _difference(pair: PairRow, name: str) -> Rating | None:
    found = pair.difference or None
    if found is None or pair.a == name:
        return found
    return Rating(
        0.0 - found.elo, None if found.high is None else -found.high, None if found.low is None else -found.low
    )


def _own_ratings(source: Source, bot: int) -> Section | None:
    """The ratings of a bot over its rounds."""
    points = [(each.games, each.round, rating) for each in source.after if (rating := each.ratings[bot]) is not None]
    if len(points) < 2:
        return None
    who = source.who
    line = Line(
        name=who.names[bot],
        points=[(float(games), rating) for games, _, rating in points],
        css=who.css(bot) or "leading",
    )
    return Section(
        key="rating",
        title="Rating",
        plot=line_chart([line], f"ratings of {who.names[bot]}", "games of the tournament", "rating"),
        table=Table(
            caption=f"Ratings of {who.names[bot]}",
            headings=[Heading("after round"), Heading("games"), Heading("rating")],
            rows=[
                Row([numeric(str(number)), numeric(str(games)), numeric(f"{rating:.0f}")])
                for games, number, rating in points
            ],
        ),
        folded="The ratings as a table",
    )


def _seat_counts(standings: Standings, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()] * len(index)
    for row in standings.standings:
        found[index[row.name]] = row.seat_counts
    return found
