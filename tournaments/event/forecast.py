"""How long a tournament will take, forecast from the times that its bots took in the check."""

from collections.abc import Sequence
from heapq import heapreplace
from itertools import cycle, islice
from typing import Final

from referee.processes.limits.machine import cores
from tournaments.competition.formats.interface import FormatPlan
from tournaments.event.check_results import Readiness
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.plan import count_decisions
from tournaments.play.conditions import START_SECONDS

PHASE_SECONDS: Final = 0.5
"""From the last game of a rotation to the first one of the next: all processes end, and files leave the page cache.
Half of what it took on two cores, besides starts."""
SIMULATED_GAMES: Final = 20_000
"""Of longer tournaments the forecast looks at some of the rounds, so that it takes a moment."""
DECISION_SECONDS: Final = 0.0004
"""The time that the referee itself needs for a decision, about."""


def forecast(spec: TournamentSpec, plan: FormatPlan, results: Sequence[Readiness]) -> float | None:
    """The seconds that all games will probably take; None unless every bot was ready in the check.

    Each bot takes the time that it took for a game of the check, and all wait for the last game of each rotation.
    Where results decide who meets whom, every bot plays equally often; where they decide how many games there are, it
    is the number without play-offs, or else the maximum. The time that `on_round` takes is not in it.
    """
    regulations, seats = spec.regulations, spec.regulations.seats
    known = {result.bot: result for result in results if result.ready}
    games, rounds = plan.usual_games or plan.games, plan.usual_rounds or plan.rounds
    if games is None or rounds is None or any(bot.spec.name not in known for bot in spec.bots):
        return None
    deals = regulations.format_settings.deals(regulations.format_context(""))
    if plan.schedule is not None:
        tables = [[table.bots for table in round_.tables] for round_ in plan.schedule]
    else:
        bots = cycle(range(len(spec.bots)))
        per_round = max(1, -(-games // (rounds * deals * seats)))
        tables = [[tuple(islice(bots, seats)) for _ in range(per_round)] for _ in range(rounds)]
    sample = tables[:: -(-games // SIMULATED_GAMES)]
    referee = count_decisions(regulations.game_type, regulations.full_config, 0).total() * DECISION_SECONDS
    mine, at_a_time = [known[bot.spec.name] for bot in spec.bots], spec.conditions.games_at_a_time
    phases = (_phase_seconds(of_round, deals, mine, referee, at_a_time) for of_round in sample)
    return round(sum(phases) * seats * len(tables) / len(sample), 1)


def _phase_seconds(
    tables: Sequence[Sequence[int]], deals: int, bots: Sequence[Readiness], referee: float, at_a_time: int
) -> float:
    """How long the games of a round take in one rotation, table by table as there is room, to the end of the last.

    `referee`: the seconds that the referee itself needs for a game.
    """
    running = [0.0] * min(at_a_time, max(1, len(tables) * deals))
    starts = 0.0
    for table in tables:
        here = [bots[bot] for bot in table]
        startups = [(bot.startup_ms or 0.0) / 1000 for bot in here]
        thinking = sum(
            bot.thinking_ms.mean * bot.thinking_ms.decisions / 1000 / max(1, bot.games)
            for bot in here
            if bot.thinking_ms is not None
        )
        for deal in range(deals):
            begin = running[0]
            starting = 0.0
            if deal == 0 or begin == 0.0:  # else with the processes of the deal before
                starts += sum(min(seconds, START_SECONDS) for seconds in startups)
                starting = sum(startups) / 2  # half of a table's starts take their time one after another
            heapreplace(running, begin + starting + thinking + referee)
    programs = any(bot.startup_ms is not None for bot in bots)
    return max(*running, starts / cores()) + PHASE_SECONDS * programs
