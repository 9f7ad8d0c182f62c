"""The person phase: play a card, take a person (rules page, section 2.3)."""

from functools import lru_cache

from msgspec import UNSET

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import PlayCard
from referee.games.year_of_the_dragon.persons import place
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Player, Task
from referee.games.year_of_the_dragon.tiles import Card, Person

MAX_DISPLAYS_KEPT = 1 << 10
"""How many sets of sold-out tiles to keep the plays of each card for."""


def person_phase(game: Dragon) -> None:
    """In order of play, everyone who has a card plays one; nobody has one in round 12 (ruling Y4)."""
    for player in game.in_order():
        if game.hands[player.seat]:
            game.then(play_card, player)


def play_card(game: Dragon, player: Player) -> None:
    """Play a card from the hand."""
    game.ask(PLAY_CARD, player)


def legal_plays(game: Dragon, player: Player, task: Task) -> list[PlayCard]:
    """Each card in hand with each person it can bring; alone if it brings nobody (ruling Y3)."""
    plays = plays_without(game.sold_out)
    options: list[PlayCard] = []
    for card in dict.fromkeys(game.hands[player.seat]):
        options += plays[card]
    return options


@lru_cache(maxsize=MAX_DISPLAYS_KEPT)
def plays_without(sold_out: frozenset[Person]) -> dict[Card, list[PlayCard]]:
    """The plays of each card when the display holds every tile but these."""
    with_person: dict[Card, list[PlayCard]] = {card: [] for card in tiles.HAND}
    for tile in tiles.TILES.values():
        if tile not in sold_out:
            with_person[tile.person].append(PlayCard(card=tile.person, person=tile.person, age=tile.age))
            with_person["wild"].append(PlayCard(card="wild", person=tile.person, age=tile.age))
    return {card: plays or [PlayCard(card=card)] for card, plays in with_person.items()}


def carry_out_play(game: Dragon, player: Player, task: Task, action: PlayCard) -> None:
    """Put the card face up on the discard pile, and have the person placed."""
    game.hands[player.seat].remove(action.card)
    player.hand_size -= 1
    player.played.append(action.card)
    if action.person is not UNSET and action.age is not UNSET:
        tile = tiles.TILES[action.person, action.age]
        game.take_tile(tile)
        place(game, player, tile, "card")


PLAY_CARD = DecisionRule("play_card", PlayCard, legal_plays, carry_out_play)
