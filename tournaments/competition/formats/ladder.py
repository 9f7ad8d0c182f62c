"""Ladder: in each batch of deals, the tables that are most informative about the order of the bots."""

from collections import Counter
from itertools import permutations
from math import inf
from typing import ClassVar, Final

from msgspec import structs

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import (
    MAX_ROUND_DEALS,
    MAX_TOURNAMENT_GAMES,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    Order,
    PlacesBy,
    Results,
    TooFewBots,
    check_count,
    kept_apart,
)
from tournaments.competition.formats.table_search import Costs, Slot, default_steps, greedy, improve
from tournaments.competition.points import finished_tables, opponents, versus
from tournaments.competition.ratings import ranked_games, widest_half_width
from tournaments.competition.repeats import MAX_REPEATS
from tournaments.competition.rounds import History, PlayedRound, Round, Table, TableResult, derived
from tournaments.competition.tiebreaks import Placed, places_by

UNIT: Final = 10**9
"""The number 1 in the fixed-point integers that represent strengths and variances."""
NOT_APART: Final = 4 * UNIT
"""The z² up to which two bots are as good as equal: two standard errors."""
ROUNDS_PER_LOOK: Final = 25
"""From 2 times this many rounds on, the intervals are checked after every second round, and so on."""
SWEEPS: Final = 100
"""Steps of Jacobi's method; the mean is right from the start, and tables mix the bots."""


class Ladder(Format, frozen=True, forbid_unknown_fields=True):
    """Each round is a batch of deals, in which everybody plays at one table, except for the remainder of N / k.

    Strength. Colley's ratings of the two-bot results at all tables: (1 + wins - (losses + wins) / 2 + the sum of the
    opponents' strengths) / (2 + results), a share of a deal's rotations counting as a share of a result (W. Colley,
    "Colley's bias free college football ranking method", 2002).

    How informative a table is. For each pair of bots at it v / (1 + max(0, z² - 4)) / (1 + m)²: v = 1 / (1 + deals of
    one) + 1 / (1 + deals of the other) is how much variance of their difference is left, up to a factor, z² = 4
    (difference of strengths)² / v how far apart they are for that, and m the number of rounds that they have played
    together. So bots about which little is known and bots that may be close meet, a clear order isn't tested again, and
    nobody meets the same few opponents over and over, which would make ratings hang on the luck of those deals. The
    tables of a round are those with the highest sum that a search of fixed length finds.
    """

    name: ClassVar[str] = "ladder"
    places_by: ClassVar[PlacesBy] = "rating"
    paired_by_hand: ClassVar[bool] = True

    budget: int | None = None
    until: float | None = None
    """Half the width of the widest rating interval, in Elo, at which it ends. Bots that have withdrawn, and those that
    have won or lost everything, are not waited for. After 25 n rounds it is checked after every n-th one. It also ends
    when MAX_REPEATS rounds have only repeated deals of others, in a game without chance."""
    batch: int | None = None
    """Deals of a round; the tournament's `deals` by default."""

    def check(self, context: FormatContext) -> None:
        n, k = len(context.entries), context.seats
        if n < k:
            raise FormatError(f"a ladder with {k} seats needs at least {k} bots; there are {n}")
        if self.budget is None and self.until is None:
            raise FormatError("a ladder needs a `budget` of games or `until`, the width of an interval")
        if self.until is not None and not 0 < self.until < inf:
            raise FormatError(f"until must be more than 0, not {self.until:g}", setting="until")
        check_count("batch", self.batch, MAX_ROUND_DEALS)
        check_count("budget", self.budget, MAX_TOURNAMENT_GAMES)
        least = self.deals(context) * k
        if self.budget is not None and self.budget < least:
            raise FormatError(
                f"budget: a table alone plays {least} games ({self.deals(context)} deals, {k} rotations)",
                setting="budget",
            )

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        """See Format. The last round has as many tables as the budget allows, the most informative ones first."""
        number, k = len(history) + 1, context.seats
        present = context.playing(number)
        deals = self.deals(context)
        left = self._tables_left(context, history)
        if left < 1:
            return None
        if len(present) < k:
            raise TooFewBots(context, number, f"a table needs {k} bots; left: {len(present)}")
        if self._is_known(history, present):
            return None
        costs = _costs(context, history, present)
        draws = Draws(context.seed, f"ladder/{number}")
        rest = len(present) % k
        slots = [Slot(k)] * (len(present) // k) + ([Slot(rest, plays=False)] if rest else [])
        start = greedy(slots, draws.shuffled(present), costs)
        found = improve(slots, start, costs, draws, default_steps(len(present)))
        tables = [sorted(bots) for slot, bots in zip(slots, found, strict=True) if slot.plays]
        tables.sort(key=lambda bots: (sum(costs.pair[a][b] for a in bots for b in bots), bots))
        return kept_apart(
            context,
            Round(
                number=number,
                tables=tuple(Table(tuple(draws.shuffled(bots))) for bots in tables[:left]),
                deals=deals,
            ),
        )

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        if self.until is None or context.ended or self._tables_left(context, history) < 1:
            return None
        if _only_repeats(history):
            return f"the last {MAX_REPEATS} rounds only repeated earlier deals, as the game has no chance"
        return f"every rating is known to ± {self.until:g} Elo"

    def _tables_left(self, context: FormatContext, history: History) -> int:
        """The tables that the budget still allows; more than a round can have if there is no budget."""
        if self.budget is None:
            return len(context.entries)
        return (self.budget - sum(map(_games, history))) // (self.deals(context) * context.seats)

    def check_forbidden(self, context: FormatContext) -> None:
        """See Format. A round that can't keep them apart is not paired."""

    def rule(self, context: FormatContext) -> str:
        until = "" if self.until is None else f"; until every rating is known to ± {self.until:g} Elo"
        return (
            "in each round, the tables most informative about the order: bots about which little is known or that are"
            f" close{until}"
        )

    def plan(self, context: FormatContext) -> FormatPlan:
        per_table = self.deals(context) * context.seats
        tables = self.budget // per_table if self.budget is not None else None
        per_round = max(1, len(context.playing(1)) // context.seats)
        return FormatPlan(
            rule=self.rule(context),
            rounds=None if tables is None else -(-tables // per_round),
            tables=tables,
            games=None if tables is None else tables * per_table,
            upper_bound=self.until is not None,
        )

    def deals(self, context: FormatContext) -> int:
        return self.batch or context.deals

    def order(self, context: FormatContext, history: History) -> Order:
        """By the strengths that tables are chosen by, which are fast to compute: for live views."""
        found, _ = strengths(context, history)
        return lambda bot: -found[bot]

    def ranking(self, context: FormatContext, results: Results) -> list[Placed]:
        """By the rating as shown, since the choice of tables makes everybody win about equally often."""
        ratings = [results.ratings[bot] for bot in range(len(context.entries))]
        return places_by(range(len(ratings)), lambda bot: inf if (own := ratings[bot]) is None else -own.rounded().elo)

    def _is_known(self, history: History, present: list[int]) -> bool:
        # At first, while the intervals shrink quickly, after each round.
        if self.until is None or len(history) % max(1, len(history) // ROUNDS_PER_LOOK):
            return False
        if _only_repeats(history):
            return True
        widest = widest_half_width(history, present)
        return widest is not None and widest <= self.until


def _only_repeats(history: History) -> bool:
    return len(history) > MAX_REPEATS and len(ranked_games(history)) == len(ranked_games(history[:-MAX_REPEATS]))


def strengths(context: FormatContext, history: History) -> tuple[list[int], list[int]]:
    """By bot, its strength in units, and the number of deals it has played. Integers only, so the same on every
    machine."""
    n = len(context.entries)
    deals = [0] * n
    won = [0] * n
    results: list[dict[int, int]] = [{} for _ in range(n)]
    for played in history:
        for bot, more_deals, more_won, against in _round_results(played):
            deals[bot] += more_deals
            won[bot] += more_won
            own = results[bot]
            for other, count in against:
                own[other] = own.get(other, 0) + count
    totals = [sum(counts.values()) for counts in results]
    found = [UNIT // 2] * n
    for _ in range(SWEEPS):
        found = [
            # Half of the old value keeps two groups that only met each other from oscillating.
            (
                found[a]
                + (UNIT + won[a] - totals[a] * UNIT // 2 + sum(count * found[b] for b, count in results[a].items()))
                // (2 + totals[a])
            )
            // 2
            for a in range(n)
        ]
    return found, deals


@derived
def _games(played: PlayedRound) -> int:
    return sum(len(result.games) + len(result.void) for result in played.results)


@derived
def _round_results(played: PlayedRound) -> tuple[tuple[int, int, int, tuple[tuple[int, int], ...]], ...]:
    """By bot and table, its deals, its results won in units, and its results by opponent."""
    found = []
    for result in map(_rated, finished_tables(played)):
        if not result.games:
            continue
        cells, deals = versus(result, "game"), played.round.deals
        for index, bot in enumerate(result.table.bots):
            won = sum(int(UNIT * share) for share in cells[index]) * deals  # a draw is half a win
            found.append((bot, deals, won, tuple((other, deals) for other in opponents(result, index))))
    return tuple(found)


def _rated(result: TableResult) -> TableResult:
    """A table without the games whose result was set by a ruling, which says nothing about strength."""
    if not any(game.by_ruling for game in result.games):
        return result
    return structs.replace(result, games=tuple(game for game in result.games if not game.by_ruling))


def _costs(context: FormatContext, history: History, present: list[int]) -> Costs:
    """How informative each pair of bots at a table is, negated, as it is to be maximised."""
    found, deals = strengths(context, history)
    met = Counter(
        pair for played in history for result in finished_tables(played) for pair in permutations(result.table.bots, 2)
    )
    n = len(context.entries)
    forbidden_cost = UNIT * UNIT * len(present) ** 2
    pair = [[0] * n for _ in range(n)]
    for a in present:
        for b in present:
            if a != b:
                variance = UNIT // (1 + deals[a]) + UNIT // (1 + deals[b])
                gap = found[a] - found[b]
                apart = max(0, 4 * gap * gap // variance - NOT_APART)
                gain = variance * UNIT // (UNIT + apart) // (1 + met[a, b]) ** 2
                pair[a][b] = forbidden_cost if (a, b) in context.forbidden else -gain
    return Costs(pair, [0] * n)
