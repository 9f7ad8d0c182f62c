"""Whatever a bot does at its end, the referee goes on at once: its next games don't wait until it is gone."""

import pytest
import trio

from tests.game_runner.harness import HANG
from tests.hostile.catalogue import CATALOGUE
from tests.hostile.cleanup import nothing_left, processes_of
from tests.hostile.hostile_harness import Stage, schedule
from tournaments.runner import PlayedGame, play_games
from tournaments.schedule import Phases

OUTLIVES = (
    "closes_all_pipes",
    "closes_stdin",
    "closes_stdout",
    "drip_feeds",
    "refuses_to_leave",
    "stops_itself",
    "stops_its_group",
    "stops_reading",
)
"""These are out of their first game and still there."""


@pytest.mark.usefixtures("pebbles_known")
@pytest.mark.parametrize("bot", OUTLIVES)
async def test_next_games_do_not_wait_for_a_bot_that_does_not_leave(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, bot: str
) -> None:
    monkeypatch.setattr("tournaments.pool.QUIT_GRACE", HANG)
    plan = stage.plan(bot, CATALOGUE[bot])
    played: list[PlayedGame] = []
    done = trio.Event()

    def add(game: PlayedGame) -> None:
        played.append(game)
        if len(played) == len(schedule()):
            done.set()

    with nothing_left(stage.folder), trio.fail_after(HANG / 2):
        async with stage.harness.leaves_nothing(), trio.open_nursery() as nursery:
            nursery.start_soon(play_games, plan, Phases(iter(schedule())), add)
            await done.wait()
            assert len(processes_of(stage.folder / bot)) >= 2, "the processes of two games, within their grace"
            nursery.cancel_scope.cancel()
    played.sort(key=lambda game: game.game.game_id)
    assert [sum(fault is not None for fault in game.outcome.faults) for game in played] == [1, 1, 0]
