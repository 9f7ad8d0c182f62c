"""What several workers gain: `python -m tests.bench.workers [--workers 2] [--concurrency 8] [--bots fast]`.

Plays the same match in this process and with workers that have been started, in turn, and prints the median of some
runs of each: games per second, and milliseconds of CPU time per game of the director and of the workers. Then it prints
what the workers gain: as measured, and as it would be if they kept all their cores busy, which is the number of workers
times the CPU time of one process, by that of all. Other programs on the machine change the first much more than the
second.

The CPU time of bots is not counted: with `--bots fast` they take some of that of both cores, so the gain is lower.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import trio

from referee.bots.bot_spec import parse_bots
from referee.games import DEFAULT_GAME, find_game, game_names
from referee.players.clock import TimeControl
from referee.record.writer import Recorder
from tests.bench.floors import compile_c
from tests.playing import plan_of
from tests.tournaments.play.test_workers import pids_of
from tournaments.play.events import ignore
from tournaments.play.executor import Executor
from tournaments.play.local import InProcess
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame
from tournaments.play.schedule import Phases, rotations
from tournaments.play.workers import start_workers

SEATS: Final = 2
GAMES: Final = {"builtin": 600, "fast": 200}
"""Games of a match."""


class Cost(NamedTuple):
    """What a game costs."""

    milliseconds: float
    """Of wall clock."""
    director: float
    """Milliseconds of CPU time."""
    workers: float

    @property
    def cpu(self) -> float:
        """Milliseconds of CPU time of all processes of the referee."""
        return self.director + self.workers

    def __str__(self) -> str:
        return (
            f"{1000 / self.milliseconds:6.0f} games/s; ms of CPU time per game: {self.cpu:.2f}"
            f" (director {self.director:.2f}, workers {self.workers:.2f})"
        )


def cpu(pids: Sequence[int | str]) -> float:
    """Milliseconds of CPU time that these processes have taken so far."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e6


async def play(executor: Executor, plan: GamePlan, games: int, pids: Sequence[int] = ()) -> Cost:
    """Play a match."""
    stored = 0

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        nonlocal stored
        stored += 1

    deals = rotations(games // SEATS, SEATS, "bench", concurrency=plan.conditions.games_at_a_time)
    began, own, others = time.perf_counter(), cpu(["self"]), cpu(pids)
    await executor.play(plan, Phases(deals, apart=not plan.only_builtin), store, Measurements(plan))
    assert stored == games
    taken = (time.perf_counter() - began) * 1000, cpu(["self"]) - own, cpu(pids) - others
    return Cost(*(each / games for each in taken))


async def compare(plan: GamePlan, workers: int, games: int, runs: int) -> tuple[Cost, Cost]:
    """What a match costs in one process, and with so many workers."""
    alone: list[Cost] = []
    together: list[Cost] = []
    async with start_workers(workers, ignore) as started:
        await play(started, plan, games)  # starts them
        for _ in range(runs):
            alone.append(await play(InProcess(ignore), plan, games))
            together.append(await play(started, plan, games, pids_of(started)))
    return median(alone), median(together)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each cost. Other programs make the least one of a single process lower than that of several."""
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--game", choices=game_names(), default=DEFAULT_GAME)
    parser.add_argument("--bots", choices=GAMES, default="builtin", help="fast: programs in C that answer at once")
    parser.add_argument("--records", action="store_true", help="with records")
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bot = "builtin:random"
        if arguments.bots == "fast":
            bot = f"{compile_c(Path(folder), 'fast_bot')} --random"
        game = find_game(arguments.game)
        given = {"concurrency": arguments.concurrency, "records_in_memory": arguments.records}
        plan = plan_of(game, parse_bots([bot] * SEATS), control=TimeControl(move=60.0), **given)
        one, more = trio.run(compare, plan, arguments.workers, GAMES[arguments.bots], arguments.runs)
    print(f"one process  {one}")  # noqa: T201
    print(f"{arguments.workers} workers    {more}")  # noqa: T201
    gain = one.milliseconds / more.milliseconds
    print(f"gain {gain:.2f}, with all cores busy {arguments.workers * one.cpu / more.cpu:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
