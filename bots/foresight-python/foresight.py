"""Foresight: a sample bot that values positions, not actions, on top of the starter kit for Python.

The kit has a rule for each action. This bot has one function that says what a position is worth (`value`), and one that
says what an action makes of it (`apply`); it takes the action after which the position is worth most. So every action
is weighed against every other one in the same coin, points, and a person who saves another one from an event in five
rounds is worth that without a rule of its own. It doesn't look at what it will do later: that is the next step, which
steady-python takes.

The weights are guesses. Whether others are better can be measured: docs/bots/good-change.md does so with `SOON`.
"""

import copy
import os
from typing import Any

from city import choose_city
from messages import DragonAct, DragonStart
from wire import play

Json = dict[str, Any]

ROUNDS = 12
SOON = float(os.environ.get("SOON", "0.8"))
"""An event presses this much less for each round that it is away: there is time to prepare."""
LOST = 6
"""A person who leaves: two points in the end, and what he would have brought."""
ROOM = 8
"""A floor for the next person who comes; the one after it is worth half of that."""
SPACE = 0.03
"""A space on the person track, for each round left."""
PRICES = {"small": 2, "large": 7}
CARDS = {
    "taxes": ("yuan", 2, "tax_collector"),
    "harvest": ("rice", 1, "farmer"),
    "fireworks": ("fireworks", 1, "pyrotechnist"),
    "research": ("score", 1, "scholar"),
    "military_parade": ("track", 1, "warrior"),
    "build": ("floors", 1, "craftsman"),
}
"""What an action card brings: how much by itself, and one more for each symbol of whom."""
SERVES = {"tax_collector": 0.15, "craftsman": 0.2, "scholar": 0.25, "farmer": 0.06, "pyrotechnist": 0.06}
"""What a symbol brings in a round by its action card, used from time to time."""


def symbols(tile: Json) -> int:
    """The symbols that a tile shows: old persons have one more, and so have scholars; tax collectors have three."""
    if tile["person"] == "tax_collector":
        return 3
    return 1 + int(tile["age"] == "old") + int(tile["person"] == "scholar")


def count(me: Json, person: str) -> int:
    return sum(symbols(tile) for palace in me["palaces"] for tile in palace["persons"] if tile["person"] == person)


# -- what a position is worth ----------------------------------------------------------------------------------------


def value(me: Json, seen: Json) -> float:
    """The points that this side of the table is worth in the end, if little is done from now on."""
    now = max(1, seen["round"])
    left = ROUNDS + 1 - now
    tiles = [(tile, palace) for palace in me["palaces"] for tile in palace["persons"]]
    income = sum(bool(palace["persons"]) for palace in me["palaces"]) + count(me, "court_lady")
    income += me["small_privileges"] + 2 * me["large_privileges"]
    points: float = me["score"] + left * income + 2 * len(tiles)
    points += sum(symbols(tile) * palace["floors"] for tile, palace in tiles if tile["person"] == "monk")
    points += left * sum(share * count(me, person) for person, share in SERVES.items())
    free = sum(palace["floors"] for palace in me["palaces"]) - len(tiles)
    points += ROOM * min(free, 1, left) + ROOM / 2 * min(max(free - 1, 0), 1, left)
    points += SPACE * left * me["track"]
    return points + events_ahead(me, seen, now)


def events_ahead(me: Json, seen: Json, now: int) -> float:
    """What the events to come bring and cost with the goods that are left for each, and what is left in the end."""
    rivals = [player for player in seen["players"] if player["seat"] != seen["seat"]]
    yuan: int = me["yuan"]
    rice: int = me["rice"]
    fireworks: int = me["fireworks"]
    homes = sum(bool(palace["persons"]) for palace in me["palaces"])
    warriors = count(me, "warrior")
    points = 0.0
    for away, event in enumerate(seen["event_row"][now - 1 :]):
        lost = 0
        if event == "imperial_tribute":
            lost, yuan = max(0, 4 - yuan), max(0, yuan - 4)
        elif event == "drought":
            lost, rice = max(0, homes - rice), max(0, rice - homes)
        elif event == "contagion":
            lost = max(0, 3 - count(me, "healer"))
        elif event == "mongol_invasion":
            points += warriors
            lost = int(warriors <= min(count(rival, "warrior") for rival in rivals))
        elif event == "dragon_festival" and fireworks:
            points += SOON**away * (6 if fireworks >= max(rival["fireworks"] for rival in rivals) else 3)
            fireworks -= fireworks // 2
        points -= LOST * SOON**away * lost
    return points + 0.5 * yuan + 0.6 * (rice + fireworks)


# -- what an action makes of it --------------------------------------------------------------------------------------


def apply(action: Json, me: Json, seen: Json) -> None:
    """Change the own side of the table as the action does, as far as `value` looks at it."""
    turn = seen["turn"]
    match turn["decision"]:
        case "draft":
            for person in action["persons"]:
                move_in(me, {"person": person, "age": "young"}, seen)
        case "choose_action" if action["kind"] == "replenish":
            me["yuan"] = max(3, me["yuan"])
        case "choose_action":
            me["yuan"] -= 3 if seen["action_groups"][action["group"]]["taken_by"] else 0
            use(action, me)
        case "build_floor":
            grow(me, action["palace"])
        case "play_card" | "take_person" if "person" in action:
            move_in(me, {"age": "young", **action}, seen)
            me["score"] -= 2 if action.get("card") == "wild" else 0  # it is worth more later
        case "place_person" if "palace" in action:
            palace = palace_of(me, action["palace"])
            if "replace" in action:
                remove(palace, action["replace"])
            palace["persons"].append(turn)
        case "release_person":
            remove(palace_of(me, action["palace"]), action)
        case "give_back":
            for goods in ("yuan", "rice", "fireworks"):
                me[goods] -= action[goods]


def use(action: Json, me: Json) -> None:
    """What an action card brings."""
    if action["card"] == "privilege":
        me["yuan"] -= PRICES[action["size"]]
        me[f"{action['size']}_privileges"] += 1
    elif action["card"] == "build_wall":
        me["score"] += 4
    else:
        goods, amount, helper = CARDS[action["card"]]
        amount += count(me, helper)
        if goods == "floors":
            for _ in range(amount):
                grow(me, None)
        else:
            me[goods] += amount


def grow(me: Json, number: int | None) -> None:
    """A floor more on this palace, or on a new one."""
    for palace in me["palaces"]:
        if palace["id"] == number:
            palace["floors"] += 1
            return
    me["palaces"].append({"id": number, "floors": 1, "persons": []})


def move_in(me: Json, tile: Json, seen: Json) -> None:
    """A person moves into an empty palace or the tallest one with room; without any, in place of whom it is best."""
    room = [palace for palace in me["palaces"] if len(palace["persons"]) < palace["floors"]]
    if room:
        max(room, key=lambda palace: (not palace["persons"], palace["floors"]))["persons"].append(tile)
        return
    best, swap = value(me, seen), None  # nobody makes way
    for palace in me["palaces"]:
        for place, old in enumerate(palace["persons"]):
            palace["persons"][place] = tile
            if (worth := value(me, seen)) > best:
                best, swap = worth, (palace["persons"], place)
            palace["persons"][place] = old
    if swap is not None:
        swap[0][swap[1]] = tile


def palace_of(me: Json, number: int) -> Json:
    palace: Json = next(palace for palace in me["palaces"] if palace["id"] == number)
    return palace


def remove(palace: Json, tile: Json) -> None:
    """A person leaves a palace."""
    gone = next(each for each in palace["persons"] if (each["person"], each["age"]) == (tile["person"], tile["age"]))
    palace["persons"].remove(gone)


def choose_dragon(start: DragonStart, act: DragonAct) -> int:
    """The index of the action in `act["legal"]` after which the position is worth most."""
    seen: Any = act["observation"]
    legal: Any = act["legal"]
    values = []
    for action in legal:
        me = copy.deepcopy(seen["players"][seen["seat"]])
        apply(action, me, seen)
        values.append(value(me, seen))
    return values.index(max(values))


if __name__ == "__main__":
    play("foresight", {"year_of_the_dragon": choose_dragon, "forbidden_city": choose_city})
