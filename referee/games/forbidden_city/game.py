"""The Forbidden City: turns, settling rooms, the end (rules page, section 2); the class that implements Game."""

import itertools
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any, Final, Self

from msgspec import UNSET, Raw, convert

from referee.games.chance import Chance, DrawKey
from referee.games.forbidden_city import view
from referee.games.forbidden_city.board import Board, LayTile, to_json
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.log import RoomSettled, StackShown, TileLaid
from referee.games.forbidden_city.rooms import Rooms, payments
from referee.games.forbidden_city.start_tile import START_TILES, StartTile
from referee.games.forbidden_city.tile_set import TileSet, enlarged, reconstructed
from referee.games.forbidden_city.tiles import NEVER_DRAWN, OWNERS, PICTURES, Picture, Tile
from referee.games.interface import NOBODY, Action, ChanceEvent, Game, Ranking, Traits, Turn
from referee.games.tables import check_complete

COINS_SHOWN: Final[dict[Picture, int]] = {"advisors": 2, "dragon": 3, "none": 0}
"""Coins at the end for each advisor or dragon on the undrawn tiles."""
check_complete(PICTURES, COINS_SHOWN)
LAY_TILE = "lay_tile"
MAX_COUNTS_KEPT: Final = 1 << 13
"""How many results of `less_one` and `left_json` are kept: with the reconstructed set all of them."""
TURN_BY_SEAT = tuple(Turn(seat=seat, decision=LAY_TILE) for seat in range(len(OWNERS)))
STACKS = "stacks"
"""The name of the draw that shuffles all tiles."""


class Stock:
    """The tiles of all seats before the first turn. It never changes, so games share that of the reconstructed set."""

    def __init__(self, tile_set: TileSet, players: int) -> None:
        self.tiles = [tile_set.stack(seat, players) for seat in range(players)]
        """By seat, unshuffled."""
        self.counts = [Counter(tiles) for tiles in self.tiles]
        self.left = {
            tile: tiles_left(tile, tuple(count[tile] for count in self.counts))
            for tile in dict.fromkeys(itertools.chain(*self.counts))
        }


class ForbiddenCity(Game):
    """The Forbidden City."""

    __slots__ = ("_left_json", "board", "coins", "hands", "left", "rooms", "stacks")

    traits = Traits(hidden=True)
    name = "forbidden_city"
    title = "The Forbidden City"
    Config = CityConfig
    Observation = view.Observation
    actions = {LAY_TILE: LayTile}  # noqa: RUF012 (declared ClassVar in Game)
    events = (TileLaid, RoomSettled, StackShown)
    recorded = (RoomSettled,)

    config: CityConfig
    board: Board
    rooms: Rooms
    coins: list[int]
    hands: list[Tile | None]
    """The tile each seat holds; hidden from the others."""
    stacks: list[list[Tile]]
    """Face down, the top last; hidden from all."""
    left: dict[Tile, view.TilesLeft]
    """For each kind of tile, the number that each seat has not yet laid."""
    _left_json: tuple[list[str], dict[Tile, int]] | None
    """The JSON of each value of `left` and a comma, and its place; None until asked for: most copies are never sent."""

    def __init_subclass__(cls) -> None:
        """A variant that lists other actions sends and accepts what it lists, and not what the board knows."""
        if cls._list_legal is not ForbiddenCity._list_legal:
            for name in ("legal_at", "legal_to_send", "canonical"):
                if getattr(cls, name) is getattr(ForbiddenCity, name):
                    setattr(cls, name, getattr(Game, name))

    def __init__(self, config: CityConfig, chance: Chance) -> None:
        super().__init__(config, chance)
        self._left_json = None

    @classmethod
    def new(cls, config: CityConfig, chance: Chance) -> Self:
        game = cls(config, chance)
        seats = range(config.players)
        game.coins = [0 for _ in seats]
        game.hands = [None for _ in seats]
        game.stacks = [[] for _ in seats]
        game.left = {}
        game.lay_start_tile()
        game.deal_stacks()
        for seat in seats:
            game.draw_tile(seat)
        game.turn = TURN_BY_SEAT[0]
        return game

    # -- the rules ----------------------------------------------------------------------------------------

    def lay_start_tile(self) -> None:
        """The block of nine cells around the temple."""
        board, rooms = start(self.config.start_tile, self.config.players)
        self.board, self.rooms = board.copy(), rooms.copy()

    def deal_stacks(self) -> None:
        """Each player shuffles their tiles into a face-down stack."""
        stock = self.stock()
        sets, counts = stock.tiles, stock.counts

        def shuffle(random: Random) -> list[list[Tile]]:
            return [random.sample(tiles, len(tiles)) for tiles in sets]

        def validate(stacks: list[list[Tile]]) -> str | None:
            if len(stacks) != len(sets):
                return f"{len(stacks)} stacks for {len(sets)} players"
            for seat, (stack, count) in enumerate(zip(stacks, counts, strict=True)):
                if Counter(stack).items() != count.items():
                    return f"the stack of seat {seat} is not the set of its colour"
            return None

        top_first = self.draw(STACKS, shuffle, list[list[Tile]], validate, audience=NOBODY)
        self.stacks = [stack[::-1] for stack in top_first]

    def stock(self) -> Stock:
        """The tiles of every seat, unshuffled. Counts them in `left`."""
        tile_set, players = self.config.loaded_tiles(), self.config.players
        stock = reconstructed_stock(players) if tile_set is reconstructed() else Stock(tile_set, players)
        self.left.update(stock.left)
        return stock

    def draw_tile(self, seat: int) -> None:
        """Draw the top tile, unless only the NEVER_DRAWN tiles are left (F4)."""
        stack = self.stacks[seat]
        self.hands[seat] = stack.pop() if len(stack) > NEVER_DRAWN else None

    def _tile_to_lay(self) -> Tile | None:
        """The tile in the hand of the seat on turn; None at the end."""
        turn = self.turn
        return None if turn is None else self.hands[turn.seat]

    def _list_legal(self) -> list[Action]:
        tile = self._tile_to_lay()
        return [] if tile is None else self.board.legal(tile)

    def legal_at(self, index: int) -> Action | None:
        """See `Game.legal_at`: the board finds it without listing the actions in other cells."""
        tile = self._tile_to_lay()
        return None if tile is None else self.board.legal_at(tile, index)

    def legal_to_send(self) -> Any:
        """See `Game.legal_to_send`: the actions in each cell are JSON already."""
        tile = self._tile_to_lay()
        return [] if tile is None else self.board.encode_legal(tile)

    def canonical(self, action: Action) -> Action | None:
        """See `Game.canonical`. There are 80 legal actions on average, too many to compare with each."""
        tile = self._tile_to_lay()
        return None if tile is None else self.board.find_legal(tile, action)

    def _carry_out(self, turn: Turn, action: LayTile) -> None:
        """Lay the tile, settle the rooms that it closed, draw; then it is the next player's turn, or the end."""
        self.lay_tile(turn.seat, action)
        self.draw_tile(turn.seat)
        following = TURN_BY_SEAT[(turn.seat + 1) % self.config.players]
        if self.hands[following.seat] is not None:
            self.turn = following
        else:
            self.show_stacks()

    def lay_tile(self, seat: int, action: LayTile) -> None:
        """Lay the tile in hand, and settle every room that it closes."""
        tile = self.hands[seat]
        assert tile is not None
        left = self.left[tile] = less_one(self.left[tile], seat)
        if self._left_json is not None:
            parts, places = self._left_json
            parts[places[tile]] = left_json(left)
        self.emit(TileLaid(seat=seat, x=action.x, y=action.y, rotation=action.rotation, tile=tile))
        for room in self.rooms.add(seat, tile, action, self.board.lay(tile, action)):
            room.value = value = self.rooms.value(room)
            paid = payments(value, room.advisors)
            self.coins = list(map(operator.add, self.coins, paid))
            self.emit(RoomSettled(seat=seat, cells=sorted(room.cells), value=value, paid=paid))

    def show_stacks(self) -> None:
        """The end: every player shows the tiles left in their stack and gets coins for the pictures."""
        for seat, stack in enumerate(self.stacks):
            shown = stack[::-1]
            paid = sum(COINS_SHOWN[tile.picture] * tile.count for tile in shown)
            self.coins[seat] += paid
            self.emit(StackShown(seat=seat, tiles=shown, paid=paid, coins=self.coins[seat]))

    # -- the interface ------------------------------------------------------------------------------------

    def ranking(self) -> Ranking:
        """Most coins first; equal coins share the rank (F7)."""
        ranks = [1 + sum(other > coins for other in self.coins) for coins in self.coins]
        return Ranking(scores=self.coins[:], ranks=ranks)

    def observe(self, seat: int) -> view.Observation:
        left, hand = self.left, self.hands[seat]
        if hand is not None:
            left = {**left, hand: less_one(left[hand], seat)}
        return self._seen_by(seat, list(left.values()), list(self.rooms.by_id.values()), self.rooms.laid)

    def observation_to_send(self, seat: int) -> view.Observation:
        """See `Game.observation_to_send`: what is left, rooms and board, of which little changes, are JSON already."""
        if self._left_json is None:
            self._left_json = list(map(left_json, self.left.values())), {tile: at for at, tile in enumerate(self.left)}
        (left, places), hand = self._left_json, self.hands[seat]
        if hand is not None:
            left = left[:]
            left[places[hand]] = left_json(less_one(self.left[hand], seat))
        return self._seen_by(seat, Raw(f"[{''.join(left)[:-1]}]"), *self.rooms.encode())

    def _seen_by(self, seat: int, left: Any, rooms: Any, board: Any) -> view.Observation:
        return view.Observation(
            seat=seat,
            turn=self.turn,
            hand=self.hands[seat],
            coins=self.coins,
            stacks=list(map(len, self.stacks)),
            in_hand=[int(tile is not None) for tile in self.hands],
            left=left,
            rooms=rooms,
            board=board,
        )

    def determinize(self, seat: int, random: Random) -> Self:
        """See `Game.determinize`: what is left of each set is shuffled, except the seat's tile in hand."""
        twin = self.copy()
        if self.turn is None:  # all stacks have been shown
            return twin
        for owner, hand in enumerate(self.hands):
            hidden = [tile for tile, kind in self.left.items() for _ in range(kind.left[owner])]
            if owner == seat and hand is not None:
                hidden.remove(hand)
            random.shuffle(hidden)
            if owner != seat and hand is not None:
                twin.hands[owner] = hidden.pop()
            twin.stacks[owner] = hidden
        if self.turn.seat != seat:
            twin._legal = None
        deal, audience = twin.log[0]
        assert isinstance(deal, ChanceEvent)
        twin.log[0] = (ChanceEvent(what=deal.what, value=twin._dealt()), audience)
        return twin

    def _dealt(self) -> list[list[Tile]]:
        """The initial stacks, the top tile first."""
        laid: list[list[Tile]] = [[] for _ in self.stacks]
        for each in self.rooms.laid:
            if each.seat is not UNSET:
                laid[each.seat].append(each.tile)
        for tiles, hand, stack in zip(laid, self.hands, self.stacks, strict=True):
            if hand is not None:
                tiles.append(hand)
            tiles.extend(reversed(stack))
        return laid

    @classmethod
    def hidden_draws(
        cls, config: CityConfig, seat: int, observation: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
    ) -> dict[DrawKey, Any]:
        """See `Game.hidden_draws`: stacks that begin with the laid tiles and the seat's tile in hand."""
        tile_set = config.loaded_tiles()
        known: list[list[Tile]] = [[] for _ in range(config.players)]
        for event in events:
            if event["type"] == TileLaid.__struct_config__.tag:
                known[event["seat"]].append(convert(event["tile"], Tile))
        if observation["hand"] is not None:
            known[seat].append(convert(observation["hand"], Tile))
        for event in events:
            if event["type"] == StackShown.__struct_config__.tag:
                known[event["seat"]] += convert(event["tiles"], list[Tile])
        unknown = [Counter(tile_set.stack(owner, config.players)) - Counter(tiles) for owner, tiles in enumerate(known)]
        return {(STACKS, None): [[*top, *rest.elements()] for top, rest in zip(known, unknown, strict=True)]}

    @classmethod
    def further_configs(cls) -> Mapping[str, CityConfig]:
        """A tile set from a file, whose lines are longer than a pipe holds (64 KiB)."""
        return {"tile_set=large.toml": CityConfig(players=4, tile_set="large.toml", tiles=enlarged(reconstructed()))}

    def copy(self, chance: Chance | None = None) -> Self:
        twin = self._copy_common(chance)
        twin.board = self.board.copy()
        twin.rooms = self.rooms.copy()
        twin.coins = self.coins[:]
        twin.hands = self.hands[:]
        twin.stacks = [stack[:] for stack in self.stacks]
        twin.left = self.left.copy()
        twin._left_json = None
        return twin


@cache
def reconstructed_stock(players: int) -> Stock:
    return Stock(reconstructed(), players)


@cache
def start(start_tile: StartTile, players: int) -> tuple[Board, Rooms]:
    """The board with the start tile alone, and its rooms, for games to copy."""
    board, rooms = Board(), Rooms(players)
    for (x, y), tile in START_TILES[start_tile].items():
        action = LayTile(x=x, y=y, rotation=0)
        rooms.add(UNSET, tile, action, board.lay(tile, action))
    return board, rooms


@lru_cache(maxsize=MAX_COUNTS_KEPT)
def less_one(kind: view.TilesLeft, seat: int) -> view.TilesLeft:
    """A kind of tile with one less for this seat."""
    left = kind.left
    return tiles_left(kind, (*left[:seat], left[seat] - 1, *left[seat + 1 :]))


@lru_cache(maxsize=MAX_COUNTS_KEPT)
def left_json(kind: view.TilesLeft) -> str:
    return f"{to_json(kind)},"


def tiles_left(tile: Tile | view.TilesLeft, left: tuple[int, ...]) -> view.TilesLeft:
    """A kind of tile, with the number that each seat has left. Observations share it with the game."""
    return view.TilesLeft(edges=tile.edges, parts=tile.parts, picture=tile.picture, count=tile.count, left=left)
