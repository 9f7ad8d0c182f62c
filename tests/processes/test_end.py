"""However a bot tries to outlive its end, all of its processes are gone soon after."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

from referee.processes import linux, process_tree, sandbox
from referee.processes.reaper import Reaper
from tests.game_runner.harness import DEATH, FIRST, HASTY, Harness
from tests.processes.running import LONG, python, running
from tests.processes.sandboxed import WORKING, needs_sandbox
from tournaments.runner import play_games
from tournaments.schedule import Phases, rotations

pytestmark = [
    pytest.mark.usefixtures("short_grace"),
    pytest.mark.skipif(not process_tree.AVAILABLE, reason="needs Linux"),
]
MODES = [None, pytest.param(WORKING, marks=needs_sandbox)]

DAEMONISE = """
if not os.fork():
    os.setsid()
    if not os.fork():
        {closing}
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        linger()
    os._exit(0)
"""
ESCAPES = {
    "a connection": "fork()",
    "a connection without pipes": "fork(pipes=False)",
    "a connection in a session of its own": "os.fork() or (os.setsid(), linger())",
    "a daemon": DAEMONISE.format(closing="os.closerange(0, 3)"),
    "a daemon that holds the pipes": DAEMONISE.format(closing=""),
    "a stopped daemon": DAEMONISE.format(closing="os.kill(os.getpid(), signal.SIGSTOP)"),
    "many daemons": f"for _ in range(20):\n{textwrap.indent(DAEMONISE.format(closing=''), '    ')}",
    "a daemon with children": DAEMONISE.format(closing="[fork() for _ in range(5)]"),
}


@pytest.mark.parametrize("inside", MODES, ids=["without sandbox", "bubblewrap"])
@pytest.mark.parametrize("source", ESCAPES.values(), ids=ESCAPES)
async def test_whole_family_is_gone_after_the_end(
    harness: Harness, source: str, inside: sandbox.Sandbox | None
) -> None:
    """The harness waits until nobody holds the lifeline that every process of a bot inherits."""
    for rest in ("", "hear('act'); linger()"):
        bot = harness.bot(f"{source}\nready()\n{rest}")
        plan = msgspec.structs.replace(harness.plan([bot, FIRST], control=HASTY), sandbox=inside)
        [played] = await harness.run(plan, list(rotations(1, 2, "seed", rotate=False)))
        fault = played.outcome.faults[0]
        assert (fault.code if fault else None) == ("timeout" if rest else None)


async def test_daemon_is_ended_while_its_bot_plays_on(harness: Harness) -> None:
    source = f"""{DAEMONISE.format(closing="report(f'daemon {os.getpid()}')")}
ready()
act = hear("act")
report("asked")
pass_gate()
answer(act)
"""
    plan = harness.plan([harness.bot(source), FIRST])
    async with trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
            told = {await harness.reported(), await harness.reported()}
            [daemon] = [int(line.split()[1]) for line in told if line != "asked"]
            with trio.fail_after(DEATH):
                while Path(f"/proc/{daemon}").exists():  # noqa: ASYNC110 (no event tells of another's end)
                    await trio.sleep(0.01)


def test_children_of_the_host_program_are_left_alone() -> None:
    reaper = Reaper()
    with reaper.installed(), subprocess.Popen(["sleep", "60"]) as neighbour:
        assert neighbour.pid in process_tree.children(os.getpid())
        assert neighbour.pid not in reaper.orphans()
        assert not reaper.sweep()
        assert neighbour.poll() is None
        neighbour.kill()
    assert not linux.is_subreaper()


async def test_process_dies_with_the_thread_of_the_referee_that_started_it() -> None:
    source = "import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n)); print(n.value)"
    async with running(python(source)) as connection:
        assert await connection.receive() == str(int(signal.SIGKILL)).encode()


# -- the referee killed ---------------------------------------------------------------------------------------------

BOT = """
    import os, sys, signal, time
    lifeline = os.open(sys.argv[1], os.O_WRONLY)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    {fork}
    sys.stdin.readline()
    print('{{"type":"ready","protocol":1,"name":"bot"}}', flush=True)
    sys.stdin.readline()
    sys.stdin.readline()
    os.write(lifeline, b"asked")
    while True: time.sleep(60)
"""


@contextlib.contextmanager
def lifeline(folder: Path) -> Iterator[tuple[Path, int]]:
    """A pipe that every process of a bot holds open: its path, and its end to read from."""
    path = folder / "lifeline"
    os.mkfifo(path)
    ear = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield path, ear
    finally:
        os.close(ear)


@pytest.mark.parametrize("mode", ["none", pytest.param("bwrap", marks=needs_sandbox)])
@pytest.mark.parametrize("fork", ["", "os.fork()"], ids=["alone", "with a connection"])
def test_no_bot_survives_a_referee_that_is_killed_outright(tmp_path: Path, mode: str, fork: str) -> None:
    script = tmp_path / "bot.py"
    script.write_text(textwrap.dedent(BOT).format(fork=fork))
    with lifeline(tmp_path) as (path, ear):
        command = f"'{sys.executable}' '{script}' '{path}'"
        match = ["match", command, "builtin:first", "--no-record", "--sandbox", mode, "--no-timeout"]
        program = "from referee.cli import main; main()"
        with subprocess.Popen(
            [sys.executable, "-c", program, *match], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        ) as referee:
            assert select.select([ear], [], [], LONG)[0], "the bot was not asked"
            assert os.read(ear, 100).startswith(b"asked")
            referee.kill()
        poll = select.poll()
        poll.register(ear, 0)  # POLLHUP: nobody holds the other end any more
        assert poll.poll(DEATH * 1000), "a process of the bot is left"
