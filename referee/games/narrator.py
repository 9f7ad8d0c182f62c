"""The interface of a narrator, which describes a game in English, and functions shared by narrators.

The rules do not depend on a narrator. The registry names one for each game, which is imported on first use.
"""

import abc
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from referee.games.interface import DecisionEvent, Event, Game

G = TypeVar("G", bound=Game)
CONTINUATION: Final = "…"
"""The prefix of a line that continues the previous one."""


class Narrator(abc.ABC, Generic[G]):
    """Describes one game in English. Reads the game and its log, and changes nothing.

    `names` are the players' names by seat. Drawings fit into `width` characters, if given; sentences may be longer,
    because the caller wraps them.
    """

    seat_styles: ClassVar[Sequence[str]] = ("cyan", "yellow", "green", "magenta", "blue", "red")
    """The colour of each seat's name on a terminal."""
    styles: ClassVar[Sequence[tuple[str, str]]] = ()
    """Regular expressions for other parts of the lines, each with its style on a terminal, such as `bold green`."""
    drawings: bool = True
    """Whether `narrate` draws the table. False where it is drawn otherwise."""

    def __init__(self, game: G, names: Sequence[str], width: int | None = None) -> None:
        self.game = game
        self.names = names
        self.width = width

    @abc.abstractmethod
    def narrate(self, events: Sequence[Event]) -> Iterator[str]:
        """Describe the latest `events` of the log: those of the setup, and then those of each decision.

        The caller exhausts the iterator before it applies the next decision, so the game is in the position after these
        events. Yields lines. Headings are not indented, all other lines are; the heading of a round begins with
        `Round N`. The sentence of a decision is the first line with an indent of four; a line that begins with "…"
        continues the previous one.
        """

    def narrate_position(self) -> Iterator[str]:
        """Describe what `narrate` has not yet described of the position at the end of an unfinished record."""
        return iter(())

    def draw(self) -> Iterator[str]:
        """Draw the position as text, for pages of a game without a renderer."""
        return self.narrate_position()


class PlainNarrator(Narrator[Game]):
    """Describes a game that has no narrator: its decisions as they are on the wire."""

    def narrate(self, events: Sequence[Event]) -> Iterator[str]:
        """A line per decision."""
        for event in events:
            if isinstance(event, DecisionEvent):
                action = msgspec.json.encode(event.action).decode()
                yield f"    {self.names[event.seat]}: {readable(event.decision)} {action}"


def line_styles(narrator: type[Narrator[Any]], names: Sequence[str]) -> list[tuple[re.Pattern[str], str]]:
    """The styles of a narrator's lines on a terminal, including those of the players' names."""
    longest_first = sorted(range(len(names)), key=lambda seat: -len(names[seat]))
    styles = [(re.compile(pattern), style) for pattern, style in narrator.styles]
    return styles + [
        (
            re.compile(rf"(?<!\w){re.escape(names[seat])}(?![\w#])"),
            narrator.seat_styles[seat % len(narrator.seat_styles)],
        )
        for seat in longest_first
    ]


def in_points(game: type[Game], score: int) -> float:
    """A score in points of the rules: those of rankings, on the wire and in records are in units."""
    return score if game.score_scale == 1 else score / game.score_scale


def format_score(game: type[Game], score: int) -> str:
    """A score for people, in points."""
    return f"{in_points(game, score):.10g}"


def readable(name: str) -> str:
    """An identifier as text: `great_wall` becomes `great wall`."""
    return name.replace("_", " ")


def format_count(number: int, noun: str) -> str:
    """A number with a noun that is given in the plural: `format_count(1, "tiles")` is `1 tile`."""
    return f"{number} {noun.removesuffix('s') if number == 1 else noun}"
