"""Few processes start at the same time, and a bot that takes long to be ready holds up no other."""

import pytest
import trio
from trio.testing import MockClock

from tournaments.play.conditions import START_SECONDS
from tournaments.play.pool import StartLimiter


async def test_a_start_that_takes_long_counts_only_for_a_while(autojump_clock: MockClock) -> None:
    limiter = StartLimiter(2)
    began: list[float] = []

    async def start_slowly() -> None:
        async with limiter.start():
            began.append(round(trio.current_time() - origin, 6))
            await trio.sleep(100)

    origin = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(start_slowly)
    assert began == [0, 0, START_SECONDS, START_SECONDS, 2 * START_SECONDS]


async def test_a_start_that_fails_or_is_cancelled_makes_room(autojump_clock: MockClock) -> None:
    limiter = StartLimiter(1)
    origin = trio.current_time()
    with pytest.raises(OSError, match="fails"):
        async with limiter.start():
            raise OSError("fails")
    with trio.CancelScope() as scope:
        scope.cancel()
        async with limiter.start():
            pass
    async with limiter.start():
        assert trio.current_time() == origin
        with trio.move_on_after(START_SECONDS / 2):
            async with limiter.start():
                pytest.fail("there was no room")
    async with limiter.start():
        assert trio.current_time() < origin + START_SECONDS
