"""A game that is shown live: the lines of its record so far, and its page for each audience that has asked for it."""

from collections.abc import Sequence

import trio
from msgspec import Struct

from referee.games.renderer import Audience
from referee.record.reader import GZIP_MAGIC, InvalidRecord, unpack


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

    # -- what the referee says --------------------------------------------------------------------------------

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add lines of the record."""
        self._lines += lines
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

    def notify(self) -> None:
        """Wake up the pages that wait for news."""
        self.changed.set()
        self.changed = trio.Event()
