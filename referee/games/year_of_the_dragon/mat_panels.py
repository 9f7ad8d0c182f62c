"""The mat of a seat: score, goods, palaces with persons, hand, wall tiles, and what the next event would bring."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from msgspec import UNSET

from referee.games.narrator import format_count
from referee.games.renderer import Node, Panel, Sprite, box, line, text
from referee.games.seat_marks import seat_mark
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.board_panels import format_event, points_each_round
from referee.games.year_of_the_dragon.drawing import (
    ORDINALS,
    PANEL_WIDTH,
    ROOM_HEIGHT,
    ROOM_WIDTH,
    fit,
    person,
    tight,
)
from referee.games.year_of_the_dragon.narrator import format_name, format_person
from referee.games.year_of_the_dragon.outlook import Outlook, format_prospect, format_when
from referee.games.year_of_the_dragon.shapes import CARD_FORMS, EVENT_FORMS, WALL_FORMS, form
from referee.games.year_of_the_dragon.state import Dragon, Palace, Player, Task
from referee.games.year_of_the_dragon.tiles import Card, WallTile

PALACES_TOP: Final = 40
PALACES_A_ROW: Final = 5
PALACE_PITCH: Final = PANEL_WIDTH / PALACES_A_ROW
ROOF_HEIGHT: Final = 16
ROW_GAP: Final = 5
"""Space below a row of palaces."""
GOODS_HEIGHT: Final = 33
HAND_HEIGHT: Final = 28
CAPTION_WIDTH: Final = 34
"""Width of the word before the hand."""
HAND_PITCH: Final = 22
"""Distance of cards and of wall tiles."""
WALL_LEFT: Final = 286
EVENT_LEFT: Final = 318


def mat_key(seat: int) -> str:
    return f"mat{seat}"


def mat(
    game: Dragon, seat: int, name: str, outlook: Outlook | None, place: int | None, *, is_out: bool, hand_shown: bool
) -> Panel:
    """What a player has, as low as it can be: all mats are to be seen at once. `place`: None as long as nobody is
    ahead. `is_out`: its bot is, so that its place doesn't follow from its points.
    """
    player = game.players[seat]
    sprites = [*heading(game, player, name, place, is_out), *palaces(game, player)]
    task = game.turn
    if isinstance(task, Task) and task.seat == seat and task.person is not UNSET and task.age is not UNSET:
        newcomer = Sprite(
            key="newcomer",
            x=PANEL_WIDTH - ROOM_WIDTH - 1,
            y=2,
            shape=person(task.person, task.age),
            label=f"{format_person(task.person, task.age)}, at the door",
            seat=seat,
            z=3,
        )
        sprites.append(newcomer)
    elif outlook is not None:
        sprites.append(next_event(game, outlook, seat))
    y = PALACES_TOP + sum(row_heights(storeys(game, player)))
    sprites += goods(player, y)
    y += GOODS_HEIGHT
    sprites += hand(game, player, y, hand_shown)
    if player.wall_tiles is not UNSET:
        sprites += wall_tiles(player.wall_tiles, y)
    height = y + HAND_HEIGHT
    return Panel(
        key=mat_key(seat), title=name, heading=False, width=PANEL_WIDTH, height=height, half=True, sprites=sprites
    )


def storeys(game: Dragon, player: Player) -> list[int]:
    """The floors of each palace, and of the new one that the player may be about to build."""
    task = game.turn
    building = task is not None and (task.seat, task.decision) == (player.seat, "build_floor")
    return [*(palace.floors for palace in player.palaces), *[1] * building]


def row_heights(floors: Sequence[int]) -> list[float]:
    """The height of each row of palaces. The first always has room for the highest."""
    rows = [max(floors[first : first + PALACES_A_ROW]) for first in range(PALACES_A_ROW, len(floors), PALACES_A_ROW)]
    return [ROOF_HEIGHT + ROOM_HEIGHT * highest + ROW_GAP for highest in (tiles.MAX_FLOORS, *rows)]


def heading(game: Dragon, player: Player, name: str, place: int | None, is_out: bool) -> Iterator[Sprite]:
    """The name, whose turn it is in the order of play, the score and the place."""
    seat = player.seat
    order = text(f"plays {ORDINALS[game.order.index(seat)]}, track {player.track}", 28, 32, "muted")
    yield Sprite(key="mark", x=0, y=0, shape=seat_heading(seat, name))
    yield Sprite(key="order", x=0, y=0, shape=(order,))
    yield Sprite(
        key="score",
        x=163,
        y=28,
        seat=seat,
        shape=(text(str(player.score), 0, 0, "t24 bold"),),
        label=f"{name}: {format_count(player.score, 'points')}",
    )
    rank = f", {ORDINALS[place - 1]}" if place is not None else ""
    income = f"+{points_each_round(player)} a round" if game.turn is not None else ""
    points = f"{'out' if is_out else 'points' if player.score != 1 else 'point'}{rank}"
    yield Sprite(key="rank", x=221, y=17, shape=(text(points, 0, 0), text(income, 0, 15, "muted")))


@cache
def seat_heading(seat: int, name: str) -> Sequence[Node]:
    """The top of a mat: a line in the colour of the seat, its mark and the name."""
    return (
        line(0, 0, PANEL_WIDTH, 0, f"line-seat{seat % 5}"),
        seat_mark(seat, 11, 18, 18),
        text(fit(name, 122), 28, 17, "bold"),
    )


def goods(player: Player, y: float) -> Iterator[Sprite]:
    small, large = player.small_privileges, player.large_privileges
    counters = (
        ("yuan", "coin", player.yuan, "", "yuan", 0),
        ("rice", "full_bowl", player.rice, "", "rice", 70),
        ("fireworks", "rocket", player.fireworks, "", "fireworks", 136),
        ("small_privileges", "scroll", small, "small", "privileges", 232),
        ("large_privileges", "seal", large, "large", "privileges", 330),
    )
    for key, shown, count, kind, noun, x in counters:
        label = " ".join(filter(None, (str(count), kind, noun)))
        yield Sprite(key=key, x=x, y=y, shape=goods_shape(shown, count, kind, noun), label=label, seat=player.seat)


@cache
def goods_shape(shown: str, count: int, kind: str, noun: str) -> Sequence[Node]:
    """A counter: a form, a number, and what it counts."""
    quiet = "" if count else "muted"
    return (
        form(shown, 0, 3, 22, "goods" if count else "past"),
        text(str(count), 26, 13, f"t16 bold {quiet}".strip()),
        *((text(kind, 30 + 10 * len(str(count)), 13, quiet),) if kind else ()),
        text(noun, 26, 28, "muted"),
    )


# -- palaces -------------------------------------------------------------------------------------------------


def palace_corner(heights: Sequence[float], index: int) -> tuple[float, float]:
    """The left edge of a palace and its ground, by its place among those of the player."""
    row, column = divmod(index, PALACES_A_ROW)
    return PALACE_PITCH * column, PALACES_TOP + sum(heights[: row + 1]) - ROW_GAP


def palaces(game: Dragon, player: Player) -> Iterator[Sprite]:
    """The palaces: floors from the ground up, persons in them, and a roof with the number."""
    seat = player.seat
    floors = storeys(game, player)
    heights = row_heights(floors)
    for index, palace in enumerate(player.palaces):
        x, ground = palace_corner(heights, index)
        for floor in range(palace.floors):
            y = ground - ROOM_HEIGHT * (floor + 1)
            yield Sprite(key=f"palace{palace.id}-floor{floor}", x=x, y=y, shape=FLOOR_SHAPE, seat=seat)
        y = ground - ROOM_HEIGHT * palace.floors
        size = f"{format_count(palace.floors, 'floors')}, {format_count(len(palace.persons), 'persons')}"
        label = f"palace {palace.id}: {size}"
        yield Sprite(key=f"palace{palace.id}", x=x, y=y, shape=roof(seat, palace.id), label=label, quiet=True, z=1)
        yield from residents(palace, seat, x, ground)
    if len(floors) > len(player.palaces):
        x, ground = palace_corner(heights, len(player.palaces))
        label = f"room for a new palace {player.next_palace}"
        yield Sprite(key="site", x=x, y=ground, shape=SITE_SHAPE, label=label, quiet=True)
    elif not player.palaces:
        yield Sprite(key="no-palace", x=0, y=PALACES_TOP, shape=NO_PALACE)


def residents(palace: Palace, seat: int, x: float, ground: float) -> Iterator[Sprite]:
    """The persons in a palace, the first of them on the ground floor."""
    seen: Counter[object] = Counter()
    for floor, tile in enumerate(palace.persons):
        yield Sprite(
            key=f"palace{palace.id}-{tile.person}-{tile.age}-{seen[tile]}",
            x=x,
            y=ground - ROOM_HEIGHT * (floor + 1),
            shape=person(tile.person, tile.age),
            label=f"{format_person(tile.person, tile.age)}, palace {palace.id}",
            seat=seat,
            z=2,
        )
        seen[tile] += 1


NO_PALACE: Final = (
    box(0.5, ROOF_HEIGHT, PANEL_WIDTH - 1, ROOM_HEIGHT * tiles.MAX_FLOORS, "none dashed", 0),
    text("no palace: nobody can move in", PANEL_WIDTH / 2, 68, "middle muted"),
)
FLOOR_SHAPE: Final = (box(0.5, 0, ROOM_WIDTH - 1, ROOM_HEIGHT, "room line-muted", 0),)
SITE_SHAPE: Final = (box(1.5, -ROOM_HEIGHT, ROOM_WIDTH - 3, ROOM_HEIGHT, "none dashed", 0),)


@cache
def roof(seat: int, number: int) -> Sequence[Node]:
    """A curved roof in the colour of the seat, above (0, 0), with the number of the palace."""
    width = ROOM_WIDTH
    curve = f"M-1 -1C8 -2 18 -6 24 -{ROOF_HEIGHT - 2}H{width - 24}C{width - 18} -6 {width - 8} -2 {width + 1} -1V1H-1z"
    return (
        Node("path", {"class": f"seat{seat % 5}", "d": curve}),
        text(f"#{number}", width / 2, -2, "middle bold on"),
    )


# -- hand and wall -------------------------------------------------------------------------------------------


def hand(game: Dragon, player: Player, y: float, shown: bool) -> Iterator[Sprite]:
    """The person cards left: face up for those who may see them."""
    count = player.hand_size
    if not count:
        yield Sprite(key="cards", x=0, y=y + 18, shape=(text("no cards left", 0, 0, "muted"),))
        return
    label = format_count(count, "cards")
    yield Sprite(key="cards", x=0, y=y + 18, shape=(text("hand", 0, 0, "muted"),), label=label, quiet=True)
    if not shown:
        for number in range(count):
            yield Sprite(key=f"back{number}", x=CAPTION_WIDTH + HAND_PITCH * number, y=y, shape=CARD_BACK)
        return
    held = game.hands[player.seat]
    laid: Counter[Card] = Counter()
    for place, card in enumerate(tiles.HAND):
        x, number = CAPTION_WIDTH + HAND_PITCH * place, laid[card]
        if number < held.count(card):
            label = f"{format_name(card)} card"
            yield Sprite(key=f"hand-{card}-{number}", x=x, y=y, shape=hand_card(card), label=label, quiet=True)
        else:
            yield Sprite(key=f"spent-{card}-{number}", x=x, y=y, shape=SPENT_CARD)
        laid[card] += 1


@cache
def hand_card(card: Card) -> Sequence[Node]:
    return (slip("raised line-muted"), form(CARD_FORMS[card], 2, 5, 16))


def slip(classes: str) -> Node:
    """The outline of a card or of a wall tile."""
    return box(0.5, 0.5, HAND_PITCH - 3, HAND_HEIGHT - 3, classes, 3)


CARD_BACK: Final = (slip("stone line-muted"),)
SPENT_CARD: Final = (slip("none dashed"),)


def wall_tiles(left: Sequence[WallTile], y: float) -> Iterator[Sprite]:
    for place, tile in enumerate(tiles.WALL_TILES):
        x = WALL_LEFT + HAND_PITCH * place
        if tile in left:
            label = f"wall tile: {format_name(tile)} {tiles.WALL_TILES[tile]}"
            yield Sprite(key=f"wall-{tile}", x=x, y=y, shape=wall_tile(tile), label=label, quiet=True)
        else:
            yield Sprite(key=f"built-{tile}", x=x, y=y, shape=SPENT_CARD)


@cache
def wall_tile(tile: WallTile) -> Sequence[Node]:
    """A tile with the form and the number of what it brings; points have no form."""
    gain = text(f"+{tiles.WALL_TILES[tile]}", HAND_PITCH / 2 - 1, 18 if tile == "points" else 24, "middle")
    return (slip("stone"), *(() if tile == "points" else (form(WALL_FORMS[tile], 4, 1.5, 12),)), gain)


def next_event(game: Dragon, outlook: Outlook, seat: int) -> Sprite:
    """What the next event would bring as things stand."""
    prospect = outlook.prospects[seat]
    when = format_when(game, outlook)
    width = PANEL_WIDTH - EVENT_LEFT
    words = format_prospect(outlook.event, prospect, short=True)
    classes = f"{'accent' if prospect.leaving else ''} {tight(words, width)}".strip()
    shape = (
        form(EVENT_FORMS[outlook.event], EVENT_LEFT, 3, 17, "event"),
        text(when, EVENT_LEFT + 22, 17, "muted"),
        text(fit(words, width + 6), EVENT_LEFT, 32, classes),
    )
    label = f"{format_event(outlook.event)} {when}: {format_prospect(outlook.event, prospect)}"
    return Sprite(key="next-event", x=0, y=0, shape=shape, label=label, quiet=True)
