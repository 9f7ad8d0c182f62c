"""Steady: a sample bot for In the Year of the Dragon, in one file and with the standard library alone.

It simulates its own board. For every legal action it simulates the rest of the game, in which each later decision is
taken by a heuristic, and it chooses the action after which the simulation ends with the most points. Rivals are taken
into account where they interact with it: helmets, fireworks, the person track, the Great Wall.

It has no state between decisions: everything it needs is in the observation of each `act`.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

Json = dict[str, Any]

# -- the game as tables ----------------------------------------------------------------------------------------

PERSONS: Final = {
    "craftsman": [("young", 2, 1)],
    "court_lady": [("young", 1, 1)],
    "tax_collector": [("young", 3, 3)],
    "pyrotechnist": [("young", 5, 1), ("old", 3, 2)],
    "warrior": [("young", 5, 1), ("old", 3, 2)],
    "monk": [("young", 6, 1), ("old", 2, 2)],
    "healer": [("young", 4, 1), ("old", 1, 2)],
    "farmer": [("young", 4, 1), ("old", 1, 2)],
    "scholar": [("young", 4, 2), ("old", 2, 3)],
}
"""The tiles of each type of person: how far they move the marker, how many symbols they show."""
TYPE: Final = {f"{age} {person}": person for person, tiles in PERSONS.items() for age, _, _ in tiles}
SPACES: Final = {f"{age} {person}": n for person, tiles in PERSONS.items() for age, n, _ in tiles}
SYMBOLS: Final = {f"{age} {person}": n for person, tiles in PERSONS.items() for age, _, n in tiles}
CARDS: Final = {
    "taxes": ("yuan", 2, "tax_collector"),
    "build": ("floors", 1, "craftsman"),
    "harvest": ("rice", 1, "farmer"),
    "fireworks": ("fireworks", 1, "pyrotechnist"),
    "military_parade": ("track", 1, "warrior"),
    "research": ("points", 1, "scholar"),
}
"""What an action card brings: how much by itself, and one more for each symbol of whom."""
CHARTER: Final = {person: goods for goods, _, person in CARDS.values()} | {"court_lady": "points"}
WALL: Final = {"palace": ("floors", 1), "yuan": ("yuan", 2), "person_track": ("track", 3), "points": ("points", 3)}
"""What a wall tile brings; the others one tile of what they are called."""
PRICES: Final = {"anniversary": {"small": 2, "large": 7}, "first": {"small": 2, "large": 6}}
DRAGONS: Final = {"small": 1, "large": 2}
EVENTS: Final = ("imperial_tribute", "drought", "dragon_festival", "mongol_invasion", "contagion")
ROUNDS, SUPER_ROUND, NEVER = 12, 7, 99
ACT, RECRUIT, EVENT, SUPER, DECAY = range(5)
"""The stages of a round, at which a simulation may begin."""

# -- weights, in points, tuned in games of the bot against itself -------------------------------------------------

PERSON = 6.0  # to lose a person: two points in the end, and what they would have brought until then
SOON = 0.85  # an event presses this much less for every round that it is further away
YUAN, YUAN_PER_ROUND = 0.33, 0.11  # a third of a point in the end; more while a privilege has time to pay
GOODS = 0.5  # rice or fireworks beyond need, sold for two yuan in the end
SEAT, FLOOR = 2.5, 0.25  # a floor for a person without one; any other floor
WALL_TILE = 4.0  # what it shows, and its points later
LEAD, LEAD_SPAN = 1.6, 6.0  # being ahead of a rival for a round, who then pays; a safe distance
SPACE = 0.02  # a space on the person track, per round left, where a rule of thumb has to choose
TRACK_PACE, FIREWORKS_PACE, HELMETS_PACE, WALL_PACE = 2.7, 0.5, 0.15, 0.3  # what rivals add in a round
TAXES, RESEARCH, BUILD = 0.2, 0.35, 0.35  # a coin (in yuan), a book, a hammer, per round: how often they serve
ROCKET, HELMET, MORTAR, SACK = 1.5, 1.5, 4.0, 2.0  # a symbol when the event that it answers strikes
HASTE = 1.5  # how much it counts that a person is worth less next round: ladies first, healers just in time
WILD = 1.0  # a wild card is worth keeping
CANDIDATES = 6  # the number of persons that are tried after an action


class Palace:
    __slots__ = ("floors", "id", "tiles")

    def __init__(self, number: int, floors: int, tiles: list[str]) -> None:
        self.id, self.floors, self.tiles = number, floors, tiles


class Board:
    """What counts of the own side of the table, `points` being those won from now on."""

    __slots__ = ("dragons", "fireworks", "hand", "palaces", "points", "rice", "symbols", "track", "wall", "yuan")

    def __init__(self, player: Json, hand: Sequence[str] = (), wall: int = 0) -> None:
        self.yuan: int = player["yuan"]
        self.rice: int = player["rice"]
        self.fireworks: int = player["fireworks"]
        self.dragons: int = player["small_privileges"] + 2 * player["large_privileges"]
        self.track: int = player["track"]
        self.points = 0.0
        self.wall = wall
        self.hand = list(hand)
        self.palaces = [Palace(p["id"], p["floors"], [name(tile) for tile in p["persons"]]) for p in player["palaces"]]
        self.symbols = dict.fromkeys(TYPE.values(), 0)
        for palace in self.palaces:
            for tile in palace.tiles:
                self.symbols[TYPE[tile]] += SYMBOLS[tile]

    def copy(self) -> "Board":
        twin = Board.__new__(Board)
        twin.yuan, twin.rice, twin.fireworks, twin.dragons = self.yuan, self.rice, self.fireworks, self.dragons
        twin.track, twin.points, twin.wall, twin.hand = self.track, self.points, self.wall, self.hand[:]
        twin.palaces = [Palace(palace.id, palace.floors, palace.tiles[:]) for palace in self.palaces]
        twin.symbols = self.symbols.copy()
        return twin

    def palace(self, number: int) -> Palace:
        """The palace with this id, without floors yet if it is a new one."""
        for palace in self.palaces:
            if palace.id == number:
                return palace
        self.palaces.append(Palace(number, 0, []))
        return self.palaces[-1]

    def persons(self) -> int:
        return sum([len(palace.tiles) for palace in self.palaces])

    def monk_points(self) -> int:
        """Buddhas times floors, for each monk."""
        return sum(SYMBOLS[t] * p.floors for p in self.palaces for t in p.tiles if TYPE[t] == "monk")

    def move_in(self, palace: Palace, tile: str) -> None:
        """A person moves in, and the marker moves on."""
        palace.tiles.append(tile)
        self.symbols[TYPE[tile]] += SYMBOLS[tile]
        self.track += SPACES[tile]

    def move_out(self, palace: Palace, tile: str) -> None:
        palace.tiles.remove(tile)
        self.symbols[TYPE[tile]] -= SYMBOLS[tile]

    def gain(self, goods: str, amount: int) -> None:
        """Yuan, rice, fireworks, points, spaces on the track, or floors to build."""
        if goods == "floors":
            self.build(amount)
        else:
            setattr(self, goods, getattr(self, goods) + amount)

    def build(self, floors: int) -> None:
        """A new palace for the next person to come, other floors onto existing palaces, with monks first."""
        for _ in range(floors):
            growing = [palace for palace in self.palaces if palace.floors < 3]
            if not growing or (self.hand and all(palace.tiles for palace in self.palaces)):
                self.palaces.append(Palace(1 + max([palace.id for palace in self.palaces], default=0), 1, []))
            else:
                max(growing, key=lambda p: (sum(TYPE[t] == "monk" for t in p.tiles), p.floors)).floors += 1

    def lose_floor(self, palace: Palace, worth: Callable[[Palace, str], float]) -> None:
        """Remove a floor, and a person who no longer fits."""
        if len(palace.tiles) == palace.floors:
            self.move_out(palace, min(palace.tiles, key=lambda tile: worth(palace, tile)))
        palace.floors -= 1
        if not palace.floors:
            self.palaces.remove(palace)


def name(person: Json) -> str:
    """A person of the wire as the tables call them."""
    return f"{person['age']} {person['person']}"


class Outlook:
    """What lies ahead, the same for every action that is weighed: events, rivals, persons to be had."""

    def __init__(self, observation: Json, config: Json) -> None:
        seat: int = observation["seat"]
        rivals = [player for player in observation["players"] if player["seat"] != seat]
        boards = [Board(rival) for rival in rivals]
        self.now: int = max(1, observation["round"])
        self.row: list[str] = ["peace", *observation["event_row"]]
        self.super_event: str = observation["super_event"]
        self.prices = PRICES[config["edition"]]
        self.occupied = [bool(group["taken_by"]) for group in observation["action_groups"]]
        self.tracks: list[int] = [rival["track"] for rival in rivals]
        self.helmets = min(board.symbols["warrior"] for board in boards)
        self.fireworks = sorted({board.fireworks for board in boards}, reverse=True)
        self.wall: list[int] | None = observation.get("wall")
        self.own_wall = (self.wall or []).count(seat)
        self.min_wall_tiles = min((self.wall or []).count(rival["seat"]) for rival in rivals)
        self.tiles = [tile for tile in SPACES if observation["display"][tile.split()[0]].get(TYPE[tile])]
        self.until = {event: self._until(event) for event in EVENTS}
        self.worths = [self._worths(r) for r in range(ROUNDS + 2)]

    def _until(self, event: str) -> list[int]:
        """For each round, how many rounds until this event strikes next."""
        strikes = [r for r in range(1, ROUNDS + 1) if self.row[r] == event]
        return [min((at - r for at in strikes if at >= r), default=NEVER) for r in range(ROUNDS + 2)]

    def _worths(self, r: int) -> dict[str, float]:
        """What each tile is worth from round r to the end; for monks the palace comes on top."""
        left = ROUNDS + 1 - r

        def when(event: str) -> float:
            return sum(SOON ** (at - r) for at in range(r, ROUNDS + 1) if self.row[at] == event)

        symbol = {
            "craftsman": BUILD * left,
            "court_lady": left,
            "tax_collector": TAXES * left * (YUAN + YUAN_PER_ROUND * left),
            "pyrotechnist": ROCKET * when("dragon_festival"),
            "warrior": HELMET * when("mongol_invasion"),
            "monk": 0,
            "healer": MORTAR * when("contagion"),
            "farmer": SACK * when("drought"),
            "scholar": RESEARCH * left,
        }
        return {tile: 2 + symbols * symbol[TYPE[tile]] for tile, symbols in SYMBOLS.items()}

    def worth(self, r: int) -> Callable[[Palace, str], float]:
        """What a person is worth in a palace in round r."""
        worths = self.worths[r]
        return lambda palace, tile: worths[tile] + (SYMBOLS[tile] * palace.floors if TYPE[tile] == "monk" else 0)

    def lead(self, board: Board, r: int) -> float:
        """What the place on the person track is worth in round r; an eruption leaves nobody ahead."""
        erupted = self.super_event == "volcanic_eruption" and self.now <= SUPER_ROUND < r
        pace = TRACK_PACE * (r - (SUPER_ROUND + 1 if erupted else self.now))
        leads = [(board.track - pace - (0 if erupted else track)) / LEAD_SPAN for track in self.tracks]
        return LEAD * sum([max(-1.0, min(1.0, lead)) for lead in leads])

    def festival(self, fireworks: int, rounds: int) -> int:
        """The points of a festival in a number of rounds, as rivals collect fireworks too."""
        if not fireworks:
            return 0
        more = FIREWORKS_PACE * min(rounds, 4)
        return (6, 3, 0)[min(2, sum([1 for rival in self.fireworks if rival + more > fireworks]))]


# -- heuristics: the decisions of the simulation -----------------------------------------------------------------


def release(board: Board, outlook: Outlook, r: int, count: int, hit: list[int] | None = None) -> None:
    """The persons worth least leave; in a drought none from a palace that is in `hit` already."""
    worth = outlook.worth(r)
    for _ in range(count):
        homes = [(palace, tile) for palace in board.palaces if palace.id not in (hit or ()) for tile in palace.tiles]
        if not homes:
            return
        palace, tile = min(homes, key=lambda home: worth(*home))
        board.move_out(palace, tile)
        if hit is not None:
            hit.append(palace.id)


def settle(board: Board, outlook: Outlook, r: int, tile: str) -> None:
    """Place a new person in the best palace, or in place of a person of less value."""
    room = [palace for palace in board.palaces if len(palace.tiles) < palace.floors]
    if room:
        monk = TYPE[tile] == "monk"
        board.move_in(max(room, key=lambda p: (monk and p.floors, not p.tiles, -p.floors)), tile)
        return
    worth = outlook.worth(r)
    homes = [(palace, old) for palace in board.palaces for old in palace.tiles]
    palace, old = min(homes, key=lambda home: worth(*home), default=(None, ""))
    if palace and worth(palace, old) < worth(palace, tile):
        board.move_out(palace, old)
        board.move_in(palace, tile)


def candidates(board: Board, outlook: Outlook, r: int) -> list[tuple[str, str]]:
    """Persons to be had, each with the card it takes (its own, or else a wild one), the best first.

    Those come early who are worth less by waiting: ladies at once, healers just in time.
    """
    now, later, left = outlook.worths[r], outlook.worths[r + 1], ROUNDS + 1 - r
    tallest = max([p.floors for p in board.palaces if len(p.tiles) < p.floors], default=1)
    spare = board.symbols["healer"] - 3

    def value(offer: tuple[str, str]) -> float:
        tile, card = offer
        value = now[tile] + HASTE * (now[tile] - later[tile]) + SPACES[tile] * SPACE * left
        if TYPE[tile] == "monk":
            value += SYMBOLS[tile] * tallest
        elif TYPE[tile] == "healer":
            value -= MORTAR * max(0, spare + SYMBOLS[tile])
        return value - WILD if card == "wild" else value

    offers = [(tile, TYPE[tile] if TYPE[tile] in board.hand else "wild") for tile in outlook.tiles]
    return sorted([offer for offer in offers if offer[1] in board.hand], key=value, reverse=True)


def recruit(board: Board, outlook: Outlook, r: int, place: int = 0) -> None:
    """Play the card for the best candidate, or for the one at this place among them."""
    offers = candidates(board, outlook, r)
    if offers:
        tile, card = offers[place]
        board.hand.remove(card)
        settle(board, outlook, r, tile)


def cover(need: int, have: int, rounds: int) -> float:
    """The value of an amount towards a need that arises in a number of rounds."""
    return min(need, have) * PERSON * SOON**rounds if rounds < NEVER else 0.0


def act(board: Board, outlook: Outlook, r: int) -> None:
    """Use the action card that seems to be worth most."""
    left = ROUNDS + 1 - r
    tribute, drought, festival = [outlook.until[event][r] for event in EVENTS[:3]]
    gains = {card: base + board.symbols[person] for card, (_, base, person) in CARDS.items()}
    inhabited = len([palace for palace in board.palaces if palace.tiles])
    homeless = board.persons() + min(len(board.hand), 3) - sum([palace.floors for palace in board.palaces])

    def purse(yuan: int) -> float:
        return yuan * (YUAN + YUAN_PER_ROUND * left) + cover(4, yuan, tribute)

    def pantry(rice: int) -> float:
        return rice * GOODS + cover(inhabited, rice, drought)

    def rockets(fireworks: int) -> float:
        return fireworks * GOODS + outlook.festival(fireworks, festival) * SOON**festival

    values = {
        "taxes": purse(board.yuan + gains["taxes"]) - purse(board.yuan),
        "build": gains["build"] * FLOOR + SEAT * max(0, min(gains["build"], homeless)),
        "harvest": pantry(board.rice + gains["harvest"]) - pantry(board.rice),
        "fireworks": rockets(board.fireworks + gains["fireworks"]) - rockets(board.fireworks),
        "military_parade": gains["military_parade"] * SPACE * left,
        "research": gains["research"],
        "build_wall": WALL_TILE if outlook.wall is not None and board.wall < 6 else 0.0,
    }
    if board.hand and inhabited == len(board.palaces):
        values["build"] += left
    for size, price in outlook.prices.items():
        if price <= board.yuan:
            values[size] = DRAGONS[size] * left + purse(board.yuan - price) - purse(board.yuan)
    card = max(values, key=values.__getitem__)
    use(board, outlook, *(("privilege", card) if card in DRAGONS else (card, "points")))


def use(board: Board, outlook: Outlook, card: str, choice: str) -> None:
    """What an action card brings; `choice` is the size of a privilege, or the tile for the Great Wall."""
    if card == "privilege":
        board.yuan -= outlook.prices[choice]
        board.dragons += DRAGONS[choice]
    elif card == "build_wall":
        board.wall += 1
        board.gain(*WALL.get(choice, (choice, 1)))
    else:
        goods, base, person = CARDS[card]
        board.gain(goods, base + board.symbols[person])


# -- events and scoring ------------------------------------------------------------------------------------------


def strike(board: Board, outlook: Outlook, r: int, event: str) -> None:
    """Carry out an event, with rivals as they are expected to be then."""
    ahead = r - outlook.now
    match event:
        case "imperial_tribute":
            release(board, outlook, r, max(0, 4 - board.yuan))
            board.yuan = max(0, board.yuan - 4)
        case "drought":
            inhabited = len([palace for palace in board.palaces if palace.tiles])
            release(board, outlook, r, max(0, inhabited - board.rice), [])
            board.rice = max(0, board.rice - inhabited)
        case "dragon_festival":
            points = outlook.festival(board.fireworks, ahead)
            board.points += points
            board.fireworks //= 2 if points else 1
        case "mongol_invasion":
            board.points += board.symbols["warrior"]
            if board.symbols["warrior"] <= outlook.helmets + HELMETS_PACE * ahead:
                release(board, outlook, r, 1)
        case "contagion":
            release(board, outlook, r, max(0, 3 - board.symbols["healer"]))


def score_wall(board: Board, outlook: Outlook, r: int) -> None:
    """The Great Wall where it is scored, if rivals go on building it."""
    if outlook.wall is None:
        return
    ahead = WALL_PACE * (r - outlook.now)
    if len(outlook.wall) - outlook.own_wall + board.wall + ahead * len(outlook.tracks) >= r:
        board.points += board.wall
    elif board.wall <= outlook.min_wall_tiles + ahead:
        release(board, outlook, r, 1)


def strike_super(board: Board, outlook: Outlook, r: int) -> None:
    """The super event: of a flood, a half of each; of the charter, the most points at once."""
    match outlook.super_event:
        case "lanternfest":
            board.points += 2 * board.persons()
        case "buddha":
            board.points += board.monk_points()
        case "earthquake":
            shake(board, outlook, r, 2)
        case "flood":
            board.yuan, board.rice, board.fireworks = board.yuan // 2, board.rice // 2, board.fireworks // 2
        case "solar_eclipse":
            strike(board, outlook, r, outlook.row[r])
        case "volcanic_eruption":
            board.track = 0
        case "tornado":
            del board.hand[:2]
        case "sunrise":
            board.hand.append("wild")
            recruit(board, outlook, r)
        case "assassination":
            board.dragons = 0
        case "charter":
            board.points += max(board.monk_points(), board.symbols["scholar"], board.symbols["court_lady"])


def shake(board: Board, outlook: Outlook, r: int, floors: int) -> None:
    """Floors are lost, empty ones first, and rather from tall palaces than a whole one."""
    for _ in range(min(floors, sum(palace.floors for palace in board.palaces))):
        palace = min(board.palaces, key=lambda p: (len(p.tiles) == p.floors, p.floors == 1, board.monk_points()))
        board.lose_floor(palace, outlook.worth(r))


def play_on(board: Board, outlook: Outlook, stage: int) -> float:
    """Simulate the game from this stage to its end with the heuristics. Returns the expected points."""
    lead = 0.0
    for r in range(outlook.now, ROUNDS + 1):
        if stage <= ACT:
            lead += outlook.lead(board, r)
            act(board, outlook, r)
        if stage <= RECRUIT:
            recruit(board, outlook, r)
        if stage <= EVENT:
            strike(board, outlook, r, outlook.row[r])
            if outlook.row[r] == "mongol_invasion":
                score_wall(board, outlook, r)
        if stage <= SUPER and r == SUPER_ROUND:
            strike_super(board, outlook, r)
        for palace in board.palaces:
            palace.floors -= not palace.tiles
        board.palaces = [palace for palace in board.palaces if palace.floors > 0]
        board.points += len(board.palaces) + board.symbols["court_lady"] + board.dragons
        stage = ACT
    score_wall(board, outlook, ROUNDS)
    money = board.yuan + 2 * (board.rice + board.fireworks)
    return lead + board.points + 2 * board.persons() + board.monk_points() + money / 3


# -- the decisions -----------------------------------------------------------------------------------------------


def carry_out(board: Board, outlook: Outlook, task: Json, action: Json) -> int:
    """Apply a legal action to the board. Returns the stage at which the simulation continues."""
    left: int = task.get("left", 1) - 1
    reason: str = task.get("reason", "")
    match task["decision"]:
        case "draft" | "take_person":
            for person in action.get("persons") or [action["person"]]:
                settle(board, outlook, outlook.now, f"young {person}")
            return ACT if "persons" in action else DECAY
        case "choose_action":
            if action["kind"] == "replenish":
                board.yuan = max(3, board.yuan)
            else:
                board.yuan -= 3 if outlook.occupied[action["group"]] else 0
                use(board, outlook, action["card"], action.get("size") or action.get("wall_tile", ""))
            return RECRUIT
        case "build_floor":
            board.palace(action["palace"]).floors += 1
            board.build(left)
            return DECAY if reason == "charter" else RECRUIT
        case "play_card":
            board.hand.remove(action["card"])
            if "person" in action:
                settle(board, outlook, outlook.now, name(action))
            return EVENT
        case "place_person":
            if "replace" in action:
                board.move_out(board.palace(action["palace"]), name(action["replace"]))
            if "palace" in action:
                board.move_in(board.palace(action["palace"]), name(task))
            return {"draft": ACT, "sunrise": DECAY}.get(reason, EVENT)
        case "release_person":
            board.move_out(board.palace(action["palace"]), name(action))
            if reason == "earthquake":
                board.palace(action["palace"]).floors -= 1
            else:
                hit = [*task["hit"], action["palace"]] if "hit" in task else None
                release(board, outlook, outlook.now, left, hit)
            return DECAY if reason == "earthquake" else SUPER
        case "lose_floor":
            board.lose_floor(board.palace(action["palace"]), outlook.worth(outlook.now))
            shake(board, outlook, outlook.now, left)
        case "give_back":
            for goods in ("yuan", "rice", "fireworks"):
                board.gain(goods, -action[goods])
        case "discard_card":
            board.hand.remove(action["card"])
            del board.hand[:left]
        case "choose_type":
            person = action["person"]
            points = board.monk_points() if person == "monk" else board.symbols[person]
            board.gain(CHARTER.get(person, "points"), points if person != "healer" else 0)
    return DECAY


def choose(observation: Json, legal: list[Json], config: Json) -> int:
    """The index in `legal` of the action whose simulation ends best."""
    outlook = Outlook(observation, config)
    start = Board(observation["players"][observation["seat"]], observation["hand"], outlook.own_wall)
    ends = []
    for action in legal:
        board = start.copy()
        stage = carry_out(board, outlook, observation["turn"], action)
        ends.append(play_on(board.copy(), outlook, stage))
        if stage == RECRUIT:
            for place in range(1, min(CANDIDATES, len(candidates(board, outlook, outlook.now)))):
                twin = board.copy()
                recruit(twin, outlook, outlook.now, place)
                ends[-1] = max(ends[-1], play_on(twin, outlook, EVENT))
    return ends.index(max(ends))


# -- the wire ----------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    for line in sys.stdin:
        message: Json = json.loads(line)
        match message["type"]:
            case "hello":
                send({"type": "ready", "protocol": 1, "name": "steady", "options": {"events": False}})
            case "start":
                config, rng = message["config"], random.Random(message["bot_seed"])
                known = message["game"] == "year_of_the_dragon"
            case "act":
                legal = message["legal"]
                index = choose(message["observation"], legal, config) if known else rng.randrange(len(legal))
                send({"type": "action", "id": message["id"], "index": index})
            case "quit":
                return


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
