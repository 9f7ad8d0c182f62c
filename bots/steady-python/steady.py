"""Steady: a sample bot for In the Year of the Dragon, in one file and with the standard library alone.

It plans on its own board. For every legal action it plays the rest of the game there in its head, each later
choice taken by a rule of thumb, and it picks the action after which that game ends with the most points.
Rivals matter where one meets them: helmets, fireworks, the person track and the Great Wall.

It keeps nothing between decisions: all it needs stands in the observation of each `act`.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

Json = dict[str, Any]

# -- the game's facts ------------------------------------------------------------------------------------------

FACTS: Final = {
    "young craftsman": (2, 1),
    "young court_lady": (1, 1),
    "young tax_collector": (3, 3),
    "young pyrotechnist": (5, 1),
    "old pyrotechnist": (3, 2),
    "young warrior": (5, 1),
    "old warrior": (3, 2),
    "young monk": (6, 1),
    "old monk": (2, 2),
    "young healer": (4, 1),
    "old healer": (1, 2),
    "young farmer": (4, 1),
    "old farmer": (1, 2),
    "young scholar": (4, 2),
    "old scholar": (2, 3),
}
"""Each person tile: spaces its marker moves, symbols it shows."""
SPACES: Final = {tile: spaces for tile, (spaces, _) in FACTS.items()}
SYMBOLS: Final = {tile: symbols for tile, (_, symbols) in FACTS.items()}
TYPE: Final = {tile: tile.split()[1] for tile in FACTS}
LARGE_PRICE: Final = {"anniversary": 7, "first": 6}
SMALL_PRICE: Final = 2
ROUNDS: Final = 12
SUPER_ROUND: Final = 7
NEVER: Final = 99

ACT, RECRUIT, EVENT, SUPER, DECAY = range(5)
"""The stages of a round; a position is judged from one of them on."""

# -- what experience says: values in points, tuned in games of the bot against itself ---------------------------

PERSON = 4.0
"""What losing a person costs: two points in the end, and what they would have done until then."""
SOON = 0.8
"""An event that is one round further away presses this much less."""
YUAN_NOW, YUAN_PER_ROUND = 0.33, 0.08
"""A yuan: a third of a point in the end, more while there are rounds left for a privilege to pay."""
RICE = 0.5
FIREWORK = 0.5
TRACK = 0.02
LEAD = 0.5
"""Points per round for being ahead of a rival on the track, who then pays for occupied groups, not me."""
LEAD_SPAN = 6.0
"""So many spaces ahead make a lead safe."""
TRACK_PACE = 3.5
"""Spaces that a rival moves in a round."""
FIREWORKS_PACE = 0.5
"""Fireworks that the best rival adds in a round before a festival."""
HELMETS_PACE = 0.15
WALL_PACE = 0.3
TAXING, STUDYING, BUILDING = 0.2, 0.25, 0.35
HEALING, FARMING, GUARDING, ROCKETS = 4.0, 2.0, 3.0, 2.0
DELAY = 2.0
WILD = 1.0
SEAT = 2.5
FLOOR = 0.25


class Palace:
    """A palace and those who live in it."""

    __slots__ = ("floors", "id", "tiles")

    def __init__(self, number: int, floors: int, tiles: list[str]) -> None:
        self.id = number
        self.floors = floors
        self.tiles = tiles


class Board:
    """What the rules of thumb need to know of the own side of the table."""

    __slots__ = (
        "dragons", "fireworks", "hand", "palaces", "points", "rice", "symbols", "track", "wall", "wall_left", "yuan",
    )  # fmt: skip

    yuan: int
    rice: int
    fireworks: int
    dragons: int
    track: float
    points: float
    palaces: list[Palace]
    symbols: dict[str, int]
    hand: list[str]
    wall: int
    wall_left: int

    @classmethod
    def of(cls, player: Json, hand: list[str], wall: int) -> "Board":
        """The board of a player as the observation shows it."""
        board = cls()
        board.yuan, board.rice, board.fireworks = player["yuan"], player["rice"], player["fireworks"]
        board.dragons = player["small_privileges"] + 2 * player["large_privileges"]
        board.track = player["track"]
        board.points = 0.0
        board.palaces = [
            Palace(palace["id"], palace["floors"], [name(person) for person in palace["persons"]])
            for palace in player["palaces"]
        ]
        board.symbols = dict.fromkeys(TYPE.values(), 0)
        for palace in board.palaces:
            for tile in palace.tiles:
                board.symbols[TYPE[tile]] += SYMBOLS[tile]
        board.hand = list(hand)
        board.wall, board.wall_left = wall, len(player.get("wall_tiles", ()))
        return board

    def copy(self) -> "Board":
        """An independent copy."""
        twin = Board()
        twin.yuan, twin.rice, twin.fireworks, twin.dragons = self.yuan, self.rice, self.fireworks, self.dragons
        twin.track, twin.points, twin.wall, twin.wall_left = self.track, self.points, self.wall, self.wall_left
        twin.palaces = [Palace(palace.id, palace.floors, palace.tiles[:]) for palace in self.palaces]
        twin.symbols = self.symbols.copy()
        twin.hand = self.hand[:]
        return twin

    def palace(self, number: int) -> Palace:
        """The palace with this id; a new one without floors if there is none."""
        for palace in self.palaces:
            if palace.id == number:
                return palace
        palace = Palace(number, 0, [])
        self.palaces.append(palace)
        return palace

    def move_in(self, palace: Palace, tile: str) -> None:
        """A person moves in, and the marker moves on."""
        palace.tiles.append(tile)
        self.symbols[TYPE[tile]] += SYMBOLS[tile]
        self.track += SPACES[tile]

    def move_out(self, palace: Palace, tile: str) -> None:
        """A person leaves the game."""
        palace.tiles.remove(tile)
        self.symbols[TYPE[tile]] -= SYMBOLS[tile]

    def persons(self) -> int:
        """How many persons live here."""
        return sum([len(palace.tiles) for palace in self.palaces])

    def monk_points(self) -> int:
        """Buddhas times floors, for each monk."""
        if not self.symbols["monk"]:
            return 0
        return sum(
            SYMBOLS[tile] * palace.floors
            for palace in self.palaces
            for tile in palace.tiles
            if TYPE[tile] == "monk"
        )


def name(person: Json) -> str:
    """A person on the wire as a name in the tables."""
    return f"{person['age']} {person['person']}"


class Outlook:
    """What lies ahead, the same for every action under consideration: events, rivals, persons to be had."""

    def __init__(self, observation: Json, config: Json) -> None:
        self.row: list[str] = ["peace", *observation["event_row"]]
        self.super_event: str = observation["super_event"]
        self.round: int = observation["round"]
        self.large_price = LARGE_PRICE[config["edition"]]
        rivals = [player for player in observation["players"] if player["seat"] != observation["seat"]]
        self.tracks: list[float] = [player["track"] for player in rivals]
        boards = [Board.of(player, [], 0) for player in rivals]
        self.helmets = min(board.symbols["warrior"] for board in boards)
        self.fireworks = sorted({board.fireworks for board in boards}, reverse=True)
        self.wall = observation.get("wall")
        self.wall_least = 0
        if self.wall is not None:
            self.wall_least = min(self.wall.count(player["seat"]) for player in rivals)
        display = observation["display"]
        self.on_display = [tile for tile in FACTS if display[tile.split()[0]].get(TYPE[tile], 0)]
        self.until = {event: self._distances(event) for event in self.row}
        self.until.setdefault("peace", [NEVER] * (ROUNDS + 2))
        self.worth = [self._worths(max(1, r)) for r in range(ROUNDS + 2)]

    def _distances(self, event: str) -> list[int]:
        """For each round, how many rounds until this event strikes next."""
        distances = [NEVER] * (ROUNDS + 2)
        for r in range(ROUNDS, -1, -1):
            distances[r] = 0 if r and self.row[r] == event else min(NEVER, distances[r + 1] + 1)
        return distances

    def _pressure(self, event: str, r: int) -> float:
        """How much events of a kind press from round r on: 1 for each, less for those far away."""
        return sum([SOON ** (at - r) for at in range(r, ROUNDS + 1) if self.row[at] == event])

    def _worths(self, r: int) -> dict[str, float]:
        """What each tile is worth to the end of the game at round r; monks besides their palace."""
        left = ROUNDS + 1 - r
        per_symbol = {
            "craftsman": BUILDING * left,
            "court_lady": float(left),
            "tax_collector": TAXING * left * (YUAN_NOW + YUAN_PER_ROUND * left),
            "pyrotechnist": ROCKETS * self._pressure("dragon_festival", r),
            "warrior": GUARDING * self._pressure("mongol_invasion", r),
            "monk": 0.0,
            "healer": HEALING * self._pressure("contagion", r),
            "farmer": FARMING * self._pressure("drought", r),
            "scholar": STUDYING * left,
        }
        return {tile: 2 + symbols * per_symbol[TYPE[tile]] for tile, symbols in SYMBOLS.items()}


# -- rules of thumb: how the game in the head goes on -------------------------------------------------------------


def keep(outlook: Outlook, r: int, palace: Palace, tile: str) -> float:
    """What a person is worth where they live."""
    worth = outlook.worth[r][tile]
    if TYPE[tile] == "monk":
        worth += SYMBOLS[tile] * palace.floors
    return worth


def release(board: Board, outlook: Outlook, r: int, count: int) -> None:
    """The least valuable persons leave."""
    for _ in range(count):
        choices = [(keep(outlook, r, palace, tile), palace, tile) for palace in board.palaces for tile in palace.tiles]
        if not choices:
            return
        _, palace, tile = min(choices, key=lambda choice: choice[0])
        board.move_out(palace, tile)


def release_from_each(board: Board, outlook: Outlook, r: int, count: int, hit: tuple[int, ...] = ()) -> None:
    """The least valuable person leaves each of `count` palaces, those where it hurts least."""
    choices = []
    for palace in board.palaces:
        if palace.tiles and palace.id not in hit:
            tile = min(palace.tiles, key=lambda tile: keep(outlook, r, palace, tile))
            choices.append((keep(outlook, r, palace, tile) + (len(palace.tiles) == 1), palace.id, palace, tile))
    for _, _, palace, tile in sorted(choices, key=lambda choice: choice[:2])[:count]:
        board.move_out(palace, tile)


def build(board: Board, floors: int) -> None:
    """One new palace for the next person, all else onto what stands, under monks first."""
    for _ in range(floors):
        if board.hand and all(palace.tiles for palace in board.palaces):
            number = max((palace.id for palace in board.palaces), default=0) + 1
            board.palaces.append(Palace(number, 1, []))
            continue
        growing = [palace for palace in board.palaces if palace.floors < 3]
        if growing:
            best = max(growing, key=lambda palace: (sum(TYPE[tile] == "monk" for tile in palace.tiles), palace.floors))
            best.floors += 1


def settle(board: Board, outlook: Outlook, r: int, tile: str) -> None:
    """A new person moves in where it suits best, or takes the place of someone worth less."""
    room = [palace for palace in board.palaces if len(palace.tiles) < palace.floors]
    if room:
        monk = TYPE[tile] == "monk"
        palace = max(room, key=lambda palace: (palace.floors if monk else 0, not palace.tiles, -palace.floors))
        board.move_in(palace, tile)
        return
    choices = [(keep(outlook, r, palace, old), palace, old) for palace in board.palaces for old in palace.tiles]
    if choices:
        worth, palace, old = min(choices, key=lambda choice: choice[0])
        if worth < keep(outlook, r, palace, tile):
            board.move_out(palace, old)
            board.move_in(palace, tile)


def recruit(board: Board, outlook: Outlook, r: int) -> None:
    """Play the card whose person is worth most now, those first whose worth shrinks by waiting."""
    if not board.hand:
        return
    now, later = outlook.worth[r], outlook.worth[r + 1]
    wild = "wild" in board.hand
    left = ROUNDS + 1 - r
    tallest = max([palace.floors for palace in board.palaces if len(palace.tiles) < palace.floors], default=1)
    best, best_value = "", -100.0
    for tile in outlook.on_display:
        person = TYPE[tile]
        held = person in board.hand
        if not (held or wild):
            continue
        value = now[tile] + DELAY * (now[tile] - later[tile]) + SPACES[tile] * TRACK * left
        if person == "monk":
            value += SYMBOLS[tile] * tallest
        elif person == "healer":
            value -= HEALING * max(0, board.symbols["healer"] + SYMBOLS[tile] - 3)
        if not held:
            value -= WILD
        if value > best_value:
            best, best_value = tile, value
    if best:
        board.hand.remove(TYPE[best] if TYPE[best] in board.hand else "wild")
        settle(board, outlook, r, best)
    else:
        board.hand.pop()


def festival_points(outlook: Outlook, fireworks: float, rounds: int) -> float:
    """What a festival in so many rounds brings with so many fireworks."""
    if not fireworks:
        return 0
    more = min(rounds, 4) * FIREWORKS_PACE
    above = sum(1 for rival in outlook.fireworks if rival + more > fireworks)
    return (6, 3, 0)[min(above, 2)]


def cover(need: int, have: int, rounds: int) -> float:
    """What it is worth to have so much towards a need that comes in so many rounds."""
    return min(need, have) * PERSON * SOON**rounds if rounds < NEVER else 0.0


def act(board: Board, outlook: Outlook, r: int) -> None:
    """Use the action card that seems to be worth most."""
    left = ROUNDS + 1 - r
    symbols = board.symbols
    until = outlook.until
    yuan_value = YUAN_NOW + YUAN_PER_ROUND * left
    yuan = board.yuan
    tribute = until["imperial_tribute"][r] if "imperial_tribute" in until else NEVER
    drought = until["drought"][r]
    festival = until["dragon_festival"][r]
    covered = cover(4, yuan, tribute)
    best: Callable[[], None] | str = "research"
    value = 1.0 + symbols["scholar"]

    gain = 2 + symbols["tax_collector"]
    this = gain * yuan_value + cover(4, yuan + gain, tribute) - covered
    if this > value:
        best, value = "taxes", this
    gain = 1 + symbols["farmer"]
    inhabited = sum([1 for palace in board.palaces if palace.tiles])
    this = gain * RICE + cover(inhabited, board.rice + gain, drought) - cover(inhabited, board.rice, drought)
    if this > value:
        best, value = "harvest", this
    gain = 1 + symbols["pyrotechnist"]
    if festival < NEVER:
        have = board.fireworks
        more = festival_points(outlook, have + gain, festival) - festival_points(outlook, have, festival)
        this = gain * FIREWORK + more * SOON**festival
        if this > value:
            best, value = "fireworks", this
    gain = 1 + symbols["craftsman"]
    room = sum([palace.floors for palace in board.palaces]) - board.persons()
    seats = min(gain, max(0, min(len(board.hand), 3) - room))
    this = seats * SEAT + gain * FLOOR + (left if board.hand and inhabited == len(board.palaces) else 0)
    if this > value:
        best, value = "build", this
    for size, price in ((1, SMALL_PRICE), (2, outlook.large_price)):
        if price <= yuan:
            this = size * left - price * YUAN_NOW + cover(4, yuan - price, tribute) - covered
            if this > value:
                best, value = f"privilege {size}", this
    this = (1 + symbols["warrior"]) * TRACK * left
    if this > value:
        best, value = "military_parade", this
    if board.wall_left and outlook.wall is not None and 4.0 > value:
        best = "build_wall"
    carry_out(board, outlook, best)


def carry_out(board: Board, outlook: Outlook, card: str) -> None:
    """What an action card brings."""
    symbols = board.symbols
    match card:
        case "taxes":
            board.yuan += 2 + symbols["tax_collector"]
        case "build":
            build(board, 1 + symbols["craftsman"])
        case "harvest":
            board.rice += 1 + symbols["farmer"]
        case "fireworks":
            board.fireworks += 1 + symbols["pyrotechnist"]
        case "military_parade":
            board.track += 1 + symbols["warrior"]
        case "research":
            board.points += 1 + symbols["scholar"]
        case "privilege 1":
            board.yuan -= SMALL_PRICE
            board.dragons += 1
        case "privilege 2":
            board.yuan -= outlook.large_price
            board.dragons += 2
        case "build_wall":
            build_wall(board, "points")


def build_wall(board: Board, tile: str) -> None:
    """A tile for the Great Wall, and what it shows."""
    board.wall += 1
    board.wall_left -= 1
    match tile:
        case "points":
            board.points += 3
        case "yuan":
            board.yuan += 2
        case "rice":
            board.rice += 1
        case "fireworks":
            board.fireworks += 1
        case "person_track":
            board.track += 3
        case "palace":
            build(board, 1)


# -- events -------------------------------------------------------------------------------------------------------


def strike(board: Board, outlook: Outlook, r: int, event: str) -> None:
    """An event as it hits the own board."""
    ahead = r - outlook.round
    match event:
        case "imperial_tribute":
            paid = min(4, board.yuan)
            board.yuan -= paid
            release(board, outlook, r, 4 - paid)
        case "drought":
            inhabited = sum([1 for palace in board.palaces if palace.tiles])
            paid = min(inhabited, board.rice)
            board.rice -= paid
            if paid < inhabited:
                release_from_each(board, outlook, r, inhabited - paid)
        case "dragon_festival":
            points = festival_points(outlook, board.fireworks, ahead)
            if points:
                board.points += points
                board.fireworks //= 2
        case "mongol_invasion":
            board.points += board.symbols["warrior"]
            if board.symbols["warrior"] <= outlook.helmets + HELMETS_PACE * ahead:
                release(board, outlook, r, 1)
        case "contagion":
            release(board, outlook, r, max(0, 3 - board.symbols["healer"]))


def score_wall(board: Board, outlook: Outlook, r: int) -> None:
    """The Great Wall, if it grows on as it did, where it is scored in round r."""
    ahead = r - outlook.round
    rivals = len(outlook.tracks)
    others = len(outlook.wall or ()) - board.wall
    if others + board.wall + ahead * WALL_PACE * rivals >= r:
        board.points += board.wall
    elif board.wall <= outlook.wall_least + WALL_PACE * ahead:
        release(board, outlook, r, 1)


def strike_super(board: Board, outlook: Outlook, r: int) -> None:
    """The super event as it hits the own board."""
    match outlook.super_event:
        case "lanternfest":
            board.points += 2 * board.persons()
        case "buddha":
            board.points += board.monk_points()
        case "earthquake":
            shake(board, outlook, r, 2)
        case "flood":
            total = board.yuan + board.rice + board.fireworks
            for _ in range(total // 2):
                goods = max(("yuan", "rice", "fireworks"), key=lambda goods: getattr(board, goods))
                setattr(board, goods, getattr(board, goods) - 1)
        case "solar_eclipse":
            strike(board, outlook, r, outlook.row[r])
        case "tornado":
            del board.hand[:2]
        case "sunrise":
            board.hand.append("wild")
            recruit(board, outlook, r)
        case "assassination":
            board.dragons = 0
        case "charter":
            symbols = board.symbols
            board.points += max(board.monk_points(), symbols["scholar"], symbols["court_lady"], symbols["craftsman"] * 2)


def shake(board: Board, outlook: Outlook, r: int, floors: int) -> None:
    """Floors are lost: empty ones first, then those whose loss costs least."""
    for _ in range(floors):
        standing = [palace for palace in board.palaces if palace.floors]
        if not standing:
            return
        palace = min(standing, key=lambda palace: (len(palace.tiles) == palace.floors, palace.floors == 1, palace.floors))
        if len(palace.tiles) == palace.floors:
            board.move_out(palace, min(palace.tiles, key=lambda tile: keep(outlook, r, palace, tile)))
        palace.floors -= 1
        if not palace.floors:
            board.palaces.remove(palace)


# -- judging --------------------------------------------------------------------------------------------------------


def lead(board: Board, outlook: Outlook, r: int) -> float:
    """What the place on the person track is worth in round r."""
    pace = TRACK_PACE * (r - outlook.round)
    total = 0.0
    for track in outlook.tracks:
        ahead = (board.track - track - pace) / LEAD_SPAN
        total += 1.0 if ahead > 1 else -1.0 if ahead < -1 else ahead
    return total * LEAD


def play_on(board: Board, outlook: Outlook, stage: int) -> float:
    """Play the rest of the game on this board by the rules of thumb; the points it ends with."""
    points = 0.0
    for r in range(max(1, outlook.round), ROUNDS + 1):
        if stage <= ACT:
            points += lead(board, outlook, r)
            act(board, outlook, r)
        if stage <= RECRUIT:
            recruit(board, outlook, r)
        if stage <= EVENT:
            strike(board, outlook, r, outlook.row[r])
            if outlook.wall is not None and outlook.row[r] == "mongol_invasion":
                score_wall(board, outlook, r)
        if stage <= SUPER and r == SUPER_ROUND:
            strike_super(board, outlook, r)
        for palace in board.palaces:
            if not palace.tiles:
                palace.floors -= 1
        board.palaces = [palace for palace in board.palaces if palace.floors]
        points += len(board.palaces) + board.symbols["court_lady"] + board.dragons
        stage = ACT
    if outlook.wall is not None:
        score_wall(board, outlook, ROUNDS)
    points += 2 * board.persons() + board.monk_points()
    return points + board.points + (board.yuan + 2 * board.rice + 2 * board.fireworks) / 3


# -- the decisions --------------------------------------------------------------------------------------------------


def after(board: Board, outlook: Outlook, task: Json, action: Json) -> int:
    """Carry out a legal action on the board; the stage from which the round goes on."""
    r = max(1, outlook.round)
    left: int = task.get("left", 1) - 1
    reason: str = task.get("reason", "")
    match task["decision"]:
        case "draft":
            for person in action["persons"]:
                settle(board, outlook, r, f"young {person}")
            return ACT
        case "choose_action":
            if action["kind"] == "replenish":
                board.yuan = max(3, board.yuan)
            else:
                choose_card(board, outlook, action)
            return RECRUIT
        case "build_floor":
            board.palace(action["palace"]).floors += 1
            build(board, left)
            return DECAY if reason == "charter" else RECRUIT
        case "play_card":
            board.hand.remove(action["card"])
            if "person" in action:
                settle(board, outlook, r, name(action))
            return EVENT
        case "place_person":
            place(board, name(task), action)
            return {"draft": ACT, "sunrise": DECAY}.get(reason, EVENT)
        case "release_person":
            board.move_out(board.palace(action["palace"]), name(action))
            if "hit" in task:
                release_from_each(board, outlook, r, left, (*task["hit"], action["palace"]))
            else:
                release(board, outlook, r, left)
            return SUPER
        case "lose_floor":
            palace = board.palace(action["palace"])
            if len(palace.tiles) == palace.floors:
                board.move_out(palace, min(palace.tiles, key=lambda tile: keep(outlook, r, palace, tile)))
            palace.floors -= 1
            board.palaces = [palace for palace in board.palaces if palace.floors]
            shake(board, outlook, r, left)
        case "give_back":
            board.yuan -= action["yuan"]
            board.rice -= action["rice"]
            board.fireworks -= action["fireworks"]
        case "discard_card":
            board.hand.remove(action["card"])
            del board.hand[:left]
        case "take_person":
            settle(board, outlook, r, f"young {action['person']}")
        case "choose_type":
            take_benefit(board, action["person"])
    return DECAY


def choose_card(board: Board, outlook: Outlook, action: Json) -> None:
    """An action card of a group, with its price if somebody is there."""
    if outlook.occupied[action["group"]]:
        board.yuan -= 3
    if action["card"] == "privilege":
        carry_out(board, outlook, "privilege 1" if action["size"] == "small" else "privilege 2")
    elif action["card"] == "build_wall":
        build_wall(board, action["wall_tile"])
    else:
        carry_out(board, outlook, action["card"])


def place(board: Board, tile: str, action: Json) -> None:
    """A person moves in as the action says, or is sent away."""
    if "palace" not in action:
        return
    palace = board.palace(action["palace"])
    if "replace" in action:
        board.move_out(palace, name(action["replace"]))
    board.move_in(palace, tile)


def take_benefit(board: Board, person: str) -> None:
    """What the charter grants for one type of person."""
    symbols = board.symbols[person]
    match person:
        case "craftsman":
            build(board, symbols)
        case "court_lady" | "scholar":
            board.points += symbols
        case "tax_collector":
            board.yuan += symbols
        case "pyrotechnist":
            board.fireworks += symbols
        case "farmer":
            board.rice += symbols
        case "monk":
            board.points += board.monk_points()
        case "warrior":
            board.track += symbols


def choose(observation: Json, legal: list[Json], config: Json) -> int:
    """The place in `legal` of the action after which the game in the head ends best."""
    outlook = Outlook(observation, config)
    outlook.occupied = [bool(group["taken_by"]) for group in observation["action_groups"]]
    seat = observation["seat"]
    start = Board.of(observation["players"][seat], observation["hand"], (outlook.wall or []).count(seat))
    values = []
    for action in legal:
        board = start.copy()
        stage = after(board, outlook, observation["turn"], action)
        values.append(play_on(board, outlook, stage))
    return values.index(max(values))


# -- the wire -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer: Json = {"type": "ready", "protocol": 1, "name": "steady", "options": {"events": False}}
        elif message["type"] == "start":
            start, rng = message, random.Random(message["bot_seed"])
            continue
        elif message["type"] == "act":
            known = start["game"] == "year_of_the_dragon"
            legal = message["legal"]
            index = choose(message["observation"], legal, start["config"]) if known else rng.randrange(len(legal))
            answer = {"type": "action", "id": message["id"], "index": index}
        elif message["type"] == "quit":
            break
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
