"""No bot loses on time by what others do: hundreds of games, sixteen at a time, on two cores."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import pytest
from msgspec.structs import replace

from referee.bots.bot_spec import BotSpec
from referee.players.clock import TimeControl
from tests.game_runner.harness import Harness, lines_of
from tests.game_runner.pebbles import PebblesConfig
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import rotations

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("clocks and bombs"),  # not at the same time: bombs take CPU time from clocks
]

FAST_BOT: Final = Path(__file__).parents[2] / "bench" / "fast_bot.c"
COMPILER: Final = shutil.which("cc")
GAMES: Final = [100, pytest.param(1000, marks=pytest.mark.check_all)]
CONCURRENCY: Final = 16
LIMIT: Final = 0.1
"""Seconds: so little that a late referee would cost a bot its game. Bots have the margin in addition."""
CLOCK: Final = TimeControl(move=LIMIT, startup=30.0)
SLOW: Final = """
    import time
    ready()
    while True:
        act = receive("act")
        time.sleep(0.6 * act["time_ms"] / 1000)
        answer(act)
"""
FLOOD: Final = """
    ready()
    if not os.fork():
        while True:
            send_bytes(b'{"type":"action","id":0}\\n' * 10_000)
    if not os.fork():
        while True:
            os.write(2, b"x" * 65536)
    wait_forever()
"""
"""Floods standard output with old answers and standard error with anything, until it times out."""


@pytest.fixture(autouse=True)
def two_cores() -> Iterator[None]:
    """The referee and all bots have two cores at most."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:2])
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.parametrize("number", GAMES)
async def test_bots_that_take_60_percent_of_their_limit_never_lose_on_time(harness: Harness, number: int) -> None:
    bot = harness.bot(SLOW)
    games = await harness.play(bot, bot, deals=number, concurrency=CONCURRENCY, control=CLOCK, heap=3)
    assert len(games) == number
    assert [played.outcome.faults for played in games] == [[None, None]] * number
    took = charged_ms(games)
    assert len(took) == 2 * number
    assert median(took) >= 0.6 * LIMIT * 1000


@pytest.mark.ci_only
@pytest.mark.parametrize("number", GAMES)
async def test_bots_that_answer_at_once_never_lose_on_time(harness: Harness, number: int) -> None:
    bot = fast_bot(harness)
    games = await harness.play(bot, bot, deals=number, concurrency=CONCURRENCY, control=CLOCK, heap=12)
    assert [played.outcome.faults for played in games] == [[None, None]] * number
    assert min(played.outcome.asked for played in games) >= 10


def fast_bot(harness: Harness) -> BotSpec:
    """The bot of the benchmark, or one in Python where there is no compiler."""
    if COMPILER is None:
        return harness.bot()
    program = harness.folder / "fast_bot"
    subprocess.run([COMPILER, "-O2", "-std=c11", "-o", program, FAST_BOT], check=True)
    return BotSpec(name="fast", argv=(str(program),), folder=harness.folder)


@pytest.mark.ci_only
async def test_bot_that_floods_its_outputs_costs_no_other_bot_time(harness: Harness) -> None:
    """In every fourth of the games, of which four are played at a time, there is such a bot."""
    bots = [harness.bot(FLOOD, name="flood"), harness.bot(SLOW, name="slow")]
    plan = replace(harness.plan(bots, control=CLOCK, concurrency=4), config=PebblesConfig(heap=5))
    games = [
        replace(game, seating=(0, 1) if number % 4 == 0 else (1, 1))
        for number, game in enumerate(rotations(32, 2, "seed", rotate=False))
    ]
    ended = await harness.run(plan, games)
    for played in ended:
        for bot, fault, excerpt in zip(played.game.seating, played.outcome.faults, played.stderr, strict=True):
            assert excerpt is not None
            assert excerpt.tail.startswith("xxx") == (bot == 0)
            assert (fault is not None) == (bot == 0)
    took = charged_ms(played for played in ended if 0 not in played.game.seating)
    assert quantiles(took, n=10)[8] < LIMIT * 1000, "every tenth answer or more was charged for the flood"


def charged_ms(games: Iterable[PlayedGame]) -> list[float]:
    """Milliseconds that every decision took, as bots were charged for it."""
    return [line["ms"] for played in games for line in lines_of(played, "decision") if "ms" in line]
