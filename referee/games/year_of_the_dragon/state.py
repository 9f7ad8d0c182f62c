"""The state of a game and its primitive steps, which phases and expansions are written in.

Public information (`players`, `display`, `action_groups`, …) consists of Structs that are sent unchanged. Hidden
information (`hands`) is separate, so that an observation can't contain it by mistake.
"""

from collections.abc import Callable, Iterable
from typing import Any, Self

from msgspec import UNSET, Struct, UnsetType, field

from referee.games.chance import Chance
from referee.games.interface import Action, Game, Ranking, Turn
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.config import DragonConfig
from referee.games.year_of_the_dragon.log import Change, Counter, PalaceChanged, PersonLeft, PersonPlaced
from referee.games.year_of_the_dragon.tiles import (
    SYMBOLS,
    ActionCard,
    Age,
    Card,
    EventTile,
    Person,
    PersonType,
    SuperEvent,
    WallTile,
)


class Palace(Struct, gc=False):
    """A palace: at most as many persons as floors, at most three floors."""

    id: int
    floors: int
    persons: list[Person] = field(default_factory=list)


class Player(Struct, kw_only=True, gc=False):
    """Everything of a player that is open to all."""

    seat: int
    score: int = 0
    track: int = 0
    yuan: int = tiles.YUAN_AT_START
    rice: int = 0
    fireworks: int = 0
    small_privileges: int = 0
    large_privileges: int = 0
    palaces: list[Palace]
    next_palace: int = tiles.PALACES_AT_START
    """The id of the next new palace."""
    hand_size: int = len(tiles.HAND)
    played: list[Card] = field(default_factory=list)
    """Person cards played, starting with that of round 1."""
    discarded: list[Card] | UnsetType = UNSET
    """Cards lost to the tornado."""
    wall_tiles: list[WallTile] | UnsetType = UNSET
    """Own wall tiles not yet built (Great Wall only)."""

    def persons(self) -> Iterable[Person]:
        return (person for palace in self.palaces for person in palace.persons)

    def person_count(self) -> int:
        count = 0
        for palace in self.palaces:
            count += len(palace.persons)
        return count

    def symbols(self, kind: PersonType) -> int:
        """The number of symbols of `kind` on the player's tiles."""
        by_age = SYMBOLS[kind]
        count = 0
        for palace in self.palaces:
            for tile in palace.persons:
                if tile.person == kind:
                    count += by_age[tile.age]
        return count

    def monk_points(self) -> int:
        """The sum over monks of Buddhas times floors."""
        by_age = SYMBOLS["monk"]
        return sum(
            by_age[tile.age] * palace.floors
            for palace in self.palaces
            for tile in palace.persons
            if tile.person == "monk"
        )

    def palace(self, palace_id: int) -> Palace:
        """The palace with this id. Raises KeyError."""
        for palace in self.palaces:
            if palace.id == palace_id:
                return palace
        raise KeyError(palace_id)

    def cards_left(self) -> list[Card]:
        """The cards in hand, derived from public information: the initial hand less those played and discarded."""
        cards = list(tiles.HAND)
        for card in self.played:
            cards.remove(card)
        if self.discarded is not UNSET:
            for card in self.discarded:
                cards.remove(card)
        return cards

    def copy(self) -> "Player":
        """An independent copy. Person tiles never change, so they are shared."""
        return Player(
            seat=self.seat,
            score=self.score,
            track=self.track,
            yuan=self.yuan,
            rice=self.rice,
            fireworks=self.fireworks,
            small_privileges=self.small_privileges,
            large_privileges=self.large_privileges,
            palaces=[Palace(palace.id, palace.floors, palace.persons[:]) for palace in self.palaces],
            next_palace=self.next_palace,
            hand_size=self.hand_size,
            played=self.played[:],
            discarded=UNSET if self.discarded is UNSET else self.discarded[:],
            wall_tiles=UNSET if self.wall_tiles is UNSET else self.wall_tiles[:],
        )


class ActionGroup(Struct, gc=False):
    """A group of action cards and the seats that chose it this round."""

    cards: list[ActionCard]
    taken_by: list[int] = field(default_factory=list)


class Display(Struct, gc=False):
    """Person tiles still to be had, by age and type."""

    young: dict[PersonType, int]
    old: dict[PersonType, int]

    def left(self, person: PersonType, age: Age) -> int:
        return (self.young if age == "young" else self.old).get(person, 0)


class Task(Turn, frozen=True, kw_only=True):
    """A decision that is due, with its context."""

    person: PersonType | UnsetType = UNSET
    """place_person: the tile to be placed."""
    age: Age | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    """The cause of the decision: an event, a card or an expansion."""
    left: int | UnsetType = UNSET
    """The number of decisions of this kind due in a row, including this one; give_back: the number of pieces."""
    palace: int | UnsetType = UNSET
    """release_person: only from this palace."""
    hit: tuple[int, ...] | UnsetType = UNSET
    """release_person: palaces that have already lost a person in this drought, and lose no other."""


class DecisionRule(Struct, frozen=True):
    """A kind of decision: its name on the wire, its action type, its legal actions and their effect."""

    name: str
    action: type[Action]
    legal: Callable[["Dragon", Player, Task], list[Any]]
    carry_out: Callable[["Dragon", Player, Any, Any], None]


Step = tuple[Callable[..., None], int | None, tuple[Any, ...]]
"""A step on the agenda: a function of the game and, if there is a seat, its player; the seat; further arguments."""


class Dragon(Game):
    """The state, and the agenda of steps still to be carried out."""

    __slots__ = (
        "action_groups",
        "agenda",
        "display",
        "event_row",
        "hands",
        "order",
        "players",
        "round",
        "rule",
        "scheduled",
        "sold_out",
        "super_event",
        "taken_at_sunrise",
        "taken_pairs",
        "wall",
    )

    config: DragonConfig
    players: list[Player]
    hands: list[list[Card]]
    """Hidden from other seats."""
    display: Display
    sold_out: frozenset[Person]
    """The tiles of which none is left on the display."""
    event_row: list[EventTile]
    super_event: SuperEvent
    action_groups: list[ActionGroup]
    order: list[int]
    """Seats in order of play: furthest marker first, and on the same space the last to arrive first."""
    round: int
    wall: list[int]
    """The seats that built the Great Wall, by tile."""
    taken_pairs: tuple[tuple[PersonType, ...], ...]
    """Pairs of types drafted so far."""
    taken_at_sunrise: tuple[PersonType, ...]
    agenda: list[Step]
    """A stack: the last step comes next."""
    scheduled: list[Step]
    """The steps that the running step has scheduled so far, in order."""
    rule: DecisionRule

    def __init__(self, config: DragonConfig, chance: Chance) -> None:
        super().__init__(config, chance)
        seats = range(config.players)
        self.players = [
            Player(
                seat=seat,
                palaces=[Palace(number, tiles.FLOORS_AT_START) for number in range(tiles.PALACES_AT_START)],
                wall_tiles=list(tiles.WALL_TILES) if config.great_wall else UNSET,
            )
            for seat in seats
        ]
        self.hands = [list(tiles.HAND) for _ in seats]
        self.display = Display(
            young={**tiles.supply(config.players, "young")}, old={**tiles.supply(config.players, "old")}
        )
        self.sold_out = frozenset()
        self.event_row = []
        self.super_event = "none"
        self.action_groups = []
        self.order = list(seats)
        self.round = 0
        self.wall = []
        self.taken_pairs = ()
        self.taken_at_sunrise = ()
        self.agenda = []
        self.scheduled = []

    # -- the agenda ---------------------------------------------------------------------------------------

    def then(self, do: Callable[..., None], player: Player | None = None, *args: Any) -> None:
        """Schedule a step, after those already scheduled by the running step and before the rest of the agenda."""
        self.scheduled.append((do, None if player is None else player.seat, args))

    def run(self) -> None:
        """Carry out steps until a decision is due or the agenda is empty."""
        agenda, scheduled, players = self.agenda, self.scheduled, self.players
        while True:
            while scheduled:
                agenda.append(scheduled.pop())
            if self.turn is not None or not agenda:
                return
            do, seat, args = agenda.pop()
            if seat is None:
                do(self, *args)
            elif args:
                do(self, players[seat], *args)
            else:
                do(self, players[seat])

    def ask(self, rule: DecisionRule, player: Player, **context: Any) -> None:
        """Make a decision due, with its context (see `Task`)."""
        self.rule = rule
        self.turn = Task(seat=player.seat, decision=rule.name, **context)

    def in_order(self) -> list[Player]:
        return [self.players[seat] for seat in self.order]

    def _list_legal(self) -> list[Action]:
        task: Any = self.turn
        return self.rule.legal(self, self.players[task.seat], task)

    def _carry_out(self, turn: Turn, action: Action) -> None:
        self.rule.carry_out(self, self.players[turn.seat], turn, action)
        self.run()

    # -- primitive steps ----------------------------------------------------------------------------------

    def change(self, player: Player, what: Counter, by: int, reason: str) -> None:
        """Add `by` to a number of the player. 0 has no effect."""
        if by:
            to = getattr(player, what) + by
            setattr(player, what, to)
            self.emit(Change(seat=player.seat, what=what, by=by, to=to, reason=reason))

    def move(self, player: Player, spaces: int, reason: str) -> None:
        """Move the person marker forward, on top of any markers already on its new space."""
        if spaces:
            self.change(player, "track", spaces, reason)
            self.advance(player)

    def advance(self, player: Player) -> None:
        """Put the player before all those in the order of play whose markers are not further ahead."""
        players, track = self.players, player.track
        order = self.order[:]
        order.remove(player.seat)
        place = 0
        while place < len(order) and players[order[place]].track > track:
            place += 1
        order.insert(place, player.seat)
        self.order = order

    def take_tile(self, tile: Person) -> None:
        shown = self.display.young if tile.age == "young" else self.display.old
        shown[tile.person] -= 1
        if not shown[tile.person]:
            self.sold_out |= {tile}

    def move_in(self, player: Player, palace: Palace, tile: Person, reason: str) -> None:
        """Put a person into a palace with room and move the marker by its value."""
        palace.persons.append(tile)
        self.emit(PersonPlaced(seat=player.seat, palace=palace.id, person=tile.person, age=tile.age))
        self.move(player, tiles.FACTS[tile.person][tile.age].value, reason)

    def move_out(self, player: Player, palace: Palace, tile: Person, reason: str) -> None:
        palace.persons.remove(tile)
        self.emit(PersonLeft(seat=player.seat, palace=palace.id, person=tile.person, age=tile.age, reason=reason))

    def set_floors(self, player: Player, palace: Palace, floors: int, reason: str) -> None:
        """Set the number of floors of a palace. With 0 it is removed."""
        palace.floors = floors
        if not floors:
            player.palaces.remove(palace)
        self.emit(PalaceChanged(seat=player.seat, palace=palace.id, floors=floors, reason=reason))

    def ranking(self) -> Ranking:
        """Most points first; ties are broken by the order of play."""
        scores = [player.score for player in self.players]
        best_first = sorted(self.order, key=lambda seat: -scores[seat])
        ranks = [0] * len(scores)
        for rank, seat in enumerate(best_first, start=1):
            ranks[seat] = rank
        return Ranking(scores=scores, ranks=ranks)

    def copy(self, chance: Chance | None = None) -> Self:
        twin = self._copy_common(chance)
        twin.players = [player.copy() for player in self.players]
        twin.hands = [hand[:] for hand in self.hands]
        twin.display = Display(self.display.young.copy(), self.display.old.copy())
        twin.sold_out = self.sold_out
        twin.event_row = self.event_row
        twin.super_event = self.super_event
        twin.action_groups = [ActionGroup(group.cards, group.taken_by[:]) for group in self.action_groups]
        twin.order = self.order
        twin.round = self.round
        twin.wall = self.wall[:]
        twin.taken_pairs = self.taken_pairs
        twin.taken_at_sunrise = self.taken_at_sunrise
        twin.agenda = self.agenda[:]
        twin.scheduled = []
        twin.rule = self.rule
        return twin


def distinct_persons(palace: Palace) -> Iterable[Person]:
    """Each kind of person in the palace once, in the order in which they moved in."""
    return dict.fromkeys(palace.persons) if len(palace.persons) > 1 else palace.persons
