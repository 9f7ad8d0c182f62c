"""Mason: a sample bot for The Forbidden City, in one file and with the standard library alone.

It keeps the books of all rooms itself: it lays every tile of the board again and knows for each room its tiles,
dragons, advisors, open edges and the doors to other rooms. Then it tries every legal action in its head and looks at
the rooms that are changed by it: a closed room is worth what it pays me less what it pays the others; an open one
what it will probably pay, by how likely it is to be closed and by who leads in it.

So it closes what it leads, joins its advisors to rooms that are worth much, opens doors to rich neighbours, and
spoils for the others what it can't have. It keeps nothing between decisions: all it needs stands in `observation`.
"""

import json
import math
import random
import sys
from functools import cache
from typing import Any, Final

Json = dict[str, Any]
Cell = tuple[int, int]
Part = tuple[int, int, int]
"""A room part: the cell x, y, and which part of its tile."""

STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The way to the neighbour in the north, east, south and west."""
OPEN, WALL = "o", "w"
DRAGON: Final = 3
"""Points for a dragon in a room."""
NEVER_DRAWN: Final = 2
"""Tiles at the bottom of each stack that nobody lays."""

# -- what experience says, tuned in games of the bot against itself -------------------------------------------------

CLOSING = 0.8
"""How likely a room with one open edge is to be closed in time; each further edge makes it as much less likely."""
HURRY = 1.0
"""As the end comes near, a room needs about so many turns for each open edge."""
LEAD = 2.0
"""How much an advisor more than the best rival makes me believe that a player will lead in the end."""
SECOND = 0.5
"""Of the value, for a player who has advisors in a room and will not lead."""
GROWTH = 0.5
"""Points that a room still gains for each open edge."""
RIVALS = 1.0
"""What a coin for every rival costs me."""


class Room:
    """A room as the bot keeps it."""

    __slots__ = ("advisors", "doors", "dragons", "hope", "open", "parts", "points")

    def __init__(self, parts: set[Part], advisors: list[int], dragons: int) -> None:
        self.parts = parts
        self.advisors = advisors
        """By seat."""
        self.dragons = dragons
        self.open = 0
        """Open edges that face an empty cell."""
        self.doors: set[Part] = set()
        """The parts behind passages, in other rooms or in this one."""
        self.points = 1 + DRAGON * dragons
        """A point per tile and three per dragon."""
        self.hope = 0.0
        """What I expect of it while it is open."""

    def copy(self) -> "Room":
        """The same room, to be changed."""
        twin = Room(self.parts, self.advisors, self.dragons)
        twin.open, twin.points, twin.doors = self.open, self.points, self.doors.copy()
        return twin

    def take_in(self, other: "Room") -> None:
        """The other room becomes a part of this one; a tile with parts of both counts once."""
        self.parts = self.parts | other.parts
        self.doors |= other.doors
        self.open += other.open
        self.dragons += other.dragons
        self.advisors = [mine + more for mine, more in zip(self.advisors, other.advisors, strict=True)]
        self.points = len({(x, y) for x, y, _ in self.parts}) + DRAGON * self.dragons


class Change:
    """What a tile does to the rooms: the rooms of its own parts, and what each room beside it has become."""

    def __init__(self) -> None:
        self.own: dict[Part, Room] = {}
        self.beside: dict[Room, Room] = {}

    def rooms(self) -> list[Room]:
        """All rooms that are new or different."""
        return list(dict.fromkeys([*self.own.values(), *self.beside.values()]))

    def join(self, one: Room, other: Room) -> None:
        """Two rooms become one."""
        one.take_in(other)
        self.own = {part: one if room is other else room for part, room in self.own.items()}
        self.beside = {before: one if room is other else room for before, room in self.beside.items()}


class Table:
    """The board with its rooms."""

    def __init__(self, seen: Json) -> None:
        self.seat: int = seen["seat"]
        self.players = len(seen["coins"])
        self.turns: int = seen["stacks"][self.seat] - NEVER_DRAWN
        """How often I shall lay a tile after this one."""
        self.edges: dict[Cell, tuple[tuple[str, int], ...]] = {}
        """Of each tile the edges as it lies, each with the part that touches it."""
        self.room_of: dict[Part, Room] = {}
        for laid in seen["board"]:
            self.build(laid)
        for room in set(self.room_of.values()):
            room.hope = self.hope(room, Change())

    def build(self, laid: Json) -> None:
        """A tile that lies on the table."""
        x, y, tile, rotation = laid["x"], laid["y"], laid["tile"], laid["rotation"]
        for room in self.lay(x, y, tile, rotation, laid.get("seat")).rooms():
            self.room_of.update(dict.fromkeys(room.parts, room))
        self.edges[x, y] = turned(tile["edges"], len(tile["parts"]), rotation)

    def lay(self, x: int, y: int, tile: Json, rotation: int, seat: int | None) -> Change:
        """What becomes of the rooms when a tile is laid; the table itself stays as it is."""
        change = Change()
        parts = len(tile["parts"])
        for part in range(parts):
            change.own[x, y, part] = self.found((x, y, part), tile, seat)
        if not parts:
            return change  # gardens and the temple are no rooms
        for (edge, part), (step_x, step_y), back in zip(
            turned(tile["edges"], parts, rotation), STEPS, (2, 3, 0, 1), strict=True
        ):
            facing = self.edges.get((x + step_x, y + step_y))
            if facing is None:
                change.own[x, y, part].open += edge == OPEN
                continue
            other_edge, other_part = facing[back]
            other = (x + step_x, y + step_y, other_part)
            if other in self.room_of:
                self.meet(change, (x, y, part), edge, other, other_edge)
        return change

    def found(self, part: Part, tile: Json, seat: int | None) -> Room:
        """A room of one part; the picture of a tile is in its first."""
        pictured = tile["count"] if part[2] == 0 else 0
        advisors = [0] * self.players
        if tile["picture"] == "advisors" and seat is not None:
            advisors[seat] = pictured
        return Room({part}, advisors, pictured if tile["picture"] == "dragon" else 0)

    def meet(self, change: Change, own: Part, edge: str, other: Part, other_edge: str) -> None:
        """A part of the new tile meets one on the table: they are one room, or there is a door or a wall."""
        old = self.room_of[other]
        if old not in change.beside:
            change.beside[old] = old.copy()
        here, there = change.own[own], change.beside[old]
        if other_edge == OPEN:
            there.open -= 1
        if edge == other_edge == OPEN:
            if here is not there:
                change.join(here, there)
        elif WALL not in (edge, other_edge):
            here.doors.add(other)
            there.doors.add(own)

    # -- what it is worth -------------------------------------------------------------------------------------------

    def value(self, room: Room, change: Change) -> int:
        """The points of a room and of each room behind its doors, after a change."""
        behind = {change.own.get(part) or self.now(part, change) for part in room.doors}
        return room.points + sum(other.points for other in behind if other is not room)

    def now(self, part: Part, change: Change) -> Room:
        """The room that a part on the table is in after a change."""
        room = self.room_of[part]
        return change.beside.get(room, room)

    def hope(self, room: Room, change: Change) -> float:
        """What I expect an open room to pay me, less what it will pay my rivals."""
        if not room.open or not any(room.advisors):
            return 0.0
        worth = self.value(room, change) + GROWTH * room.open
        in_time = 1 - math.exp(-self.turns / (HURRY * room.open))
        return CLOSING**room.open * in_time * worth * self.balance(self.shares(room))

    def shares(self, room: Room) -> list[float]:
        """By seat, which share of the value of an open room the player may expect in the end."""
        shares = []
        for seat, advisors in enumerate(room.advisors):
            if not advisors:
                shares.append(0.0)
                continue
            best = max(room.advisors[:seat] + room.advisors[seat + 1 :])
            leads = 1 / (1 + math.exp(LEAD * (best - advisors)))
            shares.append(leads + SECOND * (1 - leads))
        return shares

    def balance(self, gains: list[float]) -> float:
        """What I gain, less what the rivals gain on average."""
        mine = gains[self.seat]
        return mine - RIVALS * (sum(gains) - mine) / (self.players - 1)

    def judge(self, tile: Json, action: Json) -> float:
        """How much better off I am by this action."""
        change = self.lay(action["x"], action["y"], tile, action["rotation"], self.seat)
        points = -sum(room.hope for room in change.beside)
        settled = {room for before, room in change.beside.items() if not before.open}
        for room in change.rooms():
            if room.open:
                points += self.hope(room, change)
            elif room not in settled:
                points += self.balance(payments(self.value(room, change), room.advisors))
        return points


@cache
def turned(edges: str, parts: int, rotation: int) -> tuple[tuple[str, int], ...]:
    """The edges N E S W of a tile as it lies, each with the part that touches it."""
    was = [(side - rotation) % 4 for side in range(4)]
    return tuple((edges[side], int(side >= 2 and parts == 2)) for side in was)


def payments(value: int, advisors: list[int]) -> list[float]:
    """What a closed room pays each seat: the sole leader all, a sole second half; leaders who share, half each."""
    first, second, *_ = [*sorted({*advisors} - {0}, reverse=True), -1, -1]
    if advisors.count(first) > 1:
        return [value // 2 if count == first else 0 for count in advisors]
    alone = advisors.count(second) == 1
    return [value if count == first else value // 2 if count == second and alone else 0 for count in advisors]


def choose(seen: Json, legal: list[Json]) -> int:
    """The place in `legal` of the action that leaves me best off."""
    table = Table(seen)
    values = [table.judge(seen["hand"], action) for action in legal]
    return values.index(max(values))


# -- the wire -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer: Json = {"type": "ready", "protocol": 1, "name": "mason", "options": {"events": False}}
        elif message["type"] == "start":
            known, rng = message["game"] == "forbidden_city", random.Random(message["bot_seed"])
            continue
        elif message["type"] == "act":
            legal = message["legal"]
            index = choose(message["observation"], legal) if known else rng.randrange(len(legal))
            answer = {"type": "action", "id": message["id"], "index": index}
        elif message["type"] == "quit":
            break
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
