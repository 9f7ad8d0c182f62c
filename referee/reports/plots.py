"""Plots as SVG. Colours and sizes of text are classes of the report's style sheet; equal data give equal text."""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from msgspec import Struct

from referee.printable import printable
from referee.reports.formatting import format_number

ROW_WIDTH: Final = 220
"""Width of a drawing in a row of a table."""
ROW_TICKS: Final = 4
"""About how many ticks the drawings in a column have: with more their labels would overlap."""
ROW_HEIGHT: Final = 22
PADDING: Final = 8
TICK_ROOM: Final = 16
"""Half the width of a label of an axis."""
MAX_DOTS: Final = 200
"""Dots of a strip. Of more values, this many are drawn, evenly spaced in their order."""
JITTER: Final = 5
"""Rows over which the dots of a strip are spread, so that equal values are visible."""
CHART_WIDTH: Final = 720
CHART_LABELS: Final = 170
CHART_LEFT: Final = 44
CHART_TOP: Final = 12
CHART_BOTTOM: Final = 34
LINE_HEIGHT: Final = 17
MIN_HEIGHT: Final = 150
MAX_PLOT_LABEL: Final = 22
SHAPES: Final = (
    '<circle r="5"/>',
    '<path d="M-4.5-4.5h9v9h-9z"/>',
    '<path d="M0-5.5L5.5 4.5h-11z"/>',
    '<path d="M0-6L5.5 0 0 6-5.5 0z"/>',
    '<path d="M0-6l1.7 3.9 4.2.4-3.2 2.8 1 4.1L0 3.1l-3.7 2.1 1-4.1-3.2-2.8 4.2-.4z"/>',
)
"""A seat, or one of up to five bots, is a colour and a shape."""
Coordinate = Callable[[float], float]


def number(value: float) -> str:
    return f"{round(value, 1):g}"


def icon(mark: int) -> str:
    """The shape of a bot, in front of its name."""
    return f'<svg class="icon seat{mark}" viewBox="-7 -7 14 14" aria-hidden="true">{SHAPES[mark]}</svg>'


class Axis(Struct, frozen=True, kw_only=True):
    """The values from `low` to `high` over ROW_WIDTH. With `log` both are above 0."""

    low: float
    high: float
    log: bool = False

    @classmethod
    def over(cls, values: Sequence[float], *, zero: bool = False, log: bool = False) -> "Axis":
        """An axis for these values; with `zero` it begins there."""
        found = [*values, 0.0] if zero else list(values)
        if log:
            found = [value for value in found if value > 0]
            low, high = min(found, default=1.0), max(found, default=1.0)
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high) + 1e-9)
            return cls(low=10**first, high=10**last, log=True)
        low, high = min(found, default=0.0), max(found, default=1.0)
        if high - low < 1e-9:
            low, high = low - 1, high + 1
        room = (high - low) * 0.04
        return cls(low=low if zero and low == 0 else low - room, high=high + room)

    def at(self, value: float) -> float:
        """The coordinate of a value, within the width."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return PADDING + share * (ROW_WIDTH - 2 * PADDING)

    def ticks(self, most: int) -> list[float]:
        """Round values on it."""
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            step = max(1, math.ceil((last - first) / most))
            return [10.0**power for power in range(first, last + 1, step)]
        rough = (self.high - self.low) / most
        power = 10 ** math.floor(math.log10(rough))
        step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough - 1e-12)
        first = math.ceil(self.low / step - 1e-9)
        return [round(place * step, 10) + 0.0 for place in range(first, math.floor(self.high / step + 1e-9) + 1)]


SHARE_AXIS: Final = Axis(low=0.0, high=1.0)


# -- in the rows of a table -----------------------------------------------------------------------------------


def _row(body: str, label: str) -> str:
    return (
        f'<svg class="row" viewBox="0 0 {ROW_WIDTH} {ROW_HEIGHT}" width="{ROW_WIDTH}" height="{ROW_HEIGHT}"'
        f' role="img" aria-label="{text(label)}">{body}</svg>'
    )


def axis_row(axis: Axis) -> str:
    ticks = axis.ticks(ROW_TICKS)
    body = "".join(
        f'<text class="tick{_at_edge(axis, tick)}" x="{number(axis.at(tick))}" y="13">{format_number(tick)}</text>'
        f'<path class="grid" d="M{number(axis.at(tick))} 17v5"/>'
        for tick in ticks
    )
    return _row(body, f"from {format_number(ticks[0])} to {format_number(ticks[-1])}" if ticks else "")


def _at_edge(axis: Axis, tick: float) -> str:
    """The class of the label of a tick that would reach beyond the drawing."""
    x = axis.at(tick)
    return " start" if x < TICK_ROOM else " end" if x > ROW_WIDTH - TICK_ROOM else ""


def _grid(axis: Axis) -> str:
    lines = "".join(f"M{number(axis.at(tick))} 0v{ROW_HEIGHT}" for tick in axis.ticks(ROW_TICKS))
    return f'<path class="grid" d="{lines}"/>'


def interval_row(axis: Axis, value: float, low: float | None, high: float | None, label: str, css: str = "") -> str:
    """A dot with the bar of its interval; an arrow where nothing bounds it, if it has a bound at the other side."""
    middle, y = axis.at(value), ROW_HEIGHT / 2
    body = _grid(axis)
    if low is not None or high is not None:
        left = axis.at(axis.low if low is None else low)
        right = axis.at(axis.high if high is None else high)
        body += f'<path class="bar {css}" d="M{number(left)} {number(y)}H{number(right)}"/>'
        if low is None:
            body += f'<path class="bar {css}" d="M{number(left + 5)} {number(y - 4)}l-5 4 5 4"/>'
        if high is None:
            body += f'<path class="bar {css}" d="M{number(right - 5)} {number(y - 4)}l5 4-5 4"/>'
    hollow = " hollow" if low is None and high is None else ""
    body += f'<circle class="dot {css}{hollow}" cx="{number(middle)}" cy="{number(y)}" r="4"/>'
    return _row(body, label)


def strip_row(axis: Axis, values: Sequence[float], mean: float, label: str, css: str = "") -> str:
    """Values as dots, and their mean as a line."""
    ordered = sorted(values)
    if len(ordered) > MAX_DOTS:
        last = len(ordered) - 1
        ordered = [ordered[round(place * last / (MAX_DOTS - 1))] for place in range(MAX_DOTS)]
    lines = ROW_HEIGHT - 8
    dots = "".join(
        f"M{number(axis.at(value))} {number(4 + (place * 3 % JITTER) * lines / (JITTER - 1))}h0"
        for place, value in enumerate(ordered)
    )
    at = number(axis.at(mean))
    body = f'{_grid(axis)}<path class="dots {css}" d="{dots}"/><path class="mean" d="M{at} 1v{ROW_HEIGHT - 2}"/>'
    return _row(body, label)


def range_row(axis: Axis, middle: float, high: float, worst: float, label: str, css: str = "") -> str:
    """A bar from the median to a high percentile, and a line at the worst."""
    y = ROW_HEIGHT / 2
    left, right, end = (number(axis.at(value)) for value in (middle, high, worst))
    body = (
        f'{_grid(axis)}<path class="thin" d="M{left} {number(y)}H{end}"/>'
        f'<path class="bar {css}" d="M{left} {number(y)}H{right}"/>'
        f'<path class="mean" d="M{end} {number(y - 6)}v12"/>'
        f'<circle class="dot {css}" cx="{left}" cy="{number(y)}" r="4"/>'
    )
    return _row(body, label)


# -- lines over rounds or games -------------------------------------------------------------------------------


class Line(Struct, frozen=True, kw_only=True):
    """A line of a chart, with its label at the end."""

    name: str
    points: Sequence[tuple[float, float]]
    css: str = ""


def line_chart(lines: Sequence[Line], label: str, x_name: str, y_name: str, *, rounds: Sequence[float] = ()) -> str:
    """Lines with labels at their ends. If x are `rounds`, y are places, with 1 at the top."""
    height = max(MIN_HEIGHT, LINE_HEIGHT * len(lines)) + CHART_TOP + CHART_BOTTOM
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    right, bottom = CHART_WIDTH - CHART_LABELS, height - CHART_BOTTOM
    x_axis = Axis(low=min(xs, default=0.0), high=max(max(xs, default=1.0), min(xs, default=0.0) + 1e-6))
    y_axis = Axis.over([1.0, max(ys, default=1.0)] if rounds else ys)

    def x_at(x: float) -> float:
        return CHART_LEFT + (x - x_axis.low) / (x_axis.high - x_axis.low) * (right - CHART_LEFT - 20)

    def y_at(y: float) -> float:
        share = (y - y_axis.low) / (y_axis.high - y_axis.low)
        return CHART_TOP + (share if rounds else 1 - share) * (bottom - CHART_TOP)

    places = sorted({1.0, *(tick for tick in y_axis.ticks(6) if 1 <= tick == round(tick))})
    parts = [
        f'<path class="grid" d="M{CHART_LEFT} {number(y_at(tick))}H{right}"/>'
        f'<text class="tick end" x="{CHART_LEFT - 6}" y="{number(y_at(tick) + 4)}">{format_number(tick)}</text>'
        for tick in (places if rounds else y_axis.ticks(6))
    ]
    parts += [
        f'<text class="tick" x="{number(x_at(tick))}" y="{number(bottom + 15)}">{format_number(tick)}</text>'
        for tick in (_some(rounds) if rounds else x_axis.ticks(6))
    ]
    parts.append(f'<text class="tick end" x="{right}" y="{height - 4}">{text(x_name)}</text>')
    parts.append(f'<text class="tick start" x="0" y="{height - 4}">{text(y_name)}</text>')
    shown = [line for line in lines if line.points]
    labels = _apart([y_at(line.points[-1][1]) for line in shown], CHART_TOP, bottom)
    parts += [_line(line, x_at, y_at, right, label_y) for line, label_y in zip(shown, labels, strict=True)]
    return (
        f'<svg class="chart" viewBox="0 0 {CHART_WIDTH} {number(height)}" role="img" aria-label="{text(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _some(rounds: Sequence[float]) -> list[float]:
    """Up to thirteen of the rounds, with the last one."""
    step = math.ceil(len(rounds) / 12)
    return [*rounds[:-1:step], rounds[-1]] if len(rounds[:-1]) % step == 0 else list(rounds[::step])


def _line(line: Line, x_at: Coordinate, y_at: Coordinate, right: float, label_y: float) -> str:
    path = "L".join(f"{number(x_at(x))} {number(y_at(y))}" for x, y in line.points)
    x, y = x_at(line.points[-1][0]), y_at(line.points[-1][1])
    return (
        f'<g class="line {line.css}"><title>{text(line.name)}</title><path class="course" d="M{path}"/>'
        f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="3.5"/>'
        f'<path class="leader" d="M{number(x + 5)} {number(y)}L{right + 4} {number(label_y)}"/>'
        f'<text class="label" x="{number(right + 8)}" y="{number(label_y + 4)}">{text(shortened(line.name))}</text></g>'
    )


def _apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights of labels near those that are wanted, in the same order and at least a line apart."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    found = [0.0] * len(wanted)
    lowest = top - LINE_HEIGHT
    for index in order:
        lowest = found[index] = max(wanted[index], lowest + LINE_HEIGHT)
    highest = bottom + LINE_HEIGHT
    for index in reversed(order):
        highest = found[index] = min(found[index], highest - LINE_HEIGHT)
    return found


def shortened(name: str, most: int = MAX_PLOT_LABEL) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def text(given: str) -> str:
    """Text in SVG or an attribute: printable and escaped."""
    return escape(printable(given))
