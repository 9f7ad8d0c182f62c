"""The games of OpenSpiel as a source of games."""

from collections.abc import Sequence
from typing import Final

from referee.adapters.open_spiel import chess
from referee.adapters.open_spiel.catalogue import refusal
from referee.adapters.open_spiel.games import game_class, known_class
from referee.adapters.open_spiel.library import game_types, version
from referee.adapters.open_spiel.renderer import OpenSpielRenderer
from referee.adapters.open_spiel.sentences import OpenSpielNarrator, OpenSpielPresenter
from referee.games.registry import GamePackage

PLAYOUTS: Final = "referee.adapters.open_spiel.playouts:OpenSpielPlayouts"
CHESS_OPENINGS: Final = "referee.adapters.open_spiel.chess:read_chess_openings"


class OpenSpielSource:
    """The games that the installed OpenSpiel has."""

    def find(self, text: str) -> GamePackage:
        """The game with this name in the library. Raises OptionError, which says why it can't be played."""
        known = known_class(text)
        return GamePackage(
            game_class(text),
            OpenSpielNarrator,
            type("OpenSpielPresenter", (OpenSpielPresenter,), {"game": known}),
            OpenSpielRenderer,
            known,
            version(),
            openings=CHESS_OPENINGS if text == chess.CHESS else None,
            policy=PLAYOUTS,
        )

    def names(self) -> Sequence[str]:
        """The names of the games that can be played. Raises OptionError if OpenSpiel is not installed."""
        return [name for name, kind in game_types().items() if refusal(kind) is None]


SOURCE = OpenSpielSource()
"""What is registered in `referee.games`."""
