"""The players of a round of the FIDE Dutch system, and who may meet whom by the absolute criteria (C1 to C4)."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from tournaments.competition.formats.matching import FREE, Matching
from tournaments.competition.rounds import Points

Colour = Literal["white", "black"]
Float = Literal["up", "down", "none"]

OTHER: Final[dict[Colour, Colour]] = {"white": "black", "black": "white"}
ABSOLUTE: Final = 3
NO_GROUP: Final = -1


class Player(Struct, frozen=True, kw_only=True):
    """A player to be paired, as the system sees it."""

    number: int
    """The pairing number, from 1: lower ones rank higher among equal scores."""
    score: Points
    colours: tuple[Colour, ...] = ()
    """In the games that were played, in their order."""
    floats: tuple[Float, ...] = ()
    """By round; 1.4 of the rules. Down also for points without a game."""
    opponents: tuple[int, ...] = ()
    """The numbers of its opponents, once per meeting."""
    byes: int = 0
    """Pairing-allocated byes."""
    unplayed_wins: int = 0
    """Other rounds in which it had as many points as for a win without playing: forfeits, full-point byes."""


def preference(player: Player) -> tuple[int, Colour | None]:
    """The strength of its colour preference, from 0 to 3 (absolute), and the colour (C.04.3, 1.7)."""
    colours = player.colours
    if not colours:
        return 0, None
    more_white = colours.count("white") - colours.count("black")
    rarer: Colour = "black" if more_white > 0 else "white"
    if abs(more_white) > 1:
        return 3, rarer
    if len(colours) > 1 and colours[-1] == colours[-2]:
        return 3, OTHER[colours[-1]]
    return (2, rarer) if more_white else (1, OTHER[colours[-1]])


class Profile(Struct, frozen=True):
    """What the criteria know of a player, besides whom it has met."""

    group: int
    """The place of its score among the scores, from 0 for the lowest."""
    top: bool
    """Whether it is a topscorer (1.8), who may get a colour against an absolute preference."""
    strength: int
    wish: Colour | None
    difference: int
    repeated: Colour | None
    """The colour of its last two games, if it had the same in both."""
    floats: tuple[Float, Float]
    """In the last round, and in the one before."""
    bye: bool
    """Whether it may have the bye."""
    played: int


Kind = tuple[Profile, int]
"""What the weights of a player's edges depend on, besides whom it has met: its profile and its zone of a bracket."""
Weigh = Callable[[Kind, Kind], int]
"""The weight of an edge between a player and one with at most as many points."""


class Field:
    """All players of a round, as their indices in the order of rank: by score, then by number."""

    def __init__(self, ranked: Sequence[Player], no_bye: frozenset[int], round_number: int, rounds: int) -> None:
        self.size = len(ranked)
        self.rounds_played = round_number - 1
        places = {score: place for place, score in enumerate(sorted({player.score for player in ranked}))}
        half = Points(self.rounds_played, 2)
        self.profiles = [
            _profile(player, places[player.score], round_number >= rounds and player.score > half, no_bye)
            for player in ranked
        ]
        index = {player.number: at for at, player in enumerate(ranked)}
        self.met = [{index[other] for other in player.opponents if other in index} for player in ranked]
        self.bye_group = NO_GROUP
        """The group of the player who gets the bye."""
        self._allowed: dict[tuple[Profile, Profile], bool] = {}

    def groups(self) -> list[list[int]]:
        """The players by score, the highest first."""
        groups: list[list[int]] = []
        for player, profile in enumerate(self.profiles):
            if not groups or self.profiles[groups[-1][0]].group != profile.group:
                groups.append([])
            groups[-1].append(player)
        return groups

    def bye_is_known(self) -> bool:
        """Find the lowest score that the bye can go to (C5). False if no pairing fulfils C1 to C4."""
        if self.size % 2 == 0:
            return self.completion(range(self.size)) is not None
        for group in sorted({profile.group for profile in self.profiles if profile.bye}):
            self.bye_group = group
            if self.completion(range(self.size)) is not None:
                return True
        return False

    def completion(self, players: Sequence[int]) -> dict[int, int] | None:
        """Some pairing of these by the absolute criteria, by player, with itself for the bye. None without one."""
        members = list(players)
        odd = len(members) % 2 == 1
        rows = self.rows(members, lambda a, b: 1)
        if odd:
            profiles = [self.profiles[player] for player in members]
            byes = [int(profile.bye and profile.group <= self.bye_group) for profile in profiles]
            for row, bye in zip(rows, byes, strict=True):
                row.append(bye)
            rows.append([*byes, 0])
        mates = Matching(rows).solve()
        if FREE in mates:
            return None
        return {
            player: members[mate] if mate < len(members) else player
            for player, mate in zip(members, mates, strict=False)
        }

    def rows(self, members: Sequence[int], weigh: Weigh, zones: Sequence[int] = ()) -> list[list[int]]:
        """The symmetric matrix of weights of these players' edges, 0 where the absolute criteria exclude a pair.

        `weigh` is asked once for each pair of kinds: profiles, and zones if there are any.
        """
        kinds = [
            (self.profiles[player], zone) for player, zone in zip(members, zones or [0] * len(members), strict=True)
        ]
        place = {player: at for at, player in enumerate(members)}
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        of = [numbers[kind] for kind in kinds]
        templates = []
        for kind in numbers:
            weights = [
                (weigh(kind, other) if kind[0].group >= other[0].group else weigh(other, kind))
                if self._allows(kind[0], other[0])
                else 0
                for other in numbers
            ]
            templates.append([weights[number] for number in of])
        rows = []
        for at, player in enumerate(members):
            row = list(templates[of[at]])
            row[at] = 0
            for other in self.met[player]:
                if other in place:
                    row[place[other]] = 0
            rows.append(row)
        return rows

    def _allows(self, a: Profile, b: Profile) -> bool:
        """C3: no two with the same absolute preference, unless one is a topscorer."""
        return not (a.strength == b.strength == ABSOLUTE and a.wish == b.wish) or a.top or b.top


def _profile(player: Player, group: int, top: bool, no_bye: frozenset[int]) -> Profile:
    strength, wish = preference(player)
    colours = player.colours
    no_float: Float = "none"
    last, before, *_ = (*reversed(player.floats[-2:]), no_float, no_float)
    return Profile(
        group=group,
        top=top,
        strength=strength,
        wish=wish,
        difference=abs(colours.count("white") - colours.count("black")),
        repeated=colours[-1] if len(colours) > 1 and colours[-1] == colours[-2] else None,
        floats=(last, before),
        bye=player.number not in no_bye,
        played=len(colours),
    )
