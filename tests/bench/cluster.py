"""What a Dask cluster costs beside local workers, on this machine: `python -m tests.bench.cluster`.

Plays the tables of one round, each a deal in two rotations, with workers of the referee and then with as many workers
of Dask, in turn, and prints the best of some runs of each: milliseconds per table, games per second, and the CPU time
that each kind of process took for a table. With `--tables` it plays so many tables of a very short game on the cluster,
and prints how much memory the director and the scheduler gained, and the CPU time too. `nice -n 19` and a busy machine
change memory and CPU time little.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec import structs

from referee.bots.bot_spec import parse_bots
from referee.games import Game, find_game
from referee.players.clock import TimeControl
from referee.record.writer import Recorder
from tests.game_runner.pebbles import Pebbles
from tests.playing import plan_of
from tests.tournaments.play.cluster.real_cluster import REPOSITORY, RealCluster, real_cluster
from tests.tournaments.play.test_workers import pids_of
from tournaments.competition.progress import games_of
from tournaments.competition.rounds import Round, Table
from tournaments.event.round_schedule import RoundSchedule
from tournaments.play.cluster.settings import open_cluster
from tournaments.play.events import ignore
from tournaments.play.executor import Executor
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame
from tournaments.play.workers import start_workers

RUNS: Final = 3
WARM_UP: Final = 50
"""Tables before memory is measured: then all modules are loaded and all processes started."""
PARTS: Final = 5
"""How often memory is printed."""
TICK: Final = 1000 / os.sysconf("SC_CLK_TCK")
"""Milliseconds in a unit of /proc/PID/stat."""
TABLES: Final = {"built-in": 400, "python": 20}
"""Tables in a round."""
BOTS: Final = {
    "built-in": ["builtin:first", "builtin:first"],
    "python": [str(REPOSITORY / "bots" / "random-python")] * 2,
}


def cluster_plan(cluster: RealCluster, bots: list[str], concurrency: int, game: type[Game]) -> GamePlan:
    """A plan for games between these bots."""
    numbered = [structs.replace(bot, name=f"bot{number}") for number, bot in enumerate(parse_bots(bots))]
    given = {"control": TimeControl(move=10.0), "concurrency": concurrency, "executor": cluster.address}
    return plan_of(game, numbered, players=2, records_in_memory=True, **given)


async def seconds(executor: Executor, plan: GamePlan, tables: int, number: int) -> float:
    """How long a round takes."""
    round_ = Round(number=number, tables=(Table((0, 1)),) * tables, deals=1)
    schedule = RoundSchedule(games_of(round_, 1, "table"), "x", deals_of="table", exclusive={}, is_ending=bool)
    stored = 0

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        nonlocal stored
        await trio.lowlevel.checkpoint()
        stored += 1

    began = time.perf_counter()
    await executor.play(plan, schedule, store, Measurements(plan))
    assert stored == 2 * tables
    return time.perf_counter() - began


async def compare(cluster: RealCluster, processes: "list[subprocess.Popen[bytes]]", bots: str, tables: int) -> None:
    """Print what both cost."""
    workers = len(processes)
    plan = cluster_plan(cluster, BOTS[bots], workers, find_game("forbidden_city"))
    best = {"local": float("inf"), "dask": float("inf")}
    least: dict[str, dict[str, float]] = {}
    async with (
        start_workers(workers, ignore) as local,
        open_cluster(plan.conditions, ignore) as dask,
    ):
        for number in range(RUNS + 1):
            for name, executor in (("local", local), ("dask", dask)):
                before = cpu_by_role(cluster, processes, pids_of(local))
                taken = await seconds(executor, plan, tables, number + 1)
                after = cpu_by_role(cluster, processes, pids_of(local))
                if number:  # the first round starts the processes
                    best[name] = min(best[name], taken)
                    roles = ("director", "games") if name == "local" else tuple(after)  # the cluster idles meanwhile
                    used = {role: (after[role] - before[role]) / tables for role in roles}
                    least[name] = min(least.get(name, used), used, key=lambda each: sum(each.values()))
    overhead = (best["dask"] - best["local"]) / tables * 1000
    rates = {name: 2 * tables / taken for name, taken in best.items()}
    print(  # noqa: T201
        f"{bots} bots, {workers} workers, {tables} tables: local {rates['local']:.1f} games/s, dask {rates['dask']:.1f}"
        f" games/s ({rates['dask'] / rates['local']:.2f}); {overhead * workers:+.1f} ms per table and worker"
    )
    for name, used in least.items():
        print_cpu(name, used)


def resident(pid: int | str) -> float:
    """MiB of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1024**2


def cpu(pid: int | str) -> float:
    """Milliseconds of CPU time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def cpu_by_role(
    cluster: RealCluster, workers: "list[subprocess.Popen[bytes]]", local: Sequence[int] = ()
) -> dict[str, float]:
    """Milliseconds of CPU time that each kind of process has taken."""
    return {
        "director": cpu("self"),
        "scheduler": cpu(cluster.scheduler.pid),
        "workers of Dask": sum(cpu(worker.pid) for worker in workers),
        "games": sum(cpu(child) for worker in workers for child in children(worker.pid)) + sum(map(cpu, local)),
    }


def print_cpu(name: str, used: dict[str, float]) -> None:
    """Print milliseconds per table."""
    shown = ", ".join(f"{role} {milliseconds:.1f}" for role, milliseconds in used.items())
    print(f"{name}: ms of CPU time per table: {sum(used.values()):.1f} ({shown})")  # noqa: T201


async def grow(cluster: RealCluster, workers: "list[subprocess.Popen[bytes]]", tables: int) -> None:
    """Print how much memory is gained, and what a table takes."""
    plan = cluster_plan(cluster, BOTS["built-in"], 2, Pebbles)
    async with open_cluster(plan.conditions, ignore) as dask:
        await seconds(dask, plan, WARM_UP, 1)
        used, taken = cpu_by_role(cluster, workers), 0.0
        for part in range(PARTS + 1):
            if part:
                taken += await seconds(dask, plan, tables // PARTS, part + 1)
            director, scheduler = resident("self"), resident(cluster.scheduler.pid)
            played = part * (tables // PARTS)
            print(f"{played:6} tables, {taken:4.0f} s: director {director:.0f} MiB, scheduler {scheduler:.0f} MiB")  # noqa: T201
        each = {role: (now - used[role]) / played for role, now in cpu_by_role(cluster, workers).items()}
    print_cpu("dask", each)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, help="measure memory over so many tables")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--bots", choices=BOTS, default="built-in")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, real_cluster(Path(folder)) as cluster:
        workers = [cluster.worker() for _ in range(arguments.workers)]
        cluster.wait_for_workers()
        if arguments.tables is None:
            trio.run(compare, cluster, workers, arguments.bots, TABLES[arguments.bots])
        else:
            trio.run(grow, cluster, workers, arguments.tables)


if __name__ == "__main__":
    main()
