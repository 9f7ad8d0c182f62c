"""Drawing the board with characters, and their colours on a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from math import ceil
from typing import Final, Literal, get_args

from referee.games.forbidden_city.board import Cell, LaidTile
from referee.games.forbidden_city.tiles import ARCH, OWNERS, STEPS, WALL, Tile, sides
from referee.games.tables import check_complete

TEMPLE: Final = (0, 0)
FILLS: Final = {"green": "▒", "pink": "░", "white": "·"}
"""The character that fills rooms of each colour, to distinguish them without terminal colours."""
MORE_FILLS: Final = "▓◦≡≈∷◇●△▤▥▦▧▨▩∴∵○□■▲▽▼◆◊"
"""Characters for the colours of other tile sets, in order. None may occur in a sentence, where it would be styled
too."""
LEFT_MARGIN: Final = "         ┊"
"""The margin to the left of the board; in rows of cells it contains the y coordinate."""
CELL_WIDTH: Final = 5
"""Characters between the walls of a cell."""
NO_MARKS: Final[Mapping[Cell, str]] = {}
Border = Literal["open", "wall", "archway", "blocked"]
BORDERS: Final[dict[Border, str]] = {"open": " ", "wall": "━", "archway": "∩", "blocked": "×"}
check_complete(get_args(Border), BORDERS)
CORNERS: Final = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""Characters for the corner of four cells, by the sum of the walls that end there: 1 north, 2 east, 4 south, 8 west."""
_FILLED: Final = f"(?<=[{''.join(FILLS.values())}{MORE_FILLS}])"
_MORE_COLOURS: Final = ("cyan", "yellow", "magenta", "orange1", "turquoise2", "red", "blue", "gold3")
DRAWING_STYLES: Final = (
    ("▒+|♣", "green"),
    ("░+", "hot_pink"),
    ("·+", "white"),
    *((f"{fill}+", style) for fill, style in zip(MORE_FILLS, cycle(_MORE_COLOURS), strict=False)),
    (f"{_FILLED}D", "bold"),
    *((f"{_FILLED}{owner[0].upper()}\\d", f"bold {owner}") for owner in OWNERS),
)
"""`Narrator.styles` for the drawing."""


def fills(colours: Sequence[str]) -> dict[str, str]:
    """The fill character of each colour, those of the start tile first."""
    others = [colour for colour in colours if colour not in FILLS]
    return FILLS | dict(zip(others, MORE_FILLS, strict=False))


def draw(
    board: Sequence[LaidTile], fill: dict[str, str], width: int | None, marks: Mapping[Cell, str] = NO_MARKS
) -> Iterator[str]:
    """The lines of the board, north at the top, with coordinates at the edges and `marks` in empty cells.

    A board wider than `width` is drawn in bands of columns, one below the other.
    """
    tiles = {(laid.x, laid.y): laid for laid in board}
    xs, ys = {x for x, _ in (*tiles, *marks)}, {y for _, y in (*tiles, *marks)}
    found = bands(range(min(xs), max(xs) + 1), width)
    for columns in found:
        if len(found) > 1:
            yield f"    Columns {columns[0]} to {columns[-1]}:"
        for y in range(max(ys), min(ys) - 1, -1):
            yield f"{LEFT_MARGIN}{border_row(tiles, columns, y)}".rstrip()
            yield f"{y:8} {LEFT_MARGIN[-1]}{cell_row(tiles, columns, y, fill, marks)}".rstrip()
        yield f"{LEFT_MARGIN}{border_row(tiles, columns, min(ys) - 1)}".rstrip()
        yield f"{LEFT_MARGIN} {' '.join(f'{x:>{CELL_WIDTH - 2}}'.ljust(CELL_WIDTH) for x in columns)}".rstrip()


def bands(columns: range, width: int | None) -> list[range]:
    """The columns, split into the fewest bands that fit into `width`, of about equal size."""
    fit = len(columns) if width is None else max(1, (width - len(LEFT_MARGIN) - 1) // (CELL_WIDTH + 1))
    number = ceil(len(columns) / fit)
    size = ceil(len(columns) / number)
    return [columns[first : first + size] for first in range(0, len(columns), size)]


def border_row(tiles: dict[Cell, LaidTile], columns: range, y: int) -> str:
    """The walls north of a row of cells, and the corners between them."""
    drawn = [corner(tiles, columns.start, y)]
    for x in columns:
        kind = border(tiles, (x, y), 0)
        mark = BORDERS[kind]
        drawn.append(" " * CELL_WIDTH if kind == "open" else mark.center(CELL_WIDTH, BORDERS["wall"]))
        drawn.append(corner(tiles, x + 1, y))
    return "".join(drawn)


def draw_tile(laid: LaidTile, fill: dict[str, str]) -> list[str]:
    """The three lines of a single tile, all of the same length."""
    tiles, column = {(laid.x, laid.y): laid}, range(laid.x, laid.x + 1)
    return [
        border_row(tiles, column, laid.y),
        cell_row(tiles, column, laid.y, fill),
        border_row(tiles, column, laid.y - 1),
    ]


def cell_row(
    tiles: dict[Cell, LaidTile],
    columns: range,
    y: int,
    fill: dict[str, str],
    marks: Mapping[Cell, str] = NO_MARKS,
) -> str:
    """A row of cells with the walls between them."""
    drawn = []
    for x in columns:
        laid = tiles.get((x, y))
        drawn += [
            west_border(tiles, x, y),
            marks.get((x, y), "").center(CELL_WIDTH) if laid is None else cell_inside(laid, fill),
        ]
    return "".join([*drawn, west_border(tiles, columns.stop, y)])


def west_border(tiles: dict[Cell, LaidTile], x: int, y: int) -> str:
    kind = border(tiles, (x, y), 3)
    return "┃" if kind == "wall" else BORDERS[kind]


def border(tiles: dict[Cell, LaidTile], cell: Cell, side: int) -> Border:
    """The kind of the border between a cell and its neighbour on that side."""
    step_x, step_y = STEPS[side]
    pair = ((tiles.get(cell), side), (tiles.get((cell[0] + step_x, cell[1] + step_y)), (side + 2) % 4))
    met = {sides(laid.tile, laid.rotation)[facing].edge for laid, facing in pair if laid is not None}
    if WALL in met:
        return "blocked" if ARCH in met else "wall"
    return "archway" if ARCH in met else "open"


def corner(tiles: dict[Cell, LaidTile], x: int, y: int) -> str:
    """The character at the north-west corner of a cell."""
    north, east = border(tiles, (x, y + 1), 3), border(tiles, (x, y), 0)
    south, west = border(tiles, (x, y), 3), border(tiles, (x - 1, y), 0)
    return CORNERS[sum(2**bit for bit, kind in enumerate((north, east, south, west)) if kind != "open")]


def cell_inside(laid: LaidTile, fill: dict[str, str]) -> str:
    """The CELL_WIDTH characters inside a tile's cell: the rooms' colours, the picture, a diagonal wall."""
    tile = laid.tile
    if not tile.parts:
        return ("⌂" if (laid.x, laid.y) == TEMPLE else "♣♣♣").center(CELL_WIDTH)
    filled = [fill[colour] for colour in tile.parts]
    picture = format_picture(laid)
    if not tile.diagonal:
        return picture.rjust(len(picture) + 2, filled[0]).ljust(CELL_WIDTH, filled[0])
    one = picture.rjust(3, filled[0]) if picture else filled[0] * 2
    other = filled[1] * (CELL_WIDTH - 1 - len(one))
    wall = "╱" if laid.rotation % 2 else "╲"
    first_is_west = sides(tile, laid.rotation)[3].part == 0
    return f"{one}{wall}{other}" if first_is_west else f"{other}{wall}{one}"


def format_picture(laid: LaidTile) -> str:
    """A dragon, or the advisors with the initial of their owner's colour; start tiles have no pictures."""
    match laid:
        case LaidTile(tile=Tile(picture="dragon")):
            return "D"
        case LaidTile(seat=int() as seat, tile=Tile(picture="advisors", count=number)):
            return f"{OWNERS[seat][0].upper()}{number}"
        case _:
            return ""
