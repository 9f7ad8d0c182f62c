"""Which games of a round have begun, so that none is begun again in silence."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from referee.files import read_file
from referee.printable import sanitise
from tournaments.event.store.durable import write_durably
from tournaments.event.store.errors import StoreError

MAX_BEGUN: Final = 1 << 30
MAX_DISCARD_REASON: Final = 300
AFTER_A_STOP: Final = "the referee was stopped before it was over"
AFTER_A_LOSS: Final = "the worker that played it was lost"


class _Line(Struct, frozen=True, array_like=True):
    what: Literal["begun", "begun again", "discarded"]
    game_id: str
    reason: str = ""


class BegunGames:
    """The file `begun`, with a line for each time that a game begins, or that a stored one is discarded.

    A line is written before the bots of the game are asked anything. It doesn't wait for the disk: it survives the end
    of the referee, not that of the machine.
    """

    def __init__(self, path: Path) -> None:
        """Raises StoreError if the file can't be read."""
        self._path = path
        self._lines: dict[str, list[_Line]] = {}
        """By game."""
        self._here: set[str] = set()
        """The games that have begun since the file was read."""
        self._is_cut_off = False
        """Whether the last line of the file has no end: the next one would become a part of it."""
        try:
            data = read_file(path, MAX_BEGUN)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"can't read {path}: {error.strerror}") from None
        self._is_cut_off = not data.endswith(b"\n")
        for line in data.splitlines():
            try:
                self._note(msgspec.json.decode(line, type=_Line))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # the machine went down while it was written

    def begin(self, game_ids: Iterable[str]) -> None:
        """These games begin. Raises StoreError."""
        self._append([self._beginning(game_id) for game_id in game_ids])

    def discard(self, game_id: str, reason: str) -> None:
        """A stored game doesn't count, and is to be played again. Raises StoreError."""
        self._append([_Line("discarded", game_id, sanitise(reason, MAX_DISCARD_REASON))])

    @property
    def game_ids(self) -> Collection[str]:
        """Those of games that have begun in a round that is not over."""
        return self._lines.keys()

    def again(self, game_ids: Iterable[str]) -> dict[str, list[str]]:
        """By each of these games that was begun again, why, once for each time."""
        reasons = {
            game_id: [line.reason for line in self._lines.get(game_id, ()) if line.what == "begun again"]
            for game_id in game_ids
        }
        return {game_id: own for game_id, own in reasons.items() if own}

    def forget(self, game_ids: Iterable[str]) -> None:
        """Forget games that are over. Raises OSError."""
        for game_id in game_ids:
            self._lines.pop(game_id, None)
        if not self._lines:
            self._path.unlink(missing_ok=True)
            return
        write_durably(self._path, _encoded(line for own in self._lines.values() for line in own))

    def _beginning(self, game_id: str) -> _Line:
        if game_id not in self._lines:
            return _Line("begun", game_id)
        last, default = self._lines[game_id][-1], AFTER_A_LOSS if game_id in self._here else AFTER_A_STOP
        return _Line("begun again", game_id, last.reason if last.what == "discarded" else default)

    def _append(self, lines: list[_Line]) -> None:
        try:
            with self._path.open("ab") as file:
                file.write(b"\n" * self._is_cut_off + _encoded(lines))
                self._is_cut_off = False
        except OSError as error:
            raise StoreError(f"can't write {self._path}: {error.strerror}") from None
        for line in lines:
            self._note(line)
            if line.what != "discarded":
                self._here.add(line.game_id)

    def _note(self, line: _Line) -> None:
        self._lines.setdefault(line.game_id, []).append(line)


def _encoded(lines: Iterable[_Line]) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
