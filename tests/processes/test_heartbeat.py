"""A process of the referee that stands still is an error that is named; one whose watcher stood still is none."""

import os
import signal
from types import SimpleNamespace

import pytest
import trio
from trio.testing import MockClock

from referee.exception_groups import single_errors
from referee.processes import heartbeat, linux
from referee.processes.heartbeat import MAX_UNANSWERED, MAX_UNANSWERED_AT_START, Heartbeat
from referee.processes.keeper.client import KeeperError
from referee.processes.keeper.lifetime import keepers_of, open_keeper, wait_for_keepers
from tests.timeouts import TEST_TIMEOUT

SOON = 0.02


async def test_one_that_never_answers_is_given_up_after_as_many_pings_as_are_allowed(autojump_clock: MockClock) -> None:
    pings = 0

    def ping() -> None:
        nonlocal pings
        pings += 1

    beat = Heartbeat()
    beat.answered()
    assert await beat.watch(ping) == 10
    assert pings == MAX_UNANSWERED
    pings = 0
    assert await Heartbeat().watch(ping) == 60
    assert pings == MAX_UNANSWERED_AT_START


async def test_one_that_answers_now_and_then_is_not(autojump_clock: MockClock) -> None:
    beat, pings = Heartbeat(), 0

    def ping() -> None:
        nonlocal pings
        pings += 1
        if pings % MAX_UNANSWERED == 0:
            beat.answered()

    with trio.move_on_after(1_000) as time:
        await beat.watch(ping)
    assert time.cancelled_caught
    assert pings == 1_000


async def test_time_in_which_the_watcher_did_not_run_counts_as_one_ping() -> None:
    """As after Ctrl-Z, while the machine sleeps, or in a pairing of a minute."""
    clock, pings = MockClock(), 0
    beat = Heartbeat()
    beat.answered()

    def ping() -> None:
        nonlocal pings
        pings += 1

    async def stopped_for_minutes() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat.watch, ping)
            for _ in range(MAX_UNANSWERED - 1):
                await trio.testing.wait_all_tasks_blocked()
                clock.jump(600)
            await trio.testing.wait_all_tasks_blocked()
            assert pings == MAX_UNANSWERED
            beat.answered()  # what came meanwhile
            clock.jump(600)
            await trio.testing.wait_all_tasks_blocked()
            assert pings == MAX_UNANSWERED + 1
            nursery.cancel_scope.cancel()

    await trio.to_thread.run_sync(lambda: trio.run(stopped_for_minutes, clock=clock))


@pytest.mark.skipif(not linux.IS_LINUX, reason="needs Linux")
async def test_a_keeper_that_stands_still_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "PING_INTERVAL", SOON)

    async def wait_for_it() -> None:
        async with open_keeper(user_namespace=False) as keeper:
            (pid,) = keepers_of(os.getpid())
            os.kill(pid, signal.SIGSTOP)
            await keeper.clear()

    named = r"the process that starts bots hasn't answered for .* s: was it stopped"
    with trio.fail_after(TEST_TIMEOUT), pytest.raises(KeeperError, match=named), single_errors():
        await wait_for_it()
    await wait_for_keepers(os.getpid())


@pytest.mark.skipif(not linux.IS_LINUX, reason="needs Linux")
async def test_one_that_answers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the next ping comes after the answer to the last one, however long that takes."""
    answers, more, enough = 0, trio.Event(), trio.Event()
    answered = Heartbeat.answered

    def counted(beat: Heartbeat) -> None:
        nonlocal answers
        answers += 1
        answered(beat)
        more.set()
        if answers > 2 * MAX_UNANSWERED:
            enough.set()

    async def until_it_answers(interval: float) -> None:
        nonlocal more
        await more.wait()
        more = trio.Event()

    monkeypatch.setattr(Heartbeat, "answered", counted)
    monkeypatch.setattr(heartbeat, "trio", SimpleNamespace(sleep=until_it_answers))
    with trio.fail_after(TEST_TIMEOUT):
        async with open_keeper(user_namespace=False):
            await enough.wait()
