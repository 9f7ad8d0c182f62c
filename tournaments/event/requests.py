"""Requests to a running tournament from another terminal, which are applied before its next round."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.errors import RefereeError
from referee.files import read_file
from tournaments.competition.changes import AnyRuling, Joined
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Entrant
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentBot
from tournaments.event.store.durable import write_durably
from tournaments.event.store.folder import TournamentFolder

MAX_REQUEST: Final = 256 * 1024
REQUESTS_FOLDER: Final = "requests"


class RequestError(RefereeError):
    """A request that can't be read or submitted. The text says why."""


class Request(Struct, frozen=True, kw_only=True, tag_field="request"):
    """See the module."""


class JoinRequest(Request, frozen=True, kw_only=True, tag="join"):
    """Let a bot join. It has been built and tried."""

    entrant: Entrant
    source: dict[str, Any]
    """Its [[bot]] table."""
    files_sha256: str | None
    sources_sha256: str | UnsetType = UNSET
    bot_file: str | None = None
    """The text of its bot.toml before it was built."""


class WithdrawRequest(Request, frozen=True, kw_only=True, tag="withdraw"):
    """Withdraw a bot."""

    bot: str
    reason: str


class RulingRequest(Request, frozen=True, kw_only=True, tag="ruling"):
    """Give a ruling. Its round and time are those at which it is applied."""

    ruling: AnyRuling


class PauseRequest(Request, frozen=True, kw_only=True, tag="pause"):
    """Stop after the round in progress."""


AnyRequest = JoinRequest | WithdrawRequest | RulingRequest | PauseRequest


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

    def check(self, bot: str, kind: type[Request]) -> None:
        """Raise RequestError if the same request for this bot is still waiting."""
        for _, request in self.waiting():
            match request:
                case WithdrawRequest():
                    name = request.bot
                case JoinRequest():
                    name = request.entrant.name
                case _:
                    continue
            if name == bot and isinstance(request, kind):
                raise RequestError(f'already requested for "{bot}"; it takes effect before the next round')

    def remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # a folder, or somebody has removed it
            path.unlink()

    def bot_of(self, request: JoinRequest, store: TournamentFolder, progress: Progress) -> TournamentBot:
        """The bot that is to join. Raises TournamentFileError, StoreError and RequestError."""
        kept = store.bot_files()
        if request.bot_file is not None:
            kept[request.entrant.name] = request.bot_file
        late = [event.source for event in progress.events if isinstance(event, Joined)]
        bot = read_tournament(store.file, [*late, request.source], kept=kept).bots[-1]
        if (bot.spec.name, bot.owner) != (request.entrant.name, request.entrant.owner):
            raise RequestError(f'a request to let "{request.entrant.name}" join describes "{bot.spec.name}"')
        return bot
