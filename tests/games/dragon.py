"""A table of In the Year of the Dragon for rules tests: set players up, run a step, see which decision is due.

    def test_contagion_two_young_healers_lose_one_person(dragon: DragonTable) -> None:
        clara = dragon.player(["healer", "healer", "monk"])
        assert dragon.decisions_of(contagion, clara) == ["release_person"]

Seats that a test doesn't fill have the initial state: six yuan, two empty palaces, the full hand.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Self, TypeVar

import msgspec

from referee.games import Action, Seeded
from referee.games.interface import DecisionEvent
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.games.year_of_the_dragon.action_phase import action_phase
from referee.games.year_of_the_dragon.config import DragonConfig
from referee.games.year_of_the_dragon.event_phase import event_phase
from referee.games.year_of_the_dragon.game import last_stages, round_stages
from referee.games.year_of_the_dragon.log import Change, EventStrikes
from referee.games.year_of_the_dragon.person_phase import person_phase
from referee.games.year_of_the_dragon.state import ActionGroup, Palace, Player, Task
from referee.games.year_of_the_dragon.tiles import Person

E = TypeVar("E")

PERSONS: dict[str, Person] = {
    person if age == "young" else f"old {person}": tile for (person, age), tile in tiles.TILES.items()
}
"""Person tiles by their names in tests: "monk", "old monk"."""


def palace(floors: int, *persons: str) -> tuple[int, tuple[str, ...]]:
    """A palace with this number of floors and these persons in it."""
    return floors, persons


class DragonTable:
    """A game between two steps, in the state that a test needs, with an empty agenda."""

    def __init__(self, players: int = 3, **options: object) -> None:
        config = msgspec.convert({"players": players, **options}, DragonConfig)
        self.game = YearOfTheDragon(config, Seeded("table"))
        self.game.round = 1
        self.game.event_row = ["peace"] * tiles.ROUNDS
        if config.super_event != "random":
            self.game.super_event = config.super_event
        self._free_seats = iter(self.game.players)

    # -- the table ---------------------------------------------------------------------------------------

    def player(
        self,
        persons: Sequence[str] = (),
        *,
        palaces: Sequence[tuple[int, Sequence[str]]] = (),
        hand: Sequence[str] | None = None,
        track: int = 0,
        **counters: int,
    ) -> Player:
        """Seat the next player, with `persons` two by two in palaces of two floors, or with these `palaces`.

        On the person track the player arrives after all who were seated before.
        """
        player = next(self._free_seats)
        if not palaces:
            homes = [tuple(persons[first : first + 2]) for first in range(0, len(persons), 2)]
            palaces = [(2, home) for home in (*homes, (), ())[: max(2, len(homes))]]
        player.palaces = [
            Palace(number, floors, [self._from_display(name) for name in names])
            for number, (floors, names) in enumerate(palaces)
        ]
        player.next_palace = len(palaces)
        for what, number in counters.items():
            assert hasattr(player, what), what
            setattr(player, what, number)
        if hand is not None:
            self.game.hands[player.seat] = msgspec.convert(hand, list[tiles.Card])
            player.hand_size = len(hand)
        self.game.move(player, track, "test")
        return player

    def _from_display(self, name: str) -> Person:
        tile = PERSONS[name]
        assert self.game.display.left(tile.person, tile.age), f"no {name} is left on the display"
        self.game.take_tile(tile)
        return tile

    def sell_out(self, *names: str) -> None:
        """Take all tiles of these kinds off the display."""
        for name in names:
            tile = PERSONS[name]
            while self.game.display.left(tile.person, tile.age):
                self.game.take_tile(tile)

    def groups(self, *groups: Sequence[tiles.ActionCard]) -> None:
        """Lay out these groups of action cards, chosen by nobody so far."""
        self.game.action_groups = [ActionGroup(list(cards)) for cards in groups]

    def build_wall(self, *builders: Player) -> None:
        """Let the wall be built by these players, one tile each time a player is named."""
        for builder in builders:
            assert isinstance(builder.wall_tiles, list)
            builder.wall_tiles.pop()
            self.game.wall.append(builder.seat)

    # -- steps --------------------------------------------------------------------------------------------

    def run(self, step: Callable[..., None], player: Player | None = None, *args: object) -> Self:
        """Carry out a stage of the game, or a step of one player, up to the first decision."""
        self.game.then(step, player, *args)
        self.game.run()
        return self

    def strike(self, event: tiles.EventTile, round_no: int | None = None) -> Self:
        """Let this event strike, up to the first decision."""
        self._put_event(event, round_no)
        return self.run(event_phase)

    def rest_of_round(self, round_no: int, event: tiles.EventTile = "peace") -> Self:
        """All stages of a round from its event on, and of the game after its last round."""
        self._put_event(event, round_no)
        all_stages = round_stages(self.game.super_event, self.game.config.great_wall)
        stages = [stage for stage in all_stages if stage not in (action_phase, person_phase)]
        if round_no == tiles.ROUNDS:
            stages += last_stages(self.game)
        for stage in stages:
            self.game.then(stage)
        self.game.run()
        return self

    def _put_event(self, event: tiles.EventTile, round_no: int | None) -> None:
        if round_no is not None:
            self.game.round = round_no
        self.game.event_row[self.game.round - 1] = event

    def answer(self, **fields: object) -> Self:
        """Take the decision that is due, with the fields of its action on the wire."""
        self.game.apply(self.action(**fields))
        return self

    def action(self, **fields: object) -> Action:
        """An action of the kind that is due, legal or not."""
        return msgspec.convert(fields, self.game.actions[self.turn.decision])

    def finish(self) -> Self:
        """Answer all remaining questions with the first legal action."""
        while self.game.turn is not None:
            self.game.apply(self.game.legal_actions()[0])
        return self

    # -- the state for assertions -------------------------------------------------------------------------

    @property
    def turn(self) -> Task:
        """The decision that is due."""
        assert isinstance(self.game.turn, Task), "no decision is due"
        return self.game.turn

    @property
    def due(self) -> tuple[int, str] | None:
        """Seat and kind of the decision that is due; None if there is none."""
        return None if self.game.turn is None else (self.game.turn.seat, self.game.turn.decision)

    def legal(self) -> list[Any]:
        """The legal actions as they are on the wire."""
        return [msgspec.to_builtins(action) for action in self.game.legal_actions()]

    def seen_by(self, seat: int) -> dict[str, Any]:
        """The observation of a seat as it is on the wire."""
        seen: dict[str, Any] = msgspec.to_builtins(self.game.observe(seat))
        return seen

    def allows(self, **fields: object) -> bool:
        """Whether an action is legal now."""
        return self.game.is_legal(self.action(**fields))

    def decided(self) -> list[tuple[int, str]]:
        """Seat and kind of each decision taken so far."""
        return [(event.seat, event.decision) for event in self.events(DecisionEvent)]

    def decisions_of(self, step: Callable[..., None], player: Player) -> list[str]:
        """Carry out a stage to its end; the kinds of decisions asked of the player."""
        self.run(step).finish()
        return [decision for seat, decision in self.decided() if seat == player.seat]

    def events(self, kind: type[E]) -> list[E]:
        """The events of one type so far."""
        return [event for event, _ in self.game.log if isinstance(event, kind)]

    def changes(self, player: Player, what: str, reason: str | None = None) -> list[int]:
        """The changes of a number of the player, all of them or those for one reason."""
        return [
            change.by
            for change in self.events(Change)
            if (change.seat, change.what) == (player.seat, what) and reason in (None, change.reason)
        ]

    def reasons(self) -> list[str]:
        """The events that struck and the reasons of changes, in order, without repetitions."""
        reasons = (
            event.event if isinstance(event, EventStrikes) else getattr(event, "reason", None)
            for event, _ in self.game.log
        )
        return [reason for reason, _ in groupby(reason for reason in reasons if reason is not None)]

    def struck(self) -> list[str]:
        """The events and super events that struck so far."""
        return [strike.event for strike in self.events(EventStrikes)]


def floors(player: Player) -> dict[int, int]:
    """The floors of each palace, by its id."""
    return {palace.id: palace.floors for palace in player.palaces}


def persons(player: Player) -> dict[int, list[str]]:
    """Who lives in each palace, by its id."""
    names = {tile: name for name, tile in PERSONS.items()}
    return {palace.id: [names[tile] for tile in palace.persons] for palace in player.palaces}
