"""Round robin: every bot meets every other one equally often, or as nearly so as the rounds allow."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice
from math import comb
from typing import ClassVar, Final

from msgspec import structs

from referee.games.narrator import format_count
from tournaments.competition.formats.designs import (
    DesignSearch,
    Tables,
    complete_design,
    even_schedule,
    next_even_rounds,
)
from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import (
    MAX_SCHEDULE_ROUNDS,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    TooFewBots,
    check_count,
    check_tables,
    kept_apart,
    plan_of,
)
from tournaments.competition.rounds import History, Round, Table

MAX_SETS: Final = 500
"""Maximum number of sets of more than two bots for a schedule in which every set meets."""
MAX_DESIGN_ROUNDS: Final = 2_000
"""Maximum number of rounds for which even meetings are searched."""


class RoundRobin(Format, frozen=True, forbid_unknown_fields=True):
    """Two seats: Berger tables. More seats: every set of bots once, or `rounds` rounds with even meetings.

    A late entrant's tables come at the end; tables with a bot that has withdrawn are dropped.
    """

    name: ClassVar[str] = "round_robin"
    adaptive: ClassVar[bool] = False
    trf_type: ClassVar[str | None] = "Individual: Round-Robin"

    cycles: int | None = None
    """How often the schedule is played; 1 unless `rounds` are given."""
    rounds: int | None = None
    """The length of the schedule, late entrants aside."""

    def check(self, context: FormatContext) -> None:
        n, k = len(_initial(context)), context.seats
        if n < k:
            raise FormatError(f"a round robin with {k} seats needs at least {k} bots; there are {n}")
        if self.cycles is not None and self.rounds is not None:
            raise FormatError("give `cycles` or `rounds`, not both", setting="rounds")
        check_count("cycles", self.cycles, MAX_SCHEDULE_ROUNDS)
        check_count("rounds", self.rounds, MAX_SCHEDULE_ROUNDS if k == 2 else MAX_DESIGN_ROUNDS)
        if k > 2 and self.rounds is None and comb(n, k) > MAX_SETS:
            raise FormatError(
                f"every set of {k} of {n} bots would make {comb(n, k)} tables, more than {MAX_SETS}: "
                "give the number of `rounds` instead",
                setting="cycles" if self.cycles else "rounds",
            )
        if self.rounds is not None:
            check_tables("rounds", self.rounds * (n // k))
        else:
            check_tables("cycles", (self.cycles or 1) * comb(n, k))

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        number = len(history) + 1
        tables = self._tables(context, number)
        if tables is not None:
            return self.round_of(context, number, tables)
        if self._tables(context.without_byes(number), number) is not None:
            raise TooFewBots(context, number, "no table is left of the round")
        present = len(context.playing(number))
        if present < context.seats and self.ended_early(context, history):
            raise TooFewBots(context, number, f"a table needs {context.seats} bots; left: {present}")
        return None

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        everybody = (structs.replace(entry, withdrawn=None, missed=(), byes=()) for entry in context.entries)
        whole = list(self.schedule(structs.replace(context, entries=tuple(everybody))))
        if context.ended or len(history) >= len(whole):
            return None
        return f"{len(whole) - len(history)} of its {len(whole)} rounds had only tables of bots that had withdrawn"

    def _tables(self, context: FormatContext, number: int) -> Tables | None:
        """Those of a round; None after the last one."""
        return next(islice(self.schedule(context), number - 1, None), None)

    def schedule(self, context: FormatContext) -> Iterator[Tables]:
        """The tables of each round, without those of bots that don't take part in it."""
        number = 0
        for tables in chain(self._base(context), self._late_tables(context)):
            left = [table for table in tables if all(context.entries[bot].plays(number + 1) for bot in table)]
            if left:
                number += 1
                yield left

    def plan(self, context: FormatContext) -> FormatPlan:
        rounds = [self.round_of(context, number, tables) for number, tables in enumerate(self.schedule(context), 1)]
        plan = plan_of(self.rule(context), rounds, context)
        if self.rounds is None or plan.spread is None or plan.spread[0] == plan.spread[1]:
            return plan
        n, k = len(_initial(context)), context.seats
        per_cycle = n - 1 + n % 2
        even = next_even_rounds(n, k, self.rounds) if k > 2 else -(-self.rounds // per_cycle) * per_cycle
        return structs.replace(plan, even_rounds=even)

    def rule(self, context: FormatContext) -> str:
        n, k = len(_initial(context)), context.seats
        if k == 2:
            return "Berger tables (FIDE Handbook C.05, Annex 1): every bot meets every other one" + (
                "; the schedule is cut off or repeated after the given number of rounds" if self.rounds else ""
            )
        if self.rounds is None:
            times = format_count(self.cycles or 1, "times")
            return f"every set of {k} of the {n} bots meets {times}, in as few rounds as possible"
        rounds = format_count(self.rounds, "rounds")
        return f"{rounds} in which any two bots meet as equally often as known designs and a search achieve"

    def voids_results(self, context: FormatContext, bot: int, tables: int) -> bool:
        """Before half of the tables of its schedule, as FIDE removes the results of a player who leaves so early."""
        schedule = chain(self._base(context), self._late_tables(context))
        return 2 * tables < sum(bot in table for round_ in schedule for table in round_)

    def check_forbidden(self, context: FormatContext) -> None:
        """Possible in a design of `rounds` rounds, in which not every meeting has to be played."""
        if context.seats == 2 or self.rounds is None:
            super().check_forbidden(context)
        initial = _initial(context)
        for bot in initial:
            others = [other for other in initial if other != bot and (bot, other) not in context.forbidden]
            if len(others) < context.seats - 1:
                name = context.entries[bot].name
                raise FormatError(
                    f"forbidden: {name} may meet {len(others)} bots, and a table has {context.seats - 1} more",
                    setting="forbidden",
                )

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        if len(_initial(context)) // context.seats < 2:
            return "the round has a single table, without which nothing is left to play"
        return None

    def round_of(self, context: FormatContext, number: int, tables: Tables) -> Round:
        if context.seats > 2:
            draws = Draws(context.seed, f"round robin/order/{number}")
            tables = [tuple(draws.shuffled(table)) for table in tables]
        initial, sitting = _initial(context), {bot for table in tables for bot in table}
        free = [bot for bot in initial if context.entries[bot].plays(number) and bot not in sitting]
        # Nobody has a bye while the tables of late entrants are played.
        byes = tuple(free) if all(bot in initial for bot in sitting) else ()
        return Round(number=number, tables=tuple(map(Table, tables)), byes=byes, deals=context.deals)

    def _late_tables(self, context: FormatContext) -> Iterator[Tables]:
        """The rounds at the end, for late entries, with the tables of bots that will have withdrawn."""
        for joined in sorted({entry.joined for entry in context.entries if entry.joined > 1}):
            present = [
                bot
                for bot, entry in enumerate(context.entries)
                if entry.joined <= joined and (entry.withdrawn is None or entry.withdrawn > joined)
            ]
            late = {bot for bot in present if context.entries[bot].joined == joined}
            if context.seats == 2 or self.rounds is None:
                sets = [table for table in combinations(present, context.seats) if not late.isdisjoint(table)]
                for _ in range(self._times(context)):
                    yield from _disjoint_rounds(sets)
            else:
                seated = Counter(bot for tables in self._base(context) for table in tables for bot in table)
                yield from _fill(present, sorted(late), context.seats, min(seated.values()), context.forbidden)

    def _times(self, context: FormatContext) -> int:
        """How often two bots, or a set of them, meet."""
        if self.rounds is None:
            return self.cycles or 1
        n = len(_initial(context))
        return max(1, self.rounds // (n - 1 + n % 2))

    def _base(self, context: FormatContext) -> Sequence[Tables]:
        """The rounds of the bots that took part from the start."""
        initial = _initial(context)
        n, k = len(initial), context.seats
        if k == 2:
            per_cycle = n - 1 + n % 2
            cycles = self.cycles or (-(-self.rounds // per_cycle) if self.rounds else 1)
            return _berger(n, cycles)[: self.rounds]
        if self.rounds is None:
            order = Draws(context.seed, "round robin/design").shuffled(initial)
            design = [[tuple(order[bot] for bot in table) for table in tables] for tables in _complete(n, k)]
            return design * (self.cycles or 1)
        owners = tuple(context.entries[bot].owner for bot in initial)
        if context.forbidden:
            apart = frozenset(pair for pair in context.forbidden if max(pair) < n)
            found = _even_apart(owners, k, self.rounds, context.seed, apart)
            for number, tables in enumerate(found, 1):
                kept_apart(context, Round(number=number, tables=tuple(map(Table, tables)), deals=context.deals))
            return found
        return _even(owners, k, self.rounds, context.seed)


def _initial(context: FormatContext) -> range:
    """The bots that took part from the start: the first ones, as late entries come last."""
    return range(sum(entry.joined == 1 for entry in context.entries))


def berger_table(n: int) -> list[Tables]:
    """The rounds of FIDE Handbook C.05, Annex 1, for n players from 0; for odd n, the opponent of the dummy is left
    out.

    In round r, player r (from 1) of an even number n meets the last one, and players meet whose numbers add up to 2r
    modulo n - 1. White (the first of a pair) is the player named first in the printed tables.
    """
    even = n + n % 2
    last, turn = even - 1, even // 2
    rounds: list[Tables] = []
    for number in range(even - 1):
        top = number * turn % last
        pairs = [(top, last) if number % 2 == 0 else (last, top)]
        pairs += [((top + step) % last, (top - step) % last) for step in range(1, turn)]
        rounds.append([pair for pair in pairs if max(pair) < n])
    return rounds


def berger_cycles(n: int, cycles: int) -> list[Tables]:
    """Berger tables several times over, each cycle with the colours of the one before reversed.

    As the annex recommends, the last two rounds of a cycle that another follows are swapped, so that nobody has the
    same colour three times in a row.
    """
    rounds: list[Tables] = []
    for cycle in range(cycles):
        tables = berger_table(n)
        if cycle < cycles - 1 and len(tables) > 1:
            tables[-2:] = tables[:-3:-1]
        rounds += [[pair[::-1] for pair in pairs] for pairs in tables] if cycle % 2 else tables
    return rounds


# Cached: a format is asked for one round at a time, and would otherwise compute its schedule for each.
_berger = lru_cache(maxsize=8)(berger_cycles)
_complete = lru_cache(maxsize=8)(complete_design)
_even = lru_cache(maxsize=8)(even_schedule)


@lru_cache(maxsize=8)
def _even_apart(
    owners: tuple[str | None, ...], k: int, rounds: int, seed: str, forbidden: frozenset[tuple[int, int]]
) -> Sequence[Tables]:
    return DesignSearch(owners, k, rounds, Draws(seed, "round robin/apart"), forbidden).best()


def _disjoint_rounds(tables: Iterable[tuple[int, ...]]) -> list[Tables]:
    """The tables in rounds, each in the first one in which none of its bots sits yet."""
    rounds: list[Tables] = []
    sitting: list[set[int]] = []
    for table in tables:
        index = next((index for index, bots in enumerate(sitting) if bots.isdisjoint(table)), len(rounds))
        if index == len(rounds):
            rounds.append([])
            sitting.append(set())
        rounds[index].append(table)
        sitting[index].update(table)
    return rounds


def _fill(
    present: Sequence[int], late: Sequence[int], k: int, each: int, forbidden: frozenset[tuple[int, int]]
) -> Iterator[Tables]:
    """Rounds in which each late entrant sits at `each` tables, with the bots that it has met least.

    At the last tables of a round no guests may be left that may meet: then there are fewer tables. None at all end it.
    """
    met = Counter[tuple[int, int]]()
    tables = Counter[int]()
    while any(tables[bot] < each for bot in late) and len(present) >= k:
        free, round_ = list(present), Tables()
        while len(free) >= k and any(tables[bot] < each for bot in late if bot in free):
            host = min((bot for bot in late if bot in free), key=lambda bot: tables[bot])
            table = [host]
            free.remove(host)
            while len(table) < k:
                allowed = [bot for bot in free if all((bot, other) not in forbidden for other in table)]
                if not allowed:
                    break
                guest = min(allowed, key=lambda bot: (sum(met[bot, other] for other in table), tables[bot]))
                free.remove(guest)
                table.append(guest)
            if len(table) < k:
                continue
            for a in table:
                tables[a] += 1
                met.update((a, b) for b in table)
            round_.append(tuple(table))
        if not round_:
            return
        yield round_
