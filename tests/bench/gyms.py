"""`make bench-gym`: decisions per second of the environments for learners, beside the classics of PettingZoo.

All are played at random in the same run, in turns, with everything that a learner would read: `last()` with the
observation and the mask, then `step()`, in seconds of CPU. Then batches of games, in one process and in as many as
there are cores: there the CPU time counts that `step` takes here, where nothing else goes on, and in the process that
takes most. Waits for the slowest process in each step are not in it. Every figure is the best of several runs, since
noise only adds.
"""

import argparse
import importlib
import multiprocessing
import os
import random
import time
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from referee.cli.output import echo
from referee.games import game_names
from referee.gyms import aec_env, batch_env
from referee.processes.limits.machine import cores
from referee.processes.procfs import SYSTEM_TIME, USER_TIME, read_stat

CLASSICS: Final = ("tictactoe_v3", "connect_four_v3", "chess_v6")
"""They need the packages pygame and chess."""
GAMES: Final = 128
"""Games of a batch."""
STEPS: Final = 20
"""Between two looks at the CPU time of its processes."""


def classic(name: str) -> Callable[[], Any] | None:
    """What makes an environment of PettingZoo; None if it can't be imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            make: Callable[[], Any] = importlib.import_module(f"pettingzoo.classic.{name}").raw_env
        except ImportError as error:
            echo(f"{name}: {error}")
            return None
    return make


def aec_rate(env: Any, seconds: float, seed: int) -> float:
    """Decisions per second in random play."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    decisions = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        env.step(int(rng.choice(observation["action_mask"].view(bool).nonzero()[0])))
        decisions += 1
    return decisions / spent


def spent_by(pid: str) -> float:
    """The seconds of CPU that a process has taken."""
    fields = read_stat(pid)
    return (int(fields[USER_TIME]) + int(fields[SYSTEM_TIME])) / os.sysconf("SC_CLK_TCK")


def batch_rate(game: str, processes: int, seconds: float, seed: int) -> float:
    """Decisions per second of CPU of a batch, without the time that a learner takes to decide."""
    rng = np.random.default_rng(seed)
    decisions, here, there = 0, 0.0, 0.0
    with batch_env(game, games=GAMES, processes=processes, seed=seed) as batch:
        workers = [str(child.pid) for child in multiprocessing.active_children()]
        begun = [spent_by(pid) for pid in workers]
        while here + there < seconds:
            for _ in range(STEPS):
                order = rng.permutation(batch.action_masks.shape[1])
                actions = order[batch.action_masks[:, order].argmax(axis=1)]
                began = time.process_time()
                batch.step(actions)
                here += time.process_time() - began
                decisions += GAMES
            there = max(spent_by(pid) - since for pid, since in zip(workers, begun, strict=True))
    return decisions / (here + there)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each run (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="of each environment (default: %(default)s)")
    given = parser.parse_args()
    makers = {name: make for name in CLASSICS if (make := classic(name)) is not None}
    envs = {name: make() for name, make in makers.items()} | {name: aec_env(name) for name in game_names()}
    rates = dict.fromkeys(envs, 0.0)
    for run in range(given.runs):
        for name, env in envs.items():
            rates[name] = max(rates[name], aec_rate(env, given.seconds, run))
    echo("decisions per second of CPU, one environment in this process:")
    for name, rate in sorted(rates.items(), key=lambda item: -item[1]):
        echo(f"  {name:20} {rate:9,.0f}")
    counts = dict.fromkeys([1, cores()])
    echo(f"the same, {GAMES} games at a time, by processes:")
    for name in game_names():
        best = dict.fromkeys(counts, 0.0)
        for run in range(given.runs):
            for processes in counts:
                best[processes] = max(best[processes], batch_rate(name, processes, given.seconds, run))
        figures = ", ".join(f"{processes}: {rate:,.0f}" for processes, rate in best.items())
        share = best[cores()] / best[1] / cores()
        echo(f"  {name:20} {figures}; {share:.2f} of linear")


if __name__ == "__main__":
    main()
