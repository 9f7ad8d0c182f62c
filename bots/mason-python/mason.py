"""Mason: a sample bot for The Forbidden City, in one file and with the standard library alone.

The observation says of every room its tiles, dragons, advisors, open edges and the doors to other rooms, and of every
tile on the board which rooms its parts are in. The bot tries every legal action in its head and looks at the rooms
that are changed by it: a closed room is worth what it pays me less what it pays the others; an open one what it will
probably pay, by how likely it is to be closed and by who leads in it.

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

STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The way to the neighbour in the north, east, south and west."""
OPEN, WALL = "o", "w"
NEW: Final = (-1, -2)
"""The numbers of the rooms of a new tile's parts."""
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

    __slots__ = ("advisors", "cells", "doors", "dragons", "hope", "open")

    def __init__(self, cells: set[Cell], advisors: list[int], dragons: int, edges: int, doors: set[int]) -> None:
        self.cells = cells
        self.advisors = advisors
        """By seat."""
        self.dragons = dragons
        self.open = edges
        """Open edges that face an empty cell."""
        self.doors = doors
        """The rooms behind passages, by number; this room itself may be among them."""
        self.hope = 0.0
        """What I expect of it while it is open."""

    @property
    def points(self) -> int:
        """A point per tile and three per dragon."""
        return len(self.cells) + DRAGON * self.dragons

    def copy(self) -> "Room":
        """The same room, to be changed."""
        return Room(self.cells, self.advisors, self.dragons, self.open, self.doors.copy())

    def take_in(self, other: "Room") -> None:
        """The other room becomes a part of this one; a tile with parts of both counts once."""
        self.cells = self.cells | other.cells
        self.doors |= other.doors
        self.open += other.open
        self.dragons += other.dragons
        self.advisors = [mine + more for mine, more in zip(self.advisors, other.advisors, strict=True)]


Change = dict[int, Room]
"""What a tile does to the rooms: by number, those that are new or different. Joined rooms are one and the same."""


class Table:
    """The board with its rooms."""

    def __init__(self, seen: Json) -> None:
        self.seat: int = seen["seat"]
        self.players = len(seen["coins"])
        self.turns: int = seen["stacks"][self.seat] - NEVER_DRAWN
        """How often I shall lay a tile after this one."""
        self.edges: dict[Cell, list[tuple[str, int]]] = {}
        """Of each tile with rooms the edges as it lies, each with the number of the room that touches it."""
        self.walled: set[Cell] = set()
        """The cells without a room, gardens and the temple."""
        for laid in seen["board"]:
            cell, numbers = (laid["x"], laid["y"]), laid["rooms"]
            if numbers:
                shown = turned(laid["tile"]["edges"], len(numbers), laid["rotation"])
                self.edges[cell] = [(edge, numbers[part]) for edge, part in shown]
            else:
                self.walled.add(cell)
        self.rooms = {
            room["id"]: Room(
                {(x, y) for x, y in room["cells"]},
                room["advisors"],
                room["dragons"],
                room["open_edges"],
                {*room["passages"]},
            )
            for room in seen["rooms"]
        }
        for room in self.rooms.values():
            room.hope = self.hope(room, {})

    def lay(self, x: int, y: int, tile: Json, rotation: int) -> Change:
        """What becomes of the rooms when I lay a tile; the table itself stays as it is."""
        parts = len(tile["parts"])
        change = {NEW[part]: self.found((x, y), tile, part) for part in range(parts)}
        for (edge, part), (step_x, step_y), back in zip(
            turned(tile["edges"], parts, rotation), STEPS, (2, 3, 0, 1), strict=True
        ):
            beyond = (x + step_x, y + step_y)
            if beyond in self.edges:
                other_edge, other = self.edges[beyond][back]
                self.meet(change, NEW[part], edge, other, other_edge)
            elif beyond not in self.walled:
                change[NEW[part]].open += edge == OPEN
        return change

    def found(self, cell: Cell, tile: Json, part: int) -> Room:
        """A room of one part; the picture of a tile is in its first."""
        pictured = tile["count"] if part == 0 else 0
        advisors = [0] * self.players
        if tile["picture"] == "advisors":
            advisors[self.seat] = pictured
        return Room({cell}, advisors, pictured if tile["picture"] == "dragon" else 0, 0, set())

    def meet(self, change: Change, own: int, edge: str, other: int, other_edge: str) -> None:
        """A part of the new tile meets a room on the table: they are one room, or there is a door or a wall."""
        if other not in change:
            change[other] = self.rooms[other].copy()
        here, there = change[own], change[other]
        if other_edge == OPEN:
            there.open -= 1
        if edge == other_edge == OPEN:
            if here is not there:
                here.take_in(there)
                for number, room in change.items():
                    if room is there:
                        change[number] = here
        elif WALL not in (edge, other_edge):
            here.doors.add(other)
            there.doors.add(own)

    # -- what it is worth -------------------------------------------------------------------------------------------

    def value(self, room: Room, change: Change) -> int:
        """The points of a room and of each room behind its doors, after a change."""
        behind = {change.get(door) or self.rooms[door] for door in room.doors}
        return room.points + sum(other.points for other in behind if other is not room)

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
        change = self.lay(action["x"], action["y"], tile, action["rotation"])
        before = [(self.rooms[number], room) for number, room in change.items() if number in self.rooms]
        points = -sum(old.hope for old, _ in before)
        settled = {room for old, room in before if not old.open}
        for room in dict.fromkeys(change.values()):
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
