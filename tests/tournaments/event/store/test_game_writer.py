"""Finished games are made durable together, and one that can't be is no reason to lose others."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
import trio

from referee.outcome import Outcome
from referee.record.writer import RecordWriteError
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.event.store.organiser import Organiser
from tests.tournaments.event.store.test_database import game
from tournaments.competition.games import StoredGame
from tournaments.event.game_writer import GameWriter
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails
from tournaments.event.store.errors import StoreError
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame

RECORD = b'{"type":"game","players":[{},{}]}\n'


def played(stored: StoredGame) -> PlayedGame:
    """A game as it comes from a worker."""
    return PlayedGame(
        game=ScheduledGame(
            game_id=stored.game_id,
            public_id="x",
            deal=stored.deal,
            rotation=0,
            phase=1,
            seating=stored.bots,
            seed="s",
            bot_seeds=(1, 2),
        ),
        outcome=Outcome(scores=[3, 2], ranks=[1, 2], faults=[None, None], asked=1),
        record=None,
        stderr=[None, None],
    )


class Rows(Database):
    """A database that notes how many games are added at a time."""

    added: Sequence[int] = ()

    def write(self, *, games: Iterable[tuple[StoredGame, GameDetails | None]] = (), **others: Any) -> None:
        games = [*games]
        self.added = [*self.added, len(games)]
        super().write(games=games, **others)


async def write(cup: Organiser, database: Database, games: Sequence[StoredGame]) -> list[str]:
    """Write games while something else is being written, so that all of them wait. Returns those that can't be."""
    one_writer = trio.CapacityLimiter(1)
    writer = GameWriter(cup.folder, database, one_writer)
    failed = []

    async def write_one(stored: StoredGame) -> None:
        try:
            await writer.write(stored, played(stored), RECORD, (None, None))
        except (StoreError, RecordWriteError):
            failed.append(stored.game_id)

    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery, one_writer:
            for each in games:
                nursery.start_soon(write_one, each)
            while len(writer._to_add) + len(failed) < len(games):  # noqa: ASYNC110 (a deadline is above)
                await trio.sleep(0.01)
    return failed


@pytest.fixture
def database(cup: Organiser) -> Rows:
    return Rows.open(cup.folder.path / "games.db")


async def test_games_that_wait_for_the_disk_are_added_together(cup: Organiser, database: Rows) -> None:
    games = [game(number) for number in range(11, 16)]
    with database:
        assert await write(cup, database, games) == []
        assert database.added == [5]
        found = sorted(database.games(), key=lambda each: each.deal)
    assert [each.game_id for each in found] == [each.game_id for each in games]
    for each in found:
        assert cup.folder.read_record(each.game_id) == RECORD
        assert each.sha256 != "ab", "that of the record"


async def test_a_game_that_can_not_be_added_costs_no_other(cup: Organiser, database: Rows) -> None:
    games = [game(number) for number in range(11, 16)]
    cup.folder.record(games[4].game_id).mkdir()
    with database:
        database.write(games=[(games[2], None)])
        assert sorted(await write(cup, database, games)) == [games[2].game_id, games[4].game_id]
        assert sorted(each.deal for each in database.games()) == [11, 12, 13, 14]
