"""The events of a game. Every seat may see all of them (rules page, section 2.5)."""

from typing import Literal

from msgspec import UNSET, UnsetType

from referee.games.interface import Event
from referee.games.year_of_the_dragon.tiles import Age, EventTile, PersonType, WallTile

Counter = Literal["yuan", "rice", "fireworks", "score", "track", "small_privileges", "large_privileges"]


class Change(Event, frozen=True, kw_only=True, tag="change"):
    """A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule."""

    seat: int
    what: Counter
    by: int
    to: int
    reason: str


class PersonPlaced(Event, frozen=True, kw_only=True, tag="person_placed"):
    """A person moved into a palace."""

    seat: int
    palace: int
    person: PersonType
    age: Age


class PersonLeft(Event, frozen=True, kw_only=True, tag="person_left"):
    """A person left the game; without `palace` it was refused at the door."""

    seat: int
    palace: int | UnsetType = UNSET
    person: PersonType
    age: Age
    reason: str


class PalaceChanged(Event, frozen=True, kw_only=True, tag="palace"):
    """The number of floors of a palace changed; with 0 it is gone."""

    seat: int
    palace: int
    floors: int
    reason: str


class EventStrikes(Event, frozen=True, kw_only=True, tag="event"):
    """The event of the round, or the super event, is carried out."""

    round: int
    event: EventTile | str


class WallBuilt(Event, frozen=True, kw_only=True, tag="wall"):
    """A tile was added to the Great Wall; `length` is its new length."""

    seat: int
    wall_tile: WallTile
    length: int


class RoundEnd(Event, frozen=True, kw_only=True, tag="round"):
    """A round is over: scores and markers by seat, and the order of play."""

    round: int
    scores: list[int]
    track: list[int]
    order: list[int]


class FinalScore(Event, frozen=True, kw_only=True, tag="final"):
    """What the final scoring brought a player: for persons, monks and money, and the score in the end."""

    seat: int
    persons: int
    monks: int
    money: int
    score: int
