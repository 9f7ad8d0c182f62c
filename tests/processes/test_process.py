"""A bot's process: what it gets, lines in any volume in both directions, and how its end is reported."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from protocol.framing import MAX_LINE
from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.exception_groups import single_errors
from referee.processes.launch import SpawnError
from referee.processes.limits.machine import F_GETPIPE_SZ
from tests.game_runner.harness import Harness
from tests.processes.running import python, running

MB = 1024 * 1024
WAIT_FOREVER = "import signal; signal.alarm(120)\nwhile True: signal.pause()"


async def printed(source: str, *arguments: str, **more: Any) -> Any:
    """The value of a Python expression, as a program that the referee starts prints it."""
    async with running(python(f"import json, os, sys\nprint(json.dumps({source}))", *arguments), **more) as connection:
        return json.loads(await connection.receive())


# -- what a process gets ----------------------------------------------------------------------------------------------


async def test_process_leads_a_session_and_a_process_group_of_its_own() -> None:
    pid, group, session = await printed("[os.getpid(), os.getpgrp(), os.getsid(0)]")
    assert pid == group == session
    assert group != os.getpgrp()
    assert session != os.getsid(0)


async def test_no_shell_reads_the_command_line() -> None:
    words = ["$HOME", "a b", "*", "; exit 1", "`id`", "it's", '"', "> /dev/null"]
    assert await printed("sys.argv[1:]", *words) == words


async def test_process_runs_in_its_folder(tmp_path: Path) -> None:
    assert await printed("os.getcwd()", cwd=tmp_path) == str(tmp_path)


async def test_process_gets_no_descriptors_of_the_referee(harness: Harness) -> None:
    async with running(python("import sys; sys.stdin.read()")):
        assert await printed("len(os.listdir('/proc/self/fd'))") == 4  # three pipes, and the folder it lists


UNSTARTABLE = {
    "missing program": (["./no-such-program"], ".", "can't start './no-such-program': No such file or directory"),
    "missing folder": (python(""), "gone", r"enter its folder: No such file or directory"),
    "null byte": ([*python(""), "\0"], ".", "can't start .*: embedded null byte"),
}


@pytest.mark.parametrize(("argv", "folder", "message"), UNSTARTABLE.values(), ids=UNSTARTABLE)
async def test_command_that_cannot_be_started_is_a_spawn_error(
    harness: Harness, argv: list[str], folder: str, message: str
) -> None:
    with pytest.raises(SpawnError, match=message), single_errors():
        async with harness.no_leaks(), running(argv, cwd=harness.folder / folder):
            pass


# -- lines ------------------------------------------------------------------------------------------------------------

ECHO = """
    import sys
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
"""


async def test_lines_go_there_and_back() -> None:
    async with running(python(ECHO)) as connection:
        for line in (b"one", b"two\r", b"", "drei \N{SNOWMAN}".encode(), b"\0"):
            await connection.send(line + b"\n")
            assert await connection.receive() == line.removesuffix(b"\r")


async def test_line_far_longer_than_a_pipe_holds() -> None:
    line = os.urandom(MB // 2).hex().encode()[:MAX_LINE]
    async with running(python(ECHO)) as connection:
        await connection.send(line + b"\n")
        assert await connection.receive() == line


async def test_both_write_more_than_the_pipes_hold_before_they_read() -> None:
    program = python("""
        import sys
        for n in range(3):
            for _ in range(3000):
                sys.stdout.buffer.write(b"x" * 1000 + b"\\n")
            sys.stdout.buffer.flush()
            line = sys.stdin.buffer.readline()
            print("got", len(line), flush=True)
    """)
    async with running(program) as connection:
        for _ in range(3):
            await connection.send(b"y" * 5 * MB + b"\n")
            lines = [await connection.receive() for _ in range(3001)]
            assert lines == [b"x" * 1000] * 3000 + [b"got %d" % (5 * MB + 1)]


@pytest.mark.skipif(F_GETPIPE_SZ is None, reason="only Linux resizes pipes")
async def test_a_pipe_that_was_made_smaller_before_anything_was_sent_is_noticed() -> None:
    """As a bot does as soon as it runs, while a busy referee comes to its connection later."""
    source = f"import fcntl; fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096); print(flush=True); {WAIT_FOREVER}"
    async with running(python(source)) as connection:
        await connection.receive()
        late = PipeConnection(connection.process)
        with pytest.raises(ConnectionEnded, match="changed the size of its standard input"):
            await late.send(b"x" * 20_000 + b"\n")


@pytest.mark.slow
async def test_many_lines_in_one_write_come_one_by_one() -> None:
    async with running(python("print('\\n'.join(map(str, range(300_000))))")) as connection:
        for number in range(300_000):
            assert await connection.receive() == b"%d" % number


async def test_receive_nowait_gives_what_has_come_and_no_more() -> None:
    async with running(
        python("import sys; sys.stdin.readline(); print('one\\ntwo', flush=True); input()")
    ) as connection:
        assert connection.receive_nowait() is None
        await connection.send(b"go\n")
        assert await connection.receive() == b"one"
        assert connection.receive_nowait() == b"two"
        assert connection.receive_nowait() is None
        await connection.send(b"end\n")


async def test_receive_nowait_reads_from_the_pipe(harness: Harness) -> None:
    source = f"""
        import os
        print("one", flush=True)
        os.write(os.open({str(harness.folder / "reports")!r}, os.O_WRONLY), b"written\\n")
        input()
    """
    async with running(python(source)) as connection:
        assert await harness.reported() == "written"
        assert connection.receive_nowait() == b"one"


# -- why a connection ended -------------------------------------------------------------------------------------------

ENDS = {
    "exit": ("raise SystemExit(3)", "exited with status 3"),
    "exit 0": ("pass", "exited with status 0"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    "exit as a shell reports a signal": ("raise SystemExit(139)", "exited with status 139 (SIGSEGV)"),
    "closed output": (
        f"import os; os.close(1)\n{WAIT_FOREVER}",
        "closed its standard input or output while it was still",
    ),
}


@pytest.mark.parametrize(("source", "words"), ENDS.values(), ids=ENDS)
async def test_receiving_after_the_end_says_why_it_ended(source: str, words: str) -> None:
    async with running(python(source), quit_grace=0.05) as connection:
        with pytest.raises(ConnectionEnded) as caught:
            await connection.receive()
        assert str(caught.value).startswith(words)
        assert "(signal" not in str(caught.value)


@pytest.mark.parametrize("size", [10, 5 * MB])
async def test_sending_after_the_end_says_why_it_ended(size: int) -> None:
    async with running(python("raise SystemExit(3)")) as connection:
        await connection.ended.wait()
        with pytest.raises(ConnectionEnded, match="exited with status 3"):
            await connection.send(b"x" * size)


async def test_line_for_which_there_is_no_room_is_sent_by_flush() -> None:
    count = "import sys\nfor line in sys.stdin: print(len(line), flush=True)"
    async with running(python(count)) as connection:
        assert connection.send_nowait(b"short\n")
        assert await connection.receive() == b"6"
        assert not connection.send_nowait(b"x" * MB + b"\n")
        await connection.flush()
        assert await connection.receive() == b"%d" % (MB + 1)


async def test_end_before_a_line_is_sent_without_waiting_is_found_by_flush() -> None:
    async with running(python("raise SystemExit(3)")) as connection:
        await connection.ended.wait()
        assert not connection.send_nowait(b"x\n")
        with pytest.raises(ConnectionEnded, match="exited with status 3"):
            await connection.flush()


async def test_end_while_sending_says_why_it_ended() -> None:
    async with running(python("import sys; sys.stdin.read(200_000); raise SystemExit(4)")) as connection:
        with pytest.raises(ConnectionEnded, match="exited with status 4"):
            await connection.send(b"x" * 5 * MB)


async def test_lines_written_before_the_end_are_received() -> None:
    async with running(python("print('one more')")) as connection:
        await connection.ended.wait()
        assert await connection.receive() == b"one more"
        with pytest.raises(ConnectionEnded, match="exited with status 0"):
            await connection.receive()


async def test_end_by_the_referee_gives_its_reason() -> None:
    async with running(python(WAIT_FOREVER)) as connection:
        connection.process.end_for("memory", "used too much")
        with pytest.raises(ConnectionEnded, match="used too much") as caught:
            await connection.receive()
        assert caught.value.code == "memory"


async def test_process_is_sent_quit_and_its_input_closed() -> None:
    async with running(python("import sys; print(sys.stdin.readlines(), file=sys.stderr)")) as connection:
        pass
    assert connection.process.stderr.tail == b"['quit\\n']\n"


async def test_kill_after_the_end_signals_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(python("")) as connection:
        await connection.ended.wait()
        monkeypatch.setattr("os.killpg", lambda *who: pytest.fail("another process may have this number by now"))
        connection.process.kill()
