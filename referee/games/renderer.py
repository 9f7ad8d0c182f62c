"""The interface of a renderer, which draws a game for pages in a browser and as SVG, and the shapes it draws with.

Like a narrator it is registered beside the rules, which do not depend on it. A drawing is data: panels of sprites with
a key each, so that two positions can be compared, stored as differences, and animated. `referee.pages` turns it into
SVG, and allows only the tags and attributes listed here.
"""

import abc
from collections.abc import Container, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar

from msgspec import Struct

from referee.games.interface import Event, Game
from referee.games.rule_texts import RuleText

G = TypeVar("G", bound=Game)

Audience = int | Literal["all", "public"]
"""Who looks: a seat, everybody's secrets together, or a spectator who sees only what is sent to every seat."""

TAGS: Final = frozenset({"g", "path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "text", "tspan"})
"""SVG elements that a drawing may contain."""
ATTRIBUTES: Final = frozenset(
    "class cx cy d dx dy fill-opacity font-size height opacity points r rx ry stroke-dasharray stroke-width "  # noqa: SIM905
    "text-anchor transform width x x1 x2 y y1 y2".split()
)
"""Attributes that these may have. Colours and fonts come from the classes of `referee/pages/scene.css`."""


class Node(Struct, frozen=True, array_like=True):
    """An SVG element. Children are elements or text; text is escaped by whatever draws it."""

    tag: str
    attributes: Mapping[str, str | float] = {}
    children: Sequence["Node | str"] = ()


def text(content: str, x: float, y: float, classes: str = "") -> Node:
    """A line of text that begins (or, by its classes, has its middle or end) at (`x`, `y`)."""
    attributes: dict[str, str | float] = {"x": x, "y": y}
    return Node("text", {"class": classes, **attributes} if classes else attributes, (content,))


def box(x: float, y: float, width: float, height: float, classes: str, radius: float = 4) -> Node:
    """A rectangle with rounded corners."""
    return Node("rect", {"class": classes, "x": x, "y": y, "width": width, "height": height, "rx": radius})


def line(x1: float, y1: float, x2: float, y2: float, classes: str) -> Node:
    return Node("line", {"class": classes, "x1": x1, "y1": y1, "x2": x2, "y2": y2})


class Sprite(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something on the table that can appear, move, change and disappear: a tile, a piece, a counter, a caption.

    `key` is unique in its panel and the same in all positions, so that what has moved can glide. The shape is drawn
    around or from (0, 0) and moved to (`x`, `y`). `label` describes it to readers of screens ("young monk, steady's
    second palace"); decoration has none. `seat`: to whom it belongs, whose colour outlines it when it changes. `quiet`:
    it isn't outlined, as its changes are no news: a row of a list that has moved, a free cell. `slides`: that it moves
    is no news, as of a card in a hand or a field of a board that grows; a new label is, and that it appears if it
    belongs to a seat. Sprites are drawn in the order of `z`, then in the order given.
    """

    key: str
    x: float
    y: float
    shape: Sequence[Node]
    label: str = ""
    seat: int | None = None
    quiet: bool = False
    slides: bool = False
    z: int = 0


class PanelFrame(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the table that is drawn as one SVG: its viewBox begins at (`left`, `top`) in units of its own.

    Panels are laid out in their order. On a wide screen a `half` takes half of the width of the table, two side by
    side; on a phone each is drawn below the other. So text of 13 units stays readable where a half is at most 420 units
    wide.
    """

    key: str
    title: str
    """Its label for readers of screens, and the heading above it. Sentence case, short; `""`: none."""
    left: float = 0
    top: float = 0
    width: float
    height: float
    heading: bool = True
    """Whether the title is written above it."""
    half: bool = False


class Panel(PanelFrame, frozen=True, kw_only=True, omit_defaults=True):
    """A frame and what is drawn in it."""

    sprites: Sequence[Sprite]


class Choice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a legal action is shown: in the list, and on the table.

    `label` is unique among the legal actions of a decision. `targets`: `PANEL/KEY` of the sprites that stand for it,
    the first of them most closely; a click on one selects the actions that have it among their targets. `ghost`: a
    sprite that is shown in `panel` for this action only while legal actions are, such as a tile where it could be
    placed. Its (x, y) is counted from the first target, so that ghosts in many places share one sprite; where several
    actions have the same first target, one of their ghosts is shown.
    """

    label: str
    targets: Sequence[str] = ()
    panel: str = ""
    ghost: Sprite | None = None


class Breakdown(Struct, frozen=True, kw_only=True):
    """The final scores by source: `points` has a row per source, with the points of each seat."""

    sources: Sequence[str]
    points: Sequence[Sequence[int]]


class Renderer(abc.ABC, Generic[G]):
    """Draws one game. `names` are the players' names by seat.

    `game` is always either the game itself (for the audience "all") or the game as far as the audience knows it, as for
    a presenter: the rules, applied to the decisions and draws that it was sent. Draw nothing that comes from elsewhere.
    """

    rules: ClassVar[Mapping[str, RuleText]] = {}
    """The texts that explain the rules, by name."""
    css: ClassVar[str] = ""
    """Further rules for classes of its own, such as the tints of rooms, for light and for dark paper."""
    score: str = ""
    """What the scores count, in words: "points"."""
    goal: str = ""
    """How the game is won, in one sentence for people who have never seen it."""
    places: Sequence[int] | None = None
    """By seat the places to show, with bots that are out last; empty: none yet. None: the ranks by the rules."""
    out: Container[int] = ()
    """The seats of these bots, whose places don't follow from their scores."""

    def __init__(self, names: Sequence[str], audience: Audience) -> None:
        self.names = names
        self.audience = audience

    @abc.abstractmethod
    def draw(self, game: G) -> Sequence[Panel]:
        """The table in the current position, in the order in which its parts are laid out."""

    def choices(self, game: G, legal: Sequence[Any]) -> Sequence[Choice]:
        """How each of the legal actions of the decision that is due is shown, in their order."""
        return [Choice(label=f"{index}. {action!r}") for index, action in enumerate(legal)]

    def marks(self, events: Sequence[Event]) -> Sequence[str]:
        """Words for what readers jump to among these events of one decision, such as `event` or `settlement`."""
        return ()

    def standing(self, game: G) -> Sequence[str]:
        """By seat, what else says who is ahead, such as "2 of 3 tricks"; empty if there is nothing."""
        return ()

    def breakdown(self, game: G) -> Breakdown | None:
        """The final scoring by source, once the game is over. Rows sum up to the scores."""
        return None
