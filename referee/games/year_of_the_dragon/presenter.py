"""Showing In the Year of the Dragon to a person: the table, and every decision as menus."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar, Final

from msgspec import UNSET

from referee.games.chance import ChanceError
from referee.games.interface import DecisionEvent, Event
from referee.games.narrator import format_count
from referee.games.presenter import Menu, MenuEntry, Presenter
from referee.games.rule_texts import RuleText, rule_texts
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import actions, table, tiles
from referee.games.year_of_the_dragon.game import YearOfTheDragon
from referee.games.year_of_the_dragon.narrator import DragonNarrator, format_name, format_person, goes_with_decision
from referee.games.year_of_the_dragon.state import Task
from referee.games.year_of_the_dragon.super_events import SUPER_EVENT_RULES
from referee.games.year_of_the_dragon.tiles import ActionCard, Age, PersonType
from referee.games.year_of_the_dragon.view import Observation

GAINS: Final[dict[ActionCard, tuple[PersonType, str]]] = {
    "taxes": ("tax_collector", "yuan"),
    "build": ("craftsman", "floors"),
    "harvest": ("farmer", "rice"),
    "fireworks": ("pyrotechnist", "fireworks tiles"),
    "military_parade": ("warrior", "spaces on the person track"),
    "research": ("scholar", "points"),
}
"""By action card: the persons who increase its effect, and the unit of what it brings."""
SYMBOL_TEXTS: Final[dict[PersonType, tuple[str, str]]] = {
    "craftsman": ("floors", "more when you build"),
    "court_lady": ("points", "each round"),
    "tax_collector": ("yuan", "more with taxes"),
    "pyrotechnist": ("fireworks tiles", "more with fireworks"),
    "warrior": ("helmets", "against the Mongols"),
    "monk": ("points", "at the end per floor of the palace"),
    "healer": ("mortars", "against the contagion"),
    "farmer": ("rice", "more with harvest"),
    "scholar": ("points", "more with research"),
}
"""By type: what its symbols bring, and when."""
PLURALS: Final[dict[PersonType, str]] = {"craftsman": "craftsmen"}
"""Plurals that don't end in -s."""
check_complete(tiles.CARD_SYMBOLS, GAINS)
check_complete(tiles.FACTS, SYMBOL_TEXTS)
WALL_GAINS: Final = {"palace": "floors", "person_track": "spaces on the person track"}
REASON_TEXTS: Final = {
    "draft": "",
    "build": "",
    "build_wall": "The wall tile brings a floor",
    "great_wall": "The Great Wall is too short",
    "card": "",
}
"""The texts of reasons for a decision that aren't the name of an event."""
FIRST_DECISIONS: Final = ("draft", "choose_action", "play_card")
"""Decisions that don't continue an earlier one."""


class DragonPresenter(Presenter[YearOfTheDragon]):
    game = YearOfTheDragon
    narrator = DragonNarrator
    rules: ClassVar = {
        **rule_texts(__file__),
        **{name: RuleText(name, "Super events", rule.text, rule.also) for name, rule in SUPER_EVENT_RULES.items()},
    }

    def _continues(self, events: Sequence[Event]) -> bool:
        """Whether they are direct effects for the narrator."""
        return all(
            event.seat == self.seat if isinstance(event, DecisionEvent) else goes_with_decision(event)
            for event in events
        )

    def table(self, observation: Observation, legal: Sequence[Any], width: int) -> Iterator[str]:
        return table.table(observation, self.names, width)

    def menu(self, observation: Observation, legal: Sequence[Any]) -> Menu:
        task = observation.turn
        assert task is not None
        return MenuMaker(observation, task, self.names, self.config.edition).menu(legal)

    def position_after(self, actions: Sequence[Any]) -> tuple[Observation, Sequence[Any]] | None:
        """The next decision of the same turn, such as the floors of a building action."""
        assert self.known is not None
        known = self.known.copy()
        since = len(known.log)
        try:
            for action in actions:
                take_forced(known, self.seat)
                known.apply(action)
            take_forced(known, self.seat)
        except ChanceError:
            return None
        turn = known.turn
        if turn is None or turn.seat != self.seat or turn.decision in FIRST_DECISIONS:
            return None
        if not self._continues([event for event, _ in known.log[since:]]):
            return None
        return known.observe(self.seat), known.legal_actions()


def take_forced(game: YearOfTheDragon, seat: int) -> None:
    """Take all decisions of a seat that are forced."""
    while game.turn is not None and game.turn.seat == seat and game.is_forced():
        game.apply(game.legal_actions()[0])


class MenuMaker:
    def __init__(self, seen: Observation, task: Task, names: Sequence[str], edition: tiles.Edition) -> None:
        self._seen = seen
        self._task = task
        self._names = names
        self._edition = edition
        self._own = seen.players[seen.seat]

    def menu(self, legal: Sequence[Any]) -> Menu:
        match self._task.decision:
            case "draft":
                return self._draft(legal)
            case "choose_action":
                return Menu("Which action do you take?", [*self._actions(legal)])
            case "play_card":
                return Menu("Which person card do you play, and who comes?", [*self._cards(legal)])
            case _:
                return Menu(self._question(), [self._entry(action) for action in legal])

    def _question(self) -> str:
        task = self._task
        why = self._format_reason()
        match task.decision:
            case "place_person":
                tile = self._new_person()
                if any(len(palace.persons) < palace.floors for palace in self._own.palaces):
                    return f"{why}Into which palace does the {tile} move?"
                return f"{why}All palaces are full. For whom does the {tile} come, or is the {tile} turned away?"
            case "build_floor":
                return f"{why}Where do you build{self._format_left('floors')}?"
            case "release_person":
                return f"{why}Who leaves{self._format_left('persons')}?"
            case "lose_floor":
                return f"{why}Which palace loses a floor{self._format_left('floors')}?"
            case "give_back":
                pieces = 0 if task.left is UNSET else task.left
                return f"{why}What do you give back, {format_count(pieces, 'pieces')} in all?"
            case "discard_card":
                return f"{why}Which card do you discard{self._format_left('cards')}?"
            case "take_person":
                return f"{why}Which young person do you take?"
            case _:
                return f"{why}Whose benefit do you take?"

    def _format_reason(self) -> str:
        reason = self._task.reason
        if reason is UNSET:
            return ""
        text = REASON_TEXTS.get(reason, format_name(reason).capitalize())
        return f"{text}. " if text else ""

    def _format_left(self, noun: str) -> str:
        """The number of decisions of this kind due in a row, in brackets."""
        left = self._task.left
        return "" if left is UNSET or left < 2 else f" ({format_count(left, noun)} to go)"

    def _entry(self, action: Any) -> MenuEntry:
        """The entry of an action that needs no further menu."""
        match action:
            case actions.PlacePerson(palace=int() as palace, replace=replaced):
                live = table.format_palace(self._own.palace(palace))
                if replaced is UNSET:
                    return MenuEntry(f"palace {palace}", action, f"now {live}")
                return MenuEntry(
                    f"for the {format_person(replaced.person, replaced.age)} in palace {palace}", action, live
                )
            case actions.PlacePerson():
                return MenuEntry("turn away", action, f"the {self._new_person()} leaves, and your marker stays")
            case actions.BuildFloor(palace=palace):
                if palace == self._own.next_palace:
                    return MenuEntry(f"new palace {palace}", action, "1 floor, 1 more point each round")
                floors = self._own.palace(palace).floors
                live = table.format_palace(self._own.palace(palace))
                return MenuEntry(f"palace {palace}", action, f"{floors} to {floors + 1} floors, now {live}")
            case actions.ReleasePerson(palace=palace, person=kind, age=age):
                return MenuEntry(
                    f"{format_person(kind, age)} from palace {palace}", action, self._format_use(kind, age)
                )
            case actions.LoseFloor(palace=palace):
                losing = self._own.palace(palace)
                leaves = ", and somebody in it must leave" if len(losing.persons) == losing.floors else ""
                return MenuEntry(f"palace {palace}", action, f"now {table.format_palace(losing)}{leaves}")
            case actions.GiveBack(yuan=yuan, rice=rice, fireworks=fireworks):
                left = (self._own.yuan - yuan, self._own.rice - rice, self._own.fireworks - fireworks)
                label = ", ".join(map(format_goods, (yuan, rice, fireworks), ("yuan", "rice", "fireworks")))
                return MenuEntry(label, action, "you keep {}, {} and {}".format(*left))
            case actions.DiscardCard(card=card):
                return MenuEntry(format_name(card), action)
            case actions.TakePerson(person=kind):
                return MenuEntry(f"young {format_name(kind)}", action, self._format_arrival(kind, "young"))
            case actions.ChooseType(person=kind):
                return MenuEntry(format_name(kind), action, self._format_benefit(kind))
            case _:
                raise TypeError(f"can't describe {action}")

    # -- decisions with nested menus ---------------------------------------------------------------------

    def _draft(self, legal: Sequence[actions.Draft]) -> Menu:
        """The first of two persons, then the second from those that can be combined with it."""
        pairs = {frozenset(action.persons): action for action in legal}
        entries = []
        for first in tiles.FACTS:
            seconds = [
                MenuEntry(format_name(second), pairs[frozenset((first, second))], self._format_arrival(second, "young"))
                for second in tiles.FACTS
                if frozenset((first, second)) in pairs and (second != first)
            ]
            if seconds:
                menu = Menu(f"And whom besides the young {format_name(first)}?", seconds)
                entries.append(MenuEntry(format_name(first), menu, self._format_arrival(first, "young")))
        return Menu("You begin with two young persons of different types. Who is the first?", entries)

    def _actions(self, legal: Sequence[actions.ChooseAction]) -> Iterator[MenuEntry]:
        for group, cards in groupby(legal, lambda action: action.group):
            if group is UNSET:
                more = max(0, tiles.REPLENISH_TO - self._own.yuan)
                note = f"{format_count(more, 'yuan')}, up to {tiles.REPLENISH_TO}" if more else "brings nothing now"
                yield MenuEntry("replenish", next(iter(cards)), note, "no card")
                continue
            taken = self._seen.action_groups[group].taken_by
            price = f", taken by {', '.join(self._names[seat] for seat in taken)}: costs you 3 yuan" if taken else ""
            heading = f"group {group}{price}"
            wall = []
            for action in cards:
                if action.wall_tile is not UNSET:
                    tile = action.wall_tile
                    gain = format_goods(tiles.WALL_TILES[tile], WALL_GAINS.get(tile, tile))
                    wall.append(MenuEntry(format_name(tile), action, gain))
                elif action.size is not UNSET:
                    points = format_count(tiles.PRIVILEGE_DRAGONS[action.size], "points")
                    note = f"for {tiles.PRIVILEGE_PRICE[self._edition][action.size]} yuan: {points} each round"
                    yield MenuEntry(f"privilege, {action.size}", action, note, heading)
                elif action.card is not UNSET:
                    yield MenuEntry(format_name(action.card), action, self._format_gain(action.card), heading)
            if wall:
                built = 0 if self._seen.wall is UNSET else len(self._seen.wall)
                menu = Menu("Which of your wall tiles do you build?", wall)
                yield MenuEntry("build wall", menu, f"tile {built + 1} of the Great Wall, and what it shows", heading)

    def _cards(self, legal: Sequence[actions.PlayCard]) -> Iterator[MenuEntry]:
        """The cards in hand, each with the persons that it brings; those of a wild card in a menu."""
        for card, plays in groupby(legal, lambda action: action.card):
            listed = [*plays]
            persons = [
                (play, play.person, play.age) for play in listed if play.person is not UNSET and play.age is not UNSET
            ]
            if not persons:
                yield MenuEntry(f"{format_name(card)} card", listed[0], "nobody is left to come")
            elif card == "wild":
                anybody = [
                    MenuEntry(format_person(kind, age), play, self._format_arrival(kind, age))
                    for play, kind, age in persons
                ]
                yield MenuEntry("wild card", Menu("Who comes with the wild card?", anybody), "anybody on display")
            elif len(persons) == 1:
                play, kind, age = persons[0]
                yield MenuEntry(f"{format_name(card)} card", play, f"{age}: {self._format_arrival(kind, age)}")
            else:
                for play, kind, age in persons:
                    yield MenuEntry(f"{format_name(card)} card, {age}", play, self._format_arrival(kind, age))

    # -- effects of a choice -----------------------------------------------------------------------------

    def _format_gain(self, card: ActionCard) -> str:
        kind, unit = GAINS[card]
        alone, helped = tiles.CARD_SYMBOLS[card], self._own.symbols(kind)
        persons = PLURALS.get(kind, f"{format_name(kind)}s")
        by = f" ({alone}, and {helped} by your {persons})" if helped else ""
        return f"{format_goods(alone + helped, unit)}{by}"

    def _format_arrival(self, kind: PersonType, age: Age) -> str:
        """The effects of a person, on arrival and later."""
        return f"track +{tiles.FACTS[kind][age].value}, {self._format_use(kind, age)}"

    def _format_use(self, kind: PersonType, age: Age) -> str:
        noun, use = SYMBOL_TEXTS[kind]
        return f"{format_goods(tiles.SYMBOLS[kind][age], noun)} {use}"

    def _format_benefit(self, kind: PersonType) -> str:
        if kind == "healer":
            return "nothing"
        if kind == "warrior":
            return format_goods(self._own.symbols(kind), "spaces on the person track")
        number = self._own.monk_points() if kind == "monk" else self._own.symbols(kind)
        return format_goods(number, SYMBOL_TEXTS[kind][0])

    def _new_person(self) -> str:
        task = self._task
        assert task.person is not UNSET
        assert task.age is not UNSET
        return format_person(task.person, task.age)


def format_goods(number: int, unit: str) -> str:
    """A number with its unit. Some units have no plural form."""
    if number != 1 or unit in ("yuan", "rice", "fireworks"):
        return f"{number} {unit}"
    what, on, where = unit.partition(" on ")
    return f"1 {what.removesuffix('s')}{on}{where}"
