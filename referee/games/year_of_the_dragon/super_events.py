"""Expansion II, the ten super events (rules page, section 2.7). One strikes in round 7.

All that is said of a super event is said where its function is: the page, the texts that explain the rules and the
stages of a round take it from there.
"""

from collections.abc import Callable
from itertools import product
from typing import Final, NamedTuple

from msgspec import UNSET

from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.actions import ChooseType, DiscardCard, GiveBack, TakePerson
from referee.games.year_of_the_dragon.event_phase import event_phase
from referee.games.year_of_the_dragon.log import EventStrikes
from referee.games.year_of_the_dragon.palaces import build_floors, lose_floors
from referee.games.year_of_the_dragon.persons import place
from referee.games.year_of_the_dragon.state import DecisionRule, Dragon, Player, Task
from referee.games.year_of_the_dragon.tiles import Card

FLOORS_LOST = 2
CARDS_LOST = 2


class SuperEventRule(NamedTuple):
    """All about a super event: what it does, in code and in words."""

    strike: Callable[[Dragon], None]
    effect: str
    """In a few words, for a line of a page."""
    text: str
    """For people who look it up."""
    also: tuple[str, ...]
    """Other words for it."""
    before_wall: bool
    """Whether it strikes before the wall is scored."""
    verb: str
    """What players do who have less of something afterwards."""


SUPER_EVENT_RULES: Final[dict[str, SuperEventRule]] = {}
"""By name, which is that of the function; those of `tiles.SuperEvent`."""


def described(
    effect: str, text: str, *, also: tuple[str, ...] = (), before_wall: bool = False, verb: str = "gives back"
) -> Callable[[Callable[[Dragon], None]], Callable[[Dragon], None]]:
    """Make a function a super event, described as in SuperEventRule."""

    def register(strike: Callable[[Dragon], None]) -> Callable[[Dragon], None]:
        SUPER_EVENT_RULES[strike.__name__] = SuperEventRule(strike, effect, text, also, before_wall, verb)
        return strike

    return register


def super_event(game: Dragon) -> None:
    """The super event strikes in its round."""
    if game.round == tiles.SUPER_EVENT_ROUND:
        game.emit(EventStrikes(round=game.round, event=game.super_event))
        SUPER_EVENT_RULES[game.super_event].strike(game)


@described("2 points per person", "Everyone scores 2 points for each own person.")
def lanternfest(game: Dragon) -> None:
    for player in game.players:
        game.change(player, "score", tiles.POINTS_PER_PERSON * player.person_count(), "lanternfest")


@described(
    "each monk scores Buddhas times floors",
    "Everyone scores for each own monk the Buddhas times the floors of the palace, as at the end of the game.",
)
def buddha(game: Dragon) -> None:
    for player in game.players:
        game.change(player, "score", player.monk_points(), "buddha")


@described(
    "everyone loses two palace floors",
    "In order of play everyone loses two floors of their choice. A person left without a floor in that palace must"
    " leave.",
)
def earthquake(game: Dragon) -> None:
    for player in game.in_order():
        game.then(lose_floors, player, FLOORS_LOST, "earthquake")


@described(
    "everyone gives back half of goods and money",
    "In order of play everyone gives back half of the own yuan, rice and fireworks together, rounded down, in any mix.",
)
def flood(game: Dragon) -> None:
    for player in game.in_order():
        half = (player.yuan + player.rice + player.fireworks) // 2
        if half:
            game.then(give_back, player, half)


def give_back(game: Dragon, player: Player, pieces: int) -> None:
    """Choose the pieces to give back."""
    game.ask(GIVE_BACK, player, reason="flood", left=pieces)


def legal_give_back(game: Dragon, player: Player, task: Task) -> list[GiveBack]:
    """Every possible mix of that many pieces."""
    assert task.left is not UNSET
    return [
        GiveBack(yuan=yuan, rice=rice, fireworks=task.left - yuan - rice)
        for yuan, rice in product(range(player.yuan + 1), range(player.rice + 1))
        if 0 <= task.left - yuan - rice <= player.fireworks
    ]


def carry_out_give_back(game: Dragon, player: Player, task: Task, action: GiveBack) -> None:
    """The pieces go back to the supply."""
    game.change(player, "yuan", -action.yuan, "flood")
    game.change(player, "rice", -action.rice, "flood")
    game.change(player, "fireworks", -action.fireworks, "flood")


GIVE_BACK = DecisionRule("give_back", GiveBack, legal_give_back, carry_out_give_back)


@described(
    "the event of the round strikes twice",
    "The event of round 7 happens a second time, from beginning to end.",
    also=("eclipse",),
    before_wall=True,  # ruling Y6
)
def solar_eclipse(game: Dragon) -> None:
    event_phase(game)


@described(
    "all markers go back to 0",
    "All markers go back to the beginning of the person track. The order of play stays as it is.",
    also=("volcano",),
)
def volcanic_eruption(game: Dragon) -> None:
    for player in reversed(game.in_order()):
        game.change(player, "track", -player.track, "volcanic_eruption")


@described(
    "everyone discards two person cards",
    "In order of play everyone discards two person cards. The two that are left are for rounds 8 and 9.",
)
def tornado(game: Dragon) -> None:
    for player in game.in_order():
        player.discarded = []
        game.then(discard, player, min(CARDS_LOST, player.hand_size))


def discard(game: Dragon, player: Player, cards: int) -> None:
    """Discard `cards` cards, one decision each."""
    if cards > 0:
        game.ask(DISCARD_CARD, player, reason="tornado", left=cards)


def legal_discard(game: Dragon, player: Player, task: Task) -> list[DiscardCard]:
    """Each kind of card in the hand."""
    return [DiscardCard(card=card) for card in dict.fromkeys(game.hands[player.seat])]


def carry_out_discard(game: Dragon, player: Player, task: Task, action: DiscardCard) -> None:
    """Put the card face up on the discard pile (ruling Y10)."""
    assert player.discarded is not UNSET
    assert task.left is not UNSET
    card: Card = action.card
    game.hands[player.seat].remove(card)
    player.hand_size -= 1
    player.discarded.append(card)
    game.then(discard, player, task.left - 1)


DISCARD_CARD = DecisionRule("discard_card", DiscardCard, legal_discard, carry_out_discard)


@described(
    "everyone takes another young person",
    "In order of play everyone takes a young person from the display, of a type that nobody has taken before in this"
    " sunrise.",
)
def sunrise(game: Dragon) -> None:
    for player in game.in_order():
        game.then(take_person, player)


def take_person(game: Dragon, player: Player) -> None:
    """Choose a young person, if any is left to choose."""
    if legal_take(game):
        game.ask(TAKE_PERSON, player, reason="sunrise")


def legal_take(game: Dragon, *_: object) -> list[TakePerson]:
    """The young persons on display of types not yet taken."""
    return [
        TakePerson(person=person)
        for person, left in game.display.young.items()
        if left and person not in game.taken_at_sunrise
    ]


def carry_out_take(game: Dragon, player: Player, task: Task, action: TakePerson) -> None:
    """The person is placed by the rules of the person phase."""
    tile = tiles.TILES[action.person, "young"]
    game.taken_at_sunrise = (*game.taken_at_sunrise, action.person)
    game.take_tile(tile)
    game.then(place, player, tile, "sunrise")


TAKE_PERSON = DecisionRule("take_person", TakePerson, legal_take, carry_out_take)


@described("all privileges are lost", "All privileges are lost, before they score in this round.", verb="loses")
def assassination(game: Dragon) -> None:
    for player in game.players:
        game.change(player, "small_privileges", -player.small_privileges, "assassination")
        game.change(player, "large_privileges", -player.large_privileges, "assassination")


@described(
    "everyone uses one type of person once",
    "In order of play everyone chooses a type among their persons and takes its benefit by the symbols on them: floors,"
    " yuan, rice, fireworks, points or spaces. Healers bring nothing.",
)
def charter(game: Dragon) -> None:
    for player in game.in_order():
        if player.person_count():  # ruling Y9
            game.then(choose_type, player)


def choose_type(game: Dragon, player: Player) -> None:
    """Choose a type among the player's persons."""
    game.ask(CHOOSE_TYPE, player, reason="charter")


def legal_types(game: Dragon, player: Player, task: Task) -> list[ChooseType]:
    """The types that live in the player's palaces."""
    present = {tile.person for tile in player.persons()}
    return [ChooseType(person=person) for person in tiles.FACTS if person in present]


def carry_out_type(game: Dragon, player: Player, task: Task, action: ChooseType) -> None:
    """Take the benefit once, by the symbols on the tiles alone; warriors move the marker (ruling Y8)."""
    symbols = player.symbols(action.person)
    match action.person:
        case "craftsman":
            game.then(build_floors, player, symbols, "charter")
        case "court_lady" | "scholar":
            game.change(player, "score", symbols, "charter")
        case "tax_collector":
            game.change(player, "yuan", symbols, "charter")
        case "pyrotechnist":
            game.change(player, "fireworks", symbols, "charter")
        case "farmer":
            game.change(player, "rice", symbols, "charter")
        case "monk":
            game.change(player, "score", player.monk_points(), "charter")
        case "warrior":
            game.move(player, symbols, "charter")
        case "healer":
            pass  # healers only protect from the contagion (ruling Y8)


CHOOSE_TYPE = DecisionRule("choose_type", ChooseType, legal_types, carry_out_type)

check_complete(tiles.SUPER_EVENTS, SUPER_EVENT_RULES)
