"""The output of `referee tournament run` and `resume` during play: a view on a terminal, or else lines."""

import contextlib
import math
import os
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import trio
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from referee.bots.bot_spec import BotSpecError
from referee.cli.background_output import BackgroundOutput
from referee.cli.failure import INTERRUPTED, USAGE, Failure
from referee.cli.output import echo
from referee.cli.tournament.screen import Screen, Section, screen_lines
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.games.narrator import format_game_id
from referee.printable import printable
from referee.reports.game_list import format_result
from referee.reports.plan import format_problem
from referee.reports.running import PlainView
from referee.reports.standings import quick_table
from referee.reports.state import format_event
from tournaments.competition.games import StoredGame
from tournaments.competition.ruling_checks import InvalidValue
from tournaments.event.events import RoundBegun, TournamentGameOver
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.service import NotReady, TournamentInterrupted
from tournaments.event.store.errors import FolderExists, NoTournament
from tournaments.event.store.folder import resume_command
from tournaments.play.events import GameBegun, LiveEvent, Notice, Observer
from tournaments.play.executor import ExecutorError
from tournaments.play.interruption import Interruption, catch_signals

VIEW_INTERVAL: Final = 0.25
"""Seconds between two refreshes, at least."""
MIN_PAUSE_RATIO: Final = 100
"""Refreshes take at most 1/MIN_PAUSE_RATIO of the time: with very many bots they are less frequent."""
REDRAW_INTERVAL: Final = 5.0
"""Seconds after which unchanged lines are drawn again: something else may have written to the terminal."""
MESSAGES: Final = 20
"""Maximum number of recent lines on the terminal."""
KEPT_LINES: Final = 1000
"""Maximum number of lines that are printed when the view is closed."""
FINISHING: Final = "finishing the running games, and beginning no others; Ctrl-C again abandons them"
WITHOUT_UNREADY: Final = (
    "`referee tournament check` tries every bot of the file; with --without-unready the tournament begins without those"
    " that are not ready"
)
T = TypeVar("T")


def supervised(
    play: Callable[[Observer, Interruption], Awaitable[T]], folder: Path | None = None, *, timed: bool = False
) -> T:
    """Run a function that may play games, with a view on stderr and with signals caught. Raises Failure.

    `folder`: the tournament that can be resumed if it fails after it has begun. `timed`: see `observer_for`.
    """
    try:
        with (
            catch_signals(finish_first=True, ignore_afterwards=True) as interruption,
            observer_for(timed=timed) as view,
        ):
            return trio.run(watch, view, interruption, partial(play, view.observe, interruption))
    except (BotSpecError, TournamentFileError, FolderExists, NoTournament, InvalidValue) as error:
        raise Failure(str(error), USAGE) from None
    except NotReady as error:
        failed = [result for result in error.results if not result.ready]
        details = [line for result in failed for line in format_problem(result)]
        if folder is not None and error.playable:
            details.append(WITHOUT_UNREADY)
        raise Failure(f"{error}; nothing was {'changed' if folder is None else 'played'}", details=details) from None
    except TournamentInterrupted as error:
        raise Failure(str(error), INTERRUPTED) from None
    except RefereeError as error:
        details = []
        if folder is not None and (folder / "manifest.json").is_file():
            details.append(f"Everything that was finished is kept. To resume: {resume_command(folder)}")
        if details and isinstance(error, ExecutorError):
            details.append("With --executor local it continues on this machine alone")
        raise Failure(str(error), details=details) from None


@contextlib.contextmanager
def observer_for(*, timed: bool = False) -> Iterator["View"]:
    """A view on stderr for the duration of the block; afterwards the terminal is as it was. `timed`: lines begin with
    the date and time."""
    try:
        fd = sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):  # stderr is closed
        yield View(PlainView())
        return
    output = BackgroundOutput(fd)
    has_cursor = os.isatty(fd) and os.environ.get("TERM", "").lower() not in ("", "dumb", "unknown")
    view = View((LiveView if has_cursor else LineView)(output, timed=timed))
    try:
        yield view
    finally:
        view.close()
        output.close()


async def watch(view: "View", interruption: Interruption, play: Callable[[], Awaitable[T]]) -> T:
    """Run something that plays games while the view is kept up to date. Exceptions are raised again."""

    async def refresh() -> None:
        while True:
            pause = view.refresh()
            await trio.sleep(pause)

    async def tell_of_interruption() -> None:
        with interruption.until_finishing():
            await trio.sleep_forever()
        if not interruption.requested and view.playing:
            view.observe(Notice(text=FINISHING))

    with single_errors():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(refresh)
            nursery.start_soon(tell_of_interruption)
            result = await play()
            nursery.cancel_scope.cancel()
    return result


class LineView(PlainView):
    """Writes its lines to stderr."""

    time_format: ClassVar = "%Y-%m-%d %H:%M:%S"

    def __init__(self, output: BackgroundOutput, *, timed: bool = False) -> None:
        super().__init__()
        self._timed = timed
        self._output = output
        self.ascii_only = not output.encoding.lower().startswith("utf")

    def line(self, text: str) -> None:
        self.write(f"{datetime.now().astimezone():{self.time_format}} {text}" if self._timed else text)

    def write(self, text: str) -> None:
        self._output.write(text + "\n")


class LiveView(LineView):
    """Fills the terminal from the first round on. The lines follow when it is closed."""

    time_format: ClassVar = "%H:%M:%S"

    def __init__(self, output: BackgroundOutput, *, timed: bool = False) -> None:
        super().__init__(output, timed=timed)
        self.running: dict[str, tuple[GameBegun, float]] = {}
        """The games being played, and when they began."""
        self.results: deque[StoredGame] = deque(maxlen=100)
        """The last games, the latest one first."""
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._console = Console(file=output, force_terminal=True, highlight=False)  # type: ignore[arg-type]
        self.ascii_only = self._console.options.ascii_only
        self._open = False
        self._size: os.terminal_size | None = None
        self._shown: list[Text] = []
        self._redrawn = 0.0
        """When all of them were last drawn, whether they had changed or not."""

    def write(self, text: str) -> None:
        if self._open:
            self.lines.append(text)
        else:
            super().write(text)

    def observe(self, event: LiveEvent) -> None:
        match event:
            case RoundBegun():
                self.running.clear()
                if not self._open:
                    self._open = True
                    self._console.set_alt_screen(True)
                    self._console.show_cursor(False)
            case GameBegun(game_id=game_id):
                self.running[game_id] = event, time.monotonic()
            case TournamentGameOver(game=game):
                self.running.pop(game.game_id, None)
                self.results.appendleft(game)
        super().observe(event)

    def draw(self) -> None:
        """Draw the current state. Does nothing while the terminal has not accepted the last output."""
        if not self._open or not self._output.idle:
            return
        self.update()
        size, now = terminal_size(self._output.fileno()), time.monotonic()
        if size != self._size or now - self._redrawn >= REDRAW_INTERVAL:
            self._shown = []
            self._redrawn = now
        width = size.columns - 1  # a terminal may wrap a line that fills it
        lines = screen_lines(self.screen(), width, size.lines)
        lines += [Text("")] * (size.lines - len(lines))
        with self._console:
            if size != self._size:
                self._console.control(Control(ControlType.HOME, ControlType.CLEAR))
            for row, line in enumerate(lines):
                line.truncate(width, pad=True)
                if row >= len(self._shown) or self._shown[row] != line:
                    self._console.control(Control.move_to(0, row))
                    self._console.print(line, width=width, no_wrap=True, overflow="ignore", end="")
        self._size, self._shown = size, lines

    def close(self) -> None:
        """Restore the terminal, and print the lines that have been reported."""
        if self._open:
            self._open = False
            self._console.show_cursor(True)
            self._console.set_alt_screen(False)
            for text in self.lines:
                self.write(text)

    def screen(self) -> Screen:
        assert self.progress is not None
        regulations = self.progress.regulations
        names = [printable(entry.name) for entry in self.progress.entries]
        now = time.monotonic()
        total = None if self.total is None else max(1, self.games_done() + (self.games_left() or 0))
        event = format_event(regulations.game, regulations.format, len(names), regulations.seats)
        playing = [
            f"{format_game_id(game.game_id)}: {', '.join(names[bot] for bot in game.seating)}  {now - began:.0f} s"
            for game, began in self.running.values()
        ]
        results = [f"{format_game_id(game.game_id)}: {format_result(self.progress, game)}" for game in self.results]
        faults = [
            f"{f'×{count} ' if count > 1 else ''}{bot}: {fault}"
            for (bot, fault), count in reversed(self.faults.items())
        ]
        return Screen(
            title=printable(f"{regulations.name}: {event}"),
            status=(self.format_round(), *self.format_parts()),
            share=None if total is None else self.games_done() / total,
            standings=quick_table(
                self.rows,
                places_by=regulations.format_settings.places_by,
                moved=[self.moved(row) for row in self.rows],
            ),
            sections=[
                Section(f"being played ({len(playing)})", playing),
                Section(f"faults ({sum(self.faults.values())})", faults, style="red"),
                Section("messages", list(islice(reversed(self.lines), MESSAGES)), latest_only=True),
                Section("last results (scores)", results, latest_only=True),
            ],
            bar=("#", "-") if self.ascii_only else ("█", "░"),
        )


class View:
    """Passes events to a view, and keeps its failures from the tournament. Its `observe` is an observer."""

    def __init__(self, shown: PlainView) -> None:
        self._shown: PlainView | None = shown

    @property
    def playing(self) -> bool:
        return self._shown is not None and self._shown.playing

    def refresh(self) -> float:
        """Draw, if needed. Returns the seconds until the next time."""
        shown = self._shown
        if not isinstance(shown, LiveView):
            return math.inf
        began = time.perf_counter()
        self._safely(shown.draw)
        return max(VIEW_INTERVAL, MIN_PAUSE_RATIO * (time.perf_counter() - began))

    def close(self) -> None:
        if isinstance(self._shown, LiveView):
            self._safely(self._shown.close)

    def observe(self, event: LiveEvent) -> None:
        """Show an event; after the display has failed, only lines for the organiser."""
        if self._shown is not None:
            self._safely(self._shown.observe, event)
        elif isinstance(event, Notice):
            echo(event.text, err=True)

    def _safely(self, show: Callable[..., None], *values: Any) -> None:
        try:
            show(*values)
        except Exception as error:
            failed, self._shown = self._shown, None
            with contextlib.suppress(Exception):
                if isinstance(failed, LiveView):
                    failed.close()
            echo(f"the display failed; the tournament continues: {type(error).__name__}: {error}", err=True)


def terminal_size(fd: int) -> os.terminal_size:
    """The current size of a terminal; a default one if unknown."""
    with contextlib.suppress(OSError):
        size = os.get_terminal_size(fd)
        if size.columns > 1 and size.lines > 0:
            return size
    return os.terminal_size((80, 24))
