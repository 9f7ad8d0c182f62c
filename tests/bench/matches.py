"""What `referee match` costs for each question that a bot is asked, beside lower bounds, another commit and fastchess.

Whole matches as users play them (start, keeper, pool, records and all) between two compiled bots that answer at once
and count the questions they read. Forced decisions, which nobody is asked for, don't count. Runs are short and
alternate between all that is compared, so that other load on the machine falls on each alike; a ratio is the median of
those of runs side by side, with its interval. One that is too wide to tell anything is marked.
"""

import ctypes
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from referee.errors import RefereeError
from tests.bench.floors import Floors, compile_c

CHECKOUT: Final = Path(__file__).parents[2]
QUESTIONS_PER_GAME: Final = 90
"""About; only for the number of games."""
PLIES_PER_GAME: Final = 200
"""Of null_engine.c."""
MAX_WIDTH: Final = 1.15
"""The quotient of the ends of an interval above which a ratio tells nothing."""
PR_SET_CHILD_SUBREAPER: Final = 36


class BenchError(RefereeError):
    """Something can't be measured. The text says why."""


Measure = Callable[[], tuple[float, float]]
"""A run: what each question costs in microseconds, of CPU of all processes but the bots, and of wall clock."""


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Seconds of wall clock, and of CPU of a command and all that it has started. Raises BenchError.

    The keeper leaves its parent, so this process adopts what the command leaves behind, and waits for it.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folder.mkdir()  # of its own: bots are hashed with all that lies in their working directory
    output = folder / "output"
    with output.open("wb") as file:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        cpu, wall = 0.0, 0.0
        while True:
            try:
                pid, status, used = os.wait4(-1, 0)
            except ChildProcessError:
                break
            cpu += used.ru_utime + used.ru_stime
            if pid == process.pid:
                wall = time.perf_counter() - start
                process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = output.read_text(errors="replace")[-2000:]
        raise BenchError(f"{command[0]} has ended with status {process.returncode}: {text}")
    return wall, cpu


def environment(source: Path) -> dict[str, str]:
    """That of a command which imports the packages of this checkout, and keeps what Python compiles of them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPATH": str(source)
    }


def bots_usage(file: Path) -> tuple[int, float]:
    """The questions that fast bots have answered, and their CPU seconds, as each writes them when it ends."""
    rows = [line.split() for line in file.read_text().splitlines()]
    return sum(int(asked) for asked, _ in rows), sum(int(used) for _, used in rows) / 1e6


def referee(game: str, at_once: int, questions: int, bot: Path, source: Path, *options: str) -> tuple[float, float]:
    """A match of the referee of a checkout, with as many workers as it chooses. `options`: of the bots.

    Its records stay until the bench ends: for some seconds ext4 creates no file in place of a deleted one, and to look
    through those of the last run would take half a millisecond for each record.
    """
    folder = Path(tempfile.mkdtemp(dir=bot.parent))
    usage = folder / "usage"
    command = " ".join([str(bot), "--random", "--usage", str(usage), *options])
    games = max(at_once, questions // QUESTIONS_PER_GAME // 2)
    arguments = ["-m", "referee", "match", f"a={command}", f"b={command}", "--game", game, "--games", str(games),
                 "--concurrency", str(at_once), "--sandbox", "none", "--record", "records",
                 "--move-time", "60s"]  # fmt: skip
    wall, cpu = run([sys.executable, *arguments], folder / "match", environment(source))
    asked, used = bots_usage(usage)
    lines = [line for file in folder.glob("match/records/*.jsonl") for line in file.read_bytes().splitlines()]
    made = sum(line.startswith(b'{"type":"decision"') and b'"forced":true' not in line for line in lines)
    if made != asked:
        raise BenchError(f"bots were asked {asked} questions, and {made} decisions are recorded that were not forced")
    return (cpu - used) / asked * 1e6, wall / asked * 1e6


def fastchess(program: Path, at_once: int, plies: int, engine: Path) -> tuple[float, float]:
    """A match of fastchess."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        usage = folder / "usage"
        rounds = max(at_once, plies // PLIES_PER_GAME // 2)
        engines = [
            argument for name in "ab" for argument in ("-engine", f"cmd={engine}", f"name={name}", f"args={usage}")
        ]
        command = [str(program), *engines, "-each", "tc=60+1", "-rounds", str(rounds), "-games", "2", "-concurrency",
                   str(at_once), "-force-concurrency", "-maxmoves", str(PLIES_PER_GAME // 2), "-pgnout",
                   "file=games.pgn"]  # fmt: skip
        wall, cpu = run(command, folder / "match")
        asked, used = bots_usage(usage)
        made = sum(map(int, re.findall(r'\[PlyCount "(\d+)"\]', (folder / "match" / "games.pgn").read_text())))
    if made != asked:
        raise BenchError(f"fastchess has played {made} plies, and its engines were asked for {asked}")
    return (cpu - used) / asked * 1e6, wall / asked * 1e6


@contextmanager
def other_checkout(revision: str) -> Iterator[Path]:
    """The files of this repository at another revision. Raises BenchError."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "referee"
        archive = ["git", "-C", str(CHECKOUT), "archive", "--format=tar", revision]
        done = subprocess.run(archive, check=False, capture_output=True)
        if done.returncode:
            raise BenchError(f"{revision} can't be measured: {done.stderr.decode(errors='replace').strip()}")
        folder.mkdir()
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=done.stdout)
        where = [sys.executable, "-c", "import referee; print(referee.__file__)"]
        found = subprocess.run(where, cwd=scratch, env=environment(folder), check=True, capture_output=True)
        if not Path(found.stdout.decode().strip()).is_relative_to(folder):
            raise BenchError(f"{revision} can't be measured: its package is not the one that Python imports")
        yield folder


class Ratio(NamedTuple):
    """The median of some ratios, and an interval that has the true median in it 19 times of 20, or nearly."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ratios: Iterable[float]) -> "Ratio":
        """From ratios of runs side by side. The interval goes between the order statistics that the binomial
        distribution gives: with under six pairs from the least to the greatest."""
        ordered = sorted(ratios)
        count = len(ordered)
        outside = 0
        while 2 * sum(math.comb(count, k) for k in range(outside + 1)) / 2**count <= 0.05:
            outside += 1
        skip = max(0, outside - 1)
        return cls(statistics.median(ordered), ordered[skip], ordered[count - 1 - skip])

    @property
    def tells(self) -> bool:
        """Whether the interval is narrow enough."""
        return self.high <= MAX_WIDTH * self.low

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}-{self.high:.2f}{'' if self.tells else ', too wide to tell'})"


def alternate(measures: Mapping[str, Measure], runs: int) -> dict[str, list[tuple[float, float]]]:
    """Some runs of each; every second time in the opposite order."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in measures}
    for number in range(runs):
        for name in list(measures)[:: -1 if number % 2 else 1]:
            found[name].append(measures[name]())
    return found


def table(measures: Mapping[str, Measure], runs: int) -> list[str]:
    """A line for each of them with its median cost, and the ratio of the first one to it."""
    found = alternate(measures, runs)
    first, *_ = found.values()
    lines = []
    for name, costs in found.items():
        cpu, wall = (statistics.median(column) for column in zip(*costs, strict=True))
        line = f"  {name:<21}{cpu:>8.1f} {wall:>8.1f}"
        if costs is not first:
            pairs = [*zip(costs, first, strict=True)]
            ratios = (Ratio.of(own[i] / one[i] for one, own in pairs) for i in range(2))
            line += "   " + "   ".join(map(str, ratios))
        lines.append(line)
    return lines


HEADER: Final = (
    "us per question           CPU     wall   this checkout as a multiple: of the CPU, and of the wall clock"
)


def report(
    games: Sequence[str],
    concurrency: Sequence[int],
    *,
    questions: int,
    runs: int,
    against: str | None = None,
    peer: Path | None = None,
) -> Iterator[str]:
    """Lines: for each game and number of concurrent games what a question costs here, for bots that don't read
    observations, in the lower bounds, in another commit and in fastchess. Raises BenchError."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        other = None if against is None else stack.enter_context(other_checkout(against))
        bot = compile_c(folder, "fast_bot")
        engine = compile_c(folder, "null_engine")
        yield HEADER
        for source in filter(None, (CHECKOUT, other)):  # Python compiles what is imported in the first run
            referee(games[0], 1, 1, bot, source)
        for game in games:
            floors = Floors(folder, game, bot)
            for at_once in concurrency:
                yield f"{game}, {at_once} at once, two players, {floors.size} bytes a question"
                match = partial(referee, game, at_once, questions, bot)
                measures: dict[str, Measure] = {
                    "this checkout": partial(match, CHECKOUT),
                    "without observations": partial(match, CHECKOUT, "--events"),
                    "bare Trio": partial(floors.trio, at_once, questions),
                    "bare C with epoll": partial(floors.c, at_once, questions),
                }
                if other is not None:
                    measures[f"commit {against}"] = partial(match, other)
                if peer is not None:
                    measures["fastchess"] = partial(fastchess, peer, at_once, questions, engine)
                yield from table(measures, runs)
