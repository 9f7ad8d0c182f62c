"""A game as one audience sees it, step by step: the narrator's lines, the drawing, the legal actions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from protocol.record import GameLine, PlayerInfo
from referee.games import ChanceError, Event, Game, IllegalAction, Narrator, find_narrator, find_renderer
from referee.games.interface import ALL, DecisionEvent
from referee.games.known import KnownGame
from referee.games.narrator import LEVEL_INDENT, SECTION, SENTENCE, Said, in_points, join, readable
from referee.games.placed_names import place_names, split_names, with_names
from referee.games.registry import find_known
from referee.games.renderer import Audience, Choice, Renderer
from referee.games.text_renderer import TextRenderer
from referee.pages.document import Line, PanelChange
from referee.pages.pools import Pools, ShownPanels
from referee.printable import printable
from referee.record.replay import Replay

T = TypeVar("T")
MAX_ACTION_CHARS: Final = 200
NOT_KNOWN: Final = "The rules of this game don't say what this audience knows of it: only decisions are listed."


def known_players(header: GameLine, audience: Audience | None) -> list[PlayerInfo]:
    """The players as an audience knows them: a seat was told nothing of the others but names, which may be others."""
    if not isinstance(audience, int):
        return header.players
    names = [info.name for info in header.players] if header.shown_names is UNSET else header.shown_names
    return [
        info if seat == audience else PlayerInfo(name=name)
        for seat, (info, name) in enumerate(zip(header.players, names, strict=True))
    ]


def renderer_for(game: type[Game], names: Sequence[str], audience: Audience) -> Renderer[Any]:
    """What draws a game for an audience: its own renderer, or text."""
    kind = find_renderer(game)
    return TextRenderer(names, audience, find_narrator(game)) if kind is None else kind(names, audience)


class AudienceView:
    """Follows the real `game` for an audience, from what that audience may know."""

    def __init__(self, game: Game, audience: Audience, names: Sequence[str], pools: Pools) -> None:
        self.audience = audience
        self.round = 0
        self._real = game
        self._names = names
        self._places = place_names(names)
        self._pools = pools
        self._panels = ShownPanels(pools)
        self._shown: dict[str, list[Any]] = {}
        """By name the values as they were last shown."""
        self._narrator: Narrator[Any] | None = None
        self.renderer = renderer_for(type(game), names, audience)
        self._known = None if audience == "all" else KnownGame(find_known(type(game)), game.public_config())
        self.is_lost = False
        """Whether the rules can't follow the game from what this audience is sent."""

    @property
    def game(self) -> Game | None:
        """The game as far as it is known; None if that can't be determined."""
        if self.is_lost:
            return None
        return self._real if self._known is None else self._known.game

    def may_see(self, seat: int) -> bool:
        """Whether the audience may see what concerns only this seat."""
        return self.audience in ("all", seat)

    def is_sent(self, event: Event, audience: int | None) -> bool:
        """Whether the audience sees an event for `audience`."""
        if self.audience == "all" or audience is ALL or audience == self.audience:
            return True
        return self.audience == "public" and isinstance(event, DecisionEvent) and self._real.shows_decision(event)

    def advance(self, latest: Sequence[tuple[Event, int | None]], *, breaks_off: bool) -> tuple[list[Said], list[str]]:
        """The narrator's lines and the renderer's marks for the latest events of the real game.

        `breaks_off`: the record ends within them.
        """
        lines: list[Said] = []
        marks: list[str] = []
        was_lost = self.is_lost
        for game, events in self._follow(latest, breaks_off=breaks_off):
            if self._narrator is None:
                self._narrator = find_narrator(type(self._real))(game, self._places)
                self._narrator.drawings = False
            lines += self._narrator.narrate(events)
            marks += self.renderer.marks(events)
        self.round = next((said.round for said in reversed(lines) if said.round is not None), self.round)
        if self.is_lost:
            if not was_lost:
                lines.append(Said(NOT_KNOWN, SECTION))
            for event, audience in latest:
                if isinstance(event, DecisionEvent) and self.is_sent(event, audience):
                    action = printable(msgspec.json.encode(event.action).decode(), MAX_ACTION_CHARS)
                    lines.append(Said(f"{self._places[event.seat]}, {readable(event.decision)}: {action}"))
        return lines, marks

    def _follow(
        self, latest: Sequence[tuple[Event, int | None]], *, breaks_off: bool
    ) -> Iterator[tuple[Game, Sequence[Event]]]:
        """Bring the known game up to date; its latest events, while it is in that position."""
        if self._known is None:
            yield self._real, [event for event, _ in latest]
            return
        if self.is_lost:
            return
        sent = [Raw(msgspec.json.encode(event)) for event, audience in latest if self.is_sent(event, audience)]
        try:
            for events in self._known.follow(self._known.decode(sent)):
                assert self._known.game is not None
                yield self._known.game, events
        except (ChanceError, IllegalAction):
            self.is_lost = not breaks_off
        seen = None
        if self.audience == "public":
            seen = self._real.observe_public()
        elif isinstance(self.audience, int) and self._real.turn is not None:
            seen = self._real.observe(self.audience)
        if seen is not None and self._known.game is not None:
            observation = msgspec.json.encode(seen)
            self._known.game.reveal_observation(msgspec.json.decode(observation, type=self._real.Observation))

    def changes(self) -> tuple[list[PanelChange], list[int] | None]:
        """What has changed in the drawing since the last call."""
        return self._panels.update([] if self.game is None else self.renderer.draw(self.game))

    def scores(self) -> list[float]:
        """The scores by seat; empty if the audience doesn't know them."""
        game = self.game
        return [] if game is None else [in_points(type(game), score) for score in game.ranking().scores]

    def show_places(self, replay: Replay) -> list[int]:
        """Have the places drawn, by seat, those of the result at the end, and who is out; none if nobody is ahead."""
        ranks: Sequence[int] = []
        if replay.result is not None:
            ranks = replay.result.ranks
        elif self.game is not None:
            ranking = self.game.ranking()
            ranks = [] if len(set(ranking.scores)) == 1 else replay.eliminations.final_ranks(ranking.ranks)
        places = [*ranks] if len(set(ranks)) > 1 else []
        self.renderer.places, self.renderer.out = places, replay.eliminations
        return places

    def changed(self, what: str, now: list[T]) -> list[T] | None:
        """A value, if it differs from that of the last call for the same thing."""
        before, self._shown[what] = self._shown.get(what, []), now
        return None if now == before else now

    def standing(self) -> list[str]:
        """What the renderer says beside the scores."""
        return [] if self.game is None else [*self.renderer.standing(self.game)]

    def legal(self) -> list[int]:
        """The legal actions of the decision that is due; empty if the audience may not see them."""
        turn = self._real.turn
        if turn is None or not self.may_see(turn.seat):
            return []
        actions = self._real.legal_actions()
        if self.game is None:
            encoded = [printable(msgspec.json.encode(action).decode(), MAX_ACTION_CHARS) for action in actions]
            return [self._pools.action(Choice(label=text)) for text in encoded]
        return [self._pools.action(choice) for choice in self.renderer.choices(self.game, actions)]

    def is_sent_decision(self, latest: Sequence[tuple[Event, int | None]]) -> bool:
        """Whether the audience was sent a decision among these events."""
        return any(isinstance(event, DecisionEvent) and self.is_sent(event, audience) for event, audience in latest)

    def texts(self, narrated: Iterable[Said]) -> list[str]:
        """What a narrator says in a step as printable text, with the players' names."""
        return [printable(with_names(said.whole, self._names)).strip() for said in join(narrated)]

    def lines(self, narrated: Iterable[Said]) -> list[Line]:
        """What a narrator says in a step, as whole sentences: each step is shown without the one before."""
        lines = []
        for said in join(narrated):
            detail = LEVEL_INDENT * max(0, said.level - SENTENCE)
            parts = (printable(part) if seat is None else part[0] for part, seat in split_names(said.whole))
            text = detail + "".join(parts).rstrip()
            if text:
                level = min(said.level, SENTENCE)
                lines.append(Line(text=self._pools.text(text), level=level))
        return lines
