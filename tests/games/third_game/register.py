"""Adds High Card to the registry of the process that imports this.

Such a line is all that a game needs in `referee/games/registry.py`.
"""

from referee.games import GamePackage, registry
from tests.games.third_game import CODEC, KNOWN, NARRATOR, PRESENTER, HighCard

registry._registry[HighCard.name] = GamePackage(HighCard, NARRATOR, PRESENTER, known=KNOWN, codec=CODEC)
