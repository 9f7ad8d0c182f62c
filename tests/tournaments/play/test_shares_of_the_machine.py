"""What the bots of a match leave each other and the referee of the processors, as each part of the code is told."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from referee.processes.supervisor import supervise
from tests.game_runner.harness import RANDOM, Harness
from tournaments.play import runner, workers
from tournaments.play.events import ignore
from tournaments.play.runner import Callbacks, Measurements, open_runner
from tournaments.play.schedule import Phases
from tournaments.play.worker_process import WorkerProcess


async def store(*_: Any) -> None: ...


@pytest.mark.parametrize(("builtin", "ahead"), [(False, True), (True, False)])
async def test_the_referee_has_more_weight_in_games_without_built_in_players(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, builtin: bool, ahead: bool
) -> None:
    told: list[bool] = []

    @contextlib.asynccontextmanager
    async def noted(*arguments: Any, ahead: bool) -> AsyncIterator[Any]:
        told.append(ahead)
        async with supervise(*arguments) as supervisor:
            yield supervisor

    monkeypatch.setattr(runner, "supervise", noted)
    plan = harness.plan([harness.bot(), RANDOM if builtin else harness.bot()])

    callbacks = Callbacks(store=store, on_notice=lambda notice: None, needs_processes=lambda game: True)
    async with open_runner(plan, Measurements(plan), callbacks):
        pass
    assert told == [ahead]


@pytest.mark.parametrize(
    ("cores", "number", "starts"), [(8, 2, [4, 4]), (4, 3, [1, 1, 1]), (2, 4, [1, 1, 1, 1])], ids=str
)
def test_workers_share_the_starts_of_a_machine(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, cores: int, number: int, starts: list[int]
) -> None:
    told: list[int | None] = []
    monkeypatch.setattr(workers, "cores", lambda: cores)
    monkeypatch.setattr(WorkerProcess, "begin_round", lambda worker, plan, room: told.append(plan.starts))
    executor = workers.Workers(number, None, ignore)  # type: ignore[arg-type] # no process is started
    executor.processes |= {index: WorkerProcess.__new__(WorkerProcess) for index in range(number)}
    plan = harness.plan([harness.bot(), harness.bot()], concurrency=16)
    for worker in executor.processes.values():
        worker.lost = False
    workers._Round(executor, plan, Phases(iter(())), store).begin()
    assert told == starts
