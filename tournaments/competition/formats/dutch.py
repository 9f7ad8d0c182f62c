"""The FIDE Dutch system (FIDE Handbook C.04.3, in force from 1 February 2026), with a replaceable engine.

The engine is our own, `dutch_engine`. Tournaments that were begun with caissify-pairings are paired and verified by it
to their end. Colours are allocated here for both, by the rule of the Handbook.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import lcm
from typing import Final, Protocol

from msgspec import Struct

from tournaments.competition.formats.dutch_engine import pair_brackets
from tournaments.competition.formats.dutch_player import OTHER, Colour, Player, preference
from tournaments.competition.formats.matching import FREE, Matching
from tournaments.competition.rounds import Points


class Pairing(Struct, frozen=True):
    """Pairs of pairing numbers, white first, the first board first; and the player with the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


class PairingEngine(Protocol):
    """An engine for the Dutch system. Where no legal pairing is left it may answer nonsense: answers are checked."""

    def __call__(
        self, players: Sequence[Player], no_bye: frozenset[int], round_number: int, rounds: int
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Pairs of numbers in any order, and the number left over, which must not be one of `no_bye`."""
        ...


def caissify(
    players: Sequence[Player], no_bye: frozenset[int], round_number: int, rounds: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """The pairs that caissify-pairings makes."""
    # Imported only when rounds are paired: it and networkx take 0.13 s, a third of the start of every other command
    # and worker.
    from caissify_pairings import generate_pairings  # noqa: PLC0415

    # Where it finds no legal pairing it only logs that; the caller checks the answer itself.
    logging.getLogger("caissify_pairings").setLevel(logging.CRITICAL)
    answer = generate_pairings(
        system="dutch",
        players=[
            {
                "id": player.number,
                "name": str(player.number),
                # Equal fractions are equal as floats, and the engine only compares them.
                "score": float(player.score),
                "rating": 0,
                "starting_number": player.number,
                "pairing_number": player.number,
                "color_hist": list(player.colours),
                "float_history": list(player.floats) or ["none"],  # it warns about empty ones
                "bye_count": int(player.number in no_bye),
            }
            for player in players
        ],
        previous_pairings={
            (player.number, other) for player in players for other in player.opponents if player.number < other
        },
        round_number=round_number,
        total_rounds=rounds,
    )
    pairs = [(row["white_id"], row["black_id"]) for row in answer if row["black_id"] is not None]
    return pairs, [row["white_id"] for row in answer if row["black_id"] is None]


BRACKETS: Final = "dutch/brackets/1"
"""The last number is the version of `dutch_engine` and of this module: of what they pair."""
CAISSIFY: Final = "dutch/caissify-pairings 0.5.0/networkx 3.6.1/1"
"""The last number is the version of this module: of how it uses the answers of the engine."""
ENGINES: Final[dict[str, PairingEngine]] = {BRACKETS: pair_brackets, CAISSIFY: caissify}
"""By the id in manifests; the first one pairs new tournaments."""


def dutch_seconds(players: int, engine: str) -> float:
    """An upper estimate of the time to pair a round with one of these engines, from measurements (`make simulate
    ARGS="--pairings 1"`)."""
    return 2.7 * (players / 100) ** 3.5 if engine == CAISSIFY else 6 * (players / 1000) ** 2


def pair_round(
    players: Sequence[Player],
    round_number: int,
    rounds: int,
    initial_colour: Colour,
    engine: PairingEngine = pair_brackets,
) -> Pairing:
    """The pairing of a round.

    An answer of the engine that is not legal is replaced by a pairing with the fewest repeated meetings. No answer has
    two byes, or a second bye for a player while others have had none.
    """
    no_bye = _no_bye(players)
    pairs, left = engine(players, no_bye, round_number, rounds) if len(players) > 1 else ([], [players[0].number])
    if not is_legal(players, no_bye, pairs, left):
        pairs, left = fewest_repeats(players, no_bye, networkx_matching if engine is caissify else heaviest_matching)
    by_number = {player.number: player for player in players}
    boards = [allocate_colours(by_number[a], by_number[b], initial_colour) for a, b in pairs]
    boards.sort(key=_board_order)
    return Pairing(tuple((white.number, black.number) for white, black in boards), left[0] if left else None)


def _no_bye(players: Sequence[Player]) -> frozenset[int]:
    """The players who must not have the bye. The first of these that leaves a player:

    1. those who had one or won by forfeit (C2),
    2. those who had one,
    3. those who had more than others.
    """
    for with_wins in (True, False):
        counts = {player.number: player.byes + player.forfeit_wins * with_wins for player in players}
        if min(counts.values()) == 0:
            break
    return frozenset(number for number, count in counts.items() if count > min(counts.values()))


def is_legal(
    players: Sequence[Player], no_bye: frozenset[int], pairs: Sequence[tuple[int, int]], left: Sequence[int]
) -> bool:
    """Whether every player occurs once, only an odd player has a bye, which is not one of `no_bye`, and nobody meets
    twice."""
    numbers = sorted([number for pair in pairs for number in pair] + list(left))
    opponents = {player.number: player.opponents for player in players}
    return (
        numbers == sorted(opponents)
        and len(left) == len(players) % 2
        and no_bye.isdisjoint(left)
        and all(b not in opponents[a] for a, b in pairs)
    )


Edges = dict[tuple[int, int], int]
"""Weights of pairs of numbers."""


def networkx_matching(edges: Edges) -> Iterable[tuple[int, int]]:
    """A matching of as many as possible, and then of maximum weight, as rounds of caissify-pairings were repaired."""
    import networkx  # noqa: PLC0415 (0.13 s, as above)

    graph = networkx.Graph()
    graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in edges.items())
    found: Iterable[tuple[int, int]] = networkx.max_weight_matching(graph, maxcardinality=True)
    return found


def heaviest_matching(edges: Edges) -> Iterable[tuple[int, int]]:
    """Such a matching."""
    numbers = sorted({number for pair in edges for number in pair})
    place = {number: at for at, number in enumerate(numbers)}
    more_pairs = sum(sorted(edges.values())[-len(numbers) // 2 :]) + 1
    rows = [[0] * len(numbers) for _ in numbers]
    for (a, b), weight in edges.items():
        rows[place[a]][place[b]] = rows[place[b]][place[a]] = weight + more_pairs
    mates = Matching(rows).solve()
    return [(numbers[at], numbers[mate]) for at, mate in enumerate(mates) if FREE != mate > at]


def fewest_repeats(
    players: Sequence[Player],
    no_bye: frozenset[int],
    match: Callable[[Edges], Iterable[tuple[int, int]]] = heaviest_matching,
) -> tuple[list[tuple[int, int]], list[int]]:
    """A pairing with the fewest repeated meetings; then with the fewest pairs whose absolute colour preferences
    collide, then between the nearest scores. The bye goes to the lowest score that the first of these allow."""
    scale = lcm(*(player.score.denominator for player in players))
    scores = {player.number: int(player.score * scale) for player in players}
    most = (max(scores.values()) - min(scores.values())) ** 2 * len(players) + 1
    clash_cost = most
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
    found = match({pair: highest - cost for pair, cost in costs.items()})
    matching = sorted((min(pair), max(pair)) for pair in found)
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
