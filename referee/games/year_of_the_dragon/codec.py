"""Actions as indices and observations as bytes, for learners.

Palaces are numbered by their position among those of their player, not by id, so that a position means the same after
a palace was lost. What a flood takes is numbered by rice and fireworks; the yuan follow.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Final

from msgspec import UNSET

from referee.games.codec import HIGHEST, Codec, Feature
from referee.games.interface import Action
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.game import DECISIONS, YearOfTheDragon
from referee.games.year_of_the_dragon.setup import PAIRS
from referee.games.year_of_the_dragon.state import Player, Task
from referee.games.year_of_the_dragon.view import Observation

POSITIONS: Final = 14
"""Palaces of a player that have indices. In play more than six are rare."""
RICE, FIREWORKS = 28, 27
"""The numbers of each that a flood can take by an index: 0 to one less."""
PERSON_KINDS: Final = tuple(tiles.TILES)
TYPES: Final = tuple(tiles.FACTS)
PERSON_CARDS: Final = tuple(dict.fromkeys(tiles.HAND))
GROUP_CARDS: Final = (*tiles.ACTION_CARDS, "build_wall")
USES: Final = (
    *((card, "") for card in tiles.CARD_SYMBOLS),
    *(("privilege", size) for size in tiles.PRIVILEGE_DRAGONS),
    *(("build_wall", tile) for tile in tiles.WALL_TILES),
)
"""What an action card can be used for: the card, and the size of the privilege or the wall tile."""
PLAYS: Final = (
    *((kind, person, age) for person, age in PERSON_KINDS for kind in (person, "wild")),
    *((card, "", "") for card in PERSON_CARDS),
)
"""A card that is played: its type, the person and the age, which are empty for a card that brings nobody."""

KIND_AT: Final = {kind: number for number, kind in enumerate(PERSON_KINDS)}
TYPE_AT: Final = {person: number for number, person in enumerate(TYPES)}
CARD_AT: Final = {card: number for number, card in enumerate(PERSON_CARDS)}
GROUP_CARD_AT: Final = {card: number for number, card in enumerate(GROUP_CARDS)}
USE_AT: Final[Mapping[tuple[Any, Any], int]] = {use: number for number, use in enumerate(USES)}
PLAY_AT: Final[Mapping[tuple[Any, Any, Any], int]] = {play: number for number, play in enumerate(PLAYS)}
PAIR_AT: Final = {pair.persons: number for number, pair in enumerate(PAIRS)}
DECISION_AT: Final = {decision.name: number for number, decision in enumerate(DECISIONS)}
EVENT_AT: Final = {event: number for number, event in enumerate(tiles.EVENT_TILES)}
SUPER_EVENT_AT: Final = {event: number for number, event in enumerate(tiles.SUPER_EVENTS)}
WALL_TILE_AT: Final = {tile: number for number, tile in enumerate(tiles.WALL_TILES)}


# -- the indices ---------------------------------------------------------------------------------------------

MEANINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "draft": tuple(f"draft {' '.join(pair.persons)}" for pair in PAIRS),
    "place_person": (
        "place_person refuse",
        *(
            f"place_person {position}{replaced}"
            for position in range(POSITIONS)
            for replaced in ("", *(f" replace {person} {age}" for person, age in PERSON_KINDS))
        ),
    ),
    "choose_action": (
        "choose_action replenish",
        *(f"choose_action {group} {card} {how}".rstrip() for group in range(tiles.MAX_PLAYERS) for card, how in USES),
    ),
    "build_floor": tuple(f"build_floor {position}" for position in range(POSITIONS)),
    "play_card": tuple(f"play_card {card} {person} {age}".rstrip() for card, person, age in PLAYS),
    "release_person": tuple(
        f"release_person {position} {person} {age}" for position in range(POSITIONS) for person, age in PERSON_KINDS
    ),
    "lose_floor": tuple(f"lose_floor {position}" for position in range(POSITIONS)),
    "give_back": tuple(
        f"give_back {rice} rice {fireworks} fireworks" for rice in range(RICE) for fireworks in range(FIREWORKS)
    ),
    "discard_card": tuple(f"discard_card {card}" for card in PERSON_CARDS),
    "take_person": tuple(f"take_person {person}" for person in TYPES),
    "choose_type": tuple(f"choose_type {person}" for person in TYPES),
}
"""What the indices of each decision mean, in order."""
check_complete(DECISION_AT, MEANINGS)
FIRST: Final = {decision: sum(map(len, list(MEANINGS.values())[:number])) for number, decision in enumerate(MEANINGS)}
"""The first index of each decision."""
OUTSIDE: Final = -(10**6)
"""Added to an index within a decision that doesn't exist."""

Positions = Mapping[int, int]
"""The position of each palace of the seat, by id."""


def _place(action: Any, positions: Positions) -> int:
    if action.palace is UNSET:
        return 0
    position = positions[action.palace]
    if position >= POSITIONS:
        return OUTSIDE
    of_palace = 1 + position * (1 + len(PERSON_KINDS))
    replaced = action.replace
    return of_palace if replaced is UNSET else of_palace + 1 + KIND_AT[replaced.person, replaced.age]


def _choice(action: Any, positions: Positions) -> int:
    if action.card is UNSET:
        return 0
    how = action.size if action.size is not UNSET else action.wall_tile if action.wall_tile is not UNSET else ""
    return 1 + int(action.group) * len(USES) + USE_AT[action.card, how]


def _build(action: Any, positions: Positions) -> int:
    position = positions.get(action.palace, len(positions))  # a new palace comes after the others
    return position if position < POSITIONS else OUTSIDE


def _play(action: Any, positions: Positions) -> int:
    return PLAY_AT[
        action.card, "" if action.person is UNSET else action.person, "" if action.age is UNSET else action.age
    ]


def _release(action: Any, positions: Positions) -> int:
    position = positions[action.palace]
    return position * len(PERSON_KINDS) + KIND_AT[action.person, action.age] if position < POSITIONS else OUTSIDE


def _give(action: Any, positions: Positions) -> int:
    inside = action.rice < RICE and action.fireworks < FIREWORKS
    return int(action.rice) * FIREWORKS + int(action.fireworks) if inside else OUTSIDE


WITHIN: Final[Mapping[str, Callable[[Any, Positions], int]]] = {
    "draft": lambda action, positions: PAIR_AT[action.persons],
    "place_person": _place,
    "choose_action": _choice,
    "build_floor": _build,
    "play_card": _play,
    "release_person": _release,
    "lose_floor": _build,
    "give_back": _give,
    "discard_card": lambda action, positions: CARD_AT[action.card],
    "take_person": lambda action, positions: TYPE_AT[action.person],
    "choose_type": lambda action, positions: TYPE_AT[action.person],
}
"""The index of an action among those of its decision."""
check_complete(DECISION_AT, WITHIN)

# -- the vectors ---------------------------------------------------------------------------------------------

PLAYER_NUMBERS: Final[tuple[tuple[str, int], ...]] = (
    ("score", 100),
    ("track", 60),
    ("yuan", 10),
    ("rice", 6),
    ("fireworks", 6),
    ("small privileges", 4),
    ("large privileges", 4),
    ("cards", 11),
    ("place in order", 5),
    ("palaces", 6),
    ("floors", 15),
    ("persons", 12),
)
"""Numbers of each player, and their scales."""


def _named(prefix: str, names: Sequence[str], scale: int = 1) -> Iterator[Feature]:
    return (Feature(f"{prefix} {name}", scale) for name in names)


class DragonCodec(Codec[Observation]):
    """Seats are counted from the observing one, in the direction of play at the table: 0 is itself."""

    game = YearOfTheDragon
    name = "positions"
    version = 1
    size: ClassVar[int] = sum(map(len, MEANINGS.values()))

    @classmethod
    def meanings(cls) -> Iterator[str]:
        return chain.from_iterable(MEANINGS.values())

    def indices(self, seen: Observation, legal: Sequence[Action]) -> list[int]:
        """See Codec. An action on a palace beyond POSITIONS, or with more rice or fireworks, has no index."""
        if not legal or seen.turn is None:
            return []
        decision = seen.turn.decision
        first, within = FIRST[decision], WITHIN[decision]
        positions = {palace.id: number for number, palace in enumerate(seen.players[seen.seat].palaces)}
        return [max(-1, first + within(action, positions)) for action in legal]

    def _list_features(self) -> Iterator[Feature]:
        players = range(self.config.players)
        kinds = [" ".join(kind) for kind in PERSON_KINDS]
        yield Feature("round", tiles.ROUNDS)
        yield Feature("first edition", 1)
        yield Feature("Great Wall", 1)
        yield Feature("tiles of the wall", tiles.WALL_LENGTH)
        yield from _named("on turn", [f"seat {seat}" for seat in players])
        yield from _named("decision", list(DECISION_AT))
        yield from _named("to be placed", kinds)
        yield Feature("decisions or pieces left", 5)
        yield from _named("only from palace", [str(position) for position in range(POSITIONS)])
        yield from _named("already hit", [str(position) for position in range(POSITIONS)])
        for ahead in range(tiles.ROUNDS):
            yield from _named(f"in {ahead} rounds", tiles.EVENT_TILES)
        yield from _named("super event", tiles.SUPER_EVENTS)
        for group in players:
            yield from _named(f"group {group}", GROUP_CARDS)
            yield Feature(f"group {group} taken", 1)
        yield from _named("display", kinds, 6)
        yield from _named("hand", PERSON_CARDS)
        for position in range(POSITIONS):
            yield Feature(f"palace {position} floors", tiles.MAX_FLOORS)
            yield from _named(f"palace {position}", kinds)
        for seat in players:
            yield from (Feature(f"seat {seat} {name}", scale) for name, scale in PLAYER_NUMBERS)
            yield from _named(f"seat {seat} lives", kinds, 2)
            yield from _named(f"seat {seat} has played", PERSON_CARDS)
            yield from _named(f"seat {seat} has discarded", PERSON_CARDS)
            yield from _named(f"seat {seat} wall tile", list(tiles.WALL_TILES))
            yield Feature(f"seat {seat} wall tiles built", len(tiles.WALL_TILES))

    def vector(self, seen: Observation) -> bytearray:
        vector = bytearray(self.length)
        players = self.config.players
        vector[0] = seen.round
        vector[1] = self.config.edition == "first"
        wall = () if seen.wall is UNSET else seen.wall
        vector[2] = seen.wall is not UNSET
        vector[3] = len(wall)
        own = seen.players[seen.seat]
        at = 4
        if seen.turn is not None:
            vector[at + (seen.turn.seat - seen.seat) % players] = 1
            self._write_turn(vector, at + players, seen.turn, own)
        at += players + len(DECISION_AT) + len(PERSON_KINDS) + 1 + 2 * POSITIONS
        ahead = at
        for event in seen.event_row[max(0, seen.round - 1) :]:
            vector[ahead + EVENT_AT[event]] = 1
            ahead += len(EVENT_AT)
        at += tiles.ROUNDS * len(EVENT_AT)
        if seen.super_event != "none":
            vector[at + SUPER_EVENT_AT[seen.super_event]] = 1
        at += len(SUPER_EVENT_AT)
        for group in seen.action_groups:
            for card in group.cards:
                vector[at + GROUP_CARD_AT[card]] = 1
            vector[at + len(GROUP_CARDS)] = len(group.taken_by)
            at += len(GROUP_CARDS) + 1
        at += (players - len(seen.action_groups)) * (len(GROUP_CARDS) + 1)
        for person, left in seen.display.young.items():
            vector[at + KIND_AT[person, "young"]] = left
        for person, left in seen.display.old.items():
            vector[at + KIND_AT[person, "old"]] = left
        at += len(PERSON_KINDS)
        for held in seen.hand:
            vector[at + CARD_AT[held]] += 1
        at += len(PERSON_CARDS)
        for position, palace in enumerate(own.palaces[:POSITIONS]):
            start = at + position * (1 + len(PERSON_KINDS))
            vector[start] = palace.floors
            for tile in palace.persons:
                vector[start + 1 + KIND_AT[tile.person, tile.age]] += 1
        at += POSITIONS * (1 + len(PERSON_KINDS))
        for number in range(players):
            player = seen.players[(seen.seat + number) % players]
            at = self._write_player(vector, at, player, seen.order.index(player.seat), wall)
        return vector

    def _write_turn(self, vector: bytearray, at: int, turn: Task, own: Player) -> None:
        vector[at + DECISION_AT[turn.decision]] = 1
        at += len(DECISION_AT)
        if turn.person is not UNSET and turn.age is not UNSET:
            vector[at + KIND_AT[turn.person, turn.age]] = 1
        at += len(PERSON_KINDS)
        if turn.left is not UNSET:
            vector[at] = min(turn.left, HIGHEST)
        if turn.seat != own.seat or (turn.palace is UNSET and turn.hit is UNSET):
            return
        hit = () if turn.hit is UNSET else turn.hit
        for position, palace in enumerate(own.palaces[:POSITIONS]):
            vector[at + 1 + position] = palace.id == turn.palace
            vector[at + 1 + POSITIONS + position] = palace.id in hit

    def _write_player(self, vector: bytearray, at: int, player: Player, place: int, wall: Sequence[int]) -> int:
        """Everything of a player that is open to all; the next free position."""
        floors = persons = 0
        kinds = at + len(PLAYER_NUMBERS)
        for palace in player.palaces:
            floors += palace.floors
            persons += len(palace.persons)
            for tile in palace.persons:
                vector[kinds + KIND_AT[tile.person, tile.age]] += 1
        numbers = (
            player.score,
            player.track,
            player.yuan,
            player.rice,
            player.fireworks,
            player.small_privileges,
            player.large_privileges,
            player.hand_size,
            place,
            len(player.palaces),
            floors,
            persons,
        )
        vector[at:kinds] = numbers if max(numbers) <= HIGHEST else [min(number, HIGHEST) for number in numbers]
        at = kinds + len(PERSON_KINDS)
        for card in player.played:
            vector[at + CARD_AT[card]] += 1
        at += len(PERSON_CARDS)
        if player.discarded is not UNSET:
            for card in player.discarded:
                vector[at + CARD_AT[card]] += 1
        at += len(PERSON_CARDS)
        if player.wall_tiles is not UNSET:
            for tile_left in player.wall_tiles:
                vector[at + WALL_TILE_AT[tile_left]] = 1
            vector[at + len(WALL_TILE_AT)] = wall.count(player.seat)
        return at + len(WALL_TILE_AT) + 1
