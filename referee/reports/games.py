"""Lists of games and of faults, and the parts of a bot's page about its own."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.bots.advice import advice_for_author
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_ms, without_numbers
from referee.reports.model import Cell, Heading, Row, Section, Table
from referee.reports.sections import GameShown, Who, numeric, seats_table

MOST_LISTED_FAULTS: Final = 200
"""Games with a fault that the page of a bot lists."""
MOST_SLOWEST: Final = 10
MOST_OPEN: Final = 50
"""Games of a bot that are listed at once; more are behind a click."""


class Fault(Struct, frozen=True, kw_only=True):
    """Similar faults of a bot."""

    bot: int
    code: FaultCode
    line: str
    """The first line of the first one."""
    games: list[str]


# -- faults ---------------------------------------------------------------------------------------------------


def grouped_faults(games: Iterable[GameShown]) -> list[Fault]:
    """All faults, similar ones of a bot together, the most frequent first."""
    groups: dict[tuple[int, FaultCode, str], Fault] = {}
    for game in games:
        for seat, code in enumerate(game.faults):
            if code is not None:
                bot, line = game.bots[seat], game.fault_line(seat)
                key = (bot, code, without_numbers(line))
                groups.setdefault(key, Fault(bot=bot, code=code, line=line, games=[])).games.append(game.game_id)
    return sorted(groups.values(), key=lambda fault: (-len(fault.games), fault.bot, fault.games[0]))


def fault_rows(who: Who, faults: Iterable[Fault], *, named: bool) -> list[Row]:
    """Faults with their first lines, and what to do; `named` with their bots."""
    rows = []
    for fault in faults:
        shown = fault.games[0] if len(fault.games) == 1 else f"{fault.games[0]} and {len(fault.games) - 1} more"
        rows.append(
            Row(
                [
                    *([who.cell(fault.bot)] if named else []),
                    numeric(str(len(fault.games))),
                    Cell(fault.line, css="message"),
                    Cell(advice_for_author(fault.code), css="message"),
                    Cell(shown, to=f"game:{fault.games[0]}"),
                ]
            )
        )
    return rows


FAULT_HEADINGS: Final = (
    Heading("games"),
    Heading("the first line", number=False),
    Heading("what to do", number=False),
    Heading("game", number=False),
)


def faults_section(who: Who, games: Sequence[GameShown]) -> Section:
    """All faults of all bots."""
    found = grouped_faults(games)
    if not found:
        return Section(key="faults", title="Faults", words=["No bot has committed a fault."])
    count = sum(len(fault.games) for fault in found)
    bots = len({fault.bot for fault in found})
    return Section(
        key="faults",
        title="Faults",
        words=[f"{format_count(count, 'faults')} of {format_count(bots, 'bots')}; similar ones of a bot share a line."],
        table=Table(
            caption="The faults of all bots",
            headings=[Heading("bot", number=False), *FAULT_HEADINGS],
            rows=fault_rows(who, found, named=True),
        ),
    )


# -- games ----------------------------------------------------------------------------------------------------


def game_rows(who: Who, games: Iterable[GameShown], *, tables: bool, hosts: bool) -> list[Row]:
    """Games, each with its bots by rank, and with `hosts` its machine."""
    rows = []
    names = who.names
    for game in games:
        order = sorted(range(len(game.bots)), key=lambda seat: (game.ranks[seat], seat))
        result = " · ".join(
            f"{names[game.bots[seat]]} {game.scores[seat]:.10g}{'' if game.faults[seat] is None else ' (fault)'}"
            for seat in order
        )
        faults = "; ".join(
            f"{names[game.bots[seat]]}: {game.fault_line(seat)}"
            for seat, code in enumerate(game.faults)
            if code is not None
        )
        note = "; ".join(part for part in (faults, game.note) if part)
        rows.append(
            Row(
                [
                    Cell(game.game_id, to=f"game:{game.game_id}"),
                    *([numeric(str(game.table))] if tables else []),
                    Cell(result, css="" if game.counts else "struck"),
                    Cell(note, css="message"),
                    *([Cell(printable(game.host or ""))] if hosts else []),
                ],
                bots=game.bots,
                fault=bool(faults),
            )
        )
    return rows


def games_table(who: Who, games: Sequence[GameShown], caption: str, *, tables: bool) -> Table:
    """A list of games. It names machines if those of a cluster have played."""
    hosts = any(game.host is not None for game in games)
    headings = [
        Heading("game", number=False),
        *([Heading("table")] if tables else []),
        Heading("scores, the best rank first", number=False),
        Heading("faults and rulings", number=False),
        *([Heading("machine", number=False)] if hosts else []),
    ]
    return Table(caption=caption, headings=headings, rows=game_rows(who, games, tables=tables, hosts=hosts))


def games_section(who: Who, games: Sequence[GameShown], round_name: Callable[[int], str]) -> Section:
    """Every game, round by round."""
    by_round: Mapping[int | None, list[GameShown]] = defaultdict(list)
    for game in games:
        by_round[game.round].append(game)
    parts = []
    for number, own in by_round.items():
        title = "All games" if number is None else round_name(number)
        parts.append(
            Section(
                key="games-all" if number is None else f"games-{number}",
                title="",
                table=games_table(who, own, title, tables=number is not None),
                folded=f"{title}: {format_count(len(own), 'games')}",
            )
        )
    words = [] if games else ["No game is over yet."]
    return Section(key="games", title="Games", words=words, parts=parts, filtered=len(games) > 1)


# -- the parts of a bot's page --------------------------------------------------------------------------------


def slowest_section(who: Who, bot: int, games: Iterable[GameShown]) -> Section | None:
    """The games with the slowest decisions of a bot, each a link to that decision."""
    found = []
    for game in games:
        if game.details is not None:
            for seat, own in enumerate(game.bots):
                if own == bot and game.details.thinking[seat].decisions:
                    found.append((game.details.thinking[seat].worst_ms, game.game_id, seat))
    if not found:
        return None
    found.sort(key=lambda row: (-row[0], row[1]))
    return Section(
        key="slowest",
        title="Slowest decisions",
        words=["The slowest decision of a game, of the games where it took longest."],
        table=Table(
            caption=f"The slowest decisions of {who.names[bot]}",
            headings=[Heading("ms"), Heading("game", number=False), Heading("seat")],
            rows=[
                Row([numeric(format_ms(ms)), Cell(game_id, to=f"slowest:{game_id}:{seat}"), numeric(str(seat))])
                for ms, game_id, seat in found[:MOST_SLOWEST]
            ],
        ),
    )


def bot_sections(who: Who, bot: int, games: Sequence[GameShown], *, is_program: bool, tables: bool) -> list[Section]:
    """The sections about one bot that need only its games."""
    faults = grouped_faults(games)
    own_faults = [fault for fault in faults if fault.bot == bot]
    sections = []
    if any(game.counts for game in games):
        sections.append(Section(key="seats", title="By seat", table=seats_table(games, bot)))
    if own_faults:
        sections.append(
            Section(
                key="faults",
                title="Faults",
                table=Table(
                    caption=f"The faults of {who.names[bot]}",
                    headings=FAULT_HEADINGS,
                    rows=fault_rows(who, own_faults[:MOST_LISTED_FAULTS], named=False),
                ),
            )
        )
    slowest = slowest_section(who, bot, games) if is_program else None
    if slowest is not None:
        sections.append(slowest)
    caption = f"The games of {who.names[bot]}"
    folded = format_count(len(games), "games") if len(games) > MOST_OPEN else ""
    table = games_table(who, games, caption, tables=tables)
    sections.append(Section(key="games", title="Games", table=table, folded=folded))
    return sections


def games_by_bot(bots: int, games: Iterable[GameShown]) -> list[list[GameShown]]:
    """By bot its games."""
    found: list[list[GameShown]] = [[] for _ in range(bots)]
    for game in games:
        for bot in dict.fromkeys(game.bots):
            found[bot].append(game)
    return found
