"""Mason: a sample bot for The Forbidden City, in one file and with the standard library alone.

The observation has the tiles, dragons, advisors, open edges and passages of every room, and the rooms of every tile on
the board. The bot simulates every legal action and evaluates the rooms that it changes. A closed room is worth what it
pays the bot less what it pays the others. An open room is worth its expected payment, which depends on how likely it is
to be closed and on who leads in it.

It has no state between decisions: everything it needs is in the observation.
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
"""The step (dx, dy) to the neighbour in the north, east, south and west."""
OPEN, WALL = "o", "w"
NEW: Final = (-1, -2)
"""The numbers of the rooms of a new tile's parts."""
DRAGON: Final = 3
"""Points for a dragon in a room."""
NEVER_DRAWN: Final = 2
"""Tiles at the bottom of each stack that nobody lays."""

# -- weights, tuned in games of the bot against itself --------------------------------------------------------------

CLOSING = 0.8
"""The probability that a room with one open edge will be closed; with n open edges it is CLOSING ** n."""
HURRY = 1.0
"""The number of turns needed to close an open edge, which matters near the end."""
LEAD = 2.0
"""The weight of a lead of one advisor in the probability that a player will lead in the end (a logistic function)."""
SECOND = 0.5
"""The expected share of the value for a player who has advisors in a room and will not lead."""
GROWTH = 0.5
"""The points that a room is expected to gain for each open edge."""
RIVALS = 1.0
"""The value of a coin for every rival, in own coins."""


class Room:
    __slots__ = ("advisors", "cells", "doors", "dragons", "hope", "open")

    def __init__(self, cells: set[Cell], advisors: list[int], dragons: int, edges: int, doors: set[int]) -> None:
        self.cells = cells
        self.advisors = advisors
        """By seat."""
        self.dragons = dragons
        self.open = edges
        """Open edges that face an empty cell."""
        self.doors = doors
        """The ids of the rooms behind passages; this room itself may be among them."""
        self.hope = 0.0
        """Its expected value while it is open, see `Table.hope`."""

    @property
    def points(self) -> int:
        """A point per tile and three per dragon."""
        return len(self.cells) + DRAGON * self.dragons

    def copy(self) -> "Room":
        return Room(self.cells, self.advisors, self.dragons, self.open, self.doors.copy())

    def take_in(self, other: "Room") -> None:
        """Merge the other room into this one; a tile with parts of both counts once."""
        self.cells = self.cells | other.cells
        self.doors |= other.doors
        self.open += other.open
        self.dragons += other.dragons
        self.advisors = [mine + more for mine, more in zip(self.advisors, other.advisors, strict=True)]


Change = dict[int, Room]
"""The effect of a tile: the rooms that are new or changed, by id. The ids of joined rooms have the same object."""


class Table:
    """The board with its rooms."""

    def __init__(self, seen: Json) -> None:
        self.seat: int = seen["seat"]
        self.players = len(seen["coins"])
        self.turns: int = seen["stacks"][self.seat] - NEVER_DRAWN
        """The number of tiles that the bot will lay after this one."""
        self.edges: dict[Cell, list[tuple[str, int]]] = {}
        """The edges of each tile with rooms, after its rotation, each with the id of the room that touches it."""
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
        """The effect of laying a tile. The table itself is not changed."""
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
        """Join a part of the new tile to a room on the table, or add a passage, depending on their edges."""
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
        """The expected payment of an open room to the bot, less its expected payments to rivals."""
        if not room.open or not any(room.advisors):
            return 0.0
        worth = self.value(room, change) + GROWTH * room.open
        in_time = 1 - math.exp(-self.turns / (HURRY * room.open))
        return CLOSING**room.open * in_time * worth * self.balance(self.shares(room))

    def shares(self, room: Room) -> list[float]:
        """By seat, the expected share of the value of an open room."""
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
        """The bot's gain less the average gain of its rivals."""
        mine = gains[self.seat]
        return mine - RIVALS * (sum(gains) - mine) / (self.players - 1)

    def judge(self, tile: Json, action: Json) -> float:
        """The value of an action: the change of the balance that it causes."""
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
    """The edges N E S W of a rotated tile, each with the part that touches it."""
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
    """The index in `legal` of the best action."""
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
