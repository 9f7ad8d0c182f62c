"""A bot that uses up what the kernel counts for all processes of a user is named and charged, and nobody waits."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.processes import linux
from tests.cli.command import ENVIRONMENT
from tests.timeouts import TEST_TIMEOUT

BOTS = Path(__file__).parent / "bots"
WITHOUT_PRIVILEGES = ("setpriv", "--bounding-set=-sys_resource,-sys_admin", "--inh-caps=-sys_resource,-sys_admin")
"""Root has no such limit unless it gives these up."""
pytestmark = pytest.mark.xdist_group("clocks and bombs")  # not at the same time: one user's processes share the count
needs_limits = pytest.mark.skipif(
    not linux.IS_LINUX or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="needs Linux, and where root runs it a program to give up privileges",
)


def play(limit: str) -> "subprocess.CompletedProcess[str]":
    """A match between a bot whose process stays and one that needs another process for each game, with these limits.

    One game at a time: when another process must start, the one that stays has filled its sockets.
    """
    bots = [f"{sys.executable} {BOTS / name}.py" for name in ("keeps_descriptors_in_flight", "exits_after_end")]
    match = ("match", *bots, "--sandbox", "none", "--games", "4", "--seed", "x", "--no-record", "--concurrency", "1")
    privileges = WITHOUT_PRIVILEGES if os.geteuid() == 0 else ()
    return subprocess.run(
        [*privileges, "/bin/sh", "-c", f'ulimit {limit} && exec "$@"', "sh", sys.executable, "-m", "referee", *match],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT,
        check=False,
    )


@needs_limits
@pytest.mark.ci_only
def test_where_the_referee_may_have_more_descriptors_than_a_bot_it_is_not_disturbed() -> None:
    ended = play("-Sn 1024")
    assert ended.returncode == 0, ended.stderr
    assert "in flight" not in ended.stderr


@needs_limits
@pytest.mark.ci_only
def test_where_it_may_not_the_bot_is_charged_and_the_others_play_on() -> None:
    ended = play("-n 1024")
    assert ended.returncode == 3, ended.stderr
    faults = re.findall(r": (\w+): crash: kept (\d+) or more descriptors in flight in its sockets", ended.stdout)
    assert faults, ended.stdout + ended.stderr
    assert {name for name, _ in faults} == {"keeps_descriptors_in_flight"}
    assert all(int(number) > 500 for _, number in faults)
