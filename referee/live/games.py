"""A game that is shown live: the lines of its record so far, and its page for each audience that has asked for it."""

from collections.abc import Sequence

import msgspec
import trio
from msgspec import Struct, structs

from referee.games.renderer import Audience
from referee.pages.document import Live, encode_document
from referee.pages.html import write_page
from referee.pages.timeline import Timeline
from referee.record.reader import GZIP_MAGIC, InvalidRecord, unpack
from referee.record.replay import Replay


class Question(Struct, frozen=True):
    """A decision that a person is to take. `choices`: how many actions are legal."""

    number: int
    choices: int
    seconds: float | None


class LiveGame:
    """A running or finished game. `over`: how it ended, or an empty string. `changed` is set, and replaced, whenever
    there is something new."""

    def __init__(self, game_id: str, label: str, seats: Sequence[str | None] = ()) -> None:
        self.game_id = game_id
        self.label = label
        self.seats = seats
        """By seat, the token of the person who plays there."""
        self.public_id = ""
        self.over = ""
        self.changed = trio.Event()
        self._lines: list[bytes] = []
        self._questions: dict[int, Question] = {}
        self._pages: dict[Audience, LivePage] = {}
        self._drawing = trio.Lock()

    # -- what the referee says --------------------------------------------------------------------------------

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add lines of the record."""
        self._lines += lines
        if not self.public_id and self._lines:
            self.public_id = public_id_of(self._lines[0])
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

    def leave(self) -> None:
        """The game will not be finished, or its record is not to be had."""
        self.over = self.over or "not finished"
        self.notify()

    def ask(self, seat: int, question: Question) -> None:
        """A person in this seat is to decide."""
        self._questions[seat] = question
        self.notify()

    def close_question(self, seat: int) -> None:
        """The person in this seat has decided, or need not."""
        self._questions.pop(seat, None)
        self.notify()

    def question(self, audience: Audience) -> Question | None:
        """The question that this audience is to answer."""
        return self._questions.get(audience) if isinstance(audience, int) else None

    # -- what browsers ask for --------------------------------------------------------------------------------

    async def page(self, audience: Audience) -> bytes:
        """The page with all that has happened so far. Raises InvalidRecord before the first line of the record."""
        async with self._drawing:  # a thread that takes in lines would change what is written
            live = await self._advanced(audience)
            return await trio.to_thread.run_sync(live.html, self.game_id)

    async def updates(self, audience: Audience, since: int) -> Sequence[bytes]:
        """The encoded updates of the page from this position on."""
        async with self._drawing:
            return (await self._advanced(audience)).updates[since:]

    async def last_step(self, audience: Audience) -> int:
        """The number of the latest step."""
        async with self._drawing:
            return (await self._advanced(audience)).steps - 1

    async def _advanced(self, audience: Audience) -> "LivePage":
        """The page of an audience, up to date. Drawn in a thread: it may take a second for a long game.

        Called with `_drawing` held.
        """
        live = self._pages.get(audience)
        if live is None:
            live = self._pages[audience] = await trio.to_thread.run_sync(LivePage, [*self._lines], audience)
        lines = self._lines[live.taken :]
        if lines:
            await trio.to_thread.run_sync(live.take, lines)
        return live

    def notify(self) -> None:
        """Wake up the pages that wait for news."""
        self.changed.set()
        self.changed = trio.Event()

    @property
    def has_begun(self) -> bool:
        """Whether there is a page to show."""
        return bool(self._lines)


class LivePage:
    """The page of a game for one audience. `updates` has what was added since the first lines, encoded."""

    def __init__(self, lines: Sequence[bytes], audience: Audience) -> None:
        """`lines`: all so far, with those of the setup. Raises InvalidRecord."""
        self.taken = len(lines)
        """How many lines of the record have been taken in."""
        self.updates: list[bytes] = []
        self.steps = 0
        self._audience = audience
        self._replay = Replay(join_lines(lines))
        if self._replay.unstarted is not None:
            raise self._replay.unstarted
        self._timeline = Timeline(self._replay, [audience])
        self._timeline.advance()
        self.steps = len(self._timeline.document().steps)

    def take(self, lines: Sequence[bytes]) -> None:
        """Take in further lines. Raises InvalidRecord."""
        self.taken += len(lines)
        self._replay.extend(join_lines(lines))
        self._timeline.advance()
        addition = self._timeline.addition()
        self.steps += len(addition.steps)
        self.updates.append(encode_document(addition))

    def html(self, game_id: str) -> bytes:
        """The page so far, which asks for the updates that follow. Its address ends with the id of the game."""
        person = isinstance(self._audience, int)
        live = Live(
            updates=f"{game_id}/events?from={len(self.updates)}",
            choose="../choose" if person else "",
            seat=self._audience if isinstance(self._audience, int) else None,
        )
        return write_page(structs.replace(self._timeline.document(), live=live)).encode()


def join_lines(lines: Sequence[bytes]) -> bytes:
    """Lines as in the file of a record."""
    return b"".join(line + b"\n" for line in lines)


def public_id_of(first: bytes) -> str:
    """The id by which bots know a game, from the first line of its record."""
    fields = msgspec.json.decode(first)
    return str(fields.get("public_id", ""))
