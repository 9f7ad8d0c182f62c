"""What reports of tournaments and of matches have in common: bots, games, scores, thinking times, seats."""

import statistics
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.players.thinking_time import ThinkingTime
from referee.printable import printable
from referee.reports.formatting import (
    format_estimate,
    format_ms,
    format_points,
    format_range,
    format_rating,
    format_share,
)
from referee.reports.model import THINKING, Cell, Column, Section, Table, drawings, numbers, thinking_table
from referee.reports.plots import SHARE_AXIS, Axis, axis_row, icon, interval_row, range_row, strip_row
from tournaments.competition.intervals import MIN_DEALS, Estimate, Rating
from tournaments.competition.match_standings import estimate, estimate_share, means_by_deal
from tournaments.competition.repeats import Decided, as_decided, observation, repeating
from tournaments.event.store.details import MAX_FAULT_LINE, GameDetails

MAX_MARKED: Final = 5
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
        return bot if len(self.names) <= MAX_MARKED else None

    def css(self, bot: int) -> str:
        """The class of its drawings: its colour, or that it is one of the first three."""
        mark = self.mark(bot)
        if mark is not None:
            return f"seat{mark}"
        return "leading" if self.places[bot] <= 3 else ""

    def cell(self, bot: int, css: str = "") -> Cell:
        """Its name, as a link to its page."""
        mark = self.mark(bot)
        return Cell(self.names[bot], to=f"bot:{bot}", css=css, svg="" if mark is None else icon(mark))

    def column(self, bots: Iterable[int], heading: str = "bot") -> Column:
        return Column(heading, [self.cell(bot) for bot in bots], "name")

    def in_order(self) -> list[int]:
        return sorted(range(len(self.names)), key=lambda bot: (self.places[bot], bot))


class GameShown(Struct, frozen=True, kw_only=True):
    """A finished game. Lists are by seat."""

    game_id: str
    round: int | None = None
    """None in a match."""
    deal: tuple[int, int]
    """The deal: games with equal ones have the same."""
    bots: Sequence[int]
    scores: Sequence[float]
    """In points of the rules."""
    ranks: Sequence[int]
    points: Sequence[float]
    """The game points that count."""
    faults: Sequence[FaultCode | None]
    decisions_hash: str = ""
    """Equal for games with the same decisions; empty in a game with chance."""
    counts: bool = True
    """Whether it counts at all, with its scores."""
    note: str = ""
    """A ruling, or by which game it was replaced."""
    details: GameDetails | None = None
    host: str | None = None
    """The machine of a cluster that played it; None for this machine."""

    def fault_line(self, seat: int) -> str:
        line = None if self.details is None else self.details.faults[seat]
        return printable(line or str(self.faults[seat] or ""), MAX_FAULT_LINE)  # a database may be a stranger's


def interval_drawings(
    heading: str,
    values: Sequence[Rating | Estimate | None],
    labels: Sequence[str],
    css: Sequence[str],
    *,
    axis: Axis | None = None,
    zero: bool = False,
) -> Column:
    """Values with their intervals on one axis: the given one, or one that fits, with `zero` from there on. `labels`:
    what each is, in words."""
    rows = [
        None if own is None else (own.elo if isinstance(own, Rating) else own.mean, own.low, own.high) for own in values
    ]
    axis = axis or Axis.over([each for row in rows for each in row or () if each is not None], zero=zero)
    bars = [
        "" if row is None else interval_row(axis, *row, label, name)
        for row, label, name in zip(rows, labels, css, strict=True)
    ]
    return drawings(heading, bars, axis_row(axis), minor=True)


def difference_columns(differences: Sequence[Rating | None], css: Sequence[str]) -> tuple[Column, Column]:
    """How much higher a rating is than those of opponents, with intervals: drawn, and in words."""
    words = [
        "not compared" if own is None else f"{format_rating(own.elo, sign='+')}{format_range(own)}"
        for own in differences
    ]
    bars = interval_drawings("difference", differences, [f"difference {own}" for own in words], css)
    return bars, Column("rating less the opponent's", words)


# -- scores ---------------------------------------------------------------------------------------------------


def scores_section(who: Who, games: Sequence[GameShown]) -> Section | None:
    """The scores of each bot: all of them as a strip of dots, and the figures."""
    scores: dict[int, list[float]] = defaultdict(list)
    for game in games:
        if game.counts:
            for bot, score in zip(game.bots, game.scores, strict=True):
                scores[bot].append(score)
    if not scores:
        return None
    axis = Axis.over([score for own in scores.values() for score in own])
    bots = [bot for bot in who.in_order() if bot in scores]
    means = {bot: statistics.fmean(scores[bot]) for bot in bots}
    strips = [
        strip_row(axis, scores[bot], means[bot], f"scores of {who.names[bot]}: mean {means[bot]:.1f}", who.css(bot))
        for bot in bots
    ]
    return Section.with_table(
        "scores",
        "Scores",
        who.column(bots),
        drawings("scores", strips, axis_row(axis)),
        numbers("mean", [means[bot] for bot in bots], form=".1f"),
        Column("minimum", [format_points(min(scores[bot])) for bot in bots]),
        Column("median", [format_points(statistics.median(scores[bot])) for bot in bots]),
        Column("maximum", [format_points(max(scores[bot])) for bot in bots]),
        numbers("games", [len(scores[bot]) for bot in bots]),
        caption="The scores of each bot",
        words=["Each dot is a game, the line is the mean. Scores of games that don't count are left out."],
    )


# -- thinking times -------------------------------------------------------------------------------------------


def thinking_times(bots: int, games: Iterable[GameShown]) -> list[ThinkingTime]:
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
    bots = [bot for bot in who.in_order() if programs[bot] and times[bot].decisions]
    if not bots:
        return None
    table = thinking_table(who.column(bots, THINKING), [times[bot] for bot in bots])
    found = {
        bot: (times[bot].percentile(50) * 1000, times[bot].percentile(99) * 1000, times[bot].worst * 1000)
        for bot in bots
    }
    axis = Axis.over([max(value, 0.01) for value in chain.from_iterable(found.values())], log=True)
    label = "{}: median {} ms, 99 % {} ms, worst {} ms"
    ranges = [
        range_row(axis, *own, label.format(who.names[bot], *map(format_ms, own)), who.css(bot))
        for bot, own in found.items()
    ]
    limit = "" if limit_ms is None else f" A decision may take {format_ms(limit_ms)} ms."
    return Section(
        key="thinking",
        title="Thinking times",
        words=[
            "Milliseconds per decision, each step of the axis ten times the one before: the dot is the median, the bar"
            f" ends where 99 % of the decisions do, and the line is the slowest.{limit}",
            *(f"{who.names[bot]}: {times[bot].format_fallbacks()}." for bot in bots if times[bot].fallbacks),
        ],
        table=table.with_column(drawings("ms per decision", ranges, axis_row(axis)), after=THINKING),
    )


# -- seats ----------------------------------------------------------------------------------------------------


def seats_table(games: Sequence[GameShown], bot: int | None = None) -> Table:
    """By seat the results of all bots, or of one, with intervals over deals."""
    by_seat: dict[int, list[tuple[tuple[int, int], float, float, float]]] = defaultdict(list)
    by_deal: dict[Hashable, list[Decided]] = defaultdict(list)
    for game in games:
        if game.counts:
            one = as_decided(game.deal, tuple(game.bots), game.faults, game.decisions_hash)
            by_deal[game.deal].append(one)
    repeated = repeating(chain.from_iterable(by_deal.values()))
    for game in games:
        if game.counts:
            firsts = sum(rank == 1 for rank in game.ranks)
            for seat, own in enumerate(game.bots):
                if bot in (None, own):
                    won = 1 / firsts if game.ranks[seat] == 1 and game.faults[seat] is None else 0.0
                    by_seat[seat].append((game.deal, game.scores[seat], won, game.points[seat]))
    seats = sorted(by_seat)
    found = [by_seat[seat] for seat in seats]
    scores, wins = [], []
    for rows in found:
        parts = [observation(deal, by_deal[deal], repeated) for deal in dict.fromkeys(deal for deal, *_ in rows)]
        scores.append(estimate(means_by_deal((deal, score) for deal, score, _, _ in rows), parts))
        wins.append(estimate_share(means_by_deal((deal, won) for deal, _, won, _ in rows), len(rows), parts))
    labels = [f"wins in seat {seat}: {format_share(own)}" for seat, own in zip(seats, wins, strict=True)]
    return Table.of(
        "The results of each seat",
        numbers("seat", seats),
        interval_drawings("share of wins", wins, labels, [""] * len(wins), axis=SHARE_AXIS),
        Column("wins (95 %)", [format_share(own) + (", too few deals" if own.low is None else "") for own in wins]),
        Column("score per deal", [format_estimate(own) for own in scores]),
        Column("points per game", [f"{statistics.fmean(points for *_, points in own):.2f}" for own in found]),
        numbers("games", [len(own) for own in found]),
    )


def seats_section(who: Who, games: Sequence[GameShown], counts: Sequence[Sequence[int]]) -> Section | None:
    if not any(game.counts for game in games):
        return None
    return Section(
        key="seats",
        title="Seats",
        words=[f"Seats count from 0, in the order of play. Intervals over deals, from {MIN_DEALS} deals on."],
        table=seats_table(games),
        parts=[
            Section.with_table(
                "seats-of-bots",
                "",
                who.column(who.in_order()),
                *(
                    numbers(f"games in seat {seat}", [counts[bot][seat] for bot in who.in_order()])
                    for seat in range(max(map(len, counts), default=0))
                ),
                caption="The games of each bot in each seat",
                folded="How often each bot had each seat",
            )
        ],
    )
