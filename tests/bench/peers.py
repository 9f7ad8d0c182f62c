"""Matches beside fastchess, in one run: `make bench ARGS="--peers FASTCHESS"`, with the path of a checkout of it.

Two bots that answer at once play on both sides, records on: `fast_bot.c` in the referee's games, and `null_engine.c` in
chess. For some numbers of concurrent games, decisions (plies) per second of wall clock, from the start of the process
to its end, and CPU microseconds of the referee (of fastchess) for each, without bots. The runs alternate, and the best
of each counts.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from referee.errors import RefereeError
from referee.games import game_names

AT_ONCE: Final = (1, 2, 8, 32)
PLIES_PER_GAME: Final = 200
DECISIONS_PER_GAME: Final = 100
"""About; only for the number of games. Those that were made are counted."""


class PeerError(RefereeError):
    """Another program can't be measured. The text says what is missing."""


class Cost(NamedTuple):
    """What a match costs."""

    per_second: float
    """Decisions, or plies, per second of wall clock."""
    cpu: float
    """CPU microseconds for each."""


def build(checkout: Path) -> Path:
    """Build fastchess from a checkout. Raises PeerError."""
    if not (checkout / "app" / "Makefile").is_file():
        raise PeerError(f"{checkout} is not a checkout of fastchess (https://github.com/Disservin/fastchess)")
    done = subprocess.run(["make", "-j2"], check=False, cwd=checkout, capture_output=True, text=True)
    program = checkout / "fastchess"
    if done.returncode or not program.is_file():
        raise PeerError(f"fastchess can't be built in {checkout}: {done.stderr[-2000:]}")
    return program.absolute()


def measure(command: Sequence[str], folder: Path, *, with_children: bool) -> tuple[float, float]:
    """Seconds of wall clock and of CPU of a command, of its children too if asked for. Raises PeerError."""
    with (folder / "output").open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        process.wait()
    if process.returncode:
        text = (folder / "output").read_text(errors="replace")[-2000:]
        raise PeerError(f"{command[0]} has ended with status {process.returncode}: {text}")
    return wall, sum(map(int, times if with_children else times[:2])) / os.sysconf("SC_CLK_TCK")


def measure_referee(game: str, at_once: int, decisions: int, bot: Path) -> Cost:
    """A match of the referee, with as many workers as it chooses."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        games = max(at_once, decisions // DECISIONS_PER_GAME)
        command = [sys.executable, "-m", "referee", "match", f"{bot} --random", f"{bot} --random", "--game", game,
                   "--games", str(games), "--concurrency", str(at_once), "--sandbox", "none", "--record", "records",
                   "--move-time", "60s"]  # fmt: skip
        # The keeper leaves its parent and takes the bots with it, so the children that are counted are the workers.
        wall, cpu = measure(command, folder, with_children=True)
        made = sum(file.read_bytes().count(b'{"type":"decision"') for file in (folder / "records").iterdir())
    return Cost(made / wall, cpu / made * 1e6)


def measure_fastchess(program: Path, at_once: int, plies: int, engine: Path) -> Cost:
    """A match of fastchess."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rounds = max(at_once, plies // PLIES_PER_GAME // 2)
        command = [str(program), "-engine", f"cmd={engine}", "name=a", "-engine", f"cmd={engine}", "name=b", "-each",
                   "tc=60+1", "-rounds", str(rounds), "-games", "2", "-concurrency", str(at_once),
                   "-force-concurrency", "-maxmoves", str(PLIES_PER_GAME // 2),
                   "-pgnout", "file=games.pgn"]  # fmt: skip
        wall, cpu = measure(command, folder, with_children=False)
        made = sum(map(int, re.findall(r'\[PlyCount "(\d+)"\]', (folder / "games.pgn").read_text())))
    if made != 2 * rounds * PLIES_PER_GAME:
        raise PeerError(f"fastchess has played {made} plies, not {PLIES_PER_GAME} in each of {2 * rounds} games")
    return Cost(made / wall, cpu / made * 1e6)


def report(checkout: Path, decisions: int, runs: int, bot: Path, engine: Path) -> str:
    """A table: for each number of concurrent games what fastchess and the referee do per second, and its CPU."""
    fastchess = build(checkout)
    names = game_names()
    lines = ["decisions or plies per second of wall clock · CPU us of the manager for each, best of some runs"]
    lines.append(f"{'games':>5} {'fastchess':>20}" + "".join(f" {name:>20}" for name in names))
    for at_once in AT_ONCE:
        found: dict[str, list[Cost]] = {name: [] for name in ("fastchess", *names)}
        for _ in range(runs):
            found["fastchess"].append(measure_fastchess(fastchess, at_once, decisions, engine))
            for name in names:
                found[name].append(measure_referee(name, at_once, decisions, bot))
        best = [Cost(max(c.per_second for c in costs), min(c.cpu for c in costs)) for costs in found.values()]
        lines.append(f"{at_once:>5}" + "".join(f" {f'{cost.per_second:,.0f} · {cost.cpu:.0f}':>20}" for cost in best))
    return "\n".join(lines)
