"""Requests to a running tournament from another terminal, which are applied before its next round."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.files import read_file
from tournaments.competition.changes import AnyRuling, Joined, Withdrawn
from tournaments.competition.regulations import Entrant
from tournaments.event.store.durable import write_durably

MAX_REQUEST: Final = 256 * 1024
REQUESTS_FOLDER: Final = "requests"


class RequestError(RefereeError):
    """A request that can't be read or submitted. The text says why."""


class ChangeRequest(Struct, frozen=True, kw_only=True, tag_field="request", tag="change"):
    """Make a change. Its round and time are those at which it is made."""

    change: Joined | Withdrawn | AnyRuling
    bot_file: str | None = None
    """Of a bot that joins, which has been built and tried: the text of its bot.toml before it was built."""


class PauseRequest(Struct, frozen=True, kw_only=True, tag_field="request", tag="pause"):
    """Stop after the round in progress."""


AnyRequest = ChangeRequest | PauseRequest


class Requests:
    """The requests in the folder of a tournament, as files that are either complete or absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / REQUESTS_FOLDER

    def submit(self, request: AnyRequest) -> None:
        """Submit a request to the referee that runs the tournament. Raises RequestError."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            # In the order of submission; two at the same moment come from different processes.
            name = f"{time.time_ns():020}-{os.getpid()}.json"
            write_durably(self._folder / name, msgspec.json.encode(request), 0o600)
        except OSError as error:
            raise RequestError(f"can't write a request to {self._folder}: {error.strerror}") from None

    def waiting(self) -> Iterator[tuple[Path, AnyRequest]]:
        """The submitted requests, the oldest first. Other files are skipped."""
        if not self._folder.is_dir():
            return
        for path in sorted(self._folder.glob("*.json")):
            try:
                request = msgspec.json.decode(read_file(path, MAX_REQUEST), type=AnyRequest)
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self.remove(path)
                continue
            yield path, request

    def check(self, bot: str, kind: type[Joined | Withdrawn]) -> None:
        """Raise RequestError if the same request for this bot is still waiting."""
        for _, request in self.waiting():
            match request:
                case ChangeRequest(change=Joined(bot=Entrant(name=name)) | Withdrawn(bot=name) as change):
                    if name == bot and isinstance(change, kind):
                        raise RequestError(f'already requested for "{bot}"; it takes effect before the next round')

    def remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # a folder, or somebody has removed it
            path.unlink()
