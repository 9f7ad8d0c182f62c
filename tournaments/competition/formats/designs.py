"""Schedules of tables of k bots whose meetings are spread evenly, for round robins with more than two seats: known
designs, in which they are as even as is known to be possible, and a search."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from importlib import resources
from itertools import combinations, pairwise
from math import comb
from typing import Final

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.table_search import Costs, Slot, greedy, improve

Tables = list[tuple[int, ...]]
"""The tables of a round."""

BINARY_FIELDS: Final = {4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101}
"""An irreducible polynomial for each field of 2^m elements."""
ROUND_STEPS: Final = 20_000
"""Exchanges tried per round for up to MAX_REVISITS rounds. Longer designs share that total, as each of their rounds
matters less."""
MIN_ROUND_STEPS: Final = 1_000
MAX_PASSES: Final = 8
"""How often each round is improved again, at most."""
MAX_DESIGNS: Final = 4
MAX_REVISITS: Final = 200
"""Maximum number of rounds that are improved again, over all passes."""
MAX_COMPLETE_SETS: Final = 500
"""Maximum number of sets for a schedule of every set of k bots."""
PLACEMENTS: Final = 20
"""How many ways to number the bots are tried, where some have the same owner."""


def complete_design(n: int, k: int) -> list[Tables]:
    """Every set of k of n bots once, in the fewest rounds possible without a bot sitting twice in one.

    By Baranyai's theorem, in the proof of Brouwer and Schrijver (van Lint and Wilson, A Course in Combinatorics, 2nd
    edition, theorem 38.1): the rounds are built up bot by bot. `sets` are the tables of each round so far; a set S
    of l bots must occur C(n - l', k - |S|) times in all, l' being the bots dealt with. Which set of each round takes
    the next bot is a flow with integer solution, found by augmenting paths. A last round may have fewer tables.
    """
    total, full = comb(n, k), n // k
    sizes = [full] * (total // full) + ([total % full] if total % full else [])
    rounds: list[list[frozenset[int]]] = [[frozenset()] * size for size in sizes]
    for bot in range(n):
        places = n - bot
        room = Counter[frozenset[int]]()
        for seen in {tables for round_ in rounds for tables in round_}:
            if len(seen) < k:
                room[seen] = comb(places - 1, k - len(seen) - 1)
        # Rounds that have no bot to spare must take this one; a path never takes it from them again.
        missing = [sum(k - len(tables) for tables in round_) for round_ in rounds]
        order = sorted(range(len(rounds)), key=lambda index: missing[index] != places)
        taken_by = _assign(rounds, room, order)
        for index, chosen in taken_by.items():
            rounds[index].remove(chosen)
            rounds[index].append(chosen | {bot})
    return [sorted(tuple(sorted(table)) for table in round_) for round_ in rounds]


def _assign(
    rounds: Sequence[Sequence[frozenset[int]]], room: Counter[frozenset[int]], order: Sequence[int]
) -> dict[int, frozenset[int]]:
    """For as many rounds as possible one of their sets, each set at most as often as `room` allows."""
    chosen: dict[int, frozenset[int]] = {}
    holders: dict[frozenset[int], list[int]] = {tables: [] for tables in room}

    def augment(index: int, visited: set[frozenset[int]]) -> bool:
        for tables in sorted(set(rounds[index]), key=sorted):
            if tables in visited or room[tables] == 0:
                continue
            visited.add(tables)
            if len(holders[tables]) < room[tables]:
                holders[tables].append(index)
                chosen[index] = tables
                return True
            for other in list(holders[tables]):
                if augment(other, visited):
                    holders[tables].remove(other)
                    holders[tables].append(index)
                    chosen[index] = tables
                    return True
        return False

    for index in order:
        augment(index, set())
    return chosen


def even_design(owners: Sequence[str | None], k: int, rounds: int, draws: Draws) -> list[Tables]:
    """Rounds in which as many bots as possible sit at tables of k, and all pairs meet nearly equally often.

    Where the bots can be laid out as k rows of q, q having an inverse for each difference of two rows, the first q
    rounds (q + 1 if q = k, after which all have met and the sequence starts over) are lines of a plane, in which no
    two bots meet twice; bots of one owner share a row where it has room, so
    that they don't meet there. All other rounds are found by local
    search, with the lines and without, and the more even of both schedules is taken.
    """
    n = len(owners)
    search = DesignSearch(owners, k, rounds, draws)
    bots = _in_rows(owners, k, draws)
    lines = [[tuple(bots[point] for point in line) for line in lines] for lines in planes(n, k)]
    if n == k * k:
        lines *= -(-rounds // max(1, len(lines)))
    if lines and search.unevenness(lines[:rounds])[2] == 0 and len(lines) >= rounds:
        return lines[:rounds]
    plain = search.best()
    return min(search.extended(lines[:rounds]), plain, key=search.unevenness) if lines else plain


def _in_rows(owners: Sequence[str | None], k: int, draws: Draws) -> list[int]:
    """The bots in random order, so that those of one owner share one of k rows where it has room for them."""
    bots = draws.shuffled(range(len(owners)))
    groups: dict[object, list[int]] = {}
    for bot in bots:
        groups.setdefault(owners[bot] or bot, []).append(bot)
    rows: list[list[int]] = [[] for _ in range(k)]
    length = len(owners) // k
    left: list[int] = []
    for group in sorted(groups.values(), key=len, reverse=True):
        row = next((row for row in rows if len(row) + len(group) <= length), None)
        (left if row is None else row).extend(group)
    for row in rows:
        while len(row) < length and left:
            row.append(left.pop())
    return [bot for row in rows for bot in row] + left


class DesignSearch:
    """Local search for rounds: first meetings as even as possible, then owners apart; everyone sits out equally
    often. `forbidden`: pairs in both orders that are not to meet, which comes before all else."""

    def __init__(
        self,
        owners: Sequence[str | None],
        k: int,
        rounds: int,
        draws: Draws,
        forbidden: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        self._n, self._k, self._rounds, self._draws = len(owners), k, rounds, draws
        self._forbidden = forbidden
        self._same_owner = [[int(a is not None and a == b) for b in owners] for a in owners]
        self._out = self._n % k
        self._slots = [Slot(k)] * (self._n // k) + ([Slot(self._out, marked=True, plays=False)] if self._out else [])
        # The mean of all meetings in the end, as a fraction in lowest terms.
        mean = Fraction(rounds * (self._n // k) * comb(k, 2), max(1, comb(self._n, 2) - len(forbidden) // 2))
        self._total, self._pairs = mean.numerator, mean.denominator
        self._meetings: list[list[int]] = []
        self._sat_out: list[int] = []

    def unevenness(self, design: Sequence[Tables]) -> tuple[int, int, int]:
        """The largest difference in meetings, the sum of their squares, and the meetings of bots of one owner beyond
        the necessary ones."""
        self._load(design)
        pairs = [pair for pair in combinations(range(self._n), 2) if pair not in self._forbidden] or [(0, 1)]
        counts = [self._meetings[a][b] for a, b in pairs]
        same = sum(self._meetings[a][b] - min(counts) for a, b in pairs if self._same_owner[a][b])
        return max(counts) - min(counts), sum(count * count for count in counts), same

    def best(self) -> list[Tables]:
        """The best of several designs from scratch; the first in which meetings differ by at most one is good
        enough."""
        found: list[list[Tables]] = []
        for _ in range(max(1, min(MAX_DESIGNS, MAX_REVISITS // self._rounds))):
            found.append(self.extended([]))
            if self.unevenness(found[-1])[0] <= 1:
                break
        return min(found, key=self.unevenness)

    def extended(self, begin: Sequence[Tables]) -> list[Tables]:
        """A design that begins with these rounds. The further ones are then improved again, at most MAX_PASSES
        times."""
        design = list(begin)
        self._load(design)
        while len(design) < self._rounds:
            costs = self._costs()
            start = greedy(self._slots, self._draws.shuffled(range(self._n)), costs)
            design.append(self._improved(start, costs))
            self._count(design[-1], 1)
        for _ in range(min(MAX_PASSES, MAX_REVISITS // self._rounds)):
            if self.unevenness(design)[0] <= 1:
                break
            for index in range(len(begin), self._rounds):
                self._count(design[index], -1)
                sitting = {bot for table in design[index] for bot in table}
                start = [list(table) for table in design[index]]
                if self._out:
                    start.append([bot for bot in range(self._n) if bot not in sitting])
                design[index] = self._improved(start, self._costs())
                self._count(design[index], 1)
        return design

    def _improved(self, start: list[list[int]], costs: Costs) -> Tables:
        steps = max(MIN_ROUND_STEPS, ROUND_STEPS * MAX_REVISITS // max(MAX_REVISITS, self._rounds))
        found = improve(self._slots, start, costs, self._draws, steps)
        return [tuple(table) for table in found[: self._n // self._k]]

    def _costs(self) -> Costs:
        # What one more meeting adds to the sum of fourth powers of the distances from the mean. With squares, which
        # come to the same where meetings can differ by at most one, a few pairs would be left far from the mean.
        apart = comb(self._n, 2) + 1
        met_most = max(map(max, self._meetings))
        distances = [(count * self._pairs - self._total) ** 4 for count in range(met_most + 2)]
        adds = [(after - before) * apart for before, after in pairwise(distances)]
        pair = [
            [adds[met] + same for met, same in zip(row, owner_row, strict=True)]
            for row, owner_row in zip(self._meetings, self._same_owner, strict=True)
        ]
        highest = max(abs(cost) for row in pair for cost in row) * apart
        for bot in range(self._n):
            pair[bot][bot] = 0
        for a, b in self._forbidden:
            pair[a][b] = highest * (self._rounds + 1) * self._n * self._n
        return Costs(pair, [out * highest for out in self._sat_out])

    def _load(self, design: Sequence[Tables]) -> None:
        self._meetings = [[0] * self._n for _ in range(self._n)]
        self._sat_out = [0] * self._n
        for tables in design:
            self._count(tables, 1)

    def _count(self, tables: Tables, times: int) -> None:
        sitting: set[int] = set()
        for table in tables:
            sitting.update(table)
            for a, b in combinations(table, 2):
                self._meetings[a][b] += times
                self._meetings[b][a] += times
        for bot in range(self._n):
            if bot not in sitting:
                self._sat_out[bot] += times


def planes(n: int, k: int) -> Iterator[list[list[int]]]:
    """Parallel classes of lines through k rows of n / k points: in each, row i has its point a * i + b on line b."""
    if n % k:
        return
    q = n // k
    times = _multiplication(q, k)
    if times is None:
        return
    for a in range(q):
        yield [[row * q + times(a, row, b) for row in range(k)] for b in range(q)]
    if q == k:
        yield [[row * q + point for point in range(q)] for row in range(k)]


def _multiplication(q: int, k: int) -> Callable[[int, int, int], int] | None:
    """a * row + b in a ring of q elements where the difference of two of the rows 0 to k - 1 has an inverse."""
    if q in BINARY_FIELDS and q >= k:
        return lambda a, row, b: _binary_product(a, row, q) ^ b
    if all(q % divisor for divisor in range(2, k)) and q >= k:
        return lambda a, row, b: (a * row + b) % q
    return None


def _binary_product(a: int, b: int, q: int) -> int:
    """The product in the field of q = 2^m elements."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & q:
            a ^= BINARY_FIELDS[q]
        b >>= 1
    return product


@cache
def starters() -> Mapping[tuple[int, int], Sequence[str]]:
    """By number of bots and seats of a table, the starters of each design. `starters.toml` describes their form."""
    text = resources.files(__package__).joinpath("starters.toml").read_text("utf-8")
    return {(int(n), int(k)): found for k, by_bots in tomllib.loads(text).items() for n, found in by_bots.items()}


def even_schedule(owners: Sequence[str | None], k: int, rounds: int, seed: str) -> list[Tables]:
    """Rounds in which as many bots as possible sit at tables of k, and all pairs meet nearly equally often.

    First the known designs for this number of bots: their rounds, or some of them, or all of them several times over.
    Unless meetings then differ by at most one, and those of one owner meet no more than others, a local search follows,
    and the most even schedule is taken. The search has draws of its own, so that no schedule is less even than what it
    finds without designs.
    """
    draws = Draws(seed, "round robin/known design")
    search = DesignSearch(owners, k, rounds, draws)
    found = list(_from_known(owners, k, rounds, seed))
    best = min(found, key=search.unevenness, default=None)
    if best is not None:
        spread, _, same = search.unevenness(best)
        if spread <= 1 and not same:
            return best
        if spread > 1:
            found += [search.extended(design) for design in known_designs(len(owners), k) if len(design) < rounds]
    return min([*found, even_design(owners, k, rounds, Draws(seed, "round robin/design"))], key=search.unevenness)


def _from_known(owners: Sequence[str | None], k: int, rounds: int, seed: str) -> Iterator[list[Tables]]:
    """Schedules that consist of rounds of known designs, with everybody sitting out equally often."""
    n, draws = len(owners), Draws(seed, "round robin/numbers")
    for design in known_designs(n, k):
        times, left = divmod(rounds, len(design))
        if rounds > len(design) and not is_even(design, n):
            continue
        schedule = design * times + (_some_of(design, left) if left else [])
        if _difference(_times_seated(schedule, n)) <= 1:
            yield _numbered(schedule, owners, draws)
        if times and left:
            yield _numbered(design * times, owners, draws) + even_schedule(owners, k, left, seed)


def next_even_rounds(n: int, k: int, rounds: int) -> int | None:
    """The smallest number of rounds from `rounds` on after which all pairs have met equally often, by known designs."""
    lengths = [len(design) for design in known_designs(n, k) if is_even(design, n)]
    return min((-(-rounds // length) * length for length in lengths), default=None)


@lru_cache(maxsize=8)
def known_designs(n: int, k: int) -> Sequence[list[Tables]]:
    known = [developed(n, k, starter) for starter in starters().get((n, k), ())]
    lines = [[tuple(line) for line in lines] for lines in planes(n, k)]
    if lines:
        known.append(lines)
    if (n + 1) % k == 0:
        # Without its last bot, who met everybody at most once, a design has one table less in each round, and in all
        # rounds together everybody sits out at most once.
        known += [
            [[table for table in tables if n not in table] for tables in design]
            for design in known_designs(n + 1, k)
            if max(_meetings(design, n + 1).values()) == 1
        ]
    if not any(is_even(design, n) for design in known) and comb(n, k) <= MAX_COMPLETE_SETS and n % k == 0:
        known.append(complete_design(n, k))
    return known


def developed(n: int, k: int, starter: str) -> list[Tables]:
    """The rounds of a starter, in the form that `starters.toml` describes."""
    modulus_text, _, text = starter.partition(":")
    modulus = int(modulus_text)
    moved = n // modulus * modulus

    def shifted(point: int, shift: int) -> int:
        return point - point % modulus + (point + shift) % modulus if point < moved else point

    rounds: list[Tables] = []
    for part in text.split(";"):
        tables = [tuple(map(int, table.split())) for table in part.split("|")]
        turned = [[tuple(shifted(point, shift) for point in table) for table in tables] for shift in range(modulus)]
        # A single table whose bots are all moved makes one round of all its places.
        rounds += turned if len(tables) == n // k else [[table for (table,) in turned]]
    return rounds


def is_even(design: Sequence[Tables], n: int) -> bool:
    """Whether all pairs meet equally often, and all bots play equally often."""
    return _difference(_meetings(design, n)) == 0 == _difference(_times_seated(design, n))


def _some_of(design: Sequence[Tables], count: int) -> list[Tables]:
    """So many rounds of a design, chosen one by one so that first byes, then meetings are as even as possible; of more
    than half of them, those that are left when the others are chosen so."""
    chosen = list[int]()
    met, seated = Counter[tuple[int, int]](), Counter[int]()
    pairs = [[pair for table in tables for pair in combinations(sorted(table), 2)] for tables in design]
    for _ in range(min(count, len(design) - count)):
        best = min(
            (index for index in range(len(design)) if index not in chosen),
            key=lambda index: (
                sum(seated[bot] for table in design[index] for bot in table),
                sum(met[pair] for pair in pairs[index]),
            ),
        )
        chosen.append(best)
        met.update(pairs[best])
        seated.update(bot for table in design[best] for bot in table)
    if len(chosen) < count:
        chosen = [index for index in range(len(design)) if index not in chosen]
    return [design[index] for index in chosen]


def _numbered(design: Sequence[Tables], owners: Sequence[str | None], draws: Draws) -> list[Tables]:
    """The design with bots in random order; of several orders, the one in which bots of one owner meet least."""
    n = len(owners)
    shared = len({owner for owner in owners if owner is not None}) < sum(owner is not None for owner in owners)

    def same(order: Sequence[int]) -> int:
        return sum(
            owners[order[a]] is not None and owners[order[a]] == owners[order[b]]
            for tables in design
            for table in tables
            for a, b in combinations(table, 2)
        )

    orders = [draws.shuffled(range(n)) for _ in range(PLACEMENTS if shared else 1)]
    order = min(orders, key=same) if shared else orders[0]
    return [[tuple(order[bot] for bot in table) for table in tables] for tables in design]


def _meetings(design: Sequence[Tables], n: int) -> Counter[tuple[int, int]]:
    met = Counter(dict.fromkeys(combinations(range(n), 2), 0))
    met.update(pair for tables in design for table in tables for pair in combinations(sorted(table), 2))
    return met


def _times_seated(design: Sequence[Tables], n: int) -> Counter[int]:
    seated = Counter(dict.fromkeys(range(n), 0))
    seated.update(bot for tables in design for table in tables for bot in table)
    return seated


def _difference(counts: Counter[tuple[int, int]] | Counter[int]) -> int:
    return max(counts.values()) - min(counts.values())
