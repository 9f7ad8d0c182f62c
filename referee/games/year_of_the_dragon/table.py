"""Drawing the table of In the Year of the Dragon as one seat sees it, with the stakes for that seat."""

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import UNSET

from referee.games.narrator import format_count
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.narrator import format_name, format_person
from referee.games.year_of_the_dragon.scoring import privilege_dragons
from referee.games.year_of_the_dragon.state import Palace, Player
from referee.games.year_of_the_dragon.tiles import Card, EventTile, Person
from referee.games.year_of_the_dragon.view import Observation

FREE_ROOM: Final = "–"
"""The mark for a free room in a palace."""
LABEL_WIDTH: Final = 11
"""Width of the label at the beginning of a line, including its indent."""
EVENTS_AHEAD: Final = 3
"""The number of events whose stakes are shown: that of this round and the next ones."""


def table(seen: Observation, names: Sequence[str], width: int) -> Iterator[str]:
    """The table; sentences are wrapped at `width`."""
    now = seen.round
    yield f"Round {now} of {tiles.ROUNDS}: {format_name(seen.event_row[now - 1])}" if now else "Draft"
    yield from labelled_lines("Events", format_event_row(seen), ", ", width)
    if seen.action_groups:
        groups = [
            f"{number}: {', '.join(map(format_name, group.cards))}{format_taken_by(group.taken_by, names)}"
            for number, group in enumerate(seen.action_groups)
        ]
        yield from labelled_lines("Groups", groups, " | ", width)
    yield ""
    yield from players_table(seen, names)
    yield ""
    yield f"  palaces ({FREE_ROOM} is room for a person)"
    yield from palaces(seen, names, width)
    yield ""
    for age, shown in (("young", seen.display.young), ("old", seen.display.old)):
        left = [f"{format_name(kind)} {count}" for kind, count in shown.items()]
        yield from labelled_lines("Display" if age == "young" else "", [f"{age}: {left[0]}", *left[1:]], ", ", width)
    yield from labelled_lines("Your hand", format_hand(seen.hand), ", ", width)
    if seen.wall is not UNSET:
        yield from labelled_lines("Wall", format_wall(seen.wall, names), ", ", width)
        own = seen.players[seen.seat].wall_tiles
        left = [format_name(tile) for tile in own] if own is not UNSET else []
        yield from labelled_lines("", ["your tiles: " + (left[0] if left else "none left"), *left[1:]], ", ", width)
    yield "At stake"
    for sentence in stakes(seen, names):
        yield from textwrap.wrap(sentence, width, initial_indent="  ", subsequent_indent="      ")


def labelled_lines(label: str, parts: Sequence[str], separator: str, width: int) -> Iterator[str]:
    """A line with a label, wrapped between its parts."""
    return pack(parts, f"  {label}".ljust(LABEL_WIDTH) + "  ", separator, width)


def format_event_row(seen: Observation) -> list[str]:
    first = max(seen.round, 1)
    row = [f"{number} {format_name(event)}" for number, event in enumerate(seen.event_row, start=1) if number >= first]
    if seen.super_event != "none" and first <= tiles.SUPER_EVENT_ROUND:
        row.append(f"super event in round {tiles.SUPER_EVENT_ROUND}: {format_name(seen.super_event)}")
    return row


def format_taken_by(seats: Sequence[int], names: Sequence[str]) -> str:
    return f" ({', '.join(names[seat] for seat in seats)})" if seats else ""


def players_table(seen: Observation, names: Sequence[str]) -> Iterator[str]:
    """The counters of every player, in order of play."""
    columns = ("score", "track", "yuan", "rice", "fireworks", "privileges", "cards")
    name_width = max(len("in order of play"), *(len(name) for name in names))
    yield f"  {'in order of play':{name_width}}  {'  '.join(columns)}"
    for seat in seen.order:
        player = seen.players[seat]
        privileges = [
            *(f"{player.small_privileges}S" for _ in range(player.small_privileges > 0)),
            *(f"{player.large_privileges}L" for _ in range(player.large_privileges > 0)),
        ]
        values = (
            player.score,
            player.track,
            player.yuan,
            player.rice,
            player.fireworks,
            " ".join(privileges) or FREE_ROOM,
            player.hand_size,
        )
        cells = (f"{value!s:>{len(column)}}" for value, column in zip(values, columns, strict=True))
        yield f"  {names[seat]:{name_width}}  {'  '.join(cells)}"


def palaces(seen: Observation, names: Sequence[str], width: int) -> Iterator[str]:
    """Everybody's palaces, starting with those of the observing seat."""
    seats = range(len(names))
    name_width = max(len(name) for name in names)
    for seat in sorted(seats, key=lambda seat: seat != seen.seat):
        label = f"  {names[seat]:{name_width}}  "
        drawn = [format_palace(palace) for palace in seen.players[seat].palaces] or ["no palace"]
        yield from pack(drawn, label, "  ", width)


def pack(parts: Sequence[str], label: str, separator: str, width: int) -> Iterator[str]:
    """Parts in as few lines as possible, after a label. A part that fits into a line is not broken."""
    indent = " " * len(label)
    drawn = label + parts[0]
    for part in parts[1:]:
        drawn += separator
        if len(drawn) + len(part) + len(separator.rstrip()) > width:
            yield from textwrap.wrap(drawn, width, subsequent_indent=indent)
            drawn = indent
        drawn += part
    yield from textwrap.wrap(drawn, width, subsequent_indent=indent)


def format_palace(palace: Palace) -> str:
    """A palace: its persons, and a dash for each free room."""
    rooms = [*(format_tile(tile) for tile in palace.persons), *[FREE_ROOM] * (palace.floors - len(palace.persons))]
    return f"{palace.id} [{', '.join(rooms)}]"


def format_tile(tile: Person) -> str:
    """A person. The age is only given for old persons."""
    return format_name(tile.person) if tile.age == "young" else format_person(tile.person, tile.age)


def format_hand(cards: Sequence[Card]) -> list[str]:
    counts = Counter(cards)
    return [format_name(card) + (f" ×{count}" if count > 1 else "") for card, count in counts.items()] or ["no cards"]


def format_wall(built: Sequence[int], names: Sequence[str]) -> list[str]:
    """The Great Wall: its length, and the number of tiles by player."""
    by = Counter(built)
    builders = [f"{name} {by[seat]}" for seat, name in enumerate(names)]
    return [f"{format_count(len(built), 'tiles')}: {builders[0]}", *builders[1:]]


# -- the stakes ----------------------------------------------------------------------------------------------


def stakes(seen: Observation, names: Sequence[str]) -> Iterator[str]:
    """The effects of the next events on the seat in the current state, and its points in each scoring phase."""
    own = seen.players[seen.seat]
    first = max(seen.round, 1)
    for number in range(first, min(first + EVENTS_AHEAD, tiles.ROUNDS + 1)):
        event = seen.event_row[number - 1]
        when = "this round" if number == seen.round else f"round {number}"
        yield f"{when}, {format_name(event)}: {STAKES[event](seen, own, names)}"
        if event == "mongol_invasion" and seen.wall is not UNSET:
            yield f"{when}, wall scoring: the wall needs {format_count(number, 'tiles')}, it has {len(seen.wall)}"
        if number == tiles.SUPER_EVENT_ROUND and seen.super_event != "none":
            yield f"{when}, super event {format_name(seen.super_event)} (type: ? {format_name(seen.super_event)})"
    dragons = own.symbols("court_lady")
    privileges = privilege_dragons(own)
    total = len(own.palaces) + dragons + privileges
    parts = f"{len(own.palaces)} for palaces, {dragons} for court ladies, {privileges} for privileges"
    yield f"each round's scoring: {format_count(total, 'points')} for you ({parts})"


def tribute_stake(seen: Observation, own: Player, names: Sequence[str]) -> str:
    missing = max(0, tiles.TRIBUTE - own.yuan)
    due = f"{tiles.TRIBUTE} yuan are due, you have {own.yuan}"
    return f"{due}: {format_departures(min(missing, own.person_count()))}"


def drought_stake(seen: Observation, own: Player, names: Sequence[str]) -> str:
    inhabited = sum(1 for palace in own.palaces if palace.persons)
    return f"you need {inhabited} rice, you have {own.rice}: {format_departures(max(0, inhabited - own.rice))}"


def festival_stake(seen: Observation, own: Player, names: Sequence[str]) -> str:
    first, second = tiles.FESTIVAL_POINTS
    fireworks = format_ranking(seen, names, lambda player: player.fireworks)
    return f"most fireworks score {first}, second most {second}: {fireworks}"


def mongol_stake(seen: Observation, own: Player, names: Sequence[str]) -> str:
    helmets = format_ranking(seen, names, lambda player: player.symbols("warrior"))
    return f"a point per helmet, and who has the fewest loses a person: {helmets}"


def contagion_stake(seen: Observation, own: Player, names: Sequence[str]) -> str:
    mortars = own.symbols("healer")
    lost = format_departures(min(max(0, tiles.CONTAGION - mortars), own.person_count()))
    return f"{tiles.CONTAGION} persons less one per mortar, you have {format_count(mortars, 'mortars')}: {lost}"


STAKES: Final[dict[EventTile, Callable[[Observation, Player, Sequence[str]], str]]] = {
    "peace": lambda seen, own, names: "nothing happens",
    "imperial_tribute": tribute_stake,
    "drought": drought_stake,
    "dragon_festival": festival_stake,
    "mongol_invasion": mongol_stake,
    "contagion": contagion_stake,
}
check_complete(tiles.EVENT_TILES, STAKES)


def format_departures(persons: int) -> str:
    if not persons:
        return "nobody leaves"
    return f"{format_count(persons, 'persons')} would leave"


def format_ranking(seen: Observation, names: Sequence[str], value: Callable[[Player], int]) -> str:
    """A number of every player, the highest first."""
    ranked = sorted(range(len(names)), key=lambda seat: -value(seen.players[seat]))
    return ", ".join(f"{names[seat]} {value(seen.players[seat])}" for seat in ranked)
