"""How much text the sample bot llm sends in a game: `python -m tests.sample_bots.llm_cost`. For docs/bots.

Games are played at random. A token is three to four characters of such text, depending on the model.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean

from referee.games import new_game
from tests.games.test_seat_text import decisions, start

SETUPS = [("year_of_the_dragon", 2), ("year_of_the_dragon", 5), ("forbidden_city", 2), ("forbidden_city", 4)]
GAMES = 5


def lines() -> Iterator[str]:
    """A line for each kind of game."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "bots/llm-python"))
    llm = importlib.import_module("llm")
    yield "game                players  questions  rules  question  longest   game"
    for name, players in SETUPS:
        texts: list[list[int]] = []
        for number in range(GAMES):
            game = new_game(name, number, players=players)
            told = {**start(game, 0), "bot_seed": 1, "clock": {}}
            rules = len(llm.Player(told, llm.Settings()).task)
            texts.append([len(decision.text) for decision, _ in decisions(game, 0, Random(number))])
        each = [size for sizes in texts for size in sizes]
        total = mean(sum(sizes) + rules * len(sizes) for sizes in texts)
        asked = mean(len(sizes) for sizes in texts)
        yield f"{name:18} {players:8} {asked:10.0f} {rules:6} {mean(each):9.0f} {max(each):8} {total:6.0f}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
