"""Your bot: edit this file.

There is a function per game, listed in `GAMES` at the end. Each is given what the referee says when a game starts, and
a question (`act`), and returns the index of an action in `act["legal"]`. The strategies here give every legal action a
value and take the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is played
at random: write a `choose_NAME` for it.

`print` is safe: it writes to standard error, which the referee keeps beside the record of the game.
"""

from messages import (
    ActionCard,
    CityAct,
    CityLayTile,
    CityObservation,
    CityRoom,
    CityStart,
    CityTileInRooms,
    DragonAct,
    DragonChooseAction,
    DragonObservation,
    DragonPlacePerson,
    DragonPlayer,
    DragonStart,
    DragonTask,
    PersonType,
)
from wire import Choose, play

NAME = "{{name}}"

# -- In the Year of the Dragon ---------------------------------------------------------------------------------------

PERSON_VALUES: dict[PersonType, int] = {
    "craftsman": 4,
    "court_lady": 5,
    "tax_collector": 4,
    "pyrotechnist": 3,
    "warrior": 3,
    "monk": 4,
    "healer": 3,
    "farmer": 4,
    "scholar": 5,
}
"""How much the bot values each person."""


def choose_dragon(start: DragonStart, act: DragonAct) -> int:
    """The index of the best action in `act["legal"]`. `start["config"]` says which expansions are in play."""
    values = dragon_values(act)
    return values.index(max(values))


def dragon_values(act: DragonAct) -> list[int]:
    """The value of each legal action. What an action says depends on the kind of decision."""
    seen = act["observation"]
    if act["decision"] == "choose_action":
        return [action_value(action, seen) for action in act["legal"]]
    if act["decision"] == "draft":
        return [sum(PERSON_VALUES[person] for person in action["persons"]) for action in act["legal"]]
    if act["decision"] == "place_person":
        return [place_value(action, seen["turn"]) for action in act["legal"]]
    if act["decision"] == "play_card":  # a wild card is worth more later
        return [
            (PERSON_VALUES[action["person"]] if "person" in action else 0) - (2 if action["card"] == "wild" else 0)
            for action in act["legal"]
        ]
    if act["decision"] == "release_person":
        return [-PERSON_VALUES[action["person"]] for action in act["legal"]]
    if act["decision"] == "take_person":
        return [PERSON_VALUES[action["person"]] for action in act["legal"]]
    if act["decision"] == "give_back":
        return [-3 * action["rice"] - 2 * action["yuan"] - action["fireworks"] for action in act["legal"]]
    return [0] * len(act["legal"])  # in the other decisions one action is as good as another


def action_value(action: DragonChooseAction, seen: DragonObservation) -> int:
    """The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before."""
    me = seen["players"][seen["seat"]]
    if action["kind"] == "replenish":
        return 2 if me["yuan"] == 0 else 0
    price = 3 if seen["action_groups"][action["group"]]["taken_by"] else 0
    return card_value(action["card"], seen, me) - price


def card_value(card: ActionCard, seen: DragonObservation, me: DragonPlayer) -> int:
    """The value of an action card now: high if this round or the next one needs its goods."""
    soon = seen["event_row"][max(0, seen["round"] - 1) : seen["round"] + 1]
    room = sum(palace["floors"] - len(palace["persons"]) for palace in me["palaces"])
    if card == "build":
        return 6 if room < 2 else 2
    if card == "taxes":
        return 7 if me["yuan"] < 4 else 3
    if card == "harvest":
        return 6 if "drought" in soon and me["rice"] < len(me["palaces"]) else 1
    if card == "fireworks":
        return 5 if "dragon_festival" in soon else 1
    if card == "military_parade":
        return 4 if "mongol_invasion" in soon else 1
    if card == "privilege":
        return 4 if seen["round"] <= 4 else 0
    return 3  # research and build_wall


def place_value(action: DragonPlacePerson, turn: DragonTask) -> int:
    """A free place is best; otherwise the person of the least value leaves, or the new one stays outside."""
    if "replace" in action:
        return -PERSON_VALUES[action["replace"]["person"]]
    if "refuse" in action:
        return -PERSON_VALUES[turn["person"]]
    return 0


# -- The Forbidden City ----------------------------------------------------------------------------------------------

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The steps (dx, dy) to the neighbours in the north, east, south and west. `edges` of a tile are in this order."""


def choose_city(start: CityStart, act: CityAct) -> int:
    """The index of the best action in `act["legal"]`."""
    values = city_values(act)
    return values.index(max(values))


def city_values(act: CityAct) -> list[int]:
    """The value of each place and rotation."""
    seen = act["observation"]
    board = {(laid["x"], laid["y"]): laid for laid in seen["board"]}
    rooms = {room["id"]: room for room in seen["rooms"]}
    return [tile_value(action, seen, board, rooms) for action in act["legal"]]


def tile_value(
    action: CityLayTile,
    seen: CityObservation,
    board: dict[tuple[int, int], CityTileInRooms],
    rooms: dict[int, CityRoom],
) -> int:
    """Join big rooms in which we have the most advisors then, close them, and leave few edges open."""
    hand = seen["hand"]
    value = 0
    for side, (dx, dy) in enumerate(STEPS):
        if hand["edges"][edge_at(side, action["rotation"])] != "o":
            continue
        neighbour = board.get((action["x"] + dx, action["y"] + dy))
        if neighbour is None:
            value -= 1  # somebody has to close this edge
            continue
        edge = edge_at((side + 2) % 4, neighbour["rotation"])
        if neighbour["tile"]["edges"][edge] == "o":
            # A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
            part = edge // 2 if len(neighbour["rooms"]) == 2 else 0
            value += room_value(rooms[neighbour["rooms"][part]], seen)
    return value


def edge_at(side: int, rotation: int) -> int:
    """The index in `edges` of the side (0: north) of a tile that is turned clockwise by `rotation` quarter turns."""
    return (side + 4 - rotation) % 4


def room_value(room: CityRoom, seen: CityObservation) -> int:
    """The value of joining a room: its points to the player with the most advisors, twice if this may close it."""
    hand = seen["hand"]
    own = room["advisors"][seen["seat"]] + (hand["count"] if hand["picture"] == "advisors" else 0)
    rival = max(count for seat, count in enumerate(room["advisors"]) if seat != seen["seat"])
    points = (len(room["cells"]) + 3 * room["dragons"]) * (2 if room["open_edges"] == 1 else 1)
    return points if own > rival else -points if own < rival else 1


GAMES: dict[str, Choose] = {"year_of_the_dragon": choose_dragon, "forbidden_city": choose_city}
"""The strategy for each game."""

if __name__ == "__main__":
    play(NAME, GAMES)
