"""The narrator, the presenter and the renderer of all games of OpenSpiel: texts of the library."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from referee.adapters.open_spiel.games import KnownOpenSpielGame, Moves, OpenSpielGame, OpenSpielObservation, Over, Play
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from referee.games.narrator import HEADING, SECTION, Narrator, Said
from referee.games.presenter import Menu, MenuEntry, Presenter
from referee.games.renderer import Choice, Node, Panel, Renderer, Sprite

CHARACTER_WIDTH = 7.83
"""Width of a character at a font size of 13 in the class `mono`."""
LINE_HEIGHT = 17
MIN_COLUMNS = 60
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def position_lines(game: OpenSpielGame) -> list[str]:
    """The position as far as the game is known, in lines."""
    text = game.seen if isinstance(game, KnownOpenSpielGame) else str(game.state)
    return [line.rstrip() for line in text.expandtabs().splitlines()]


def labels(legal: Sequence[Play]) -> list[str]:
    """A label for each action, all different."""
    count = Counter(play.text for play in legal)
    return [
        play.text if play.text.strip() and count[play.text] == 1 else f"{play.text} ({play.action})".strip()
        for play in legal
    ]


class OpenSpielNarrator(Narrator[OpenSpielGame]):
    """Says what was drawn and decided, in the words of the library."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line per draw, decision and common move; at the end the position."""
        for event in events:
            match event:
                case ChanceEvent(round=int(number)):
                    yield Said(f"chance: {self.game.draws[number - 1]}")
                case DecisionEvent(seat=seat, action=action):
                    play = action if isinstance(action, Play) else Play(**action)
                    yield Said(f"{self.names[seat]}: {play.text.strip() or play.action}")
                case Moves(plays=plays):
                    made = [(name, play) for name, play in zip(self.names, plays, strict=True) if play is not None]
                    yield Said(f"together: {'; '.join(f'{name}: {play.text}' for name, play in made)}")
                case Over(position=position):
                    yield Said("The final position", HEADING)
                    yield from (Said(line, SECTION) for line in position.expandtabs().splitlines())

    def narrate_position(self) -> Iterator[Said]:
        """The position at the end of an unfinished game."""
        if self.game.turn is not None:
            yield Said("The position", HEADING)
            yield from (Said(line, SECTION) for line in position_lines(self.game))

    def draw(self) -> Iterator[str]:
        """The position."""
        yield from position_lines(self.game)


class OpenSpielPresenter(Presenter[OpenSpielGame]):
    """Shows a seat its observation, and its actions as a list."""

    narrator = OpenSpielNarrator
    rules = {}  # noqa: RUF012 (declared ClassVar in Presenter)

    def table(self, observation: OpenSpielObservation, legal: Sequence[Any], width: int) -> Iterator[str]:
        """What the seat sees."""
        yield f"You are {self.names[self.seat]}, player {self.seat} of OpenSpiel"
        for line in (observation.observation or observation.information).expandtabs().splitlines():
            yield f"  {line}"

    def menu(self, observation: OpenSpielObservation, legal: Sequence[Play]) -> Menu:
        """All legal actions."""
        entries = [MenuEntry(label, play) for label, play in zip(labels(legal), legal, strict=True)]
        return Menu("What do you play?", entries)


class OpenSpielRenderer(Renderer[OpenSpielGame]):
    """Draws the position as text."""

    def draw(self, game: OpenSpielGame) -> Sequence[Panel]:
        """One panel; none if nothing is known."""
        lines = [
            "".join(character if character.isprintable() else "?" for character in line)
            for line in position_lines(game)
        ]
        if not any(lines):
            return []
        sprites = [
            Sprite(
                key=f"line{number}",
                x=0,
                y=LINE_HEIGHT * (number + 1),
                shape=[Node("text", {"class": "mono"}, [line.replace(" ", NO_BREAK_SPACE)])],
                label=line.strip(),
                quiet=True,
            )
            for number, line in enumerate(lines)
            if line.strip()
        ]
        width = max(MIN_COLUMNS, *map(len, lines)) * CHARACTER_WIDTH
        height = LINE_HEIGHT * (len(lines) + 1)
        return [Panel(key="table", title="The table", width=round(width), height=height, sprites=sprites)]

    def choices(self, game: OpenSpielGame, legal: Sequence[Play]) -> Sequence[Choice]:
        """The actions in the words of the library."""
        return [Choice(label=label) for label in labels(legal)]
