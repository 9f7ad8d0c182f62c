"""What laying a tile does, in words for people who are about to choose."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.rooms import Room, payments
from referee.games.forbidden_city.tiles import Tile
from referee.games.narrator import format_count

TURNS: Final = ("as it is", "turned right", "turned round", "turned left")
"""By rotation."""


class Outcome(NamedTuple):
    """The coins that a placement brings the seat at once, and its effects in words."""

    gain: int
    note: str


def placement_outcome(game: ForbiddenCity, names: Sequence[str], seat: int, tile: Tile, action: LayTile) -> Outcome:
    """The outcome of laying a tile. Changes nothing."""
    board, rooms = game.board.copy(), game.rooms.copy()
    gain, notes = 0, []
    for room in rooms.add(seat, tile, action, board.lay(tile, action)):
        room.value = rooms.value(room)
        paid = payments(room.value, room.advisors)
        gain += paid[seat]
        amounts = format_amounts(names, paid, "coins")
        notes.append(f"closes {room.colour}, worth {room.value}: {amounts or 'pays nobody'}")
    touched = [rooms.room_of((action.x, action.y, part)) for part in range(len(tile.parts))]
    for room in {room.id: room for room in touched}.values():
        if room.value is UNSET:
            notes.append(_format_grown(names, room, rooms.value(room)))
    return Outcome(gain, "; ".join(notes))


def _format_grown(names: Sequence[str], room: Room, value: int) -> str:
    """A room that is still open after the tile was laid."""
    if len(room.cells) == 1:
        return f"begins {room.colour}, {format_count(room.open_edges, 'open sides')}"
    advisors = format_amounts(names, room.advisors, "advisors") or "no advisors"
    return f"joins {room.colour}: {format_count(len(room.cells), 'tiles')}, worth {value} so far, {advisors}"


def format_amounts(names: Sequence[str], numbers: Sequence[int], noun: str) -> str:
    """The numbers by player, without zeros."""
    had = [f"{name} {format_count(number, noun)}" for name, number in zip(names, numbers, strict=True) if number]
    return ", ".join(had)
