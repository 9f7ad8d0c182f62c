"""`--watch` and persons in browsers: starts the live pages, and prints their addresses."""

import contextlib
import importlib.util
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.failure import USAGE, Failure
from referee.cli.options import OptionGroup
from referee.cli.output import echo
from referee.live.access import LOOPBACK, AddressError, is_loopback, new_token, parse_address
from referee.live.messages import RunShown, SeatToken
from referee.record.reader import RECORDS_FOLDER
from referee.version import install_extra
from tournaments.play.events import LiveEvent, MatchBegun, Observer

if TYPE_CHECKING:
    from referee.live.client import LivePages

PAGES_PACKAGE: Final = "h11"
"""The package of the extra `web`."""


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
        if importlib.util.find_spec(PAGES_PACKAGE) is None:
            raise Failure(
                f"pages in a browser need the package {PAGES_PACKAGE}, which is in an extra: {install_extra('web')}"
            )
        if self.listen is not None:
            try:
                parse_address(self.listen)
            except AddressError as error:
                raise Failure(str(error), USAGE) from None


@contextlib.asynccontextmanager
async def live_pages(
    options: WatchOptions, title: str, persons: Sequence[str] = (), *, whole_games: bool = False
) -> AsyncIterator[tuple["LivePages", dict[str, str], list[str]]]:
    """Live pages while the block runs, with the token of each person by name, and lines with the addresses of pages.
    `whole_games`: as in RunShown."""
    from referee.live.client import serve_pages

    tokens = {name: new_token() for name in persons}
    shown = RunShown(
        title=title,
        listen=options.listen or LOOPBACK,
        hidden=options.show_hidden,
        tokens=tuple(SeatToken(name, token) for name, token in tokens.items()),
        whole_games=whole_games,
    )
    async with serve_pages(shown, partial(echo, err=True)) as pages:
        yield pages, tokens, describe_addresses(options, pages, tokens)


def describe_addresses(options: WatchOptions, pages: "LivePages", tokens: dict[str, str]) -> list[str]:
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
    from referee.reports.broadcast import TournamentBroadcast

    if not options.watch:
        yield observer
        return
    async with live_pages(options, title()) as (pages, _, addresses):
        yield every([observer, tell_once_begun(addresses), TournamentBroadcast(pages, folder / RECORDS_FOLDER).observe])


def tell_once_begun(addresses: Sequence[str]) -> Observer:
    """An observer that prints addresses when the run begins, and not before what was asked for has been checked."""

    from tournaments.event.events import TournamentOpened

    def observe(event: LiveEvent) -> None:
        if isinstance(event, MatchBegun | TournamentOpened):
            for line in addresses:
                echo(line, err=True)

    return observe


def every(observers: Sequence[Callable[[LiveEvent], None]]) -> Callable[[LiveEvent], None]:
    """An observer that tells several others."""

    def observe(event: LiveEvent) -> None:
        for observer in observers:
            observer(event)

    return observe
