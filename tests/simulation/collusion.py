"""The gain of bots that play for each other or lose on purpose, in tournaments simulated with and without that."""

import math
import statistics
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.games import PlannedGame
from tournaments.competition.results import tournament_standings

SPREAD: Final = 120.0
"""Standard deviation of the strengths of the bots, in Elo."""
WORST: Final = -1e9

Scheme = Callable[[PlannedGame, dict[int, float]], None]
"""Changes the performances of the bots of a game, by bot; the highest one wins."""


class Effect(NamedTuple):
    """The mean gain of a scheme over tournaments for the bot that it favours, with standard errors."""

    places: float
    """Places won; negative if they were lost."""
    places_error: float
    elo: float
    elo_error: float


def come_last(helpers: Sequence[int], friend: int) -> Scheme:
    """At a table with their friend the helpers come last in every game: the most that they can give from their own."""

    def scheme(game: PlannedGame, performances: dict[int, float]) -> None:
        if friend in performances:
            performances.update(dict.fromkeys(performances.keys() & set(helpers), WORST))

    return scheme


def let_win(helpers: Sequence[int], friend: int) -> Scheme:
    """At a table with a helper the friend wins every game, and the helper comes last: the most that is possible."""

    def scheme(game: PlannedGame, performances: dict[int, float]) -> None:
        present = performances.keys() & set(helpers)
        if friend in performances and present:
            performances.update(dict.fromkeys(present, WORST))
            performances[friend] = -WORST

    return scheme


def lose_at_first(bot: int, rounds: int) -> Scheme:
    """Lose all games of the first rounds on purpose."""

    def scheme(game: PlannedGame, performances: dict[int, float]) -> None:
        if bot in performances and game.round <= rounds:
            performances[bot] = WORST

    return scheme


def effect(format_: str, scheme: Scheme, friend: int, *, bots: int, seats: int, rounds: int, runs: int) -> Effect:
    """The mean effect of a scheme, over tournaments with the same strengths and the same luck with and without it."""
    places, elos = [], []
    for run in range(runs):
        honest = standing_of(format_, None, friend, bots, seats, rounds, run)
        cheating = standing_of(format_, scheme, friend, bots, seats, rounds, run)
        places.append(honest[0] - cheating[0])
        elos.append(cheating[1] - honest[1])
    root = math.sqrt(runs)
    return Effect(
        statistics.fmean(places), statistics.stdev(places) / root, statistics.fmean(elos), statistics.stdev(elos) / root
    )


def standing_of(
    format_: str, scheme: Scheme | None, friend: int, bots: int, seats: int, rounds: int, run: int
) -> tuple[int, float]:
    """The place and the rating of a bot in one tournament. Bots are numbered by strength, the best first."""
    strengths = sorted((Random(f"strengths/{run}/{bot}").gauss(0, SPREAD) for bot in range(bots)), reverse=True)

    def play(game: PlannedGame) -> list[int]:
        # The difference of two Gumbel variables is logistic: so the better bot wins as often as Elo's model says.
        performances = {
            bot: strengths[bot]
            - 400 / math.log(10) * math.log(-math.log(Random(f"{run}/{game.game_id}/{bot}").random()))
            for bot in game.bots
        }
        if scheme is not None:
            scheme(game, performances)
        return [round(performances[bot]) for bot in game.bots]

    of = regulations(format_, bots, seats=seats, deals=2, rounds=rounds)
    simulation = Simulation(of, play, f"seed {run}").rounds()
    for row in tournament_standings(simulation.progress, finished=True).standings:
        if row.name == f"b{friend}":
            assert row.rating is not None
            return row.place, row.rating.elo
    raise AssertionError("every bot has a standing")
