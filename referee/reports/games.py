"""Lists of games and of faults, and the parts of a bot's page about its own."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.bots.advice import advice_on
from referee.games.narrator import ABOUT_ROTATIONS, format_count, format_game_id
from referee.printable import printable
from referee.reports.formatting import format_ms, without_numbers
from referee.reports.game_list import format_scores
from referee.reports.model import Cell, Column, Section, Table, numbers
from referee.reports.sections import GameShown, Who, seats_table

MAX_LISTED_FAULTS: Final = 200
"""Games with a fault that the page of a bot lists."""
MAX_SLOWEST: Final = 10
MAX_UNFOLDED: Final = 6
"""Up to this many games of an event are listed at once; more are behind clicks, by round."""
MAX_OPEN_ROWS: Final = 50
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


def faults_table(faults: Sequence[Fault], caption: str, bots: Column | None = None) -> Table:
    """Faults with their first lines, and what to do. `bots`: the column of their bots, unless all are of one."""
    games = [
        Cell(
            format_game_id(fault.games[0]) + ("" if len(fault.games) == 1 else f", and {len(fault.games) - 1} more"),
            to=f"game:{fault.games[0]}",
        )
        for fault in faults
    ]
    return Table.of(
        caption,
        *([] if bots is None else [bots]),
        numbers("games", [len(fault.games) for fault in faults]),
        Column("the first line", [Cell(fault.line, css="message") for fault in faults], "text"),
        Column("what to do", [Cell(advice_on(fault.code, fault.line), css="message") for fault in faults], "text"),
        Column("game", games, "text"),
    )


def faults_section(who: Who, games: Sequence[GameShown]) -> Section | None:
    found = grouped_faults(games)
    if not found:
        return None
    count = sum(len(fault.games) for fault in found)
    bots = len({fault.bot for fault in found})
    return Section(
        key="faults",
        title="Faults",
        words=[f"{format_count(count, 'faults')} of {format_count(bots, 'bots')}; similar ones of a bot share a line."],
        table=faults_table(found, "The faults of all bots", who.column(fault.bot for fault in found)),
    )


# -- games ----------------------------------------------------------------------------------------------------


def games_table(who: Who, games: Sequence[GameShown], caption: str) -> Table:
    """A list of games, each with its bots by rank. It names machines if those of a cluster have played."""
    results, faults = [], []
    for game in games:
        names = [who.names[bot] for bot in game.bots]
        scores = format_scores(names, game.scores, game.ranks, game.faults)
        results.append(Cell(" · ".join(scores), css="" if game.counts else "struck"))
        faults.append(
            "; ".join(
                f"{who.names[game.bots[seat]]}: {game.fault_line(seat)}"
                for seat, code in enumerate(game.faults)
                if code is not None
            )
        )
    notes = [
        Cell("; ".join(part for part in (fault, game.note) if part), css="message")
        for fault, game in zip(faults, games, strict=True)
    ]
    hosts = [printable(game.host or "") for game in games]
    return Table(
        caption=caption,
        columns=[
            Column("game", [Cell(format_game_id(game.game_id), to=f"game:{game.game_id}") for game in games], "text"),
            Column("scores, the best rank first", results, "text"),
            Column("faults and rulings", notes, "text").shown_if(any(note.text for note in notes)),
            Column("machine", hosts, "text").shown_if(any(hosts)),
        ],
        bots=[game.bots for game in games],
        faults=[bool(fault) for fault in faults],
    )


def games_section(who: Who, games: Sequence[GameShown], round_name: Callable[[int], str]) -> Section:
    by_round: Mapping[int | None, list[GameShown]] = defaultdict(list)
    for game in games:
        by_round[game.round].append(game)
    parts, folds = [], len(games) > MAX_UNFOLDED
    for number, own in by_round.items():
        title = "All games" if number is None else round_name(number)
        parts.append(
            Section(
                key="games-all" if number is None else f"games-{number}",
                title="" if folds or number is None else title,
                table=games_table(who, own, title),
                folded=f"{title}: {format_count(len(own), 'games')}" if folds else "",
            )
        )
    again = len({(game.round, game.deal) for game in games}) < len(games)
    words = [ABOUT_ROTATIONS] if again else [] if games else ["No game is over yet."]
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
    slowest = sorted(found, key=lambda row: (-row[0], row[1]))[:MAX_SLOWEST]
    return Section.with_table(
        "slowest",
        "Slowest decisions",
        Column("ms", [format_ms(ms) for ms, _, _ in slowest]),
        Column(
            "game",
            [Cell(format_game_id(game_id), to=f"slowest:{game_id}:{seat}") for _, game_id, seat in slowest],
            "text",
        ),
        numbers("seat", [seat for _, _, seat in slowest]),
        caption=f"The slowest decisions of {who.names[bot]}",
        words=["The slowest decision of a game, of the games where it took longest."],
    )


def bot_sections(who: Who, bot: int, games: Sequence[GameShown], *, is_program: bool) -> list[Section]:
    """The sections about one bot that need only its games."""
    own_faults = [fault for fault in grouped_faults(games) if fault.bot == bot]
    sections = []
    if any(game.counts for game in games):
        sections.append(Section(key="seats", title="By seat", table=seats_table(games, bot)))
    if own_faults:
        table = faults_table(own_faults[:MAX_LISTED_FAULTS], f"The faults of {who.names[bot]}")
        sections.append(Section(key="faults", title="Faults", table=table))
    slowest = slowest_section(who, bot, games) if is_program else None
    if slowest is not None:
        sections.append(slowest)
    caption = f"The games of {who.names[bot]}"
    folded = format_count(len(games), "games") if len(games) > MAX_OPEN_ROWS else ""
    table = games_table(who, games, caption)
    sections.append(Section(key="games", title="Games", table=table, folded=folded))
    return sections


def games_by_bot(bots: int, games: Iterable[GameShown]) -> list[list[GameShown]]:
    found: list[list[GameShown]] = [[] for _ in range(bots)]
    for game in games:
        for bot in dict.fromkeys(game.bots):
            found[bot].append(game)
    return found
