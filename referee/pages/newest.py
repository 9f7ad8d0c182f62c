"""The newest position of a game that is being played, as a small picture and without the steps before it."""

from collections.abc import Sequence
from typing import NamedTuple

from referee.games.renderer import Audience
from referee.pages.audience import AudienceView, known_players
from referee.pages.pools import Pools
from referee.pages.svg import main_panels, write_svg
from referee.record.render import player_names
from referee.record.replay import Replay


class Preview(NamedTuple):
    """The newest position of a game, small, as an audience sees it."""

    round: int
    scores: Sequence[float]
    """By seat; empty if the audience doesn't know them."""
    picture: str
    """SVG."""


class Newest:
    """Follows a game for one audience. To draw only its newest position costs a fraction of a `Timeline`."""

    def __init__(self, record: bytes, audience: Audience) -> None:
        """`record`: the lines so far, with those of the setup. Raises InvalidRecord."""
        replay = self._replay = Replay(record)
        if replay.unstarted is not None:
            raise replay.unstarted
        names = player_names(known_players(replay.header, None if audience == "all" else audience))
        self._view = AudienceView(replay.game, audience, names, Pools(with_paths=False))
        self._follow()
        self.extend(b"")

    def extend(self, lines: bytes) -> None:
        """Take in further lines. Raises InvalidRecord."""
        self._replay.extend(lines)
        while self._replay.replayed < len(self._replay.rest):
            self._replay.step()
            self._follow()

    def _follow(self) -> None:
        self._view.advance(self._replay.latest(), breaks_off=self._replay.is_cut_off)

    def draw(self) -> Preview:
        view = self._view
        view.show_places(self._replay)
        panels = [] if view.game is None else view.renderer.draw(view.game)
        picture = write_svg(main_panels(panels), self._replay.game_type.title, view.renderer.css)
        return Preview(view.round, view.scores(), picture)
