"""The scoring phase and the end of the game (rules page, sections 2.3 and 2.4)."""

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.log import FinalScore, RoundEnd
from referee.games.year_of_the_dragon.state import Dragon, Player


def scoring_phase(game: Dragon) -> None:
    """A point per palace, per court lady and per dragon on privileges."""
    for player in game.players:
        game.change(player, "score", len(player.palaces), "palaces")
        game.change(player, "score", player.symbols("court_lady"), "court_ladies")
        game.change(player, "score", privilege_dragons(player), "privileges")
    game.emit(
        RoundEnd(
            round=game.round,
            scores=[player.score for player in game.players],
            track=[player.track for player in game.players],
            order=game.order[:],
        )
    )


def privilege_dragons(player: Player) -> int:
    """One dragon per small privilege, two per large one."""
    dragons = tiles.PRIVILEGE_DRAGONS
    return player.small_privileges * dragons["small"] + player.large_privileges * dragons["large"]


def final_scoring(game: Dragon) -> None:
    """Two points per person, Buddhas times floors per monk, a point per three yuan after selling all goods."""
    for player in game.players:
        persons = tiles.POINTS_PER_PERSON * player.person_count()
        monks = player.monk_points()
        yuan = player.yuan + tiles.YUAN_PER_SALE * (player.rice + player.fireworks)
        money = yuan // tiles.YUAN_PER_POINT
        player.score += persons + monks + money
        game.emit(FinalScore(seat=player.seat, persons=persons, monks=monks, money=money, score=player.score))
