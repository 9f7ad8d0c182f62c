"""How long the report of a large tournament takes: `python -m tests.bench.report [--bots 100] [--rounds 50]`.

The games are made up, with thinking times and faults, and there are no records; two games at each table.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from msgspec import structs

from tests.bench.tournament import SEED
from tests.tournaments.competition.simulated import by_chance, stored
from tournaments.competition.progress import Progress
from tournaments.competition.results import tournament_standings
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails, GameThinking
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.new_manifest import new_manifest

FAULTS = 0.02
"""The share of games with a fault."""


def large_tournament(folder: Path, bots: int, rounds: int) -> int:
    """Write the folder of a finished tournament of made-up games into `folder`/cup. Returns their number."""
    file = folder / "cup.toml"
    entrants = "".join(f'[[bot]]\nbuiltin = "random"\nname = "bot {bot}"\n' for bot in range(bots))
    file.write_text(
        f'format = "round_robin"\ngame = "forbidden_city"\nname = "Bench"\n[round_robin]\nrounds = {rounds}\n{entrants}'
    )
    manifest = new_manifest(read_tournament(file), SEED, {})
    store = TournamentFolder.create(folder / "cup", file.read_text(), manifest, SEED, {})
    progress, play, random, games = Progress(manifest.regulations, SEED), by_chance(SEED), Random(SEED), 0
    with Database.open(store.database) as database:
        while (round_ := progress.next_round()) is not None:
            played = []
            for planned in progress.begin(round_).missing():
                faulty = planned.bots[:1] if random.random() < FAULTS else ()
                game = structs.replace(stored(planned, play(planned), faults=faulty), sha256="0" * 64)
                thinking = GameThinking(
                    decisions=200,
                    total_ms=900.0,
                    worst_ms=round(random.uniform(10, 900), 3),
                    counts=dict.fromkeys(range(100, 140), 5),
                )
                faults = tuple(None if code is None else f"{code}: no answer within 1000 ms" for code in game.faults)
                played.append((game, GameDetails(thinking=(thinking, thinking), faults=faults)))
                progress.add(game)
            database.write(rounds=[round_])
            for game, details in played:
                database.write(games=[(game, details)])
            progress.close()
            games += len(played)
    standings = tournament_standings(progress, True)
    finished = structs.replace(manifest.with_rounds(progress), finished=True, seed=SEED, standings=standings)
    store.write_manifest(finished)
    return games


def report_seconds(folder: Path) -> tuple[float, float]:
    """How long the command takes for `folder`/cup, and its CPU time, which others on the machine hardly affect."""
    command = [sys.executable, "-m", "referee", "tournament", "report", "cup", "--replays", "none"]
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        games = large_tournament(Path(folder), arguments.bots, arguments.rounds)
        seconds, cpu = report_seconds(Path(folder))
    print(f"report of {arguments.bots} bots and {games} games: {seconds:.1f} s, of CPU time {cpu:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
