"""A running tournament in lines of text."""

import copy
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Final

from referee.games.narrator import format_count, format_game_id
from referee.printable import printable
from referee.reports.formatting import format_duration, format_points, without_numbers
from referee.reports.model import Cell
from referee.reports.standings import moved_cell
from referee.reports.state import format_rate, format_round, format_total
from tournaments.competition.changes import (
    AnyChange,
    AnyRuling,
    BegunAgain,
    FilesAccepted,
    Joined,
    Replayed,
    Withdrawn,
)
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress
from tournaments.competition.quick_standings import QuickRow, QuickStandings
from tournaments.competition.ruling_checks import format_ruling
from tournaments.event.events import (
    Changed,
    Follower,
    PairingBegun,
    RoundBegun,
    RoundOver,
    TournamentGameOver,
    TournamentOpened,
)
from tournaments.play.events import LiveEvent, Notice

PROGRESS_INTERVAL: Final = 60.0
"""Seconds between two lines that report only the progress."""
TOP: Final = 5
"""Number of bots in the line about the standings after a round."""
RATE_GAMES: Final = 200
"""Number of recent games from which the rate is computed."""
MAX_KNOWN_FAULTS: Final = 1000


class PlainView:
    """Reports each round, fault and change in a line, and the progress at most once a minute. Its `observe` is an
    observer; everything it shows comes from live events.

    A fault that is equal to an earlier one, but for the number of its decision, is only counted; the counts follow at
    the end of the round. Subclasses decide where a line, which is printable, is shown.
    """

    def __init__(self) -> None:
        self.ascii_only = False
        """Whether arrows can't be shown."""
        self.pairing: str | None = None
        self.rows: list[QuickRow] = []
        """The standings when they were last computed."""
        self.faults: dict[tuple[str, str], int] = {}
        """The number of faults by bot and fault; the latest one last."""
        self.total: int | None = None
        """Games of the whole tournament, if that is known."""
        self.at_most = False
        """Whether there may be fewer."""
        self.rounds: int | None = None
        self.playing = False
        self._follower = Follower()
        self._standings = QuickStandings()
        self._places: dict[str, int] = {}
        """After the last round that was over when the current one began."""
        self._repeated = Counter[tuple[str, str]]()
        """In this round, faults that are equal to an earlier one."""
        self._finished: deque[float] = deque(maxlen=RATE_GAMES)
        self._began = 0.0
        """When the first game of this round began."""
        self._played = 0
        """Games of rounds that are over."""
        self._last_line = 0.0
        self._events = -1
        self._notice = ""
        """What was just said: `add` opens the sandbox more than once, and says so each time."""

    def line(self, text: str) -> None:
        raise NotImplementedError

    @property
    def progress(self) -> Progress | None:
        """The tournament, as rebuilt from events; None before it has been opened."""
        return self._follower.progress

    # -- live events ------------------------------------------------------------------------------------------

    def observe(self, event: LiveEvent) -> None:
        self._follower.follow(event)
        match event:
            case Notice(text=text):
                if text != self._notice:
                    self.line(printable(text))
            case TournamentOpened():
                self.playing, self._events = False, -1
                self.faults.clear()  # of the event of a season before
            case PairingBegun(round=number, at_most_seconds=seconds):
                self.pairing = f"pairing round {number}, up to {format_duration(seconds, upper_bound=True)}"
                self.line(self.pairing)
            case RoundBegun():
                self.pairing = None
                self._round_begun()
            case TournamentGameOver(game=game, faults=faults):
                self._game_stored(game, faults)
            case RoundOver(head=head):
                self._round_over(head)
            case Changed(change=change):
                self.line(printable(format_change(change, self.progress)))
        self._notice = event.text if isinstance(event, Notice) else ""

    def _round_begun(self) -> None:
        progress = self.progress
        assert progress is not None
        current = progress.current
        assert current is not None
        rows = self.rows
        if not self.playing:
            self.playing = True
            before = copy.copy(progress)
            before.current = None
            rows = self._standings.rows(before) if progress.rounds else []
            self._played = sum(len(over.planned) for over in progress.rounds)
        self._places = {row.name: row.place for row in rows}
        if self._events != len(progress.events):
            self._events = len(progress.events)
            plan = progress.regulations.format_settings.plan(progress.format_context())
            self.total, self.at_most, self.rounds = plan.games, plan.upper_bound, plan.rounds
        self._began = self._last_line = time.monotonic()
        self._finished.clear()
        there = f", {format_count(len(current.played), 'games')} of them played already" if current.played else ""
        games, tables = format_count(len(current.planned), "games"), format_count(len(current.round.tables), "tables")
        self.line(f"{self.format_round()}: {games} at {tables}{there}")

    def _game_stored(self, game: StoredGame, faults: Sequence[str | None]) -> None:
        assert self.progress is not None
        now = time.monotonic()
        self._finished.append(now)
        for bot, fault in zip(game.bots, faults, strict=True):
            if fault is not None:
                self._fault(game.game_id, self.progress.entries[bot].name, fault)
        if now - self._last_line >= PROGRESS_INTERVAL and self.playing:
            self._last_line = now
            self.line(f"{self.format_round()}: {', '.join(self.format_parts())}")

    def _round_over(self, head: str) -> None:
        assert self.progress is not None
        over = self.progress.rounds[-1]
        self._played += len(over.planned)
        self.update()
        places_by = self.progress.regulations.format_settings.places_by
        top = []
        for row in self.rows[:TOP]:
            points = format_points(row.worth) if places_by != "bracket" else ""
            parts = [f"{row.place}. {row.name}", points, self.moved(row).text]
            top.append(printable(" ".join(filter(None, parts))))
        per_table = any(row.worth != row.points for row in self.rows)
        unit = ("points per table" if per_table else "points") if places_by != "bracket" else "places"
        if places_by == "rating":
            unit = f"places by rating, {unit}"
        more = f" … and {len(self.rows) - TOP} more" if len(self.rows) > TOP else ""
        name = format_round(over.round.number, None, self.progress.round_name(over.round.number))
        self.line(f"{name} is over; {unit}: {'  '.join(top)}{more}")
        self.line(f"    head of the chain after this round: {head}")
        for (bot, fault), count in self._repeated.items():
            self.line(f"    ×{count} more in this round: {bot}: {fault}")
        self._repeated.clear()

    def _fault(self, game_id: str, bot: str, fault: str) -> None:
        bot, fault = printable(bot), printable(fault)
        key = bot, without_numbers(fault)
        if key not in self.faults and len(self.faults) >= MAX_KNOWN_FAULTS:
            key = bot, fault.partition(":")[0]
        count = self.faults.pop(key, 0) + 1
        self.faults[key] = count
        if count == 1:
            self.line(f"{format_game_id(game_id)}: {bot}: {fault}")
        else:
            self._repeated[key] += 1

    # -- the state --------------------------------------------------------------------------------------------

    def update(self) -> None:
        if self.progress is not None:
            self.rows = self._standings.rows(self.progress)

    def format_round(self) -> str:
        assert self.progress is not None
        current = self.progress.current
        done = len(self.progress.rounds) if current is None else current.round.number
        return format_round(done, self.rounds, self.progress.round_name(done) if done else None)

    def format_parts(self) -> Iterator[str]:
        """How far the games are, the most important parts first."""
        done, left = self.games_done(), self.games_left()
        if self.pairing is not None:
            yield self.pairing
        if self.progress is not None and self.progress.current is not None:
            current = self.progress.current
            yield f"{len(current.played)} of {format_count(len(current.planned), 'games')}"
        if self.total is not None:
            yield format_total(done, done + (left or 0), upper_bound=self.at_most)
        rate = self.rate()
        if rate:
            yield format_rate(rate)
            if left is not None:
                yield f"{'at most ' if self.at_most else ''}about {format_duration(left / rate)} left"

    def games_done(self) -> int:
        current = None if self.progress is None else self.progress.current
        return self._played + (0 if current is None else len(current.played))

    def games_left(self) -> int | None:
        if self.total is None:
            return None
        current = None if self.progress is None else self.progress.current
        of_round = 0 if current is None else len(current.planned) - len(current.played)
        return max(of_round, self.total - self.games_done())

    def rate(self) -> float:
        """Recent games per second; 0 before the first one."""
        games, since = len(self._finished), self._began
        if games == RATE_GAMES:
            games, since = games - 1, self._finished[0]
        return games / max(time.monotonic() - since, 1e-3)

    def moved(self, row: QuickRow) -> Cell:
        return moved_cell(self._places.get(row.name), row.place, ascii_only=self.ascii_only)


def format_change(event: AnyChange, progress: Progress | None) -> str:
    if isinstance(event, AnyRuling):
        assert progress is not None
        return f"{format_ruling(progress.events, event, void=progress.void)}: {event.reason}"
    match event:
        case Joined():
            return f"{event.bot.name} joins in round {event.round}"
        case Withdrawn():
            return f"{event.bot} is withdrawn before round {event.round}: {event.reason}"
        case FilesAccepted():
            return f"changed files are accepted from round {event.round} on: {', '.join(event.bots)}"
        case Replayed():
            return f"{format_game_id(event.game_id)}, was played again: {event.reason}"
        case BegunAgain():
            how_often = {1: "", 2: " (twice)"}
            return "; ".join(
                f"{format_game_id(game)}, was begun again, as "
                + ", ".join(why + how_often.get(times, f" ({times} times)") for why, times in Counter(reasons).items())
                for game, reasons in event.games.items()
            )
