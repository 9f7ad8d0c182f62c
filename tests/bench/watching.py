"""What watching costs the games: their decisions per second with live pages that nobody reads, and without."""

import contextlib
import socket
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from referee.cli.watch import WatchOptions, live_pages
from referee.reports.broadcast import MatchBroadcast
from tests.playing import match_of
from tournaments.play.events import GameBegun, LiveEvent, Observer
from tournaments.play.interruption import Interruption
from tournaments.play.match import play_match

RANDOM_BOT: Final = Path(__file__).parents[2] / "bots" / "random-python"
DEALS: Final = 20
READERS: Final = 2
"""Browsers per game that ask for its page and its events, and never read."""


class Readers:
    """An observer that opens the pages of each game that begins, and never reads them."""

    def __init__(self, port: int, token: str) -> None:
        self._address = ("127.0.0.1", port)
        self._token = token
        self.open: list[socket.socket] = []

    def observe(self, event: LiveEvent) -> None:
        """Ask for the page and the events of a game."""
        if isinstance(event, GameBegun):
            for path in ["events"] * READERS:
                self.ask(f"games/{event.game_id}/{path}")

    def ask(self, path: str) -> None:
        """Send a request."""
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        reader.connect(self._address)
        reader.sendall(f"GET /{self._token}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        self.open.append(reader)


@contextlib.asynccontextmanager
async def observed(*, watch: bool) -> AsyncIterator[Observer]:
    """An observer that shows a match to slow readers, or does nothing."""
    if not watch:
        yield lambda event: None
        return
    async with live_pages(WatchOptions(watch=True), "bench") as (pages, _, _):
        readers = Readers(pages.port, pages.spectators)
        broadcast = MatchBroadcast(pages, {})

        def observe(event: LiveEvent) -> None:
            broadcast.observe(event)
            readers.observe(event)

        readers.ask("events")
        try:
            yield observe
        finally:
            for reader in readers.open:
                reader.close()


async def rate(game: str, *, watch: bool) -> float:
    """Decisions of bots per second in a match."""
    spec = match_of(
        str(RANDOM_BOT),
        str(RANDOM_BOT),
        game=game,
        deals=DEALS,
        seed="watching",
        concurrency=2,
        watched=watch,
        sandbox="none",
    )
    async with observed(watch=watch) as observer:
        start = time.perf_counter()
        result = await play_match(spec, observer=observer, interruption=Interruption())
        seconds = time.perf_counter() - start
    return sum(played.outcome.asked for played in result.games) / seconds


def report(games: Sequence[str], runs: int) -> str:
    """A line per game. With and without pages alternate, so that other load on the machine falls on both."""
    lines = ["live pages: decisions per second of two games at a time without, and with pages that nobody reads"]
    for game in games:
        rates: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(runs):
            for watch, some in rates.items():
                some.append(trio.run(partial(rate, game, watch=watch)))
        without, with_pages = max(rates[False]), max(rates[True])
        lines.append(f"{game:<20} {without:>8.0f} {with_pages:>8.0f}  ratio {with_pages / without:.2f}")
    return "\n".join(lines)
