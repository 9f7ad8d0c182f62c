"""Measurements while games are played: how long bots think, and how late the referee itself is."""

from msgspec import Struct

from referee.players.event_loop_lag import EventLoopLag, LagSamples
from referee.players.thinking_time import ThinkingTime
from tournaments.play.plan import GamePlan


class Measured(Struct, frozen=True):
    """Measurements as plain data, to be sent by a worker."""

    thinking: dict[int, ThinkingTime]
    """By the index of the bot; only those that have taken decisions."""
    lag: LagSamples


class Measurements:
    """Collected while games are played, and available even if they are ended early."""

    def __init__(self, plan: GamePlan) -> None:
        self.thinking: list[ThinkingTime] = [ThinkingTime() for _ in plan.bots]
        """By bot, the times of all decisions that it was asked for and made."""
        self.lag = EventLoopLag(plan.conditions.control.margin)

    def new_samples(self) -> Measured:
        """The measurements since the last call. To be called while no game is played."""
        thinking = {bot: time for bot, time in enumerate(self.thinking) if time.decisions}
        for bot in thinking:
            self.thinking[bot] = ThinkingTime()
        return Measured(thinking, self.lag.new_samples())

    def add(self, measured: Measured) -> None:
        for bot, more in measured.thinking.items():
            self.thinking[bot].merge(more)
        self.lag.merge(measured.lag)
