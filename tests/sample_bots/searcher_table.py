"""How strong the searcher is in every game that it plays, against weak players.

    .venv/bin/python -m tests.sample_bots.searcher_table [--time 0.05] [--games 40] [--seconds 20] [GAME…]

A game is played with as many seats as by default; all rivals are of one kind, and the searcher sits in each seat in
turn. Without names every game is played that a bot can search.
"""

import argparse
import sys
from contextlib import suppress
from random import Random
from time import process_time
from typing import Final

from referee.bots.policies import POLICIES, Policy
from referee.games import Action, Game, OptionError, find_game, find_source, game_names, installed_games, new_game
from referee.search import Budget, evaluate, policy_for, why_unsearchable
from referee.search.playouts import part_beaten
from tournaments.competition.intervals import share_interval

FEWEST_GAMES: Final = 4
"""Games that are played even if they take longer than the limit."""
LONGEST_GAME: Final = 1000
"""Decisions after which a game ends as it stands."""


def searchable_games() -> list[str]:
    """The names of all installed games that a bot can search."""
    names, sources, _ = installed_games()
    listed = [*game_names(), *names]
    for prefix in sources:
        with suppress(OptionError):  # it isn't installed
            listed += [f"{prefix}:{name}" for name in find_source(prefix).names()]
    return [name for name in listed if why_unsearchable(find_game(name)) is None]


class Table:
    """The searcher at tables of one game, against rivals of one kind."""

    def __init__(self, name: str, rival: Policy, seconds: float) -> None:
        self.name = name
        self.rival = rival
        self.seconds = seconds
        self.shares: list[float] = []
        """The part of its rivals that it has beaten in each game."""
        self.decisions = 0
        self.playouts = 0

    def play(self) -> None:
        """One game."""
        number = len(self.shares)
        game, random = new_game(self.name, f"searcher {number}"), Random(number)
        own = number % game.config.players
        for _ in range(LONGEST_GAME):
            if game.turn is None:
                break
            legal = game.legal_actions()
            searches = game.turn.seat == own and len(legal) > 1
            game.apply(self.search(game, own, random) if searches else self.rival(legal, random))
        self.shares.append(part_beaten(game.ranking(), own))

    def search(self, game: Game, own: int, random: Random) -> Action:
        """The searcher's action."""
        budget = Budget(seconds=self.seconds, clock=process_time, start=process_time())
        ranked = evaluate(game, own, policy_for(type(game)), random, budget)
        self.decisions += 1
        self.playouts += sum(candidate.estimate().playouts for candidate in ranked)
        action: Action = ranked[0].action
        return action


def row(name: str, asked: argparse.Namespace) -> str:
    """The line of a game."""
    seats = new_game(name, "seats").config.players
    tables, cells = [Table(name, rival, asked.time) for rival in POLICIES.values()], []
    for rival, table in zip(POLICIES, tables, strict=True):
        begun = process_time()
        while len(table.shares) < asked.games and (
            len(table.shares) < max(FEWEST_GAMES, seats) or process_time() - begun < asked.seconds
        ):
            table.play()
        found = share_interval(table.shares, 1)
        cells.append(
            f"against {rival} {100 * found.mean:.0f} % ({100 * (found.low or 0):.0f}–{100 * (found.high or 1):.0f})"
            f" in {len(table.shares)} games"
        )
    playouts = sum(table.playouts for table in tables) / max(1, sum(table.decisions for table in tables))
    return f"{name}: {seats} seats, {playouts:.0f} playouts; {'; '.join(cells)}"


def main() -> None:
    """Play, and print a line for each game."""
    parser = argparse.ArgumentParser(description="How strong the searcher is, against weak players.")
    parser.add_argument("game", nargs="*")
    parser.add_argument("--time", type=float, default=0.05, help="seconds of CPU time for each decision")
    parser.add_argument("--games", type=int, default=40, help="at most, against each kind of rival")
    parser.add_argument("--seconds", type=float, default=20.0, help="of CPU time, after which no further game begins")
    asked = parser.parse_args()
    for name in asked.game or searchable_games():
        sys.stdout.write(f"{row(name, asked)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
