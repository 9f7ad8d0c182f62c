"""Local search: dividing bots into tables at the lowest cost, in a fixed number of steps.

Costs are integers, random numbers are our own, and no clock is read, so the result is the same on every machine.
"""

from collections.abc import Sequence
from math import comb
from typing import Final

from msgspec import Struct

from tournaments.competition.formats.draws import Draws

MIN_SEARCH_STEPS: Final = 20_000
STEPS_PER_PAIR: Final = 40
"""Exchanges tried per pair of bots: half a second for 200 bots."""
PERTURBATION_SWAPS: Final = 3
"""Random exchanges to escape a local minimum."""


class Costs(Struct, frozen=True):
    """The cost of an assignment: `pair[a][b]` for each pair of bots at a table, `marked[bot]` for a place that is
    marked.

    `pair` is symmetric, with zeros on its diagonal.
    """

    pair: Sequence[Sequence[int]]
    marked: Sequence[int]


class Slot(Struct, frozen=True):
    """A table to be filled, or a group of bots that get none."""

    size: int
    marked: bool = False
    """Whether each bot here costs `Costs.marked`: a smaller table, or a bye."""
    plays: bool = True
    """Whether its bots meet, so that each pair costs `Costs.pair`."""


def total_cost(slots: Sequence[Slot], tables: Sequence[Sequence[int]], costs: Costs) -> int:
    """The cost of an assignment: `tables[i]` are the bots in `slots[i]`."""
    total = 0
    for slot, bots in zip(slots, tables, strict=True):
        if slot.plays:
            total += sum(costs.pair[a][b] for i, a in enumerate(bots) for b in bots[:i])
        if slot.marked:
            total += sum(costs.marked[bot] for bot in bots)
    return total


def greedy(slots: Sequence[Slot], order: Sequence[int], costs: Costs) -> list[list[int]]:
    """Best of two greedy assignments. First the marked places go to the bots that cost least there, from the end of the
    order; then each table gets the first remaining bot, and one by one the next in the order, or the one that costs
    least beside those already there."""
    from_end = order[::-1]
    places = sum(slot.size for slot in slots if slot.marked)
    marked = set(sorted(from_end, key=lambda bot: costs.marked[bot])[:places])
    found = []
    for cheapest in (False, True):
        apart = [bot for bot in order if bot in marked]
        others = [bot for bot in order if bot not in marked]
        tables = []
        for slot in slots:
            source = apart if slot.marked else others
            bots: list[int] = []
            while len(bots) < slot.size:
                bot = (
                    min(source, key=lambda bot: sum(costs.pair[bot][other] for other in bots))
                    if cheapest
                    else source[0]
                )
                source.remove(bot)
                bots.append(bot)
            tables.append(bots)
        found.append(tables)
    return min(found, key=lambda tables: total_cost(slots, tables, costs))


def default_steps(bots: int) -> int:
    """How many exchanges to try, so that many bots are searched as thoroughly as few."""
    return max(MIN_SEARCH_STEPS, STEPS_PER_PAIR * comb(bots, 2))


def improve(
    slots: Sequence[Slot], tables: Sequence[Sequence[int]], costs: Costs, draws: Draws, steps: int
) -> list[list[int]]:
    """An assignment of at most the same cost: iterated local search with exchanges of two bots."""
    search = _Search(slots, tables, costs)
    bots = [bot for table in tables for bot in table]
    if len(slots) < 2:
        return [list(table) for table in tables]
    steps -= search.descend(bots, steps)
    best, best_cost = list(search.place), search.cost
    while steps > 0:
        touched: list[int] = []
        for _ in range(PERTURBATION_SWAPS):
            a, b = bots[draws.below(len(bots))], bots[draws.below(len(bots))]
            steps -= 1
            if search.place[a] != search.place[b]:
                search.exchange(a, b)
                touched += [a, b]
        steps -= search.descend(touched, steps)
        if search.cost <= best_cost:
            best, best_cost = list(search.place), search.cost
        else:
            search.restore(best)
    search.restore(best)
    return search.tables()


class _Search:
    """An assignment, and the cost of each bot in each slot."""

    def __init__(self, slots: Sequence[Slot], tables: Sequence[Sequence[int]], costs: Costs) -> None:
        self._slots = slots
        self._costs = costs
        self._bots = [bot for table in tables for bot in table]
        self.place = [-1] * len(costs.pair)
        for index, table in enumerate(tables):
            for bot in table:
                self.place[bot] = index
        self.cost = total_cost(slots, tables, costs)
        self._there = [[0] * len(slots) for _ in costs.pair]
        for bot in self._bots:
            row = costs.pair[bot]
            for index, (slot, table) in enumerate(zip(slots, tables, strict=True)):
                together = sum(row[other] for other in table if other != bot) if slot.plays else 0
                self._there[bot][index] = together + (costs.marked[bot] if slot.marked else 0)

    def descend(self, starts: Sequence[int], steps: int) -> int:
        """Exchange while that lowers the cost, beginning with some bots; each that moved is tried again. Returns the
        number of exchanges tried."""
        queue = list(dict.fromkeys(starts))
        queued = set(queue)
        tried = 0
        place, there, pair, bots = self.place, self._there, self._costs.pair, self._bots
        plays = [int(slot.plays) for slot in self._slots]
        position = 0
        while position < len(queue) and tried < steps:
            a = queue[position]
            position += 1
            queued.discard(a)
            row_a, pair_a, at = there[a], pair[a], place[a]
            best, partner = 0, -1
            for b in bots:
                to = place[b]
                if to == at:
                    continue
                row_b = there[b]
                # Each would sit without the other, whose share is part of its cost there.
                delta = row_a[to] - row_a[at] + row_b[at] - row_b[to] - pair_a[b] * (plays[at] + plays[to])
                if delta < best:
                    best, partner = delta, b
            tried += len(bots)
            if partner >= 0:
                self.exchange(a, partner)
                for bot in (a, partner):
                    if bot not in queued:
                        queue.append(bot)
                        queued.add(bot)
        return tried

    def exchange(self, a: int, b: int) -> None:
        at, to = self.place[a], self.place[b]
        row_a, row_b = self._there[a], self._there[b]
        plays_at, plays_to = self._slots[at].plays, self._slots[to].plays
        pair_a, pair_b = self._costs.pair[a], self._costs.pair[b]
        self.cost += row_a[to] - row_a[at] + row_b[at] - row_b[to] - pair_a[b] * (plays_at + plays_to)
        self.place[a], self.place[b] = to, at
        for bot in self._bots:
            change = pair_b[bot] - pair_a[bot]
            if change:
                row = self._there[bot]
                if plays_at:
                    row[at] += change
                if plays_to:
                    row[to] -= change

    def restore(self, place: Sequence[int]) -> None:
        for bot in self._bots:
            while self.place[bot] != place[bot]:
                target = place[bot]
                other = next(other for other in self._bots if self.place[other] == target and place[other] != target)
                self.exchange(bot, other)

    def tables(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self._slots]
        for bot in self._bots:
            found[self.place[bot]].append(bot)
        return found
