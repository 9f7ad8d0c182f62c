"""The panels of the table that belong to nobody: the year, the person track, the actions, the display."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import UNSET, UnsetType

from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.narrator import format_count
from referee.games.renderer import Node, Panel, Sprite, box, line, text
from referee.games.seat_marks import seat_mark
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import ChooseAction
from referee.games.year_of_the_dragon.drawing import PANEL_WIDTH, fit, named_card, symbols, tight, wrap
from referee.games.year_of_the_dragon.narrator import format_name
from referee.games.year_of_the_dragon.outlook import EVENT_EFFECTS, struck
from referee.games.year_of_the_dragon.scoring import privilege_dragons
from referee.games.year_of_the_dragon.shapes import EVENT_FORMS, PERSON_FORMS, form
from referee.games.year_of_the_dragon.state import Dragon, Player
from referee.games.year_of_the_dragon.super_events import SUPER_EVENT_RULES
from referee.games.year_of_the_dragon.tiles import ActionCard, Age, EventTile, PersonType

# -- the year ------------------------------------------------------------------------------------------------

EVENT_PITCH: Final = 72
EVENT_WIDTH: Final = 70
EVENT_HEIGHT: Final = 56
WALL_TOP: Final = EVENT_HEIGHT + 2
WALL_HEIGHT: Final = 18


def year(game: Dragon, names: Sequence[str]) -> Panel:
    """The events of the year in a row, the wall below them, and the super event."""
    width = EVENT_PITCH * tiles.ROUNDS
    numbers = range(1, tiles.ROUNDS + 1)
    sprites = [event_tile(game, number, EVENT_PITCH * (number - 1)) for number in numbers]
    height = EVENT_HEIGHT
    if game.config.great_wall:
        sprites += [wall_space(game, names, number, EVENT_PITCH * (number - 1)) for number in numbers]
        height = WALL_TOP + WALL_HEIGHT
    if game.super_event != "none":
        height += 18
        name, past = format_name(game.super_event), game.round > tiles.SUPER_EVENT_ROUND
        what = f"{name.capitalize()}, also in round 7: {SUPER_EVENT_RULES[game.super_event].effect}"
        words = text(fit(what, width - 20), 20, 0, "muted" if past else "")
        shape = (form("burst", 0, -12, 14, "past" if past else "event"), words)
        sprites.append(Sprite(key="super-event", x=0, y=height - 4, shape=shape, label=what, quiet=True))
    return Panel(key="year", title="The year", heading=False, width=width, height=height, sprites=sprites)


def event_tile(game: Dragon, number: int, x: float) -> Sprite:
    """An event of the year. Those that have struck are quiet."""
    event = game.event_row[number - 1]
    past = number < game.round or game.turn is None or (number == game.round and struck(game))
    state = "now" if number == game.round and game.turn is not None else "past" if past else "ahead"
    label = f"Round {number}: {format_name(event)}" + {"now": ", now", "past": ", past", "ahead": ""}[state]
    if event in EVENT_EFFECTS:
        label += f": {EVENT_EFFECTS[event]}"
    both = number == tiles.SUPER_EVENT_ROUND and game.super_event != "none"
    shape = event_shape(event, number, state, past, both)
    return Sprite(key=f"event{number}", x=x, y=0, shape=shape, label=label, quiet=True, z=int(number == game.round))


@cache
def event_shape(event: EventTile, number: int, state: str, past: bool, both: bool) -> Sequence[Node]:
    """A tile with the number of its round, the form of the event and its name."""
    tone = "quiet-text" if past else ""
    name = wrap(format_event(event), EVENT_WIDTH)
    frame = "line-accent" if state == "now" else "line"
    return (
        box(1, 1, EVENT_WIDTH - 2, EVENT_HEIGHT - 2, f"{'paper' if past else f'tint-{event}'} {frame}", 6),
        text(str(number), 7, 16, "bold accent" if state == "now" else tone),
        *((form("burst", EVENT_WIDTH - 40, 5, 14, "past" if past else "event"),) if both else ()),
        form(EVENT_FORMS[event], EVENT_WIDTH - 25, 3, 18, "past" if past else "event"),
        *(
            text(
                part,
                EVENT_WIDTH / 2,
                34 + 15 * row + (0 if len(name) > 1 else 7),
                " ".join(filter(None, ("middle", tone, tight(part, EVENT_WIDTH - 8)))),
            )
            for row, part in enumerate(name)
        ),
    )


def wall_space(game: Dragon, names: Sequence[str], number: int, x: float) -> Sprite:
    """A space of the Great Wall, built or not."""
    seat = game.wall[number - 1] if number <= len(game.wall) else None
    label = f"Great Wall {number}: {'not built' if seat is None else f'built by {names[seat]}'}"
    return Sprite(key=f"wall{number}", x=x, y=WALL_TOP, shape=wall_shape(seat), label=label, seat=seat)


@cache
def wall_shape(seat: int | None) -> Sequence[Node]:
    """A stretch of wall with the mark of who built it, or room for it."""
    width, height = EVENT_PITCH, WALL_HEIGHT
    if seat is None:
        return (Node("rect", {"class": "none dashed", "x": 1, "y": 1, "width": EVENT_WIDTH - 2, "height": height - 2}),)
    battlements = f"M0 {height}V3h8v-3h8v3h10v-3h8v3h10v-3h8v3h10v-3h8v{height}z"
    return (
        Node("path", {"class": "stone", "d": battlements}),
        line(0, 10, width, 10, "joint"),
        seat_mark(seat, EVENT_WIDTH / 2, 10, 13),
    )


def format_event(event: EventTile) -> str:
    """The name of an event at the beginning of a sentence."""
    name = format_name(event)
    return name[0].upper() + name[1:]


def points_each_round(player: Player) -> int:
    """What the scoring of a round brings a player as things stand."""
    return len(player.palaces) + player.symbols("court_lady") + privilege_dragons(player)


# -- the person track ----------------------------------------------------------------------------------------

TRACK_LEFT: Final = 12
TRACK_LENGTH: Final = PANEL_WIDTH - 2 * TRACK_LEFT
TRACK_SHOWN: Final = 20
"""The track shows at least this number of spaces; when markers are further, twice this number, and so on."""
MARKER_SIZE: Final = 16


def person_track(game: Dragon, names: Sequence[str]) -> Panel:
    """The markers on one line. Who is ahead plays first; of those on one space, whoever is drawn higher."""
    seats = len(names)
    end = TRACK_SHOWN
    while end < max(player.track for player in game.players):
        end += TRACK_SHOWN
    baseline = 10 + MARKER_SIZE * seats
    scale = TRACK_LENGTH / end
    ticks = [line(TRACK_LEFT, baseline, TRACK_LEFT + TRACK_LENGTH, baseline, "line-ink")]
    for space in range(0, end + 1, end // 4):
        x = round(TRACK_LEFT + space * scale, 1)
        ticks += [line(x, baseline, x, baseline + 5, "line-ink"), text(str(space), x, baseline + 19, "muted middle")]
    sprites = [Sprite(key="line", x=0, y=0, shape=ticks)]
    levels: list[tuple[float, int]] = []
    for seat in reversed(game.order):
        track = game.players[seat].track
        x = round(TRACK_LEFT + track * scale, 1)
        level = 1 + max((level for other, level in levels if abs(other - x) < MARKER_SIZE + 1), default=-1)
        levels.append((x, level))
        up = MARKER_SIZE / 2 + 3 + MARKER_SIZE * level
        sprites.append(
            Sprite(
                key=f"marker{seat}",
                x=x,
                y=baseline - up,
                shape=(line(0, MARKER_SIZE / 2, 0, up, "line-muted"), seat_mark(seat, 0, 0, MARKER_SIZE - 2)),
                label=f"{names[seat]} on space {track}",
                seat=seat,
                z=1,
            )
        )
    title = "Person track: who is ahead plays first"
    return Panel(key="track", title=title, width=PANEL_WIDTH, height=baseline + 24, half=True, sprites=sprites)


# -- the actions ---------------------------------------------------------------------------------------------

CARD_WIDTH: Final = 84
CARD_HEIGHT: Final = 38
TRAY_PITCH: Final = 46


def action_groups(game: Dragon, names: Sequence[str]) -> Panel:
    """The groups of action cards as trays, what it costs to join them, and everyone's mark at what they chose."""
    trays = max(len(game.action_groups), game.config.players)
    bottom = TRAY_PITCH * trays
    chosen = chosen_actions(game)
    sprites = [*(tray(game, number, TRAY_PITCH * number) for number in range(trays))]
    for number, group in enumerate(game.action_groups):
        y = TRAY_PITCH * number + 2
        for place, card in enumerate(group.cards):
            x = 18 + (CARD_WIDTH + 2) * place
            label = f"{format_name(card)}, in group {number}"
            shape = named_card(card, CARD_WIDTH, CARD_HEIGHT)
            sprites.append(Sprite(key=f"card-{card}", x=x, y=y, shape=shape, label=label, quiet=True, z=1))
            users = [seat for seat in group.taken_by if chosen.get(seat) == card]
            for user, seat in enumerate(users):
                label = f"{names[seat]} chose {format_name(card)}"
                sprites.append(standing_mark(seat, x + CARD_WIDTH - 6 - 15 * user, y + CARD_HEIGHT - 2, label))
    shape = (box(0, 0, 250, 28, "tray", 6), form("coin", 8, 6, 16), text("replenish to 3 yuan", 30, 19))
    label = f"replenish: take yuan up to {tiles.REPLENISH_TO}"
    sprites.append(Sprite(key="replenish", x=0, y=bottom, shape=shape, label=label, quiet=True))
    replenished = [seat for seat, card in chosen.items() if card is UNSET]
    waiting = [seat for seat in game.order if seat not in chosen and game.action_groups]
    if waiting:
        sprites.append(Sprite(key="waiting", x=260, y=bottom + 19, shape=(text("still to act", 0, 0, "muted"),)))
    for place, seat in enumerate(replenished):
        sprites.append(standing_mark(seat, 238 - 16 * place, bottom + 14, f"{names[seat]} replenished"))
    for place, seat in enumerate(waiting):
        sprites.append(standing_mark(seat, 346 + 16 * place, bottom + 14, f"{names[seat]} is still to act", quiet=True))
    title = "Actions of this round"
    return Panel(key="actions", title=title, width=PANEL_WIDTH, height=bottom + 30, half=True, sprites=sprites)


def tray(game: Dragon, number: int, y: float) -> Sprite:
    taken = number < len(game.action_groups) and bool(game.action_groups[number].taken_by)
    price = f"{tiles.OCCUPIED_GROUP_PRICE} yuan" if taken else "free"
    label = f"group {number}, {f'{price} to join' if taken else price}"
    shape = tray_shape(number, price if game.action_groups else "")
    return Sprite(key=f"group{number}", x=0, y=y, shape=shape, label=label, quiet=True)


@cache
def tray_shape(number: int, price: str) -> Sequence[Node]:
    return (
        box(0, 0, PANEL_WIDTH, TRAY_PITCH - 4, "tray", 6),
        text(str(number), 6, 26, "muted"),
        text(price, PANEL_WIDTH - 6, 26, "end muted" if price == "free" else "end"),
    )


def standing_mark(seat: int, x: float, y: float, label: str, *, quiet: bool = False) -> Sprite:
    """Where a player stands in the action phase."""
    shape = (seat_mark(seat, 0, 0, 14),)
    return Sprite(key=f"stands{seat}", x=x, y=y, shape=shape, label=label, seat=seat, quiet=quiet, z=2)


def chosen_actions(game: Dragon) -> dict[int, ActionCard | UnsetType]:
    """The cards that players have chosen in this round, by seat, the first last; UNSET for those who replenished."""
    chosen: dict[int, ActionCard | UnsetType] = {}
    for event, _ in reversed(game.log):
        if isinstance(event, ChanceEvent):
            break
        if isinstance(event, DecisionEvent) and isinstance(event.action, ChooseAction):
            chosen[event.seat] = event.action.card
    return chosen


# -- the display ---------------------------------------------------------------------------------------------

KIND_WIDTH: Final = 142
KIND_HEIGHT: Final = 62


def display(game: Dragon) -> Panel:
    """The persons who can still be had: symbols, spaces on the track, tiles left."""
    sprites: list[Sprite] = []
    for place, (kind, ages) in enumerate(tiles.FACTS.items()):
        x, y = KIND_WIDTH * (place % 3), KIND_HEIGHT * (place // 3)
        shape = (form(PERSON_FORMS[kind], 0, 1, 14), text(format_name(kind), 19, 13, "bold"))
        sprites.append(Sprite(key=kind, x=x, y=y, shape=shape, label=format_name(kind)))
        for row, age in enumerate(ages):
            left = game.display.left(kind, age)
            facts = ages[age]
            label = (
                f"{age} {format_name(kind)}: {format_count(facts.symbols, 'symbols')},"
                f" {format_count(facts.value, 'spaces')} on the track, {left} left"
            )
            y_row = y + 17 + 21 * row
            sprites.append(Sprite(key=f"{kind}-{age}", x=x, y=y_row, shape=person_left(kind, age, left), label=label))
    legend = "young or old; symbols; spaces on the track; tiles left"
    sprites.append(Sprite(key="legend", x=0, y=KIND_HEIGHT * 3 + 12, shape=(text(legend, 0, 0, "muted"),)))
    return Panel(
        key="display",
        title="Persons to be had",
        width=PANEL_WIDTH,
        height=KIND_HEIGHT * 3 + 18,
        half=True,
        sprites=sprites,
    )


@cache
def person_left(kind: PersonType, age: Age, left: int) -> Sequence[Node]:
    return (
        box(0, 0, KIND_WIDTH - 10, 19, f"tile-{age}" if left else "paper", 3),
        text(age, 4, 14, "" if left else "muted"),
        *symbols(kind, age, 47, 9.5, narrow=True),
        text(f"+{tiles.FACTS[kind][age].value}", 98, 14, "end" if left else "muted end"),
        text(f"×{left}", KIND_WIDTH - 12, 14, "bold end" if left else "muted end"),
    )
