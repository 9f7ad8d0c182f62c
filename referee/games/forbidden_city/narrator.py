"""Describing The Forbidden City in English: a sentence per turn and per settled room, the board after each round."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from referee.games.forbidden_city.board import Cell
from referee.games.forbidden_city.drawing import DRAWING_STYLES, draw, fills
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.log import RoomSettled, StackShown, TileLaid
from referee.games.forbidden_city.rooms import DRAGON_POINTS, Room
from referee.games.forbidden_city.start_tile import START_TILES
from referee.games.forbidden_city.tiles import ARCH, NEVER_DRAWN, OWNERS, PICTURES, SIDES, WALL, Picture, Tile, sides
from referee.games.interface import ChanceEvent, Event
from referee.games.narrator import DETAIL, HEADING, LEVEL_INDENT, SECTION, SENTENCE, Narrator, Said, format_count
from referee.games.tables import check_complete

SIDE_LETTERS: Final = "NESW"
COLOURS_PER_LINE: Final = 6
PICTURE_TEXTS: Final[dict[Picture, str]] = {"none": "", "dragon": " with a dragon", "advisors": " with {advisors}"}
check_complete(PICTURES, PICTURE_TEXTS)


class CityNarrator(Narrator[ForbiddenCity]):
    seat_styles = OWNERS
    styles = DRAWING_STYLES

    def __init__(self, game: ForbiddenCity, names: Sequence[str], width: int | None = None) -> None:
        super().__init__(game, names, width)
        self._name_width = max(map(len, names))
        self._fills = fills(game.config.loaded_tiles().colours)

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """The setup, or a turn with the rooms it closed; the board after a round, the final scoring after the last."""
        coins = self._coins_before(events)
        closed: Iterator[Room] = iter(())
        shown = [event for event in events if isinstance(event, StackShown)]
        for event in events:
            match event:
                case ChanceEvent():
                    yield from self._table()
                case TileLaid():
                    yield from self._turn(event)
                    closed = iter(self.game.rooms.closed)
                case RoomSettled():
                    yield from self._settled(event, next(closed), coins)
        if any(isinstance(event, TileLaid) and event.seat == len(self.names) - 1 for event in events):
            yield from self._after_round(coins)
        if shown:
            yield from self._end(shown, coins)

    def narrate_position(self) -> Iterator[Said]:
        """The board in mid-round. At the end of a round it has already been drawn."""
        turn = self.game.turn
        if turn is not None and turn.seat != 0:
            yield Said(f"The board as it was left; coins: {self._format_coins(self.game.coins)}", SECTION)
            yield from self._board()

    def draw(self) -> Iterator[str]:
        return draw(self.game.rooms.laid, self._fills, self.width)

    # -- sections -----------------------------------------------------------------------------------------

    def _table(self) -> Iterator[Said]:
        """The players' colours, a legend, and the board."""
        yield Said("The table", HEADING)
        tiles = len(self.game.stacks[0]) + 1
        for name, owner in zip(self.names, OWNERS, strict=False):
            drawn = f"{owner}, {tiles} tiles; {owner[0].upper()}2 on the board: 2 advisors"
            yield Said(
                f"{name:{self._name_width}}  {drawn if self.drawings else format_count(tiles, 'tiles')}", SECTION
            )
        if self.drawings:
            yield from (Said(line, SECTION) for line in legend(self._fills))
            yield from self._board()

    def _turn(self, laid: TileLaid) -> Iterator[Said]:
        """The sentence of a turn, after a heading if it is the first of a round."""
        if laid.seat == 0:
            config = self.game.config
            rounds = len(config.loaded_tiles().stack(0, config.players)) - NEVER_DRAWN
            yield Said(f"Round {self._round()} of {rounds}", HEADING, round=self._round())
        tile = f"{format_tile(laid.tile, laid.rotation)} at {format_cell((laid.x, laid.y))}"
        yield Said(f"{self.names[laid.seat]} lays {tile}: {format_edges(laid.tile, laid.rotation)}")

    def _settled(self, settled: RoomSettled, room: Room, coins: list[int]) -> Iterator[Said]:
        """A settled room with its value and payments; adds the payments to `coins`."""
        yield Said(f"The {room.colour} room is closed:", DETAIL)
        yield Said(f"cells {' '.join(map(format_cell, settled.cells))}", joined=True)
        yield Said(f"{self._format_value(room)} = {settled.value}", joined=True)
        present = [
            f"{name} has {format_count(advisors, 'advisors')}"
            for name, advisors in zip(self.names, room.advisors, strict=True)
            if advisors
        ]
        yield Said(", ".join(present) or "no advisors", joined=True)
        for seat, paid in enumerate(settled.paid):
            if paid:
                coins[seat] += paid
                yield Said(f"{self.names[seat]} is paid {format_count(paid, 'coins')}, now {coins[seat]}", joined=True)
        if not any(settled.paid):
            yield Said("nobody is paid", joined=True)

    def _after_round(self, coins: Sequence[int]) -> Iterator[Said]:
        if self.drawings:
            yield Said(f"The board after round {self._round()}; coins: {self._format_coins(coins)}", SECTION)
            yield from self._board()
        else:
            yield Said(f"Coins after round {self._round()}: {self._format_coins(coins)}", SECTION)

    def _end(self, shown: Sequence[StackShown], coins: Sequence[int]) -> Iterator[Said]:
        """The undrawn tiles, and the final table."""
        yield Said(f"The last {NEVER_DRAWN} tiles", HEADING)
        for last in shown:
            tiles = " and ".join(format_tile(tile) for tile in last.tiles)
            yield Said(f"{self.names[last.seat]} shows {tiles}: {format_count(last.paid, 'coins')}")
        yield Said("Final table", HEADING)
        yield Said(f"{'':{self._name_width}}  rooms  last {NEVER_DRAWN}  coins")
        for last in shown:
            rooms = coins[last.seat]
            sums = f"{rooms:5}  {last.paid:6}  {rooms + last.paid:5}"
            yield Said(f"{self.names[last.seat]:{self._name_width}}  {sums}")

    def _board(self) -> Iterator[Said]:
        return (Said(line.removeprefix(LEVEL_INDENT * SENTENCE)) for line in self.draw())

    # -- values for sentences -----------------------------------------------------------------------------

    def _round(self) -> int:
        """The round in which the latest tile was laid."""
        laid = len(self.game.rooms.tiles) - len(START_TILES[self.game.config.start_tile])
        return (laid - 1) // len(self.names) + 1

    def _coins_before(self, events: Sequence[Event]) -> list[int]:
        coins = self.game.coins[:]
        for event in events:
            match event:
                case RoomSettled(paid=paid):
                    coins = [had - pay for had, pay in zip(coins, paid, strict=True)]
                case StackShown(seat=seat, paid=last):
                    coins[seat] -= last
        return coins

    def _format_value(self, room: Room) -> str:
        parts = [format_count(len(room.cells), "tiles")]
        if room.dragons:
            parts.append(f"{DRAGON_POINTS * room.dragons} for {format_count(room.dragons, 'dragons')}")
        for number in room.passages:
            door = self.game.rooms.by_id[number]
            there = format_count(len(door.cells), "tiles")
            if door.dragons:
                there += f" and {format_count(door.dragons, 'dragons')}"
            parts.append(f"{door.own_value} for {there} next door in {door.colour}")
        return " + ".join(parts)

    def _format_coins(self, coins: Sequence[int]) -> str:
        return ", ".join(f"{name} {had}" for name, had in zip(self.names, coins, strict=True))


# -- text -----------------------------------------------------------------------------------------------------


def legend(fills: Mapping[str, str]) -> Iterator[str]:
    """The meaning of the characters in a drawing."""
    rooms = [f"{fill} {colour}" for colour, fill in fills.items()]
    for at_once in range(0, len(rooms), COLOURS_PER_LINE):
        yield f"{'' if at_once else 'Rooms':7}  {'  '.join(rooms[at_once : at_once + COLOURS_PER_LINE])}"
    yield "Cells    D dragon  ♣ garden  ⌂ temple"
    yield "Borders  none if open  ━ ┃ wall  ∩ archway  × blocked archway  ╱ ╲ in a cell"


def format_cell(cell: Cell) -> str:
    """A cell as text, such as `(0,-1)`."""
    return f"({cell[0]},{cell[1]})"


def format_tile(tile: Tile, rotation: int | None = None) -> str:
    """A tile in words; with `rotation`, also the sides that each part of a diagonal tile touches."""
    picture = PICTURE_TEXTS[tile.picture].format(advisors=format_count(tile.count, "advisors"))
    if not tile.diagonal:
        return f"a {tile.parts[0]} tile{picture}"
    first, second = (f"{colour}{format_sides_of_part(tile, part, rotation)}" for part, colour in enumerate(tile.parts))
    return f"a diagonal tile, {first}{picture} and {second}"


def format_sides_of_part(tile: Tile, part: int, rotation: int | None) -> str:
    """The sides that a part of a tile touches, in brackets; empty without a rotation."""
    if rotation is None:
        return ""
    return f" ({', '.join(SIDE_LETTERS[s] for s in SIDES if sides(tile, rotation)[s].part == part)})"


def format_edges(tile: Tile, rotation: int) -> str:
    """The walls and archways of a tile after its rotation."""
    turned = sides(tile, rotation)
    kinds = []
    for edge, name in ((WALL, "walls"), (ARCH, "archways")):
        where = [SIDE_LETTERS[side] for side in SIDES if turned[side].edge == edge]
        if where:
            kinds.append(f"{name if len(where) > 1 else name.removesuffix('s')} {', '.join(where)}")
    return "; ".join(kinds)
