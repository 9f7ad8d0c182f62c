"""The web server: pages of games and of the run, and server-sent events for what is new. Only persons can post."""

import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Final

import msgspec
import trio
from msgspec import Struct

from referee.live.access import is_own_host, is_own_page
from referee.live.connections import PERSON, SPECTATOR, Request, Response
from referee.live.index import index_page, waiting_page
from referee.live.run import LiveRun, Person, Reader
from referee.record.reader import InvalidRecord

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
KEEP_ALIVE: Final = 4.0
"""Seconds without news after which a comment is sent, so that a page can tell a quiet server from one that is gone."""
UPDATE_INTERVAL: Final = 0.05
"""Seconds between two updates of a page."""


class Chosen(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request that takes a decision: the step after which it is due, and the index of the action."""

    step: int
    action: int


class Site:
    """Answers requests of browsers."""

    def __init__(self, run: LiveRun, names: frozenset[str], *, loopback: bool) -> None:
        """`names`: of this machine; `loopback`: it listens on this machine only."""
        self._run = run
        self._names = names
        self._loopback = loopback

    async def answer(self, request: Request) -> Response:
        """The answer to a request, which is refused if it is not for this server, or from a page of another one."""
        own = is_own_host(request.headers.get("host", ""), self._names, loopback=self._loopback)
        # Following a link from another page is fine: what it opens can't be read by that page.
        navigation = request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"
        if not own or not (navigation or is_own_page(request.headers)):
            return text("This request does not come from a page of this server.\n", 403)
        token, *place = request.path.removeprefix("/").split("/")
        if token and not place:
            return Response(status=307, headers={"Location": f"{request.path}/"})
        reader = self._run.reader(token)
        if reader is None:
            return text("Unknown address: use the whole address that the referee printed.\n", 404)
        request.connection.whose = PERSON if isinstance(reader, Person) else SPECTATOR
        game_id = place[1] if len(place) > 1 else ""
        match place:
            case [""]:
                method, respond = "GET", show_index
            case ["events"]:
                method, respond = "GET", send_index
            case ["leave"]:
                method, respond = "POST", end_match
            case ["games", _]:
                method, respond = "GET", partial(show_game, game_id)
            case ["games", _, "events"]:
                method, respond = "GET", partial(send_steps, game_id)
            case ["games", _, "choose"]:
                method, respond = "POST", partial(choose, game_id)
            case _:
                return text("There is no such page.\n", 404)
        if request.method.replace("HEAD", "GET") != method:
            return text(f"Only {method} is possible here.\n", 405)
        return await respond(request, self._run, reader)


def text(content: str, status: int = 200) -> Response:
    """A line of text as the answer to a request."""
    return Response(status=status, headers=HEADERS, content=content.encode())


def page(content: bytes) -> Response:
    """A page as the answer to a request."""
    return Response(media_type="text/html", headers=HEADERS, content=content)


async def show_index(request: Request, run: LiveRun, reader: Reader) -> Response:
    """The games of the run; for a person the game that he or she plays in."""
    if isinstance(reader, Person):
        return page(waiting_page(run, reader))
    return page(index_page(run))


async def send_index(request: Request, run: LiveRun, reader: Reader) -> Response:
    """Tells the page when its content has changed, with the new content."""

    async def content() -> AsyncGenerator[bytes, None]:
        shown = ""
        while True:
            changed = run.changed
            body = index_page(run, body_only=True).decode() if not isinstance(reader, Person) else reader.game_id
            if body != shown:
                shown = body
                yield event(body, name="index" if not isinstance(reader, Person) else "game")
            if run.ended is not None:
                yield event(run.ended, name="end")
                return
            # At most twice a second: a match may finish hundreds of games in that time.
            if comment := await wait_for_news(changed, 0.5):
                yield comment

    return stream(run, content())


async def show_game(game_id: str, request: Request, run: LiveRun, reader: Reader) -> Response:
    """The page of a game, with all that has happened so far."""
    game = run.game(game_id, reader)
    if game is None or not game.has_begun:
        return text("There is no such game, or it is no longer kept here.\n", 404)
    try:
        return page(await game.page(run.audience(reader, game)))
    except InvalidRecord as error:
        return text(f"The game can't be shown: {error}\n", 500)


async def send_steps(game_id: str, request: Request, run: LiveRun, reader: Reader) -> Response:
    """The updates of a game, from number `from` on."""
    game = run.game(game_id, reader)
    try:
        since = int(request.headers.get("last-event-id") or request.query.get("from", ["0"])[0])
    except ValueError:
        since = -1
    if game is None or since < 0:
        return text("There is no such game, or no such update.\n", 404)
    audience = run.audience(reader, game)

    async def content() -> AsyncGenerator[bytes, None]:
        position = since
        while True:
            changed = game.changed
            ending = bool(game.over) or run.ended is not None
            try:
                updates = await game.updates(audience, position)
            except InvalidRecord:  # a page that is opened now says why
                yield event('{"ended":true}')
                return
            for update in updates:
                position += 1
                yield event(update.decode(), number=position)
            if ending:
                yield event('{"ended":true}')
                return
            # Updates are at most twenty a second: fewer are drawn faster, and nobody reads more.
            if comment := await wait_for_news(changed, UPDATE_INTERVAL):
                yield comment

    return stream(run, content())


async def choose(game_id: str, request: Request, run: LiveRun, reader: Reader) -> Response:
    """A person's decision."""
    if not isinstance(reader, Person):
        return text("Spectators can't change anything.\n", 403)
    try:
        chosen = msgspec.json.decode(json_body(request), type=Chosen)
    except (msgspec.DecodeError, ValueError) as error:
        return text(f"The answer can't be read: {error}\n", 400)
    problem = await run.choose(reader, game_id, chosen.step, chosen.action)
    return text(problem or "ok\n", 409 if problem else 200)


async def end_match(request: Request, run: LiveRun, reader: Reader) -> Response:
    """A person asks to end the match."""
    if not isinstance(reader, Person):
        return text("Spectators can't change anything.\n", 403)
    try:
        json_body(request)
    except ValueError as error:
        return text(f"The request can't be read: {error}\n", 400)
    run.end_match(reader)
    return text("ok\n")


def json_body(request: Request) -> bytes:
    """The body of a request. Raises ValueError if it is not said to be JSON: forms of other sites can't send that."""
    if request.headers.get("content-type") != "application/json":
        raise ValueError("expected application/json")
    return request.body


def stream(run: LiveRun, content: AsyncGenerator[bytes, None]) -> Response:
    """Server-sent events. Each is produced when the browser has taken the one before, so a slow one costs nothing."""

    async def counted() -> AsyncGenerator[bytes, None]:
        with run.streaming() as taken:
            async with contextlib.aclosing(content):
                async for part in content:
                    yield part
                    taken()

    return Response(media_type="text/event-stream", headers=HEADERS, content=counted())


async def wait_for_news(changed: trio.Event, pause: float) -> bytes:
    """Wait for the event, and at least `pause` seconds. A comment to be sent if nothing is new for long, or nothing."""
    await trio.sleep(pause)
    with trio.move_on_after(KEEP_ALIVE):
        await changed.wait()
        return b""
    return b": nothing new\n\n"


def event(data: str, *, name: str = "", number: int | None = None) -> bytes:
    """One server-sent event; `data` of several lines is sent as such."""
    head = f"event: {name}\n" if name else ""
    if number is not None:
        head += f"id: {number}\n"
    return (head + "".join(f"data: {line}\n" for line in data.split("\n")) + "\n").encode()
