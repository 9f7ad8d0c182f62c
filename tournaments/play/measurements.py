"""Measurements while games are played: how long bots think, and how late the referee itself is."""

from collections.abc import Sequence

from msgspec import Struct

from referee.players.event_loop_lag import EventLoopLag, LagSamples
from referee.players.thinking_time import ThinkingTime
from tournaments.play.plan import GamePlan


class Measured(Struct, frozen=True):
    """Measurements as plain data, to be sent by a worker."""

    thinking: list[ThinkingTime]
    lag: LagSamples


class Measurements:
    """Collected while games are played, and available even if they are ended early."""

    def __init__(self, plan: GamePlan) -> None:
        self.thinking: Sequence[ThinkingTime] = [ThinkingTime() for _ in plan.bots]
        """By bot, the times of all decisions that it was asked for and made."""
        self.lag = EventLoopLag(plan.control.margin)

    def measured(self) -> Measured:
        """The measurements so far."""
        return Measured(list(self.thinking), self.lag.samples())

    def add(self, measured: Measured) -> None:
        """Add the measurements of another process."""
        for thinking, more in zip(self.thinking, measured.thinking, strict=True):
            thinking.merge(more)
        self.lag.merge(measured.lag)
