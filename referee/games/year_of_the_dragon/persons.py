"""Placing and releasing persons, for phases, events and expansions."""

from collections.abc import Sequence

from msgspec import UNSET

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import PlacePerson, ReleasePerson
from referee.games.year_of_the_dragon.log import PersonLeft
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Player, Task, distinct_persons
from referee.games.year_of_the_dragon.tiles import Person

REFUSE = PlacePerson(refuse=True)


def place(game: Dragon, player: Player, tile: Person, reason: str) -> None:
    game.ask(PLACE_PERSON, player, person=tile.person, age=tile.age, reason=reason)


def legal_place(game: Dragon, player: Player, task: Task) -> list[PlacePerson]:
    """Every palace with room; if there is none, everyone who can be replaced, or refusal."""
    with_room = [PlacePerson(palace=palace.id) for palace in player.palaces if len(palace.persons) < palace.floors]
    if with_room:
        return with_room
    replaceable = [
        PlacePerson(palace=palace.id, replace=tile) for palace in player.palaces for tile in distinct_persons(palace)
    ]
    return [*replaceable, REFUSE]


def carry_out_place(game: Dragon, player: Player, task: Task, action: PlacePerson) -> None:
    """Move in, replacing another person if one is named; if refused, the new person leaves and the marker stays."""
    assert task.person is not UNSET
    assert task.age is not UNSET
    assert task.reason is not UNSET
    if action.palace is UNSET:
        game.emit(PersonLeft(seat=player.seat, person=task.person, age=task.age, reason="refused"))
        return
    palace = player.palace(action.palace)
    if action.replace is not UNSET:
        game.move_out(player, palace, action.replace, "replaced")
    game.move_in(player, palace, tiles.TILES[task.person, task.age], task.reason)


PLACE_PERSON = DecisionRule("place_person", PlacePerson, legal_place, carry_out_place)


def release(game: Dragon, player: Player, count: int, reason: str) -> None:
    """The player releases `count` persons, one decision each, or all if there are fewer."""
    if count > 0 and (present := player.person_count()):
        game.ask(RELEASE_PERSON, player, reason=reason, left=min(count, present))


def release_from_each(game: Dragon, player: Player, palaces: int, reason: str, hit: Sequence[int] = ()) -> None:
    """One person leaves each of `palaces` inhabited palaces of the player's choice, none of those in `hit`."""
    if palaces > 0:
        game.ask(RELEASE_PERSON, player, reason=reason, left=palaces, hit=tuple(hit))


def legal_release(game: Dragon, player: Player, task: Task) -> list[ReleasePerson]:
    """Each kind of person in each palace that can lose one."""
    hit, only = task.hit, task.palace
    options: list[ReleasePerson] = []
    for palace in player.palaces:
        if (hit is UNSET or palace.id not in hit) and (only is UNSET or palace.id == only):
            for tile in distinct_persons(palace):
                options.append(ReleasePerson(palace=palace.id, person=tile.person, age=tile.age))
    return options


def carry_out_release(game: Dragon, player: Player, task: Task, action: ReleasePerson) -> None:
    """The person leaves the game; continue with those still to be released."""
    assert task.left is not UNSET
    assert task.reason is not UNSET
    game.move_out(player, player.palace(action.palace), tiles.TILES[action.person, action.age], task.reason)
    if task.hit is not UNSET:
        release_from_each(game, player, task.left - 1, task.reason, (*task.hit, action.palace))
    elif task.palace is UNSET:
        release(game, player, task.left - 1, task.reason)


RELEASE_PERSON = DecisionRule("release_person", ReleasePerson, legal_release, carry_out_release)
