"""A game that is shown live: the lines of its record so far, and its page for each audience that has asked for it."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar, TypeVarTuple, Unpack

import msgspec
import trio
from msgspec import structs

from referee.games.renderer import Audience
from referee.live.messages import QuestionAsked
from referee.pages.audience import AudienceView, known_players
from referee.pages.document import Live
from referee.pages.html import write_page
from referee.pages.pools import Pools
from referee.pages.svg import main_panels, write_svg
from referee.pages.timeline import Timeline
from referee.record.reader import GZIP_MAGIC, InvalidRecord, unpack
from referee.record.render import player_names
from referee.record.replay import Replay

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class Preview(NamedTuple):
    """The newest position of a game, small, as an audience sees it."""

    round: int
    scores: Sequence[float]
    """By seat; empty if the audience doesn't know them."""
    picture: str
    """SVG."""


class LiveGame:
    """A running or finished game. `over`: how it ended, or an empty string. `changed` is set, and replaced, whenever
    there is something new."""

    def __init__(
        self,
        game_id: str,
        names: Sequence[str],
        seats: Sequence[str | None] = (),
        spectators: trio.CapacityLimiter | None = None,
    ) -> None:
        """`spectators`: how many threads may draw for spectators."""
        self.game_id = game_id
        self.names = names
        self.preview: Preview | None = None
        self.previewed_at = -math.inf
        self.previewed = 0
        """How many lines the preview has taken in."""
        self._newest: Newest | None = None
        self.seats = seats
        """By seat, the token of the person who plays there."""
        self.public_id = ""
        """The id by which bots know the game."""
        self.over = ""
        self.changed = trio.Event()
        self._lines: list[bytes] = []
        self._questions: dict[int, QuestionAsked] = {}
        """By seat, what a person is to decide."""
        self._spectators = spectators
        self._pages: dict[Audience, LivePage] = {}
        self._drawing: dict[Audience, trio.Lock] = {}
        """For each audience, so that spectators, however many ask, don't delay the page of a person."""

    # -- what the referee says --------------------------------------------------------------------------------

    def add_lines(self, lines: Sequence[bytes]) -> None:
        self._lines += lines
        if not self.public_id and self._lines:
            self.public_id = str(msgspec.json.decode(self._lines[0]).get("public_id", ""))
        if lines and b'"type":"result"' in lines[-1][:30]:
            self.over = "finished"
        self.notify()

    def add_record(self, content: bytes) -> None:
        """Set the whole record, plain or gzipped."""
        try:
            unpacked = unpack(content) if content.startswith(GZIP_MAGIC) else content
        except InvalidRecord:
            self.over = "its record can't be read"
        else:
            self._lines = unpacked.splitlines()
            self.over = "finished"
        self.notify()

    def ask(self, question: QuestionAsked) -> None:
        self._questions[question.seat] = question
        self.notify()

    def close_question(self, seat: int) -> None:
        self._questions.pop(seat, None)
        self.notify()

    def question(self, audience: Audience) -> QuestionAsked | None:
        return self._questions.get(audience) if isinstance(audience, int) else None

    # -- what browsers ask for --------------------------------------------------------------------------------

    async def page(self, audience: Audience) -> bytes:
        """The page with all that has happened so far. Raises InvalidRecord before the first line of the record."""
        async with self._drawing_for(audience):  # a thread that takes in lines would change what is written
            live = await self._advanced(audience)
            if live.written is None:
                live.written = await self._draw(audience, live.html, self.game_id)
            if self.over and live.taken == len(self._lines):
                await self._draw(audience, live.finish)
            return live.written

    async def update_preview(self, audience: Audience) -> None:
        """Bring `preview` up to date for spectators."""
        self.previewed_at = trio.current_time()
        async with self._drawing_for(audience):
            if self.is_previewed:
                return
            lines = len(self._lines)
            new = self._lines[0 if self._newest is None else self.previewed :]
            try:
                self.preview = await self._draw(audience, self._draw_preview, audience, new)
            except Exception:  # an incomplete setup, an invalid record, or a stranger's renderer: again with more lines
                self.preview, self._newest = Preview(0, (), ""), None
            self.previewed = lines
            if self.over:
                self._newest = None

    def drop_preview(self) -> None:
        self.preview, self.previewed, self._newest = None, 0, None

    def _draw_preview(self, audience: Audience, lines: Sequence[bytes]) -> Preview:
        if self._newest is None:
            self._newest = Newest(join_lines(lines), audience)
        else:
            self._newest.extend(join_lines(lines))
        return self._newest.draw()

    async def updates(self, audience: Audience, since: int) -> Sequence[bytes]:
        async with self._drawing_for(audience):
            return (await self._advanced(audience)).updates[since:]

    async def last_step(self, audience: Audience) -> int:
        """The number of the latest step, after all lines until this returns: a question belongs to the latest one."""
        async with self._drawing_for(audience):
            live = await self._advanced(audience)
            while live.taken < len(self._lines):  # more came while it was drawn, and another question may have come too
                live = await self._advanced(audience)
            return live.steps - 1

    def _drawing_for(self, audience: Audience) -> trio.Lock:
        """What is held while the page of an audience is drawn."""
        return self._drawing.setdefault(audience, trio.Lock())

    async def _advanced(self, audience: Audience) -> "LivePage":
        """The page of an audience, up to date. Drawn in a thread: it may take a second for a long game.

        Called with the lock of this audience held.
        """
        live = self._pages.get(audience)
        if live is None:
            live = self._pages[audience] = await self._draw(audience, LivePage, [*self._lines], audience)
        lines = self._lines[live.taken :]
        if lines:
            await self._draw(audience, live.add_lines, lines)
        return live

    async def _draw(self, audience: Audience, draw: Callable[[Unpack[Arguments]], T], *args: *Arguments) -> T:
        """Call a function in a thread. Those who draw for spectators wait for each other, and persons for nobody."""
        limiter = None if isinstance(audience, int) else self._spectators
        return await trio.to_thread.run_sync(draw, *args, limiter=limiter)

    def notify(self) -> None:
        self.changed.set()
        self.changed = trio.Event()

    @property
    def is_previewed(self) -> bool:
        """Whether the preview is that of the newest position."""
        return self.preview is not None and self.previewed == len(self._lines)

    @property
    def is_being_drawn(self) -> bool:
        return any(lock.locked() for lock in self._drawing.values())

    @property
    def has_begun(self) -> bool:
        return bool(self._lines)


class LivePage:
    """The page of a game for one audience. `updates` has what was added since the first lines, encoded."""

    def __init__(self, lines: Sequence[bytes], audience: Audience) -> None:
        """`lines`: all so far, with those of the setup. Raises InvalidRecord."""
        self.taken = len(lines)
        """How many lines of the record have been taken in."""
        self.updates: list[bytes] = []
        self.written: bytes | None = None
        """The page as it was last asked for, until there is more."""
        self._audience = audience
        replay = Replay(join_lines(lines))
        if replay.unstarted is not None:
            raise replay.unstarted
        timeline = Timeline(replay, [audience])
        timeline.advance()
        self.steps = len(timeline.document().steps)
        self._kept: tuple[Replay, Timeline] | None = (replay, timeline)

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Take in further lines. Raises InvalidRecord."""
        self.taken += len(lines)
        if self._kept is None:
            return
        replay, timeline = self._kept
        self.written = None
        replay.extend(join_lines(lines))
        timeline.advance()
        addition = timeline.addition()
        self.steps += len(addition.steps)
        self.updates.append(msgspec.json.encode(addition))

    def finish(self) -> None:
        """No more lines will come: forget what they would need, about 3 MB. What is written stays."""
        self._kept = None

    def html(self, game_id: str) -> bytes:
        """The page so far, which asks for the updates that follow. Its address ends with the id of the game."""
        seat = self._audience if isinstance(self._audience, int) else None
        choose = "" if seat is None else f"{game_id}/choose"
        live = Live(updates=f"{game_id}/events?from={len(self.updates)}", choose=choose, seat=seat)
        assert self._kept is not None, "the page is written before it is finished"
        return write_page(structs.replace(self._kept[1].document(), live=live)).encode()


class Newest:
    """Follows a game for one audience. To draw only its newest position costs a fraction of a `Timeline`."""

    def __init__(self, record: bytes, audience: Audience) -> None:
        """`record`: the lines so far, with those of the setup. Raises InvalidRecord."""
        replay = self._replay = Replay(record)
        if replay.unstarted is not None:
            raise replay.unstarted
        names = player_names(known_players(replay.header, None if audience == "all" else audience))
        self._view = AudienceView(replay.game, audience, names, Pools(with_paths=False))
        self._follow()
        self.extend(b"")

    def extend(self, lines: bytes) -> None:
        """Take in further lines. Raises InvalidRecord."""
        self._replay.extend(lines)
        while self._replay.replayed < len(self._replay.rest):
            self._replay.step()
            self._follow()

    def _follow(self) -> None:
        self._view.advance(self._replay.latest(), breaks_off=self._replay.is_cut_off)

    def draw(self) -> Preview:
        view = self._view
        view.show_places(self._replay)
        panels = [] if view.game is None else view.renderer.draw(view.game)
        picture = write_svg(main_panels(panels), self._replay.game_type.title, view.renderer.css)
        return Preview(view.round, view.scores(), picture)


def join_lines(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
