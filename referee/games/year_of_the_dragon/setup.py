"""Setup: the event row, the super event and the draft (rules page, sections 2.1 and 2.2)."""

from itertools import combinations, pairwise
from random import Random

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import Draft
from referee.games.year_of_the_dragon.persons import place
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Player, Task
from referee.games.year_of_the_dragon.tiles import EventTile, PersonType, SuperEvent

PAIRS: tuple[Draft, ...] = tuple(Draft(persons=pair) for pair in combinations(sorted(tiles.FACTS), 2))


def lay_event_row(game: Dragon) -> None:
    """Two peace tiles, then the other ten at random, with no two equal tiles side by side."""
    game.event_row = game.draw("events", shuffled_event_row, list[EventTile], validate_event_row)


def validate_event_row(row: list[EventTile]) -> str | None:
    if sorted(row) != sorted(tiles.EVENT_TILES * tiles.TILES_PER_EVENT):
        return "not two of each kind"
    if row[:2] != ["peace", "peace"]:
        return "the first two are not peace"
    if any(left == right for left, right in pairwise(row[2:])):
        return "equal events side by side"
    return None


def shuffled_event_row(random: Random) -> list[EventTile]:
    """An event row laid by the rules; all ten tiles are laid again if one fits nowhere (ruling Y1)."""
    while True:
        bag = [tile for tile in tiles.EVENT_TILES[1:] for _ in range(tiles.TILES_PER_EVENT)]
        random.shuffle(bag)
        row: list[EventTile | None] = ["peace", "peace", *[None] * len(bag)]
        if all(lay_tile(row, tile) for tile in bag):
            return [tile for tile in row if tile is not None]


def lay_tile(row: list[EventTile | None], tile: EventTile) -> bool:
    """Put a tile on the leftmost free space where it differs from both neighbours. False if there is none."""
    for space, lying in enumerate(row):
        if lying is None and row[space - 1] != tile and tile not in row[space + 1 : space + 2]:
            row[space] = tile
            return True
    return False


def choose_super_event(game: Dragon) -> None:
    """Choose or draw the super event of round 7."""
    if game.config.super_event != "random":
        game.super_event = game.config.super_event
        return
    game.super_event = game.draw(
        "super_event",
        lambda random: random.choice(tiles.SUPER_EVENTS),
        SuperEvent,
        lambda chosen: "none was drawn" if chosen == "none" else None,
    )


def draft(game: Dragon, player: Player) -> None:
    """Take two different young persons, a pair that no earlier seat has taken."""
    game.ask(DRAFT, player)


def legal_draft(game: Dragon, player: Player, task: Task) -> list[Draft]:
    """Pairs of types that nobody has taken. The supply can't run out in the draft."""
    return [pair for pair in PAIRS if pair.persons not in game.taken_pairs]


def take_draft(game: Dragon, player: Player, task: Task, action: Draft) -> None:
    """Place both persons in the order given."""
    pair: tuple[PersonType, ...] = tuple(sorted(action.persons))
    game.taken_pairs = (*game.taken_pairs, pair)
    for person in action.persons:
        tile = tiles.TILES[person, "young"]
        game.take_tile(tile)
        game.then(place, player, tile, "draft")


DRAFT = DecisionRule("draft", Draft, legal_draft, take_draft)
