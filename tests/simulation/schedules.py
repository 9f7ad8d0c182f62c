"""How evenly bots meet in round robins at tables of three to five: by a search alone, with designs, and at best."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import comb
from typing import NamedTuple

from tests.tournaments.competition.formats.tournament_factory import tournament
from tournaments.competition.formats.designs import even_design
from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import FormatPlan, plan_of
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.rounds import Round, Table


class Row(NamedTuple):
    """A line of a table, and whether something in it is not as promised."""

    text: str
    wrong: bool = False


def rounds_without_repeats(bots: int, seats: int) -> int:
    """The number of rounds in which a bot that plays all of them can meet others for the first time only."""
    return (bots - 1) // (seats - 1)


def searched(bots: int, seats: int, rounds: int) -> FormatPlan:
    """The plan of a round robin that knows no designs but lines of a plane."""
    of = tournament(bots, seats)
    design = even_design([None] * bots, seats, rounds, Draws(of.seed, "round robin/design"))
    schedule = [
        Round(number=number, tables=tuple(map(Table, tables)), deals=of.deals)
        for number, tables in enumerate(design, 1)
    ]
    return plan_of("", schedule, of)


def schedule_rows(seats: Iterable[int], bots: Iterable[int]) -> Iterator[Row]:
    """A row for each number of seats and bots; wrong if a schedule is less even than by a search alone, or than the
    bound says."""
    yield Row(
        "Round robins: repeats and spread (most less fewest meetings of two bots)\n"
        "seats  bots  rounds  by search  with designs  bound of spread  even after rounds"
    )
    for k, n in product(seats, bots):
        if n <= k:
            continue
        rounds = rounds_without_repeats(n, k)
        before, after = searched(n, k, rounds), RoundRobin(rounds=rounds).plan(tournament(n, k))
        worse = after.repeats is None or before.repeats is None or after.repeats > before.repeats
        bound = least_spread(n, k, rounds)
        even = rounds if spread_of(after) == 0 else after.even_rounds
        by_search, with_designs = (f"{plan.repeats}, {spread_of(plan)}" for plan in (before, after))
        yield Row(
            f"{k:5} {n:5} {rounds:7} {by_search:>10} {with_designs:>13} {bound:16} {even or 'not known':>18}",
            worse or spread_of(after) > spread_of(before) or spread_of(after) < bound,
        )


def least_spread(n: int, k: int, rounds: int) -> int:
    """A lower bound, of at most 2, for the difference between the most and the fewest meetings of two bots.

    If meetings differ by at most one, their number says how many pairs meet how often, and so how often two rounds
    repeat a pair, summed over all pairs of rounds: sum of C(meetings, 2). But any two rounds repeat some: the bots
    that play in both, n - 2 (n mod k) at least, are divided among (n // k)^2 combinations of a table and a table.
    """
    tables, pairs = n // k, comb(n, 2)
    each, more = divmod(rounds * tables * comb(k, 2), pairs)
    repeats = (pairs - more) * comb(each, 2) + more * comb(each + 1, 2)
    both, one_more = divmod(max(0, n - 2 * (n % k)), tables**2)
    repeated = (tables**2 - one_more) * comb(both, 2) + one_more * comb(both + 1, 2)
    if comb(rounds, 2) * repeated > repeats:
        return 2
    # Meetings are all equal only if everybody plays equally often.
    return int(more > 0 or rounds * tables * k % n > 0)


def spread_of(plan: FormatPlan) -> int:
    """The difference between the most and the fewest meetings of two bots."""
    assert plan.spread is not None
    return plan.spread[1] - plan.spread[0]
