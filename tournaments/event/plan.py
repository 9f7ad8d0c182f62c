"""The plan of a tournament, as far as it is known before the start. Nothing is played or started."""

import math
from collections import Counter
from collections.abc import Sequence
from heapq import heapreplace
from itertools import cycle, islice
from random import Random
from typing import Any, Final

from msgspec import Struct

from referee.games import Game, GameConfig, Seeded
from referee.games.opening import count_openings
from referee.players.clock import TimeControl
from referee.processes.limits.machine import cores
from tournaments.competition.formats.interface import FormatPlan
from tournaments.competition.regulations import OpeningRule, SeedsFrom
from tournaments.competition.rounds import DealsOf
from tournaments.event.check_results import Readiness
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.store.records import tournament_openings
from tournaments.play.conditions import START_SECONDS

MAX_COUNTED: Final = 1000
SAMPLE_GAMES: Final = 20
"""Games between random players in which decisions are counted."""
PHASE_SECONDS: Final = 0.5
"""From the last game of a rotation to the first one of the next: all processes end, and files leave the page cache.
Half of what it took on two cores, besides starts."""
SIMULATED_GAMES: Final = 20_000
"""Of longer tournaments the forecast looks at some of the rounds, so that it takes a moment."""
DECISION_SECONDS: Final = 0.0004
"""The time that the referee itself needs for a decision, about."""


class Meetings(Struct, frozen=True):
    """The minimum and maximum number of tables at which two bots meet."""

    min: int
    max: int


class PlannedBot(Struct, frozen=True, kw_only=True):
    """The plan of one bot; figures are None if results decide."""

    name: str
    tables: int | None
    rated_deals: int | None
    """The deals that its rating will count: games of one deal count together."""
    byes: int | None
    seat_counts: list[int] | None


class PlannedRound(Struct, frozen=True, kw_only=True):
    """The tables of a round and the bots without one, by name."""

    round: int
    deals: int
    tables: list[list[str]]
    byes: list[str]


class Duration(Struct, frozen=True, kw_only=True):
    """An estimate of how long the games take if all bots use up their clocks, and what it is computed from."""

    estimated_seconds: float
    game_seconds: float
    """For one game: its start, and all bots using up their clocks."""
    decisions: int
    """The maximum number of decisions in a game between random players."""
    sample_games: int
    concurrency: int
    batches: int
    """The maximum number of batches of games, each of which takes `game_seconds`."""


class TournamentPlan(Struct, frozen=True, kw_only=True):
    """The plan of a tournament, in the form of `referee tournament plan --json`."""

    schema: int = 1
    tournament: str
    format: str
    game: str
    seats: int
    points: str
    rule: str
    upper_bound: bool
    """Whether rounds, tables and games are upper bounds: results may end the tournament earlier."""
    rounds: int | None
    deals: int | None
    deals_of: DealsOf
    opening: OpeningRule | None
    """How games begin; None: at the first decision."""
    different_openings: int | None
    """How many openings of a game without chance differ, where they are fewer than the deals; of many deals only
    MAX_COUNTED are looked at."""
    chance: bool
    """Whether the game has chance: else bots that repeat themselves play the same games in all deals."""
    shared_deals: str | None
    """What colluding bots gain by deals that tables share, in a sentence; None if tables don't share them."""
    tables: int | None
    games: int | None
    meetings: Meetings | None
    """None where results decide who meets whom; so are the other figures that depend on it."""
    repeats: int | None
    """Meetings of two bots after their first one, summed over all pairs."""
    pairing_seconds: float
    """An upper estimate of the time to pair a round."""
    even_rounds: int | None
    """If meetings differ: the next number of `rounds` after which all pairs have met equally often. None if the setting
    doesn't exist, or no such schedule is known."""
    bots: list[PlannedBot]
    duration: Duration | None
    forecast_seconds: float | None
    """A forecast from the times that the bots took in the last `check`; None unless all were ready in one."""
    start_at: str | None
    """When the first round begins, ISO 8601; None: at once."""
    conditions: dict[str, Any]
    seeds_from: SeedsFrom | None
    """The earlier tournament whose final standings order the bots."""
    schedule: list[PlannedRound] | None
    """The rounds. None if results decide, or a seed that has not been drawn yet."""


def plan_tournament(spec: TournamentSpec, results: Sequence[Readiness] = ()) -> TournamentPlan:
    """The plan of a tournament in which nobody joins late or withdraws. `results`: of the check of its bots."""
    regulations = spec.regulations
    context = regulations.format_context(spec.seed or "")
    plan = regulations.format_settings.plan(context)
    rounds = plan.schedule
    names = [bot.spec.name for bot in spec.bots]
    spread = plan.spread
    deals = None if rounds is None else sum(round_.deals for round_ in rounds)
    return TournamentPlan(
        tournament=regulations.name,
        format=regulations.format,
        game=regulations.game,
        seats=regulations.seats,
        points=regulations.points,
        rule=plan.rule,
        upper_bound=plan.upper_bound,
        rounds=plan.rounds,
        deals=deals,
        deals_of=regulations.deals_of,
        opening=regulations.opening or None,
        different_openings=different_openings(spec, deals),
        chance=regulations.game_type.traits.chance,
        shared_deals=regulations.shared_deals,
        tables=plan.tables,
        games=plan.games,
        meetings=None if spread is None else Meetings(*spread),
        repeats=plan.repeats,
        pairing_seconds=round(regulations.format_settings.pairing_seconds(context, 1), 1),
        even_rounds=plan.even_rounds,
        bots=planned_bots(names, plan, regulations.deals_of),
        duration=longest_duration(spec, plan),
        forecast_seconds=forecast(spec, plan, results),
        start_at=None if spec.start_at is None else spec.start_at.isoformat(timespec="seconds"),
        conditions=spec.conditions.as_in_json(),
        seeds_from=regulations.seeds_from or None,
        schedule=None
        if rounds is None or spec.seed is None
        else [
            PlannedRound(
                round=round_.number,
                deals=round_.deals,
                tables=[[names[bot] for bot in table.bots] for table in round_.tables],
                byes=[names[bot] for bot in round_.byes],
            )
            for round_ in rounds
        ],
    )


def different_openings(spec: TournamentSpec, deals: int | None) -> int | None:
    regulations = spec.regulations
    openings = tournament_openings(regulations, spec.openings, "")
    if openings is None or regulations.game_type.traits.chance:
        return None
    most = min(MAX_COUNTED, deals or MAX_COUNTED)
    found = count_openings(openings, regulations.game_type, regulations.full_config, most)
    return found if found < most else None


def planned_bots(names: Sequence[str], plan: FormatPlan, deals_of: DealsOf) -> list[PlannedBot]:
    tables, byes, deals = Counter[int](), Counter[int](), Counter[int]()
    for round_ in plan.schedule or ():
        byes.update(round_.byes)
        seated = Counter(bot for table in round_.tables for bot in table.bots)
        tables.update(seated)
        deals.update({bot: round_.deals * (own if deals_of == "table" else 1) for bot, own in seated.items()})
    known = plan.schedule is not None
    return [
        PlannedBot(
            name=name,
            tables=tables[bot] if known else None,
            rated_deals=deals[bot] if known else None,
            byes=byes[bot] if known else None,
            seat_counts=None if plan.seat_counts is None else list(plan.seat_counts[bot]),
        )
        for bot, name in enumerate(names)
    ]


# -- how long it takes ----------------------------------------------------------------------------------------


def longest_duration(spec: TournamentSpec, plan: FormatPlan) -> Duration | None:
    """How long all games take if every bot uses up its clock in every game; None if their number is not known."""
    concurrency, control = spec.conditions.games_at_a_time, spec.conditions.control
    batches = max_batches(spec, plan, concurrency)
    if batches is None:
        return None
    decisions, thinking = longest_game(spec.regulations.game_type, spec.regulations.full_config, control)
    game_seconds = control.startup + thinking
    return Duration(
        estimated_seconds=round(batches * game_seconds, 3),
        game_seconds=round(game_seconds, 3),
        decisions=decisions,
        sample_games=SAMPLE_GAMES,
        concurrency=concurrency,
        batches=batches,
    )


def max_batches(spec: TournamentSpec, plan: FormatPlan, concurrency: int) -> int | None:
    """The maximum number of batches played one after another, of `concurrency` games each.

    The games of a round run at the same time within one rotation; then those of the next rotation do.
    """
    seats = spec.regulations.seats
    exclusive = {bot for bot, entry in enumerate(spec.bots) if entry.exclusive is not None}
    if plan.schedule is None:
        if plan.games is None or plan.rounds is None:
            return None
        # Each rotation of each round adds at most one batch that is not full.
        return plan.games if exclusive else min(plan.games, plan.games // concurrency + plan.rounds * seats)
    batches = 0
    for round_ in plan.schedule:
        for rotation in range(seats):
            tables = [table for table in round_.tables if rotation < len(table.bots)]
            alone = sum(not exclusive.isdisjoint(table.bots) for table in tables) * round_.deals if exclusive else 0
            # As long as games that exclude each other are left, one of them is being played.
            batches += alone - (alone - len(tables) * round_.deals) // concurrency
    return batches


def longest_game(game: type[Game], config: GameConfig, control: TimeControl) -> tuple[int, float]:
    """The maximum number of decisions in some games between random players, and the maximum time that clocks allow for
    it."""

    def allowed(decisions: int) -> float:
        """The maximum thinking time of a seat with this many."""
        per_move = math.inf if control.move is None else control.move * decisions
        in_all = math.inf if control.bank is None else control.bank + control.increment * decisions
        return min(per_move, in_all) + control.margin  # which is lent once in a game

    games = [count_decisions(game, config, sample) for sample in range(SAMPLE_GAMES)]
    return max(asked.total() for asked in games), max(sum(map(allowed, asked.values())) for asked in games)


def count_decisions(game_type: type[Game], config: GameConfig, sample: int) -> Counter[int]:
    """The number of decisions by seat in a game between random players; forced ones don't count."""
    game, random, asked = game_type.new(config, Seeded(sample)), Random(sample), Counter[int]()
    while game.turn is not None:
        legal = game.legal_actions()
        if len(legal) > 1:
            asked[game.turn.seat] += 1
        game.apply(random.choice(legal))
    return asked


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
