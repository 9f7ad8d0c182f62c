"""Prudent: a sample bot of rules of thumb that looks three rounds ahead, on top of the starter kit for Python.

In the Year of the Dragon is lost by those who lose people. So every action card and every person is worth what it adds
to the answer to the next events, and only then what it earns. In The Forbidden City it plays as the starter kit.

Weights are in points. To try another one: `--vary AHEAD=1,2,3`, see docs/bots/good-change.md.
"""

import os
from collections.abc import Mapping
from typing import Any

from bot import choose_city
from messages import (
    DragonAct,
    DragonChooseAction,
    DragonObservation,
    DragonPlayCard,
    DragonPlayer,
    DragonStart,
    PersonType,
)
from wire import play

ROUNDS = 12
AHEAD = int(os.environ.get("AHEAD", "3"))
"""How many rounds it looks ahead, this one included."""
SAVED = 5
"""What it is worth not to lose a person."""
SYMBOLS = {"old pyrotechnist": 2, "old warrior": 2, "old monk": 2, "old healer": 2, "old farmer": 2, "young scholar": 2}
SYMBOLS |= {"old scholar": 3, "young tax_collector": 3}
"""The symbols on a tile; the others have one."""
HELPERS = {"taxes": "tax_collector", "build": "craftsman", "harvest": "farmer", "fireworks": "pyrotechnist"}
HELPERS |= {"military_parade": "warrior", "research": "scholar"}
"""Whose symbols add to an action card."""
PRICES = {"small": 2, "large": 7}


class Outlook:
    """The own side of the table, and what the next rounds will ask of it."""

    def __init__(self, seen: DragonObservation) -> None:
        self.seen = seen
        self.me: DragonPlayer = seen["players"][seen["seat"]]
        self.now = max(1, seen["round"])
        self.left = ROUNDS + 1 - self.now
        self.soon = seen["event_row"][self.now - 1 : self.now - 1 + AHEAD]
        self.homes = [palace for palace in self.me["palaces"] if palace["persons"]]
        self.room = sum(palace["floors"] - len(palace["persons"]) for palace in self.me["palaces"])

    def coming(self, event: str) -> int:
        """How often an event is still to strike."""
        return self.seen["event_row"][self.now - 1 :].count(event)

    def symbols(self, person: str) -> int:
        """The own symbols of this type of person."""
        tiles = [tile for palace in self.me["palaces"] for tile in palace["persons"]]
        return sum(symbols_of(tile) for tile in tiles if tile["person"] == person)

    def missing(self, event: str) -> int:
        """How many persons this event would cost if it struck now."""
        if event == "imperial_tribute":
            return max(0, 4 - self.me["yuan"])
        if event == "drought":
            return max(0, len(self.homes) - self.me["rice"])
        if event == "contagion":
            return max(0, 3 - self.symbols("healer"))
        return 0

    def spend(self, yuan: int) -> int:
        """The price in points of spending yuan: people, if a tribute comes and they are missing then."""
        short = min(yuan, max(0, 4 - (self.me["yuan"] - yuan))) if "imperial_tribute" in self.soon else 0
        return yuan // 3 + SAVED * short


def symbols_of(tile: Mapping[str, Any]) -> int:
    """The symbols that a tile shows."""
    return SYMBOLS.get(f"{tile['age']} {tile['person']}", 1)


# -- what things are worth -------------------------------------------------------------------------------------------


def action_value(action: DragonChooseAction, outlook: Outlook) -> int:
    """The points that an action card will bring, less those for which it is paid."""
    me = outlook.me
    if action["kind"] == "replenish":
        return SAVED * min(3, outlook.missing("imperial_tribute")) if "imperial_tribute" in outlook.soon else 0
    price = outlook.spend(3) if outlook.seen["action_groups"][action["group"]]["taken_by"] else 0
    card = action["card"]
    amount = 1 + outlook.symbols(HELPERS[card]) if card in HELPERS else 0
    value = 0
    if card == "taxes":
        amount += 1
        value = amount // 2 + (SAVED * min(amount, outlook.missing("imperial_tribute")) if "imperial_tribute" in outlook.soon else 0)
        value += 2 if me["yuan"] < 4 else 0
    elif card == "harvest":
        value = SAVED * min(amount, outlook.missing("drought")) if "drought" in outlook.soon else amount // 2
    elif card == "fireworks":
        value = 3 * min(amount, 2) if "dragon_festival" in outlook.soon else amount // 2
    elif card == "build":
        value = 2 * amount + (SAVED if outlook.room < 1 else 2 if outlook.room < 2 else 0) if outlook.left > 1 else 0
    elif card == "research":
        value = amount
    elif card == "military_parade":
        value = amount // 2
    elif card == "privilege":
        size = action["size"]
        value = (1 if size == "small" else 2) * outlook.left - outlook.spend(PRICES[size])
    elif card == "build_wall":
        value = 4
    return value - price


def person_value(person: PersonType, symbols: int, outlook: Outlook) -> int:
    """The points that a person will bring until the end, of which two are for being there."""
    worth = {
        "craftsman": outlook.left // 3,
        "court_lady": outlook.left,
        "tax_collector": outlook.left // 4,
        "pyrotechnist": 2 * outlook.coming("dragon_festival"),
        "warrior": 2 * outlook.coming("mongol_invasion"),
        "monk": 2,
        "healer": SAVED * outlook.coming("contagion") if outlook.missing("contagion") else 0,
        "farmer": 2 * outlook.coming("drought"),
        "scholar": outlook.left // 3,
    }
    return 2 + symbols * worth[person]


def tile_value(tile: Mapping[str, Any], outlook: Outlook) -> int:
    """The value of a person as an action names it; of one who leaves, as long as nobody else has its symbols."""
    return person_value(tile["person"], symbols_of(tile), outlook)


def card_value(action: DragonPlayCard, outlook: Outlook) -> int:
    """The value of playing a card: a wild one is worth more later."""
    return (tile_value(action, outlook) if "person" in action else 0) - (2 if action["card"] == "wild" else 0)


def place_value(action: Mapping[str, Any], outlook: Outlook) -> int:
    """A monk lives as high as possible, others fill palaces from below; otherwise the least useful person leaves."""
    turn = outlook.seen["turn"]
    if "replace" in action:
        return -tile_value(action["replace"], outlook)
    if "refuse" in action:
        return -tile_value(turn, outlook)
    floors = next(palace["floors"] for palace in outlook.me["palaces"] if palace["id"] == action["palace"])
    return floors if turn["person"] == "monk" else -floors


def choose_dragon(start: DragonStart, act: DragonAct) -> int:
    """The index of the best action in `act["legal"]`."""
    outlook = Outlook(act["observation"])
    if act["decision"] == "choose_action":
        values = [action_value(action, outlook) for action in act["legal"]]
    elif act["decision"] == "draft":
        values = [sum(person_value(person, 1, outlook) for person in action["persons"]) for action in act["legal"]]
    elif act["decision"] == "play_card":
        values = [card_value(action, outlook) for action in act["legal"]]
    elif act["decision"] == "place_person":
        values = [place_value(action, outlook) for action in act["legal"]]
    elif act["decision"] == "release_person":
        values = [-tile_value(action, outlook) for action in act["legal"]]
    elif act["decision"] == "take_person":
        values = [person_value(action["person"], 1, outlook) for action in act["legal"]]
    else:
        values = [0] * len(act["legal"])  # in the other decisions one action is as good as another
    return values.index(max(values))


if __name__ == "__main__":
    play("prudent", {"year_of_the_dragon": choose_dragon, "forbidden_city": choose_city})
