"""The event phase: the six events (rules page, section 2.3)."""

from collections.abc import Callable
from typing import Final

from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.log import EventStrikes
from referee.games.year_of_the_dragon.persons import release, release_from_each
from referee.games.year_of_the_dragon.state import Dragon, Player
from referee.games.year_of_the_dragon.tiles import EventTile


def event_phase(game: Dragon) -> None:
    """The event of the round strikes."""
    event = game.event_row[game.round - 1]
    game.emit(EventStrikes(round=game.round, event=event))
    EVENTS[event](game)


def peace(game: Dragon) -> None:
    """Nothing happens."""


def imperial_tribute(game: Dragon) -> None:
    """Everyone pays four yuan, or all they have, and releases a person for each yuan missing."""
    for player in game.in_order():
        paid = min(tiles.TRIBUTE, player.yuan)
        game.change(player, "yuan", -paid, "imperial_tribute")
        game.then(release, player, tiles.TRIBUTE - paid, "imperial_tribute")


def drought(game: Dragon) -> None:
    """Each inhabited palace uses up one rice; a person leaves each palace that gets none."""
    for player in game.in_order():
        inhabited = sum(1 for palace in player.palaces if palace.persons)
        paid = min(inhabited, player.rice)
        game.change(player, "rice", -paid, "drought")
        game.then(release_from_each, player, inhabited - paid, "drought")


def dragon_festival(game: Dragon) -> None:
    """Most fireworks score six, second most three, ties alike; the scorers give back half, rounded up."""
    ranked = sorted({player.fireworks for player in game.players if player.fireworks}, reverse=True)
    for place, points in zip(ranked, tiles.FESTIVAL_POINTS, strict=False):
        for player in game.in_order():
            if player.fireworks == place:
                game.change(player, "score", points, "dragon_festival")
                game.then(give_back_fireworks, player)


def give_back_fireworks(game: Dragon, player: Player) -> None:
    """Give back half of the fireworks, rounded up."""
    game.change(player, "fireworks", -((player.fireworks + 1) // 2), "dragon_festival")


def mongol_invasion(game: Dragon) -> None:
    """A point per helmet; then all players with the fewest helmets release a person."""
    helmets = [player.symbols("warrior") for player in game.players]
    for player in game.players:
        game.change(player, "score", helmets[player.seat], "mongol_invasion")
    for player in game.in_order():
        if helmets[player.seat] == min(helmets):
            game.then(release, player, 1, "mongol_invasion")


def contagion(game: Dragon) -> None:
    """Everyone releases three persons, one fewer per mortar on their healers."""
    for player in game.in_order():
        game.then(release, player, tiles.CONTAGION - player.symbols("healer"), "contagion")


EVENTS: Final[dict[EventTile, Callable[[Dragon], None]]] = {
    "peace": peace,
    "imperial_tribute": imperial_tribute,
    "drought": drought,
    "dragon_festival": dragon_festival,
    "mongol_invasion": mongol_invasion,
    "contagion": contagion,
}
check_complete(tiles.EVENT_TILES, EVENTS)
