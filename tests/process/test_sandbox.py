"""Bots in bubblewrap, where it works: what they can't do, and that a run leaves nothing of them either."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.players.clock import TimeControl
from referee.players.player import Fault
from referee.process import sandbox
from referee.process.sandbox import SandboxError
from tests.match.arena import FIRST, HASTY, PATIENT, Arena
from tournaments.schedule import rotations

works = pytest.mark.skipif(sandbox.why_not() is not None, reason=f"no sandbox: {sandbox.why_not()}")
PROBE = """
    ready()
    def attempt(what):
        try:
            return what()
        except Exception as error:
            return type(error).__name__
    import socket
    from pathlib import Path
"""


async def sandboxed(arena: Arena, source: str, **plan: Any) -> Fault | None:
    """The fault of a bot that plays in the sandbox."""
    planned = msgspec.structs.replace(arena.plan([arena.bot(source), FIRST], **plan), sandboxed=True)
    [played] = await arena.run(planned, list(rotations(1, 2, "seed", rotate=False)))
    return played.outcome.faults[0]


async def attempt(arena: Arena, what: str) -> str:
    """What a bot in the sandbox gets when it tries this."""
    assert await sandboxed(arena, f"{PROBE}    tell(str(attempt(lambda: {what})))") is None
    [told] = arena.all_told()
    return told


@works
async def test_bot_plays_in_the_sandbox(arena: Arena) -> None:
    assert await sandboxed(arena, "fork(); ready()") is None


@works
async def test_no_network(arena: Arena) -> None:
    assert await attempt(arena, "socket.create_connection(('127.0.0.1', 9), timeout=5)") == "ConnectionRefusedError"
    assert await attempt(arena, "[name for _, name in socket.if_nameindex()]") == "['lo']"


@works
async def test_no_other_processes(arena: Arena) -> None:
    assert int(await attempt(arena, "len([pid for pid in os.listdir('/proc') if pid.isdigit()])")) <= 2


@works
async def test_files_are_read_only(arena: Arena) -> None:
    precious = arena.folder / "precious"
    precious.write_text("gold")
    assert await attempt(arena, f"Path({str(precious)!r}).read_text()") == "gold"
    assert await attempt(arena, f"Path({str(precious)!r}).write_text('lead')") == "OSError"
    assert await attempt(arena, f"os.unlink({str(precious)!r})") == "OSError"
    assert precious.read_text() == "gold"


@works
async def test_private_tmp(arena: Arena) -> None:
    assert await attempt(arena, "Path('/tmp/referee-test-of-the-sandbox').write_text('mine')") == "4"
    assert not Path("/tmp/referee-test-of-the-sandbox").exists()


ENDS = {
    "timeout": ("ready(); linger()", HASTY, "timeout: no answer to act 1 (take) within 0.3 s"),
    "timeout of an escaped one": ("ready(); os.fork() or os.setsid(); linger()", HASTY, "timeout: no answer"),
    "exit": ("ready(); hear('act'); sys.exit(3)", PATIENT, "crash: exited with status 3 at act 1"),
    "end by a signal": (
        "ready(); hear('act'); os.kill(os.getpid(), 9)",
        PATIENT,
        "crash: exited with status 137 (SIGKILL) at act 1",
    ),
}


@works
@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize(("source", "control", "fault"), ENDS.values(), ids=ENDS)
async def test_nothing_is_left_of_a_sandboxed_bot_after(
    arena: Arena, source: str, control: TimeControl, fault: str
) -> None:
    assert str(await sandboxed(arena, f"fork(); {source}", control=control)).startswith(fault)


def test_sandbox_that_does_not_work_is_an_error_only_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "PROGRAM", "no-such-program")
    assert sandbox.choose("auto") == (False, "sandbox: none (bubblewrap is not installed): bots run with your rights")
    with pytest.raises(SandboxError, match=r"--sandbox bwrap: bubblewrap is not installed"):
        sandbox.choose("bwrap")


def test_sandbox_is_left_out_on_request() -> None:
    sandboxed, words = sandbox.choose("none")
    assert not sandboxed
    assert "as you asked" in words


def test_a_virtual_environment_in_tmp_is_shown_whole(tmp_path: Path) -> None:
    program = tmp_path / "venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.touch()
    assert sandbox.parts_in_tmp([str(program), "bot.py"], Path("/usr")) == [tmp_path / "venv"]
