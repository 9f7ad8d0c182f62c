"""The Forbidden City: the policy of the playouts of a search, and the value of a position where they stop.

A playout looks a few turns ahead. In each turn the seat lays its tile where it gains most at once: coins for the rooms
that it closes, and chances in open rooms, which are worth their coins times the probability that they are ever paid.
"""

import heapq
import math
from functools import cache
from random import Random
from typing import ClassVar

from referee.games.forbidden_city.board import Cell, LayTile, fit
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.rooms import DRAGON_POINTS, Room, payments
from referee.games.forbidden_city.tiles import NEVER_DRAWN, OPEN, STEPS, WALL, Tile, sides
from referee.games.policy import Measure

BySeat = tuple[float, ...]

# -- weights ----------------------------------------------------------------------------------------------------------

CLOSING = 0.8  # the probability that an open edge will ever be closed
HURRY = 1.0  # the turns needed to close an open edge, which matters near the end
LEAD = 2.0  # what a lead of one advisor does to the probability of leading in the end (a logistic function)
SECOND = 0.5  # the share of the value for a player who has advisors in a room and will not lead
GROWTH = 0.5  # the points that a room gains for each open edge
RIVALS = 1.0  # the value of a coin for all rivals together, in own coins
BREADTH = 12
"""The number of actions that are searched: those with the largest immediate gain."""
REPLIES = 10
"""The number of actions that are remembered as the best for a tile that may come later."""
DEPTH = 2
"""The number of turns of every seat in a playout."""


class CityPolicy:
    """The policy for the decision that is due in a game."""

    measures: ClassVar[Measure] = "lead"

    def __init__(self, game: ForbiddenCity, seat: int, random: Random) -> None:
        self.seat = seat
        self.root = game
        self.favourites: dict[tuple[int, Tile], list[LayTile]] = {}

    def candidates(self, game: ForbiddenCity) -> list[LayTile]:
        """The actions that gain most at once, the best first."""
        tile = game.hands[self.seat]
        assert tile is not None
        return self.best(self.seat, tile, BREADTH)

    def playout(self, game: ForbiddenCity) -> float:
        """Play a few turns; the lead over the average rival then, in coins, with what open rooms promise."""
        for _ in range(DEPTH * game.config.players - 1):
            if game.turn is None:
                return lead(tuple(game.coins))[self.seat]
            seat = game.turn.seat
            tile = game.hands[seat]
            assert tile is not None
            game.apply(max(self.replies(game, seat, tile), key=Gains(game, seat, tile).of))
        rooms, turns = game.rooms.by_id, turns_left(game, self.seat)
        return lead(tuple(game.coins))[self.seat] + sum(
            promise(game.rooms.value(room), room.open_edges, tuple(room.advisors), turns)[self.seat]
            for room in rooms.values()
            if room.open_edges
        )

    def best(self, seat: int, tile: Tile, count: int) -> list[LayTile]:
        """Where a seat would gain most with a tile if it were its turn now, the best first."""
        legal: list[LayTile] = self.root.board.legal(tile)  # type: ignore[assignment]
        return heapq.nlargest(count, legal, key=Gains(self.root, seat, tile).of)

    def replies(self, game: ForbiddenCity, seat: int, tile: Tile) -> list[LayTile]:
        """Actions worth a look some turns later: what was best before, where it still fits, and all beside new tiles.

        That is a quarter of all legal ones, and nearly always the best one is among them.
        """
        if (seat, tile) not in self.favourites:
            self.favourites[seat, tile] = self.best(seat, tile, REPLIES)
        places = game.board.free_cells
        found = []
        for action in self.favourites[seat, tile]:
            place = places.get((action.x, action.y))
            if place is not None and fit(tile, place.demand) >> action.rotation & 1:
                found.append(action)
        for laid in game.rooms.laid[len(self.root.rooms.tiles) :]:
            for dx, dy in STEPS:
                place = places.get((laid.x + dx, laid.y + dy))
                if place is not None:
                    found += place.ways[fit(tile, place.demand)].actions
        return found or game.legal_actions()  # type: ignore[return-value]


def turns_left(game: ForbiddenCity, seat: int) -> int:
    """How many more tiles a seat will lay after the one in its hand."""
    return max(0, len(game.stacks[seat]) - NEVER_DRAWN)


@cache
def lead(coins: BySeat) -> BySeat:
    """For each seat, its coins less the average of the others."""
    rivals = RIVALS / (len(coins) - 1)
    total = sum(coins)
    return tuple(own - rivals * (total - own) for own in coins)


@cache
def chance_to_close(edges: int, turns: int) -> float:
    """The probability that a room with this number of open edges will be closed."""
    return float(CLOSING**edges * (1 - math.exp(-turns / (HURRY * edges))))


@cache
def shares(advisors: tuple[int, ...]) -> BySeat:
    """For each seat, its expected share of an open room less the average share of the others."""
    found = []
    for seat, count in enumerate(advisors):
        best = max(advisors[:seat] + advisors[seat + 1 :])
        leads = 1 / (1 + math.exp(LEAD * (best - count)))
        found.append(leads + SECOND * (1 - leads) if count else 0.0)
    return lead(tuple(found))


@cache
def promise(points: int, edges: int, advisors: tuple[int, ...], turns: int) -> BySeat:
    """For each seat, what a room is worth: what a closed one pays, or what one with open edges promises.

    Rooms repeat so much in a search that remembering is faster than computing.
    """
    if not edges:
        return lead(tuple(payments(points, list(advisors))))
    worth = chance_to_close(edges, turns) * (points + GROWTH * edges)
    return tuple(worth * share for share in shares(advisors))


class Gains:
    """What a seat gains at once by laying a tile."""

    def __init__(self, game: ForbiddenCity, seat: int, tile: Tile) -> None:
        self.seat = seat
        self.tile = tile
        self.rooms = game.rooms
        self.turned = game.board.turned
        self.turns = turns_left(game, seat)
        own = tile.count if tile.picture == "advisors" else 0
        self.nobody = (0,) * len(game.coins)
        self.advisors = (*self.nobody[:seat], own, *self.nobody[seat + 1 :])
        self.points = 1 + (DRAGON_POINTS * tile.count if tile.picture == "dragon" else 0)
        self.values: dict[int, float] = {}
        self.neighbours: dict[Cell, list[tuple[str, Room | None] | None]] = {}

    def of(self, action: LayTile) -> float:
        """The coins of the rooms that are closed, and the change of what the open ones promise."""
        joined: tuple[dict[int, Room], dict[int, Room]] = ({}, {})
        doors: tuple[dict[int, Room], dict[int, Room]] = ({}, {})
        opened, shut = [0, 0], dict[int, int]()
        for mine, beyond in zip(sides(self.tile, action.rotation), self.around((action.x, action.y)), strict=True):
            if beyond is None:
                opened[mine.part] += mine.edge == OPEN
                continue
            edge, room = beyond
            if room is None:
                continue
            if edge == OPEN:
                shut[room.id] = shut.get(room.id, 0) + 1
            if edge == mine.edge == OPEN:
                joined[mine.part][room.id] = room
            elif WALL not in (edge, mine.edge):
                doors[mine.part][room.id] = room
        gain = 0.0
        others = dict.fromkeys(shut, 0)
        """The other rooms around: the points that a new passage brings them."""
        for part in range(len(self.tile.parts)):
            more, points = self.of_part(part, opened[part], joined[part], doors[part], shut)
            gain += more
            for number in doors[part]:
                others[number] = others.get(number, 0) + points
        for number, points in others.items():
            room = self.rooms.by_id[number]
            if room.open_edges and number not in joined[0] and number not in joined[1]:
                edges = room.open_edges - shut.get(number, 0)
                gain -= self.before(room)
                gain += self.worth(self.rooms.value(room) + points, edges, tuple(room.advisors))
        return gain

    def of_part(
        self, part: int, edges: int, joined: dict[int, Room], doors: dict[int, Room], shut: dict[int, int]
    ) -> tuple[float, int]:
        """What the room of a part is worth more than the rooms that it joins, and the points of that room itself."""
        points, advisors = (1, self.nobody) if part else (self.points, self.advisors)
        behind = dict(doors)
        gain = 0.0
        for number, room in joined.items():
            gain -= self.before(room)
            points += room.own_value
            edges += room.open_edges - shut[number]
            advisors = tuple(map(int.__add__, advisors, room.advisors))
            for other in room.passages:
                behind[other] = self.rooms.by_id[other]
        value = points + sum(room.own_value for number, room in behind.items() if number not in joined)
        return gain + self.worth(value, edges, advisors), points

    def around(self, cell: Cell) -> list[tuple[str, Room | None] | None]:
        """By side of an empty cell: None where the next cell is empty, or the edge that faces it and its room."""
        found = self.neighbours.get(cell)
        if found is None:
            found = self.neighbours[cell] = []
            x, y = cell
            for side, (dx, dy) in enumerate(STEPS):
                beyond = (x + dx, y + dy)
                facing = self.turned.get(beyond)
                if facing is None:
                    found.append(None)
                else:
                    shown = facing[(side + 2) % 4]
                    room = self.rooms.room_of((*beyond, shown.part)) if shown.colour else None
                    found.append((shown.edge, room))
        return found

    def before(self, room: Room) -> float:
        """What an open room promises before the tile is laid."""
        value = self.values.get(room.id)
        if value is None:
            value = self.worth(self.rooms.value(room), room.open_edges, tuple(room.advisors))
            self.values[room.id] = value
        return value

    def worth(self, points: int, edges: int, advisors: tuple[int, ...]) -> float:
        """What a room is worth to the seat."""
        return promise(points, edges, advisors, self.turns)[self.seat]
