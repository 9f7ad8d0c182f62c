"""Numbers, durations and paths as text for people."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from referee.games.narrator import format_count, readable
from tournaments.competition.intervals import Estimate, Rating
from tournaments.competition.points import SeatWins
from tournaments.competition.repeats import DealCounts

EVEN: Final = 1.15
"""Up to this ratio of its sides an interval is shown as ±."""
VARYING_NUMBERS: Final = re.compile(r"\b(act|id) \d+|\bindex \S+ is not in 0 to \d+|\b\d+ (answers|bytes?)\b")
"""The parts of fault messages that differ from game to game although the fault is the same."""
DIGITS: Final = re.compile(r"\d+")
QUOTED_LINE: Final = re.compile(r"'.*'")


def format_path(path: Path | None) -> str | None:
    """A path as valid UTF-8, with replacement characters for bytes that are not."""
    return None if path is None else os.fsencode(path).decode(errors="replace")


def format_setting(value: object) -> str:
    """A value of a setting, or one that a format adds to standings: lists with commas, mappings with semicolons."""
    if isinstance(value, Mapping):
        given = {readable(str(name)): own for name, own in value.items() if own is not None}
        return "; ".join(f"{name}: {format_setting(own)}" for name, own in given.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_setting, value)) or "none"
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return str(value)


def format_duration(seconds: float, *, upper_bound: bool = False) -> str:
    """A duration with the precision of an estimate; rounded up if it is an upper bound."""
    whole = math.ceil if upper_bound else round
    if whole(seconds) < 120:
        return f"{max(1, whole(seconds))} s"
    minutes = whole(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{whole(seconds / 8640) / 10:.1f} days"


def format_ms(milliseconds: float) -> str:
    """A number of milliseconds without its unit, with useful precision."""
    return f"{milliseconds:.2f}" if milliseconds < 10 else f"{milliseconds:.0f}"


def format_startup(milliseconds: float | None) -> str:
    """The start-up time of a program, in milliseconds or seconds; empty if unknown."""
    if milliseconds is None:
        return ""
    return f"{format_ms(milliseconds)} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def format_points(points: float) -> str:
    """Points with at most two decimals."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def format_column(values: Sequence[float | None], max_digits: int = 2) -> list[str]:
    """Numbers with as many decimals as the longest of them needs; empty for None."""
    digits = next(
        digits
        for digits in range(max_digits + 1)
        if digits == max_digits or all(value is None or abs(value - round(value, digits)) < 1e-9 for value in values)
    )
    return ["" if value is None else f"{value:z.{digits}f}" for value in values]


def format_estimate(estimate: Estimate, *, digits: int = 1, sign: str = "") -> str:
    """A mean, and its margin if there are enough deals for one."""
    mean = f"{estimate.mean:{sign}z.{digits}f}"
    return mean if estimate.low is None else f"{mean} ± {estimate.margin:.{digits}f}"


def format_number(value: float, form: str = "g") -> str:
    """A number with a minus sign instead of a hyphen."""
    return f"{value:{form}}".replace("-", "−")


def format_rating(elo: float, *, sign: str = "") -> str:
    """A rating, or a difference of two."""
    return format_number(elo, f"{sign}z.0f")


def format_range(difference: Rating) -> str:
    """The interval of a difference, in parentheses after it; empty if it has none."""
    low, high = ("" if bound is None else format_rating(bound, sign="+") for bound in (difference.low, difference.high))
    if low and high:
        return f" ({low} to {high})"
    return f" (at least {low})" if low else f" (at most {high})" if high else ""


def format_interval(rating: Rating, *, too_few_deals: bool) -> str:
    """The margin of a rating, a bound to one side, or why there is none."""
    elo, low, high = rating.elo, rating.low, rating.high
    if low is not None and high is not None:
        below, above = elo - low, high - elo
        # Most intervals are nearly even, and then one number is easier to read.
        if max(below, above) <= EVEN * min(below, above):
            return f"± {max(below, above):.0f}"
        return f"−{below:.0f} +{above:.0f}"
    if low is not None:
        return f"at least {format_rating(low)}"
    if high is not None:
        return f"at most {format_rating(high)}"
    return "too few deals" if too_few_deals else "unbounded"


def format_share(share: Estimate) -> str:
    """A share as a percentage, and its interval if there are enough deals for one."""
    mean = f"{share.mean:.1%}".replace("%", " %")
    if share.low is None or share.high is None:
        return mean
    return f"{mean} ({share.low * 100:.0f}–{share.high * 100:.0f})"


def format_confidence(probability: float | None) -> str:
    """The confidence that a bot is better, at most "> 99.9 %"."""
    if probability is None:
        return "too few deals"
    return "> 99.9 %" if probability > 0.999 else f"{probability * 100:.1f} %"


def format_repeated_deals(
    found: DealCounts, game: str, instead: str | None, *, openings: bool = False, why: str = ""
) -> str:
    """How many deals of a game without chance are repeats, and what to do about it. `instead`: the setting for one
    deal, or for all `openings` if there are any, where it can be changed. `why`: another reason for repeats."""
    why = why or f"{game} has no chance"
    as_much = "" if instead is None else f", so {instead} says as much"
    if found.observations == 1 or (openings and found.observations == found.distinct):
        after = " after the same opening" if openings else ""
        then = f"and the bots repeat themselves{after}; equal deals count once{as_much}"
    elif found.observations == found.deals:
        then = "so bots sometimes play the same games again; all deals count, as not all of them are equal"
    else:
        of_them = as_much and f"{as_much} of them"
        then = f"and some bots repeat themselves; while all deals of the same bots are equal, they count once{of_them}"
    return f"{format_count(found.deals, 'deals')}, {found.distinct} distinct: {why}, {then}"


def format_seat_wins(found: SeatWins, decider: str | None = None) -> str:
    """How many deals one seat won in all rotations. `decider`: what may have decided them, if not their openings."""
    decided = f"; {decider or 'their openings'} may have decided them" if found.one_seat else ""
    share = f"{found.one_seat / found.deals:.1%}".replace("%", " %")
    return f"{share} of deals were won by the same seat in all rotations{decided}"


def format_unconnected(groups: Sequence[Sequence[str]]) -> str:
    """Why bots in different groups are not compared."""
    shown = " | ".join(", ".join(group) for group in groups)
    return f"Not connected by any chain of games, so their ratings can't be compared and have no bounds: {shown}"


def without_numbers(message: str) -> str:
    """The message of a fault with … in place of the numbers that differ from game to game: for equal faults the
    results are equal."""

    def without(found: re.Match[str]) -> str:
        return DIGITS.sub("…", found[0])

    return VARYING_NUMBERS.sub(without, QUOTED_LINE.sub(without, message))
