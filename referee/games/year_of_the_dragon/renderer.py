"""Drawing In the Year of the Dragon: the table as panels, the legal actions on it, the final scoring."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from msgspec import UNSET

from referee.games.interface import Event
from referee.games.narrator import format_count
from referee.games.presenter import MenuEntry
from referee.games.renderer import Breakdown, Choice, Panel, Renderer, Sprite
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import actions, board_panels, mat_panels, tiles
from referee.games.year_of_the_dragon.drawing import ROOM_HEIGHT, person
from referee.games.year_of_the_dragon.game import YearOfTheDragon
from referee.games.year_of_the_dragon.log import Change, EventStrikes, FinalScore
from referee.games.year_of_the_dragon.mat_panels import mat_key
from referee.games.year_of_the_dragon.narrator import format_name, format_person
from referee.games.year_of_the_dragon.outlook import look_ahead
from referee.games.year_of_the_dragon.presenter import DragonPresenter, MenuMaker
from referee.games.year_of_the_dragon.state import Palace, Player, Task
from referee.games.year_of_the_dragon.tiles import EventTile

EVENT_TINTS: Final[dict[EventTile, tuple[str, str]]] = {
    "peace": ("#DFEBD5", "#2B3A29"),
    "imperial_tribute": ("#F6E7B8", "#443A1C"),
    "drought": ("#F3DCC4", "#47331F"),
    "dragon_festival": ("#F2D5DC", "#472A33"),
    "mongol_invasion": ("#DBDFEC", "#2C3347"),
    "contagion": ("#E2DAEA", "#392F45"),
}
"""The colour of each event on light and on dark paper."""
check_complete(tiles.EVENT_TILES, EVENT_TINTS)
_LIGHT, _DARK = (" ".join(f"--{event}:{tints[paper]};" for event, tints in EVENT_TINTS.items()) for paper in (0, 1))
_TINT_CLASSES: Final = "\n".join(f".scene .tint-{event} {{ fill: var(--{event}); }}" for event in EVENT_TINTS)
DRAGON_CSS: Final = f"""
.scene {{ --young:#FFFDF6; --old:#E9DDC3; --tray:#EFEADF; --stone:#DDD6C8; --room:#F4EFE4; --form:#5A4632;
  --gone:#B3A998; {_LIGHT} }}
.dark .scene, .scene.dark {{ --young:#333A42; --old:#5A4E3A; --tray:#0F1114; --stone:#3A3F47; --room:#1C1F24;
  --form:#E2CFAF; --gone:#5C626B; {_DARK} }}
.scene .form {{ fill: var(--form); }} .scene .past .form, .scene .muted .form {{ fill: var(--gone); }}
.scene .cut {{ fill: none; stroke: var(--paper); stroke-width: 1.6; stroke-linecap: round; }}
.scene .tile-young {{ fill: var(--young); stroke: var(--quiet); }}
.scene .tile-old {{ fill: var(--old); stroke: var(--quiet); }}
.scene .tray {{ fill: var(--tray); }} .scene .room {{ fill: var(--room); }} .scene .stone {{ fill: var(--stone); }}
.scene .joint {{ stroke: var(--paper); stroke-width: 1; }} .scene text.quiet-text {{ fill: var(--muted); }}
.scene text.tight {{ letter-spacing: -.04em; }}
.scene .dashed {{ stroke: var(--quiet); stroke-dasharray: 3 3; }}
{_TINT_CLASSES}
"""
SOURCES: Final = ("palaces", "court_ladies", "privileges", "research", "dragon_festival", "mongol_invasion")
"""Sources of points during the year, by the reason of a change, that are listed even if nobody has points from them."""
SOURCE_NAMES: Final = {
    "dragon_festival": "dragon festivals",
    "mongol_invasion": "Mongol invasions",
    "great_wall": "Great Wall",
    "build_wall": "wall tiles",
}
"""Those of sources that differ from the reason. They are listed before the remaining ones."""


class DragonRenderer(Renderer[YearOfTheDragon]):
    rules = DragonPresenter.rules
    css: ClassVar[str] = DRAGON_CSS
    score = "points"

    def draw(self, game: YearOfTheDragon) -> Sequence[Panel]:
        """The year, the mats and the actions on the first screen: for a seat its own mat first, beside the actions."""
        outlook = look_ahead(game) if game.turn is not None else None
        places = game.ranking().ranks if self.places is None else self.places
        seats = sorted(range(len(self.names)), key=lambda seat: seat != self.audience)
        mats = [
            mat_panels.mat(
                game,
                seat,
                self.names[seat],
                outlook,
                places[seat] if places else None,
                is_out=seat in self.out,
                hand_shown=self._sees_hand(seat),
            )
            for seat in seats
        ]
        mats.insert(1 if isinstance(self.audience, int) else len(mats), board_panels.action_groups(game, self.names))
        return [
            board_panels.year(game, self.names),
            *mats,
            board_panels.display(game),
            board_panels.person_track(game, self.names),
        ]

    def _sees_hand(self, seat: int) -> bool:
        return self.audience in ("all", seat)

    # -- choices ------------------------------------------------------------------------------------------

    def choices(self, game: YearOfTheDragon, legal: Sequence[Any]) -> Sequence[Choice]:
        """The words of the menus that people play with, and the sprites that each action is about."""
        task = game.turn
        assert isinstance(task, Task)
        menu = MenuMaker(game.observe(task.seat), task, self.names, game.config.edition).menu(legal)
        labels: dict[Any, str] = {}
        for path, action in menu.paths():
            labels.setdefault(action, format_choice(game, path, action))
        return [self._choice(game, task, action, labels[action]) for action in legal]

    def _choice(self, game: YearOfTheDragon, task: Task, action: Any, label: str) -> Choice:
        player = game.players[task.seat]
        targets = [*self._targets(game, player, action)]
        match action:
            case actions.BuildFloor(palace=palace):
                floor = f"a floor of palace {palace}"
                ghost = Sprite(
                    key=f"ghost-floor{palace}", x=0, y=-ROOM_HEIGHT, shape=mat_panels.FLOOR_SHAPE, label=floor, z=4
                )
            case actions.PlacePerson(palace=int() as palace, replace=replaced) if replaced is UNSET:
                ghost = person_ghost(player.palace(palace), task)
            case _:
                return Choice(label=label, targets=targets)
        return Choice(label=label, targets=targets, panel=mat_key(task.seat), ghost=ghost)

    def _targets(self, game: YearOfTheDragon, player: Player, action: Any) -> Iterator[str]:
        mat = mat_key(player.seat)
        match action:
            case actions.Draft(persons=persons):
                yield from (f"display/{kind}-young" for kind in persons)
            case actions.ChooseAction(card=card, group=group, wall_tile=tile):
                if card is UNSET:
                    yield "actions/replenish"
                    return
                if tile is not UNSET:
                    yield f"{mat}/wall-{tile}"
                yield from (f"actions/card-{card}", f"actions/group{group}")
            case actions.PlacePerson(palace=int() as palace, replace=replaced) if replaced is not UNSET:
                yield from residents(player, palace, replaced)
            case actions.PlacePerson(palace=int() as palace):
                yield from palace_parts(player, palace)
            case actions.PlacePerson():
                yield f"{mat}/newcomer"
            case actions.BuildFloor(palace=palace):
                if palace == player.next_palace:
                    yield f"{mat}/site"
                else:
                    yield from palace_parts(player, palace)
            case actions.LoseFloor(palace=palace):
                yield from palace_parts(player, palace)
            case actions.ReleasePerson(palace=palace, person=kind, age=age):
                yield from residents(player, palace, tiles.TILES[kind, age])
            case actions.PlayCard(card=card, person=person, age=age):
                if person is not UNSET:
                    yield f"display/{person}-{age}"
                elif card != "wild":
                    yield f"display/{card}"
                yield from self._cards(game, player, card)
            case actions.DiscardCard(card=card):
                yield from self._cards(game, player, card)
            case actions.GiveBack(yuan=yuan, rice=rice, fireworks=fireworks):
                given = {"yuan": yuan, "rice": rice, "fireworks": fireworks}
                yield from (f"{mat}/{what}" for what, count in given.items() if count)
            case actions.TakePerson(person=person):
                yield f"display/{person}-young"
            case actions.ChooseType(person=person):
                for home in player.palaces:
                    for resident in dict.fromkeys(home.persons):
                        if resident.person == person:
                            yield from residents(player, home.id, resident)

    def _cards(self, game: YearOfTheDragon, player: Player, card: tiles.Card) -> Iterator[str]:
        """The cards of a kind in the player's hand, if it is shown."""
        if self._sees_hand(player.seat):
            for number in range(game.hands[player.seat].count(card)):
                yield f"{mat_key(player.seat)}/hand-{card}-{number}"

    # -- events and scores --------------------------------------------------------------------------------

    def marks(self, events: Sequence[Event]) -> Sequence[str]:
        return ("event",) if any(isinstance(event, EventStrikes) for event in events) else ()

    def breakdown(self, game: YearOfTheDragon) -> Breakdown | None:
        """Where the points of every player came from, over the year and in the final scoring."""
        if game.turn is not None:
            return None
        points: Counter[tuple[str, int]] = Counter()
        reasons = dict.fromkeys(SOURCES)
        finals = {"persons left": "persons", "monks left": "monks", "money left": "money"}
        for event, _ in game.log:
            if isinstance(event, Change) and event.what == "score":
                reasons[event.reason] = None
                points[event.reason, event.seat] += event.by
            elif isinstance(event, FinalScore):
                for source, part in finals.items():
                    points[source, event.seat] += getattr(event, part)
        listed = [reason for reason in dict.fromkeys((*SOURCES, *SOURCE_NAMES, *reasons)) if reason in reasons]
        return Breakdown(
            sources=[*(SOURCE_NAMES.get(reason, format_name(reason)) for reason in listed), *finals],
            points=[[points[source, seat] for seat in range(len(self.names))] for source in (*listed, *finals)],
        )


# -- choices -------------------------------------------------------------------------------------------------


def format_choice(game: YearOfTheDragon, path: Sequence[MenuEntry], action: Any) -> str:
    """An action in the words of its menu, with its effect."""
    if isinstance(action, actions.Draft):
        return " and ".join(entry.label for entry in path)
    words, note = ", ".join(entry.label for entry in path), path[-1].note
    assert game.turn is not None
    player = game.players[game.turn.seat]
    match action:
        case actions.ChooseAction(group=int() as group):
            price = f", {tiles.OCCUPIED_GROUP_PRICE} yuan to join" if game.action_groups[group].taken_by else ""
            words += f" (group {group}{price})"
        case actions.PlacePerson(palace=int() as palace_id):
            persons = [format_person(tile.person, tile.age) for tile in player.palace(palace_id).persons]
            company = f"with {', '.join(persons)}" if persons else "where nobody lives"
            return words if action.replace is not UNSET else f"{words}, {company}"
        case actions.BuildFloor(palace=palace_id):
            if palace_id == player.next_palace:
                return words
            return f"{words}, to {player.palace(palace_id).floors + 1} floors"
        case actions.LoseFloor(palace=palace_id):
            palace = player.palace(palace_id)
            leaves = ", and a person leaves" if len(palace.persons) == palace.floors else ""
            return f"{words}, to {format_count(palace.floors - 1, 'floors')}{leaves}"
    return f"{words}: {note}" if note else words


def palace_parts(player: Player, palace_id: int) -> Iterator[str]:
    """The roof and the floors of a palace."""
    mat = mat_key(player.seat)
    yield f"{mat}/palace{palace_id}"
    for floor in range(player.palace(palace_id).floors):
        yield f"{mat}/palace{palace_id}-floor{floor}"


def residents(player: Player, palace_id: int, tile: tiles.Person) -> Iterator[str]:
    """The persons of a kind in a palace."""
    for number in range(player.palace(palace_id).persons.count(tile)):
        yield f"{mat_key(player.seat)}/palace{palace_id}-{tile.person}-{tile.age}-{number}"


def person_ghost(palace: Palace, task: Task) -> Sprite:
    """A person moving in, placed from the roof of the palace."""
    assert task.person is not UNSET
    assert task.age is not UNSET
    y = ROOM_HEIGHT * (palace.floors - len(palace.persons) - 1)
    shape = person(task.person, task.age)
    return Sprite(key=f"ghost-person{palace.id}", x=0, y=y, shape=shape, label=f"into palace {palace.id}", z=4)
