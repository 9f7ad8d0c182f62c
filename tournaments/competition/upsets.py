"""Upsets: which bots have ever come ahead of which, and in how many deals. What bounds a rating from above is that its
bot, or the group it belongs to, was now and then beaten by the rest; so the fewest upsets in any way to divide the bots
say how far a difference of ratings can be trusted.

An upset of a group is a bot outside that came ahead of one of the group in a deal, or tied with it; each such bot
counts once per deal. The fewest upsets over all groups that contain one bot but not another are the maximum flow
between the two (Ford and Fulkerson, "Maximal flow through a network", 1956). Without any the ratings that fit best are
infinitely far apart (Ford, "Solution of a ranking problem from binary comparisons", 1957).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from tournaments.competition.fit import RankedGame
from tournaments.competition.rounds import Deal

ENOUGH: Final = 12
"""So many upsets extend no interval; more are not counted."""
RARE_GROUP: Final = 0.0003
RARE_BOT: Final = 0.005
"""How likely the fewest upsets that are accepted may be by luck alone, at the end of the interval."""
MISSED_GROUP: Final = 0.03
MISSED_BOT: Final = 0.1
"""The share of accepted cases in which the number of upsets may be so high by luck that the interval misses."""
MIN_GROUP: Final = 2
"""One upset doesn't connect two groups of several bots: it may be luck."""
MIN_BOT: Final = 1
THIRD_BOTS: Final = 4
"""Bots whose flows to and from all others are kept, to save flows between the others."""


class Fewest(NamedTuple):
    """The fewest upsets of any group with one bot and without another."""

    upsets: int
    alone: bool
    """Whether that group, or all others, is a single bot."""

    @property
    def least(self) -> int:
        """So many are needed to bound a difference."""
        return MIN_BOT if self.alone else MIN_GROUP

    def reach(self, t: float) -> float:
        """How far beyond its margin an interval has to reach, on the scale of logarithms of strengths; infinity if the
        upsets are too few to bound it. `t`: the quantile of Student's t in the margin.

        An interval is shown only because there were so many upsets. So the number that was to be expected is bounded
        from below by the Poisson distribution of those numbers that are accepted. The margin has t times 1/√upsets, the
        standard error of their logarithm; the reach adds to that in quadrature.
        """
        if self.upsets < self.least:
            return math.inf
        if self.upsets >= ENOUGH:
            return 0.0
        rare, missed = (RARE_BOT, MISSED_BOT) if self.alone else (RARE_GROUP, MISSED_GROUP)
        distance = math.log(self.upsets / _fewest_expected(self.upsets, self.least, rare, missed))
        return math.sqrt(max(0.0, distance**2 - t**2 / self.upsets))


class Upsets:
    def __init__(self, games: Iterable[RankedGame]) -> None:
        beaten: dict[tuple[Deal, int], set[int]] = defaultdict(set)
        games = set(games)
        self.bots = sorted({bot for game in games for group in game.groups for bot in group})
        self._component = {bot: bot for bot in self.bots}
        for game in games:
            bots = [bot for group in game.groups for bot in group]
            start = 0
            for group in game.groups:
                for bot in group:
                    beaten[game.deal, bot].update(other for other in bots[start:] if other != bot)
                start += len(group)
            for bot in bots[1:]:
                self._component[self._root(bots[0])] = self._root(bot)
        counted = Counter((frozenset(victims), bot) for (_, bot), victims in beaten.items() if victims)
        self._suffered: Counter[int] = Counter()
        self._caused: Counter[int] = Counter()
        self._capacity: _Capacities = defaultdict(dict)
        for (victims, bot), deals in counted.items():
            self._caused[bot] += deals
            for victim in victims:
                self._suffered[victim] += deals
            if len(victims) == 1:
                (victim,) = victims
                self._connect(victim, bot, deals)
            else:
                # However many of its victims are in a group, the bot counts once.
                node = (victims, bot)
                self._connect(node, bot, deals)
                for victim in victims:
                    self._connect(victim, node, ENOUGH)
        self._flows: dict[tuple[int, int], int] = {}
        self._known: dict[int, tuple[dict[int, int], dict[int, int]]] = {}

    def components(self) -> list[list[int]]:
        """The bots, divided so that no chain of games leads from one group to another; the largest group first."""
        found: dict[int, list[int]] = defaultdict(list)
        for bot in self.bots:
            found[self._root(bot)].append(bot)
        return sorted(found.values(), key=lambda group: (-len(group), group))

    def connected(self, bot: int, other: int) -> bool:
        return self._root(bot) == self._root(other)

    def only(self, bot: int) -> Literal["won", "lost"] | None:
        """Whether a bot has only won, or only lost: nobody came ahead of it or tied with it, or it of nobody."""
        return "won" if not self._suffered[bot] else "lost" if not self._caused[bot] else None

    def fewest(self, bot: int, other: int) -> Fewest:
        """The fewest upsets of a group that contains the bot, but not the other one; not counted beyond ENOUGH."""
        most = self._most(bot, other)
        found = self._at_least(bot, other)
        if found < most:
            # Flows are kept, bounds are not: of many bots nearly all pairs need no flow.
            found = self._flows.get((bot, other), -1)
            if found < 0:
                found = self._flows[bot, other] = self._flow([bot], [other], most)
        return Fewest(found, found == most)

    def few(self, bot: int, *, above: bool) -> Iterable[int]:
        """Bots among which are all others to which the fewest upsets (`above`), or from which they are, are less than
        ENOUGH. Of many bots they are mostly far less than all."""
        for to, back in self._known.values():
            own, others = (to, back) if above else (back, to)
            if own[bot] >= ENOUGH:
                return [other for other in self.bots if others[other] < ENOUGH]
        return self.bots

    def _most(self, bot: int, other: int) -> int:
        """An upper bound of the fewest upsets."""
        return min(ENOUGH, self._suffered[bot], self._caused[other])

    def _at_least(self, bot: int, other: int) -> int:
        """A lower bound from flows through a third bot: no group between the two has fewer upsets than every group
        between one of the two and the third."""
        best, most = 0, self._most(bot, other)
        for to, back in self._known.values():
            best = max(best, min(to[bot], back[other]))
        if best < most and len(self._known) < THIRD_BOTS and bot not in self._known:
            # At first the bot with the most upsets; then one in the same group.
            third = bot if self._known else max(self.bots, key=lambda own: min(self._suffered[own], self._caused[own]))
            to, back = self._flows_of(third, to=True), self._flows_of(third, to=False)
            self._known[third] = (to, back)
            best = max(best, min(to[bot], back[other]))
        return best

    def _flows_of(self, third: int, *, to: bool) -> dict[int, int]:
        """The flows from all bots to one, or from it to all of them, not counted beyond ENOUGH.

        No group with fewer upsets than k divides the third bot from those whose flow is k or more. So a flow of k to
        any of them counts, and is soon found.
        """
        found = {third: ENOUGH}
        for own in self.bots:
            if own != third:
                most = self._most(own, third) if to else self._most(third, own)
                alike = [bot for bot, flow in found.items() if flow >= most]
                found[own] = self._flow([own], alike, most) if to else self._flow(alike, [own], most)
        return found

    def _flow(self, sources: Sequence[int], sinks: Sequence[int], most: int) -> int:
        """The maximum flow from some bots to others, or `most` if it is more."""
        left = self._capacity
        flow = 0
        taken: list[tuple[_Node, _Node, int]] = []
        while flow < most and (path := _path(left, sources, sinks)):
            amount = min(most - flow, *(left[start][end] for start, end in path))
            for start, end in path:
                left[start][end] -= amount
                left[end][start] += amount
                taken.append((start, end, amount))
            flow += amount
        for start, end, amount in taken:
            left[start][end] += amount
            left[end][start] -= amount
        return flow

    def _connect(self, start: "_Node", end: "_Node", capacity: int) -> None:
        self._capacity[start][end] = self._capacity[start].get(end, 0) + capacity
        self._capacity[end].setdefault(start, 0)

    def _root(self, bot: int) -> int:
        while self._component[bot] != bot:
            self._component[bot] = self._component[self._component[bot]]
            bot = self._component[bot]
        return bot


_Node = int | tuple[frozenset[int], int]
"""A bot, or the bots that one came ahead of in a deal, with that one."""


_Capacities = dict[_Node, dict[_Node, int]]


def _path(left: _Capacities, sources: Sequence[_Node], sinks: Sequence[_Node]) -> list[tuple[_Node, _Node]]:
    """The steps of a path with capacity left, in any order; empty if there is none. Searched from both ends by breadth:
    of many bots that sees only few."""
    before, ahead = {node: node for node in sources}, list(sources)
    after, back = {node: node for node in sinks}, list(sinks)
    while ahead and back:
        if len(ahead) <= len(back):
            reached, ahead = ahead, []
            for node in reached:
                for other, capacity in left[node].items():
                    if capacity and other not in before:
                        before[other] = node
                        if other in after:
                            return [*_steps(before, other), *((end, start) for start, end in _steps(after, other))]
                        ahead.append(other)
        else:
            reached, back = back, []
            for node in reached:
                for other in left[node]:
                    if other not in after and left[other][node]:
                        after[other] = node
                        if other in before:
                            return [*_steps(before, other), *((end, start) for start, end in _steps(after, other))]
                        back.append(other)
    return []


def _steps(towards: Mapping[_Node, _Node], node: _Node) -> Iterator[tuple[_Node, _Node]]:
    """From a node back to that from which it was reached, the last one first."""
    while (other := towards[node]) != node:
        yield other, node
        node = other


@cache
def _fewest_expected(upsets: int, least: int, rare: float, missed: float) -> float:
    """The fewest upsets to be expected at which so many, or more, are no less likely than `missed` among those cases in
    which there are at least `least`, and these no less likely than `rare`."""
    return max(
        _root_of(lambda mean: _tail(upsets, mean) / _tail(least, mean) - missed, upsets),
        _root_of(lambda mean: _tail(least, mean) - rare, least),
    )


def _tail(least: int, mean: float) -> float:
    """The probability that a Poisson variable is at least so large."""
    term = math.exp(-mean + least * math.log(mean) - math.lgamma(least + 1))
    total, count = term, least
    while term > total * 1e-12:
        count += 1
        term *= mean / count
        total += term
    return total


def _root_of(function: Callable[[float], float], high: float) -> float:
    """Where an increasing function is 0, between 0 and `high`, by bisection; about 0 if it is positive there."""
    low = 1e-6
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return high
