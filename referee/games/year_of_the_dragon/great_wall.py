"""Expansion I, The Great Wall (rules page, section 2.6)."""

from msgspec import UNSET

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.log import WallBuilt
from referee.games.year_of_the_dragon.palaces import build_floors
from referee.games.year_of_the_dragon.persons import release
from referee.games.year_of_the_dragon.state import Dragon, Player
from referee.games.year_of_the_dragon.tiles import WALL_TILES, WallTile


def buildable(game: Dragon, player: Player) -> list[WallTile]:
    """The player's wall tiles that can be built now: none once the wall is finished."""
    if len(game.wall) == tiles.WALL_LENGTH or player.wall_tiles is UNSET:
        return []
    return player.wall_tiles


def build_wall(game: Dragon, player: Player, tile: WallTile) -> None:
    """Add one of the player's tiles to the common wall and take what it shows."""
    assert player.wall_tiles is not UNSET
    player.wall_tiles.remove(tile)
    game.wall.append(player.seat)
    game.emit(WallBuilt(seat=player.seat, wall_tile=tile, length=len(game.wall)))
    match tile:
        case "palace":
            game.then(build_floors, player, WALL_TILES[tile], "build_wall")
        case "person_track":
            game.move(player, WALL_TILES[tile], "build_wall")
        case "points":
            game.change(player, "score", WALL_TILES[tile], "build_wall")
        case "rice" | "fireworks" | "yuan":
            game.change(player, tile, WALL_TILES[tile], "build_wall")


def score_after_mongols(game: Dragon) -> None:
    """Score the wall once in a round with a Mongol invasion (ruling Y6)."""
    if game.event_row[game.round - 1] == "mongol_invasion":
        wall_scoring(game)


def wall_scoring(game: Dragon) -> None:
    """With as many tiles as rounds so far, a point per own tile; otherwise those with the fewest release a person."""
    built = [game.wall.count(player.seat) for player in game.players]
    if len(game.wall) >= game.round:
        for player in game.players:
            game.change(player, "score", built[player.seat], "great_wall")
    else:
        for player in game.in_order():
            if built[player.seat] == min(built):
                game.then(release, player, 1, "great_wall")
