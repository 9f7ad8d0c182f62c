"""A grid of pieces: squares, hexagons, crossings of lines or single points, with coordinates, walls, and clicks.

A renderer keeps one `Grids`, as `GridRenderer` does. It draws the positions of a game in their order, so that pieces
that have moved glide:

    PIECES = {"x": Piece("cross", "seat0", "cross"), "o": Piece("ring", "seat1", "ring")}

    class TicTacToeRenderer(GridRenderer[TicTacToe]):
        def draw(self, game: TicTacToe) -> Sequence[Panel]:
            return [self.grids.draw(Grid(squares(game.rows, PIECES)))]
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final, Literal, NamedTuple

from referee.games.boards.pieces import BOARD_CSS, FIELD, Piece, piece_shape
from referee.games.boards.seats import BOARD, BOARD_WIDTH, NO_STRIP, Strip, word_row
from referee.games.renderer import Audience, Choice, G, Node, Panel, Renderer, Sprite, text

MARGIN_OF_LABELS: Final = 20
"""Space for coordinates at the left and below."""
LARGEST: Final = 80
"""Width of a field on a small board."""
HEX_ROW: Final = 0.866
"""Distance of two rows of hexagons, in fields."""
FIELDS, MARKS, CELLS, PIECES, OVER = range(5)
Form = Literal["squares", "checkered", "hexagons", "lines", "points"]


class Place(NamedTuple):
    """A field: its name, its middle counted in fields, y downwards, and the piece on it."""

    name: str
    x: float
    y: float
    piece: Piece | None = None


class Stroke(NamedTuple):
    """A line on the board, such as a wall, with its ends counted in fields. `classes` are those of a `line`."""

    x1: float
    y1: float
    x2: float
    y2: float
    classes: str = "field-line"
    key: str = ""
    """A stroke with a key is a sprite of its own: something that was built, and where one may be built."""
    words: str = ""


Link = tuple[float, float, float, float]
"""A straight line from one field to another, by their middles."""


class Grid(NamedTuple):
    """A board. `labels`: coordinates and other words on the paper beside the fields."""

    places: Sequence[Place]
    form: Form = "squares"
    labels: Sequence[tuple[str, float, float]] = ()
    strokes: Sequence[Stroke] = ()
    title: str = ""
    key: str = BOARD
    half: bool = False
    ends: tuple[float, float, float, float] | None = None
    """Left, right, top and bottom of what is shown, where it is more than the places need."""
    latest: str = ""
    """The name of a place whose piece is marked as the latest."""
    won: Sequence[Link] = ()
    """What won the game, drawn over the pieces: a line of them, or the links of a chain."""


def squares(
    rows: Sequence[str | Sequence[str]],
    pieces: Mapping[str, Piece],
    name: Callable[[int, int], str] = lambda row, column: f"{row},{column}",
) -> list[Place]:
    """Places from rows of characters, where one that isn't among `pieces` is an empty field."""
    return [
        Place(name(y, x), x, y, pieces.get(character)) for y, row in enumerate(rows) for x, character in enumerate(row)
    ]


class Grids:
    """Draws the grids of one game, one position after the other."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, dict[str, tuple[str, Piece]]]] = {}
        self._sizes: dict[str, float] = {}

    def draw(self, grid: Grid, strip: Strip = NO_STRIP, words: Sequence[str] | None = None) -> Panel:
        """The panel of a grid, below the row of seats, and above words to click: an empty list leaves room for them."""
        xs, ys = [place.x for place in grid.places], [place.y for place in grid.places]
        left, right, top, bottom = grid.ends or (min(xs), max(xs), min(ys), max(ys))
        axis = MARGIN_OF_LABELS if grid.labels else 4
        field = round(min(LARGEST, (BOARD_WIDTH - 2 * axis) / (right - left + 1)), 2)
        self._sizes[grid.key] = field
        across = (right - left + 1) * field
        x0 = (BOARD_WIDTH - across) / 2 + (0.5 - left) * field
        above = axis if grid.form == "hexagons" else 0
        y0 = (0.5 - top) * field + above

        def at(x: float, y: float) -> tuple[float, float]:
            return round(x0 + x * field, 2), round(y0 + y * field, 2)

        sprites = [*strip.sprites, self._ground(grid, at, field, (left, right, top, bottom))]
        sprites += [_stroke(stroke, at) for stroke in grid.strokes if stroke.key]
        keys = self._keys(grid)
        for place in grid.places:
            x, y = at(place.x, place.y)
            sprites.append(_cell(place.name, x, y, grid.form, field, place.piece.words if place.piece else ""))
            if place.piece is not None:
                sprites.append(_piece(keys[place.name], x, y, place.piece, field))
                if place.name == grid.latest:
                    dot = Node("circle", {"class": "accent", "r": round(field / 8, 1)})
                    sprites.append(
                        Sprite(key="latest", x=x, y=y, shape=(dot,), label="latest move", quiet=True, z=OVER)
                    )
        if grid.won:
            ends = ((*at(x1, y1), *at(x2, y2)) for x1, y1, x2, y2 in grid.won)
            path = "".join(f"M{x1:g},{y1:g}L{x2:g},{y2:g}" for x1, y1, x2, y2 in ends)
            shape = [Node("path", {"class": name, "d": path}) for name in ("won-halo", "won")]
            sprites.append(Sprite(key="won", x=0, y=0, shape=shape, label="what won the game", quiet=True, z=OVER))
        height = round(above + (bottom - top + 1) * field + axis + 4, 1)
        if words is not None:
            added, more = word_row(words, height + 4)
            sprites += added
            height += more + 4
        return Panel(
            key=grid.key,
            title=grid.title,
            half=grid.half,
            top=-strip.height,
            width=BOARD_WIDTH,
            height=strip.height + height,
            sprites=sprites,
        )

    def choice(
        self, label: str, names: Sequence[str], piece: Piece | None = None, key: str = BOARD, extra: Sequence[str] = ()
    ) -> Choice:
        """A legal action that puts a piece on the last of these places, and has to do with the others."""
        targets = (*(f"{key}/{name}" for name in reversed(names)), *extra)
        if piece is None or not names:
            return Choice(label=label, targets=targets)
        ghost = _piece("ghost", 0, 0, piece, self._sizes.get(key, FIELD))
        return Choice(label=label, targets=targets, panel=key, ghost=ghost)

    def _keys(self, grid: Grid) -> dict[str, str]:
        """A key for the piece of each place: that of an equal piece that has left its place, or else a new one."""
        count, before = self._known.get(grid.key, (0, {}))
        now = {place.name: place.piece for place in grid.places if place.piece is not None}
        kept = {name: known for name, known in before.items() if now.get(name) == known[1]}
        gone = [known for name, known in before.items() if name not in kept]
        for name, piece in now.items():
            if name in kept:
                continue
            moved = next((known for known in gone if known[1] == piece), None)
            if moved is None:
                count += 1
                moved = (f"piece{count}", piece)
            else:
                gone.remove(moved)
            kept[name] = moved
        self._known[grid.key] = count, kept
        return {name: key for name, (key, _) in kept.items()}

    def _ground(
        self,
        grid: Grid,
        at: Callable[[float, float], tuple[float, float]],
        field: float,
        ends: tuple[float, float, float, float],
    ) -> Sprite:
        """What never changes: fields, lines, coordinates."""
        left, right, top, bottom = ends
        half = field / 2
        shape = []
        if grid.form in ("squares", "checkered", "hexagons"):
            outlines: dict[str, list[str]] = {"field": [], "field-deep": []}
            for place in grid.places:
                x, y = at(place.x, place.y)
                deep = grid.form == "checkered" and (place.x + place.y) % 2 == 1
                outlines["field-deep" if deep else "field"].append(_outline(grid.form, x, y, half))
            line = "" if grid.form == "checkered" else " field-line"
            # Fill and line are two shapes, as `field-line` has no filling.
            shape += [Node("path", {"class": tint, "d": "".join(d)}) for tint, d in outlines.items() if d]
            shape += [Node("path", {"class": line.strip(), "d": "".join(outlines["field"])})] if line else []
        elif grid.form == "lines":
            (x1, y1), (x2, y2) = at(left, top), at(right, bottom)
            shape.append(
                Node("rect", {"class": "field", "x": x1 - half, "y": y1 - half, "width": x2 - x1 + field,
                              "height": y2 - y1 + field, "rx": 4})
            )  # fmt: skip
            rows = "".join(f"M{x1:g},{at(0, y)[1]:g}H{x2:g}" for y in sorted({place.y for place in grid.places}))
            columns = "".join(f"M{at(x, 0)[0]:g},{y1:g}V{y2:g}" for x in sorted({place.x for place in grid.places}))
            shape.append(Node("path", {"class": "field-line", "d": rows + columns}))
        for stroke in grid.strokes:
            if not stroke.key:
                (x1, y1), (x2, y2) = at(stroke.x1, stroke.y1), at(stroke.x2, stroke.y2)
                shape.append(Node("line", {"class": stroke.classes, "x1": x1, "y1": y1, "x2": x2, "y2": y2}))
        if grid.form == "points":
            dots = [Node("circle", {"class": "piece-dot", "cx": x, "cy": y, "r": round(field / 9, 2)})
                    for x, y in (at(place.x, place.y) for place in grid.places)]  # fmt: skip
            shape += dots
        for label, lx, ly in grid.labels:
            x, y = at(lx, ly)
            shape.append(text(label, x, max(y + 4.5, 13), "muted middle"))
        return Sprite(key="ground", x=0, y=0, shape=shape, z=FIELDS)


class GridRenderer(Renderer[G]):
    """A renderer that draws with `self.grids`."""

    css = BOARD_CSS

    def __init__(self, names: Sequence[str], audience: Audience) -> None:
        super().__init__(names, audience)
        self.grids = Grids()


def _outline(form: Form, x: float, y: float, half: float) -> str:
    if form != "hexagons":
        return f"M{x - half:g},{y - half:g}h{2 * half:g}v{2 * half:g}h{-2 * half:g}z"
    radius = half / HEX_ROW
    corners = (f"{x + sin(pi * n / 3) * radius:.1f},{y - cos(pi * n / 3) * radius:.1f}" for n in range(6))
    return f"M{'L'.join(corners)}z"


# Every position that is drawn has most of the fields and pieces of the one before.
@lru_cache(maxsize=8192)
def _cell(name: str, x: float, y: float, form: Form, field: float, words: str) -> Sprite:
    return Sprite(
        key=name, x=x, y=y, shape=(_area(form, field),), label=f"{name} {words}".strip(), slides=True, z=CELLS
    )


@lru_cache(maxsize=8192)
def _piece(key: str, x: float, y: float, piece: Piece, field: float) -> Sprite:
    return Sprite(key=key, x=x, y=y, shape=(piece_shape(piece, field),), quiet=True, z=PIECES)


def _area(form: Form, field: float) -> Node:
    """Where a place is clicked; its outline marks what has changed, and targets."""
    if form == "hexagons":
        return Node("circle", {"class": "cell", "r": round(field / 2 - 4, 1)})
    half = round(max(field / 2 - 4.5, field / 4), 1)
    return Node("rect", {"class": "cell", "x": -half, "y": -half, "width": 2 * half, "height": 2 * half})


def _stroke(stroke: Stroke, at: Callable[[float, float], tuple[float, float]]) -> Sprite:
    (x1, y1), (x2, y2) = at(stroke.x1, stroke.y1), at(stroke.x2, stroke.y2)
    shape = Node("line", {"class": stroke.classes, "x1": 0, "y1": 0, "x2": round(x2 - x1, 2), "y2": round(y2 - y1, 2)})
    return Sprite(key=stroke.key, x=x1, y=y1, shape=(shape,), label=stroke.words, z=MARKS)
