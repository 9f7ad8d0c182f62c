"""The speed of the rules engines: `python -m tests.bench.engines`, which docs/engine.md quotes.

Random play in one process, legal lists included, in CPU time; of some runs the fastest. A copy and an observation are
measured after the first decision and in the middle of a game.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from referee.games import Game, find_game, new_game

PLAYERS: Final = {"year_of_the_dragon": (2, 3, 4, 5), "forbidden_city": (2, 3, 4)}
BEST_OF: Final = 5
PLAYED_SECONDS: Final = 1.0
CALLS: Final = 2000


class Speed(NamedTuple):
    """What was played."""

    decisions: int
    games: int
    seconds: float
    """Of CPU time."""


def play(name: str, players: int) -> Speed:
    """Random games for PLAYED_SECONDS, each to its end."""
    rng = random.Random(1)
    decisions = games = 0
    begin = time.process_time()
    while (passed := time.process_time() - begin) < PLAYED_SECONDS:
        game = new_game(name, seed=games, players=players)
        games += 1
        while game.turn is not None:
            legal = game.legal_actions()
            game.apply(legal[int(rng.random() * len(legal))])
            decisions += 1
    return Speed(decisions, games, passed)


def after(name: str, players: int, decisions: int) -> Game:
    """A random game after so many decisions."""
    game = new_game(name, seed=1, players=players)
    rng = random.Random(1)
    for _ in range(decisions):
        game.apply(rng.choice(game.legal_actions()))
    return game


def microseconds(call: Callable[[], object]) -> float:
    """CPU microseconds of a call, the fastest of some runs."""
    best = float("inf")
    for _ in range(BEST_OF):
        begin = time.process_time()
        for _ in range(CALLS):
            call()
        best = min(best, time.process_time() - begin)
    return best / CALLS * 1e6


def report(name: str) -> str:
    """The table of a game, in Markdown."""
    headings = ("players", "decisions per second", "µs per decision", "games per second", "decisions per game",
                "`copy()`", "`observe`")  # fmt: skip
    lines = [f"| {' | '.join(headings)} |", "| --- " * len(headings) + "|"]
    for players in PLAYERS[name]:
        fastest = min((play(name, players) for _ in range(BEST_OF)), key=lambda own: own.seconds / own.decisions)
        cost = fastest.seconds / fastest.decisions
        length = fastest.decisions / fastest.games
        states = [after(name, players, number) for number in (1, int(length / 2))]
        copies = " to ".join(f"{value:.1f}" for value in sorted(microseconds(game.copy) for game in states))
        seen = (microseconds(partial(game.observe, 0)) for game in states)
        views = " to ".join(f"{value:.1f}" for value in sorted(seen))
        lines.append(
            f"| {players} | {1 / cost:,.0f} | {cost * 1e6:.1f} | {1 / cost / length:,.0f} | {length:.0f} |"
            f" {copies} µs | {views} µs |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Speed of the rules engines, as in docs/engine.md.")
    parser.add_argument("--game", choices=PLAYERS, action="append", help="only these")
    for name in parser.parse_args().game or PLAYERS:
        sys.stdout.write(f"{find_game(name).title}\n\n{report(name)}\n\n")
