"""The narrator and the presenter of all games of OpenSpiel."""

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

from msgspec import UNSET

from referee.adapters.open_spiel.games import KnownOpenSpielGame, Moves, OpenSpielGame, OpenSpielObservation, Over, Play
from referee.adapters.open_spiel.sentences import draws, labels, predicate, trick, words_of
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from referee.games.narrator import DETAIL, HEADING, SECTION, Narrator, Said
from referee.games.presenter import Menu, MenuEntry, Presenter

LONGEST: Final = 90
"""Characters of a line that is not wrapped: boards drawn with characters have fewer."""
WRAPPED: Final = 64
WORDS_AT_END: Final = {
    ("chess", True): "Checkmate",
    ("chess", False): "A draw: by stalemate or repetition, or without enough pieces or progress",
    ("gin_rummy", False): "Nobody has knocked: the hand is a draw",
}
"""What is said of the end of a game that somebody has won, or nobody."""


class OpenSpielNarrator(Narrator[OpenSpielGame]):
    """Says what was drawn and decided."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line per decision and common move, and for what was drawn after it; at the end the position."""
        drawn = [event.round for event in events if isinstance(event, ChanceEvent) and event.round is not UNSET]
        for event in events:
            match event:
                case DecisionEvent(seat=seat, action=action):
                    play = action if isinstance(action, Play) else Play(**action)
                    yield Said(f"{self.names[seat]} {predicate(self.game, self.names, seat, play)}")
                    yield from (Said(line, DETAIL) for line in trick(self.game, self.names))
                case Moves(plays=plays) if isinstance(self.game, KnownOpenSpielGame):  # else each has been told
                    made = [(seat, play) for seat, play in enumerate(plays) if play is not None]
                    told = (f"{self.names[seat]} {predicate(self.game, self.names, seat, play)}" for seat, play in made)
                    yield Said("; ".join(told))
                case ChanceEvent(round=int(number)) if number == drawn[-1]:
                    texts = [self.game.draws[each - 1] for each in drawn]
                    yield from (Said(line, DETAIL) for line in draws(self.game, texts, self.names))
                case Over(position=position):
                    known = self.game if isinstance(self.game, KnownOpenSpielGame) else None
                    is_won = known is None and any(self.game.state.returns())
                    if known is None and (said := WORDS_AT_END.get((self.game.kind.short_name, is_won))):
                        yield Said(said, DETAIL)
                    if known and known.seat < 0 and not any(isinstance(each, DecisionEvent) for each in events):
                        yield Said("The game is over: what was hidden is shown")
                    if self.drawings or (known and known.seat >= 0):  # the public is shown it on the table
                        yield Said("The final position", HEADING)
                        yield from (Said(line, SECTION) for line in position.expandtabs().splitlines())

    def narrate_position(self) -> Iterator[Said]:
        if self.game.turn is not None:
            yield Said("The position", HEADING)
            yield from (Said(line, SECTION) for line in self.draw())

    def draw(self) -> Iterator[str]:
        """The position as far as the game is known, with long lines wrapped."""
        text = self.game.seen if isinstance(self.game, KnownOpenSpielGame) else str(self.game.state)
        for line in re.sub(r"(?m)^Terminal\? .*\n?", "", text.expandtabs()).splitlines():
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
        entries = [
            MenuEntry(label, play)
            for label, play in zip(labels([words_of(play.text) for play in legal], legal), legal, strict=True)
        ]
        return Menu("What do you play?", entries)
