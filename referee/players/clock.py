"""Time controls and the clock of a seat. They measure no time themselves: callers pass seconds."""

import math
import re
from typing import Final

from msgspec import Struct, structs

from protocol import messages
from referee.errors import RefereeError

DEFAULT_MARGIN: Final = 0.05
"""Seconds that an answer may take beyond its allowance, for its way through the pipes. Not included in `time_ms`, and
only lent (see SeatClock)."""
MAX_DURATION: Final = 7 * 24 * 3600
"""Maximum of a time limit in seconds."""
DEFAULT_MOVE: Final = 1.0
"""Seconds per decision if neither such a limit nor a bank is set."""
DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)?")
UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


class TimeControlError(RefereeError):
    """An invalid time control: `limit` is the field that is wrong."""

    def __init__(self, limit: str, problem: str) -> None:
        super().__init__(f"{limit}: {problem}")
        self.limit = limit
        self.problem = problem


class TimeControl(Struct, frozen=True, kw_only=True):
    """The time limits of a match, in seconds: `move` per decision, `bank` for a whole game, or both."""

    move: float | None = DEFAULT_MOVE
    bank: float | None = None
    increment: float = 0.0
    """Added to the bank after each decision."""
    startup: float = 10.0
    margin: float = DEFAULT_MARGIN
    enforced: bool = True
    """If false, bots are sent these limits, but exceeding them has no effect."""

    def check(self) -> None:
        """Raises TimeControlError if nobody could play with these limits."""
        if self.move is None and self.bank is None:
            raise TimeControlError("move", "there must be a limit per decision or a bank")
        for limit in ("move", "bank", "increment", "startup", "margin"):
            seconds = getattr(self, limit)
            if seconds is None or 0 < seconds <= MAX_DURATION or (seconds == 0 and limit in ("increment", "margin")):
                continue
            if seconds > MAX_DURATION:
                raise TimeControlError(limit, "at most a week is allowed")
            raise TimeControlError(limit, f"a time limit of {seconds:g} s leaves no time to answer")
        if self.increment and self.bank is None:
            raise TimeControlError("increment", "there must be a bank to add it to")

    def scaled(self, factor: float) -> "TimeControl":
        """The time control with all limits multiplied by `factor`, for a slow machine."""
        limits = {name: getattr(self, name) for name in ("move", "bank", "increment", "startup", "margin")}
        scaled = {name: limit * factor for name, limit in limits.items() if limit is not None}
        return structs.replace(self, **scaled)

    def on_wire(self, bank: float | None = None) -> messages.Clock:
        """As in messages. `bank`: what is left of it at the start of the game, if it is not a full one."""
        given = {"move_ms": self.move, "bank_ms": self.bank if bank is None else max(0.0, bank)}
        if self.bank is not None:
            given["increment_ms"] = self.increment
        return messages.Clock(**{name: milliseconds(value) for name, value in given.items() if value is not None})


class SeatClock:
    """The clock of one seat in one game.

    The margin is lent. An answer counts until limit and margin have passed, but what it takes beyond the limit is taken
    off: from the bank, which may fall below zero, and from the next limit per decision. So all decisions together take
    at most all limits together and the margin once.
    """

    __slots__ = ("_bank", "_control", "_overrun", "_spent")

    def __init__(self, control: TimeControl, bank: float | None = None) -> None:
        """`bank`: what is left of that of the control, if it is not a full one. It may be below zero."""
        self._control = control
        self._bank = control.bank if bank is None else bank
        self._overrun = 0.0
        """Seconds over the limits of earlier decisions that have not been made up since."""
        self._spent = 0.0

    @property
    def bank(self) -> float | None:
        """What is left of the bank."""
        return self._bank

    def limits(self) -> tuple[float, float]:
        """Two numbers of seconds, never below zero: what is left for this decision, and when an answer is too late.

        The latter is the time left plus what is left of the margin.
        """
        control = self._control
        left = math.inf if control.move is None else control.move - self._overrun
        if self._bank is not None and self._bank < left:
            left = self._bank
        if not control.enforced:
            return max(0.0, left), math.inf
        left -= self._spent
        if left >= 0.0:
            return left, left + control.margin
        return 0.0, max(0.0, left + control.margin)  # the seat has used some of the margin

    def spend(self, seconds: float) -> None:
        """Add time that the bot took for this decision."""
        self._spent += seconds

    def finish(self) -> float:
        """End the decision: charge for its time, and add the increment. Returns the seconds that were spent on it."""
        control, spent, self._spent = self._control, self._spent, 0.0
        if control.enforced:
            if self._bank is not None:
                self._bank += control.increment - spent
            if control.move is not None and (self._overrun or spent > control.move):
                self._overrun = max(0.0, self._overrun + spent - control.move)
        return spent


class RecordedClock(SeatClock):
    """The clock of a seat in a replayed record: it charges the time that the recorded answers took.

    So each question has its original `time_ms`. `control` is the time control of that game; `limited` says whether
    there is a limit for the new answers.
    """

    __slots__ = ("_limited", "recorded")

    def __init__(self, control: TimeControl, bank: float | None = None, *, limited: bool) -> None:
        super().__init__(control, bank)
        self._limited = limited
        self.recorded = 0.0
        """Seconds that the recorded answer to the open question took."""

    def limits(self) -> tuple[float, float]:
        allowance, timeout = super().limits()
        return allowance, timeout if self._limited else math.inf

    def spend(self, seconds: float) -> None:
        """The time of the new answer is not charged."""

    def finish(self) -> float:
        super().spend(self.recorded)
        return super().finish()


def milliseconds(seconds: float) -> int:
    """Seconds in whole milliseconds, rounded, but at least 1 for a positive number."""
    return int(seconds * 1000 + 0.5) or 1 if seconds > 0 else 0


def parse_duration(text: str) -> float:
    """Seconds in a text like `250ms`, `1s`, `2m` or `1.5`. Raises ValueError."""
    match = DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write for example 250ms, 1s, 2m or 1h")
    return float(match[1]) * UNITS[match[2]]
