"""A progress bar on stderr, on a terminal only, and lines for the organiser above it."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from referee.cli.output import echo, ignore_broken_stderr
from referee.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress

BAR_INTERVAL: Final = 0.2
"""Seconds between two refreshes."""


class ProgressBar:
    """Counts what is done. Subclasses define what else is shown."""

    def __init__(self, noun: str, *, shows_time: bool) -> None:
        """`noun`: the plural of what is counted. `shows_time`: with the remaining time."""
        self.done = 0
        self._noun = noun
        self._shows_time = shows_time
        self._bar: Progress | None = None

    def status(self) -> str:
        """The text beside the bar, computed in constant time."""
        raise NotImplementedError

    def open(self, total: int) -> None:
        """Show the bar, if stderr is a terminal."""
        if not os.environ.get("FORCE_COLOR") and (sys.stderr is None or not sys.stderr.isatty()):
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            MofNCompleteColumn(),
            TextColumn(self._noun),
            BarColumn(),
            *([TimeRemainingColumn()] if self._shows_time else []),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        bar.add_task("", total=total)
        with ignore_broken_stderr():
            bar.start()
        self._bar = bar

    def notice(self, line: str) -> None:
        """Show a line for the organiser on stderr, above the bar."""
        if self._bar is None:
            echo(line, err=True)
        else:
            with ignore_broken_stderr():
                self._bar.console.out(printable(line), highlight=False)

    async def refresh(self) -> None:
        """Keep the bar up to date until cancelled."""
        import trio

        while True:
            self.draw()
            await trio.sleep(BAR_INTERVAL)

    def draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, description=self.status())
            with ignore_broken_stderr():
                self._bar.refresh()

    def stop(self) -> None:
        if self._bar is not None:
            with ignore_broken_stderr():
                self._bar.stop()


class DrawingProgress(ProgressBar):
    """The number of games of a report that are drawn, the rate and the time left."""

    def __init__(self) -> None:
        super().__init__("games drawn", shows_time=True)
        self._began = time.monotonic()

    def drawn(self, done: int, total: int) -> None:
        """Is called after each game, and before the first one."""
        self.done = done
        if done == 0 and total:
            self._began = time.monotonic()
            self.open(total)
        self.draw()
        if done == total:
            self.stop()

    def status(self) -> str:
        return f"{self.done / max(time.monotonic() - self._began, 1e-9):.1f}/s"


@contextlib.contextmanager
def drawing() -> Iterator[DrawingProgress]:
    """The progress of a report that is made in the block."""
    progress = DrawingProgress()
    try:
        yield progress
    finally:
        progress.stop()
