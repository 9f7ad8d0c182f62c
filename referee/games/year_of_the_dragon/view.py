"""The observation (rules page, section 8): everything on the table, and the seat's hand."""

from msgspec import UNSET, Struct, UnsetType

from referee.games.year_of_the_dragon.state import ActionGroup, Display, Dragon, Player, Task
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


def observe(game: Dragon, seat: int) -> Observation:
    turn = game.turn
    assert turn is None or isinstance(turn, Task)
    return Observation(
        round=game.round,
        seat=seat,
        turn=turn,
        order=game.order,
        event_row=game.event_row,
        super_event=game.super_event,
        action_groups=game.action_groups,
        display=game.display,
        hand=game.hands[seat],
        players=game.players,
        wall=game.wall if game.config.great_wall else UNSET,
    )
