"""Drawing The Forbidden City for pages: the board, what open rooms would pay and closed ones paid, the players."""

from collections.abc import Mapping, Sequence

from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.board_panel import BOARD, LAST, board_panel, free_key, hand_key
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.known import FACE_DOWN
from referee.games.forbidden_city.log import RoomSettled, StackShown
from referee.games.forbidden_city.narrator import format_cell, format_edges, format_tile
from referee.games.forbidden_city.outcomes import TURNS, placement_outcome
from referee.games.forbidden_city.palette import CSS, Colour, palette
from referee.games.forbidden_city.side_panels import room_panels, seat_panels
from referee.games.forbidden_city.tile_shapes import whole_tile
from referee.games.forbidden_city.tiles import NEVER_DRAWN, Tile
from referee.games.interface import Event
from referee.games.renderer import Breakdown, Choice, Panel, Renderer, Sprite
from referee.games.rule_texts import rule_texts

SETTLEMENT = "settlement"
"""What readers jump to: a room that was closed."""


class CityRenderer(Renderer[ForbiddenCity]):
    rules = rule_texts(__file__)
    css = CSS
    score = "coins"

    def draw(self, game: ForbiddenCity) -> Sequence[Panel]:
        colours = palette(game.config.loaded_tiles().colours)
        places = game.ranking().ranks if self.places is None else self.places
        return [
            board_panel(game, self.names, colours),
            *seat_panels(game, self.names, places, self.out),
            *room_panels(game, self.names, colours),
        ]

    def choices(self, game: ForbiddenCity, legal: Sequence[LayTile]) -> Sequence[Choice]:
        """The tile in hand as a ghost where it would lie, and what laying it there does."""
        turn = game.turn
        if turn is None:
            return []
        tile = game.hands[turn.seat]
        hand = f"{BOARD}/{hand_key(game, turn.seat)}"
        if tile is None or tile == FACE_DOWN:
            return [_choice(hand, action) for action in legal]
        colours = palette(game.config.loaded_tiles().colours)
        ghosts = [_ghost(tile, rotation, turn.seat, colours) for rotation in range(len(TURNS))]
        return [
            _choice(
                hand,
                action,
                f": {placement_outcome(game, self.names, turn.seat, tile, action).note}",
                ghosts[action.rotation],
            )
            for action in legal
        ]

    def marks(self, events: Sequence[Event]) -> Sequence[str]:
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
                "Rooms shared with others",
                "Rooms as second",
                f"Last {NEVER_DRAWN} tiles",
            ),
            points=(most, equal, second, last),
        )


def _choice(hand: str, action: LayTile, effects: str = "", ghost: Sprite | None = None) -> Choice:
    """A placement. The tile in hand and its effects are shown where it is known."""
    cell = (action.x, action.y)
    return Choice(
        label=f"{format_cell(cell)} {TURNS[action.rotation]}{effects}",
        targets=(f"{BOARD}/{free_key(cell)}", hand),
        panel=BOARD,
        ghost=ghost,
    )


def _ghost(tile: Tile, rotation: int, seat: int, colours: Mapping[str, Colour]) -> Sprite:
    words = f"{format_tile(tile, rotation)}; {format_edges(tile, rotation)}"
    return Sprite(
        key=f"ghost{rotation}",
        x=0,
        y=0,
        shape=whole_tile(tile, rotation, seat, colours),
        label=words,
        seat=seat,
        z=LAST,
    )
