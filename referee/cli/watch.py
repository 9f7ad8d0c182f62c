"""`--watch` and persons in browsers: starts the live pages, prints their addresses, and tells them what happens."""

import contextlib
import importlib.util
import math
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.failure import USAGE, Failure
from referee.cli.options import OptionGroup
from referee.cli.output import echo
from referee.games import find_game
from referee.games.narrator import format_count, in_points
from referee.live.access import LOOPBACK, AddressError, is_loopback, new_token, parse_address
from referee.live.client import LivePages, serve_pages
from referee.live.messages import GameLeft, GameRecorded, GameShown, RunShown, SeatToken, StandingsShown
from referee.record.reader import RECORDS_FOLDER
from referee.reports.formatting import format_points, format_round
from tournaments.competition.match_standings import win_share
from tournaments.competition.progress import Progress
from tournaments.competition.quick_standings import QuickRow, QuickStandings
from tournaments.event.events import Changed, Follower, RoundOver, TournamentGameOver, TournamentOpened
from tournaments.play.events import GameBegun, LineRecorded, LiveEvent, MatchBegun, MatchGameOver, Observer

NEEDED_PACKAGES: Final = ("hypercorn", "starlette")
"""The packages of the extra `web`."""


STANDINGS_INTERVAL: Final = 2.0
"""Seconds between two updates of the standings of a tournament in the course of a round."""


class WatchOptions(OptionGroup, frozen=True):
    """Live pages for browsers."""

    watch: Annotated[bool, typer.Option("--watch", help="Show the games live in a browser, on this machine.")] = False
    listen: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS[:PORT]", help="Let other hosts reach the pages, through this address."),
    ] = None
    show_hidden: Annotated[
        bool, typer.Option("--show-hidden", help="Spectators also see what is hidden from the seats.")
    ] = False

    def check(self, *, needed: bool) -> None:
        """Check that pages can be served, if they are `needed`. Raises Failure."""
        if not needed:
            for given, name in ((self.listen, "--listen"), (self.show_hidden, "--show-hidden")):
                if given:
                    raise Failure(f"{name} has an effect only with --watch", USAGE)
            return
        missing = [name for name in NEEDED_PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise Failure(
                f"pages in a browser need the packages {' and '.join(NEEDED_PACKAGES)}, which come with the extra"
                " `web`: pip install 'referee[web]'"
            )
        if self.listen is not None:
            try:
                parse_address(self.listen)
            except AddressError as error:
                raise Failure(str(error), USAGE) from None


@contextlib.asynccontextmanager
async def live_pages(
    options: WatchOptions, title: str, persons: Sequence[str] = ()
) -> AsyncIterator[tuple[LivePages, dict[str, str], list[str]]]:
    """Live pages while the block runs, with the token of each person by name, and lines with the addresses of pages."""
    tokens = {name: new_token() for name in persons}
    shown = RunShown(
        title=title,
        listen=options.listen or LOOPBACK,
        hidden=options.show_hidden,
        tokens=tuple(SeatToken(name, token) for name, token in tokens.items()),
    )
    async with serve_pages(shown, partial(echo, err=True)) as pages:
        yield pages, tokens, describe_addresses(options, pages, tokens)


def describe_addresses(options: WatchOptions, pages: LivePages, tokens: dict[str, str]) -> list[str]:
    """Lines for the organiser: the addresses of pages, and who can reach them."""
    host, _ = parse_address(options.listen or LOOPBACK)
    shown_host = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    base = f"http://{shown_host}:{pages.port}"
    lines = [f"{name} plays at {base}/{token}/" for name, token in tokens.items()]
    if options.watch:
        what = "with everything hidden" if options.show_hidden else "without what is hidden from the seats"
        lines.append(f"watch at {base}/{pages.spectators}/ ({what})")
    if is_loopback(host):
        lines.append(
            "only this machine can open these pages; from another one, first:"
            f" ssh -L {pages.port}:127.0.0.1:{pages.port} {socket.gethostname()}"
        )
    else:
        lines.append(
            f"every host that can reach {host} can open these pages with such an address, over plain HTTP: give each"
            " address only to the person it is for"
        )
    return lines


@contextlib.asynccontextmanager
async def broadcasting(
    options: WatchOptions, folder: Path, title: Callable[[], str], observer: Observer
) -> AsyncIterator[Observer]:
    """An observer of a tournament that also tells live pages what happens, if they are asked for.

    `title`: of the pages; it may raise an error of the file or folder that it reads.
    """
    if not options.watch:
        yield observer
        return
    async with live_pages(options, title()) as (pages, _, addresses):
        broadcast = TournamentBroadcast(pages, folder / RECORDS_FOLDER, addresses)
        yield every([observer, broadcast.tell])


class Broadcast:
    """Tells live pages what happens in a run: an observer. `persons`: the token of each person by name.

    The `addresses` are printed when the run begins, and not before what was asked for has been checked.
    """

    def __init__(self, pages: LivePages, persons: Mapping[str, str], addresses: Sequence[str]) -> None:
        self._pages = pages
        self._addresses = addresses
        self._persons = persons
        self._lines: set[str] = set()
        """Running games whose lines have been sent."""

    def tell(self, event: LiveEvent) -> None:
        """Send what follows from an event that matches and tournaments have."""
        if isinstance(event, MatchBegun | TournamentOpened):
            for line in self._addresses:
                echo(line, err=True)
        if isinstance(event, LineRecorded):
            self._lines.add(event.game_id)
            self._pages.record(event.game_id, event.line)

    def begin(self, game_id: str, names: Sequence[str]) -> None:
        """Show a game that begins, with the names of its players by seat."""
        seats = tuple(self._persons.get(name) for name in names)
        self._pages.send(GameShown(game_id, ", ".join(names), seats))

    def finish(self, game_id: str, names: Sequence[str], record: Path | None) -> None:
        """Show a finished game: the lines that were sent, or else its record."""
        if game_id in self._lines:
            self._lines.discard(game_id)
        elif record is None or (content := read_content(record)) is None:
            self._pages.send(GameLeft(game_id))
        else:
            self._pages.send(GameRecorded(game_id, ", ".join(names), content))


class MatchBroadcast(Broadcast):
    """Tells live pages what happens in a match."""

    def __init__(self, pages: LivePages, persons: Mapping[str, str], addresses: Sequence[str]) -> None:
        super().__init__(pages, persons, addresses)
        self._begun: MatchBegun | None = None
        self._wins: list[float] = []
        self._scores: list[float] = []
        self._games = 0
        self._played: list[int] = []

    def tell(self, event: LiveEvent) -> None:
        """Send what follows from an event."""
        super().tell(event)
        if isinstance(event, MatchBegun):
            self._begun = event
            self._wins = [0.0] * len(event.bots)
            self._scores = [0.0] * len(event.bots)
            self._played = [0] * len(event.bots)
        elif self._begun is not None and isinstance(event, GameBegun):
            self.begin(event.game_id, [self._begun.bots[bot] for bot in event.seating])
        elif self._begun is not None and isinstance(event, MatchGameOver):
            records = self._begun.records
            names = [self._begun.bots[bot] for bot in event.seating]
            self.finish(event.game_id, names, None if records is None else records / f"{event.game_id}.jsonl")
            self._games += 1
            for seat, bot in enumerate(event.seating):
                self._wins[bot] += win_share(event.outcome, seat)
                self._scores[bot] += in_points(find_game(self._begun.game), event.outcome.scores[seat])
                self._played[bot] += 1
            self._pages.send(self._standings(self._begun))

    def _standings(self, begun: MatchBegun) -> StandingsShown:
        order = sorted(range(len(begun.bots)), key=lambda bot: -self._wins[bot])
        rows = [
            (
                str(place),
                begun.bots[bot],
                f"{self._wins[bot] / self._played[bot]:.0%}" if self._played[bot] else "",
                f"{self._scores[bot] / self._played[bot]:.1f}" if self._played[bot] else "",
            )
            for place, bot in enumerate(order, 1)
        ]
        return StandingsShown((("", "Bot", "Wins", "Mean score"), *rows), f"{self._games} of {begun.games} games")


class TournamentBroadcast(Broadcast):
    """Tells live pages what happens in a tournament. `records`: the folder of its records."""

    def __init__(self, pages: LivePages, records: Path, addresses: Sequence[str]) -> None:
        super().__init__(pages, {}, addresses)
        self._records = records
        self._follower = Follower()
        self._standings = QuickStandings()
        self._shown_at = -math.inf

    def tell(self, event: LiveEvent) -> None:
        """Send what follows from an event."""
        super().tell(event)
        self._follower.follow(event)
        progress = self._follower.progress
        if progress is None:
            return
        if isinstance(event, GameBegun):
            self.begin(event.game_id, [progress.entries[bot].name for bot in event.seating])
        elif isinstance(event, TournamentGameOver):
            names = [progress.entries[bot].name for bot in event.game.bots]
            self.finish(event.game.game_id, names, self._records / f"{event.game.game_id}.jsonl.gz")
        # Standings of a long tournament take some milliseconds: not with every game.
        now = time.monotonic()
        if isinstance(event, RoundOver | Changed | TournamentOpened) or now - self._shown_at > STANDINGS_INTERVAL:
            self._shown_at = now
            self._pages.send(standings_shown(progress, self._standings.rows(progress)))


def standings_shown(progress: Progress, standings: Sequence[QuickRow], *, final: bool = False) -> StandingsShown:
    """The standings of a tournament after all games so far, and where it stands."""
    by_points = progress.regulations.format_settings.places_by_points
    rows = [
        (str(row.place), row.name, *([format_points(row.points)] if by_points else []), str(row.games))
        for row in standings
    ]
    headings = ("", "Bot", *(["Points"] if by_points else []), "Games")
    current = progress.current
    number = len(progress.begun)
    over = format_count(len(progress.rounds), "rounds")
    note = f"{over} over"
    if current is not None:
        name = format_round(number, None, progress.round_name(number))
        note = f"{name}: {len(current.played)} of {len(current.planned)} games; {note}"
    return StandingsShown((headings, *rows), note, final)


def read_content(record: Path) -> bytes | None:
    """The contents of a record; None if it can't be read."""
    try:
        return record.read_bytes()
    except OSError:
        return None


def every(observers: Sequence[Callable[[LiveEvent], None]]) -> Callable[[LiveEvent], None]:
    """An observer that tells several others."""

    def tell(event: LiveEvent) -> None:
        for observer in observers:
            observer(event)

    return tell
