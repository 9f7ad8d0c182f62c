"""The action phase: groups of action cards, and the effect of each card (rules page, section 2.3)."""

from collections.abc import Callable
from functools import cache
from itertools import accumulate, chain
from random import Random
from typing import Final

from msgspec import UNSET

from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import great_wall, tiles
from referee.games.year_of_the_dragon.actions import ChooseAction
from referee.games.year_of_the_dragon.palaces import build_floors
from referee.games.year_of_the_dragon.state import ActionGroup, DecisionRule, Dragon, Player, Task
from referee.games.year_of_the_dragon.tiles import CARD_SYMBOLS, ActionCard, Edition, PrivilegeSize, WallTile

REPLENISH = ChooseAction(kind="replenish")
GROUPS = list[list[ActionCard]]
CARD_USES = [
    {card: ChooseAction(kind="card", group=group, card=card) for card in tiles.ACTION_CARDS}
    for group in range(tiles.MAX_PLAYERS)
]
"""By group, the use of each card that offers no choice."""
DEAREST_PRIVILEGE = max(price for prices in tiles.PRIVILEGE_PRICE.values() for price in prices.values())


def action_phase(game: Dragon) -> None:
    """Deal the action cards into groups; then everyone acts, in order of play."""
    deal_groups(game)
    for player in game.in_order():
        game.then(choose_action, player)


def deal_groups(game: Dragon) -> None:
    """Deal one group per player, of sizes as even as possible."""
    deal = deal_of(game.config.players, game.config.great_wall)
    groups = game.draw("action_groups", deal.shuffle, GROUPS, deal.validate, round_no=game.round)
    game.action_groups = [ActionGroup(group) for group in groups]


class Deal:
    """The deal of a round: which cards there are, and the sizes of the groups."""

    def __init__(self, players: int, great_wall: bool) -> None:
        cards: tuple[ActionCard, ...] = tiles.ACTION_CARDS
        self._cards: tuple[ActionCard, ...] = (*cards, "build_wall") if great_wall else cards
        self._sorted = sorted(self._cards)
        self._sizes = tiles.group_sizes(len(self._cards), players)
        ends = list(accumulate(self._sizes))
        self._parts = [slice(end - size, end) for size, end in zip(self._sizes, ends, strict=True)]
        """Where each group lies in the deck, counted from its top."""

    def shuffle(self, random: Random) -> list[list[ActionCard]]:
        deck = list(self._cards)
        random.shuffle(deck)
        deck.reverse()  # the first group gets the last cards
        return [deck[part] for part in self._parts]

    def validate(self, groups: list[list[ActionCard]]) -> str | None:
        if sorted(chain.from_iterable(groups)) != self._sorted:
            return "the groups don't hold each action card once"
        if sorted(map(len, groups), reverse=True) != self._sizes:
            return f"the groups are not of the sizes {self._sizes}"
        return None


deal_of = cache(Deal)


def choose_action(game: Dragon, player: Player) -> None:
    """Use one card of one group, or replenish the money."""
    game.ask(CHOOSE_ACTION, player)


def legal_actions(game: Dragon, player: Player, task: Task) -> list[ChooseAction]:
    """Every card that the player can carry out after paying for its group (ruling Y2)."""
    options: list[ChooseAction] = []
    for index, group in enumerate(game.action_groups):
        yuan = player.yuan - (tiles.OCCUPIED_GROUP_PRICE if group.taken_by else 0)
        if yuan < 0:
            continue
        uses = CARD_USES[index]
        for card in group.cards:
            if card == "privilege":
                options += affordable_privileges(index, min(yuan, DEAREST_PRIVILEGE), game.config.edition)
            elif card == "build_wall":
                options += wall_buildings(index, tuple(great_wall.buildable(game, player)))
            else:
                options.append(uses[card])
    options.append(REPLENISH)
    return options


@cache
def affordable_privileges(group: int, yuan: int, edition: Edition) -> list[ChooseAction]:
    """The card of privileges in a group, with each size that can be bought for this money."""
    prices = tiles.PRIVILEGE_PRICE[edition].items()
    return [
        ChooseAction(kind="card", group=group, card="privilege", size=size) for size, price in prices if price <= yuan
    ]


@cache
def wall_buildings(group: int, wall_tiles: tuple[WallTile, ...]) -> list[ChooseAction]:
    """The card of the Great Wall in a group, with each of these tiles."""
    return [ChooseAction(kind="card", group=group, card="build_wall", wall_tile=tile) for tile in wall_tiles]


def carry_out_action(game: Dragon, player: Player, task: Task, action: ChooseAction) -> None:
    """Pay for an occupied group, then carry out the card."""
    if action.group is UNSET or action.card is UNSET:
        game.change(player, "yuan", max(0, tiles.REPLENISH_TO - player.yuan), "replenish")
        return
    group = game.action_groups[action.group]
    if group.taken_by:
        game.change(player, "yuan", -tiles.OCCUPIED_GROUP_PRICE, "occupied_group")
    group.taken_by.append(player.seat)
    if action.size is not UNSET:
        privilege(game, player, action.size)
    elif action.wall_tile is not UNSET:
        great_wall.build_wall(game, player, action.wall_tile)
    else:
        CARDS[action.card](game, player)


def taxes(game: Dragon, player: Player) -> None:
    """Two yuan, and one per coin on the player's tax collectors."""
    game.change(player, "yuan", CARD_SYMBOLS["taxes"] + player.symbols("tax_collector"), "taxes")


def build(game: Dragon, player: Player) -> None:
    """One floor, and one per hammer on the player's craftsmen."""
    build_floors(game, player, CARD_SYMBOLS["build"] + player.symbols("craftsman"), "build")


def harvest(game: Dragon, player: Player) -> None:
    """One rice, and one per sack on the player's farmers."""
    game.change(player, "rice", CARD_SYMBOLS["harvest"] + player.symbols("farmer"), "harvest")


def fireworks(game: Dragon, player: Player) -> None:
    """One fireworks tile, and one per rocket on the player's pyrotechnists."""
    game.change(player, "fireworks", CARD_SYMBOLS["fireworks"] + player.symbols("pyrotechnist"), "fireworks")


def military_parade(game: Dragon, player: Player) -> None:
    """One space on the person track, and one per helmet on the player's warriors."""
    game.move(player, CARD_SYMBOLS["military_parade"] + player.symbols("warrior"), "military_parade")


def research(game: Dragon, player: Player) -> None:
    """One point, and one per book on the player's scholars."""
    game.change(player, "score", CARD_SYMBOLS["research"] + player.symbols("scholar"), "research")


def privilege(game: Dragon, player: Player, size: PrivilegeSize) -> None:
    """Buy exactly one privilege."""
    game.change(player, "yuan", -tiles.PRIVILEGE_PRICE[game.config.edition][size], "privilege")
    game.change(player, "small_privileges" if size == "small" else "large_privileges", 1, "privilege")


CARDS: Final[dict[ActionCard, Callable[[Dragon, Player], None]]] = {
    "taxes": taxes,
    "build": build,
    "harvest": harvest,
    "fireworks": fireworks,
    "military_parade": military_parade,
    "research": research,
}
"""The cards that offer no choice."""
check_complete(CARD_SYMBOLS, CARDS)

CHOOSE_ACTION = DecisionRule("choose_action", ChooseAction, legal_actions, carry_out_action)
