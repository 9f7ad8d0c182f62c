"""The observation (rules page, section 2.5): everything on the table, and the seat's hand."""

from msgspec import UNSET, Struct, UnsetType

from referee.games.year_of_the_dragon.state import ActionGroup, Display, Player, Task
from referee.games.year_of_the_dragon.tiles import Card, EventTile, SuperEvent


class Observation(Struct, kw_only=True):
    """The game as one seat sees it, built only from what is open to it."""

    round: int
    """1 to 12; 0 during the draft."""
    seat: int
    turn: Task | None
    """The decision that is due and its context; null after the end."""
    order: list[int]
    """Seats in order of play."""
    event_row: list[EventTile]
    """The events of rounds 1 to 12."""
    super_event: SuperEvent
    """The additional event of round 7."""
    action_groups: list[ActionGroup]
    """The groups of this round (empty during the draft), with the seats that chose them."""
    display: Display
    """Person tiles still available."""
    hand: list[Card]
    players: list[Player]
    """By seat."""
    wall: list[int] | UnsetType = UNSET
    """Great Wall only: the seats that built it, by tile."""
