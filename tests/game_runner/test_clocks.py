"""Clocks with real processes and pipes: from when to when time counts, also while the referee is late."""

import time

import pytest
import trio

from referee.players.clock import TimeControl
from tests.game_runner.harness import AMPLE_TIME, FIRST, Harness, lines_of
from tests.playing import play_games
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("clocks and bombs"),  # not at the same time: bombs take CPU time from clocks
]

MORE_THAN_A_PIPE = 1_000_000
"""Bytes that fill a pipe: a process that writes more waits for the reader."""


def own_times(played: PlayedGame) -> list[float]:
    """Milliseconds that the decisions of seat 0 took, as recorded."""
    return [line["ms"] for line in lines_of(played, "decision") if line["seat"] == 0 and "ms" in line]


@pytest.mark.parametrize("filler", [0, MORE_THAN_A_PIPE], ids=["that fits", "longer than a pipe"])
async def test_time_counts_from_the_first_byte_of_a_question_though_the_bot_reads_it_later(
    harness: Harness, filler: int
) -> None:
    bot = harness.bot("import time; ready(); receive('start'); time.sleep(0.3); play(1)")
    played = await harness.play_one(bot, FIRST, control=AMPLE_TIME, heap=2, filler=filler)
    assert played.outcome.faults == [None, None]
    [took] = own_times(played)
    assert took > 250


async def test_retries_of_a_decision_count_together_without_the_time_between_them(harness: Harness) -> None:
    bot = harness.bot("""
        import time
        ready()
        for index in 99, 99, 0:
            act = receive("act")
            time.sleep(0.1)
            report(str(act["time_ms"]))
            answer(act, index=index)
    """)
    played = await harness.play_one(bot, FIRST, control=TimeControl(move=30.0, startup=30.0), heap=2, retries=2)
    assert played.outcome.faults == [None, None]
    first, second, third = map(int, harness.all_reported())
    [took] = own_times(played)
    assert first == 30_000
    assert second <= 29_900
    assert third <= second - 100
    assert took >= 30_000 - third + 100 - 1


# -- a referee that is late -------------------------------------------------------------------------------------------


async def play_with_blocked_loop(
    harness: Harness, source: str, control: TimeControl, until: str | None, stall: float
) -> PlayedGame:
    """A game in which the event loop is blocked from the first question until a report of the bot and for `stall` s."""
    plan = harness.plan([harness.bot(source), FIRST], control=control, heap=2)
    played: list[PlayedGame] = []
    async with harness.no_leaks(), trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
            assert await harness.reported() == "asked"
        if until is not None:
            assert harness.reported_blocking() == until
        block_event_loop(stall)
    return played[0]


def block_event_loop(seconds: float) -> None:
    """Block the event loop."""
    time.sleep(seconds)


ANSWER = """
    ready()
    act = receive("act")
    report("asked")
    wait_for_gate()
    answer(act)
    report("answered")
"""
LONG_ANSWER = """
    ready()
    act = receive("act")
    fcntl.fcntl(1, 1031, 2**20)  # F_SETPIPE_SZ: now all of the answer finds room
    report("asked")
    wait_for_gate()
    answer(act, index=0, info="x" * 500_000)
    report("answered")
"""


@pytest.mark.parametrize("source", [ANSWER, LONG_ANSWER], ids=["short", "long"])
async def test_answer_in_the_pipe_in_time_counts_however_late_the_referee_reads_it(
    harness: Harness, source: str
) -> None:
    control = TimeControl(move=1.0, margin=0.5, startup=30.0)
    played = await play_with_blocked_loop(harness, source, control, until="answered", stall=2.5)
    assert played.outcome.faults == [None, None]
    [took] = own_times(played)
    assert took == pytest.approx(1000, abs=1), "more is charged than the limit"


async def test_timeout_while_the_referee_was_late_says_how_late(harness: Harness) -> None:
    control = TimeControl(move=0.2, startup=30.0)
    source = "ready(); receive('act'); report('asked'); wait_forever()"
    played = await play_with_blocked_loop(harness, source, control, until=None, stall=1.0)
    fault = played.outcome.faults[0]
    assert fault is not None
    assert str(fault).startswith("timeout: no answer to act 1 (take) within 0.2 s; nothing came: ")
    assert fault.referee_late > 0.5
