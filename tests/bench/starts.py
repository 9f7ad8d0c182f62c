"""`python -m tests.bench.starts`: how long the event loop of the referee is held up while many bots start at once.

A match whose games all begin at the same time, each with one process of a bot; the next rotation starts them all again.
A turn of the event loop begins when it has waited for input, and ends when it waits again: whatever comes meanwhile is
read that late. The lag is what the referee measures itself (docs/matches.md, "Event loop lag"); other programs on the
machine, and the bots themselves, add to it, but not to the CPU time of a turn.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, Literal

import trio

from referee.players.clock import TimeControl
from tests.bench.__main__ import compile_c
from tests.bench.tournament import RANDOM_BOT
from tournaments.play.events import LiveEvent, MatchBegun
from tournaments.play.match import MatchSpec, play_match

SLOWEST: Final = 3
"""Steps of tasks that are shown."""


class Turns(trio.abc.Instrument):
    """The longest turn of the event loop, and the longest steps of its tasks, in CPU seconds of the thread."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.wall = 0.0
        self.turns = 0
        self.steps: dict[str, float] = {}
        self._began = (time.thread_time(), time.perf_counter())
        self._step = 0.0

    def forget(self) -> None:
        """Begin again, in the middle of a step."""
        self.__init__()  # type: ignore[misc]
        self._step = time.thread_time()

    def after_io_wait(self, timeout: float) -> None:
        self._began = (time.thread_time(), time.perf_counter())

    def before_io_wait(self, timeout: float) -> None:
        self.turns += 1
        self.cpu = max(self.cpu, time.thread_time() - self._began[0])
        self.wall = max(self.wall, time.perf_counter() - self._began[1])

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._step = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        took = time.thread_time() - self._step
        self.steps[task.name] = max(took, self.steps.get(task.name, 0.0))


def measure(bot: str, starts: int, rotations: int, sandbox: Literal["auto", "none"]) -> str:
    """Play the match, and describe its turns."""
    turns = Turns()

    def observe(event: LiveEvent) -> None:
        if isinstance(event, MatchBegun):  # no clock runs while a match is prepared
            turns.forget()

    async def main(records: Path) -> str:
        spec = MatchSpec(
            bots=[bot, "builtin:first"],
            deals=starts * rotations // 2,
            seed="starts",
            concurrency=starts,
            workers=1,
            records=records / "records",
            sandbox=sandbox,
            control=TimeControl(move=60.0, startup=60.0),
        )
        trio.lowlevel.add_instrument(turns)
        result = await play_match(spec, observer=observe)
        faults = sum(1 for _ in result.games.with_faults())
        return f"lag: 99 % {result.lag.p99_ms:.1f} ms, worst {result.lag.max_ms:.1f} ms; {faults} faults"

    with tempfile.TemporaryDirectory() as folder:
        lag = trio.run(main, Path(folder))
    slowest = sorted(turns.steps.items(), key=lambda step: -step[1])[:SLOWEST]
    steps = "".join(f"\n    {seconds * 1000:6.2f} ms  {name}" for name, seconds in slowest)
    return (
        f"{starts} starts at once, sandbox {sandbox}: longest turn {turns.cpu * 1000:.2f} ms of CPU,"
        f" {turns.wall * 1000:.2f} ms in all, of {turns.turns}; {lag}{steps}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=64, help="processes that start at once")
    parser.add_argument("--rotations", type=int, default=2, help="how often, in all")
    parser.add_argument("--python", action="store_true", help="with bots in Python, which keep the cores busy")
    parser.add_argument("--sandbox", choices=["auto", "none"], default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # in the sandbox bots may be other users
        bot = str(RANDOM_BOT) if options.python else str(compile_c(Path(folder), "fast_bot"))
        sys.stdout.write(f"{measure(bot, options.starts, options.rotations, options.sandbox)}\n")


if __name__ == "__main__":
    main()
