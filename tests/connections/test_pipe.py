"""A pipe to a bot: if the system refuses the referee something, the match ends, and it is not the bot's fault."""

import errno
import os
from collections.abc import Awaitable, Callable
from typing import Final

import pytest
import trio

from referee.connections.pipe import PipeConnection
from referee.processes.limits.machine import MachineError
from tests.game_runner.harness import FIRST, Harness

REFUSALS: Final = (errno.ENOMEM, errno.ENOSPC, errno.EMFILE, errno.EPERM)


def refuse(monkeypatch: pytest.MonkeyPatch, number: int, question: bytes = b'"act"') -> None:
    """Let the system refuse to take a message that contains this."""
    write = PipeConnection._write

    def write_or_fail(connection: PipeConnection, line: bytes = b"") -> None:
        if question in line:
            raise OSError(number, os.strerror(number))
        write(connection, line)

    monkeypatch.setattr(PipeConnection, "_write", write_or_fail)


@pytest.mark.parametrize("number", REFUSALS)
async def test_question_that_can_not_be_written_is_not_the_fault_of_the_bot(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refuse(monkeypatch, number)
    failure = pytest.RaisesExc(MachineError, match=rf"the referee can't write to a bot: {os.strerror(number)}; ")
    with pytest.RaisesGroup(failure, flatten_subgroups=True):
        await harness.play_one(harness.bot(), FIRST)


@pytest.mark.parametrize("filler", [0, 1_000_000], ids=["for the answer", "for room for the question"])
async def test_wait_that_is_refused_is_not_the_fault_of_the_bot(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, filler: int
) -> None:
    """The first time that the referee waits for a descriptor is when the kernel counts it."""
    asked: set[int] = set()

    def note(connection: PipeConnection, line: bytes = b"") -> None:
        if b'"act"' in line:
            asked.update((connection._stdin, connection._stdout))
        write(connection, line)

    write = PipeConnection._write
    monkeypatch.setattr(PipeConnection, "_write", note)
    monkeypatch.setattr(PipeConnection, "receive_nowait", lambda connection: None)  # no answer comes without a wait

    def refusing(wait: Callable[[int], Awaitable[None]]) -> Callable[[int], Awaitable[None]]:
        async def refuse(fd: int) -> None:
            if fd in asked:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            await wait(fd)

        return refuse

    monkeypatch.setattr(trio.lowlevel, "wait_readable", refusing(trio.lowlevel.wait_readable))
    monkeypatch.setattr(trio.lowlevel, "wait_writable", refusing(trio.lowlevel.wait_writable))
    failure = pytest.RaisesExc(MachineError, match=r"No space left on device; .*fs\.epoll\.max_user_watches")
    with pytest.RaisesGroup(failure, flatten_subgroups=True):
        await harness.play_one(harness.bot(), FIRST, filler=filler)
