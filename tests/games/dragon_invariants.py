"""The state of a game of the Dragon computed from its events alone, to be compared with the engine's own.

It knows what an event changes (counters, who lives where, how markers stack) and none of the phases.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.games.year_of_the_dragon.actions import DiscardCard, Draft, PlayCard, TakePerson
from referee.games.year_of_the_dragon.log import (
    Change,
    EventStrikes,
    FinalScore,
    PalaceChanged,
    PersonLeft,
    PersonPlaced,
    RoundEnd,
    WallBuilt,
)

Tile = tuple[str, str]
"""A kind of person tile: type and age."""
COUNTERS = ("yuan", "rice", "fireworks", "score", "track", "small_privileges", "large_privileges")
VOLCANO = "volcanic_eruption"


class EventLedger:
    """The state that follows from the events read so far."""

    def __init__(self, players: int) -> None:
        seats = range(players)
        self.counters = [{**dict.fromkeys(COUNTERS, 0), "yuan": 6} for _ in seats]
        self.floors = [{0: 2, 1: 2} for _ in seats]
        self.persons: list[dict[int, Counter[Tile]]] = [{0: Counter(), 1: Counter()} for _ in seats]
        self.cards: list[Counter[str]] = [Counter(tiles.HAND) for _ in seats]
        self.stacks = {0: [*reversed(seats)]}
        self.taken: Counter[Tile] = Counter()
        self.out_of_game: Counter[Tile] = Counter()
        self.wall: list[int] = []
        self.wall_tiles: list[set[str]] = [set(tiles.WALL_TILES) for _ in seats]
        self.struck: list[tuple[int, str]] = []
        self.rounds: list[int] = []
        self.finals: list[int] = []
        self.draws: list[ChanceEvent] = []
        self._read = 0

    def read(self, game: YearOfTheDragon) -> None:
        """Read the events since the last call."""
        for event, _ in game.log[self._read :]:
            READERS[type(event)](self, event)
        self._read = len(game.log)

    def order(self) -> list[int]:
        """Seats in order of play: the furthest space first, on each the marker that arrived last."""
        return [seat for space in sorted(self.stacks, reverse=True) for seat in reversed(self.stacks[space])]

    def change(self, event: Change) -> None:
        """A number changes. It is never negative; scores and markers never fall, except by the volcano."""
        counters = self.counters[event.seat]
        assert event.by != 0
        assert event.to == counters[event.what] + event.by >= 0
        counters[event.what] = event.to
        if event.by < 0:
            assert event.what != "score"
            assert event.what != "track" or event.reason == VOLCANO
        elif event.what == "track":
            self.stacks[event.to - event.by].remove(event.seat)
            self.stacks.setdefault(event.to, []).append(event.seat)

    def event_strikes(self, event: EventStrikes) -> None:
        """An event or super event; the volcano puts all markers onto one stack, the leader on top."""
        self.struck.append((event.round, event.event))
        if event.event == VOLCANO:
            self.stacks = {0: [*reversed(self.order())]}

    def decision(self, event: DecisionEvent) -> None:
        """Cards leave hands and tiles leave the display by decisions."""
        match event.action:
            case Draft(persons=persons):
                self.taken.update((person, "young") for person in persons)
            case PlayCard(card=card, person=person, age=age):
                self._discard(event.seat, card)
                if isinstance(person, str):
                    assert card in (person, "wild")
                    self.taken[person, str(age)] += 1
            case TakePerson(person=person):
                self.taken[person, "young"] += 1
            case DiscardCard(card=card):
                self._discard(event.seat, card)

    def _discard(self, seat: int, card: str) -> None:
        assert self.cards[seat][card] > 0
        self.cards[seat][card] -= 1

    def person_placed(self, event: PersonPlaced) -> None:
        """Somebody moves in, where there is room."""
        persons = self.persons[event.seat][event.palace]
        persons[event.person, event.age] += 1
        assert persons.total() <= self.floors[event.seat][event.palace]

    def person_left(self, event: PersonLeft) -> None:
        """Somebody leaves the game, out of a palace or at the door."""
        self.out_of_game[event.person, event.age] += 1
        if isinstance(event.palace, int):
            persons = self.persons[event.seat][event.palace]
            assert persons[event.person, event.age] > 0
            persons[event.person, event.age] -= 1

    def palace_changed(self, event: PalaceChanged) -> None:
        """A palace begins, grows by a floor, loses one or is gone."""
        floors, persons = self.floors[event.seat], self.persons[event.seat]
        assert abs(event.floors - floors.get(event.palace, 0)) == 1
        floors[event.palace] = event.floors
        assert persons.setdefault(event.palace, Counter()).total() <= event.floors <= 3
        if event.floors == 0:
            del floors[event.palace], persons[event.palace]

    def wall_built(self, event: WallBuilt) -> None:
        """The wall grows by a tile."""
        self.wall.append(event.seat)
        self.wall_tiles[event.seat].remove(event.wall_tile)
        assert event.length == len(self.wall) <= 12

    def round_end(self, event: RoundEnd) -> None:
        """A round is over."""
        self.rounds.append(event.round)
        assert event.scores == [counters["score"] for counters in self.counters]
        assert event.track == [counters["track"] for counters in self.counters]
        assert event.order == self.order()

    def final_score(self, event: FinalScore) -> None:
        """The final scoring adds to the score."""
        counters = self.counters[event.seat]
        counters["score"] += event.persons + event.monks + event.money
        assert event.score == counters["score"]
        self.finals.append(event.seat)

    def chance(self, event: ChanceEvent) -> None:
        """A draw was made."""
        self.draws.append(event)


READERS: dict[type, Callable[[EventLedger, Any], None]] = {
    Change: EventLedger.change,
    ChanceEvent: EventLedger.chance,
    DecisionEvent: EventLedger.decision,
    EventStrikes: EventLedger.event_strikes,
    FinalScore: EventLedger.final_score,
    PalaceChanged: EventLedger.palace_changed,
    PersonLeft: EventLedger.person_left,
    PersonPlaced: EventLedger.person_placed,
    RoundEnd: EventLedger.round_end,
    WallBuilt: EventLedger.wall_built,
}
