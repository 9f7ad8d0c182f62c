"""`make bench`: what a match costs for each question that a bot is asked.

Whole matches, beside lower bounds that move the same bytes, and with --against beside another commit (tests/bench/
matches.py); then the speed of the rules in random play, the cost of a tournament in addition to its games, what live
pages cost, and how long commands take to start, each the best of several runs.
"""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Final

from referee.games import game_names, new_game
from tests.bench import engines, matches, start_up, tournament, watching

CONCURRENCY: Final = (1, 2, 8, 32)


def measure_slowdown(name: str, players: int, games: int = 100) -> float:
    """The ratio of the time of a decision in the last quarter of a game to that in the first."""
    rng = random.Random(1)
    costs: dict[int, list[float]] = {0: [], 3: []}
    for seed in range(games):
        game = new_game(name, seed=seed, players=players)
        times: list[float] = []
        while game.turn is not None:
            start = time.perf_counter()
            legal = game.legal_actions()
            game.apply(legal[int(rng.random() * len(legal))])
            times.append(time.perf_counter() - start)
        for quarter in costs:
            costs[quarter] += times[len(times) * quarter // 4 : len(times) * (quarter + 1) // 4]
    return statistics.mean(costs[3]) / statistics.mean(costs[0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--game", choices=game_names(), action="append", help="default: all")
    parser.add_argument("--at-once", type=int, action="append", help="concurrent games; default: 1, 2, 8 and 32")
    parser.add_argument("--questions", type=int, default=20000, help="in a match")
    parser.add_argument("--runs", type=int, default=7, help="of each match")
    parser.add_argument("--against", metavar="REV", help="beside a clone of this repository at that commit")
    parser.add_argument("--peers", type=Path, metavar="FASTCHESS", help="beside this program")
    parser.add_argument("--rounds", type=int, default=2, help="of 100 games each in a tournament of 20 bots")
    parser.add_argument("--only-matches", action="store_true")
    options = parser.parse_args()
    try:
        measure_all(options)
    except matches.BenchError as error:
        sys.exit(str(error))


def measure_all(options: argparse.Namespace) -> None:
    """Measure and print everything."""
    out = sys.stdout
    for line in matches.report(
        options.game or game_names(),
        options.at_once or CONCURRENCY,
        questions=options.questions,
        runs=options.runs,
        against=options.against,
        peer=options.peers and options.peers.absolute(),
    ):
        out.write(f"{line}\n")
        out.flush()
    if options.only_matches:
        return
    for name in game_names():
        out.write(f"{name}, random play\n{engines.report(name)}\n")
        for players in (2, 4):
            late = min(measure_slowdown(name, players) for _ in range(options.runs))
            out.write(f"{players} players: a decision in the last quarter of a game takes {late:.1f} times as long\n")
            out.flush()
    out.write("tournament, CPU seconds of the referee and all bots, which are processes that choose at random\n")
    out.write(f"{tournament.report(options.rounds, options.runs)}\n")
    out.write(f"{watching.report(game_names(), options.runs)}\n")
    out.write(f"{start_up.report(5 * options.runs)}\n")


if __name__ == "__main__":
    main()
