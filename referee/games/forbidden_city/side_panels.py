"""The panels beside the board: a row per player, and lists of open and of closed rooms."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from referee.games.forbidden_city.board_panel import leaders
from referee.games.forbidden_city.game import COINS_SHOWN, ForbiddenCity
from referee.games.forbidden_city.known import FACE_DOWN
from referee.games.forbidden_city.narrator import format_cell, format_tile
from referee.games.forbidden_city.outcomes import format_amounts
from referee.games.forbidden_city.palette import Colour
from referee.games.forbidden_city.rooms import Room, payments
from referee.games.forbidden_city.tile_shapes import (
    CELL,
    HALF,
    face_down,
    points,
    points_width,
    settled_shape,
    whole_tile,
)
from referee.games.forbidden_city.tiles import NEVER_DRAWN, Tile
from referee.games.narrator import format_count
from referee.games.renderer import Node, Panel, Sprite
from referee.games.seat_marks import seat_mark

WIDTH: Final = 420
SEAT_HEIGHT: Final = 68
MAX_NAME: Final = 16
MAX_COLOUR: Final = 8
"""Maximum number of characters of names that are drawn; labels have them in full."""
ROW: Final = 40
MAX_ROWS: Final = 8
"""Maximum number of rooms in a list, the most valuable first."""
ROW_STEP: Final = 4
"""A list grows by this number of rows at a time."""
SWATCH: Final = ((-13, -13), (13, -13), (13, 13), (-13, 13))
COLUMN: Final = 48
"""Width of what a room pays one seat."""
HAND: Final = "hand"


def shortened(text: str, length: int) -> str:
    """A text of at most `length` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _text(text: str, x: float, y: float, css_class: str) -> Node:
    return Node("text", {"class": css_class, "x": x, "y": y}, (text,))


# -- players --------------------------------------------------------------------------------------------------


def seat_panels(game: ForbiddenCity, names: Sequence[str], colours: Mapping[str, Colour]) -> Iterator[Panel]:
    """For each seat its coins, what open rooms would bring it, the tile in hand, and the stack."""
    would_get = [0] * len(names)
    for room in open_rooms(game):
        paid = payments(game.rooms.value(room), room.advisors)
        would_get = [sum(amounts) for amounts in zip(would_get, paid, strict=True)]
    for seat, name in enumerate(names):
        yield Panel(
            key=f"seat{seat}",
            title="",
            width=WIDTH,
            height=SEAT_HEIGHT,
            half=True,
            sprites=[
                *_turn(game, seat, name),
                *_coins(game, seat, name, would_get[seat]),
                *(_tiles_to_come(game, seat, colours) if game.turn else _last_tiles(game, seat, colours)),
            ],
        )


def _turn(game: ForbiddenCity, seat: int, name: str) -> Iterator[Sprite]:
    """Who it is, and whether it is their turn."""
    if game.turn is not None and game.turn.seat == seat:
        edge = {"x": 1, "y": 1, "width": WIDTH - 2, "height": SEAT_HEIGHT - 2, "rx": 8}
        shape = Node("rect", {"class": "raised line", **edge})
        yield Sprite(key="turn", x=0, y=0, shape=(shape,), label=f"{name} is to lay a tile", quiet=True, z=-1)
    mark, words = seat_mark(seat, 20, 22, 16), _text(shortened(name, MAX_NAME), 36, 28, "t16 bold")
    yield Sprite(key="name", x=0, y=0, shape=(mark, words), label=name)


def _coins(game: ForbiddenCity, seat: int, name: str, would_get: int) -> Iterator[Sprite]:
    """Coins, the distance to the best of the others, and what open rooms would bring."""
    coins = game.coins[seat]
    ahead = coins - max(coins for other, coins in enumerate(game.coins) if other != seat)
    over = game.turn is None
    standing = (
        f"{'won' if over else 'leads'} by {ahead}"
        if ahead > 0
        else f"{-ahead} behind"
        if ahead
        else "tied"
        if over
        else "level"
    )
    yield Sprite(
        key="coins",
        x=250,
        y=32,
        shape=(_text(str(coins), 0, 0, "t24 bold end"),),
        label=f"{name} has {format_count(coins, 'coins')}",
        seat=seat,
    )
    yield _note("standing", 36, _text(standing, 0, 0, "muted"), f"{name}: {standing}")
    if not over:
        label = f"the open rooms would bring {name} {format_count(would_get, 'coins')} now"
        yield _note("open", 250, _text(f"+{would_get} in open rooms", 0, 0, "muted end"), label)


def _note(key: str, x: float, text: Node, label: str) -> Sprite:
    """Words under the name and the coins."""
    return Sprite(key=key, x=x, y=52, shape=(text,), label=label, quiet=True)


def _tiles_to_come(game: ForbiddenCity, seat: int, colours: Mapping[str, Colour]) -> Iterator[Sprite]:
    """The tile in hand, as far as it is known, and the stack."""
    hand, to_draw = game.hands[seat], max(0, len(game.stacks[seat]) - NEVER_DRAWN)
    if hand is not None:
        yield _small_tile(HAND, 300, hand, seat, colours, "in hand")
    back = Node("g", {"transform": "scale(.79)"}, face_down(seat))
    below = [
        Node(
            "rect",
            {"class": "raised line-muted", "x": -18 + shift, "y": -18 + shift, "width": 36, "height": 36, "rx": 3},
        )
        for shift in (4, 2)
    ]
    shape = (*below, back, _text(f"{to_draw} to draw", 2, 36, "muted middle"))
    yield Sprite(
        key="stack",
        x=372,
        y=24,
        shape=shape,
        label=f"{format_count(to_draw, 'tiles')} to draw, {NEVER_DRAWN} more stay face down",
        quiet=True,
    )


def _last_tiles(game: ForbiddenCity, seat: int, colours: Mapping[str, Colour]) -> Iterator[Sprite]:
    """The tiles that were never drawn, and their coins."""
    for number, tile in enumerate(reversed(game.stacks[seat])):
        coins = COINS_SHOWN[tile.picture] * tile.count
        yield _small_tile(f"shown{number}", 300 + 72 * number, tile, seat, colours, f"last: +{coins}")


def _small_tile(key: str, x: float, tile: Tile, seat: int, colours: Mapping[str, Colour], caption: str) -> Sprite:
    hidden = tile == FACE_DOWN
    edge = Node("rect", {"class": "none line-muted", "x": -HALF, "y": -HALF, "width": CELL, "height": CELL})
    shape = face_down(seat) if hidden else (*whole_tile(tile, 0, seat, colours), edge)
    label = f"{caption}: {'a tile that is not known' if hidden else format_tile(tile)}"
    drawn = (Node("g", {"transform": "scale(.79)"}, shape), _text(caption, 0, 36, "muted middle"))
    return Sprite(key=key, x=x, y=24, shape=drawn, label=label, seat=seat, quiet=key == HAND)


# -- rooms ----------------------------------------------------------------------------------------------------


def open_rooms(game: ForbiddenCity) -> list[Room]:
    """The rooms that may still be closed, the most valuable first."""
    found = [room for room in game.rooms.by_id.values() if room.value is UNSET]
    return sorted(found, key=lambda room: (-game.rooms.value(room), room.id))


def room_panels(game: ForbiddenCity, names: Sequence[str], colours: Mapping[str, Colour]) -> Iterator[Panel]:
    """The open rooms with what they would pay now, and the closed ones with what they paid."""
    listed = [room for room in open_rooms(game) if any(room.advisors) or len(room.cells) > 1]
    title = "Open rooms, and what they would pay now" if game.turn else "Rooms left open, which pay nothing"
    yield _list(game, "open", title, listed, names, colours)
    settled = [(room.value, room) for room in game.rooms.by_id.values() if room.value is not UNSET]
    settled.sort(key=lambda found: (-found[0], found[1].id))
    yield _list(game, "closed", "Closed rooms, and what they paid", [room for _, room in settled], names, colours)


def _list(
    game: ForbiddenCity,
    key: str,
    title: str,
    rooms: Sequence[Room],
    names: Sequence[str],
    colours: Mapping[str, Colour],
) -> Panel:
    shown = rooms[:MAX_ROWS]
    steps = max(1, -(-len(shown) // ROW_STEP))
    sprites = [_row(game, room, number * ROW, names, colours) for number, room in enumerate(shown)]
    more = len(rooms) - len(shown)
    if more or not rooms:
        words = f"and {format_count(more, 'more rooms')}" if more else "none yet" if game.turn else "none"
        text = _text(words, 44, len(shown) * ROW + 18, "muted")
        sprites.append(Sprite(key="more", x=0, y=0, shape=(text,)))
    return Panel(key=key, title=title, width=WIDTH, height=steps * ROW_STEP * ROW + 28, half=True, sprites=sprites)


def _row(game: ForbiddenCity, room: Room, y: float, names: Sequence[str], colours: Mapping[str, Colour]) -> Sprite:
    """A room: its tint, where it is and how large, what it is worth, and the coins of each seat."""
    settled = room.value is not UNSET
    value = game.rooms.value(room) if room.value is UNSET else room.value
    paid = payments(value, room.advisors)
    where = f"{shortened(room.colour, MAX_COLOUR)} {format_cell(min(room.cells))}"
    tiles, dragons = format_count(len(room.cells), "tiles"), format_count(room.dragons, "dragons")
    sides = format_count(room.open_edges, "open sides")
    size = f"{tiles}, {sides}" if not settled else f"{tiles}, {dragons}" if room.dragons else tiles
    drawn = colours[room.colour]
    edge = {"x": 8, "y": 6, "width": 26, "height": 26}
    shape = [
        Node("rect", {"class": drawn.css_class, **edge}),
        *(settled_shape([(21, 19, SWATCH)], leaders(room, paid)) if settled else ()),
        Node("rect", {"class": "none line-muted", **edge}),
        _text(drawn.letters, 21, 23.5, "middle"),
        Node("text", {"x": 44, "y": 17}, (Node("tspan", {"class": "bold"}, (where,)), f", worth {value}")),
        _text(size, 44, 33, "muted"),
    ]
    for seat, coins in enumerate(paid):
        if coins and (settled or game.turn is not None):
            x = WIDTH - 6 - (len(paid) - seat) * COLUMN
            middle = x + 15 + points_width(coins) / 2
            pays = Node("g", {"transform": f"translate({middle:g} 20)"}, points(seat, coins, settled=settled))
            shape += [seat_mark(seat, x + 6, 20, 12), pays]
    if settled and not any(paid):
        shape.append(_text("paid nobody", WIDTH - 10, 24, "muted end"))
    amounts = format_amounts(names, paid, "coins") or "nobody"
    words = "paid" if settled else "would pay" if game.turn else "paid nobody; would have paid"
    of = f"{room.colour} room at {format_cell(min(room.cells))}: {tiles}, {dragons}, {sides}, worth {value}"
    return Sprite(key=f"room{room.id}", x=0, y=y, shape=shape, label=f"{of}, {words} {amounts}", quiet=True)
