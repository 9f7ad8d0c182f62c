"""The actions of every decision, in their form on the wire (protocol/games/year_of_the_dragon.md, Decisions)."""

from typing import Literal

from msgspec import UNSET, UnsetType

from referee.games.interface import Action
from referee.games.year_of_the_dragon.tiles import ActionCard, Age, Card, Person, PersonType, PrivilegeSize, WallTile

ActionKind = Literal["card", "replenish"]


class Draft(Action, frozen=True, kw_only=True):
    """Take two different types of young persons; they are placed in this order."""

    persons: tuple[PersonType, PersonType]


class PlacePerson(Action, frozen=True, kw_only=True):
    """Put the new person into `palace`, there in place of another (`replace`) if all is full, or send it away."""

    palace: int | UnsetType = UNSET
    replace: Person | UnsetType = UNSET
    refuse: Literal[True] | UnsetType = UNSET


class ChooseAction(Action, frozen=True, kw_only=True):
    """Use a card of an action group, or take yuan up to three (`replenish`)."""

    kind: ActionKind
    group: int | UnsetType = UNSET
    card: ActionCard | UnsetType = UNSET
    size: PrivilegeSize | UnsetType = UNSET
    wall_tile: WallTile | UnsetType = UNSET


class BuildFloor(Action, frozen=True, kw_only=True):
    """Add a floor to `palace`; the player's next unused id starts a new palace."""

    palace: int


class PlayCard(Action, frozen=True, kw_only=True):
    """Play `card` and take this person; no person where none of the card's type is left."""

    card: Card
    person: PersonType | UnsetType = UNSET
    age: Age | UnsetType = UNSET


class ReleasePerson(Action, frozen=True, kw_only=True):
    """Let one person go."""

    palace: int
    person: PersonType
    age: Age


class LoseFloor(Action, frozen=True, kw_only=True):
    """Take one floor off `palace`."""

    palace: int


class GiveBack(Action, frozen=True, kw_only=True):
    """Give back this many of each."""

    yuan: int
    rice: int
    fireworks: int


class DiscardCard(Action, frozen=True, kw_only=True):
    """Discard a person card from the hand."""

    card: Card


class TakePerson(Action, frozen=True, kw_only=True):
    """Take a young person of this type."""

    person: PersonType


class ChooseType(Action, frozen=True, kw_only=True):
    """Take the benefit of all own persons of this type."""

    person: PersonType
