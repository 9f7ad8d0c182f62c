"""`python -m tests.bench.memory`: the memory of the referee, as the kernel counts it (proc_pid_status(5)).

`match`: what a match keeps per game, and its peak up to the printed results. A very small game is played by built-in
players. `tournament`: a round robin of 1,000 bots with made-up results: its state, and its final standings with the CPU
time that they take. `director`: what a tournament keeps per game whose record and result are stored. `live`: what a
running game costs, with a process for each bot; at this moment all of them are in mid-game.

Every measurement is a process of its own.
"""

import argparse
import contextlib
import gc
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio
from msgspec import structs

from protocol import codec
from protocol.messages import Quit
from referee.cli.match_report import show_result
from referee.connections.pipe import PipeConnection
from referee.games import find_game, game_names
from referee.players.session import BotSession
from referee.processes.bot_process import BotProcess, open_process
from referee.processes.keeper.client import KeeperClient
from referee.processes.keeper.lifetime import open_keeper
from referee.processes.launch import Launch
from referee.processes.limits.machine import provide_for
from referee.processes.limits.process_limits import ProcessLimits
from referee.record.writer import RecordFile
from referee.reports.match_results import MatchSummary
from tests.bench.floors import CONTROL, LIMITS, SEATS, compile_c, play
from tests.bench.tournament import SEED, play_tournament
from tests.game_runner.pebbles import Pebbles, registered_pebbles
from tests.tournaments.competition.simulated import by_chance, stored
from tournaments.competition.progress import Progress
from tournaments.competition.results import tournament_standings
from tournaments.event.file.file_as_run import file_as_run
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.new_manifest import new_manifest
from tournaments.play.conditions import Conditions
from tournaments.play.events import GameBegun, LiveEvent
from tournaments.play.match import play_match
from tournaments.play.match_spec import MatchSpec

EARLY: Final = 1000
"""Games after which a match has all that it needs from the start."""
MIB: Final = 1024
"""KiB."""


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


def memory(what: str = "VmRSS") -> int:
    """KiB of memory of this process now; VmHWM: at most so far."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(f"{what}:")).split()[1])


def match(games: int, records: str, shown: str) -> str:
    """A match of very small games; its results are printed as text or JSON."""
    early, count = 0, 0

    def on_game(_: object) -> None:
        nonlocal early, count
        count += 1
        if count == EARLY:
            early = memory()

    with tempfile.TemporaryDirectory() as folder, registered_pebbles():
        spec = MatchSpec(
            bots=["builtin:random", "builtin:first"],
            game=Pebbles.name,
            deals=games // 2,
            seed=SEED,
            keep_records=records == "on",
            records=Path(folder) if records == "on" else None,
            conditions=Conditions(concurrency=8),
        )
        result = trio.run(play_match, spec, on_game)
        played = memory()
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            show_result(MatchSummary(result, broken_off=False, state=None), spec, as_json=shown == "json")
    peak = memory("VmHWM")
    return (
        f"match, {games} games, records {records}, results as {shown}: {early / MIB:.1f} MiB after {EARLY} games,"
        f" {played / MIB:.1f} at the end ({(played - early) * 1024 / (games - EARLY):.0f} bytes per game),"
        f" {peak / MIB:.1f} at most, when the results are printed"
    )


def round_robin(folder: Path, bots: int, games: int) -> Path:
    """The file of a round robin of this many games."""
    file = folder / "cup.toml"
    entrants = "".join(f'[[bot]]\nbuiltin = "random"\nname = "bot {bot}"\n' for bot in range(bots))
    rounds = max(1, games // (bots // 2 * 2))
    file.write_text(
        f'format = "round_robin"\ngame = "{Pebbles.name}"\ndeals = 1\n[round_robin]\nrounds = {rounds}\n'
        f'[run]\nsandbox = "none"\nconcurrency = 8\n{entrants}'
    )
    return file


def made_up(games: int, bots: int) -> str:
    """The state of a tournament whose results are made up."""
    with tempfile.TemporaryDirectory() as folder, registered_pebbles():
        regulations = new_manifest(read_tournament(round_robin(Path(folder), bots, games)), SEED, {}).regulations
        progress, scores, count, early, before = Progress(regulations, SEED), by_chance(SEED), 0, 0, 0
        while (round_ := progress.next_round()) is not None:
            for planned in progress.begin(round_).missing():
                progress.add(structs.replace(stored(planned, scores(planned)), sha256=f"{count:064}"))
                count += 1
            progress.close()
            if not early:
                early, before = memory(), count
        played = memory()
        start = time.process_time()
        tournament_standings(progress, True)
        seconds = time.process_time() - start
    per_game = (played - early) * 1024 / (count - before)
    return (
        f"tournament, {bots} bots, {count} games with made-up results: {played / MIB:.1f} MiB ({per_game:.0f} bytes per"
        f" game), {memory('VmHWM') / MIB:.1f} at most, in {seconds:.0f} s of CPU time for final standings"
    )


def directed(games: int, bots: int) -> str:
    """A tournament whose games are played and stored."""
    first, last = games // 4, games * 9 // 10
    count, found = 0, {}

    def observe(event: LiveEvent) -> None:
        nonlocal count
        count += isinstance(event, GameBegun)
        if count in (first, last) and count not in found:
            found[count] = memory()

    with tempfile.TemporaryDirectory() as temporary, registered_pebbles():
        folder = Path(temporary)
        file = round_robin(folder, bots, games)
        spec = read_tournament(file)
        store = TournamentFolder.create(
            folder / "cup", file_as_run(file, spec.bots), new_manifest(spec, SEED, {}), SEED, {}
        )
        trio.run(play_tournament, spec, store, observe)
    per_game = (found[last] - found[first]) * 1024 / (last - first)
    return (
        f"director, {bots} bots, {count} games played and stored: {found[first] / MIB:.1f} MiB after {first},"
        f" {found[last] / MIB:.1f} after {last} ({per_game:.0f} bytes per game), {memory('VmHWM') / MIB:.1f} at most,"
        " with final standings"
    )


def live(name: str, games: int) -> str:
    """Games that are played at the same time by bots in processes, with records: the peak, and what it was before."""
    game, before = find_game(name), 0

    async def main(folder: Path) -> None:
        nonlocal before
        bot = compile_c(folder, "fast_bot")
        async with open_keeper(user_namespace=False) as keeper, trio.open_nursery() as processes:
            before = memory()
            sessions = [[await start_bot(bot, keeper, processes) for _ in range(SEATS)] for _ in range(games)]
            async with trio.open_nursery() as playing:
                for number, bots in enumerate(sessions):
                    playing.start_soon(play, game, number, bots, RecordFile(folder / f"{number}.jsonl"))
            for session in itertools.chain(*sessions):
                session.connection.close()

    with tempfile.TemporaryDirectory() as folder:
        provide_for(games, SEATS, 1)
        trio.run(main, Path(folder))
    peak = memory("VmHWM")
    return (
        f"live, {name}: {games} games at a time: {before / MIB:.1f} MiB without, {peak / MIB:.1f} at most"
        f" ({(peak - before) / games / MIB:.3f} MiB per game)"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["match", "tournament", "director", "live", []], default=[])
    parser.add_argument("--games", type=int, default=50_000, help="of a match")
    parser.add_argument("--tournament-games", type=int, default=100_000, help="of tournaments")
    parser.add_argument("--bots", type=int, default=1000, help="of tournaments")
    parser.add_argument("--live", type=int, nargs="+", default=[1, 64, 512], help="games at a time")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, *values = options.one
        line = MEASUREMENTS[name](*(int(value) if value.isdigit() else value for value in values))
        sys.stdout.write(f"{line}\n")
        return
    games, bots = str(options.games), str(options.bots)
    runs: dict[str, list[tuple[str, ...]]] = {
        "match": [(games, records, shown) for records in ("off", "on") for shown in ("text", "json")],
        "tournament": [(str(options.tournament_games), bots)],
        "director": [(str(options.tournament_games), bots)],
        "live": [(name, str(number)) for name in game_names() for number in options.live],
    }
    for what in options.what or runs:
        for values in runs[what]:
            subprocess.run([sys.executable, "-m", "tests.bench.memory", "--one", what, *values], check=True)


MEASUREMENTS: Final[dict[str, Callable[..., str]]] = {
    "match": match,
    "tournament": made_up,
    "director": directed,
    "live": live,
}

if __name__ == "__main__":
    main()
