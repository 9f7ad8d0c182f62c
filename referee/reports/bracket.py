"""Brackets: their stages from left to right, each table beside those that its bots came from."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from referee.reports.comparison import named
from referee.reports.formatting import format_points
from referee.reports.model import Column, Section
from referee.reports.plots import number, shortened, text
from tournaments.competition.formats.interface import BracketTable, Stage
from tournaments.competition.points import ZERO, game_point_sums
from tournaments.competition.progress import Progress
from tournaments.competition.results import Standings
from tournaments.competition.rounds import Points

STAGE_WIDTH: Final = 178
STAGE_GAP: Final = 34
BOT_HEIGHT: Final = 20
TABLE_GAP: Final = 14
STAGE_NAME_HEIGHT: Final = 26
MAX_DRAWN: Final = 64
"""The most bots of a bracket that is drawn; a larger one is shown as a table only."""
MAX_BRACKET_NAME: Final = 17


class Box(Struct, frozen=True, kw_only=True):
    """A table in the drawing."""

    table: BracketTable
    stage: int
    """Its column, from 0."""
    y: float
    """Of its middle."""
    title: str = ""


def bracket_section(progress: Progress) -> Section | None:
    """The brackets; None in formats without any, and before the first table of one."""
    settings = progress.regulations.format_settings
    found = settings.brackets(progress.format_context(), progress.paired_by)
    with_tables = [bracket for bracket in found if any(stage.tables for stage in bracket.stages)]
    if not with_tables:
        return None
    words = [
        "The number behind a bot is its game points at that table, with those of play-offs; bots that advance are bold."
    ]
    if len(found) == 1:
        return _drawn(progress, found[0].stages, "bracket", "Bracket", words)
    parts = [
        # Without the stages in which all bots advance by byes.
        _drawn(progress, [stage for stage in bracket.stages if stage.tables], f"bracket-{number}", bracket.name)
        for number, bracket in enumerate(with_tables, 1)
    ]
    return Section(key="bracket", title="Brackets", words=words, parts=parts)


def _drawn(
    progress: Progress,
    stages: Sequence[Stage],
    key: str,
    title: str,
    words: Sequence[str] = (),
) -> Section:
    names = [entry.name for entry in progress.entries]
    sums = {
        (column, bot): points for column, stage in enumerate(stages) for bot, points in _sums(progress, stage).items()
    }
    rows: list[tuple[str, str, str, str]] = []
    notes: list[str] = []
    for column, stage in enumerate(stages):
        tables = [*stage.tables, *([] if stage.for_third is None else [stage.for_third])]
        for index, table in enumerate(tables, 1):
            stage_title = "third place" if table is stage.for_third else stage.name
            bots = [f"{names[bot]} {format_points(float(sums.get((column, bot), ZERO)))}" for bot in _shown(table)]
            ahead = ", ".join(names[bot] for bot in table.ahead) or "not decided"
            if table.by_seed:
                by_seed = ", ".join(names[bot] for bot in table.by_seed)
                notes.append(f"{stage_title}: level after all play-offs, so that {by_seed} advances by the better seed")
            rows.append((stage_title, str(index), " – ".join(bots), ahead))
        if stage.byes:
            rows.append((stage.name, "", ", ".join(names[bot] for bot in stage.byes), "bye"))
            notes.append(f"Byes in {stage.name}: {rows[-1][2]}")
    drawn = len(progress.entries) <= MAX_DRAWN
    return Section.with_table(
        key,
        title,
        Column("stage", [row[0] for row in rows], "text"),
        Column("table", [row[1] for row in rows]),
        Column("bots, with their game points", [row[2] for row in rows], "text"),
        Column("goes on", [row[3] for row in rows], "text"),
        caption=f"The tables of each stage{'' if title == 'Bracket' else f': {title}'}",
        words=words,
        plot=draw_bracket(stages, names, sums) if drawn else "",
        folded="The tables of each stage" if drawn else "",
        notes=notes,
    )


def _sums(progress: Progress, stage: Stage) -> dict[int, Points]:
    found: dict[int, Points] = {}
    history = progress.view()
    for round_number in stage.rounds:
        if round_number <= len(history):
            for result in history[round_number - 1].results:
                for bot, points in zip(result.table.bots, game_point_sums(result), strict=True):
                    found[bot] = found.get(bot, ZERO) + points
    return found


def format_final(progress: Progress, standings: Standings) -> str:
    """Whom the winner has beaten at the last table of a bracket, and how: "heron, 4 to 2". Empty if nobody, as where
    the other one had withdrawn, or whoever won that table has been disqualified.
    """
    brackets = progress.regulations.format_settings.brackets(progress.format_context(), progress.paired_by)
    stages = brackets[-1].stages if brackets else []
    if not stages or len(stages[-1].tables) != 1 or not stages[-1].tables[0].ahead:
        return ""
    [table], points = stages[-1].tables, _sums(progress, stages[-1])
    first, *others = _shown(table)
    winner = next((row.name for row in standings.standings if not row.disqualified), "")
    if not others or not points or progress.entries[first].name != winner:
        return ""
    score = f", {format_points(float(points[first]))} to {format_points(float(points[others[0]]))}"
    by_seed = ": level after all play-offs, with the better seed" if table.by_seed else ""
    against = named([progress.entries[bot].name for bot in others])
    return f"{against}{score if len(others) == 1 else ''}{by_seed}"


def _shown(table: BracketTable) -> list[int]:
    """The bots of a table, those who go on first."""
    return [*table.ahead, *(bot for bot in table.bots if bot not in table.ahead)]


def draw_bracket(found: Sequence[Stage], names: Sequence[str], sums: Mapping[tuple[int, int], Points]) -> str:
    boxes, height = _layout(found)
    width = len(found) * STAGE_WIDTH + (len(found) - 1) * STAGE_GAP
    parts = [
        f'<text class="stage" x="{(STAGE_WIDTH + STAGE_GAP) * index}" y="14">{text(stage.name)}</text>'
        for index, stage in enumerate(found)
    ]
    at = {
        (box.stage, bot): (_bot_y(box, bot), place)
        for box in boxes
        if not box.title
        for place, bot in enumerate(_shown(box.table))
    }
    for box in boxes:
        x = (STAGE_WIDTH + STAGE_GAP) * box.stage
        top = box.y - len(box.table.bots) * BOT_HEIGHT / 2
        if box.title:
            parts.append(f'<text class="tick start" x="{x}" y="{number(top - 5)}">{text(box.title)}</text>')
        for bot in _shown(box.table):
            y = _bot_y(box, bot)
            points = sums.get((box.stage, bot))
            css = "ahead" if bot in box.table.ahead else "out" if box.table.ahead and not box.table.tied else ""
            parts.append(
                f'<g class="{css}"><title>{text(names[bot])}</title>'
                f'<text x="{x + 8}" y="{number(y + 4)}">{text(shortened(names[bot], MAX_BRACKET_NAME))}</text>'
                f'<text class="end" x="{x + STAGE_WIDTH - 8}" y="{number(y + 4)}">'
                f"{'' if points is None else format_points(float(points))}</text></g>"
            )
            following = at.get((box.stage + 1, bot))
            if following is not None and not box.title:
                right, (to, place) = x + STAGE_WIDTH, following
                turn = STAGE_GAP / 3 + 6 * place  # so that those of one table can be told apart
                parts.append(
                    f'<path class="leader" d="M{right} {number(y)}h{turn:g}V{number(to)}H{right + STAGE_GAP}"/>'
                )
        parts.append(
            f'<rect class="box" x="{x}.5" y="{number(top)}" width="{STAGE_WIDTH - 1}"'
            f' height="{len(box.table.bots) * BOT_HEIGHT}" rx="3"/>'
        )
    label = f"bracket of {len(names)} bots in {len(found)} stages"
    return (
        f'<svg class="bracket" viewBox="0 0 {width} {number(height)}" width="{width}" height="{number(height)}"'
        f' role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _bot_y(box: Box, bot: int) -> float:
    place = _shown(box.table).index(bot)
    return box.y + (place - (len(box.table.bots) - 1) / 2) * BOT_HEIGHT


def _layout(found: Sequence[Stage]) -> tuple[list[Box], float]:
    """Where each table is drawn, and the height of the drawing.

    From the last stage backwards each table has room for the tables that its bots came from, one below the other.
    """
    came_from: dict[int, list[int]] = {}
    """By the `id` of a table, the indices of the tables before it; each table is given to the first that follows it."""
    for before, after in pairwise(found):
        given = set[int]()
        for table in after.tables:
            own = [
                index
                for bot in table.bots
                for index, other in enumerate(before.tables)
                if bot in other.bots and index not in given
            ]
            came_from[id(table)] = list(dict.fromkeys(own))
            given.update(own)
        left = [index for index in range(len(before.tables)) if index not in given]
        if left and after.tables:
            came_from[id(after.tables[-1])] += left

    def room(stage: int, table: BracketTable) -> float:
        own = len(table.bots) * BOT_HEIGHT + TABLE_GAP
        if stage == 0:
            return own
        before = [found[stage - 1].tables[index] for index in came_from.get(id(table), [])]
        waiting = len(table.bots) - len(before)
        return max(own, sum(room(stage - 1, other) for other in before) + max(waiting, 0) * BOT_HEIGHT)

    boxes: list[Box] = []

    def place(stage: int, table: BracketTable, top: float) -> None:
        height = room(stage, table)
        boxes.append(Box(table=table, stage=stage, y=top + height / 2))
        before = [found[stage - 1].tables[index] for index in came_from.get(id(table), [])] if stage else []
        used = sum(room(stage - 1, other) for other in before)
        y = top + (height - used) / 2
        for other in before:
            place(stage - 1, other, y)
            y += room(stage - 1, other)

    y = float(STAGE_NAME_HEIGHT)
    last = len(found) - 1
    for table in found[last].tables:
        place(last, table, y)
        y += room(last, table)
    for_third = found[last].for_third
    if for_third is not None:
        final = next(box for box in boxes if box.stage == last)
        below = final.y + (len(final.table.bots) + len(for_third.bots)) * BOT_HEIGHT / 2 + 3 * TABLE_GAP
        boxes.append(Box(table=for_third, stage=last, y=below, title="third place"))
        y = max(y, below + len(for_third.bots) * BOT_HEIGHT / 2 + TABLE_GAP)
    return boxes, y
