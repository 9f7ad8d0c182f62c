"""`make bench`: the cost of a decision for the referee, compared with bare referees that move the same bytes.

Prints CPU microseconds per decision of the referee process alone, with full observations, legal lists and records,
and the same as a ratio to a bare C referee and a bare Trio loop measured in the same run; then the speed of the
rules engines in random play; then the cost of a tournament in addition to its games; then what live pages cost; then
how long commands take to start. Every figure is the best of several runs, since noise only adds.
"""

import argparse
import cProfile
import gc
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from protocol import codec
from protocol.framing import MAX_LINE
from protocol.messages import HelloLimits, Quit
from protocol.record import PlayerInfo
from referee.connections.pipe import PipeConnection
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game, find_game, game_names, new_game
from referee.garbage import collect_rarely
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.session import BotSession
from referee.processes.bot_process import BotProcess, open_process
from referee.processes.keeper.client import KeeperClient
from referee.processes.keeper.lifetime import open_keeper
from referee.processes.launch import Launch
from referee.processes.limits.process_limits import ProcessLimits
from referee.record.writer import NoRecord, Recorder, RecordFile
from tests.bench import engines, start_up, tournament, watching
from tests.memory_connection import MemoryConnection

HERE: Final = Path(__file__).parent
BARE_TRIO: Final = str(HERE / "bare_trio.py")
CONCURRENCY: Final = (1, 8, 64)
CONTROL: Final = TimeControl(move=60.0)
LIMITS: Final = HelloLimits(
    line_bytes=MAX_LINE, info_bytes=codec.MAX_INFO, startup_ms=10000, margin_ms=50, quit_ms=1000
)
SEATS: Final = 2


def cpu() -> float:
    """CPU seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def compile_c(folder: Path, name: str) -> Path:
    """The program NAME.c of this folder, compiled."""
    program = folder / name
    subprocess.run(["cc", "-O2", "-std=c11", "-o", program, HERE / f"{name}.c"], check=True)
    return program


class CapturingBot(MemoryConnection):
    """A connection to a bot in this process: keeps the lines of a game and answers at random, like the fast bot."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.lines: list[bytes] = []
        self._rng = random.Random(seed)
        self._answer = b""

    async def send(self, line: bytes) -> None:
        """Take a line and prepare the answer."""
        message = json.loads(line)
        if message["type"] == "act":
            self.lines.append(line)
            index = self._rng.randrange(len(message["legal"]))
            self._answer = json.dumps({"type": "action", "id": message["id"], "index": index}).encode()

    async def receive(self) -> bytes:
        """Answer."""
        await trio.lowlevel.checkpoint()
        return self._answer


def setup(game: type[Game], number: int) -> GameSetup:
    """A two-player game in its default configuration."""
    return GameSetup(
        game_id=str(number),
        public_id=str(number),
        game=game,
        config=game.Config(players=SEATS),
        seed=f"bench {number}",
        names=["a", "b"],
        bot_seeds=[2 * number + 1, 2 * number + 2],
        control=CONTROL,
    )


async def play(game: type[Game], number: int, players: list[BotPlayer], recorder: Recorder) -> int:
    """Play a game and return the number of decisions that bots were asked."""
    runner = GameRunner(setup(game, number), players, [PlayerInfo(name="a"), PlayerInfo(name="b")], recorder)
    outcome = await runner.play()
    assert not any(outcome.faults), outcome.faults
    return outcome.asked


def capture(game: type[Game], path: Path, games: int = 5) -> int:
    """Write the `act` lines of a few real games to a file; their mean length in bytes."""
    lines: list[bytes] = []

    async def main() -> None:
        for number in range(games):
            bots = [CapturingBot(number), CapturingBot(-number - 1)]
            await play(game, number, [BotPlayer(BotSession(bot, CONTROL, LIMITS)) for bot in bots], NoRecord())
            lines.extend(line for bot in bots for line in bot.lines)

    trio.run(main)
    path.write_bytes(b"".join(lines))
    return sum(map(len, lines)) // len(lines)


def measure_referee(
    game: type[Game], concurrency: int, decisions: int, bot: Path, profile: Path | None = None
) -> float:
    """CPU microseconds per decision of this referee, with processes already started."""
    spent = 0.0
    asked: list[int] = []

    async def lane(bots: list[BotSession], number: int, games: int, folder: Path) -> None:
        for k in range(games):
            recorder = RecordFile(folder / f"{number}-{k}.jsonl")
            players = [BotPlayer(session) for session in bots]
            asked.append(await play(game, 1000 * number + k, players, recorder))

    async def main(folder: Path) -> None:
        nonlocal spent
        async with open_keeper(user_namespace=False) as keeper, trio.open_nursery() as processes:
            lanes = [[await start_bot(bot, keeper, processes) for _ in range(SEATS)] for _ in range(concurrency)]
            games = max(1, decisions // (100 * concurrency))
            gc.collect()
            collect_rarely()
            profiler = start_profile() if profile else None
            before = cpu()
            async with trio.open_nursery() as playing:
                for number, bots in enumerate(lanes):
                    playing.start_soon(lane, bots, number, games, folder)
            spent = cpu() - before
            if profiler is not None and profile is not None:
                profiler.disable()
                profiler.dump_stats(profile)
            for bots in lanes:
                for session in bots:
                    session.connection.close()

    # The records stay until the bench ends: for five seconds ext4 creates no file in place of a deleted one, and to
    # look through those of the last measurement would take half a millisecond for each record.
    trio.run(main, Path(tempfile.mkdtemp(dir=bot.parent)))
    return spent / sum(asked) * 1e6


def start_profile() -> Any:
    """A running profiler."""
    profiler = cProfile.Profile()
    profiler.enable()
    return profiler


async def own(launch: Launch, keeper: KeeperClient, *, task_status: trio.TaskStatus[BotProcess]) -> None:
    """Own a process until it has ended."""
    async with open_process(launch, limits=ProcessLimits(), keeper=keeper) as process:
        task_status.started(process)


async def start_bot(bot: Path, keeper: KeeperClient, processes: trio.Nursery) -> BotSession:
    """A fast bot that has said `ready`."""
    launch = Launch(argv=(str(bot.absolute()), "--random"), folder=Path.cwd(), environment={})
    process: BotProcess = await processes.start(own, launch, keeper)
    session = BotSession(PipeConnection(process, codec.encode(Quit()), 1.0), CONTROL, LIMITS)
    await session.greet()
    return session


def measure_bare(command: list[str]) -> float:
    """CPU microseconds per question of a bare referee."""
    done = subprocess.run(command, check=True, capture_output=True)
    return float(json.loads(done.stdout)["cpu_us_per_question"])


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


def best(measure: Callable[[], float], runs: int) -> float:
    """The smallest of several measurements."""
    return min(measure() for _ in range(runs))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=30000, help="decisions per measurement")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the best counts")
    parser.add_argument("--rounds", type=int, default=2, help="of 100 games each in a tournament of 20 bots")
    parser.add_argument("--profile", type=Path, help="also write a cProfile of 8 concurrent games to this file")
    options = parser.parse_args()
    measure_all(options)


def measure_all(options: argparse.Namespace) -> None:
    """Measure and print everything."""
    out = sys.stdout
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        bot, bare = compile_c(folder, "fast_bot"), compile_c(folder, "bare_referee")
        for name in game_names():
            game = find_game(name)
            traffic = folder / f"{name}.acts"
            size = capture(game, traffic)
            out.write(f"{name}, {SEATS} players, {size} bytes per act: CPU us per decision of the referee process\n")
            out.write(f"{'games':>6} {'bare C':>9} {'bare Trio':>10} {'referee':>9} {'/ C':>7} {'/ Trio':>7}\n")
            for games in CONCURRENCY:
                questions = str(max(100, options.decisions // games))
                arguments = [str(games), questions, str(traffic), str(bot), "--random"]
                c = best(partial(measure_bare, [str(bare), *arguments]), options.runs)
                loop = best(partial(measure_bare, [sys.executable, BARE_TRIO, *arguments]), options.runs)
                ours = best(partial(measure_referee, game, games, options.decisions, bot), options.runs)
                out.write(f"{games:>6} {c:>9.1f} {loop:>10.1f} {ours:>9.1f} {ours / c:>7.1f} {ours / loop:>7.1f}\n")
                out.flush()
            if options.profile:
                measure_referee(game, 8, options.decisions, bot, options.profile)
    for name in game_names():
        out.write(f"{name}, random play\n{engines.report(name)}\n")
        for players in (2, 4):
            late = best(partial(measure_slowdown, name, players), options.runs)
            out.write(f"{players} players: a decision in the last quarter of a game takes {late:.1f} times as long\n")
            out.flush()
    out.write("tournament, CPU seconds of the referee and all bots, which are processes that choose at random\n")
    out.write(f"{tournament.report(options.rounds, options.runs)}\n")
    out.write(f"{watching.report(game_names(), options.runs)}\n")
    out.write(f"{start_up.report(5 * options.runs)}\n")


if __name__ == "__main__":
    main()
