"""The person phase: play a card, take a person (rules page, section 4.2)."""

from msgspec import UNSET

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import PlayCard
from referee.games.year_of_the_dragon.persons import place
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Player, Task
from referee.games.year_of_the_dragon.tiles import Card, Person

PLAYS_OF: dict[Card, list[tuple[PlayCard, Person]]] = {
    card: [
        (PlayCard(card=card, person=tile.person, age=tile.age), tile)
        for tile in tiles.TILES.values()
        if card in (tile.person, "wild")
    ]
    for card in tiles.HAND
}
"""The plays of each card when the display holds every tile."""


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
    young, old = game.display.young, game.display.old
    options: list[PlayCard] = []
    for card in dict.fromkeys(game.hands[player.seat]):
        with_person = [play for play, tile in PLAYS_OF[card] if (young if tile.age == "young" else old)[tile.person]]
        options += with_person or [PlayCard(card=card)]
    return options


def carry_out_play(game: Dragon, player: Player, task: Task, action: PlayCard) -> None:
    """Put the card face up on the discard pile, and have the person placed."""
    game.hands[player.seat].remove(action.card)
    player.hand_size -= 1
    player.played.append(action.card)
    if action.person is not UNSET and action.age is not UNSET:
        tile = tiles.TILES[action.person, action.age]
        game.display.take(tile)
        game.then(place, player, tile, "card")


PLAY_CARD = DecisionRule("play_card", PlayCard, legal_plays, carry_out_play)
