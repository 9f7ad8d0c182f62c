"""However a run ends, no process, zombie, descriptor or task is left: every kind of end, real processes.

Each bot here has a connection in its process group that holds all its pipes and never leaves of itself. `Harness.run` and
`Harness.leaves_nothing` take the census, and wait until nobody holds the lifeline that all bots and their children got.
"""

import os

import pytest
import trio

from referee.players.bot_spec import BotSpec
from referee.players.clock import TimeControl
from referee.record.writer import RecordWriteError
from tests.game_runner.harness import FIRST, HANG, HASTY, PATIENT, Census, Harness, record
from tests.processes.running import python, running
from tournaments.runner import PlayedGame, play_games
from tournaments.schedule import Phases, rotations

pytestmark = pytest.mark.usefixtures("short_grace")

STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
"""
NOT_STARTED = TimeControl(startup=0.3)

ENDS: dict[str, tuple[str, TimeControl, str | None]] = {
    "normal end": ("ready()", PATIENT, None),
    "ignoring quit": (
        "ready()\ndef hear(kind, hear=hear):\n  try: return hear(kind)\n  except SystemExit: linger()",
        PATIENT,
        None,
    ),
    "ignoring SIGTERM, SIGINT and SIGHUP": (f"{STUBBORN}ready()\ntry: play()\nfinally: linger()", PATIENT, None),
    "startup_timeout": ("linger()", NOT_STARTED, "startup_timeout"),
    "startup_timeout, ignoring SIGTERM": (f"{STUBBORN}linger()", NOT_STARTED, "startup_timeout"),
    "timeout": ("ready(); linger()", HASTY, "timeout"),
    "timeout, ignoring SIGTERM": (f"{STUBBORN}ready(); linger()", HASTY, "timeout"),
    "timeout, stopped": ("ready(); os.kill(os.getpid(), signal.SIGSTOP)", HASTY, "timeout"),
    "crash before ready": ("sys.exit(1)", PATIENT, "crash"),
    "crash in the game": ("ready(); play(1); sys.exit(1)", PATIENT, "crash"),
    "killed": ("ready(); play(1); os.kill(os.getpid(), signal.SIGKILL)", PATIENT, "crash"),
    "whole group killed": ("ready(); play(1); os.killpg(0, signal.SIGKILL)", PATIENT, "crash"),
    "bad_message": ("ready(); raw(b'oops\\n')", PATIENT, "bad_message"),
    "oversize": ("ready()\nwhile True: raw(b'x' * 100_000)", PATIENT, "oversize"),
    "illegal_action": ("ready(); answer(hear('act'), index=9)", PATIENT, "illegal_action"),
    "protocol_version": ("hear('hello'); say('ready', protocol=2, name='bot')", PATIENT, "protocol_version"),
    "memory": ("ready(); hoard = b'x' * (200 << 20); linger()", PATIENT, "memory"),
}


@pytest.mark.parametrize(("source", "control", "code"), ENDS.values(), ids=ENDS)
async def test_nothing_is_left_after(harness: Harness, source: str, control: TimeControl, code: str | None) -> None:
    bot = harness.bot(f"fork()\n{source}", memory_mb=100)
    [played] = await harness.play(bot, FIRST, control=control)
    fault = played.outcome.faults[0]
    assert (fault.code if fault else None) == code


CLOSED = {
    "output": "hear('act'); os.close(1); linger()",
    "input": "play(1); os.close(0); answer({'id': 2}); linger()",
    "all pipes": "hear('act'); os.closerange(0, 3); linger()",
}


@pytest.mark.parametrize("source", CLOSED.values(), ids=CLOSED)
async def test_nothing_is_left_of_a_bot_that_closed(harness: Harness, source: str) -> None:
    played = await harness.play_one(harness.bot(f"fork(pipes=False); ready(); {source}"), FIRST)
    fault = played.outcome.faults[0]
    assert fault is not None
    assert fault.code == "crash"


async def test_nothing_is_left_after_a_spawn_failure(harness: Harness) -> None:
    lost = BotSpec(name="lost", argv=("./no-such-program",), folder=harness.folder)
    played = await harness.play_one(lost, harness.bot("fork(); ready()"), harness.bot("fork(); ready()"))
    assert [fault and fault.code for fault in played.outcome.faults] == ["crash", None, None]


async def test_nothing_is_left_after_many_games_with_faults(harness: Harness) -> None:
    unlucky = harness.bot("fork(); ready()\nif hear('start')['game_id'] != '0001-1': raw(b'oops\\n')")
    games = await harness.play(unlucky, harness.bot("fork(); ready()"), deals=4, rotate=True, concurrency=3)
    assert len(games) == 8
    assert any(played.outcome.faults[0] for played in games)


WAITING = {
    "starting": "fork(); report('here'); linger()",
    "asked": "fork(); ready(); hear('act'); report('here'); linger()",
    "asked, ignoring SIGTERM": f"{STUBBORN}fork(); ready(); hear('act'); report('here'); linger()",
    "asked, not reading": "fork(); ready(); report('here'); linger()",
    "asked, writing": "fork(); ready(); hear('act'); report('here')\nwhile True: raw(b'x' * 1000)",
    "told to leave": "ready(); fork()\ntry: play()\nfinally: report('here'); linger()",
}


@pytest.mark.parametrize("source", WAITING.values(), ids=WAITING)
async def test_nothing_is_left_when_a_run_is_cancelled_while_a_bot_is(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr("tournaments.pool.QUIT_GRACE", 30.0)
    plan = harness.plan([harness.bot(source), harness.bot("fork(); ready()")], filler=1_000_000)
    async with harness.leaves_nothing(), trio.open_nursery() as nursery:
        nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
        assert await harness.reported() == "here"
        nursery.cancel_scope.cancel()


async def test_nothing_is_left_when_a_run_is_cancelled_at_any_moment(harness: Harness) -> None:
    """Cancelled at the first checkpoint, the second, the third …, until a whole run gets through."""
    moments = 0
    done = False
    while not done:
        moments += 1
        plan = harness.plan([harness.bot("fork(); ready()"), FIRST], heap=5)
        finished: list[PlayedGame] = []
        async with harness.leaves_nothing(), trio.open_nursery() as nursery:
            nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), finished.append)
            for _ in range(moments):
                await trio.lowlevel.checkpoint()
                done = bool(finished)
                if done:
                    break
            nursery.cancel_scope.cancel()
        moments *= 2
    assert moments > 8


async def test_record_of_a_cancelled_game_holds_what_was_played(harness: Harness) -> None:
    bot = harness.bot("ready(); play(3); hear('act'); report('here'); linger()")
    plan = harness.plan([bot, FIRST], heap=100)
    assert plan.records is not None
    async with harness.leaves_nothing(), trio.open_nursery() as nursery:
        nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
        assert await harness.reported() == "here"
        nursery.cancel_scope.cancel()
    lines = (plan.records / "0001-1.jsonl").read_bytes().splitlines()
    assert sum(b'"type":"decision"' in line for line in lines) == 6
    assert b'"type":"result"' not in lines[-1]


async def test_nothing_is_left_when_a_record_cannot_be_written(harness: Harness) -> None:
    plan = harness.plan([harness.bot("fork(); ready()"), FIRST])
    assert plan.records is not None
    (plan.records / "0002-1.jsonl").touch()
    with pytest.raises(ExceptionGroup) as caught:
        async with harness.leaves_nothing():
            await play_games(plan, Phases(rotations(2, 2, "seed", rotate=False)), lambda played: None)
    assert caught.group_contains(RecordWriteError, match="can't write the record")


async def test_nothing_is_left_when_hearing_of_a_game_fails(harness: Harness) -> None:
    def fail(played: PlayedGame) -> None:
        raise KeyError("report")

    plan = harness.plan([harness.bot("fork(); ready()"), FIRST])
    with pytest.raises(ExceptionGroup) as caught:
        async with harness.leaves_nothing():
            await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), fail)
    assert caught.group_contains(KeyError)


ESCAPED = """
    ready()
    if not os.fork():
        os.setsid()
        report(str(os.getpid()))
        linger()
"""


@pytest.mark.parametrize(("filler", "last"), [(0, "hear('act')"), (1_000_000, "sys.stdin.buffer.read(100_000)")])
async def test_child_that_left_the_group_with_the_pipes_does_not_hold_up_the_end(
    harness: Harness, filler: int, last: str
) -> None:
    """That the bot itself has crashed shows at once, time limit or not; and what has escaped is ended."""
    bot = harness.bot(f"{ESCAPED}    {last}; sys.exit(3)")
    played: list[PlayedGame] = []
    plan = harness.plan([bot, FIRST], control=TimeControl(enforced=False), filler=filler)
    before = Census.take()
    with trio.fail_after(HANG):
        await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
    assert Census.take() == before
    await harness.all_gone()
    assert str(played[0].outcome.faults[0]) == "crash: exited with status 3 at act 1"


async def test_census_sees_a_process_a_descriptor_and_a_task() -> None:
    """The proof that the tests above could fail."""
    nothing = Census.take()
    async with running(python("import sys; sys.stdin.read()")) as connection:
        alive = Census.take()
        assert alive.children.keys() - nothing.children.keys() == {connection.process.pid}
        assert len(alive.descriptors) - len(nothing.descriptors) >= 3
        assert alive.tasks > nothing.tasks
    assert Census.take() == nothing


def test_census_sees_a_zombie() -> None:
    nothing = Census.take()
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    zombie = Census.take()
    os.waitpid(pid, 0)
    assert zombie.children[pid].endswith("Z")
    assert Census.take() == nothing


def test_games_in_the_arena_are_recorded(harness: Harness) -> None:
    """So that the census covers the files of records and evidence too."""
    played: list[PlayedGame] = []
    plan = harness.plan([FIRST, FIRST])
    trio.run(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
    assert record(played[0])[-1]["type"] == "result"
