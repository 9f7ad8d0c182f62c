"""The interface of a narrator, which describes a game in English, and functions shared by narrators.

The rules do not depend on a narrator. The registry names one for each game, which is imported on first use.
"""

import abc
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Final, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from referee.games.interface import DecisionEvent, Event, Game

G = TypeVar("G", bound=Game)
Level = Literal[0, 1, 2, 3]
HEADING: Final = 0
SECTION: Final = 1
SENTENCE: Final = 2
DETAIL: Final = 3
LEVEL_INDENT: Final = "  "
GAME_ID_PARTS: Final = re.compile(
    r"(?:r(?P<round>\d{1,9})-t(?P<in_round>\d{1,9})-d|)(?P<deal>\d{1,9})-s?(?P<rotation>\d{1,9})"
    r"(?:-again(?P<again>\d{1,9})|-(?P<table>\d{1,9}))?",
    re.ASCII,
)
"""The ids of games of tournaments (`r03-t002-d05-s1`) and of matches (`0007-2`, in a field `0007-2-1`)."""
ABOUT_ROTATIONS: Final = "Games of one deal are dealt the same; from rotation to rotation each bot moves one seat on."
"""What the numbers in the name of a game mean, for people who have not seen one before."""


class Said(Struct, frozen=True):
    """A line of a narrator: a heading such as that of a round, a section below it, a sentence such as that of a
    decision, or a detail of it.
    """

    text: str
    """Without line breaks."""
    level: Level = SENTENCE
    joined: bool = False
    """Whether it continues the sentence before it, which may be one of an earlier decision."""
    alone: str = ""
    """The same as a whole sentence, if `text` needs what it continues, or what continues it."""
    round: int | None = None
    """In the heading of a round, its number: the round can be shown alone."""

    @property
    def indented(self) -> str:
        return LEVEL_INDENT * self.level + self.text

    @property
    def whole(self) -> str:
        """The text where neither what it continues nor what continues it is shown."""
        return (self.alone or self.text).removesuffix(":")


def join(said: Iterable[Said]) -> list[Said]:
    """The lines, with each continuation joined to the sentence before it. One without a sentence before it stays."""
    lines: list[Said] = []
    for line in said:
        if line.joined and lines and lines[-1].level >= SENTENCE:
            lines[-1] = msgspec.structs.replace(lines[-1], text=join_texts(lines[-1].text, line.text), alone="")
        else:
            lines.append(line)
    return lines


def join_texts(text: str, *continuations: str) -> str:
    """A sentence and its continuations as one text."""
    return f"{text}{' ' if text.endswith(':') else '; '}{'; '.join(continuations)}" if continuations else text


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
    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """Describe the latest `events` of the log: those of the setup, and then those of each decision.

        The caller exhausts the iterator before it applies the next decision, so the game is in the position after these
        events. The first line that is a sentence is that of the decision.
        """

    def narrate_position(self) -> Iterator[Said]:
        """Describe what `narrate` has not yet described of the position at the end of an unfinished record."""
        return iter(())

    def draw(self) -> Iterator[str]:
        """Draw the position as text, for pages of a game without a renderer."""
        return (said.indented for said in self.narrate_position())


class PlainNarrator(Narrator[Game]):
    """Describes a game that has no narrator: its decisions as they are on the wire."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        for event in events:
            if isinstance(event, DecisionEvent):
                action = msgspec.json.encode(event.action).decode()
                yield Said(f"{self.names[event.seat]}: {readable(event.decision)} {action}")


def in_points(game: type[Game], score: int) -> float:
    """A score in points of the rules: those of rankings, on the wire and in records are in units."""
    return score if game.score_scale == 1 else score / game.score_scale


def format_score(game: type[Game], score: int) -> str:
    """A score for people, in points."""
    return f"{in_points(game, score):.10g}"


def format_tie_breaks(
    game: type[Game], names: Sequence[str], scores: Sequence[int], ranks: Sequence[int], faults: Sequence[str | None]
) -> Iterator[str]:
    """For equal scores with different ranks, what has decided. All by seat; bots with faults come last anyway."""
    equal: dict[int, list[int]] = {}
    for seat in sorted(range(len(names)), key=lambda seat: ranks[seat]):
        if faults[seat] is None:
            equal.setdefault(scores[seat], []).append(seat)
    for score, seats in equal.items():
        if game.tie_break and len({ranks[seat] for seat in seats}) > 1:
            ahead = ", then ".join(names[seat] for seat in seats)
            yield f"With {format_score(game, score)} points each, {game.tie_break} decides: {ahead}"


def readable(name: str) -> str:
    """An identifier as text: `great_wall` becomes `great wall`."""
    return name.replace("_", " ")


def format_game_id(game_id: str) -> str:
    """A game as people call it: `r03-t002-d05-s1` is `round 3, table 2, deal 5, rotation 1`. Other ids stay."""
    found = GAME_ID_PARTS.fullmatch(game_id)
    if found is None:
        return game_id
    numbers = {
        "round": found["round"],
        "table": found["in_round"] or found["table"],
        "deal": found["deal"],
        "rotation": found["rotation"],
        "replay": found["again"],
    }
    return ", ".join(f"{what} {int(number)}" for what, number in numbers.items() if number is not None)


def format_count(number: int, noun: str) -> str:
    """A number with a noun that is given in the plural: `format_count(1, "tiles")` is `1 tile`."""
    return f"{number} {noun.removesuffix('s') if number == 1 else noun}"
