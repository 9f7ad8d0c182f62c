"""The web server: pages of games and of the run, and server-sent events for what is new. Only persons can post."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Final

import msgspec
import trio
from msgspec import Struct
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from referee.live.access import is_own_host, is_own_page
from referee.live.connections import PERSON, SPECTATOR, Connection
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
MAX_BODY: Final = 4096
"""Maximum length of the body of a request, in bytes."""


class Chosen(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request that takes a decision: the step after which it is due, and the index of the action."""

    step: int
    action: int


class Guard:
    """Refuses requests that are not addressed to this server, or that come from pages of others."""

    def __init__(self, app: ASGIApp, names: frozenset[str], loopback: bool) -> None:
        self._app = app
        self._names = names
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http":
            request = Request(scope)
            own = is_own_host(request.headers.get("host", ""), self._names, loopback=self._loopback)
            # Following a link from another page is fine: what it opens can't be read by that page.
            navigation = request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"
            if not own or not (navigation or is_own_page(request.headers)):
                refusal = PlainTextResponse("This request does not come from a page of this server.\n", 403)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def make_app(run: LiveRun, names: frozenset[str], *, loopback: bool) -> Starlette:
    """The application. `names`: of this machine; `loopback`: it listens on this machine only."""
    routes = [
        Route("/{token}/", for_reader(run, show_index), methods=["GET"]),
        Route("/{token}/events", for_reader(run, send_index), methods=["GET"]),
        Route("/{token}/games/{game_id}", for_reader(run, show_game), methods=["GET"]),
        Route("/{token}/games/{game_id}/events", for_reader(run, send_steps), methods=["GET"]),
        Route("/{token}/games/{game_id}/choose", for_reader(run, choose), methods=["POST"]),
        Route("/{token}/leave", for_reader(run, leave), methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, names=names, loopback=loopback)])


Handler = Callable[[Request, LiveRun, Reader], Awaitable[Response]]


def for_reader(run: LiveRun, handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler of requests whose address has a valid token."""

    async def handle_request(request: Request) -> Response:
        reader = run.reader(request.path_params["token"])
        if reader is None:
            return PlainTextResponse("Unknown address: use the whole address that the referee printed.\n", 404, HEADERS)
        connection: Connection = request.state.connection
        connection.whose = PERSON if isinstance(reader, Person) else SPECTATOR
        return await handle(request, run, reader)

    return handle_request


def page(content: bytes) -> Response:
    """A page as the answer to a request."""
    return Response(content, media_type="text/html", headers=HEADERS)


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


async def show_game(request: Request, run: LiveRun, reader: Reader) -> Response:
    """The page of a game, with all that has happened so far."""
    game = run.game(request.path_params["game_id"], reader)
    if game is None or not game.has_begun:
        return PlainTextResponse("There is no such game, or it is no longer kept here.\n", 404, HEADERS)
    try:
        return page(await game.page(run.audience(reader, game)))
    except InvalidRecord as error:
        return PlainTextResponse(f"The game can't be shown: {error}\n", 500, HEADERS)


async def send_steps(request: Request, run: LiveRun, reader: Reader) -> Response:
    """The updates of a game, from number `from` on."""
    game = run.game(request.path_params["game_id"], reader)
    try:
        since = int(request.headers.get("last-event-id") or request.query_params.get("from", "0"))
    except ValueError:
        since = -1
    if game is None or since < 0:
        return PlainTextResponse("There is no such game, or no such update.\n", 404, HEADERS)
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


async def choose(request: Request, run: LiveRun, reader: Reader) -> Response:
    """A person's decision."""
    if not isinstance(reader, Person):
        return PlainTextResponse("Spectators can't change anything.\n", 403, HEADERS)
    try:
        chosen = msgspec.json.decode(await read_body(request), type=Chosen)
    except (msgspec.DecodeError, ValueError) as error:
        return PlainTextResponse(f"The answer can't be read: {error}\n", 400, HEADERS)
    problem = await run.choose(reader, request.path_params["game_id"], chosen.step, chosen.action)
    return PlainTextResponse(problem or "ok\n", 409 if problem else 200, HEADERS)


async def leave(request: Request, run: LiveRun, reader: Reader) -> Response:
    """A person asks to end the match."""
    if not isinstance(reader, Person):
        return PlainTextResponse("Spectators can't change anything.\n", 403, HEADERS)
    await read_body(request)
    run.leave(reader)
    return PlainTextResponse("ok\n", headers=HEADERS)


async def read_body(request: Request) -> bytes:
    """The body of a request. Raises ValueError if it is too long, or not JSON: forms of other sites can't send that."""
    if request.headers.get("content-type") != "application/json":
        raise ValueError("expected application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise ValueError(f"over {MAX_BODY} bytes")
    return body


def stream(run: LiveRun, content: AsyncGenerator[bytes, None]) -> Response:
    """Server-sent events. Each is produced when the browser has taken the one before, so a slow one costs nothing."""

    async def counted() -> AsyncIterator[bytes]:
        with run.streaming() as taken:
            async with contextlib.aclosing(content):
                async for part in content:
                    yield part
                    taken()

    return StreamingResponse(counted(), media_type="text/event-stream", headers=HEADERS)


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
