"""Time limits, on Trio's mock clock: no test waits, and every number is exact."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest
import trio
from trio.testing import MockClock

from protocol.messages import Result
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.event_loop_lag import SAMPLE_PERIOD, EventLoopLag
from referee.players.player import Choice, PlayerFault
from tests.players.fake_connection import (
    READY,
    FakeBot,
    Json,
    Reply,
    after,
    bot_player,
    first,
    pebbles_game,
    ready_player,
    start_of_game,
)


async def decisions(bot: FakeBot, control: TimeControl, count: int) -> list[Choice]:
    """Play this number of decisions of one game."""
    player = await ready_player(bot, control)
    return [await player.decide(pebbles_game(), []) for _ in range(count)]


async def timeout(bot: FakeBot, control: TimeControl, after_decisions: int = 0) -> Fault:
    """The timeout after this number of good decisions."""
    player = await ready_player(bot, control)
    for _ in range(after_decisions):
        await player.decide(pebbles_game(), [])
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == "timeout"
    return caught.value.fault


class OtherGame:
    """A game of the same referee, which counts its turns."""

    turns = 0

    async def play(self) -> NoReturn:
        while True:
            await trio.lowlevel.checkpoint()
            self.turns += 1


@asynccontextmanager
async def other_game() -> AsyncIterator[OtherGame]:
    """Another game, which is played during the block."""
    other = OtherGame()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other.play)
        yield other
        nursery.cancel_scope.cancel()


def times_sent(bot: FakeBot) -> list[int]:
    """The `time_ms` of every question."""
    return [act["time_ms"] for act in bot.acts()]


# -- answers that are there at once -----------------------------------------------------------------------------------


async def test_answer_that_is_there_at_once_counts_and_takes_no_time(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    bot.prompt = True
    choices = await decisions(bot, TimeControl(move=None, bank=1.0), count=3)
    assert [choice.seconds for choice in choices] == [0.0] * 3
    assert times_sent(bot) == [1000] * 3


@pytest.mark.parametrize("seconds", [0.0, 0.7])
async def test_old_answer_that_is_there_at_once_is_dropped(autojump_clock: MockClock, seconds: float) -> None:
    bot = FakeBot(lambda act: [(0, first({"id": 0}, index=1)), (seconds, first(act, index=2))])
    bot.prompt = True
    [choice] = await decisions(bot, TimeControl(move=1.0), count=1)
    assert choice.action == pebbles_game().legal_actions()[2]
    assert choice.seconds == pytest.approx(seconds)


async def test_bot_that_takes_the_question_at_once_has_its_whole_time_and_no_more(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(1.04, 1.02))
    bot.prompt = True
    fault = await timeout(bot, TimeControl(move=1.0, margin=0.05), after_decisions=1)
    assert fault.message.startswith("no answer to act 2 (take) within 0.96 s")


async def test_bot_that_is_slow_and_quick_by_turns_is_charged_for_what_it_takes(autojump_clock: MockClock) -> None:
    times = [*[0.5, 0.0, 0.0] * 5, *[0.25] * 20, *[0.0] * 20]
    bot = FakeBot(after(*times))
    bot.prompt = True
    choices = await decisions(bot, TimeControl(move=1.0), count=len(times))
    assert [choice.seconds for choice in choices] == pytest.approx(times)


async def test_other_games_have_their_turn_between_questions_that_are_answered_at_once(
    autojump_clock: MockClock,
) -> None:
    bot = FakeBot(after(0))
    bot.prompt = True
    async with other_game() as other:
        await decisions(bot, TimeControl(move=1.0), count=20)
    assert other.turns >= 20


# -- per move ---------------------------------------------------------------------------------------------------------


async def test_move_limit_is_sent_and_an_answer_within_it_counts(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.99))
    choices = await decisions(bot, TimeControl(move=1.0), count=3)
    assert times_sent(bot) == [1000, 1000, 1000]
    assert [choice.seconds for choice in choices] == pytest.approx([0.99] * 3)


async def test_move_limit_exceeded_is_a_timeout_at_the_limit_and_margin(autojump_clock: MockClock) -> None:
    start = trio.current_time()
    fault = await timeout(FakeBot(after(math.inf)), TimeControl(move=1.0, margin=0.05))
    assert trio.current_time() - start == pytest.approx(1.05)
    assert fault.message.startswith("no answer to act 1 (take) within 1 s; nothing came: ")


async def test_time_in_the_margin_is_taken_from_the_next_limit(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(1.04, 0.98, 0.5, 0.5))
    await decisions(bot, TimeControl(move=1.0, margin=0.05), count=4)
    assert times_sent(bot) == [1000, 960, 980, 1000]


async def test_bot_that_uses_the_margin_once_has_its_limit_and_no_more_from_then_on(autojump_clock: MockClock) -> None:
    control = TimeControl(move=0.02, margin=0.05)
    bot = FakeBot(after(0.069, 0.02))
    await decisions(bot, control, count=10)
    assert times_sent(bot) == [20] + [0] * 9
    await timeout(FakeBot(after(0.069, 0.022)), control, after_decisions=1)


# -- bank -------------------------------------------------------------------------------------------------------------


async def test_bank_runs_down_and_time_ms_is_what_is_left(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.4))
    await timeout(bot, TimeControl(move=None, bank=1.0, margin=0.05), after_decisions=2)
    assert times_sent(bot) == [1000, 600, 200]


async def test_increment_goes_into_the_bank_after_each_answer(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.5, 0.1, 0.3))
    await decisions(bot, TimeControl(move=None, bank=1.0, increment=0.2), count=4)
    assert times_sent(bot) == [1000, 700, 800, 700]


async def test_time_in_the_margin_is_taken_from_the_increment(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(1.04, 0.1))
    await decisions(bot, TimeControl(move=None, bank=1.0, increment=0.2, margin=0.05), count=2)
    assert times_sent(bot) == [1000, 160]


async def test_bank_and_one_margin_are_all_the_time_in_a_game(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(1.02, 0.02, math.inf))
    start = trio.current_time()
    fault = await timeout(bot, TimeControl(move=None, bank=1.0, margin=0.05), after_decisions=2)
    assert times_sent(bot) == [1000, 0, 0]
    assert trio.current_time() - start == pytest.approx(1.05)
    assert fault.message.startswith(
        "no answer to act 3 (take) within 0 s; nothing came, though it has answered before: "
    )


async def test_increments_that_bring_a_bank_above_zero_bring_back_the_margin(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(1.05, 0.05, 0.1, math.inf))
    start = trio.current_time()
    await timeout(bot, TimeControl(move=None, bank=1.0, increment=0.1, margin=0.05), after_decisions=3)
    assert times_sent(bot) == [1000, 50, 100, 100]
    assert trio.current_time() - start == pytest.approx(1.0 + 3 * 0.1 + 0.05)


async def test_bank_is_full_again_in_the_next_game_of_the_same_process(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.9))
    control = TimeControl(move=None, bank=1.0)
    player = await ready_player(bot, control)
    await player.decide(pebbles_game(), [])
    await player.end("1", Result(scores=[0, 0], ranks=[1, 1], faults=[None, None]), [])
    again = BotPlayer(player.session)
    await again.begin(start_of_game(control))
    await again.decide(pebbles_game(), [])
    assert times_sent(bot) == [1000, 1000]


async def test_move_limit_and_bank_together_allow_the_smaller(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.9, 0.9, 0.3, 0))
    await decisions(bot, TimeControl(move=1.0, bank=2.0, increment=0.1), count=4)
    assert times_sent(bot) == [1000, 1000, 400, 200]


# -- start-up ---------------------------------------------------------------------------------------------------------


async def test_start_up_limit(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    bot.referee_busy = True
    start = trio.current_time()
    with pytest.raises(PlayerFault) as caught:
        await bot_player(bot, TimeControl(startup=3.0)).session.greet()
    assert str(caught.value).startswith("startup_timeout: no ready within 3 s of the start; nothing came: ")
    assert trio.current_time() - start == pytest.approx(3.0)


async def test_start_up_limit_is_not_the_move_limit(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    bot.write_time = 2.0
    player = bot_player(bot, TimeControl(move=1.0, startup=3.0))
    await player.session.greet()
    assert player.session.ready.name == READY["name"]


# -- scale, and no enforcement ----------------------------------------------------------------------------------------


def test_time_scale_stretches_every_limit() -> None:
    control = TimeControl(move=1.0, bank=60.0, increment=0.5, startup=10.0, margin=0.25).scaled(3)
    assert control == TimeControl(move=3.0, bank=180.0, increment=1.5, startup=30.0, margin=0.75)


def test_time_scale_makes_no_limit_where_there_is_none() -> None:
    assert TimeControl(move=None, bank=1.0).scaled(2) == TimeControl(move=None, bank=2.0, startup=20.0, margin=0.1)
    assert TimeControl(enforced=False).scaled(2).enforced is False


@pytest.mark.parametrize("limit", [{"move": 1.0}, {"move": None, "bank": 1.0}], ids=["move", "bank"])
async def test_limits_not_enforced_are_sent_and_cause_no_timeout(
    autojump_clock: MockClock, limit: dict[str, float]
) -> None:
    bot = FakeBot(after(3600.0))
    choices = await decisions(bot, TimeControl(**limit, enforced=False), count=3)
    assert times_sent(bot) == [1000, 1000, 1000]
    assert [choice.seconds for choice in choices] == pytest.approx([3600.0] * 3)


async def test_start_up_limit_not_enforced_causes_no_timeout(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    bot.write_time = 3600.0
    player = bot_player(bot, TimeControl(startup=1.0, enforced=False))
    await player.session.greet()
    assert trio.current_time() >= 3600.0


# -- from when to when ------------------------------------------------------------------------------------------------


async def test_time_counts_from_the_first_attempt_to_write(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.3))
    player = await ready_player(bot, TimeControl(move=None, bank=1.0, margin=0.05))
    bot.write_time = 0.5
    choice = await player.decide(pebbles_game(), [])
    assert choice.seconds == pytest.approx(0.8)
    bot.write_time, bot.answers = 0.0, after(0)
    await player.decide(pebbles_game(), [])
    assert times_sent(bot) == [1000, 200]


async def test_fault_before_a_retry_is_read_at_the_expense_of_the_clock(autojump_clock: MockClock) -> None:
    def answers(act: Json) -> list[Reply]:
        bot.write_time = 0.4  # from here on it doesn't read for a while
        return [(0, first(act, index=99 if act["id"] == 1 else 0))]

    bot = FakeBot(answers)
    player = await ready_player(bot, TimeControl(move=None, bank=1.0, margin=0.05), retries=1)
    start = trio.current_time()
    choice = await player.decide(pebbles_game(), [])
    assert choice.seconds == pytest.approx(trio.current_time() - start) == pytest.approx(0.4)
    assert [message["type"] for message in bot.received[-3:]] == ["act", "fault", "act"]


async def test_bot_that_does_not_read_its_input_times_out(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    player = await ready_player(bot, TimeControl(move=1.0, margin=0.05))
    bot.write_time = math.inf
    start = trio.current_time()
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == "timeout"
    assert trio.current_time() - start == pytest.approx(1.05)


async def test_nobody_waits_for_a_bot_that_does_not_read_the_start_and_its_clock_runs(
    autojump_clock: MockClock,
) -> None:
    control = TimeControl(move=1.0, startup=3600.0)
    bot = FakeBot(after(0))
    player = bot_player(bot, control)
    await player.session.greet()
    start = trio.current_time()
    bot.write_time = 0.9
    await player.begin(start_of_game(control))
    assert trio.current_time() == start
    choice = await player.decide(pebbles_game(), [])
    assert choice.seconds == pytest.approx(0.9)
    assert [message["type"] for message in bot.received] == ["hello", "start", "act"]


async def test_nobody_waits_for_a_bot_that_does_not_read_the_end(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    player = await ready_player(bot, TimeControl(move=1.0, startup=3600.0))
    start = trio.current_time()
    bot.write_time = math.inf
    await player.end("1", Result(scores=[0, 0], ranks=[1, 1], faults=[None, None]), [])
    assert trio.current_time() == start


async def test_bot_that_does_not_read_is_dismissed_without_delay(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0))
    player = await ready_player(bot, TimeControl(startup=3600.0))
    bot.write_time = math.inf
    start = trio.current_time()
    await player.dismiss(Fault("timeout", "too slow"))
    assert bot.closed.is_set()
    assert trio.current_time() - start < 1.0


async def test_answer_in_the_pipe_behind_old_ones_counts(autojump_clock: MockClock) -> None:
    def answers(act: dict[str, int]) -> list[Reply]:
        return [(0.1, first({"id": 0})), (0.2, first({"id": -1})), (0.3, first(act, index=2))]

    bot = FakeBot(answers)
    bot.referee_busy = True
    choice = await bot_player(bot, TimeControl(move=1.0)).decide(pebbles_game(), [])
    assert choice.action == pebbles_game().legal_actions()[2]


async def test_endless_old_answers_in_the_pipe_are_a_timeout(autojump_clock: MockClock) -> None:
    class Flood(FakeBot):
        read = 0

        def receive_nowait(self) -> bytes | None:
            self.read += 1
            assert self.read < 1_000_000, "it reads for ever, and no other game continues"
            return b'{"type":"action","id":0,"index":0,"info":"%s"}' % (b"x" * 1000)

    bot = Flood(after(math.inf))
    await timeout(bot, TimeControl(move=1.0))
    assert bot.read > 100
    assert bot.read * 1000 < 200_000, "it reads so much that other games wait"


async def test_flood_of_old_answers_does_not_block_other_games(autojump_clock: MockClock) -> None:
    class Flood(FakeBot):
        old = 1000

        async def receive(self) -> bytes:
            self.old -= 1
            return b'{"type":"action","id":0}' if self.old > 0 else b'{"type":"action","id":1,"index":0}'

    player = bot_player(Flood(after(math.inf)), TimeControl(move=1.0))
    async with other_game() as other:
        await player.decide(pebbles_game(), [])
    assert other.turns > 20


async def test_bot_is_not_charged_for_a_referee_that_is_late_after_the_deadline(autojump_clock: MockClock) -> None:
    class SeenLate(FakeBot):
        def receive_nowait(self) -> bytes | None:
            autojump_clock.jump(3600.0)  # the referee reads that much later
            return super().receive_nowait()

    bot = SeenLate(after(0.5))
    bot.referee_busy = True
    player = bot_player(bot, TimeControl(move=1.0, bank=10.0, margin=0.05))
    choice = await player.decide(pebbles_game(), [])
    assert choice.seconds == pytest.approx(1.0), "the limit, but nothing of the margin"
    bot.referee_busy = False
    await player.decide(pebbles_game(), [])
    assert times_sent(bot) == [1000, 1000]


async def test_bot_is_charged_for_the_margin_if_the_referee_is_late_by_less(autojump_clock: MockClock) -> None:
    class SeenLate(FakeBot):
        def receive_nowait(self) -> bytes | None:
            if self.referee_busy:
                autojump_clock.jump(0.03)  # after the limit and the margin
            return super().receive_nowait()

    bot = SeenLate(after(0.5))
    bot.referee_busy = True
    player = bot_player(bot, TimeControl(move=1.0, margin=0.05))
    await player.decide(pebbles_game(), [])
    bot.referee_busy = False
    await player.decide(pebbles_game(), [])
    assert times_sent(bot) == [1000, 950]


async def test_timeout_says_how_late_the_referee_was(autojump_clock: MockClock) -> None:
    lag = EventLoopLag(margin=0.05)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.measure)
        for stall in (0.04, 0.2, 0.0):
            player = bot_player(FakeBot(after(math.inf)), TimeControl(move=1.0, margin=0.05), lag=lag)
            nursery.start_soon(block_referee, autojump_clock, stall)
            with pytest.raises(PlayerFault) as caught:
                await player.decide(pebbles_game(), [])
            assert caught.value.fault.message.startswith("no answer to act 1 (take) within 1 s; nothing came: ")
            assert caught.value.fault.referee_late == (pytest.approx(stall, abs=SAMPLE_PERIOD) if stall > 0.05 else 0.0)
        nursery.cancel_scope.cancel()


async def block_referee(clock: MockClock, seconds: float) -> None:
    """The referee does something else for this time, in the middle of a decision."""
    await trio.sleep(0.5)
    clock.jump(seconds)


async def test_timeout_that_the_referee_sees_late_says_so(autojump_clock: MockClock) -> None:
    player = bot_player(FakeBot(after(math.inf)), TimeControl(move=1.0, margin=0.05))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(block_referee, autojump_clock, 3.0)
        with pytest.raises(PlayerFault) as caught:
            await player.decide(pebbles_game(), [])
    assert caught.value.fault.referee_late == pytest.approx(0.5 + 3.0 - 1.05)


async def test_clock_of_each_decision_starts_anew(autojump_clock: MockClock) -> None:
    bot = FakeBot(after(0.6))
    player = await ready_player(bot, TimeControl(move=1.0))
    await player.decide(pebbles_game(), [])
    autojump_clock.jump(3600.0)
    await player.decide(pebbles_game(), [])
    assert times_sent(bot) == [1000, 1000]
