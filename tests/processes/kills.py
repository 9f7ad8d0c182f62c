"""Kills a referee again and again while it starts bots, and counts the processes that are left.

`python -m tests.processes.kills --kills 100 --mode bwrap [--both] [--user 65534]` from the root of the repository.
Modes are `bwrap` and `none`; `-subreaper` after it means without a process namespace for the keeper, `-v1` without
cgroup v2. `--both` kills the keeper together with the referee. A test in test_keeper.py does the same a few times.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from referee.processes.keeper.lifetime import keepers_of
from tests.hostile.cleanup import processes_of

BOT: Final = """
import os, signal, sys, time
signal.alarm(60)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not os.fork():
    os.setsid()
    os.fork()
try: os.write(1, b"here\\n")
except OSError: pass
while True: time.sleep(60)
"""
LONGEST: Final = 0.15
"""Seconds after which the referee is killed at the latest. The keeper needs 0.03, a bot 0.02."""
GONE_WITHIN: Final = 2.0
"""Seconds after which a process counts as a survivor."""


def survivors(
    mode: str, folder: Path, *, both: bool, user: int | None = None, python: str = sys.executable
) -> tuple[int, float, bool]:
    """Kill one referee at a random moment. How many processes are left, after how many seconds there were none, and
    whether there were any before."""
    command = [python, "-m", "tests.processes.start_bots", mode, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, user=user, group=user) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == b"here\n"
        time.sleep(random.random() * LONGEST)
        keepers = keepers_of(referee.pid) if both else []
        victims = random.sample([referee.pid, *keepers], 1 + len(keepers))
        running = bool(processes_of(folder).keys() - {referee.pid})
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
    while (left := processes_of(folder)) and time.monotonic() - killed < GONE_WITHIN:
        time.sleep(0.002)
    took = time.monotonic() - killed
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left), took, running


def prepare(folder: Path) -> Path:
    """A folder with a bot."""
    folder.chmod(0o755)
    (folder / "bot.py").write_text(BOT)
    return folder


def main() -> None:
    """Kill referees, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--mode", default="bwrap")
    parser.add_argument("--both", action="store_true", help="kill the keeper together with the referee")
    parser.add_argument("--user", type=int, help="run the referee as this user")
    parser.add_argument("--python", default=sys.executable, help="a Python that this user may execute")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = prepare(Path(name))
        results = [
            survivors(options.mode, folder, both=options.both, user=options.user, python=options.python)
            for _ in range(options.kills)
        ]
    took = [seconds for left, seconds, _ in results if not left]
    sys.stdout.write(
        f"{options.mode}{', referee and keeper' if options.both else ''}, user {options.user or os.getuid()}: "
        f"{options.kills} kills, {sum(running for *_, running in results)} of them while processes ran; "
        f"{sum(left > 0 for left, *_ in results)} with survivors ({sum(left for left, *_ in results)}); "
        f"gone within {max(took, default=0) * 1000:.0f} ms\n"
    )


if __name__ == "__main__":
    main()
