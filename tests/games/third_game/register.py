"""Adds High Card to the registry of the process that imports this.

The line with `register` is all that a game needs in `referee/games/__init__.py`.
"""

from referee.games import register
from tests.games.third_game import CODEC, KNOWN, NARRATOR, PRESENTER, HighCard

register(HighCard, narrator=NARRATOR, presenter=PRESENTER, known=KNOWN, codec=CODEC)
