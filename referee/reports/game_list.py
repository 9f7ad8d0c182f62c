"""The games and the rounds of a tournament as lists: lines for people, tables for programs."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import UNSET
from rich.cells import cell_len

from referee.games import Game
from referee.games.narrator import format_count, format_score, in_points
from referee.printable import printable
from referee.reports.formatting import format_column, format_number
from referee.reports.model import Column, Table, Value, for_programs
from referee.reports.state import format_round
from tournaments.competition.game_list import GameRow, RoundRow, TableRow
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress

INDENT: Final = "    "
RULED: Final = {"set": "ranks set by a ruling", "void": "void by a ruling"}


def format_games(rows: Sequence[GameRow], of: type[Game], width: int | None) -> Iterator[str]:
    """The games, those of a deal below its heading, by their ids."""
    for (number, table, deal), games in groupby(rows, lambda row: (row.round, row.table, row.deal)):
        yield f"Round {number}, table {table}, deal {deal}"
        for row in games:
            yield from format_game(row, of, width)


def format_game(row: GameRow, of: type[Game], width: int | None) -> Iterator[str]:
    """A game: scores with ranks by seat, and faults."""
    items = [
        f"{name} {format_score(of, score)} ({'' if fault is None else f'{fault}, '}{rank})"
        for name, score, rank, fault in zip(row.bots, row.scores, row.ranks, row.faults, strict=True)
    ]
    note = format_game_note(row)
    return format_items(f"  {row.game_id}  ", [*items, note] if note else items, width)


def format_scores(
    names: Sequence[str], scores: Sequence[float], ranks: Sequence[int], faults: Sequence[str | None]
) -> Iterator[str]:
    """The score of each bot in points, the best first; one that committed a fault is marked, and one that a tie-break
    has put behind another. All by seat."""
    ahead: dict[float, int] = {}
    for seat in sorted(range(len(names)), key=lambda seat: ranks[seat]):
        tied = faults[seat] is None and ahead.setdefault(scores[seat], ranks[seat]) != ranks[seat]
        mark = " (fault)" if faults[seat] is not None else " (behind by tie-break)" if tied else ""
        yield f"{names[seat]} {format_number(scores[seat], '.10g')}{mark}"


def format_result(progress: Progress, game: StoredGame) -> str:
    """The result of a game of a tournament, as `format_scores` has it."""
    names = [printable(progress.entries[bot].name) for bot in game.bots]
    scores = [in_points(progress.regulations.game_type, score) for score in game.scores]
    return ", ".join(format_scores(names, scores, game.ranks, game.faults))


def format_game_note(row: GameRow) -> str:
    """Why a game doesn't count as it was played; empty if it does."""
    if row.replayed is not None:
        note = "struck out, played again"
    elif row.ruling is not UNSET:
        note = RULED[row.ruling]
    else:
        return ""
    return f"{note}: {row.reason}" if row.reason else note


def format_round_row(row: RoundRow, bye: float, width: int | None) -> Iterator[str]:
    """A round: its tables with points, or how many games are finished, and its byes. `bye`: the points of one."""
    first, last = row.deals[0], row.deals[-1]
    deals = f"deal {first}" if first == last else f"deals {first} to {last}"
    title = format_round(row.round, None, row.name or None)
    yield f"{title[0].upper()}{title[1:]}, {deals}" + ("" if row.finished else ", being played")
    for table in row.tables:
        if table.points is None:
            items = list(table.bots)
        else:
            items = [f"{name} {points}" for name, points in zip(table.bots, format_column(table.points), strict=True)]
        if table.games < table.of:
            items[-1] += f"  ({table.games} of {format_count(table.of, 'games')})"
        yield from format_items(f"  {table.table:3}  ", items, width)
    if row.byes:
        yield from format_items("  bye  ", [f"{name} {format_column([bye])[0]}" for name in row.byes], width)
    if row.absent is not UNSET:
        yield from format_items("  absent  ", row.absent, width)


def format_items(begin: str, items: Sequence[str], width: int | None) -> Iterator[str]:
    """The items on a line, or on several where the terminal is narrow, broken between items."""
    line = begin
    for number, item in enumerate(items):
        text = item if number == len(items) - 1 else f"{item}, "
        if width is not None and line != INDENT and cell_len(line + text.rstrip()) > width:
            yield line.rstrip()
            line = INDENT
        line += text
    yield line


def games_table(rows: Sequence[GameRow], seats: int) -> Table:
    """The games for programs; where a table was small, its last columns are empty."""
    return Table.of(
        "Games",
        for_programs("game_id", [row.game_id for row in rows]),
        for_programs("round", [row.round for row in rows]),
        for_programs("table", [row.table for row in rows]),
        for_programs("deal", [row.deal for row in rows]),
        for_programs("rotation", [row.rotation for row in rows]),
        *by_seat("bot", [row.bots for row in rows], seats),
        *by_seat("score", [row.scores for row in rows], seats),
        *by_seat("rank", [row.ranks for row in rows], seats),
        *by_seat("points", [row.points for row in rows], seats),
        *by_seat("fault", [row.faults for row in rows], seats),
        for_programs("record", [row.record for row in rows]),
        for_programs("replayed", [row.replayed for row in rows]),
        for_programs("ruling", [row.ruling or None for row in rows]),
        for_programs("reason", [row.reason for row in rows]),
    )


def tables_table(rounds: Sequence[RoundRow], seats: int) -> Table:
    """The tables for programs; a bye and an absence are rows without a table."""
    rows: list[tuple[int, str | int | None, Sequence[str], TableRow | None]] = []
    for row in rounds:
        rows += [(row.round, table.table, table.bots, table) for table in row.tables]
        rows += [(row.round, None, (name,), None) for name in row.byes]
        rows += [(row.round, "absent", (name,), None) for name in row.absent or ()]
    tables = [table for *_, table in rows]
    return Table.of(
        "Tables",
        for_programs("round", [number for number, *_ in rows]),
        for_programs("table", [number for _, number, _, _ in rows]),
        for_programs("games", [0 if table is None else table.games for table in tables]),
        for_programs("of", [0 if table is None else table.of for table in tables]),
        *by_seat("bot", [bots for _, _, bots, _ in rows], seats),
        *by_seat("game_points", [() if table is None else table.game_points for table in tables], seats),
        *by_seat("points", [() if table is None else table.points or () for table in tables], seats),
    )


def by_seat(key: str, rows: Sequence[Sequence[Value]], seats: int) -> Iterator[Column]:
    """A column per seat; empty where there is no such seat."""
    for seat in range(seats):
        yield for_programs(f"{key}_{seat}", [row[seat] if seat < len(row) else None for row in rows])
