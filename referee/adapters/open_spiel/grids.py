"""Reads the library's texts of positions and actions of games that are drawn as a grid."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from string import ascii_lowercase
from typing import Final

from msgspec import Struct, structs

from referee.adapters.open_spiel.games import Play
from referee.games.boards.grid import Form, Grid, Place, Stroke
from referee.games.boards.pieces import NEUTRAL, Piece
from referee.games.narrator import format_count

Name = Callable[[int, int, int], str]
"""The name of a field by its row, its column and the number of rows."""
Moves = Callable[[Play, int, Mapping[str, Place]], Sequence[str]]
"""The fields of an action in their order, the last of them where something is put."""
Sides = Callable[[tuple[int, int], tuple[int, int], int], Sequence[bool]]
"""On which of the sides that a seat connects a field is, by its column and row, the last ones, and the seat."""
KNIGHT: Final = 2.3
SQUARE: Final = r"([a-z]\d+)"
PAIR: Final = r"\((\d+), ?(\d+)\)"


class GridFacts(Struct, frozen=True, kw_only=True):
    """How a text is read. Lines that are not rows end the board, unless they are empty."""

    pieces: Mapping[str, Piece] = {}
    sides: Sequence[str] = ()
    """By seat, a key of `pieces`."""
    row: str = r"([^\s]+)"
    """A line with fields, which are found in its first group."""
    cell: str = r"\S"
    empty: str = "."
    name: Name = lambda row, column, rows: f"{row},{column}"
    form: Form = "squares"
    pitch: float = 0
    """Characters to a field, where its place is that in the line; 0 where fields are simply counted."""
    numbered: bool = False
    """Fields are numbered in reading order."""
    slant: float = 0
    """By how much each row begins further to the right."""
    compact: bool = False
    """Spaces within the text mean nothing."""
    moves: str | Moves = ""
    """The fields in an action's text; without it, clicks choose nothing."""
    ghosts: bool = True
    """Whether an action with one field puts a piece of the seat there."""
    coordinates: bool = True
    dropped: str = ""
    """The piece that an action puts there instead, in the case of its seat's letters."""
    words: str = ""
    """What else an action's text has to be chosen by: a word below the board."""
    heavy: int = 0
    """There are heavy lines between so many fields."""
    notes: Mapping[str, str | Callable[..., str]] = {}
    """What else is said of a position: a pattern in the text, and the words with its groups, or what makes them."""
    edges: bool = False
    """Hexagons whose upper and lower edges the first seat connects, and the second the others."""
    side_words: Sequence[str] = ()
    """By seat, what its side is called: "Black"."""
    counted: str = ""
    """What is counted of each side, to see who is ahead: "{} discs"."""
    line: int = 0
    """So many pieces in a line win; or as many as `line_option` says."""
    line_option: str = ""
    chain: float = 0
    """A chain of pieces wins whose middles are less than this apart; KNIGHT: that are linked."""
    chain_sides: Sides = lambda spot, end, seat: ()
    """The sides that it connects."""
    area: bool = False
    """Area is counted, as in Go."""
    die: bool = False
    """A die says what may move."""
    worth: Mapping[str, int] = {}
    """What a piece counts for, by its shape, where it isn't 1."""
    read: Callable[[str, "GridFacts"], Sequence[Grid] | None] | None = None
    """Reads other texts. None if the text doesn't fit."""


def read_grids(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """The boards in a text; None if it doesn't fit. Raises KeyError for an unknown piece."""
    if facts.read is not None:
        return facts.read(text, facts)
    rows = read_rows(text, facts)
    return [grid_of(rows[0], facts)] if rows else None


def notes_of(text: str, facts: GridFacts) -> list[str]:
    """What a text says beside the board. What it doesn't say now is an empty line, so that the board doesn't move."""
    found = ((re.search(pattern, text, re.MULTILINE), words) for pattern, words in facts.notes.items())
    return [
        "" if each is None else words.format(*each.groups()) if isinstance(words, str) else words(*each.groups())
        for each, words in found
    ]


def read_rows(text: str, facts: GridFacts) -> list[list[list[tuple[str, int]]]]:
    """The boards in a text as rows of fields, each with where it begins in its line."""
    boards: list[list[list[tuple[str, int]]]] = []
    inside = False
    for line in text.splitlines():
        found = re.fullmatch(facts.row, line.replace(" ", "") if facts.compact else line)
        cells = (
            [(cell[0], found.start(1) + cell.start()) for cell in re.finditer(facts.cell, found[1])] if found else []
        )
        if cells and not inside:
            boards.append([])
        inside = bool(cells) or (inside and not line.strip())
        if cells:
            boards[-1].append(cells)
    return boards


def grid_of(rows: Sequence[Sequence[tuple[str, int]]], facts: GridFacts) -> Grid:
    """A grid of cells with their places in the text. Raises KeyError for an unknown one."""
    places: list[Place] = []
    labels: list[tuple[str, float, float]] = []
    step = 0.866 if facts.form == "hexagons" or facts.numbered else 1
    for y, row in enumerate(rows):
        for column, (cell, at) in enumerate(row):
            x = at / facts.pitch if facts.pitch else column + facts.slant * y
            piece = None if cell in facts.empty else facts.pieces[cell]
            name = str(len(places)) if facts.numbered else facts.name(y, column, len(rows))
            places.append(Place(name, x, y * step, piece))
    if facts.coordinates and facts.form != "points":
        first = [row for row in places if row.y == 0]
        last_y, beyond = places[-1].y, 0.2 if facts.edges else 0
        same = len({place.x for place in places}) == len(rows[0])
        for y in range(len(rows)):
            word = facts.name(y, 0, len(rows))
            x = places[0].x if same else min(place.x for place in places if place.y == y * step)
            labels.append((_part(word, row=True), x - 0.7 - beyond, y * step))
        if facts.form == "hexagons":
            labels += [(_part(place.name, row=False), place.x - 0.3, -0.85 - beyond) for place in first]
        elif same:
            labels += [(_part(place.name, row=False), place.x, last_y + 0.5 + 0.22) for place in first]
    high, wide = len(rows) - 0.5, len(rows[0]) - 0.5
    middles = range(facts.heavy, len(rows), facts.heavy) if facts.heavy else ()
    strokes = [Stroke(-0.5, n - 0.5, wide, n - 0.5, "line-ink") for n in middles]
    strokes += [Stroke(n - 0.5, -0.5, n - 0.5, high, "line-ink") for n in middles]
    if facts.edges:
        strokes += hex_edges(rows, facts.slant)
    return Grid(places, facts.form, labels, strokes)


def hex_edges(rows: Sequence[Sequence[object]], slant: float) -> list[Stroke]:
    """The outer sides of a board of hexagons, in the colours of those who connect them."""
    strokes, last, end = [], len(rows) - 1, len(rows[0]) - 1
    for y in range(last + 1):
        for x in range(end + 1):
            left, middle, right = (x + slant * y + part for part in (-0.5, 0, 0.5))
            top, upper, lower, bottom = (0.866 * y + part for part in (-0.577, -0.289, 0.289, 0.577))
            sides = (
                ("seat0", y == 0, left, upper, middle, top),
                ("seat0", y == 0, middle, top, right, upper),
                ("seat0", y == last, left, lower, middle, bottom),
                ("seat0", y == last, middle, bottom, right, lower),
                ("seat1", x == 0, left, upper, left, lower),
                ("seat1", x == 0 and y < last, left, lower, middle, bottom),
                ("seat1", x == end, right, upper, right, lower),
                ("seat1", x == end and y > 0, middle, top, right, upper),
            )
            strokes += [
                Stroke(x1, y1, x2, y2, f"plank line-{seat}") for seat, is_outer, x1, y1, x2, y2 in sides if is_outer
            ]
    return strokes


def _part(name: str, *, row: bool) -> str:
    """The part of a name that says the row or the column."""
    name = name.rsplit(maxsplit=1)[-1]
    if "," in name:
        return name.split(",")[0 if row else 1]
    letters, digits = "".join(filter(str.isalpha, name)), "".join(filter(str.isdigit, name))
    return (digits if row else letters) if name[0].isalpha() else (letters if row else digits)


def move_of(play: Play, seat: int, facts: GridFacts, fields: Mapping[str, Place | Stroke]) -> list[str]:
    """The fields of an action; empty if it has none."""
    if callable(facts.moves):
        places = {name: field for name, field in fields.items() if isinstance(field, Place)}
        names = list(facts.moves(play, seat, places))
    else:
        names = [",".join(filter(None, found.groups())) for found in re.finditer(facts.moves, play.text)]
    return [name for name in names if name in fields]


def ghost_of(play: Play, seat: int, facts: GridFacts, fields: Sequence[Place | Stroke]) -> Piece | None:
    """The piece that an action puts on the last of these fields: one that is dropped, moved, or the seat's own."""
    if not facts.ghosts or not all(isinstance(field, Place) for field in fields):
        return None
    own = facts.sides[seat] if seat < len(facts.sides) else ""
    if facts.dropped and (found := re.search(facts.dropped, play.text)):
        return facts.pieces.get(found[1].upper() if own.isupper() else found[1].lower())
    if len(fields) > 1 and isinstance(fields[0], Place):
        return fields[0].piece
    return facts.pieces.get(own) if fields and isinstance(fields[0], Place) and fields[0].piece is None else None


# -- names of fields ------------------------------------------------------------------------------------------


def up(row: int, column: int, rows: int) -> str:
    return f"{ascii_lowercase[column]}{rows - row}"


def down(row: int, column: int, rows: int) -> str:
    return f"{ascii_lowercase[column]}{row + 1}"


def go_name(row: int, column: int, rows: int) -> str:
    return f"{'abcdefghjklmnopqrstuvwxyz'[column]}{rows - row}"


def from_one(row: int, column: int, rows: int) -> str:
    return f"{row + 1},{column + 1}"


def havannah_name(row: int, column: int, rows: int) -> str:
    return f"{ascii_lowercase[column + max(0, row - rows // 2)]}{row + 1}"


def shogi_name(row: int, column: int, rows: int) -> str:
    return f"{rows - column}{ascii_lowercase[row]}"


# -- texts that need more than that -----------------------------------------------------------------------------


def read_fen(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Forsyth-Edwards notation: rows with digits for empty fields, and what is held in hand."""
    rows: list[list[tuple[str, int]]] = []
    for row in re.split("/", re.sub(r"\[\w*\]", "", text.strip().splitlines()[0])):
        cells: list[tuple[str, int]] = []
        for each in re.findall(r"\+?[A-Za-z]|[\d? ]", row):
            if not rows or len(cells) < len(rows[0]):
                cells += [(".", 0)] * int(each) if each.isdigit() else [("." if each == " " else each, 0)]
        rows.append(cells)
    if len(rows) < 5 or len({len(row) for row in rows}) != 1:
        return None
    return [grid_of(rows, facts)]


def read_fleets(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Battleship: both seats' ships, or those of a seat and what it has shot at."""
    boards = read_rows(text, facts)
    titles = ("player 0", "player 1") if "Player 0's board" in text else ("own", "shots")
    if len(boards) != 2:
        return None
    grids = []
    for title, rows in zip(titles, boards, strict=True):
        named = structs.replace(facts, name=lambda row, column, rows, title=title: f"{title} {row},{column}")
        words = {"own": "Own ships", "shots": "Shots at the other's ships"}.get(title, f"The ships of {title}")
        grids.append(grid_of(rows, named)._replace(key=title.replace(" ", ""), title=words, half=True))
    return grids


def read_points(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Nine men's morris: points on three squares, numbered in reading order."""
    lines = [line for line in text.splitlines()[:13] if re.search("[.BW]", line)]
    spots = [(round(found.start() * 6 / 14), y, found[0]) for y, row in enumerate(lines)
             for found in re.finditer("[.BW]", row)]  # fmt: skip
    if len(spots) != 24:
        return None
    places = [Place(str(n), x, y, facts.pieces.get(cell)) for n, (x, y, cell) in enumerate(spots)]
    rings = [(k, k, 6 - k, k) for k in range(3)] + [(k, 6 - k, 6 - k, 6 - k) for k in range(3)]
    lines_across = [*rings, (0, 3, 2, 3), (4, 3, 6, 3)]
    strokes = [Stroke(*ends) for ends in lines_across] + [Stroke(b, a, d, c) for a, b, c, d in lines_across]
    return [Grid(places, "points", strokes=strokes)]


def read_quoridor(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Pawns, walls in the gaps, and the gaps themselves, at which walls can be built."""
    lines = text.splitlines()
    numbered = [
        (index, found) for index, line in enumerate(lines) if (found := re.fullmatch(r" *(\d+) (.*)  \d+", line))
    ]
    rows = [(index, found[2] + "  ") for index, found in numbered]
    size = len(rows)
    places, strokes = [], []

    def gap(x: float, y: float, dx: float, dy: float, key: str, *, built: bool) -> Stroke:
        classes, words = ("plank line-ink", "wall") if built else ("slot", "gap")
        return Stroke(x - dx, y - dy, x + dx, y + dy, classes, key, words)

    for y, (index, row) in enumerate(rows):
        below = lines[index + 1][2:] if index + 1 < len(lines) else ""
        for x in range(size):
            name = down(y, x, size)
            places.append(Place(name, x, y, None if row[4 * x] == "." else facts.pieces[row[4 * x]]))
            if x + 1 < size:
                strokes.append(gap(x + 0.5, y, 0, 0.42, f"{name}v", built="|" in row[4 * x + 1 : 4 * x + 4]))
            if y + 1 < size:
                strokes.append(gap(x, y + 0.5, 0.42, 0, f"{name}h", built="--" in below[4 * x : 4 * x + 3]))
    base = grid_of([[(".", 0)] * size] * size, structs.replace(facts, name=down))
    return [base._replace(places=places, strokes=strokes)]


def read_boxes(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Dots and boxes: dots, the edges between them, and who has which box."""
    lines = text.rstrip("\n").splitlines()
    high, wide = len(lines) // 2, (len(lines[0]) - 1) // 4
    places = [Place(f"dot {x},{y}", x, y) for y in range(high + 1) for x in range(wide + 1)]
    strokes = []

    def edge(x: int, y: int, dx: int, dy: int, key: str, *, drawn: bool) -> Stroke:
        ends = (x + 0.12 * dx, y + 0.12 * dy, x + 0.88 * dx, y + 0.88 * dy)
        return Stroke(*ends, "plank line-ink" if drawn else "slot", key, "line" if drawn else "gap")

    for y in range(high + 1):
        for x in range(wide + 1):
            if x < wide:
                strokes.append(edge(x, y, 1, 0, f"h,{y},{x}", drawn=lines[2 * y][4 * x + 2] == "─"))
            if y < high:
                drawn = lines[2 * y + 1].ljust(4 * wide + 1)[4 * x] == "│"
                strokes.append(edge(x, y, 0, 1, f"v,{y},{x}", drawn=drawn))
            if x < wide and y < high and (owner := lines[2 * y + 1].ljust(4 * wide + 1)[4 * x + 2]) in facts.pieces:
                places.append(Place(f"box {x},{y}", x + 0.5, y + 0.5, facts.pieces[owner]))
    return [Grid(places, "points", strokes=strokes)]


def read_pits(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Mancala and oware: two rows of pits, named by the actions, and what has been captured."""
    rows = [[int(count) for count in re.findall(r"\d+", line)] for line in text.splitlines()
            if re.fullmatch(r"(?:-\d+)+-|(?: +\d+)+", line)]  # fmt: skip
    stores = re.search(r"^(\d+)-+(\d+)$", text, re.MULTILINE) or re.search(r"score = (\d+)[^$]*score = (\d+)", text)
    if len(rows) != 2 or stores is None:
        return None
    wide = len(rows[0])
    kalah = "-----" in text
    upper = [str(2 * wide + 1 - x) if kalah else ascii_lowercase[wide - 1 - x] for x in range(wide)]
    lower = [str(x + 1) if kalah else ascii_lowercase[x].upper() for x in range(wide)]
    pits = [(name, x + 1, y * 1.5) for y, names in enumerate((upper, lower)) for x, name in enumerate(names)]
    places = [Place(*spot, pit(count)) for spot, count in zip(pits, [*rows[0], *rows[1]], strict=True)]
    stored = [Place(f"store {name}", x, 0.75, pit(int(count)))
              for name, x, count in (("left", 0, stores[1]), ("right", wide + 1, stores[2]))]  # fmt: skip
    return [Grid([*places, *stored], "points", ends=(0, wide + 1, 0, 1.9))]  # with the numbers below the pits


def pit(count: int) -> Piece:
    return Piece(f"seeds {count}", "piece-neutral", format_count(count, "seeds"))


def read_piles(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Nim: piles of stones."""
    found = re.match(r"\(\d+\): ([\d ]+)", text)
    if found is None:
        return None
    piles = [int(count) for count in found[1].split()]
    stone = Piece("disc", NEUTRAL, "stone")
    rows = range(max(*piles, 7))
    places = [Place(f"{pile + 1},{n + 1}", n, pile, stone if n < count else None)
              for pile, count in enumerate(piles) for n in rows]  # fmt: skip
    return [Grid(places, "points", [(str(pile + 1), -0.8, pile) for pile in range(len(piles))])]


def read_twixt(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Pegs, and links where the text draws them between two pegs at a knight's move."""
    lines = text.splitlines()
    rows = [(at, line) for at, line in enumerate(lines) if re.match(r" +\d+ ", line)]
    if not rows:
        return None
    wide = len(re.findall("[a-z]", lines[0]))
    places = {(x, y): Place(down(y, x, len(rows)), x, y, facts.pieces.get(line[5 + 3 * x]))
              for y, (_, line) in enumerate(rows) for x in range(wide)
              if 5 + 3 * x < len(line) and line[5 + 3 * x] in ".xo"}  # fmt: skip
    strokes = []
    for (x, y), place in places.items():
        for dx, dy in ((-1, 2), (1, 2), (-2, 1), (2, 1)):
            other = places.get((x + dx, y + dy))
            if place.piece is None or other is None or other.piece != place.piece:
                continue
            at, side = rows[y][0], 1 if dx > 0 else -1
            # The characters beside the upper peg, and below it, that only this link has.
            begins = {2: (at + 1, 5 + 3 * x + (2 if dx > 0 else -2)), 1: (at + 2, 5 + 3 * x + side)}[abs(dx)]
            line = lines[begins[0]].ljust(80)
            if line[begins[1]] in ("\\" if dx > 0 else "/", "_"):
                strokes.append(Stroke(x, y, x + dx, y + dy, f"plank line-{place.piece.colour}"))
    facts_of = grid_of([[(".", 0)] * wide] * len(rows), structs.replace(facts, name=down))
    return [Grid([*places.values()], "points", facts_of.labels, strokes)]


ARROWS: Final = {"s": (-1, 1, "↺"), "t": (1, -1, "↻"), "u": (4, -1, "↺"), "v": (6, 1, "↻"),
                 "w": (6, 4, "↺"), "x": (4, 6, "↻"), "y": (1, 6, "↺"), "z": (-1, 4, "↻")}  # fmt: skip


def read_pentago(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """The four quarters, and an arrow for each way in which one can be turned."""
    rows = [found[1].split() for found in re.finditer(r"^.? ?.?\d ((?:[.@O] ){6})", text, re.MULTILINE)]
    if len(rows) != 6:
        return None
    grid = grid_of([[(cell, 0) for cell in row] for row in rows], facts)
    arrows = [Place(name, x, y, Piece(glyph, "ink", "turn", bare=True)) for name, (x, y, glyph) in ARROWS.items()]
    return [Grid([*grid.places, *arrows], "points", (), grid.strokes)]


HIVE_STEPS: Final = {"-": (2, 0), "/": (1, -1), "\\": (1, 1)}
"""By the sign behind a piece, the way to that neighbour, in halves of a field and in rows; before it, the opposite."""


def hive_place(text: str, at: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Where "wG1/" or "-wG1" is, or a piece itself, by where the pieces are."""
    sign = next((sign for sign in HIVE_STEPS if sign in text), "")
    x, y = at[text.strip("".join(HIVE_STEPS))]
    dx, dy = HIVE_STEPS[sign] if sign else (0, 0)
    way = -1 if text[:1] == sign else 1
    return x + way * dx, y + way * dy


def hive_pieces(text: str) -> dict[str, tuple[int, int]]:
    """Where the pieces are after the moves in a text, the last one moved at last."""
    at: dict[str, tuple[int, int]] = {}
    for move in text.split(";")[3:]:
        name, _, target = move.strip().partition(" ")
        if name and name != "pass":
            spot = hive_place(target, at) if target else (0, 0)
            at.pop(name, None)
            at[name] = spot
    return at


def read_hive(text: str, facts: GridFacts) -> Sequence[Grid] | None:
    """Hive: the pieces after the moves that the text lists, the topmost of a stack, and the fields beside them."""
    at = hive_pieces(text)
    top = {spot: name for name, spot in at.items()}
    pieces = {spot: facts.pieces[name[:2]] for spot, name in top.items()}
    ways = [(way * dx, way * dy) for dx, dy in HIVE_STEPS.values() for way in (1, -1)]
    near = {(x + dx, y + dy) for x, y in top for dx, dy in ways}
    places = [
        Place(
            f"{x},{y}",
            x / 2,
            y * 0.866,
            pieces[x, y]._replace(words=f"{pieces[x, y].words} {top[x, y]}") if (x, y) in top else None,
        )
        for x, y in sorted({*top, *near, (0, 0)})
    ]
    # The first piece in the middle, and growing in steps, so that the board doesn't move at each decision.
    reach = 2 * ceil(max(max(abs(place.x), abs(place.y)) for place in places) / 2)
    return [Grid(places, "hexagons", ends=(-reach, reach, -reach, reach))]


# -- fields of actions ------------------------------------------------------------------------------------------


def hive_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """Hive: where a piece is, if it is on the board and not covered, and where it goes."""
    at = {place.piece.words.split()[-1]: _spot(name) for name, place in places.items() if place.piece}
    name, _, target = play.text.strip().partition(" ")
    if name == "pass":
        return []
    spots = [*([at[name]] if name in at else []), hive_place(target, at) if target else (0, 0)]
    return [f"{x},{y}" for x, y in spots]


def _spot(name: str) -> tuple[int, int]:
    x, y = map(int, name.split(","))
    return x, y


def fleet_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """Battleship: a field of the seat's own board for a ship, of the other's for a shot."""
    boards = ("shots", f"player {1 - seat}") if "shoot" in play.text else ("own", f"player {seat}")
    return [f"{board} {','.join(found)}" for board in boards for found in re.findall(PAIR, play.text)]


def chess_move(play: Play, seat: int, places: Mapping[str, Place], of_field: int = 73) -> Sequence[str]:
    """From the number of the action, of which there are so many for each field, as the mover sees the board."""
    san = play.text
    if "@" in san:
        return re.findall(SQUARE, san)
    file, rank = divmod(play.action // of_field, 8)
    if not seat:
        rank = 7 - rank
    origin = f"{ascii_lowercase[file]}{rank + 1}"
    if san.startswith("O-O"):
        return [origin, f"{'c' if san.startswith('O-O-O') else 'g'}{rank + 1}"]
    return [origin, *re.findall(SQUARE, san)[-1:]]


def column_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """Connect Four: any field of the column, the lowest empty one at last."""
    names = [name for name, place in places.items() if place.x == int(play.text[1:])]
    empty = [name for name in names if places[name].piece is None]
    return [*(name for name in names if name not in empty[-1:]), *empty[-1:]]


def pile_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """Nim: the first of the stones that are taken from the end of a pile."""
    pile, count = re.findall(r"\d+", play.text)
    stones = [name for name, place in places.items() if name.startswith(f"{pile},") and place.piece]
    return stones[-int(count) :][:1]


def die_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """EinStein würfelt nicht: which piece goes where."""
    piece, way = play.text.rstrip("*").split("-")
    origin = next(place for place in places.values() if place.piece and place.piece.words.endswith(f" {piece[1]}")
                  and place.piece.words.startswith("black" if piece[0] == "B" else "white"))  # fmt: skip
    sign = 1 if piece[0] == "B" else -1
    dx, dy = {"diag": (sign, sign), "down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}[way]
    return [origin.name, f"{origin.y + dy:.0f},{origin.x + dx:.0f}"]


def local_move(play: Play, seat: int, places: Mapping[str, Place]) -> Sequence[str]:
    """Ultimate tic-tac-toe: a field of a board of nine, or any field of a board that is chosen."""
    board, *cell = map(int, re.findall(r"\d", play.text))
    if len(cell) != 2:
        return [f"{board // 3 * 3 + n // 3},{board % 3 * 3 + n % 3}" for n in range(9)]
    return [f"{board // 3 * 3 + cell[0]},{board % 3 * 3 + cell[1]}"]
