"""The panels beside the board: a row per player, and lists of open and of closed rooms."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from referee.games.forbidden_city.board_panel import leaders, shortened
from referee.games.forbidden_city.game import COINS_SHOWN, ForbiddenCity
from referee.games.forbidden_city.narrator import format_cell
from referee.games.forbidden_city.outcomes import format_amounts
from referee.games.forbidden_city.palette import Colour
from referee.games.forbidden_city.rooms import Room, payments
from referee.games.forbidden_city.tile_shapes import face_down, points, points_width, settled_shape
from referee.games.forbidden_city.tiles import NEVER_DRAWN
from referee.games.narrator import format_count
from referee.games.renderer import Node, Panel, Sprite, text
from referee.games.seat_marks import seat_mark

SEAT_HEIGHT: Final = 42
NOTES: Final = 102
"""Where the words beside the coins begin."""
NAME_CHARS: Final = 16
MAX_COLOUR: Final = 8
"""Maximum number of characters of a colour's name that are drawn; labels have it in full."""
LIST_ROW: Final = 40
MAX_ROWS: Final = 8
"""Maximum number of rooms in a list, the most valuable first."""
ROW_STEP: Final = 4
"""A list grows by this number of rows at a time."""
SWATCH: Final = ((-13, -13), (13, -13), (13, 13), (-13, 13))
COLUMN: Final = 48
"""Width of what a room pays one seat."""
PAID_A_LINE: Final = 2
LIST_WIDTH: Final = 228 + PAID_A_LINE * COLUMN


# -- players --------------------------------------------------------------------------------------------------


def seat_panels(
    game: ForbiddenCity, names: Sequence[str], places: Sequence[int], out: Container[int]
) -> Iterator[Panel]:
    """For each seat its coins, what open rooms would bring it, and the stack. `places`: by seat, with bots that are
    `out` last; empty as long as nobody is ahead.
    """
    would_get = [0] * len(names)
    for room in open_rooms(game):
        paid = payments(game.rooms.value(room), room.advisors)
        would_get = [sum(amounts) for amounts in zip(would_get, paid, strict=True)]
    for seat, name in enumerate(names):
        standing = "out" if seat in out else _standing(game, seat, places)
        further = (
            _to_come(game, seat, name, would_get[seat], standing) if game.turn else _last_coins(game, seat, standing)
        )
        sprites = [*_coins(game, seat, name), *further]
        yield Panel(
            key=f"seat{seat}",
            title=name,
            heading=False,
            width=LIST_WIDTH,
            height=SEAT_HEIGHT,
            half=True,
            sprites=sprites,
        )


def _coins(game: ForbiddenCity, seat: int, name: str) -> Iterator[Sprite]:
    coins = game.coins[seat]
    words = f"{name} has {format_count(coins, 'coins')}"
    yield Sprite(key="mark", x=20, y=22, shape=(seat_mark(seat, size=16),))
    yield Sprite(key="coins", x=38, y=30, shape=(text(str(coins), 0, 0, "t24 bold"),), label=words, seat=seat)
    yield Sprite(key="name", x=NOTES, y=17, shape=(text(shortened(name, NAME_CHARS), 0, 0, "bold"),))


def _standing(game: ForbiddenCity, seat: int, places: Sequence[int]) -> str:
    """The distance to the next place, or to the first."""
    first = [other for other, place in enumerate(places) if place == 1] or [*range(len(game.coins))]
    if seat not in first:
        behind = game.coins[first[0]] - game.coins[seat]
        return f"{behind} behind" if behind > 0 else f"place {places[seat]}"
    if len(first) > 1:
        return "level" if game.turn else "tied"
    ahead = game.coins[seat] - max(coins for coins, place in zip(game.coins, places, strict=True) if place == 2)
    verb = "leads" if game.turn else "won"
    return f"{verb} by {ahead}" if ahead > 0 else verb


def _to_come(game: ForbiddenCity, seat: int, name: str, would_get: int, standing: str) -> Iterator[Sprite]:
    """How the seat stands, what open rooms would bring, and the stack."""
    label = f"{name}: {standing}; the open rooms would bring {format_count(would_get, 'coins')} now"
    yield _note("open", NOTES, 36, text(f"{standing}, +{would_get} in open rooms", 0, 0, "muted"), label)
    to_draw = max(0, len(game.stacks[seat]) - NEVER_DRAWN)
    pile = Node("g", {"transform": "translate(-16 -5) scale(.42)"}, face_down(seat))
    label = f"{format_count(to_draw, 'tiles')} to draw, {NEVER_DRAWN} more stay face down"
    yield _note("stack", LIST_WIDTH - 76, 17, Node("g", {}, (pile, text(f"{to_draw} to draw", 0, 0, "muted"))), label)


def _last_coins(game: ForbiddenCity, seat: int, standing: str) -> Iterator[Sprite]:
    """How the seat stands in the end, and the coins for the tiles that were never drawn."""
    coins = sum(COINS_SHOWN[tile.picture] * tile.count for tile in game.stacks[seat])
    words = f"{standing}, {coins} for the last {NEVER_DRAWN} tiles"
    yield _note("last", NOTES, 36, text(words, 0, 0, "muted"), words)


def _note(key: str, x: float, y: float, shape: Node, label: str) -> Sprite:
    return Sprite(key=key, x=x, y=y, shape=(shape,), label=label, quiet=True)


# -- rooms ----------------------------------------------------------------------------------------------------


def open_rooms(game: ForbiddenCity) -> list[Room]:
    """The rooms that may still be closed, the most valuable first."""
    found = [room for room in game.rooms.by_id.values() if room.value is UNSET]
    return sorted(found, key=lambda room: (-game.rooms.value(room), room.id))


def room_panels(game: ForbiddenCity, names: Sequence[str], colours: Mapping[str, Colour]) -> Iterator[Panel]:
    """The open rooms with what they would pay now, and the closed ones with what they paid."""
    listed = [room for room in open_rooms(game) if any(room.advisors) or len(room.cells) > 1]
    title = "Open rooms, would pay now" if game.turn else "Rooms left open, pay nothing"
    yield _list(game, "open", title, listed, names, colours)
    settled = [(room.value, room) for room in game.rooms.by_id.values() if room.value is not UNSET]
    settled.sort(key=lambda found: (-found[0], found[1].id))
    yield _list(game, "closed", "Closed rooms, paid", [room for _, room in settled], names, colours)


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
    sprites = [_row(game, room, number * LIST_ROW, names, colours) for number, room in enumerate(shown)]
    more = len(rooms) - len(shown)
    if more or not rooms:
        words = f"and {format_count(more, 'more rooms')}" if more else "none yet" if game.turn else "none"
        more_rooms = text(words, 44, len(shown) * LIST_ROW + 18, "muted")
        sprites.append(Sprite(key="more", x=0, y=0, shape=(more_rooms,)))
    return Panel(
        key=key,
        title=title,
        width=LIST_WIDTH,
        height=steps * ROW_STEP * LIST_ROW + 28,
        half=True,
        sprites=sprites,
    )


def _row(game: ForbiddenCity, room: Room, y: float, names: Sequence[str], colours: Mapping[str, Colour]) -> Sprite:
    """A room: its tint, where it is and how large, what it is worth, and the coins of each seat."""
    settled = room.value is not UNSET
    value = game.rooms.value(room) if room.value is UNSET else room.value
    paid = payments(value, room.advisors)
    where = f"{shortened(room.colour, MAX_COLOUR)} {format_cell(min(room.cells))}"
    tiles, dragons = format_count(len(room.cells), "tiles"), format_count(room.dragons, "dragons")
    sides = format_count(room.open_edges, "open sides")
    beyond = value - room.own_value
    size = f"{tiles}, {sides}" if not settled else f"{tiles}, {dragons}" if room.dragons else tiles
    if beyond:
        size = f"{tiles} + {beyond} next door"
    drawn = colours[room.colour]
    edge = {"x": 8, "y": 6, "width": 26, "height": 26}
    shape = [
        Node("rect", {"class": drawn.css_class, **edge}),
        *(settled_shape(((21, 19, SWATCH),), leaders(room, paid)) if settled else ()),
        Node("rect", {"class": "none line-muted", **edge}),
        text(drawn.letters, 21, 23.5, "middle"),
        Node("text", {"x": 44, "y": 17}, (Node("tspan", {"class": "bold"}, (where,)), f", worth {value}")),
        text(size, 44, 33, "muted"),
    ]
    payees = [seat for seat, coins in enumerate(paid) if coins and (settled or game.turn is not None)]
    for number, seat in enumerate(payees):
        # Of two seats each has a column, more fill two lines of them.
        column = seat if len(paid) <= PAID_A_LINE else number % PAID_A_LINE
        middle = 20 if len(payees) <= PAID_A_LINE else (11, 29)[number // PAID_A_LINE]
        x = LIST_WIDTH - 6 - (PAID_A_LINE - column) * COLUMN
        at = {"transform": f"translate({x + 15 + points_width(paid[seat]) / 2:g} {middle})"}
        pays = Node("g", at, points(seat, paid[seat], settled=settled))
        shape += [seat_mark(seat, x + 6, middle, 12), pays]
    if settled and not any(paid):
        shape.append(text("paid nobody", LIST_WIDTH - 10, 24, "muted end"))
    amounts = format_amounts(names, paid, "coins") or "nobody"
    words = "paid" if settled else "would pay" if game.turn else "paid nobody; would have paid"
    of = f"{room.colour} room at {format_cell(min(room.cells))}: {tiles}, {dragons}, {sides}, worth {value}"
    return Sprite(key=f"room{room.id}", x=0, y=y, shape=shape, label=f"{of}, {words} {amounts}", quiet=True)
