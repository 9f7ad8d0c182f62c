"""Drawing The Forbidden City for pages: the players, the board, what open rooms would pay and closed ones have paid."""

from collections.abc import Mapping, Sequence

from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.board_panel import BOARD, board_panel, free_key, place
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.known import FACE_DOWN
from referee.games.forbidden_city.log import RoomSettled, StackShown
from referee.games.forbidden_city.narrator import format_cell, format_edges, format_tile
from referee.games.forbidden_city.outcomes import TURNS, placement_outcome
from referee.games.forbidden_city.palette import CSS, Colour, palette
from referee.games.forbidden_city.side_panels import HAND, room_panels, seat_panels
from referee.games.forbidden_city.tile_shapes import face_down, whole_tile
from referee.games.forbidden_city.tiles import NEVER_DRAWN
from referee.games.interface import Event
from referee.games.renderer import Breakdown, Choice, Node, Panel, Renderer, Sprite
from referee.games.rule_texts import rule_texts

SETTLEMENT = "settlement"
"""What readers jump to: a room that was closed."""


class CityRenderer(Renderer[ForbiddenCity]):
    """Renderer of The Forbidden City."""

    rules = rule_texts("referee.games.forbidden_city")
    css = CSS

    def draw(self, game: ForbiddenCity) -> Sequence[Panel]:
        """The players, the board, and the lists of rooms."""
        colours = palette(game.config.loaded_tiles().colours)
        return [
            *seat_panels(game, self.names, colours),
            board_panel(game, self.names, colours),
            *room_panels(game, self.names, colours),
        ]

    def choices(self, game: ForbiddenCity, legal: Sequence[LayTile]) -> Sequence[Choice]:
        """The tile in hand as a ghost where it would lie, and what laying it there does."""
        turn = game.turn
        if turn is None:
            return []
        colours = palette(game.config.loaded_tiles().colours)
        return [self._choice(game, turn.seat, action, colours) for action in legal]

    def _choice(self, game: ForbiddenCity, seat: int, action: LayTile, colours: Mapping[str, Colour]) -> Choice:
        tile = game.hands[seat]
        cell = (action.x, action.y)
        where = f"{format_cell(cell)} {TURNS[action.rotation]}"
        label, shape, words = where, face_down(seat), "the tile in hand"
        if tile is not None and tile != FACE_DOWN:
            label = f"{where}: {placement_outcome(game, self.names, seat, tile, action).note}"
            shape = (Node("g", {"transform": f"rotate({90 * action.rotation})"}, whole_tile(tile, 0, seat, colours)),)
            words = f"{format_tile(tile, action.rotation)}; {format_edges(tile, action.rotation)}"
        x, y = place(cell)
        ghost = Sprite(
            key=f"ghost{action.x},{action.y},{action.rotation}", x=x, y=y, shape=shape, label=words, seat=seat, z=7
        )
        targets = (f"{BOARD}/{free_key(cell)}", f"seat{seat}/{HAND}")
        return Choice(label=label, targets=targets, panel=BOARD, ghost=ghost)

    def marks(self, events: Sequence[Event]) -> Sequence[str]:
        """Whether a room was closed."""
        return [SETTLEMENT] if any(isinstance(event, RoomSettled) for event in events) else []

    def breakdown(self, game: ForbiddenCity) -> Breakdown | None:
        """The coins for rooms, by the majority that they were paid for, and for the last tiles."""
        if game.turn is not None:
            return None
        most, equal, second, last = ([0] * len(self.names) for _ in range(4))
        for event, _ in game.log:
            match event:
                case RoomSettled(value=value, paid=paid):
                    sole = value in paid
                    for seat, coins in enumerate(paid):
                        row = (most if coins == value else second) if sole else equal
                        row[seat] += coins
                case StackShown(seat=seat, paid=coins):
                    last[seat] += coins
        return Breakdown(
            sources=(
                "Rooms with the most advisors",
                "Rooms with equally many as another",
                "Rooms as second",
                f"Last {NEVER_DRAWN} tiles",
            ),
            points=(most, equal, second, last),
        )
