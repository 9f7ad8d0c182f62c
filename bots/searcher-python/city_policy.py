"""The Forbidden City: the policy of the playouts, and the value of a position where they stop.

A playout looks a few turns ahead. In each turn the seat lays its tile where it gains most at once: coins for the rooms
that it closes, and chances in open rooms, which are worth their coins times the probability that they are ever paid.
"""

import heapq
import math
from functools import cache
from random import Random
from typing import Any, Final

from referee.games.forbidden_city.board import fitting_rotations
from referee.games.forbidden_city.rooms import DRAGON_POINTS, payments
from referee.games.forbidden_city.tiles import NEVER_DRAWN, OPEN, STEPS, WALL, sides

# -- weights ----------------------------------------------------------------------------------------------------------

CLOSING = 0.8  # the probability that an open edge will ever be closed
HURRY = 1.0  # the turns needed to close an open edge, which matters near the end
LEAD = 2.0  # what a lead of one advisor does to the probability of leading in the end (a logistic function)
SECOND = 0.5  # the share of the value for a player who has advisors in a room and will not lead
GROWTH = 0.5  # the points that a room gains for each open edge
RIVALS = 1.0  # the value of a coin for all rivals together, in own coins
BREADTH = 12
"""So many actions are searched, those that gain most at once."""
REPLIES = 10
"""So many are remembered as the best for a tile that may come later."""
DEPTH = 2
"""So many turns of every seat are played in a playout."""

Cell = tuple[int, int]


class CityPolicy:
    """The policy for the decision that is due in a game."""

    def __init__(self, game: Any, seat: int) -> None:
        self.seat = seat
        self.root = game
        self.favourites: dict[tuple[int, Any], list[Any]] = {}

    def candidates(self, game: Any) -> list[Any]:
        """The actions that gain most at once, the best first."""
        return self.best(self.seat, game.hands[self.seat], BREADTH)

    def best(self, seat: int, tile: Any, count: int) -> list[Any]:
        """Where a seat would gain most with a tile if it were its turn now, the best first."""
        gains = Gains(self.root, seat, tile)
        return heapq.nlargest(count, self.root.board.legal(tile), key=gains.of)

    def replies(self, game: Any, seat: int, tile: Any) -> list[Any]:
        """Actions worth a look some turns later: what was best before, where it still fits, and all beside new tiles.

        That is a quarter of all legal ones, and nearly always the best one is among them.
        """
        if (seat, tile) not in self.favourites:
            self.favourites[seat, tile] = self.best(seat, tile, REPLIES)
        places = game.board.places
        found = []
        for action in self.favourites[seat, tile]:
            place = places.get((action.x, action.y))
            if place is not None and action.rotation in fitting_rotations(tile, place.demand):
                found.append(action)
        for laid in game.board.laid[len(self.root.board.laid) :]:
            for dx, dy in STEPS:
                place = places.get((laid.x + dx, laid.y + dy))
                if place is not None:
                    found += [place.actions[rotation] for rotation in fitting_rotations(tile, place.demand)]
        return found or game.legal_actions()

    def playout(self, game: Any, random: Random) -> float:
        """Play a few turns; the lead over the average rival then, in coins, with what open rooms promise."""
        for _ in range(DEPTH * game.config.players - 1):
            if game.turn is None:
                break
            seat = game.turn.seat
            tile = game.hands[seat]
            game.apply(max(self.replies(game, seat, tile), key=Gains(game, seat, tile).of))
        lead = balance(tuple(game.coins))[self.seat]
        if game.turn is None:
            return lead
        rooms = game.rooms.by_id
        turns = turns_left(game, self.seat)
        return lead + sum(
            hope(value(room, rooms), room.open_edges, tuple(room.advisors), turns)[self.seat]
            for room in rooms.values()
            if room.open_edges
        )


def turns_left(game: Any, seat: int) -> int:
    """How many more tiles a seat will lay after the one in its hand."""
    return max(0, len(game.stacks[seat]) - NEVER_DRAWN)


def value(room: Any, rooms: Any) -> int:
    """What a room would be worth if it were closed now."""
    points: int = room.own_value
    for other in room.passages:
        points += rooms[other].own_value
    return points


@cache
def balance(coins: tuple[float, ...]) -> tuple[float, ...]:
    """For each seat, its coins less the average of the others."""
    rivals = RIVALS / (len(coins) - 1)
    total = sum(coins)
    return tuple(own - rivals * (total - own) for own in coins)


@cache
def prospects(advisors: tuple[int, ...]) -> tuple[float, ...]:
    """For each seat, its expected share of an open room less the average share of the others."""
    shares = []
    for seat, count in enumerate(advisors):
        best = max(advisors[:seat] + advisors[seat + 1 :])
        leads = 1 / (1 + math.exp(LEAD * (best - count)))
        shares.append(leads + SECOND * (1 - leads) if count else 0.0)
    return balance(tuple(shares))


@cache
def chance_to_close(edges: int, turns: int) -> float:
    """The probability that a room with so many open edges will be closed."""
    return float(CLOSING**edges * (1 - math.exp(-turns / (HURRY * edges))))


def hope(points: int, edges: int, advisors: tuple[int, ...], turns: int) -> tuple[float, ...]:
    """For each seat, what an open room promises."""
    return promised(points, edges, advisors, turns)


@cache
def promised(points: int, edges: int, advisors: tuple[int, ...], turns: int) -> tuple[float, ...]:
    """As `hope` says; positions repeat so much that remembering is faster than computing."""
    worth = chance_to_close(edges, turns) * (points + GROWTH * edges)
    return tuple(worth * share for share in prospects(advisors))


@cache
def paid(points: int, advisors: tuple[int, ...]) -> tuple[float, ...]:
    """For each seat, what a closed room pays it less what it pays the others on average."""
    return balance(tuple(payments(points, list(advisors))))


class Gains:
    """What a seat gains at once by laying a tile."""

    def __init__(self, game: Any, seat: int, tile: Any) -> None:
        self.seat = seat
        self.tile = tile
        self.rooms = game.rooms
        self.turned = game.board.turned
        self.turns = turns_left(game, self.seat)
        count = self.tile.count
        self.dragons = count if self.tile.picture == "dragon" else 0
        self.advisors = tuple(
            count if seat == self.seat and self.tile.picture == "advisors" else 0 for seat in range(len(game.coins))
        )
        self.nobody = (0,) * len(game.coins)
        self.before: dict[int, float] = {}
        """What open rooms promise now, by id."""
        self.neighbours: dict[Cell, list[Any]] = {}

    def around(self, cell: Cell) -> list[Any]:
        """The four sides of an empty cell: None where it is open, or the side that faces it and its room."""
        found = self.neighbours.get(cell)
        if found is None:
            found = []
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
            self.neighbours[cell] = found
        return found

    def of(self, action: Any) -> float:
        """The change of what rooms promise, and the coins of those that are closed."""
        own = sides(self.tile, action.rotation)
        parts = range(len(self.tile.parts))
        opened = [0, 0]
        joined: list[dict[int, Any]] = [{}, {}]
        doors: list[dict[int, Any]] = [{}, {}]
        shut: dict[int, int] = {}
        touched: dict[int, Any] = {}
        for mine, beyond in zip(own, self.around((action.x, action.y)), strict=True):
            edge = mine.edge
            if beyond is None:
                opened[mine.part] += edge == OPEN
                continue
            facing, room = beyond
            if room is None:
                continue
            if facing == OPEN:
                shut[room.id] = shut.get(room.id, 0) + 1
                touched[room.id] = room
                if edge == OPEN:
                    joined[mine.part][room.id] = room
                    continue
            if edge != WALL and facing != WALL:
                doors[mine.part][room.id] = room
                touched[room.id] = room
        by_id, seat, turns = self.rooms.by_id, self.seat, self.turns
        gain = 0.0
        for room in touched.values():
            if room.open_edges:
                before = self.before.get(room.id)
                if before is None:
                    before = hope(value(room, by_id), room.open_edges, tuple(room.advisors), turns)[seat]
                    self.before[room.id] = before
                gain -= before
        for part in parts:
            points = 1
            advisors = self.nobody
            if part == 0:
                points += DRAGON_POINTS * self.dragons
                advisors = self.advisors
            edges = opened[part]
            behind = dict(doors[part])
            for number, room in joined[part].items():
                points += room.own_value
                edges += room.open_edges - shut[number]
                advisors = tuple(map(sum, zip(advisors, room.advisors, strict=True)))
                for other in room.passages:
                    behind[other] = by_id[other]
            total = points
            for number, room in behind.items():
                if number not in joined[part]:
                    total += room.own_value
            if edges:
                gain += hope(total, edges, advisors, turns)[seat]
            else:
                gain += paid(total, advisors)[seat]
            for number, room in doors[part].items():
                if number not in joined[0] and number not in joined[1]:
                    edges = room.open_edges - shut.pop(number, 0)
                    if edges:
                        gain += hope(value(room, by_id) + points, edges, tuple(room.advisors), turns)[seat]
                    elif room.open_edges:
                        gain += paid(value(room, by_id) + points, tuple(room.advisors))[seat]
        for number, count in shut.items():
            if number not in joined[0] and number not in joined[1]:
                room = touched[number]
                edges = room.open_edges - count
                if edges:
                    gain += hope(value(room, by_id), edges, tuple(room.advisors), turns)[seat]
                else:
                    gain += paid(value(room, by_id), tuple(room.advisors))[seat]
        return gain
