"""Searcher: a sample bot for both games that searches with the referee's own rules (determinized Monte Carlo).

For every decision it

1. reconstructs the game from its messages (`reconstruct`),
2. draws what it can't know, such as tiles in other hands and shuffles to come (`Game.determinize`),
3. tries each candidate action in the drawn game, and lets a policy play on (dragon_policy.py, city_policy.py),
4. repeats 2 and 3, with more and more of the time on the actions that did best (halving.py).

It takes its time from the clock that it is given, and keeps a reserve. `--playouts N` stops after N playouts per
decision; with enough time its answers then depend on `bot_seed` alone.
"""

import argparse
import json
import sys
import time
from random import Random
from typing import Any, Final

try:
    import msgspec
    from city_policy import CityPolicy
    from dragon_policy import DragonPolicy
    from halving import Stopwatch, sequential_halving

    from referee.games import Game, config_from, find_game, reconstruct
except ModuleNotFoundError as error:
    sys.exit(
        f"searcher: {error}. It needs the package `referee`, so run it with the Python that has it: in bot.toml"
        ' command = "{python} searcher.py", or start it with .venv/bin/python searcher.py after make setup'
    )

Json = dict[str, Any]
POLICIES: Final[dict[str, Any]] = {"year_of_the_dragon": DragonPolicy, "forbidden_city": CityPolicy}

SHARE: Final = 0.6
"""The part of the limit of a decision that is used. The rest is for a busy machine."""
OVERHEAD: Final = 0.008
"""The seconds that a decision takes besides the search, roughly."""
DECISIONS_PER_ROUND: Final = 3.5
"""In the Year of the Dragon, for each seat, on average."""


class Player:
    """One seat in one game."""

    def __init__(self, start: Json, playouts: int) -> None:
        self.game: type[Game] = find_game(start["game"])
        known = self.game.Config.__struct_fields__  # a later version of the protocol may add others
        config = {name: value for name, value in start["config"].items() if name in known}
        self.config = config_from(self.game.Config, config)
        self.policy = POLICIES[self.game.name]
        self.seat: int = start["seat"]
        self.clock: Json = start["clock"]
        self.random = Random(start["bot_seed"])
        self.events: list[Json] = []
        self.slowest = 0.0
        self.playouts = playouts

    def decide(self, act: Json, received: float) -> tuple[Json, Json]:
        """The best action, and some information for the record."""
        self.events += act.get("events", [])  # a second try at a decision has none
        game = reconstruct(self.game, self.config, self.seat, act["observation"], self.events, self.random)
        policy = self.policy(game, self.seat)
        watch = Stopwatch(received, self.budget(act), self.slowest)

        def sample() -> Game:
            return game.determinize(self.seat, self.random)

        def playout(sampled: Game, action: Any) -> float:
            twin = sampled.copy()
            twin.apply(action)
            return float(policy.playout(twin))

        ranked = sequential_halving(policy.candidates(game), sample, playout, watch, self.playouts)
        self.slowest = 0.8 * watch.slowest
        best = ranked[0]
        count = sum(len(candidate.values) for candidate in ranked)
        info = {"lead": round(best.mean, 1), "playouts": count} if count else {"playouts": 0}
        return msgspec.to_builtins(best.action), info

    def budget(self, act: Json) -> float:
        """The seconds for this decision: a part of its limit; with a bank, no more than an equal share of that."""
        limit: float = act["time_ms"] / 1000
        budget: float = SHARE * limit
        if "bank_ms" in self.clock:
            left = self.decisions_left(act["observation"])
            increment = self.clock.get("increment_ms", 0) / 1000
            budget = min(budget, SHARE * (limit / left + increment))
        return budget - OVERHEAD

    def decisions_left(self, seen: Json) -> float:
        """The number of its decisions that are still to come in the game, including this one."""
        if "stacks" in seen:
            return max(1.0, float(seen["stacks"][self.seat] - 1))
        return 1.0 + DECISIONS_PER_ROUND * (13 - max(1, int(seen["round"])))


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    parser = argparse.ArgumentParser(description="A bot that searches with determinized Monte Carlo.")
    parser.add_argument("--playouts", type=int, default=sys.maxsize, metavar="N", help="maximum per decision")
    playouts = parser.parse_args().playouts
    player: Player | None = None
    for line in sys.stdin:
        received = time.monotonic()
        message: Json = json.loads(line)
        match message["type"]:
            case "hello":
                send({"type": "ready", "protocol": 1, "name": "searcher", "options": {"legal": False}})
            case "start":
                player = Player(message, playouts)
            case "act":
                assert player is not None, "an act came before any start"
                action, info = player.decide(message, received)
                send({"type": "action", "id": message["id"], "action": action, "info": info})
            case "quit":
                return


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
