"""My Game, a game for the referee."""

from my_game.rules import MyGame
from referee.games import GamePackage

PACKAGE = GamePackage(MyGame, "my_game.narrator:MyGameNarrator", renderer="my_game.renderer:MyGameRenderer")
"""The entry point in the group `referee.games`."""
