"""How a game is described to people: the interface of a narrator, and words that all narrators need.

The rules know nothing of their narrator. The registry names one for each game, and it is imported when it is first
asked for, so that programs that only search in the rules never load any prose.
"""

import abc
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

from referee.games.interface import Event, Game

G = TypeVar("G", bound=Game)


class Narrator(abc.ABC, Generic[G]):
    """Describes one game in English. It reads the game and its log, and changes nothing.

    `names` are those of the seats. Drawings fit into `width` characters, if it is given; sentences may be longer, for
    the caller wraps them.
    """

    seat_styles: ClassVar[Sequence[str]] = ("cyan", "yellow", "green", "magenta", "blue", "red")
    """The colour of each seat's name on a terminal."""
    styles: ClassVar[Sequence[tuple[str, str]]] = ()
    """Regular expressions for other things in the lines, each with its style on a terminal, such as `bold green`."""

    def __init__(self, game: G, names: Sequence[str], width: int | None = None) -> None:
        self.game = game
        self.names = names
        self.width = width

    @abc.abstractmethod
    def narrate(self, events: Sequence[Event]) -> Iterator[str]:
        """Describe the latest `events` of the log: those of the setup, and then those of each decision.

        It is called, and read to its end, before the next decision is applied: the game is as these events left it.
        Yields lines. A heading is not indented, everything else is, and a line that begins with "…" continues the
        line before it.
        """

    def narrate_position(self) -> Iterator[str]:
        """Describe the position in which a record ends before the game does, as far as `narrate` has not."""
        return iter(())


def readable(name: str) -> str:
    """A name from the rules or the wire as people write it: `great_wall` becomes `great wall`."""
    return name.replace("_", " ")


def counted(number: int, noun: str) -> str:
    """A number with its noun, which is given in the plural: `counted(1, "tiles")` is `1 tile`."""
    return f"{number} {noun.removesuffix('s') if number == 1 else noun}"
