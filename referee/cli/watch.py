"""`--watch` and persons in browsers: starts the live pages, prints their addresses, and tells them what happens."""

import contextlib
import importlib.util
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.failure import USAGE, Failure
from referee.cli.options import OptionGroup
from referee.cli.output import echo
from referee.pages.live.access import LOOPBACK, AddressError, is_loopback, new_token, parse_address
from referee.pages.live.client import LivePages, serve_pages
from referee.pages.live.messages import GameLeft, GameRecorded, GameShown, RunShown, SeatToken, StandingsShown
from referee.record.reader import RECORD_SUFFIXES
from tournaments.competition.match_standings import win_share
from tournaments.play.events import GameBegun, GameFinished, LineRecorded, LiveEvent, MatchBegun

NEEDED_PACKAGES: Final = ("hypercorn", "starlette")
"""The packages of the extra `web`."""


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
    options: WatchOptions, title: str, persons: Sequence[str]
) -> AsyncIterator[tuple[LivePages, dict[str, str]]]:
    """Live pages while the block runs, with their addresses printed, and the token of each person by name."""
    tokens = {name: new_token() for name in persons}
    shown = RunShown(
        title=title,
        listen=options.listen or LOOPBACK,
        hidden=options.show_hidden,
        tokens=tuple(SeatToken(name, token) for name, token in tokens.items()),
    )
    async with serve_pages(shown) as pages:
        for line in describe_addresses(options, pages, tokens):
            echo(line, err=True)
        yield pages, tokens


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
            " address only to those whom it is for"
        )
    return lines


class MatchBroadcast:
    """Tells live pages what happens in a match: an observer. `persons`: the token of each person by name."""

    def __init__(self, pages: LivePages, persons: dict[str, str]) -> None:
        self._pages = pages
        self._persons = persons
        self._names: Sequence[str] = ()
        self._records: Path | None = None
        self._running: set[str] = set()
        self._lines: set[str] = set()
        """Games whose lines have been sent."""
        self._points: list[float] = []
        self._scores: list[int] = []
        self._games = 0
        self._total = 0

    def tell(self, event: LiveEvent) -> None:
        """Send what follows from an event."""
        match event:
            case MatchBegun():
                self._names, self._records, self._total = event.bots, event.records, event.games
                self._points = [0.0] * len(event.bots)
                self._scores = [0] * len(event.bots)
            case GameBegun(game_id=game_id, seating=seating):
                self._running.add(game_id)
                seats = tuple(self._persons.get(self._names[bot]) for bot in seating)
                self._pages.send(GameShown(game_id, self._label(seating), seats))
            case LineRecorded(game_id=game_id, line=line):
                self._lines.add(game_id)
                self._pages.record(game_id, line)
            case GameFinished():
                self._finish(event)

    def _finish(self, event: GameFinished) -> None:
        self._running.discard(event.game_id)
        if event.game_id in self._lines:
            self._lines.discard(event.game_id)
        elif self._records is not None:
            content = read_content(self._records, event.game_id)
            if content is not None:
                self._pages.send(GameRecorded(event.game_id, self._label(event.seating), content))
        else:
            self._pages.send(GameLeft(event.game_id))
        self._games += 1
        for seat, bot in enumerate(event.seating):
            self._points[bot] += win_share(event.outcome, seat)
            self._scores[bot] += event.outcome.scores[seat]
        self._pages.send(self._standings())

    def _standings(self) -> StandingsShown:
        order = sorted(range(len(self._names)), key=lambda bot: -self._points[bot])
        rows = [
            (
                str(place),
                self._names[bot],
                f"{self._points[bot] / self._games:.0%}",
                f"{self._scores[bot] / self._games:.1f}",
            )
            for place, bot in enumerate(order, 1)
        ]
        note = f"{self._games} of {self._total} games"
        return StandingsShown((("", "Bot", "Wins", "Mean score"), *rows), note)

    def _label(self, seating: Sequence[int]) -> str:
        return ", ".join(self._names[bot] for bot in seating)


def read_content(folder: Path, game_id: str) -> bytes | None:
    """The contents of the record of a game in a folder; None if it can't be read."""
    for suffix in RECORD_SUFFIXES:
        with contextlib.suppress(OSError):
            return (folder / f"{game_id}{suffix}").read_bytes()
    return None


def every(observers: Sequence[Callable[[LiveEvent], None]]) -> Callable[[LiveEvent], None]:
    """An observer that tells several others."""

    def tell(event: LiveEvent) -> None:
        for observer in observers:
            observer(event)

    return tell
