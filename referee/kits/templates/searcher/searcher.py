"""Searcher: a bot for every game that can be searched, by the referee's own rules (determinized Monte Carlo).

For every decision it

1. reconstructs the game from its messages (`reconstruct`),
2. draws what it can't know, such as tiles in other hands and shuffles to come (`Game.determinize`),
3. tries each candidate action in the drawn game, and lets the policy of the game play on, or plays on at random,
4. repeats 2 and 3, with more and more of the time on the actions that did best (`referee.search`).

It takes its time from the clock that it is given, and keeps a reserve. `--playouts N` stops after N playouts per
decision; with enough time its answers then depend on `bot_seed` alone. `--policy FILE` plays on by the class `Policy`
of that file.
"""

import argparse
import importlib.util
import json
import sys
import time
from random import Random
from typing import Any, Final

try:
    import msgspec

    from referee.games import Game, OptionError, find_game, reconstruct
    from referee.games.options import config_of_start
    from referee.games.policy import Policy
    from referee.search import Budget, decisions_left, evaluate, policy_for, why_unsearchable
except ModuleNotFoundError as error:
    sys.exit(
        f"searcher: {error}. It needs the package `referee`, so run it with the Python that has it: in bot.toml"
        ' command = "{python} {kits}/searcher/searcher.py"'
    )

Json = dict[str, Any]

SHARE: Final = 0.6
"""The part of the limit of a decision that is used. The rest is for a busy machine."""
OVERHEAD: Final = 0.008
"""The seconds that a decision takes besides the search, roughly."""


class Player:
    """One seat in one game."""

    def __init__(self, start: Json, playouts: int, policy: "type[Policy] | None" = None) -> None:
        self.game = searchable_game(start["game"])
        self.config = config_of_start(self.game.Config, start)
        self.policy = policy or policy_for(self.game)
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
        budget = Budget(
            self.playouts, self.seconds(act, game), clock=time.monotonic, start=received, slowest=self.slowest
        )
        ranked = evaluate(game, self.seat, self.policy, self.random, budget)
        self.slowest = 0.8 * budget.slowest
        best = ranked[0]
        info: Json = {"playouts": sum(len(candidate.values) for candidate in ranked)}
        if best.values:
            info = {self.policy.measures: round(best.mean, 2), **info}
        return msgspec.to_builtins(best.action), info

    def seconds(self, act: Json, game: Game) -> float:
        """The time for this decision: a part of its limit; with a bank, no more than an equal share of that."""
        limit: float = act["time_ms"] / 1000
        seconds = SHARE * limit
        if "bank_ms" in self.clock:
            left = decisions_left(game, self.seat, self.policy, Random(len(self.events)))
            increment = self.clock.get("increment_ms", 0) / 1000
            seconds = min(seconds, SHARE * (limit / left + increment))
        return seconds - OVERHEAD


def searchable_game(name: str) -> type[Game]:
    """The rules of a game. Exits with a message if this bot can't search it."""
    try:
        game = find_game(name)
    except OptionError as error:
        sys.exit(f"searcher: {error}")
    reason = why_unsearchable(game)
    if reason is not None:
        sys.exit(f"searcher: it can't search {name}: {reason}")
    return game


def load_policy(path: str) -> "type[Policy]":
    """The class `Policy` of a file. Exits with a message if there is none."""
    spec = importlib.util.spec_from_file_location("policy", path)
    if spec is None or spec.loader is None:
        sys.exit(f"searcher: {path} is not a Python file")
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    try:
        spec.loader.exec_module(module)
        policy: type[Policy] = module.Policy
    except (OSError, AttributeError) as error:
        sys.exit(f"searcher: can't use the policy in {path}: {error}")
    return policy


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    parser = argparse.ArgumentParser(description="A bot that searches with determinized Monte Carlo.")
    parser.add_argument("--playouts", type=int, default=sys.maxsize, metavar="N", help="maximum per decision")
    parser.add_argument("--policy", metavar="FILE", help="a Python file with a class Policy")
    given = parser.parse_args()
    policy = None if given.policy is None else load_policy(given.policy)
    player: Player | None = None
    late = 0.0
    """The seconds that a `start` took: the first act may have waited for them, and its time runs."""
    for line in sys.stdin:
        received = time.monotonic()
        message: Json = json.loads(line)
        match message["type"]:
            case "hello":
                send({"type": "ready", "protocol": 1, "name": "searcher", "options": {"legal": False}})
            case "start":
                player = Player(message, given.playouts, policy)
                late = time.monotonic() - received
            case "act":
                assert player is not None, "an act came before any start"
                action, info = player.decide(message, received - late)
                late = 0.0
                send({"type": "action", "id": message["id"], "action": action, "info": info})
            case "quit":
                return


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
