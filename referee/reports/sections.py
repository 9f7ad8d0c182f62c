"""What reports of tournaments and of matches have in common: bots, games, scores, thinking times, seats."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.players.thinking_time import ThinkingTime
from referee.printable import printable
from referee.reports.formatting import format_estimate, format_ms, format_points, format_share
from referee.reports.model import Cell, Heading, Row, Section, Table
from referee.reports.plots import Axis, axis_row, icon, interval_row, range_row, strip_row
from tournaments.competition.intervals import MIN_DEALS, Estimate
from tournaments.competition.match_standings import estimate, estimate_share, means_by_deal
from tournaments.event.store.details import MAX_FAULT_LINE, GameDetails

MOST_MARKED: Final = 5
"""Up to this many bots each have a colour and a shape."""


class Who(Struct, frozen=True):
    """The bots of a report, by index."""

    names: Sequence[str]
    """Printable."""
    places: Sequence[int]
    """In the standings."""

    @classmethod
    def of(cls, names: Iterable[str], places: Sequence[int]) -> "Who":
        """Bots with these names, which need not be printable."""
        return cls([printable(name) for name in names], places)

    def mark(self, bot: int) -> int | None:
        """The colour and shape of a bot, if there are few."""
        return bot if len(self.names) <= MOST_MARKED else None

    def css(self, bot: int) -> str:
        """The class of its drawings: its colour, or that it is one of the first three."""
        mark = self.mark(bot)
        if mark is not None:
            return f"seat{mark}"
        return "leading" if self.places[bot] <= 3 else ""

    def cell(self, bot: int, css: str = "") -> Cell:
        """Its name, as a link to its page."""
        mark = self.mark(bot)
        return Cell(self.names[bot], to=f"bot:{bot}", css=f"bot {css}".strip(), svg="" if mark is None else icon(mark))

    def in_order(self) -> list[int]:
        """The bots by place."""
        return sorted(range(len(self.names)), key=lambda bot: (self.places[bot], bot))


class GameShown(Struct, frozen=True, kw_only=True):
    """A finished game. Lists are by seat."""

    game_id: str
    round: int | None = None
    """None in a match."""
    table: int | None = None
    deal: tuple[int, int]
    """The deal: games with equal ones have the same."""
    bots: Sequence[int]
    scores: Sequence[float]
    """In points of the rules."""
    ranks: Sequence[int]
    points: Sequence[float]
    """The game points that count."""
    faults: Sequence[FaultCode | None]
    counts: bool = True
    """Whether it counts at all, with its scores."""
    note: str = ""
    """A ruling, or by which game it was replaced."""
    details: GameDetails | None = None
    host: str | None = None
    """The machine of a cluster that played it; None for this machine."""

    def fault_line(self, seat: int) -> str:
        """The first line of what was wrong."""
        line = None if self.details is None else self.details.faults[seat]
        return printable(line or str(self.faults[seat] or ""), MAX_FAULT_LINE)  # a database may be a stranger's


def numeric(text: str) -> Cell:
    """A number as a cell."""
    return Cell(text, css="n")


# -- scores ---------------------------------------------------------------------------------------------------


def scores_of(games: Iterable[GameShown]) -> dict[int, list[float]]:
    """By bot, its scores in the games that count."""
    found: dict[int, list[float]] = defaultdict(list)
    for game in games:
        if game.counts:
            for bot, score in zip(game.bots, game.scores, strict=True):
                found[bot].append(score)
    return found


def scores_section(who: Who, games: Sequence[GameShown]) -> Section | None:
    """The scores of each bot: all of them as a strip of dots, and the figures."""
    scores = scores_of(games)
    if not scores:
        return None
    axis = Axis.over([score for own in scores.values() for score in own])
    rows = []
    for bot in who.in_order():
        own = scores.get(bot)
        if own is None:
            continue
        mean = statistics.fmean(own)
        drawing = strip_row(axis, own, mean, f"scores of {who.names[bot]}: mean {mean:.1f}", who.css(bot))
        low, middle, high = (numeric(format_points(value)) for value in (min(own), statistics.median(own), max(own)))
        rows.append(
            Row(
                [
                    who.cell(bot),
                    Cell("", svg=drawing),
                    numeric(f"{mean:.1f}"),
                    low,
                    middle,
                    high,
                    numeric(f"{len(own)}"),
                ]
            )
        )
    return Section(
        key="scores",
        title="Scores",
        words=["Each dot is a game, the line is the mean. Scores of games that don't count are left out."],
        table=Table(
            caption="The scores of each bot",
            headings=[
                Heading("bot", number=False),
                Heading("scores", number=False, svg=axis_row(axis)),
                *map(Heading, ("mean", "minimum", "median", "maximum", "games")),
            ],
            rows=rows,
        ),
    )


# -- thinking times -------------------------------------------------------------------------------------------


def thinking_times(bots: int, games: Iterable[GameShown]) -> list[ThinkingTime]:
    """By bot, the times of all its decisions."""
    sums = [ThinkingTime() for _ in range(bots)]
    for game in games:
        if game.details is not None:
            for bot, thinking in zip(game.bots, game.details.thinking, strict=True):
                thinking.add_to(sums[bot])
    return sums


def thinking_section(
    who: Who, times: Sequence[ThinkingTime], programs: Sequence[bool], limit_ms: float | None
) -> Section | None:
    """The thinking times of the bots that are `programs`. `limit_ms`: of a decision."""
    shown = [bot for bot in who.in_order() if programs[bot] and times[bot].decisions]
    if not shown:
        return None
    figures = {
        bot: tuple(
            seconds * 1000
            for seconds in (
                times[bot].total / times[bot].decisions,
                times[bot].percentile(50),
                times[bot].percentile(99),
                times[bot].worst,
            )
        )
        for bot in shown
    }
    axis = Axis.over([max(value, 0.01) for own in figures.values() for value in own], log=True)
    rows = []
    for bot in shown:
        mean, middle, high, worst = figures[bot]
        label = (
            f"{who.names[bot]}: median {format_ms(middle)} ms, 99 % {format_ms(high)} ms, worst {format_ms(worst)} ms"
        )
        rows.append(
            Row(
                [
                    who.cell(bot),
                    Cell("", svg=range_row(axis, middle, high, worst, label, who.css(bot))),
                    *(numeric(format_ms(value)) for value in (mean, middle, high, worst)),
                    numeric(f"{times[bot].decisions:,}"),
                ]
            )
        )
    limit = "" if limit_ms is None else f" A decision may take {format_ms(limit_ms)} ms."
    return Section(
        key="thinking",
        title="Thinking times",
        words=[
            "Milliseconds per decision, each step of the axis ten times the one before: the dot is the median, the bar"
            f" ends where 99 % of the decisions do, and the line is the slowest.{limit}"
        ],
        table=Table(
            caption="The thinking times of each bot, in milliseconds",
            headings=[
                Heading("bot", number=False),
                Heading("ms per decision", number=False, svg=axis_row(axis)),
                *map(Heading, ("mean ms", "median ms", "99 % ms", "worst ms", "decisions")),
            ],
            rows=rows,
        ),
    )


# -- seats ----------------------------------------------------------------------------------------------------


def seat_rows(games: Sequence[GameShown], bot: int | None = None) -> tuple[Axis, list[Row]]:
    """By seat the results of all bots, or of one, with intervals over deals."""
    by_seat: dict[int, list[tuple[tuple[int, int], float, float, float]]] = defaultdict(list)
    for game in games:
        if game.counts:
            firsts = sum(rank == 1 for rank in game.ranks)
            for seat, own in enumerate(game.bots):
                if bot in (None, own):
                    won = 1 / firsts if game.ranks[seat] == 1 and game.faults[seat] is None else 0.0
                    by_seat[seat].append((game.deal, game.scores[seat], won, game.points[seat]))
    axis = Axis(low=0.0, high=1.0)
    rows = []
    for seat in sorted(by_seat):
        own_games = by_seat[seat]
        deals = {deal: number for number, deal in enumerate(dict.fromkeys(deal for deal, *_ in own_games))}
        score = estimate(means_by_deal((deals[deal], score) for deal, score, _, _ in own_games))
        wins = estimate_share(means_by_deal((deals[deal], won) for deal, _, won, _ in own_games), len(own_games))
        points = statistics.fmean(points for *_, points in own_games)
        drawing = interval_row(axis, wins.mean, wins.low, wins.high, f"wins in seat {seat}: {format_share(wins)}")
        rows.append(
            Row(
                [
                    numeric(str(seat)),
                    Cell("", svg=drawing),
                    numeric(format_interval(wins)),
                    numeric(format_estimate(score)),
                    numeric(f"{points:.2f}"),
                    numeric(str(len(own_games))),
                ]
            )
        )
    return axis, rows


def format_interval(share: Estimate) -> str:
    """A share with its interval, or why it has none."""
    return format_share(share) if share.low is not None else f"{format_share(share)}, too few deals"


def seats_table(games: Sequence[GameShown], bot: int | None = None) -> Table:
    """The results of each seat."""
    axis, rows = seat_rows(games, bot)
    return Table(
        caption="The results of each seat",
        headings=[
            Heading("seat"),
            Heading("share of wins", number=False, svg=axis_row(axis)),
            Heading("wins (95 %)"),
            Heading("score per deal"),
            Heading("points per game"),
            Heading("games"),
        ],
        rows=rows,
    )


def seats_section(who: Who, games: Sequence[GameShown], counts: Sequence[Sequence[int]]) -> Section | None:
    """The results of the seats, and how often each bot had each."""
    if not any(game.counts for game in games):
        return None
    seats = max(map(len, counts), default=0)
    return Section(
        key="seats",
        title="Seats",
        words=[f"Seats count from 0, in the order of play. Intervals over deals, from {MIN_DEALS} deals on."],
        table=seats_table(games),
        parts=[
            Section(
                key="seats-of-bots",
                title="",
                table=Table(
                    caption="The games of each bot in each seat",
                    headings=[
                        Heading("bot", number=False),
                        *(Heading(f"games in seat {seat}") for seat in range(seats)),
                    ],
                    rows=[
                        Row([who.cell(bot), *(numeric(str(count)) for count in counts[bot])]) for bot in who.in_order()
                    ],
                ),
                folded="How often each bot had each seat",
            )
        ],
    )
