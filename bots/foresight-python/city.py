"""The Forbidden City for foresight: what the rooms that a tile touches are worth after it, less what they were."""

from collections import Counter
from typing import Any

from bot import STEPS, edge_at
from messages import CityAct, CityStart

Json = dict[str, Any]

CLOSES = 0.85
"""The chance that an open edge of a room will be closed."""


def worth(room: Json, seat: int) -> float:
    """What a room is expected to pay us less what it pays the best of the others: the second gets half."""
    own = room["advisors"][seat]
    rival = max(count for other, count in enumerate(room["advisors"]) if other != seat)
    share = 0.0 if own == rival else (0.5 if own and rival else 1) * (1 if own > rival else -1)
    points: int = len(room["cells"]) + 3 * room["dragons"]
    edges: int = room["open_edges"]
    chance: float = CLOSES**edges
    return chance * points * share


def joined(rooms: list[Json], closed: int) -> Json:
    """One room of several, after this number of their open edges has been closed."""
    return {
        "cells": [cell for room in rooms for cell in room["cells"]],
        "dragons": sum(room["dragons"] for room in rooms),
        "open_edges": sum(room["open_edges"] for room in rooms) - closed,
        "advisors": [sum(counts) for counts in zip(*(room["advisors"] for room in rooms), strict=True)],
    }


def gain(action: Json, seen: Json, board: dict[tuple[int, int], Json], rooms: dict[int, Json]) -> float:
    """By how much an action changes the worth of all rooms.

    Each part of the tile is a new room of one cell. An open edge joins it with the room beyond, if that is open there
    too. Any other edge closes an open one that it faces.
    """
    hand, seat = seen["hand"], seen["seat"]
    new = [part_of(hand, part, seat, len(seen["coins"])) for part in range(len(hand["parts"]))]
    met: list[set[int]] = [set() for _ in new]  # by part, the rooms that it joins
    closed = Counter[int]()  # by room, its open edges that the tile faces
    for side, (dx, dy) in enumerate(STEPS):
        edge = edge_at(side, action["rotation"])
        part = edge // 2 if len(new) == 2 else 0
        beyond = board.get((action["x"] + dx, action["y"] + dy))
        if beyond is None:
            new[part]["open_edges"] += hand["edges"][edge] == "o"
            continue
        facing = edge_at((side + 2) % 4, beyond["rotation"])
        if beyond["rooms"] and beyond["tile"]["edges"][facing] == "o":
            number = beyond["rooms"][facing // 2 if len(beyond["rooms"]) == 2 else 0]
            closed[number] += 1
            if hand["edges"][edge] == "o":
                met[part].add(number)
    groups = [([new[part], *(rooms[number] for number in met[part])], met[part]) for part in range(len(new))]
    groups += [([rooms[number]], {number}) for number in closed if not any(number in numbers for numbers in met)]
    after = sum(worth(joined(group, sum(closed[number] for number in numbers)), seat) for group, numbers in groups)
    return after - sum(worth(rooms[number], seat) for number in closed)


def part_of(hand: Json, part: int, seat: int, seats: int) -> Json:
    """A part of the tile as a room; the picture is in the first one."""
    pictured = hand["count"] if part == 0 else 0
    advisors = [0] * seats
    if hand["picture"] == "advisors":
        advisors[seat] = pictured
    dragons = pictured if hand["picture"] == "dragon" else 0
    return {"cells": [[]], "dragons": dragons, "open_edges": 0, "advisors": advisors}


def choose_city(start: CityStart, act: CityAct) -> int:
    """The index of the action in `act["legal"]` that gains most."""
    seen: Any = act["observation"]
    board = {(tile["x"], tile["y"]): tile for tile in seen["board"]}
    rooms = {room["id"]: room for room in seen["rooms"]}
    gains = [gain(dict(action), seen, board, rooms) for action in act["legal"]]
    return gains.index(max(gains))
