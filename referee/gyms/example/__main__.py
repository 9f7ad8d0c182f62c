"""Train a bot for In the Year of the Dragon by games against itself, and write it as a bot folder.

For each index a vector of weights predicts, from what the seat sees, its lead over the mean of the table at the end of
the game. Each seat takes the index with the highest prediction, or now and then a random one. After each game the
weights of the indices that were taken are corrected towards the actual lead.
"""

import argparse
import json
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from referee.games import Codec, OptionError
from referee.gyms import batch_env, single_env
from referee.gyms.episode import find_codec_for

GAME: Final = "year_of_the_dragon"
GAMES_AT_A_TIME: Final = 64
RATE: Final = 0.01
"""The fraction of its error by which a prediction is corrected."""
EXPLORE: Final = 0.2
"""The fraction of decisions that are taken at random."""
TRIAL: Final = 100
"""Games against random players at the end, in each seat."""

POINTS: Final = 30
"""A lead of this many points over the mean of the table counts as 1."""

Array = NDArray[Any]


def train(codec: Codec[Any], *, games: int, seed: int) -> Array:
    """The weights, by index and element of a vector, after this many games."""
    rng = np.random.default_rng(seed)
    scales = np.array([feature.scale for feature in codec.features], np.float32)
    weights = np.zeros((codec.size, codec.length), np.float32)
    began, played = time.monotonic(), 0
    told = began
    with batch_env(GAME, codec.config.players, games=GAMES_AT_A_TIME, processes=1, seed=seed) as batch:
        histories: list[list[tuple[Array, int, int]]] = [[] for _ in range(GAMES_AT_A_TIME)]
        while played < games:
            seen = batch.observations / scales
            taken = choose(weights, seen, batch.action_masks, rng)
            for game, history in enumerate(histories):
                history.append((seen[game], taken[game], batch.seats[game]))
            batch.step(taken)
            for game in np.flatnonzero(batch.finished).tolist():
                scores = batch.scores[game]
                learn(weights, histories[game], (scores - scores.mean()) / POINTS)
                histories[game] = []
                played += 1
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"{played:,} games in {told - began:.0f} s", file=sys.stderr)
    return weights / scales


def choose(weights: Array, seen: Array, masks: Array, rng: np.random.Generator) -> Array:
    """An index for each game: the one with the highest prediction, or a random one."""
    games, indices = np.nonzero(masks)
    promised = np.einsum("ij,ij->i", weights[indices], seen[games])
    explores = rng.random(len(seen)) < EXPLORE
    promised = np.where(explores[games], rng.random(len(promised)), promised)
    table = np.full(masks.shape, -np.inf)
    table[games, indices] = promised
    chosen: Array = table.argmax(axis=1)
    return chosen


def learn(weights: Array, history: Sequence[tuple[Array, int, int]], leads: Array) -> None:
    """Correct the predictions of one game, by the lead of each seat at its end."""
    seen = np.stack([each for each, _, _ in history])
    taken = np.array([index for _, index, _ in history])
    lead = np.array([leads[seat] for _, _, seat in history])
    wrong_by = lead - np.einsum("ij,ij->i", weights[taken], seen)
    np.add.at(weights, taken, (RATE * wrong_by / (seen * seen).sum(axis=1))[:, None] * seen)


def evaluate(codec: Codec[Any], weights: Array, games: int) -> float:
    """The mean reward against random players, over all seats."""
    total = 0.0
    for seat in range(codec.config.players):
        env = single_env(GAME, codec.config.players, seat=seat)
        for game in range(games):
            view, _ = env.reset(seed=game)
            ended = False
            while not ended:
                legal = np.flatnonzero(view["action_mask"])
                promised = weights[legal] @ view["observation"]
                view, reward, ended, _, _ = env.step(legal[promised.argmax()])
            total += reward
    return total / games / int(codec.config.players)


def write_bot(folder: Path, codec: Codec[Any], weights: Array) -> None:
    """Write a bot that plays by these weights into a folder that exists."""
    shutil.copy(Path(__file__).with_name("bot.py"), folder)
    (folder / "weights").write_bytes(weights.astype("<f4").tobytes())
    (folder / "trained.json").write_text(json.dumps({"codec": codec.id(), "players": codec.config.players}) + "\n")
    (folder / "bot.toml").write_text(
        f'name = {json.dumps(folder.resolve().name)}\ncommand = "{{python}} bot.py"\ngames = ["{GAME}"]\n'
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, play against random players, and write the bot."""
    parser = argparse.ArgumentParser(prog="python -m referee.gyms.example", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write the bot")
    parser.add_argument("--players", type=int, default=3, help="players at a table (default: %(default)s)")
    parser.add_argument("--games", type=int, default=4000, help="how long to train (default: %(default)s games)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed and number of games: the same bot")
    given = parser.parse_args(arguments)
    try:
        codec = find_codec_for(GAME, given.players, {})
        given.folder.mkdir(parents=True, exist_ok=True)  # now, not after minutes of training
    except (OptionError, OSError) as error:
        parser.error(str(error))
    if given.seed < 0:
        parser.error("--seed is 0 or more")
    weights = train(codec, games=given.games, seed=given.seed)
    print(f"mean reward against random players: {evaluate(codec, weights, TRIAL):.2f}")
    write_bot(given.folder, codec, weights)
    others = " ".join(["builtin:random"] * (given.players - 1))
    print(f"try it: referee match {shlex.quote(str(given.folder))} {others} --games 100")


if __name__ == "__main__":
    main()
