"""The web server: pages of games and of the run, and server-sent events for what is new. Only persons can post."""

from collections.abc import AsyncGenerator
from typing import Final

import msgspec
import trio
from msgspec import Struct

from referee.games.renderer import Audience
from referee.live.access import is_own_host, is_own_page
from referee.live.connections import PERSON, SPECTATOR, Request, Response
from referee.live.games import LiveGame
from referee.live.index import index_page, waiting_page
from referee.live.messages import EndRequested
from referee.live.run import PLAYED_AGAIN, LiveRun, Person
from referee.pages.document import Addition
from referee.record.reader import InvalidRecord

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
        person = self._run.persons.get(token)
        if person is None and token != self._run.spectators:
            return text("Unknown address: use the whole address that the referee printed.\n", 404)
        request.connection.whose = SPECTATOR if person is None else PERSON
        match request.method.replace("HEAD", "GET"), place:
            case "GET", [""]:
                return page(index_page(self._run) if person is None else waiting_page(self._run, person))
            case "GET", ["events"]:
                return self._stream(self._index_events(person))
            case "GET", ["games", game_id]:
                return await self._game_page(person, game_id)
            case "GET", ["games", game_id, "picture"]:
                return self._picture(person, game_id)
            case "GET", ["games", game_id, "events"]:
                return self._stream_game(request, person, game_id)
            case "POST", ["leave"] | ["games", _, "choose"]:
                if person is None:
                    return text("Spectators can't change anything.\n", 403)
                if request.headers.get("content-type") != "application/json":  # forms of other sites can't send that
                    return text("The answer can't be read: expected application/json\n", 400)
                if place == ["leave"]:
                    self._run.send(EndRequested())
                    return text("ok\n")
                return await self._choose(request, person, game_id=place[1])
            case _, ["" | "events" | "leave"] | ["games", _] | ["games", _, "events" | "choose" | "picture"]:
                return text("This is done with another method.\n", 405)
        return text("There is no such page.\n", 404)

    async def _index_events(self, person: Person | None) -> AsyncGenerator[bytes, None]:
        """Tells the page of the run, or of a person who waits, when its content has changed, with the new content."""
        run, name = self._run, "index" if person is None else "game"
        shown = ""
        while True:
            changed = run.changed
            if person is None:
                await run.update_previews()
            body = index_page(run, body_only=True).decode() if person is None else person.game_id
            if body != shown:
                shown = body
                yield event(body, name=name)
            if run.ended is not None:
                yield event(run.ended, name="end")
                return
            # At most twice a second: a match may finish hundreds of games in that time.
            if comment := await wait_for_news(changed, 0.5, 0.5):
                yield comment

    async def _game_page(self, person: Person | None, game_id: str) -> Response:
        game = self._run.game(game_id, person)
        if game is None or not game.has_begun:
            return text("There is no such game, or it is no longer kept here.\n", 404)
        try:
            return page(await game.page(self._run.audience(person, game)))
        except InvalidRecord as error:
            return text(f"The game can't be shown: {error}\n", 500)

    def _picture(self, person: Person | None, game_id: str) -> Response:
        """The newest position as it was last drawn for the page of the run, which only spectators have."""
        game = self._run.game(game_id, None) if person is None else None
        if game is None or game.preview is None:
            return text("There is no such picture.\n", 404)
        return Response(media_type="image/svg+xml", headers=HEADERS, content=game.preview.picture.encode())

    def _stream_game(self, request: Request, person: Person | None, game_id: str) -> Response:
        """The updates of a game, from number `from` on."""
        game = self._run.game(game_id, person)
        try:
            since = int(request.headers.get("last-event-id") or request.query.get("from", ["0"])[0])
        except ValueError:
            since = -1
        if game is None or since < 0:
            return text("There is no such game, or no such update.\n", 404)
        return self._stream(self._game_events(game, self._run.audience(person, game), since))

    async def _game_events(self, game: LiveGame, audience: Audience, position: int) -> AsyncGenerator[bytes, None]:
        while True:
            changed = game.changed
            ending = bool(game.over) or self._run.ended is not None
            try:
                updates = await game.updates(audience, position)
            except InvalidRecord:  # a page that is opened now says why
                yield event('{"ended":true}')
                return
            for update in updates:
                position += 1
                yield event(update.decode(), number=position)
            if ending:
                why = PLAYED_AGAIN if game.over == PLAYED_AGAIN else "" if game.over else self._run.ended or ""
                yield event(msgspec.json.encode(Addition(ended=True, error=why)).decode())
                return
            # Updates are at most twenty a second: fewer are drawn faster, and nobody reads more.
            if comment := await wait_for_news(changed, UPDATE_INTERVAL):
                yield comment

    async def _choose(self, request: Request, person: Person, game_id: str) -> Response:
        try:
            chosen = msgspec.json.decode(request.body, type=Chosen)
        except msgspec.DecodeError as error:
            return text(f"The answer can't be read: {error}\n", 400)
        problem = await self._run.choose(person, game_id, chosen.step, chosen.action)
        return text(problem or "ok\n", 409 if problem else 200)

    def _stream(self, content: AsyncGenerator[bytes, None]) -> Response:
        """Server-sent events. Each is made when the browser has taken the one before, so a slow one costs nothing."""
        return Response(media_type="text/event-stream", headers=HEADERS, content=self._run.streamed(content))


def text(content: str, status: int = 200) -> Response:
    return Response(status=status, headers=HEADERS, content=content.encode())


def page(content: bytes) -> Response:
    return Response(media_type="text/html", headers=HEADERS, content=content)


async def wait_for_news(changed: trio.Event, pause: float, patience: float = KEEP_ALIVE) -> bytes:
    """Wait for the event, and at least `pause` seconds. A comment to be sent if nothing is new for `patience` seconds,
    or nothing."""
    await trio.sleep(pause)
    with trio.move_on_after(patience):
        await changed.wait()
        return b""
    return b": nothing new\n\n"


def event(data: str, *, name: str = "", number: int | None = None) -> bytes:
    """One server-sent event; `data` of several lines is sent as such."""
    head = f"event: {name}\n" if name else ""
    if number is not None:
        head += f"id: {number}\n"
    return (head + "".join(f"data: {line}\n" for line in data.split("\n")) + "\n").encode()
