"""CPU of the referee per game: of whole games, and of futures of a position in the middle of one, with two fast bots.

python -m tests.bench.futures year_of_the_dragon forbidden_city
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import trio

from referee import play_match
from referee.record.position import NoSuchPosition, position_at
from tests.playing import match_of

SOURCE: Final = Path(__file__).with_name("fast_bot.c")
GAMES: Final = 1000
RUNS: Final = 3


def cpu_per_game(bots: list[str], deals: int = GAMES, **given: Any) -> float:
    """Milliseconds of this process, with records."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    spec = match_of(*bots, deals=deals, seed="s", rotate=False, concurrency=2, sandbox="none", **given)
    games = trio.run(play_match, spec).games
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert not any(True for _ in games.with_faults())
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(games) * 1000


def measure(game: str, folder: Path) -> None:
    """Print the least of several runs, as noise only adds."""
    program = folder / "fast"
    subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
    bots = [f"a={program}", f"b={program}"]
    cpu_per_game(bots, 1, game=game, records=folder / "one")
    [record] = (folder / "one").glob("*.jsonl")
    middle = 0
    try:
        while True:
            position_at(record, middle * 2 + 2)
            middle += 1
    except NoSuchPosition:
        pass
    runs = [
        (
            cpu_per_game(bots, game=game, records=folder / f"whole{run}"),
            cpu_per_game(bots, played_on=f"{record}#{middle}", records=folder / f"futures{run}"),
        )
        for run in range(RUNS)
    ]
    whole, future = map(min, zip(*runs, strict=True))
    sys.stdout.write(f"{game}: whole {whole:.2f} ms, future of #{middle} {future:.2f} ms: {future / whole:.2f}\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            measure(name, Path(temporary))
