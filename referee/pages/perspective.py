"""A game as one audience sees it: what it knows, what it is told, and what is drawn for it.

A seat and the public see a known game: the rules, applied to the events that are sent to them (as a person's presenter
does). What they don't know is not removed from what is shown: it is not there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from protocol.codec import encode_part
from referee.games import (
    ChanceError,
    Event,
    Game,
    Narrator,
    Presenter,
    Renderer,
    find_narrator,
    find_presenter,
    find_renderer,
)
from referee.games.interface import ALL, DecisionEvent
from referee.games.narrator import readable
from referee.games.renderer import Audience, Breakdown, Choice, Node, Panel, Sprite
from referee.games.rule_texts import RuleText
from referee.printable import printable
from referee.record.render import CONTINUATION, SENTENCE, join_continuations, printable_lines
from referee.record.replay import Replay, as_json

PUBLIC_SEAT: Final = -1
"""The seat of the presenter that stands for the public: nothing is sent to it alone."""
NO_WRAP: Final = 100_000
"""Width at which sentences are joined: browsers wrap them."""
TEXT_WIDTH: Final = 90
"""Characters of a line of a drawing with characters."""
CHAR_WIDTH: Final = 8
LINE_HEIGHT: Final = 18


class NarratedLine(NamedTuple):
    """A line of a narrator, by its indent: 0 is a heading, 1 a section, 2 anything else."""

    text: str
    level: int
    continues: bool = False


class Perspective:
    """A replay as one audience sees it. `advance` brings it up to date with the events of a line."""

    def __init__(self, replay: Replay, audience: Audience, names: Sequence[str]) -> None:
        self.audience = audience
        self._replay = replay
        self._names = names
        game_type = replay.game_type
        presenter = find_presenter(game_type)
        self._presenter: Presenter[Any] | None = None
        self._narrator: Narrator[Any] | None = None
        if audience == "all":
            # A presenter's narrator leaves out drawings with characters, where it has one of its own.
            narrator = find_narrator(game_type) if presenter is None else presenter.narrator
            self._narrator = narrator(replay.game, names, None)
        elif presenter is not None:
            seat = audience if isinstance(audience, int) else PUBLIC_SEAT
            self._presenter = presenter(replay.game.public_config(), seat, names)
        renderer = find_renderer(game_type)
        self._renderer: Renderer[Any] | None = None if renderer is None else renderer(names, audience)

    @property
    def game(self) -> Game | None:
        """The game as the audience knows it; None if it knows none, because the game has no presenter."""
        if self.audience == "all":
            return self._replay.game
        return None if self._presenter is None else self._presenter.known

    def may_see(self, audience: int | None) -> bool:
        """Whether an event with this audience of the log is for this audience."""
        return self.audience == "all" or audience is ALL or audience == self.audience

    def owns(self, seat: int) -> bool:
        """Whether the audience may see what only this seat knows: its legal actions, its `info`, its faults."""
        return self.audience in ("all", seat)

    def advance(self, batch: Sequence[tuple[Event, int | None]]) -> list[NarratedLine]:
        """Take in the latest events of the log, and return what happened."""
        events = [event for event, audience in batch if self.may_see(audience)]
        if self._narrator is not None:
            told: Iterator[str] = self._narrator.narrate(events)
        elif self._presenter is not None:
            told = iter(self._followed(self._presenter, events))
        else:
            told = self._decisions(events)
        lines = narrated_lines(told)
        if self._presenter is not None and isinstance(self.audience, int):
            self._presenter.see(self._replay.game.observe(self.audience))
        return lines

    def _followed(self, presenter: Presenter[Any], events: Sequence[Event]) -> list[str]:
        """What a presenter says of these events."""
        since = 0 if presenter.known is None else len(presenter.known.log)
        try:
            return [*presenter.follow([Raw(encode_part(event)) for event in events])]
        except ChanceError:  # the record breaks off before a draw that the last decision needs
            known = presenter.known
            if known is None:
                raise
            return [*presenter.narrator(known, self._names).narrate([event for event, _ in known.log[since:]])]

    def _decisions(self, events: Sequence[Event]) -> Iterator[str]:
        """A line per decision, for a game that has no presenter."""
        for event in events:
            if isinstance(event, DecisionEvent):
                yield f"    {self._names[event.seat]}: {readable(event.decision)} {as_json(event.action)}"

    # -- what is drawn ----------------------------------------------------------------------------------------

    def panels(self) -> Sequence[Panel]:
        """The table."""
        game = self.game
        if self._renderer is not None and game is not None:
            return self._renderer.draw(game)
        return [text_panel(self._text())]

    def choices(self) -> Sequence[Choice]:
        """How the legal actions of the decision that is due are shown."""
        game = self.game
        if game is None:
            game = self._replay.game  # the caller asks only for the seat that is to decide
        legal = game.legal_actions()
        if self._renderer is not None:
            return self._renderer.choices(game, legal)
        return [Choice(label=f"{number}. {as_json(action)}") for number, action in enumerate(legal, 1)]

    def marks(self, batch: Sequence[tuple[Event, int | None]]) -> Sequence[str]:
        """What readers jump to among these events."""
        if self._renderer is None:
            return ()
        return self._renderer.marks([event for event, audience in batch if self.may_see(audience)])

    def scores(self) -> list[int] | None:
        """The scores so far, if the audience knows them."""
        game = self.game
        return None if game is None else game.ranking().scores

    def breakdown(self) -> Breakdown | None:
        """The final scoring by source."""
        game = self.game
        return None if self._renderer is None or game is None else self._renderer.breakdown(game)

    @property
    def css(self) -> str:
        """Rules for the classes of the game's own drawing."""
        return "" if self._renderer is None else self._renderer.css

    @property
    def rules(self) -> Mapping[str, RuleText]:
        """The explanations of the rules, by name."""
        return {} if self._renderer is None else self._renderer.rules

    def _text(self) -> Iterator[str]:
        """The table drawn with characters, for a game without a renderer."""
        game, presenter = self.game, find_presenter(self._replay.game_type)
        if game is not None:
            position = [*find_narrator(self._replay.game_type)(game, self._names, TEXT_WIDTH).narrate_position()]
            if position:
                yield from position
                return
        seats = range(len(self._names)) if self.audience == "all" else [self.audience]
        for seat in seats:
            if not isinstance(seat, int):
                continue
            observation = self._replay.game.observe(seat)
            if presenter is not None:
                shown = presenter(self._replay.game.public_config(), seat, self._names)
                yield f"As {self._names[seat]} sees it"
                yield from shown.table(observation, (), TEXT_WIDTH)
            else:
                yield from msgspec.json.format(msgspec.json.encode(observation), indent=2).decode().splitlines()


def text_panel(lines: Iterator[str]) -> Panel:
    """A drawing with characters as a panel: one sprite per line."""
    sprites = [
        Sprite(
            key=f"line{number}",
            x=0,
            y=LINE_HEIGHT * (number + 1),
            shape=[Node("text", {"class": "mono"}, [printable(line, len(line))])],
            label=printable(line, len(line)).strip(),
        )
        for number, line in enumerate(lines)
    ]
    width = CHAR_WIDTH * max((len(str(sprite.shape[0].children[0])) for sprite in sprites), default=TEXT_WIDTH)
    return Panel(
        key="text",
        title="",
        width=max(width, 40 * CHAR_WIDTH),
        height=LINE_HEIGHT * (len(sprites) + 1),
        sprites=sprites,
    )


def narrated_lines(lines: Iterable[str]) -> list[NarratedLine]:
    """The lines of a narrator without their indents. Sentences in several parts are joined."""
    found = []
    for line in join_continuations(printable_lines(lines), NO_WRAP):
        text = line.strip()
        if text:
            indent = len(line) - len(line.lstrip())
            continues = text.startswith(CONTINUATION)
            level = 0 if indent == 0 else 1 if indent < len(SENTENCE) else 2
            found.append(NarratedLine(text.removeprefix(CONTINUATION).lstrip(), level, continues))
    return found
