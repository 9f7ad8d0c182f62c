"""Showing The Forbidden City to a person: the board with the places for the tile in hand, and the gain of each."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import UNSET

from referee.games.forbidden_city.board import Cell, LaidTile, LayTile
from referee.games.forbidden_city.drawing import draw, draw_tile, fills
from referee.games.forbidden_city.known import KnownCity
from referee.games.forbidden_city.narrator import (
    SIDE_LETTERS,
    CityNarrator,
    format_cell,
    format_edges,
    format_tile,
    legend,
)
from referee.games.forbidden_city.outcomes import TURNS, format_amounts, placement_outcome
from referee.games.forbidden_city.rooms import Room, payments
from referee.games.forbidden_city.tiles import NEVER_DRAWN, OWNERS, SIDES, Tile, sides
from referee.games.forbidden_city.view import Observation
from referee.games.narrator import format_count
from referee.games.presenter import Menu, MenuEntry, Presenter
from referee.games.rule_texts import rule_texts

MAX_ROOMS: Final = 8
"""Maximum number of open rooms listed, the most valuable first."""
PREVIEW_RADIUS: Final = 2
"""Cells drawn in each direction around a tile before it is laid."""
TILE_WIDTH: Final = 7
"""Width of a single tile in a drawing."""


class CityPresenter(Presenter[KnownCity]):
    game = KnownCity
    narrator = CityNarrator
    rules = rule_texts(__file__)

    def __init__(self, config: Any, seat: int, names: Sequence[str]) -> None:
        super().__init__(config, seat, names)
        self._fills = fills(config.loaded_tiles().colours)

    # -- the table ----------------------------------------------------------------------------------------

    def table(self, observation: Observation, legal: Sequence[LayTile], width: int) -> Iterator[str]:
        """Coins, the board with numbered places, the open rooms, the tile in hand."""
        seen = observation
        rounds = len(self.config.loaded_tiles().stack(0, self.config.players)) - NEVER_DRAWN
        yield f"Round {rounds - max(0, seen.stacks[self.seat] - NEVER_DRAWN)} of {rounds}"
        name_width = max(map(len, self.names))
        for seat, name in enumerate(self.names):
            owner = f"{OWNERS[seat]}, you" if seat == self.seat else OWNERS[seat]
            to_come = format_count(max(0, seen.stacks[seat] - NEVER_DRAWN) + seen.in_hand[seat], "tiles")
            yield f"  {name:{name_width}}  {format_count(seen.coins[seat], 'coins'):>9}, {to_come} to lay ({owner})"
        yield from (f"  {line}" for line in legend(self._fills))
        marks = {cell: f"{number:2}" for number, cell in enumerate(legal_cells(legal))}
        yield from draw(seen.board, self._fills, width, marks)
        yield "At stake"
        for sentence in self._open_rooms(seen):
            yield from textwrap.wrap(sentence, width, initial_indent="  ", subsequent_indent="      ")

    def final_position(self, width: int) -> Iterator[str]:
        if self.known is not None:
            yield "The board at the end"
            yield from draw(self.known.rooms.laid, self._fills, width)

    def _open_rooms(self, seen: Observation) -> Iterator[str]:
        """The payments of the open rooms if they were closed now."""
        by_id = {room.id: room for room in seen.rooms}
        rooms = [
            (room.own_value + sum(by_id[beyond].own_value for beyond in room.passages), room)
            for room in seen.rooms
            if room.value is UNSET
        ]
        rooms.sort(key=lambda found: (-found[0], found[1].id))
        listed = [(value, room) for value, room in rooms if any(room.advisors) or len(room.cells) > 1]
        for value, room in listed[:MAX_ROOMS]:
            yield f"{room.colour} room at {format_cell(min(room.cells))}: {self._format_room(room, value)}"
        more = len(rooms) - len(listed[:MAX_ROOMS])
        if more:
            yield f"and {format_count(more, 'other open rooms') if more > 1 else '1 other open room'}"

    def _format_room(self, room: Room, value: int) -> str:
        """An open room: its size, its current value, the advisors in it, and the payments."""
        tiles, sides = format_count(len(room.cells), "tiles"), format_count(room.open_edges, "open sides")
        size = f"{tiles}, {sides}, worth {value} so far"
        advisors = format_amounts(self.names, room.advisors, "advisors")
        paid = format_amounts(self.names, payments(value, room.advisors), "coins")
        return f"{size}; {advisors or 'no advisors'}{f'; would pay {paid}' if paid else ''}"

    # -- the menus ----------------------------------------------------------------------------------------

    def menu(self, observation: Observation, legal: Sequence[LayTile]) -> Menu:
        """The free cells, each with the rotations in which the tile can be laid there."""
        tile = observation.hand
        assert tile is not None
        ways: dict[Cell, list[LayTile]] = {cell: [] for cell in legal_cells(legal)}
        for action in legal:
            ways[action.x, action.y].append(action)
        turned = (LaidTile(x=0, y=9, rotation=rotation, seat=self.seat, tile=tile) for rotation in range(len(TURNS)))
        drawn = [draw_tile(laid, self._fills) for laid in turned]
        entries = [self._cell_entry(tile, cell, actions, drawn) for cell, actions in ways.items()]
        question = f"You hold {format_tile(tile, 0)}: {format_edges(tile, 0)}. Where do you lay it?"
        return Menu(question, entries, side_by_side(drawn[:1]))

    def _cell_entry(
        self, tile: Tile, cell: Cell, actions: Sequence[LayTile], drawn: Sequence[Sequence[str]]
    ) -> MenuEntry:
        """A free cell: the rooms that open towards it, and the highest immediate gain there."""
        assert self.known is not None
        outcomes = [placement_outcome(self.known, self.names, self.seat, tile, action) for action in actions]
        best = max(gain for gain, _ in outcomes)
        colours = self.known.board.free_cells[cell].demand.colours
        facing = [f"{colour} opens {side}" for side, colour in zip(SIDE_LETTERS, colours, strict=True) if colour]
        notes = [*(facing or ["no open sides"]), f"{len(actions)} ways" if len(actions) > 1 else "1 way"]
        if best:
            notes.append(f"up to {format_count(best, 'coins')} at once")
        entries = [
            MenuEntry(f"{TURNS[action.rotation]}: {format_sides(tile, action.rotation)}", action, note)
            for action, (_, note) in zip(actions, outcomes, strict=True)
        ]
        drawing = side_by_side(
            [[str(number).center(TILE_WIDTH), *drawn[action.rotation]] for number, action in enumerate(actions)]
        )
        question = f"Which way round at {format_cell(cell)}, where {' and '.join(facing) or 'no side opens'}?"
        return MenuEntry(format_cell(cell), Menu(question, entries, drawing), ", ".join(notes))

    def preview(self, observation: Observation, action: LayTile, width: int) -> Iterator[str]:
        tile = observation.hand
        assert tile is not None
        new = LaidTile(x=action.x, y=action.y, rotation=action.rotation, seat=self.seat, tile=tile)
        near = [
            laid for laid in observation.board if max(abs(laid.x - action.x), abs(laid.y - action.y)) <= PREVIEW_RADIUS
        ]
        return draw([*near, new], self._fills, width)


def legal_cells(legal: Sequence[LayTile]) -> list[Cell]:
    """The cells of the legal placements in the order of their numbers: north to south, each row west to east."""
    return sorted({(action.x, action.y) for action in legal}, key=lambda cell: (-cell[1], cell[0]))


def side_by_side(tiles: Sequence[Sequence[str]]) -> list[str]:
    """Drawings of tiles in one row, without empty lines."""
    rows = ("    ".join(row) for row in zip(*tiles, strict=True))
    return [f"      {row}".rstrip() for row in rows if row.strip()]


def format_sides(tile: Tile, rotation: int) -> str:
    if not tile.diagonal:
        return format_edges(tile, rotation)
    touched = sides(tile, rotation)
    parts = (
        f"{colour} {''.join(SIDE_LETTERS[side] for side in SIDES if touched[side].part == part)}"
        for part, colour in enumerate(tile.parts)
    )
    return f"{format_edges(tile, rotation)}; {', '.join(parts)}"
