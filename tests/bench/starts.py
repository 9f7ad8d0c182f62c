"""`python -m tests.bench.starts`: how late the referee reads answers while many bots start at once.

A match whose games all begin at the same time, each with two processes of a bot; the next rotation starts them all
again. A turn of the event loop begins when there is input, and ends when it waits again. Whatever comes meanwhile is
read that late: the time in which the loop could have run but had no processor, and the time in which it ran. Turns
count while a clock runs: while any bot has been asked. The lag is what the referee measures itself (docs/matches.md,
"Event loop lag"), clocks or not. Other programs on the machine add to both, but not to the CPU time of a turn.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import trio
from msgspec import Raw

from referee.games import Game
from referee.garbage import collect_rarely
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice
from tests.bench.floors import compile_c
from tests.bench.tournament import RANDOM_BOT
from tests.playing import match_of
from tournaments.play.match import play_match

LIMIT: Final = 0.005
"""Seconds by which no running clock should be delayed."""
STARTING: Final = ("Pool.start", "Supervisor._own")
"""The tasks that start processes and own them."""
SCHEDSTAT_BYTES: Final = 100
SLOWEST: Final = 3
"""Steps of tasks that are shown."""


class Turns(trio.abc.Instrument):
    """The turns of the event loop and the steps of its tasks while a clock runs, in CPU seconds of the thread."""

    def __init__(self) -> None:
        self.clocks = 0
        """The bots that have been asked."""
        self.turns: list[tuple[float, float]] = []
        """CPU seconds, and seconds from the first input to the end."""
        self.steps: dict[str, float] = {}
        """By the name of a task, its longest."""
        self.starting = 0.0
        """The most that starts have taken of a turn."""
        self._starting = 0.0
        self._began: tuple[float, float] | None = None
        self._step = 0.0
        self._waits = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        self._waited = 0.0

    def _wait_seconds(self) -> float:
        """Seconds in which this thread could have run and had no processor."""
        return int(os.pread(self._waits, SCHEDSTAT_BYTES, 0).split()[1]) / 1e9

    def after_io_wait(self, timeout: float) -> None:
        late = self._wait_seconds() - self._waited
        self._began = (time.thread_time(), time.perf_counter() - late) if self.clocks else None
        self._starting = 0.0

    def before_io_wait(self, timeout: float) -> None:
        if self._began is not None:
            self.starting = max(self.starting, self._starting)
            self.turns.append((time.thread_time() - self._began[0], time.perf_counter() - self._began[1]))
        self._waited = self._wait_seconds()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._step = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if self._began is not None:
            took = time.thread_time() - self._step
            self.steps[task.name] = max(took, self.steps.get(task.name, 0.0))
            if task.name.endswith(STARTING):
                self._starting += took

    @contextlib.contextmanager
    def clocks_watched(self) -> Iterator[None]:
        """Know when bots are asked."""
        decide = BotPlayer.decide

        async def counted(player: BotPlayer, game: Game, events: list[Raw]) -> Choice:
            self.clocks += 1
            try:
                return await decide(player, game, events)
            finally:
                self.clocks -= 1

        BotPlayer.decide = counted  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            BotPlayer.decide = decide  # type: ignore[method-assign]


def measure(bot: str, starts: int, rotations: int, sandbox: Literal["auto", "none"]) -> str:
    """Play the match, and describe its turns."""
    turns = Turns()

    async def main(records: Path) -> str:
        spec = match_of(
            bot,
            bot,
            deals=starts * rotations // 2,
            seed="starts",
            concurrency=starts,
            workers=1,
            sandbox=sandbox,
            control=TimeControl(move=60.0, startup=60.0),
            records=records / "records",
        )
        trio.lowlevel.add_instrument(turns)
        with turns.clocks_watched():
            result = await play_match(spec)
        faults = sum(1 for _ in result.games.with_faults())
        return f"lag: 99 % {result.lag.p99_ms:.1f} ms, worst {result.lag.max_ms:.1f} ms; {faults} faults"

    with tempfile.TemporaryDirectory() as folder:
        lag = trio.run(main, Path(folder))
    slowest = sorted(turns.steps.items(), key=lambda step: -step[1])[:SLOWEST]
    steps = "".join(f"\n    {seconds * 1000:6.2f} ms  {name}" for name, seconds in slowest)
    cpu, late_by = (sorted(times) for times in zip(*turns.turns, strict=True))
    late = sum(seconds > LIMIT for seconds in late_by)
    return (
        f"{starts} games start at once, sandbox {sandbox}: turns while a clock runs: {len(cpu)}; answers read late by"
        f" at most {late_by[-1] * 1000:.2f} ms (99.9 %: {late_by[len(cpu) * 999 // 1000] * 1000:.2f} ms, {late} over"
        f" {LIMIT * 1000:g} ms); CPU of a turn at most {cpu[-1] * 1000:.2f} ms, of that starts at most"
        f" {turns.starting * 1000:.2f} ms; {lag}; longest steps:{steps}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=64, help="games that start at once, each with two processes")
    parser.add_argument("--rotations", type=int, default=2, help="how often, in all")
    parser.add_argument("--python", action="store_true", help="with bots in Python, which keep the cores busy")
    parser.add_argument("--sandbox", choices=["auto", "none"], default="auto")
    options = parser.parse_args()
    collect_rarely()  # as the command and its workers do
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # in the sandbox bots may be other users
        bot = str(RANDOM_BOT) if options.python else str(compile_c(Path(folder), "fast_bot"))
        sys.stdout.write(f"{measure(bot, options.starts, options.rotations, options.sandbox)}\n")


if __name__ == "__main__":
    main()
