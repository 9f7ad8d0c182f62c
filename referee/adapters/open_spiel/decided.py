"""What decides games on boards, and who is ahead: lines of equal pieces, chains from side to side, and areas."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import dist
from typing import Any, Final

from referee.adapters.open_spiel.games import OpenSpielGame
from referee.adapters.open_spiel.grids import KNIGHT, GridFacts, move_of
from referee.games.boards.grid import Grid, Link, Place, Stroke
from referee.games.interface import DecisionEvent

Spot = tuple[float, float]
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
STORES: Final = ("store right", "store left")
"""Of Mancala and Oware, by seat."""


def counts_of(grid: Grid, facts: GridFacts, game: OpenSpielGame) -> list[str]:
    """What each side has, to see who is ahead: "12 discs"."""
    if facts.area:
        counted = area({(place.x, place.y): place.piece and place.piece.colour for place in grid.places})
        points = [counted.get(facts.pieces[side].colour, 0) for side in facts.sides]
        return [f"{points[0]} points", f"{points[1] + game.config.komi:g} points"]
    stores = [place.piece for name in STORES for place in grid.places if place.name == name and place.piece]
    if not facts.counted:
        return [store.words for store in stores]
    counts = [
        sum(
            facts.worth.get(place.piece.shape, 1)
            for place in grid.places
            if place.piece and place.piece.colour == facts.pieces[side].colour
        )
        for side in facts.sides
    ]
    return [facts.counted.format(count) for count in counts]


def captures(grid: Grid, facts: GridFacts, game: OpenSpielGame) -> str:
    """How points of Go are counted, and what has been captured, where all moves are known."""
    taken = []
    for seat, side in enumerate(facts.sides):
        events = (event for event, _ in game.log if isinstance(event, DecisionEvent) and event.seat == seat)
        placed = sum("PASS" not in event.action.text for event in events)
        if seat == 0 and game.config.handicap > 1:  # for a handicap of one the library places no stone
            placed += game.config.handicap
        taken.append(placed - sum(place.piece == facts.pieces[side] for place in grid.places))
    black, white = taken
    return f"Area, and {game.config.komi:g} komi for White; captured by Black {white}, by White {black}"


def latest_field(facts: GridFacts, game: OpenSpielGame, fields: Mapping[str, Place | Stroke]) -> str:
    """Where the latest decision has put something; empty if it has put nothing, or before the first."""
    last: Any = next((event for event, _ in reversed(game.log) if isinstance(event, DecisionEvent)), None)
    return "" if last is None else "".join(move_of(last.action, last.seat, facts, fields)[-1:])


def won_by(grid: Grid, facts: GridFacts, game: OpenSpielGame, fields: Mapping[str, Place | Stroke]) -> list[Link]:
    """The lines or the chain that won a game; at any time the lines within blocks, each of which is a board."""
    ranks = game.ranking().ranks if game.turn is None else []
    winners = [seat for seat, rank in enumerate(ranks) if ranks.count(1) == 1 and rank == 1]
    block = facts.heavy if facts.heavy == facts.line else 0
    if facts.line:
        need = getattr(game.config, facts.line_option, facts.line)
        shown = [facts.pieces[facts.sides[seat]].colour for seat in (range(len(facts.sides)) if block else winners)]
        wrap = getattr(game.config, "wrap", False)
        return [link for colour in shown for link in lines_of(grid.places, colour, need, block, wrap=wrap)]
    if not winners or not facts.chain:
        return []
    [seat] = winners
    own = [place for place in grid.places if place.piece == facts.pieces[facts.sides[seat]]]
    latest = latest_field(facts, game, fields)
    start = next((place for place in own if place.name == latest), own[0])
    spots = {place: (ord(place.name[0]) - ord("a"), int(place.name[1:]) - 1) for place in grid.places}
    end = max(column for column, _ in spots.values()), max(row for _, row in spots.values())
    links = {((stroke.x1, stroke.y1), (stroke.x2, stroke.y2)) for stroke in grid.strokes}

    def linked(one: Spot, other: Spot) -> bool:
        near = dist(one, other) < facts.chain
        return near and (facts.chain < KNIGHT or not links.isdisjoint({(one, other), (other, one)}))

    return chain_of(own, start, linked, lambda place: facts.chain_sides(spots[place], end, seat))


def lines_of(places: Sequence[Place], colour: str, need: int, block: int = 0, *, wrap: bool = False) -> list[Link]:
    """The lines of at least `need` pieces of a colour, straight or diagonal, as links from piece to piece.

    With `block` they are within blocks that wide. With `wrap` each edge of the board adjoins the opposite one: a link
    across it is drawn as two, from each piece halfway beyond the edge.
    """
    own = {(place.x, place.y) for place in places if place.piece is not None and place.piece.colour == colour}
    width, height = (1 + max(coordinates) for coordinates in zip(*((each.x, each.y) for each in places), strict=True))
    found: dict[Link, None] = {}
    for x, y in sorted(own):
        for dx, dy in DIRECTIONS:
            line = [(x + n * dx, y + n * dy) for n in range(need)]
            if block and len({(x // block, y // block) for x, y in line}) > 1:
                continue
            on = [(x % width, y % height) for x, y in line] if wrap else line
            if own.issuperset(on):
                for (x1, y1), (x2, y2) in pairwise(on):
                    if (x1 + dx, y1 + dy) == (x2, y2):
                        found[x1, y1, x2, y2] = None
                    else:
                        found[x1, y1, x1 + dx / 2, y1 + dy / 2] = None
                        found[x2 - dx / 2, y2 - dy / 2, x2, y2] = None
    return [*found]


def chain_of(
    own: Sequence[Place],
    start: Place,
    linked: Callable[[Spot, Spot], bool],
    sides: Callable[[Place], Sequence[bool]],
) -> list[Link]:
    """The links that lead from a piece to each of the sides, or to all pieces if there are no sides."""
    came: dict[Place, Place] = {start: start}
    queue = [start]
    for here in queue:
        near = [place for place in own if place not in came and linked((place.x, place.y), (here.x, here.y))]
        came |= dict.fromkeys(near, here)
        queue += near
    first = (next((place for place in queue if sides(place)[side]), start) for side in range(len(sides(start))))
    links: dict[Link, None] = {}
    for end in [*first] or queue:
        here = end
        while here is not start:
            links[here.x, here.y, came[here].x, came[here].y] = None
            here = came[here]
    return [*links]


def area(at: Mapping[Spot, str | None]) -> Mapping[str, int]:
    """By colour its pieces, and the empty fields that only they surround. `at`: the colours, None where it is empty."""
    counts: dict[str, int] = {}
    seen: set[Spot] = set()

    def near(x: float, y: float) -> Iterator[Spot]:
        yield from (spot for spot in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)) if spot in at)

    for spot, colour in at.items():
        if colour is not None:
            counts[colour] = counts.get(colour, 0) + 1
        elif spot not in seen:
            seen.add(spot)
            region, around = [spot], set[str]()
            for each in region:
                for other in near(*each):
                    neighbour = at[other]
                    if neighbour is not None:
                        around.add(neighbour)
                    elif other not in seen:
                        seen.add(other)
                        region.append(other)
            if len(around) == 1:
                owner = around.pop()
                counts[owner] = counts.get(owner, 0) + len(region)
    return counts
