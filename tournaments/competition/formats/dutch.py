"""The FIDE Dutch system (FIDE Handbook C.04.3, in force from 1 February 2026): who meets whom, by `dutch_engine`, and
with which colours, by the rule of the Handbook."""

from collections.abc import Sequence
from itertools import combinations
from math import lcm
from typing import Final

from msgspec import Struct

from tournaments.competition.formats.dutch_engine import pair_brackets
from tournaments.competition.formats.dutch_field import OTHER, Colour, Player, preference
from tournaments.competition.formats.matching import FREE, Matching
from tournaments.competition.rounds import Points

DUTCH: Final = "dutch/brackets/1"
"""The id of the algorithm: its last number is the version of what `dutch_engine` and this module pair."""


class Pairing(Struct, frozen=True):
    """Pairs of pairing numbers, white first, the first board first; and the player with the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


def pair_round(players: Sequence[Player], round_number: int, rounds: int, initial_colour: Colour) -> Pairing:
    """The pairing of a round.

    Where no pairing is legal, it is one with the fewest repeated meetings. No pairing has two byes, or a second bye for
    a player while others have had none.
    """
    no_bye = _no_bye(players)
    found = pair_brackets(players, no_bye, round_number, rounds)
    pairs, left = found or fewest_repeats(players, no_bye)
    by_number = {player.number: player for player in players}
    boards = [allocate_colours(by_number[a], by_number[b], initial_colour) for a, b in pairs]
    boards.sort(key=_board_order)
    return Pairing(tuple((white.number, black.number) for white, black in boards), left[0] if left else None)


def _no_bye(players: Sequence[Player]) -> frozenset[int]:
    """The players who must not have the bye. The first of these that leaves a player:

    1. those who had one, won by forfeit or had a full point at their request (C2),
    2. those who had one,
    3. those who had more than others.
    """
    for with_wins in (True, False):
        counts = {player.number: player.byes + player.unplayed_wins * with_wins for player in players}
        if min(counts.values()) == 0:
            break
    return frozenset(number for number, count in counts.items() if count > min(counts.values()))


def fewest_repeats(players: Sequence[Player], no_bye: frozenset[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """A pairing with the fewest repeated meetings; then with the fewest pairs whose absolute colour preferences
    collide, then between the nearest scores. The bye goes to the lowest score that the first of these allow."""
    scale = lcm(*(player.score.denominator for player in players))
    scores = {player.number: int(player.score * scale) for player in players}
    clash_cost = (max(scores.values()) - min(scores.values())) ** 2 * len(players) + 1
    repeat_cost = clash_cost * (len(players) + 1)
    costs = {}
    for a, b in combinations(players, 2):
        clash = preference(a)[0] == 3 and preference(a) == preference(b)
        costs[a.number, b.number] = (
            a.opponents.count(b.number) * repeat_cost + clash * clash_cost + (scores[a.number] - scores[b.number]) ** 2
        )
    if len(players) % 2:
        lowest = min(scores.values())
        costs |= {(number, 0): (scores[number] - lowest) ** 2 for number in scores if number not in no_bye}
    highest = max(costs.values())
    # A matching of as many as possible, and then of the lowest cost.
    numbers = sorted({number for pair in costs for number in pair})
    place = {number: at for at, number in enumerate(numbers)}
    more_pairs = sum(sorted(highest - cost for cost in costs.values())[-len(numbers) // 2 :]) + 1
    rows = [[0] * len(numbers) for _ in numbers]
    for (one, two), cost in costs.items():
        rows[place[one]][place[two]] = rows[place[two]][place[one]] = highest - cost + more_pairs
    mates = Matching(rows).solve()
    matching = [(numbers[at], numbers[mate]) for at, mate in enumerate(mates) if FREE != mate > at]
    return [(a, b) for a, b in matching if a], [b for a, b in matching if not a]


def allocate_colours(a: Player, b: Player, initial: Colour) -> tuple[Player, Player]:
    """White and black, by C.04.3, 5.2: in turn, the first rule that decides."""
    high, low = (a, b) if (-a.score, a.number) < (-b.score, b.number) else (b, a)
    return (high, low) if _colour_of_higher(high, low, initial) == "white" else (low, high)


def _colour_of_higher(high: Player, low: Player, initial: Colour) -> Colour:
    (strength, wish), (low_strength, low_wish) = preference(high), preference(low)
    if wish is None and low_wish is None:
        return initial if high.number % 2 else OTHER[initial]
    if wish is None or low_wish is None or wish != low_wish:  # 5.2.1: both are granted
        return wish or OTHER[low_wish]  # type: ignore[index]
    if strength == low_strength == 3:  # 5.2.2: the wider difference, where both are absolute
        strength, low_strength = _difference(high), _difference(low)
    if strength != low_strength:  # 5.2.2: the stronger one
        return wish if strength > low_strength else OTHER[wish]
    for mine, other in zip(reversed(high.colours), reversed(low.colours), strict=False):
        if mine != other:  # 5.2.3: the opposite of when one last had white and the other black
            return OTHER[mine]
    return wish  # 5.2.4


def _difference(player: Player) -> int:
    return abs(player.colours.count("white") - player.colours.count("black"))


def _board_order(board: tuple[Player, Player]) -> tuple[Points, Points, int]:
    """The order in which pairings are published: by the score of the higher ranked, of the lower, and by rank."""
    high, low = sorted(board, key=lambda player: (-player.score, player.number))
    return -high.score, -low.score, high.number
