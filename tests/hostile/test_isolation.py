"""However slowly a bot exits, the next games don't wait until it is gone."""

import pytest
import trio

from tests.hostile.catalogue import CATALOGUE
from tests.hostile.cleanup import no_processes_left, processes_of
from tests.hostile.hostile_harness import HostileHarness, schedule
from tests.playing import play_games
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases

STILL_RUNNING = (
    "closes_all_pipes",
    "does_not_exit",
    "stops_itself",
    "stops_reading",
)
"""Bots of every kind that are out of their first game while their processes still run."""


@pytest.mark.slow
@pytest.mark.usefixtures("pebbles_known")
@pytest.mark.parametrize("bot", STILL_RUNNING)
async def test_next_games_do_not_wait_for_a_bot_that_does_not_exit(
    hostile_harness: HostileHarness, monkeypatch: pytest.MonkeyPatch, bot: str
) -> None:
    monkeypatch.setattr("referee.players.connect.QUIT_GRACE", TEST_TIMEOUT)
    plan = hostile_harness.plan(bot, CATALOGUE[bot])
    played: list[PlayedGame] = []
    done = trio.Event()

    def add(game: PlayedGame) -> None:
        played.append(game)
        if len(played) == len(schedule()):
            done.set()

    with no_processes_left(hostile_harness.folder), trio.fail_after(TEST_TIMEOUT / 2):
        async with hostile_harness.harness.no_leaks(), trio.open_nursery() as nursery:
            nursery.start_soon(play_games, plan, Phases(iter(schedule())), add)
            await done.wait()
            assert len(processes_of(hostile_harness.folder / bot)) >= 2, (
                "the processes of two games, within their grace periods"
            )
            nursery.cancel_scope.cancel()
    played.sort(key=lambda game: game.game.game_id)
    assert [sum(fault is not None for fault in game.outcome.faults) for game in played] == [1, 1, 0]
