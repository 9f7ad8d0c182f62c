"""Two bots in two sandboxes try to tell each other something: at once, and one after the other."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

from referee.processes.bot_process import BotProcess
from referee.processes.launch import Command
from referee.processes.sandbox import bubblewrap, proc_view
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.selftest import channel_attempts, channel_report
from referee.processes.selftest.channel_report import CHANNELS, FILE, try_channels
from referee.processes.supervisor import Supervisor, supervise
from tests.processes.image_fixture import PYTHON, imaged, needs_images
from tests.processes.sandboxed import KINDS, WORKING, needs_sandbox, sandbox_of
from tests.timeouts import TEST_TIMEOUT

LANDLOCK = pytest.mark.skipif(
    WORKING is None or WORKING.landlock is None, reason="needs the sandbox with Landlock (Linux 5.19, perl)"
)


def verdicts(sandbox: Sandbox | None) -> dict[str, str]:
    """By channel, whether it is closed."""
    checks = try_channels(sandbox)
    assert [check.name for check in checks] == list(CHANNELS)
    assert all(check.reason for check in checks if check.verdict != "pass")
    return {check.name: check.verdict for check in checks}


@LANDLOCK
@pytest.mark.parametrize("kind", KINDS)
def test_what_two_sandboxes_share_is_closed_or_named(kind: str) -> None:
    found = verdicts(sandbox_of(kind))
    assert {name for name, verdict in found.items() if verdict == "pass"} >= {"pagemap", "smaps", "counters", "times"}
    assert found["futexes"] == found["sysinfo"] == found["caches"] == found["numbers"] == "open"
    assert found["image"] == "untested"
    if found["page_cache"] != "untested":  # the temporary files are on a disk
        assert (found["page_cache"], found["page_cache_dropped"]) == ("open", "pass")


@needs_sandbox
def test_channels_are_found_open_where_nothing_closes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "covers", lambda landlock: iter(()))
    monkeypatch.setattr(bubblewrap, "static_copies", dict)
    bubblewrap._system.cache_clear()
    try:
        found = verdicts(sandbox_of("user" if os.geteuid() else "root", landlock=None))
    finally:
        bubblewrap._system.cache_clear()
    assert {name for name, verdict in found.items() if verdict == "open"} >= {"pagemap", "smaps", "counters"}


@needs_sandbox
def test_counters_are_covered_where_there_is_no_landlock() -> None:
    assert verdicts(sandbox_of("user" if os.geteuid() else "root", landlock=None))["counters"] == "pass"


def test_nothing_is_said_to_be_closed_that_nobody_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(verdicts(None).values()) == {"untested"}
    broken = Sandbox(bwrap="/bin/false")
    monkeypatch.setattr(channel_report, "CHANNEL_TIMEOUT", 5.0)
    assert "pass" not in verdicts(broken).values()


def test_counters_that_are_covered_are_those_that_are_tried() -> None:
    """A file that Landlock leaves readable, or a copy is made of, is not also hidden."""
    assert not set(proc_view.MACHINE_COUNTERS) & {*proc_view.STATIC, *proc_view.READABLE}


# -- with a file system for each --------------------------------------------------------------------------------------


@pytest.fixture
def with_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox whose files come from an image with the program and the file through which it tries to talk."""
    (tmp_path / FILE).write_bytes(bytes(channel_attempts.FILE_PAGES * os.sysconf("SC_PAGESIZE")))
    (tmp_path / "bot.py").write_text(Path(channel_attempts.__file__).read_text(encoding="utf-8"))
    yield from imaged(tmp_path, monkeypatch)


@contextlib.asynccontextmanager
async def running(supervisor: Supervisor, folder: Path, role: str):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """A bot with this role."""
    argv = (PYTHON, "-IS", str(folder / "bot.py"), role, str(folder / FILE))
    process = await supervisor.start(Command(argv, folder), channel_report.LIMITS)
    try:
        yield process
    finally:
        process.stop()
        await process.closed.wait()


async def heard(process: BotProcess) -> dict[str, str]:
    """What a bot printed."""
    await process.exited.wait()
    said = os.read(process.stdout, 65536)
    assert said, process.stderr.tail
    return msgspec.json.decode(said, type=dict[str, str])


@needs_images
@pytest.mark.slow
async def test_with_file_systems_of_their_own_futexes_and_pages_carry_nothing(
    with_image: Sandbox, tmp_path: Path
) -> None:
    without = msgspec.structs.replace(with_image, landlock=None)
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(without) as supervisor, running(supervisor, tmp_path, "send"):
            async with running(supervisor, tmp_path, "receive") as receiver:
                found = await heard(receiver)
            assert found["futexes"] == ""
            assert found["sysinfo"], "the sender was alive"
        async with supervise(without) as supervisor:
            reads = []
            for role in ("leave_traces", "find_traces"):
                async with running(supervisor, tmp_path, role) as bot:
                    reads.append(await heard(bot))
    assert reads[1]["read"] == reads[1]["silent"], "a later process can't tell what an earlier one has read"
