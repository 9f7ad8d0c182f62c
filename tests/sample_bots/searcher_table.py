"""Writes the table of the searcher's scores in docs/bots/search.md: in every game that it plays, against weak players.

    .venv/bin/python -m tests.sample_bots.searcher_table [--time 0.05] [--games 40] [--seconds 20] [GAME…]

A game is played with as many seats as by default; all rivals are of one kind, and the searcher sits in each seat in
turn. Without names every game is played that a bot can search.
"""

import argparse
import re
from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

from referee.bots.policies import POLICIES, Policy
from referee.games import Action, Game, OptionError, find_game, find_source, game_names, installed_games, new_game
from referee.search import Budget, evaluate, policy_for, why_unsearchable
from referee.search.playouts import part_beaten
from tournaments.competition.intervals import share_interval

PAGE: Final = Path(__file__).parents[2] / "docs" / "bots" / "search.md"
BEGIN: Final = "<!-- written by tests.sample_bots.searcher_table -->"
END: Final = "<!-- end of the table of the searcher -->"
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
    """A row of the table."""
    seats = new_game(name, "seats").config.players
    tables, cells = [Table(name, rival, asked.time) for rival in POLICIES.values()], []
    for table in tables:
        begun = process_time()
        while len(table.shares) < asked.games and (
            len(table.shares) < max(FEWEST_GAMES, seats) or process_time() - begun < asked.seconds
        ):
            table.play()
        found = share_interval(table.shares, 1)
        cells.append(
            f"{100 * found.mean:.0f} % ({100 * (found.low or 0):.0f}–{100 * (found.high or 1):.0f}),"
            f" {len(table.shares)} games"
        )
    playouts = sum(table.playouts for table in tables) / max(1, sum(table.decisions for table in tables))
    return f"| `{name}` | {seats} | {asked.time:g} s, {playouts:.0f} | {' | '.join(cells)} |"


def write_row(name: str, written: str) -> None:
    """Put a row into the table; rows of other games stay."""
    before, table, after = re.split(f"{re.escape(BEGIN)}|{re.escape(END)}", PAGE.read_text(encoding="utf-8"))
    rows = {line.split("`")[1]: line for line in table.splitlines() if line.startswith("| `")}
    rows[name] = written
    rivals = " | ".join(f"against `{rival}`" for rival in POLICIES)
    head = [f"| game | seats | time, playouts | {rivals} |", "| --- | --- | --- | --- | --- |"]
    lines = "\n".join([*head, *(rows[each] for each in sorted(rows))])
    PAGE.write_text(f"{before}{BEGIN}\n\n{lines}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Play, and write the table."""
    parser = argparse.ArgumentParser(description="Write the table of the searcher's scores.")
    parser.add_argument("game", nargs="*")
    parser.add_argument("--time", type=float, default=0.05, help="seconds of CPU time for each decision")
    parser.add_argument("--games", type=int, default=40, help="at most, in each column of a row")
    parser.add_argument("--seconds", type=float, default=20.0, help="of CPU time, after which no further game begins")
    asked = parser.parse_args()
    for name in asked.game or searchable_games():
        write_row(name, row(name, asked))


if __name__ == "__main__":
    main()
