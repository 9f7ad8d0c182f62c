"""In the Year of the Dragon: the stages of a round, and the class that implements `Game`."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Self

from msgspec import UNSET
from msgspec.structs import replace

from referee.games.chance import Chance
from referee.games.interface import Action, Traits
from referee.games.year_of_the_dragon import tiles, view
from referee.games.year_of_the_dragon.action_phase import CHOOSE_ACTION, action_phase
from referee.games.year_of_the_dragon.actions import Draft
from referee.games.year_of_the_dragon.config import DragonConfig
from referee.games.year_of_the_dragon.event_phase import event_phase
from referee.games.year_of_the_dragon.great_wall import score_after_mongols, wall_scoring
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
from referee.games.year_of_the_dragon.palaces import BUILD_FLOOR, LOSE_FLOOR, decay
from referee.games.year_of_the_dragon.person_phase import PLAY_CARD, person_phase
from referee.games.year_of_the_dragon.persons import PLACE_PERSON, RELEASE_PERSON
from referee.games.year_of_the_dragon.scoring import final_scoring, scoring_phase
from referee.games.year_of_the_dragon.setup import DRAFT, choose_super_event, draft, lay_event_row
from referee.games.year_of_the_dragon.state import Dragon, Task
from referee.games.year_of_the_dragon.super_events import (
    CHOOSE_TYPE,
    DISCARD_CARD,
    GIVE_BACK,
    SUPER_EVENT_RULES,
    TAKE_PERSON,
    super_event,
)
from referee.games.year_of_the_dragon.tiles import SuperEvent

Stage = Callable[[Dragon], None]

DECISIONS = (
    DRAFT,
    PLACE_PERSON,
    CHOOSE_ACTION,
    BUILD_FLOOR,
    PLAY_CARD,
    RELEASE_PERSON,
    LOSE_FLOOR,
    GIVE_BACK,
    DISCARD_CARD,
    TAKE_PERSON,
    CHOOSE_TYPE,
)
ACTION_TYPES = {decision.name: decision.action for decision in DECISIONS}


@cache
def round_stages(special: SuperEvent, great_wall: bool) -> Sequence[Stage]:
    """The stages of a round in order, including those of the expansions."""
    wall: list[Stage] = [score_after_mongols] if great_wall else []
    after_event = wall
    if special != "none":
        after_event = [super_event, *wall] if SUPER_EVENT_RULES[special].before_wall else [*wall, super_event]
    return (action_phase, person_phase, event_phase, *after_event, decay, scoring_phase)


def last_stages(game: Dragon) -> list[Stage]:
    """The stages after the last round, which no decay follows (ruling Y7)."""
    return [wall_scoring, final_scoring] if game.config.great_wall else [final_scoring]


def setup(game: Dragon) -> None:
    """Lay the event row, choose the super event, draft; then the first round begins."""
    lay_event_row(game)
    choose_super_event(game)
    for player in game.players:
        game.then(draft, player)
    game.then(play_round)


def play_round(game: Dragon) -> None:
    """Play a round and then the next one; after the twelfth, the end."""
    game.round += 1
    for stage in round_stages(game.super_event, game.config.great_wall):
        game.then(stage)
    if game.round < tiles.ROUNDS:
        game.then(play_round)
    else:
        for stage in last_stages(game):
            game.then(stage)


class YearOfTheDragon(Dragon):
    """In the Year of the Dragon, by Stefan Feld: both editions and both expansions."""

    __slots__ = ()

    traits = Traits(hidden=True)
    name = "year_of_the_dragon"
    title = "In the Year of the Dragon"
    tie_break = "the order of play"
    Config = DragonConfig
    Observation = view.Observation
    actions = ACTION_TYPES
    events = (Change, EventStrikes, FinalScore, PalaceChanged, PersonLeft, PersonPlaced, RoundEnd, WallBuilt)
    recorded = (RoundEnd,)

    @classmethod
    def new(cls, config: DragonConfig, chance: Chance) -> Self:
        game = cls(config, chance)
        game.then(setup)
        game.run()
        return game

    def observe(self, seat: int) -> view.Observation:
        turn = self.turn
        assert turn is None or isinstance(turn, Task)
        return view.Observation(
            round=self.round,
            seat=seat,
            turn=turn,
            order=self.order,
            event_row=self.event_row,
            super_event=self.super_event,
            action_groups=self.action_groups,
            display=self.display,
            hand=self.hands[seat],
            players=self.players,
            wall=self.wall if self.config.great_wall else UNSET,
        )

    def determinize(self, seat: int, random: Random) -> Self:
        """See `Game.determinize`. The hands follow from the cards on the table, so only future draws are unknown."""
        twin = super().determinize(seat, random)
        for player in twin.players:
            if player.seat != seat:
                twin.hands[player.seat] = player.cards_left()
        return twin

    def public_config(self) -> DragonConfig:
        """The configuration with the super event that was drawn."""
        return replace(self.config, super_event=self.super_event)

    def _canonical_unlisted(self, action: Action) -> Action | None:
        """A draft is legal in either order of its two persons, and keeps it: they are placed so."""
        if isinstance(action, Draft):
            first, second = action.persons
            if Draft(persons=(second, first)) in self.legal_actions():
                return Draft(persons=(first, second))
        return None
