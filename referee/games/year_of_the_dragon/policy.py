"""In the Year of the Dragon: the policy of the playouts of a search.

A playout is played by all seats to the end of the game with rules of thumb: each legal action gets a value in points,
and the best one is taken. They needn't be right, only right on average, quick, and alike for all: the search compares
where they lead to.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, Final

from referee.games.policy import Measure
from referee.games.year_of_the_dragon.state import Dragon, Palace, Player
from referee.games.year_of_the_dragon.tiles import FACTS, PRIVILEGE_DRAGONS, PRIVILEGE_PRICE, ROUNDS, SYMBOLS

Rule = Callable[[Dragon, Player, Sequence[Any]], Any]
NEVER: Final = 99
EVENTS: Final = ("imperial_tribute", "drought", "dragon_festival", "mongol_invasion", "contagion")

# -- weights, in points, found by random changes in games of the policy against itself (docs/bots/search.md) ----------

PERSON = 10.1  # to lose a person
SOON = 0.795  # an event counts this much less for every round that it is further away
YUAN, YUAN_PER_ROUND = 0.148, 0.189  # a yuan in the end, and more per round left
GOODS = 4.23  # rice or fireworks beyond need
SEAT, FLOOR = 8.68, 0.274  # a floor for a person without one; any other floor
PALACE = 0.326  # another palace, per round left
PRIVILEGE = 2.06  # a dragon on a privilege, per round left
FEE = 5.11  # what an occupied group costs, in its price
WALL_TILE = 4.0
SPACE, PARADE = 0.506, 0.433  # a space on the person track, per round left: by a person, by a parade
LADY = 0.995  # a court lady, per round left
TAXES, RESEARCH, BUILD = 0.272, 0.143, 0.152  # a coin (in yuan), a book, a hammer, per round: how often they serve
ROCKET, HELMET, MORTAR, SACK = 0.764, 7.5, 8.62, 2.28  # a symbol, when the event that it answers strikes
HASTE = 0.609  # how much it counts that a person is worth less next round: ladies first, healers just in time
WILD = 0.998  # a wild card is worth keeping


class DragonPolicy:
    """The policy in one game; what is the same throughout the game is computed once."""

    measures: ClassVar[Measure] = "lead"

    def __init__(self, game: Dragon, seat: int, random: Random) -> None:
        self.seat = seat
        self.row: list[str] = ["peace", *game.event_row]
        self.prices = PRIVILEGE_PRICE[game.config.edition]
        self.until = {event: [self._until(event, r) for r in range(ROUNDS + 2)] for event in EVENTS}
        self.worths = [self._worths(r) for r in range(ROUNDS + 2)]
        self.appeals = [self._appeals(r) for r in range(ROUNDS + 1)]

    # -- for the search -------------------------------------------------------------------------------------------

    def candidates(self, game: Dragon) -> list[Any]:
        """All legal actions, that of the policy first."""
        legal: list[Any] = game.legal_actions()
        first = self.choose(game)
        return [first, *(action for action in legal if action is not first)]

    def playout(self, game: Dragon) -> float:
        """Play the game to its end; the lead over the best rival, in points."""
        choose = self.choose
        while game.turn is not None:
            game.apply(choose(game))
        scores = game.ranking().scores
        return float(scores[self.seat] - max(score for seat, score in enumerate(scores) if seat != self.seat))

    def choose(self, game: Dragon) -> Any:
        turn = game.turn
        assert turn is not None
        legal = game.legal_actions()
        rule: Rule | None = getattr(self, turn.decision, None)  # for most decisions there is a method of their name
        return legal[0] if rule is None or len(legal) == 1 else rule(game, game.players[turn.seat], legal)

    # -- what lies ahead ------------------------------------------------------------------------------------------

    def _until(self, event: str, r: int) -> int:
        """How many rounds from round r until the event strikes next."""
        return min((at - r for at in range(max(1, r), ROUNDS + 1) if self.row[at] == event), default=NEVER)

    def _worths(self, r: int) -> dict[tuple[str, str], float]:
        """What each tile is worth from round r to the end; for monks the floors come on top."""
        left = ROUNDS + 1 - r

        def when(event: str) -> float:
            return sum(SOON ** (at - r) for at in range(r, ROUNDS + 1) if self.row[at] == event)

        symbol: dict[str, float] = {
            "craftsman": BUILD * left,
            "court_lady": LADY * left,
            "tax_collector": TAXES * left * (YUAN + YUAN_PER_ROUND * left),
            "pyrotechnist": ROCKET * when("dragon_festival"),
            "warrior": HELMET * when("mongol_invasion"),
            "monk": 0,
            "healer": MORTAR * when("contagion"),
            "farmer": SACK * when("drought"),
            "scholar": RESEARCH * left,
        }
        return {(person, age): 2 + n * symbol[person] for person, ages in SYMBOLS.items() for age, n in ages.items()}

    def _appeals(self, r: int) -> dict[tuple[str, str], float]:
        """What it is worth to take each tile in round r, rather than later."""
        now, later, left = self.worths[r], self.worths[r + 1], ROUNDS + 1 - r
        return {
            (person, age): now[person, age]
            + HASTE * (now[person, age] - later[person, age])
            + facts.value * SPACE * left
            for person, ages in FACTS.items()
            for age, facts in ages.items()
        }

    def worth(self, game: Dragon) -> Callable[[Palace, Any], float]:
        """What a person in a palace is worth now."""
        worths = self.worths[game.round]

        def worth(palace: Palace, tile: Any) -> float:
            value = worths[tile.person, tile.age]
            return value + SYMBOLS["monk"][tile.age] * palace.floors if tile.person == "monk" else value

        return worth

    # -- actions --------------------------------------------------------------------------------------------------

    def choose_action(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """The action that brings most, less what its group costs."""
        r = game.round
        left = ROUNDS + 1 - r
        tribute, drought, festival = (self.until[event][r] for event in EVENTS[:3])
        symbols = dict.fromkeys(SYMBOLS, 0)
        persons = floors = inhabited = 0
        for palace in player.palaces:
            floors += palace.floors
            inhabited += bool(palace.persons)
            for tile in palace.persons:
                persons += 1
                symbols[tile.person] += SYMBOLS[tile.person][tile.age]
        tax_rate, yuan = YUAN + YUAN_PER_ROUND * left, player.yuan
        danger = PERSON * SOON**tribute

        def purse(yuan: int) -> float:
            return yuan * tax_rate + min(4, yuan) * danger

        now = purse(yuan)
        rice = min(symbols["farmer"] + 1 + player.rice, inhabited) - min(player.rice, inhabited)
        building = symbols["craftsman"] + 1
        homeless = persons + min(player.hand_size, 3) - floors
        values = {
            "taxes": purse(yuan + 2 + symbols["tax_collector"]) - now,
            "build": building * FLOOR + SEAT * max(0, min(building, homeless)),
            "harvest": (symbols["farmer"] + 1) * GOODS + rice * PERSON * SOON**drought,
            "fireworks": self.rockets(game, player, symbols["pyrotechnist"] + 1, festival),
            "military_parade": (symbols["warrior"] + 1) * PARADE * left,
            "research": symbols["scholar"] + 1.0,
            "build_wall": WALL_TILE,
        }
        if player.hand_size and inhabited == len(player.palaces):
            values["build"] += PALACE * left
        fee = FEE * (now - purse(yuan - 3))
        best, best_value = legal[-1], purse(max(3, yuan)) - now
        groups = game.action_groups
        for action in legal[:-1]:
            card = action.card
            if card == "privilege":
                value = PRIVILEGE_DRAGONS[action.size] * PRIVILEGE * left + purse(yuan - self.prices[action.size]) - now
            else:
                value = values[card]
            if groups[action.group].taken_by:
                value -= fee
            if value > best_value:
                best, best_value = action, value
        return best

    def rockets(self, game: Dragon, player: Player, more: int, rounds: int) -> float:
        """What fireworks are worth: their price, and what they change at the next festival."""
        if rounds == NEVER:
            return more * GOODS
        rivals = {rival.fireworks for rival in game.players if rival is not player}

        def points(fireworks: int) -> int:
            return (6, 3, 0)[min(2, sum(rival > fireworks for rival in rivals))] if fireworks else 0

        return more * GOODS + (points(player.fireworks + more) - points(player.fireworks)) * SOON**rounds

    def build_floor(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """A new palace for the next person to come, other floors onto existing palaces, with monks first."""
        if len(legal) == 1 or (player.hand_size and all(palace.persons for palace in player.palaces)):
            return legal[-1]
        growing = [palace for palace in player.palaces if palace.floors < 3]
        best = max(growing, key=lambda p: (sum(tile.person == "monk" for tile in p.persons), p.floors))
        return legal[growing.index(best)]

    # -- persons --------------------------------------------------------------------------------------------------

    def draft(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        appeals = self.appeals[1]
        return max(legal, key=lambda action: sum(appeals[person, "young"] for person in action.persons))

    def play_card(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """The person worth most now; those come early who are worth less by waiting."""
        appeals, worths = self.appeals[game.round], self.worths[game.round]
        best, best_value = legal[0], -99.0
        full = all(len(palace.persons) == palace.floors for palace in player.palaces)
        lowest = min((worths[tile.person, tile.age] for tile in player.persons()), default=0.0) if full else 0.0
        for action in legal:
            if not action.person:
                continue
            value = appeals[action.person, action.age]
            if full:  # somebody has to go, or the new person stays outside
                value -= min(lowest, worths[action.person, action.age])
            if action.card == "wild":
                value -= WILD
            if action.person == "monk":
                tallest = max((p.floors for p in player.palaces if len(p.persons) < p.floors), default=1)
                value += SYMBOLS["monk"][action.age] * tallest
            elif action.person == "healer":
                value -= MORTAR * max(0, player.symbols("healer") - 3 + SYMBOLS["healer"][action.age])
            if value > best_value:
                best, best_value = action, value
        return best

    def take_person(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        appeals = self.appeals[game.round]
        return max(legal, key=lambda action: appeals[action.person, "young"])

    def place_person(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """Into an empty palace, a monk into a tall one; or in place of somebody who is worth less."""
        task: Any = game.turn
        if legal[-1].refuse is not True:
            room = [palace for palace in player.palaces if len(palace.persons) < palace.floors]
            monk = task.person == "monk"
            best = max(room, key=lambda p: (monk and p.floors, not p.persons, -p.floors))
            return legal[room.index(best)]
        worth = self.worth(game)

        def gain(action: Any) -> float:
            palace = player.palace(action.palace)
            return worth(palace, task) - worth(palace, action.replace)

        best_action = max(legal[:-1], key=gain, default=legal[-1])
        return best_action if best_action is not legal[-1] and gain(best_action) > 0 else legal[-1]

    def release_person(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """The person worth least, preferably from a palace where somebody stays."""
        worths = self.worths[game.round]
        left = ROUNDS + 1 - game.round
        best, best_value = legal[0], 999.0
        for action in legal:
            value = worths[action.person, action.age]
            palace = player.palace(action.palace)
            if action.person == "monk":
                value += SYMBOLS["monk"][action.age] * palace.floors
            if len(palace.persons) == 1 and palace.floors == 1:
                value += left
            if value < best_value:
                best, best_value = action, value
        return best

    # -- super events ---------------------------------------------------------------------------------------------

    def lose_floor(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """An empty floor, rather of a tall palace."""
        return max(
            legal,
            key=lambda action: (
                (palace := player.palace(action.palace)).floors > len(palace.persons),
                palace.floors > 1,
                -player.monk_points(),
            ),
        )

    def give_back(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """What is left is to meet the next events."""
        tribute, drought = (self.until[event][game.round + 1] for event in EVENTS[:2])
        palaces = len(player.palaces)

        def kept(action: Any) -> float:
            yuan, rice = player.yuan - action.yuan, player.rice - action.rice
            return float(min(4, yuan) * SOON**tribute + min(palaces, rice) * SOON**drought)

        return max(legal, key=kept)

    def choose_type(self, game: Dragon, player: Player, legal: Sequence[Any]) -> Any:
        """Monks, scholars or ladies for their points; or else yuan."""

        def points(action: Any) -> float:
            symbols = player.symbols(action.person)
            if action.person == "monk":
                return float(player.monk_points())
            return symbols * {"scholar": 1.0, "court_lady": 1.0, "healer": 0.0}.get(action.person, 0.6)

        return max(legal, key=points)
