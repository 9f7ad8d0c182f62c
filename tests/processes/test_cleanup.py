"""However a run ends, no process, zombie, descriptor or task is left: every kind of end, real processes.

Each bot here has a child in its process group that holds all its pipes and never exits by itself. `Harness.run` and
`Harness.no_leaks` compare the resources in use before and after, and wait until no process holds the report pipe,
which all bots and their children inherit.
"""

import os

import pytest
import trio

from referee.bots.bot_spec import BotSpec
from referee.players.clock import TimeControl
from referee.record.writer import RecordWriteError
from tests.game_runner.harness import AMPLE_TIME, FIRST, SHORT_TIME, Harness, ResourceSnapshot, record
from tests.playing import play_games
from tests.processes.running import python, running
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("short_grace")]

IGNORE_SIGNALS = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
"""
SHORT_STARTUP = TimeControl(startup=0.3)

ENDS: dict[str, tuple[str, TimeControl, str | None]] = {
    "normal end": ("ready()", AMPLE_TIME, None),
    "ignoring quit and signals": (
        f"{IGNORE_SIGNALS}ready()\ntry: play()\nfinally: wait_forever()",
        AMPLE_TIME,
        None,
    ),
    "startup_timeout": ("wait_forever()", SHORT_STARTUP, "startup_timeout"),
    "timeout": ("ready(); wait_forever()", SHORT_TIME, "timeout"),
    "crash in the game": ("ready(); play(1); sys.exit(1)", AMPLE_TIME, "crash"),
    "oversize": ("ready()\nwhile True: send_bytes(b'x' * 100_000)", AMPLE_TIME, "oversize"),
    "memory": ("ready(); block = b'x' * (200 << 20); wait_forever()", AMPLE_TIME, "memory"),
}


@pytest.mark.parametrize(("source", "control", "code"), ENDS.values(), ids=ENDS)
async def test_nothing_is_left_after(harness: Harness, source: str, control: TimeControl, code: str | None) -> None:
    bot = harness.bot(f"child()\n{source}", memory_mb=100)
    [played] = await harness.play(bot, FIRST, control=control)
    fault = played.outcome.faults[0]
    assert (fault.code if fault else None) == code


async def test_nothing_is_left_after_a_spawn_failure(harness: Harness) -> None:
    lost = BotSpec(name="lost", argv=("./no-such-program",), folder=harness.folder)
    played = await harness.play_one(lost, harness.bot("child(); ready()"), harness.bot("child(); ready()"))
    assert [fault and fault.code for fault in played.outcome.faults] == ["crash", None, None]


async def test_nothing_is_left_after_many_games_with_faults(harness: Harness) -> None:
    first = next(rotations(1, 2, "seed"))
    unlucky = harness.bot(
        f"child(); ready()\nif receive('start')['game_id'] != '{first.public_id}': send_bytes(b'oops\\n')"
    )
    games = await harness.play(unlucky, harness.bot("child(); ready()"), deals=4, rotate=True, concurrency=3)
    assert len(games) == 8
    assert any(played.outcome.faults[0] for played in games)


WAITING = {
    "starting": "child(); report('here'); wait_forever()",
    "asked": "child(); ready(); receive('act'); report('here'); wait_forever()",
    "asked, not reading": "child(); ready(); report('here'); wait_forever()",
    "asked, writing": "child(); ready(); receive('act'); report('here')\nwhile True: send_bytes(b'x' * 1000)",
    "sent quit": "ready(); child()\ntry: play()\nfinally: report('here'); wait_forever()",
}


@pytest.mark.parametrize("source", WAITING.values(), ids=WAITING)
async def test_nothing_is_left_when_a_run_is_cancelled_while_a_bot_is(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr("referee.players.connect.QUIT_GRACE", 30.0)
    plan = harness.plan([harness.bot(source), harness.bot("child(); ready()")], filler=1_000_000)
    async with harness.no_leaks(), trio.open_nursery() as nursery:
        nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
        assert await harness.reported() == "here"
        nursery.cancel_scope.cancel()


@pytest.mark.ci_only
async def test_nothing_is_left_when_a_run_is_cancelled_at_any_moment(harness: Harness) -> None:
    """Cancelled at the first checkpoint, the second, the third …, until a whole run gets through."""
    moments = 0
    done = False
    while not done:
        moments += 1
        plan = harness.plan([harness.bot("child(); ready()"), FIRST], heap=5)
        finished: list[PlayedGame] = []
        async with harness.no_leaks(), trio.open_nursery() as nursery:
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
    bot = harness.bot("ready(); play(3); receive('act'); report('here'); wait_forever()")
    plan = harness.plan([bot, FIRST], heap=100)
    assert plan.records is not None
    async with harness.no_leaks(), trio.open_nursery() as nursery:
        nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
        assert await harness.reported() == "here"
        nursery.cancel_scope.cancel()
    lines = (plan.records / "0001-1.jsonl").read_bytes().splitlines()
    assert sum(b'"type":"decision"' in line for line in lines) == 6
    assert b'"type":"result"' not in lines[-1]


async def test_nothing_is_left_when_a_record_cannot_be_written(harness: Harness) -> None:
    plan = harness.plan([harness.bot("child(); ready()"), FIRST])
    assert plan.records is not None
    (plan.records / "0002-1.jsonl").touch()
    with pytest.raises(ExceptionGroup) as caught:
        async with harness.no_leaks():
            await play_games(plan, Phases(rotations(2, 2, "seed", rotate=False)), lambda played: None)
    assert caught.group_contains(RecordWriteError, match="can't write the record")


async def test_nothing_is_left_when_the_report_of_a_game_fails(harness: Harness) -> None:
    def fail(played: PlayedGame) -> None:
        raise KeyError("report")

    plan = harness.plan([harness.bot("child(); ready()"), FIRST])
    with pytest.raises(ExceptionGroup) as caught:
        async with harness.no_leaks():
            await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), fail)
    assert caught.group_contains(KeyError)


ESCAPED_CHILD = """
    ready()
    if not os.fork():
        os.setsid()
        report(str(os.getpid()))
        wait_forever()
"""


@pytest.mark.parametrize(("filler", "last"), [(0, "receive('act')"), (1_000_000, "sys.stdin.buffer.read(100_000)")])
async def test_escaped_child_that_holds_the_pipes_does_not_delay_the_end(
    harness: Harness, filler: int, last: str
) -> None:
    """The crash of the bot itself is seen at once, with a time limit or without; the escaped child is killed."""
    bot = harness.bot(f"{ESCAPED_CHILD}    {last}; sys.exit(3)")
    played: list[PlayedGame] = []
    plan = harness.plan([bot, FIRST], control=TimeControl(enforced=False), filler=filler)
    before = ResourceSnapshot.take()
    with trio.fail_after(TEST_TIMEOUT):
        await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
    assert ResourceSnapshot.take() == before
    await harness.all_bots_ended()
    assert str(played[0].outcome.faults[0]) == "crash: exited with status 3 at act 1"


async def test_snapshot_shows_a_process_a_descriptor_and_a_task() -> None:
    """The proof that the tests above could fail."""
    before = ResourceSnapshot.take()
    async with running(python("import sys; sys.stdin.read()")) as connection:
        alive = ResourceSnapshot.take()
        assert alive.children.keys() - before.children.keys() >= {connection.process.pid}
        assert len(alive.descriptors) - len(before.descriptors) >= 3
        assert alive.tasks > before.tasks
    assert ResourceSnapshot.take() == before


def test_snapshot_shows_a_zombie() -> None:
    before = ResourceSnapshot.take()
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    zombie = ResourceSnapshot.take()
    os.waitpid(pid, 0)
    assert zombie.children[pid].endswith("Z")
    assert ResourceSnapshot.take() == before


def test_games_of_the_harness_are_recorded(harness: Harness) -> None:
    """So that the snapshots cover the files of records and stderr logs too."""
    played: list[PlayedGame] = []
    plan = harness.plan([FIRST, FIRST])
    trio.run(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
    assert record(played[0])[-1]["type"] == "result"
