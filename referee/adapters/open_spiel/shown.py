"""The narrator and the presenter of all games of OpenSpiel: texts of the library."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

from referee.adapters.open_spiel.games import KnownOpenSpielGame, Moves, OpenSpielGame, OpenSpielObservation, Over, Play
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from referee.games.narrator import HEADING, SECTION, Narrator, Said
from referee.games.presenter import Menu, MenuEntry, Presenter

LONGEST: Final = 90
"""Characters of a line that is not wrapped: boards drawn with characters have fewer."""
WRAPPED: Final = 64
PLAYER: Final = re.compile(r"^(?:Player: ?-?\d+ Action: ?|player=-?\d+ move=)")


def words_of(text: str) -> str:
    """What an action or a draw is called, without the player that some games begin it with."""
    return PLAYER.sub("", text).strip()


def labels(legal: Sequence[Play]) -> list[str]:
    """A label for each action, all different."""
    words = [words_of(play.text) for play in legal]
    count = Counter(words)
    return [
        said if said and count[said] == 1 else f"{said} ({play.action})".strip()
        for said, play in zip(words, legal, strict=True)
    ]


class OpenSpielNarrator(Narrator[OpenSpielGame]):
    """Says what was drawn and decided, in the words of the library."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line per draw, decision and common move; at the end the position."""
        for event in events:
            match event:
                case ChanceEvent(round=int(number)):
                    yield Said(f"chance: {words_of(self.game.draws[number - 1])}")
                case DecisionEvent(seat=seat, action=action):
                    play = action if isinstance(action, Play) else Play(**action)
                    yield Said(f"{self.names[seat]}: {words_of(play.text) or play.action}")
                case Moves(plays=plays):
                    made = [(name, play) for name, play in zip(self.names, plays, strict=True) if play is not None]
                    yield Said(f"together: {'; '.join(f'{name}: {words_of(play.text)}' for name, play in made)}")
                case Over(position=position) if self.drawings or isinstance(self.game, KnownOpenSpielGame):
                    yield Said("The final position", HEADING)
                    yield from (Said(line, SECTION) for line in position.expandtabs().splitlines())

    def narrate_position(self) -> Iterator[Said]:
        if self.game.turn is not None:
            yield Said("The position", HEADING)
            yield from (Said(line, SECTION) for line in self.draw())

    def draw(self) -> Iterator[str]:
        """The position as far as the game is known, with long lines wrapped."""
        text = self.game.seen if isinstance(self.game, KnownOpenSpielGame) else str(self.game.state)
        for line in text.expandtabs().splitlines():
            yield from wrap(line, WRAPPED) if len(line) > LONGEST else [line.rstrip()]


class OpenSpielPresenter(Presenter[OpenSpielGame]):
    """Shows a seat its observation, and its actions as a list."""

    narrator = OpenSpielNarrator
    rules = {}  # noqa: RUF012 (declared ClassVar in Presenter)

    def table(self, observation: OpenSpielObservation, legal: Sequence[Any], width: int) -> Iterator[str]:
        yield f"You are {self.names[self.seat]}, player {self.seat} of OpenSpiel"
        for line in (observation.observation or observation.information).expandtabs().splitlines():
            yield f"  {line}"

    def menu(self, observation: OpenSpielObservation, legal: Sequence[Play]) -> Menu:
        entries = [MenuEntry(label, play) for label, play in zip(labels(legal), legal, strict=True)]
        return Menu("What do you play?", entries)
