"""The clock of a person, at a terminal or in a browser."""

import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from referee.outcome import Fault
from referee.players.clock import SeatClock, TimeControl
from referee.players.player import PlayerFault

T = TypeVar("T")


class PersonClock:
    """The clock of a person in one game; without a time control there is none."""

    def __init__(self, control: TimeControl | None) -> None:
        self._clock = None if control is None else SeatClock(control)

    async def limit(self, decision: str, decide: Callable[[float], Awaitable[T]]) -> tuple[T, float]:
        """The answer to a decision and the seconds it took; `decide` is told how many there are. Raises PlayerFault."""
        begin = trio.current_time()
        if self._clock is None:
            return await decide(math.inf), trio.current_time() - begin
        allowance, timeout = self._clock.limits()
        with trio.move_on_after(timeout) as scope:
            answer = await decide(allowance)
        seconds = trio.current_time() - begin
        self._clock.spend(seconds)
        if scope.cancelled_caught:
            raise PlayerFault(Fault("timeout", f"no choice ({decision}) within {allowance:g} s"))
        self._clock.finish()
        return answer, seconds
