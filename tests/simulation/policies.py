"""What bots gain that fail, lose on purpose or play for each other: places, points and ratings."""

import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from tests.simulation.event import Event
from tests.simulation.field import LUCK, Act, Field, Policy, Situation
from tournaments.competition.results import tournament_standings

Doing = Callable[[Act], Policy]
"""A policy that does this, to fail or to lose, whenever it would rather not play."""


class Gain(NamedTuple):
    """The mean gain of a bot in one event, with standard errors."""

    places: float
    """Places won; negative if they were lost."""
    places_error: float
    points: float
    points_error: float
    elo: float
    elo_error: float


def after_a_lost_rotation(act: Act) -> Policy:
    """Every later rotation of a deal of which it has lost one."""

    def policy(own: Situation) -> Act:
        ranks = (game.ranks[game.bots.index(own.bot)] for game in own.before if game.deal == own.game.deal)
        return act if any(rank == len(own.game.bots) for rank in ranks) else "play"

    return policy


def with_a_bad_draw(act: Act) -> Policy:
    """Every game of a deal in which it has little luck."""
    return lambda own: act if own.luck < -LUCK else "play"


def against(opponent: int) -> Doing:
    """Every game with one opponent."""
    return lambda act: lambda own: act if opponent in own.game.bots else "play"


def in_rounds(rounds: Collection[int]) -> Doing:
    """Every game of these rounds."""
    return lambda act: lambda own: act if own.game.round in rounds else "play"


def let_win(helpers: Collection[int], friend: int) -> dict[int, Policy]:
    """At a table with a helper the friend wins every game, and the helper comes last: the most that is possible."""
    return {
        **come_last(helpers, friend),
        friend: lambda own: "play" if set(helpers).isdisjoint(own.game.bots) else "win",
    }


def come_last(helpers: Collection[int], friend: int) -> dict[int, Policy]:
    """At a table with their friend the helpers come last in every game: the most that they can give from their own."""
    return dict.fromkeys(helpers, against(friend)("lose"))


def gain(
    event: Event,
    elos: Sequence[float],
    bot: int,
    policies: Mapping[int, Policy],
    instead_of: Mapping[int, Policy],
    *,
    runs: int,
) -> Gain:
    """What a bot gains on average by these policies instead of others, with the same strengths, luck and seeds."""
    gains = []
    for run in range(runs):
        with_, without = (_result(event, elos, bot, own, run) for own in (policies, instead_of))
        gains.append((without[0] - with_[0], with_[1] - without[1], with_[2] - without[2]))
    found = []
    for values in zip(*gains, strict=True):
        found += [statistics.fmean(values), statistics.stdev(values) / math.sqrt(runs)]
    return Gain(*found)


def _result(
    event: Event, elos: Sequence[float], bot: int, policies: Mapping[int, Policy], run: int
) -> tuple[float, float, float]:
    """Place, points and rating of a bot in one tournament."""
    progress = event.play(Field(elos, run, policies=policies), run)
    row = next(row for row in tournament_standings(progress, finished=True).standings if row.name == f"b{bot}")
    assert row.rating is not None
    return row.place, row.points, row.rating.elo
