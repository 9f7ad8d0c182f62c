"""High Card as a package of its own would name it in its entry point."""

from referee.games import GamePackage, OptionError
from tests.games.third_game import KNOWN, NARRATOR, PRESENTER, HighCard

PACKAGE = GamePackage(HighCard, NARRATOR, PRESENTER, known=KNOWN)


class Decks:
    """A source of games: High Card with names like `decks:32`."""

    def find(self, text: str) -> GamePackage:
        """High Card under that name."""
        if text not in self.names():
            raise OptionError(f"decks:{text}: there is no such deck; there are {', '.join(self.names())}")
        game = type(
            f"HighCard{text}", (HighCard,), {"__slots__": (), "name": f"decks:{text}", "title": f"Cards {text}"}
        )
        return GamePackage(game, rules="decks 2")

    def names(self) -> list[str]:
        """Two."""
        return ["32", "52"]


DECKS = Decks()
