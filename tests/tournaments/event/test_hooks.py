"""`stop_at` and `on_round`: what is promised to an organiser who is asleep."""

import inspect
import os
from datetime import datetime, timedelta
from datetime import time as time_of_day
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest
import trio

from tests.forked import fork
from tests.timeouts import TEST_TIMEOUT
from tournaments.event import hooks
from tournaments.event.file.tournament_spec import next_stop
from tournaments.event.hooks import HOOK_LOG, run_hook, stop_time

ROOT: Final = Path(__file__).parents[3]
BERLIN: Final = ZoneInfo("Europe/Berlin")
HOUR: Final = 3600.0
SIX: Final = time_of_day(6)


# -- stop_at ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop_at", "now", "hours"),
    [
        (SIX, datetime(2026, 5, 1, 22, 0, tzinfo=BERLIN), 8),
        (SIX, datetime(2026, 5, 1, 5, 30, tzinfo=BERLIN), 0.5),
        (SIX, datetime(2026, 5, 1, 6, 0, tzinfo=BERLIN), 24),
        (SIX, datetime(2026, 12, 31, 23, 0, tzinfo=BERLIN), 7),
        (SIX, datetime(2026, 3, 28, 22, 0, tzinfo=BERLIN), 7),  # the clocks go forward in that night
        (SIX, datetime(2026, 10, 24, 22, 0, tzinfo=BERLIN), 9),  # and back in this one
        (
            time_of_day(2, 30),
            datetime(2026, 3, 28, 22, 30, tzinfo=BERLIN),
            4,
        ),  # half past two is left out: at half past three
        (time_of_day(2, 30), datetime(2026, 10, 24, 22, 30, tzinfo=BERLIN), 4),  # it comes twice: the first time
        (time_of_day(2, 30), datetime(2026, 10, 25, 2, 45, fold=1, tzinfo=BERLIN), 23.75),
    ],
)
def test_the_next_time_that_a_time_of_day_comes(stop_at: time_of_day, now: datetime, hours: float) -> None:
    assert next_stop(stop_at, now) == hours * HOUR


def test_without_stop_at_the_time_never_comes() -> None:
    assert not stop_time(None)()


def test_the_time_comes_whatever_the_clock_of_the_machine_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is how long it takes: the time of day is looked at once."""
    passed = 1000.0
    monkeypatch.setattr("time.clock_gettime", lambda clock: passed)
    now = datetime.now()  # noqa: DTZ005
    is_past = stop_time((now + timedelta(hours=2)).time())
    monkeypatch.setattr(hooks, "datetime", None)
    passed += 1.9 * HOUR
    assert not is_past()
    passed += 0.2 * HOUR
    assert is_past()
    passed += 24 * HOUR
    assert is_past()


# -- on_round ---------------------------------------------------------------------------------------------------------


async def test_the_command_gets_the_folder_and_runs_beside_the_tournament_file(tmp_path: Path) -> None:
    folder = tmp_path / "the cup"
    folder.mkdir()
    (tmp_path / "publish.sh").write_text('#!/bin/sh\necho "$@" > "$1/published"\n')
    (tmp_path / "publish.sh").chmod(0o755)
    assert await run_hook("./publish.sh", folder, cwd=tmp_path) is None
    assert (folder / "published").read_text() == f"{folder}\n"
    assert await run_hook("true && ./publish.sh", folder, cwd=tmp_path) is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo no network; exit 7 #", "exited with status 7: no network"),
        ("kill -9 $$; echo", "was killed by signal 9"),
        ("./not-there", "exited with status 127: "),
        ("it's", "exited with status 2: "),
    ],
)
async def test_a_command_that_fails_is_a_notice(tmp_path: Path, command: str, words: str) -> None:
    notice = await run_hook(command, tmp_path, cwd=tmp_path)
    assert notice is not None
    assert notice.startswith(f"on_round {words}")
    assert notice.endswith(f" (its output is in {tmp_path / HOOK_LOG})")


async def test_a_folder_that_is_gone_is_a_notice(tmp_path: Path) -> None:
    for folder, cwd in ((tmp_path / "gone", tmp_path), (tmp_path, tmp_path / "gone")):
        notice = await run_hook("true", folder, cwd=cwd)
        assert notice is not None
        assert notice.startswith("on_round could not be run: ")
        assert "gone" in notice
        assert "No such file or directory" in notice


async def test_the_output_of_all_rounds_is_kept(tmp_path: Path) -> None:
    for number in (1, 2):
        assert await run_hook(f"echo {number}; echo warning >&2; :", tmp_path, cwd=tmp_path) is None
    assert (tmp_path / HOOK_LOG).read_text() == "1\nwarning\n2\nwarning\n"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["timeout", "cancelled"])
async def test_a_command_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path, how: str) -> None:
    os.mkfifo(tmp_path / "alive")
    reader = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    command = "exec 9> alive; sleep 600 & setsid sleep 600 & echo going > alive; wait; :"
    notices = []

    async def hook(timeout: float) -> None:
        notices.append(await run_hook(command, tmp_path, cwd=tmp_path, timeout=timeout))

    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hook, 2.0 if how == "timeout" else 600.0)
            await trio.lowlevel.wait_readable(reader)
            assert os.read(reader, 100) == b"going\n"
            if how == "cancelled":
                nursery.cancel_scope.cancel()
        await trio.lowlevel.wait_readable(reader)
        assert os.read(reader, 100) == b""  # nobody has the pipe open any more
    os.close(reader)
    if how == "timeout":
        assert notices == [f"on_round took over 2 s and was killed (its output is in {tmp_path / HOOK_LOG})"]
    else:
        assert notices == []


def test_the_command_has_five_minutes() -> None:
    assert "It may take five minutes" in (ROOT / "docs/tournaments.md").read_text()
    assert inspect.signature(run_hook).parameters["timeout"].default == 5 * 60


async def test_a_command_that_leaves_something_running_is_not_waited_for(tmp_path: Path) -> None:
    with trio.fail_after(TEST_TIMEOUT):
        assert await run_hook("sleep 1000 & echo $! > pid; :", tmp_path, cwd=tmp_path) is None
    os.kill(int((tmp_path / "pid").read_text()), 9)


async def test_the_rest_goes_on_meanwhile(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    finished = trio.Event()

    async def hook() -> None:
        assert await run_hook("cat gate; :", tmp_path, cwd=tmp_path) is None
        finished.set()

    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hook)
            async with await trio.open_file(tmp_path / "gate", "w") as gate:  # waits in a thread until it is read
                assert not finished.is_set()
                await gate.write("go")


def test_the_command_ends_with_a_referee_that_is_killed(tmp_path: Path) -> None:
    """Else it would run beside the resumed tournament."""
    os.mkfifo(tmp_path / "alive")
    command = "exec 9> alive; sleep 600 & echo going > alive; wait; :"

    def hook() -> None:
        trio.run(partial(run_hook, command, tmp_path, cwd=tmp_path))

    with fork(["hook"], hook) as referee, (tmp_path / "alive").open() as alive:
        assert alive.readline() == "going\n"
        referee.kill()
        assert alive.read() == ""  # nobody has the pipe open any more
