"""The pairs of a round of the FIDE Dutch system, bracket by bracket (FIDE Handbook C.04.3, in force since 2026).

In each bracket the criteria C6 to C21 are one integer per edge of a graph, a group of bits for each, so that the
pairings that fulfil them best are the matchings of maximum weight. Among these the order of the articles 3 and 4
decides, one player after the other: the lowest bits of the player's edges prefer what comes first in that order.
bbpPairings 6 works in this way too, and this module pairs as it does.

The graph holds the players of the bracket and of the next score group (C8). Whether everybody else can still be paired
(C4, C5) is looked at afterwards; only where they can't, the bracket is paired again with all players in the graph.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tournaments.competition.formats.dutch_field import ABSOLUTE, Field, Kind, Player, Profile
from tournaments.competition.formats.matching import FREE, Matching

STRONG: Final = 2
MOVED: Final = 0
GROUP: Final = 1
FOLLOWING: Final = 2
BELOW: Final = 3

Pairs = list[tuple[int, int]]


def pair_brackets(
    players: Sequence[Player], no_bye: frozenset[int], round_number: int, rounds: int
) -> tuple[Pairs, list[int]] | None:
    """Pairs of numbers, and the number left over, which is not one of `no_bye`; None if no pairing is legal."""
    ranked = sorted(players, key=lambda player: (-player.score, player.number))
    field = Field(ranked, no_bye, round_number, rounds)
    if not field.bye_is_known():
        return None
    pairs, left = _brackets(field)
    return [(ranked[a].number, ranked[b].number) for a, b in pairs], [ranked[player].number for player in left]


def _brackets(field: Field) -> tuple[Pairs, list[int]]:
    groups = field.groups()
    pairs: Pairs = []
    moved: list[int] = []
    alone = _top_group_has_bye(field, groups)
    for at, group in enumerate(groups):
        following = groups[at + 1] if at + 1 < len(groups) else []
        below = [player for later in groups[at + 2 :] for player in later]
        if len(moved) + len(group) == 1 and not following:
            return pairs, moved + group
        found, mates = _pair_bracket(field, _Zones(moved, group, following, below), alone)
        pairs += found
        paired = {player for pair in found for player in pair}
        moved = [player for player in moved + group if player not in paired]
        if following:
            lowest = field.profiles[following[0]].group
            alone = field.bye_group >= lowest and all(
                field.profiles[mates[player]].group >= lowest for player in moved + following
            )
    return pairs, moved


def _top_group_has_bye(field: Field, groups: Sequence[Sequence[int]]) -> bool:
    """Whether the only player that the first bracket leaves over can be the one with the bye."""
    top = field.profiles[0].group
    if field.bye_group < top:
        return False
    everybody = [player for group in groups for player in group]
    bits = field.size.bit_length() + 1

    def weigh(high: Kind, low: Kind) -> int:
        byes = sum(not profile.bye or profile.group > field.bye_group for profile, _ in (high, low))
        return (1 + byes) << bits | (low[0].group == top)

    mates = Matching(field.rows(everybody, weigh)).solve()
    return all(mates[player] == FREE or mates[player] < len(groups[0]) for player in groups[0])


class _Zones(NamedTuple):
    """The players from a bracket on: those moved down to it, its score group, the next group, and all further below."""

    moved: Sequence[int]
    group: Sequence[int]
    following: Sequence[int]
    below: Sequence[int]


def _pair_bracket(field: Field, players: _Zones, alone: bool) -> tuple[Pairs, dict[int, int]]:
    """The pairs of a bracket; and with whom each player is matched in a pairing of all that it allows, see
    `Field.completion`."""
    if players.below:
        pairs, mates = _Bracket(field, players._replace(below=()), alone, complete=False).pair()
        rest = field.completion([player for player, mate in mates.items() if player == mate] + list(players.below))
        if rest is not None:
            return pairs, mates | rest
    return _Bracket(field, players, alone, complete=True).pair()


class _Bracket:
    """A bracket: players moved down to it, and its score group, and with them the next group, and perhaps the rest.

    Players are their places in the graph. The lowest bits of weights are left for the order of pairings that fulfil the
    criteria equally well: from the lowest, a place, a bit to try something, and two places and a bit for exchanges.
    """

    def __init__(self, field: Field, players: _Zones, alone: bool, *, complete: bool) -> None:
        """`complete`: whether the graph has all players, so that all but one must be matched."""
        self._field = field
        self._members = [player for zone in players for player in zone]
        self._first = len(players.moved)
        self._end = self._first + len(players.group)
        """The place of the first one after the bracket."""
        self._below = self._end + len(players.following)
        self._bits = len(self._members).bit_length() + 1
        self._trial = 1 << self._bits
        criteria = _Criteria(field, players, alone, complete=complete)
        zones = [zone for zone, own in zip((MOVED, GROUP, FOLLOWING, BELOW), players, strict=True) for _ in own]
        self._base = [
            [weight << 4 * self._bits + 4 for weight in row] for row in field.rows(self._members, criteria.weigh, zones)
        ]
        odd = len(self._members) % 2
        if odd:
            self._add_nobody()
        self._graph = Matching(self._base, (*map(len, players), odd))
        self._mates = self._graph.solve()

    def _add_nobody(self) -> None:
        """Give the graph a vertex whose edges all weigh the same: one of an odd number of players is matched with it.

        That changes no choice. But without it an odd number of players is one large blossom, which each further search
        would have to build again.
        """
        weight = 2 * max(map(max, self._base))
        for row in self._base:
            row.append(weight)
        self._base.append([weight] * len(self._members) + [0])

    def pair(self) -> tuple[Pairs, dict[int, int]]:
        """The pairs, and whom all players of the graph are matched with, themselves for nobody."""
        found = self._pair_moved(self._choose_moved())
        fixed = {place for pair in found for place in pair}
        found += self._pair_rest([place for place in range(self._first, self._end) if place not in fixed])
        members = self._members
        mates = {
            player: members[mate] if FREE < mate < len(members) else player
            for player, mate in zip(members, self._mates, strict=False)
        }
        return [(members[a], members[b]) for a, b in found], mates

    def _change(self, place: int, others: Iterable[int], add: int, *, in_order: bool = False) -> None:
        """Add to the base weights of a player's edges, with `in_order` more to those to higher ranked ones, and match
        again."""
        row = self._base[place]
        self._graph.change(
            place,
            [(other, row[other] + add + (self._end - other) * in_order) for other in others if row[other]],
        )
        self._graph.solve()

    def _in_group(self, place: int) -> bool:
        return self._first <= self._mates[place] < self._end

    def _choose_moved(self) -> list[int]:
        """The players moved down who are paired in this bracket: where not all can be, higher ranked ones before."""
        chosen: list[int] = []
        scores = [self._field.profiles[player].group for player in self._members[: self._first]]
        group = range(self._first, self._end)
        waiting = wanted = 0
        for place, score in enumerate(scores):
            if place == 0 or score != scores[place - 1]:
                waiting = scores.count(score)
                wanted = sum(self._in_group(other) for other in range(place, place + waiting))
            if not wanted:
                continue
            if waiting <= wanted:
                chosen.append(place)
                continue
            waiting -= 1
            if not self._in_group(place):
                self._change(place, group, 1)
            if self._in_group(place):
                chosen.append(place)
                wanted -= 1
                self._change(place, group, self._trial)
        return chosen

    def _pair_moved(self, chosen: Sequence[int]) -> Pairs:
        """Their opponents, for one after the other the highest ranked that is possible."""
        found: Pairs = []
        free = list(range(self._first, self._end))
        for place in chosen:
            self._change(place, free, 2 * self._trial, in_order=True)
            free.remove(self._fix(place, found))
        self._graph.solve()
        return found

    def _fix(self, place: int, found: Pairs) -> int:
        """Keep a pair for good. The other one."""
        mate = self._mates[place]
        self._graph.fix(place, mate)
        found.append((place, mate))
        return mate

    def _pair_rest(self, rest: Sequence[int]) -> Pairs:
        """The pairs of the group, without those who play the ones moved down."""
        size = sum(map(self._is_upper, rest))
        if not size:
            return []
        # Fewest exchanges between the halves, then the least difference between those exchanged: an edge counts if its
        # higher ranked player is in the upper half, and less the lower that player is ranked.
        order = [((at < size) << 2 * self._bits) - at << self._bits + 1 for at in range(len(rest))]
        self._graph.change_all(
            (place, other, self._base[place][other] + bonus)
            for at, (place, bonus) in enumerate(zip(rest, order, strict=True))
            for other in rest[at + 1 :]
            if self._base[place][other]
        )
        self._graph.solve()
        upper = self._exchange(rest, size, order)
        lower = [place for place in rest if place not in upper]
        for at, place in enumerate(rest):
            later = rest[at + 1 :]
            self._cut(place, [other for other in later if other in upper] if place in upper else later)
        found: Pairs = []
        for place, bonus in zip(rest, order, strict=True):
            if place in upper:
                self._change(place, [other for other in lower if other > place], bonus, in_order=True)
                lower.remove(self._fix(place, found))
        self._graph.solve()
        return found

    def _is_upper(self, place: int) -> bool:
        """Whether it is the higher ranked one of a pair of the group."""
        return place < self._mates[place] < self._end

    def _cut(self, place: int, others: Sequence[int]) -> None:
        for other in others:
            self._base[place][other] = self._base[other][place] = 0
        self._graph.change(place, [(other, 0) for other in others])

    def _exchange(self, rest: Sequence[int], size: int, order: Sequence[int]) -> set[int]:
        """The higher ranked ones of the pairs of the group.

        As few as possible are not in its upper half: they change places with the lowest ranked of that half where
        that is possible, and among these are the highest ranked of the lower half.
        """
        exchanges = waiting = sum(not self._is_upper(place) for place in rest[:size])
        for at in range(size - 1, -1, -1):
            if not waiting:
                break
            place, later, bonus = rest[at], rest[at + 1 :], order[at]
            if self._is_upper(place):
                self._change(place, later, bonus - self._trial)
            if self._is_upper(place):
                self._change(place, later, bonus)
            else:
                waiting -= 1
                self._cut(place, later)
                self._graph.solve()
        waiting = exchanges
        for at in range(size, len(rest)):
            if waiting <= 1:
                break
            place, later, bonus = rest[at], rest[at + 1 :], order[at]
            if not self._is_upper(place):
                self._change(place, later, bonus + self._trial)
                exchanged = self._is_upper(place)
                self._change(place, later, bonus)
                # That may undo it: where several pairings are equal, the cut below decides.
            else:
                exchanged = True
            if exchanged:
                waiting -= 1
                self._cut(place, [*rest[:at], *range(self._end, self._below)])
                self._graph.solve()
        return {place for place in rest if self._is_upper(place)}


class _Criteria:
    """The weights of edges, by which a matching of maximum weight fulfils C5 to C21 best (article 2)."""

    def __init__(self, field: Field, players: _Zones, alone: bool, *, complete: bool) -> None:
        self._field = field
        self._complete = complete
        graded = [*players.moved, *players.group, *players.following]
        self._bits = len(graded).bit_length()
        self._group_bits = 0
        self._shifts: dict[int, int] = {}
        profiles = [field.profiles[player] for player in graded]
        for score in sorted({profile.group for profile in profiles}):
            self._shifts[score] = self._group_bits
            self._group_bits += sum(profile.group == score for profile in profiles).bit_length()
        self._played: dict[int, int] = {}
        if alone:
            # The one with the bye has played the most games (C9), so the others have to be paired first.
            games = sorted((p.played for p in field.profiles if p.group == field.bye_group), reverse=True)
            self._played = {played: rank for rank, played in enumerate(games)}

    def weigh(self, high_kind: Kind, low_kind: Kind) -> int:
        """The weight of an edge of which the second player has at most as many points, and whose zone is later."""
        (high, high_zone), (low, low_zone) = high_kind, low_kind
        if high_zone == low_zone == MOVED:
            return 0  # they would have been paired in the bracket before
        here, next_one = low_zone == GROUP, low_zone == FOLLOWING
        bits, group_bits = self._bits, self._group_bits
        high_score = 1 << self._shifts[high.group] if here or next_one else 0
        weight = 0
        if self._complete:  # C4, C5
            weight = 1
            if self._field.size % 2:
                weight += sum(not profile.bye or profile.group > self._field.bye_group for profile in (high, low))
        weight = weight << bits | here  # C6
        weight = weight << group_bits | here * high_score  # C7
        weight = weight << bits | next_one  # C8
        weight = weight << group_bits | next_one * high_score
        if self._played:  # C9
            weight <<= 2 * self._field.size.bit_length()
            weight += sum(
                self._played[profile.played] for profile in (high, low) if profile.group == self._field.bye_group
            )
        for fulfilled in _colours(high, low):  # C10 to C13
            weight = weight << bits | (here and fulfilled)
        downfloats, upfloats = [], []
        for back in range(min(self._field.rounds_played, 2)):
            downfloats.append((low.floats[back] == "down", high.floats[back] == "down"))
            upfloats.append(high.group > low.group and low.floats[back] == "up")
        for (low_down, high_down), up in zip(downfloats, upfloats, strict=True):  # C14 to C17
            weight <<= bits + 1
            if here:
                weight += low_down + (high_down and high.group == low.group)
            weight = weight << bits | (here and not up)
        for (low_down, high_down), up in zip(downfloats, upfloats, strict=True):  # C18 to C21
            weight <<= group_bits
            if here:
                weight += (low_down << self._shifts[low.group]) + (high_down << self._shifts[high.group])
            weight <<= group_bits
            if here and not up:
                weight += high_score
        return weight


def _colours(a: Profile, b: Profile) -> tuple[bool, bool, bool, bool]:
    """Whether a pair fulfils C10 to C13."""
    clash = a.wish is not None and a.wish == b.wish
    absolute = clash and a.strength == b.strength == ABSOLUTE
    if absolute and a.difference == b.difference:
        third = a.repeated is not None and a.repeated == b.repeated
    else:
        yielding = b if a.difference > b.difference else a
        third = absolute and yielding.repeated is not None and yielding.repeated != yielding.wish
    strong = a.strength >= STRONG and b.strength >= STRONG and not a.strength == b.strength == ABSOLUTE
    return not (absolute and a.difference > 1 and b.difference > 1), not third, not clash, not (strong and clash)
