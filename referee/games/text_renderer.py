"""The drawing of a game without a renderer: what its narrator draws as text, in a monospaced panel."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from referee.games.interface import Game
from referee.games.narrator import Narrator
from referee.games.renderer import Audience, Node, Panel, Renderer, Sprite
from referee.printable import printable

CHARACTER: Final = 7.83
"""Width of a character of 13 units in the fonts of the class `mono`."""
LINE: Final = 17
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
"""Several of them in a row are not drawn as one, whatever draws the SVG."""


class TextRenderer(Renderer[Game]):
    columns: ClassVar[int] = 100
    """The width that drawings are given, and the minimum width of the panel."""

    def __init__(self, names: Sequence[str], audience: Audience, narrator: type[Narrator[Any]]) -> None:
        super().__init__(names, audience)
        self._narrator = narrator

    def draw(self, game: Game) -> Sequence[Panel]:
        """One panel; none if the narrator draws nothing."""
        lines = [printable(line, len(line)) for line in self._narrator(game, self.names, self.columns).draw()]
        if not any(lines):
            return []
        width = max(self.columns, *map(len, lines)) * CHARACTER
        return [
            Panel(
                key="table",
                title="The table",
                width=round(width),
                height=LINE * (len(lines) + 1),
                sprites=[
                    Sprite(
                        key=f"line{number}",
                        x=0,
                        y=LINE * (number + 1),
                        shape=[Node("text", {"class": "mono"}, [line.replace(" ", NO_BREAK_SPACE)])],
                        label=line.strip(),
                        quiet=True,
                    )
                    for number, line in enumerate(lines)
                    if line.strip()
                ],
            )
        ]
