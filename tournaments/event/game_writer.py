"""Finished games become durable: their records side by side, and what is in the database together.

A disk takes milliseconds to make anything durable, but several things in hardly more time than one. Quick games on
several cores would wait for it if each were written by itself.
"""

from collections.abc import Sequence
from typing import Final

import trio
from msgspec import structs

from tournaments.competition.games import StoredGame
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails, details_of
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.play.runner import PlayedGame

WRITERS: Final = 8
"""Records that are written at the same time. Mostly they wait for the disk."""


class GameWriter:
    """Writes the games of a tournament. `one_writer`: for what only one thread may do at a time."""

    def __init__(self, folder: TournamentFolder, database: Database, one_writer: trio.CapacityLimiter) -> None:
        self._folder = folder
        self._database = database
        self._one_writer = one_writer
        self._writers = trio.CapacityLimiter(WRITERS)
        self._to_add: list[tuple[StoredGame, GameDetails]] = []
        """Games with a durable record that are to be added to the database."""

    async def write(
        self, game: StoredGame, played: PlayedGame, record: bytes, faults: Sequence[str | None]
    ) -> StoredGame:
        """Make a game and its record durable; the game with the hash of the record. Raises RecordWriteError, OSError
        and StoreError."""
        if played.host is not None:
            await trio.to_thread.run_sync(self._note_host, played, limiter=self._one_writer)
        row = await trio.to_thread.run_sync(self._write_record, game, record, faults, limiter=self._writers)
        self._to_add.append(row)
        # The first to get in adds the games of all that wait, so these find nothing to do.
        async with self._one_writer:
            if row in self._to_add:
                try:
                    await self._add([*self._to_add])
                except StoreError:  # one of them can't be added: then each by itself
                    self._to_add.remove(row)
                    await self._add([row])
        return row[0]

    async def _add(self, rows: list[tuple[StoredGame, GameDetails]]) -> None:
        await trio.to_thread.run_sync(lambda: self._database.write(games=rows))
        self._to_add = [row for row in self._to_add if row not in rows]

    def _note_host(self, played: PlayedGame) -> None:
        assert played.host is not None
        self._folder.add_host(played.game.game_id, played.host)
        if played.built:
            self._folder.add_builds(played.host, played.built)

    def _write_record(
        self, game: StoredGame, record: bytes, faults: Sequence[str | None]
    ) -> tuple[StoredGame, GameDetails]:
        stored = structs.replace(game, sha256=self._folder.write_record(game.game_id, record))
        return stored, details_of(record, faults)
