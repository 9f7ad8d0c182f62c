"""Schedules of tables of k bots in which meetings are as even as is known to be possible, before any search."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import combinations
from math import comb
from typing import Final

from tournaments.competition.formats.designs import DesignSearch, Tables, complete_design, even_design, planes
from tournaments.competition.formats.draws import Draws

MAX_COMPLETE_SETS: Final = 500
"""Maximum number of sets for a schedule of every set of k bots."""
PLACEMENTS: Final = 20
"""How many ways to number the bots are tried, where some have the same owner."""


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
        schedule = design * times + (_some_of(design, n, left) if left else [])
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


def _some_of(design: Sequence[Tables], n: int, count: int) -> list[Tables]:
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
