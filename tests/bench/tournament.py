"""The cost of a tournament in addition to its games: scheduling, storing and the live view."""

import os
import pty
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import trio

from referee.cli.tournament.live_view import observer_for, watch
from tests.playing import play_games
from tournaments.competition.progress import Progress
from tournaments.event.director import Director
from tournaments.event.file.file_as_run import file_as_run
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.round_schedule import RoundSchedule
from tournaments.event.store.database import Database
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.new_manifest import new_manifest
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer
from tournaments.play.interruption import Interruption
from tournaments.play.plan import GamePlan

BOTS: Final = 20
DEALS: Final = 5
"""A round has 10 tables with 5 deals in 2 rotations: 100 games."""
SEED: Final = "bench"
RANDOM_BOT: Final = Path(__file__).parents[2] / "bots" / "random-python"


class Cost(NamedTuple):
    """The resources used by a process and its children."""

    cpu: float
    """Seconds."""
    peak: float
    """MiB of memory of the process itself."""


def tournament_file(folder: Path, rounds: int) -> Path:
    """A round robin of 20 bots that choose at random."""
    bots = "".join(f'[[bot]]\npath = "{RANDOM_BOT}"\nname = "random{bot}"\n' for bot in range(BOTS))
    file = folder / "bench.toml"
    file.write_text(
        f'format = "round_robin"\ngame = "year_of_the_dragon"\nseed = "bench"\ndeals = {DEALS}\n'
        f'[round_robin]\nrounds = {rounds}\n[clock]\nmove = "60s"\n[run]\nsandbox = "none"\nconcurrency = 2\n{bots}'
    )
    return file


def plan(spec: TournamentSpec, records: Path) -> GamePlan:
    """The games as `referee match` plays them, with plain records."""
    return GamePlan(
        game=spec.regulations.game_type,
        config=spec.regulations.full_config,
        bots=[bot.spec for bot in spec.bots],
        conditions=Conditions(control=spec.conditions.control, concurrency=spec.conditions.concurrency or 1),
        records=records,
    )


async def play_alone(spec: TournamentSpec, folder: Path) -> None:
    """Play the games of all rounds, without a tournament around them."""
    progress = Progress(spec.regulations, SEED)
    for round_ in spec.regulations.format_settings.plan(spec.regulations.format_context(SEED)).schedule or ():
        games = progress.begin(round_).missing()
        progress.current = None
        schedule = RoundSchedule(games, SEED, deals_of=spec.regulations.deals_of, exclusive={}, is_ending=lambda: False)
        await play_games(plan(spec, folder), schedule, lambda played: None)


async def play_tournament(spec: TournamentSpec, folder: TournamentFolder, observer: Observer) -> None:
    """Play the whole tournament."""
    loaded = load(folder, repair=True)
    with Database.open(folder.database) as database:
        director = Director(
            spec,
            folder,
            database,
            loaded.progress,
            sandbox=None,
            files={},
            observer=observer,
            interruption=Interruption(),
        )
        await director.run()


def run(what: str, file: Path, folder: Path) -> None:
    """The work of a measured process."""
    spec = read_tournament(file)
    if what == "alone":
        folder.mkdir()
        trio.run(play_alone, spec, folder)
        return
    store = TournamentFolder.create(folder, file_as_run(file, spec.bots), new_manifest(spec, SEED, {}), SEED, {})
    with observer_for() as view:

        async def play() -> None:
            await watch(view, Interruption(), lambda: play_tournament(spec, store, view.observe))

        trio.run(play)


def measure(what: str, file: Path, folder: Path) -> Cost:
    """Run this in a separate process, on a pseudo-terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench.tournament", what, str(file), str(folder)])
    output = b""
    while chunk := read(terminal):
        output = (output + chunk)[-4000:]
    _, status, used = os.wait4(pid, 0)
    os.close(terminal)
    if status:
        raise RuntimeError(output.decode(errors="replace"))
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def read(terminal: int) -> bytes:
    """The next bytes written to a terminal; empty at its end."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux's way to say that nobody has it open any more
        return b""


def report(rounds: int, runs: int) -> str:
    """A line for people: the cost that a tournament adds, and its memory compared with that of its first quarter."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        file = tournament_file(folder, rounds)
        pairs = [
            (measure("alone", file, folder / f"alone{run}"), measure("tournament", file, folder / f"whole{run}"))
            for run in range(runs)
        ]
        quarter = measure("tournament", tournament_file(folder, max(1, rounds // 4)), folder / "quarter")
    alone, whole = min(pairs, key=lambda pair: pair[1].cpu / pair[0].cpu)
    games = rounds * (BOTS // 2) * DEALS * 2
    return (
        f"{games} games of {BOTS} bots: {alone.cpu:.1f} s alone, {whole.cpu:.1f} s in a tournament on a terminal:"
        f" {whole.cpu / alone.cpu - 1:+.1%}; peak memory {whole.peak:.0f} MiB, of its first quarter {quarter.peak:.0f}"
    )


if __name__ == "__main__":
    run(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
