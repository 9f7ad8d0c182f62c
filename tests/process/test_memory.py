"""The memory limit: who is over it is ended, with all its children counted."""

import os
import re

import pytest
import trio

from referee.process import memory
from referee.process.child import OutOfMemory
from referee.process.memory import tree_memory, watch_memory
from tests.process.running import python, running

MB = 1024 * 1024
SILENT = "import signal; signal.alarm(120); hoard = b'x' * (200 << 20)"
HOARD = f"{SILENT}; print('hoarded', flush=True); signal.pause()"


async def test_process_over_its_limit_is_killed_and_told_why() -> None:
    async with running(python(HOARD)) as child:
        assert await child.receive() == b"hoarded"
        await watch_memory(child, 100)
        with pytest.raises(OutOfMemory) as caught:
            await child.receive()
    assert re.fullmatch(r"used 2\d\d MiB of memory; at most 100 MiB are allowed", str(caught.value))


async def test_memory_of_children_counts() -> None:
    source = f"import os, signal\nif os.fork(): signal.pause()\n{HOARD}"
    async with running(python(source)) as child:
        assert await child.receive() == b"hoarded"
        assert tree_memory(child.pid) > 200 * MB
        await watch_memory(child, 100)
        with pytest.raises(OutOfMemory):
            await child.receive()


async def test_process_within_its_limit_goes_on() -> None:
    async with running(python("for line in __import__('sys').stdin: print(line, flush=True)")) as child:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch_memory, child, 100)
            await child.send(b"still there\n")
            assert await child.receive() == b"still there"
            child.stop()
        assert child.over_memory is None


async def test_growth_while_it_is_watched_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "INTERVAL", 0.01)
    async with running(python(f"input(); {SILENT}; signal.pause()")) as child, trio.open_nursery() as nursery:
        nursery.start_soon(watch_memory, child, 100)
        await child.send(b"now\n")
        with pytest.raises(OutOfMemory):
            await child.receive()


def test_process_that_is_gone_uses_no_memory() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    assert tree_memory(pid) == 0
