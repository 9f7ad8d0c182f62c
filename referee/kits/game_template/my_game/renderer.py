"""Draws a game for pages."""

from collections.abc import Sequence

from my_game.rules import SPREAD, MyGame, Take
from referee.games.boards.grid import Grid, GridRenderer, Place
from referee.games.boards.pieces import NEUTRAL, Piece
from referee.games.boards.seats import Side, seat_strip
from referee.games.narrator import format_count
from referee.games.renderer import Choice, Panel

STONE = Piece("disc", NEUTRAL, "stone")
STONES_IN_ROW = 10
"""Stones in a row."""


class MyGameRenderer(GridRenderer[MyGame]):
    """Renderer of My Game."""

    goal = "Whoever takes the last stone wins."

    def draw(self, game: MyGame) -> Sequence[Panel]:
        """The heap below the names of the players. Taken stones leave a dot."""
        heap = range(game.config.stones + SPREAD)
        places = [
            Place(str(n), n % STONES_IN_ROW, n // STONES_IN_ROW, STONE if n < game.stones else None) for n in heap
        ]
        taken = [Side(f"{format_count(count, 'stones')} taken") for count in game.taken]
        return [self.grids.draw(Grid(places, "points"), seat_strip(self.names, taken))]

    def choices(self, game: MyGame, legal: Sequence[Take]) -> Sequence[Choice]:
        """Words, and the first of the stones that are taken: a click on it takes it and those after it."""
        return [
            self.grids.choice(f"take {format_count(take.count, 'stones')}", [str(game.stones - take.count)])
            for take in legal
        ]
