"""The game told to people: a sentence per turn and per settled room, and the board drawn after every round."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Final

from referee.games.forbidden_city.board import Cell, LaidTile
from referee.games.forbidden_city.log import RoomSettled, StackShown, TileLaid
from referee.games.forbidden_city.rooms import DRAGON_POINTS, Room
from referee.games.forbidden_city.start_tile import START_TILES
from referee.games.forbidden_city.tiles import ARCH, NEVER_DRAWN, OWNERS, SIDES, STEPS, WALL, Tile, sides
from referee.games.interface import ChanceEvent, Event

if TYPE_CHECKING:
    from referee.games.forbidden_city.game import ForbiddenCity

SIDE_LETTERS: Final = "NESW"
TEMPLE: Final = (0, 0)
FILLS: Final = {"green": "▒", "pink": "░", "white": "·"}
"""What a room of a colour is filled with, so that its colour is seen without colours."""
MORE_FILLS: Final = "▓:=~%+"
"""For colours of other tile sets, in their order."""
CELL: Final = 5
"""Characters between the walls of a cell."""
BORDERS: Final = {"open": " ", "wall": "━", "archway": "∩", "blocked": "×"}
CORNERS: Final = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""What stands where four cells meet, by the walls that lead there: 1 from the north, 2 east, 4 south, 8 west."""
_FILLED: Final = f"(?<=[{''.join(FILLS.values())}{MORE_FILLS}])"
STYLES: Final = (
    ("▒+|♣", "green"),
    ("░+", "hot_pink"),
    ("·+", "white"),
    (f"{_FILLED}D", "bold"),
    *((f"{_FILLED}{owner[0].upper()}\\d", f"bold {owner}") for owner in OWNERS),
)
"""What stands out on a terminal, as in `Game.styles`."""


class Narrator:
    """Tells events that have just happened in a game, between players of these names."""

    def __init__(self, game: "ForbiddenCity", names: Sequence[str]) -> None:
        self._game = game
        self._names = names
        self._width = max(map(len, names))
        self._fills = fills(game.config.loaded_tiles().colours)

    def tell(self, events: Sequence[Event]) -> Iterator[str]:
        """The setup, or a turn with the rooms it closed; after a round the board, after the last one the end."""
        coins = self._coins_before(events)
        closed: Iterator[Room] = iter(())
        shown = [event for event in events if isinstance(event, StackShown)]
        for event in events:
            match event:
                case ChanceEvent():
                    yield from self._table()
                case TileLaid():
                    yield from self._turn(event)
                    board = self._game.board
                    closed = iter(self._game.rooms.closed_by(board, board.laid[-1]))
                case RoomSettled():
                    yield from self._settled(event, next(closed), coins)
        if any(isinstance(event, TileLaid) and event.seat == len(self._names) - 1 for event in events):
            yield f"  The board after round {self._round()}; coins: {self._purses(coins)}"
            yield from draw(self._game.board.laid, self._fills)
        if shown:
            yield from self._end(shown, coins)

    # -- chapters -----------------------------------------------------------------------------------------

    def _table(self) -> Iterator[str]:
        """Who plays which colour, and how to read the board."""
        yield "The table"
        tiles = len(self._game.stacks[0]) + 1
        for name, owner in zip(self._names, OWNERS, strict=False):
            yield f"  {name:{self._width}}  {owner}, {tiles} tiles; {owner[0].upper()}2 on the board: 2 advisors"
        rooms = "  ".join(f"{fill} {colour}" for colour, fill in self._fills.items())
        yield f"  Rooms    {rooms}  D dragon  ♣ garden  ⌂ temple"
        yield "  Borders  ━ ┃ wall  ∩ archway  × blocked archway  ╱ ╲ diagonal wall; nothing: open"
        yield from draw(self._game.board.laid, self._fills)

    def _turn(self, laid: TileLaid) -> Iterator[str]:
        """Who lays which tile where; the first of a round begins it."""
        if laid.seat == 0:
            config = self._game.config
            rounds = len(config.loaded_tiles().stack(0, config.players)) - NEVER_DRAWN
            yield f"Round {self._round()} of {rounds}"
        tile = f"{described(laid.tile, laid.rotation)} at {at((laid.x, laid.y))}"
        yield f"    {self._names[laid.seat]} lays {tile}: {edges(laid.tile, laid.rotation)}"

    def _settled(self, settled: RoomSettled, room: Room, coins: list[int]) -> Iterator[str]:
        """A room with its value and who is paid; `coins` are counted on."""
        yield f"      The {room.colour} room is closed:"
        yield f"… cells {' '.join(map(at, settled.cells))}"
        yield f"… {self._worth(room)} = {settled.value}"
        yield f"… {self._present(room)}"
        for seat, paid in enumerate(settled.paid):
            if paid:
                coins[seat] += paid
                yield f"… {self._names[seat]} is paid {counted(paid, 'coins')}, now {coins[seat]}"
        if not any(settled.paid):
            yield "… nobody is paid"

    def _end(self, shown: Sequence[StackShown], coins: Sequence[int]) -> Iterator[str]:
        """The tiles that were not drawn, and the final table."""
        yield f"The last {NEVER_DRAWN} tiles"
        for last in shown:
            tiles = " and ".join(described(tile) for tile in last.tiles)
            yield f"    {self._names[last.seat]} shows {tiles}: {counted(last.paid, 'coins')}"
        yield "Final table"
        yield f"    {'':{self._width}}  rooms  last {NEVER_DRAWN}  coins  rank"
        for last, rank in zip(shown, self._game.standing().ranks, strict=True):
            rooms = coins[last.seat]
            sums = f"{rooms:5}  {last.paid:6}  {rooms + last.paid:5}  {rank:4}"
            yield f"    {self._names[last.seat]:{self._width}}  {sums}"

    # -- what the table says ------------------------------------------------------------------------------

    def _round(self) -> int:
        """The round in which the latest tile was laid."""
        laid = len(self._game.board.laid) - len(START_TILES[self._game.config.start_tile])
        return (laid - 1) // len(self._names) + 1

    def _coins_before(self, events: Sequence[Event]) -> list[int]:
        """Everybody's coins before these events."""
        coins = self._game.coins[:]
        for event in events:
            match event:
                case RoomSettled(paid=paid):
                    coins = [had - pay for had, pay in zip(coins, paid, strict=True)]
                case StackShown(seat=seat, paid=last):
                    coins[seat] -= last
        return coins

    def _worth(self, room: Room) -> str:
        """The parts of a room's value."""
        parts = [counted(len(room.cells), "tiles")]
        if room.dragons:
            parts.append(f"{DRAGON_POINTS * room.dragons} for {counted(room.dragons, 'dragons')}")
        for number in room.passages:
            door = self._game.rooms.by_id[number]
            there = counted(len(door.cells), "tiles")
            if door.dragons:
                there += f" and {counted(door.dragons, 'dragons')}"
            parts.append(f"{door.own_value} for {there} next door in {door.colour}")
        return " + ".join(parts)

    def _present(self, room: Room) -> str:
        """Who has how many advisors in a room."""
        present = [
            f"{self._names[seat]} has {counted(advisors, 'advisors')}"
            for seat, advisors in enumerate(room.advisors)
            if advisors
        ]
        return ", ".join(present) or "no advisors"

    def _purses(self, coins: Sequence[int]) -> str:
        return ", ".join(f"{name} {had}" for name, had in zip(self._names, coins, strict=True))


# -- words ----------------------------------------------------------------------------------------------------


def at(cell: Cell) -> str:
    """A cell."""
    return f"({cell[0]},{cell[1]})"


def counted(number: int, things: str) -> str:
    """So many things."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def described(tile: Tile, rotation: int | None = None) -> str:
    """What a tile shows; with `rotation` also which sides each part of a diagonal tile touches."""
    picture = {"none": "", "dragon": " with a dragon", "advisors": f" with {counted(tile.count, 'advisors')}"}
    if not tile.diagonal:
        return f"a {tile.parts[0]} tile{picture[tile.picture]}"
    first, second = (f"{colour}{touching(tile, part, rotation)}" for part, colour in enumerate(tile.parts))
    return f"a diagonal tile, {first}{picture[tile.picture]} and {second}"


def touching(tile: Tile, part: int, rotation: int | None) -> str:
    """The sides that a part of a tile touches, where it is known how the tile lies."""
    if rotation is None:
        return ""
    return f" ({', '.join(SIDE_LETTERS[s] for s in SIDES if sides(tile, rotation)[s].part == part)})"


def edges(tile: Tile, rotation: int) -> str:
    """The walls and archways of a tile as it lies."""
    turned = sides(tile, rotation)
    kinds = []
    for edge, name in ((WALL, "walls"), (ARCH, "archways")):
        where = [SIDE_LETTERS[side] for side in SIDES if turned[side].edge == edge]
        if where:
            kinds.append(f"{name if len(where) > 1 else name.removesuffix('s')} {', '.join(where)}")
    return "; ".join(kinds)


# -- the board drawn ------------------------------------------------------------------------------------------


def fills(colours: Sequence[str]) -> dict[str, str]:
    """With what the rooms of each colour are filled, those of the start tile first."""
    others = [colour for colour in colours if colour not in FILLS]
    return FILLS | dict(zip(others, cycle(MORE_FILLS), strict=False))


def draw(board: Sequence[LaidTile], fill: dict[str, str]) -> Iterator[str]:
    """The table from above, north at the top, with the coordinates at its edges."""
    tiles = {(laid.x, laid.y): laid for laid in board}
    west, east = min(x for x, _ in tiles), max(x for x, _ in tiles)
    south, north = min(y for _, y in tiles), max(y for _, y in tiles)
    columns = range(west, east + 1)
    for y in range(north, south - 1, -1):
        yield f"         ┊{border_row(tiles, columns, y)}".rstrip()
        yield f"    {y:4} ┊{cell_row(tiles, columns, y, fill)}".rstrip()
    yield f"         ┊{border_row(tiles, columns, south - 1)}".rstrip()
    yield f"         ┊ {' '.join(f'{x:>{CELL - 2}}  ' for x in columns)}".rstrip()


def border_row(tiles: dict[Cell, LaidTile], columns: range, y: int) -> str:
    """The walls north of a row of cells, and the corners between them."""
    drawn = [corner(tiles, columns.start, y)]
    for x in columns:
        kind = border(tiles, (x, y), 0)
        mark = BORDERS[kind]
        drawn.append(" " * CELL if kind == "open" else mark.center(CELL, BORDERS["wall"]))
        drawn.append(corner(tiles, x + 1, y))
    return "".join(drawn)


def cell_row(tiles: dict[Cell, LaidTile], columns: range, y: int, fill: dict[str, str]) -> str:
    """A row of cells with the walls between them."""
    drawn = []
    for x in columns:
        drawn += [upright(tiles, x, y), inside(tiles.get((x, y)), fill)]
    return "".join([*drawn, upright(tiles, columns.stop, y)])


def upright(tiles: dict[Cell, LaidTile], x: int, y: int) -> str:
    """The border west of a cell."""
    kind = border(tiles, (x, y), 3)
    return "┃" if kind == "wall" else BORDERS[kind]


def border(tiles: dict[Cell, LaidTile], cell: Cell, side: int) -> str:
    """What parts a cell from the one on that side."""
    step_x, step_y = STEPS[side]
    pair = ((tiles.get(cell), side), (tiles.get((cell[0] + step_x, cell[1] + step_y)), (side + 2) % 4))
    met = {sides(laid.tile, laid.rotation)[facing].edge for laid, facing in pair if laid is not None}
    if WALL in met:
        return "blocked" if ARCH in met else "wall"
    return "archway" if ARCH in met else "open"


def corner(tiles: dict[Cell, LaidTile], x: int, y: int) -> str:
    """What stands at the north-west corner of a cell."""
    north, east = border(tiles, (x, y + 1), 3), border(tiles, (x, y), 0)
    south, west = border(tiles, (x, y), 3), border(tiles, (x - 1, y), 0)
    return CORNERS[sum(2**bit for bit, kind in enumerate((north, east, south, west)) if kind != "open")]


def inside(laid: LaidTile | None, fill: dict[str, str]) -> str:
    """A cell between its walls: the rooms' colours, the picture, a diagonal wall."""
    if laid is None:
        return " " * CELL
    tile = laid.tile
    if not tile.parts:
        return ("⌂" if (laid.x, laid.y) == TEMPLE else "♣♣♣").center(CELL)
    filled = [fill.get(colour, "?") for colour in tile.parts]
    picture = drawn_picture(laid)
    if not tile.diagonal:
        return picture.rjust(len(picture) + 2, filled[0]).ljust(CELL, filled[0])
    one = picture.rjust(3, filled[0]) if picture else filled[0] * 2
    other = filled[1] * (CELL - 1 - len(one))
    wall = "╱" if laid.rotation % 2 else "╲"
    first_is_west = sides(tile, laid.rotation)[3].part == 0
    return f"{one}{wall}{other}" if first_is_west else f"{other}{wall}{one}"


def drawn_picture(laid: LaidTile) -> str:
    """A dragon, or the advisors with the initial of their owner's colour; start tiles have no pictures."""
    match laid:
        case LaidTile(tile=Tile(picture="dragon")):
            return "D"
        case LaidTile(seat=int() as seat, tile=Tile(picture="advisors", count=number)):
            return f"{OWNERS[seat][0].upper()}{number}"
        case _:
            return ""
