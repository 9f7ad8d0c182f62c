"""Palace floors: building, losing, decay."""

from msgspec import UNSET

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import BuildFloor, LoseFloor
from referee.games.year_of_the_dragon.persons import RELEASE_PERSON
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Palace, Player, Task


def build_floors(game: Dragon, player: Player, floors: int, reason: str) -> None:
    """The player builds `floors` floors, one decision each."""
    if floors > 0:
        game.ask(BUILD_FLOOR, player, reason=reason, left=floors)


def legal_build(game: Dragon, player: Player, task: Task) -> list[BuildFloor]:
    """Every palace that can grow, and a new one."""
    options = [BuildFloor(palace=palace.id) for palace in player.palaces if palace.floors < tiles.MAX_FLOORS]
    options.append(BuildFloor(palace=player.next_palace))
    return options


def carry_out_build(game: Dragon, player: Player, task: Task, action: BuildFloor) -> None:
    """Add the floor, to a new palace if the id is the player's next unused one."""
    assert task.left is not UNSET
    assert task.reason is not UNSET
    if action.palace == player.next_palace:
        player.palaces.append(Palace(action.palace, 0))
        player.next_palace += 1
    palace = player.palace(action.palace)
    game.set_floors(player, palace, palace.floors + 1, task.reason)
    build_floors(game, player, task.left - 1, task.reason)


BUILD_FLOOR = DecisionRule("build_floor", BuildFloor, legal_build, carry_out_build)


def lose_floors(game: Dragon, player: Player, floors: int, reason: str) -> None:
    """The player loses `floors` floors of their choice, or all if there are fewer."""
    floors = min(floors, sum(palace.floors for palace in player.palaces))
    if floors > 0:
        game.ask(LOSE_FLOOR, player, reason=reason, left=floors)


def legal_lose(game: Dragon, player: Player, task: Task) -> list[LoseFloor]:
    """Any palace."""
    return [LoseFloor(palace=palace.id) for palace in player.palaces]


def carry_out_lose(game: Dragon, player: Player, task: Task, action: LoseFloor) -> None:
    """A person who no longer fits leaves before the floor is removed, so that persons never outnumber floors."""
    assert task.left is not UNSET
    assert task.reason is not UNSET
    palace = player.palace(action.palace)
    if len(palace.persons) == palace.floors:
        game.ask(RELEASE_PERSON, player, reason=task.reason, left=1, palace=palace.id)
    game.then(take_floor, player, palace.id, task.reason)
    game.then(lose_floors, player, task.left - 1, task.reason)


def take_floor(game: Dragon, player: Player, palace_id: int, reason: str) -> None:
    palace = player.palace(palace_id)
    game.set_floors(player, palace, palace.floors - 1, reason)


LOSE_FLOOR = DecisionRule("lose_floor", LoseFloor, legal_lose, carry_out_lose)


def decay(game: Dragon) -> None:
    """Each palace without a person loses a floor (once a round, right before scoring: ruling Y5)."""
    for player in game.players:
        for palace in player.palaces[:]:
            if not palace.persons:
                game.set_floors(player, palace, palace.floors - 1, "decay")
