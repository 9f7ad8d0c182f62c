"""What is done between two phases, when no bot is alive: no process may find out what earlier ones read."""

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Final

import trio

from referee.processes import page_cache
from tournaments.play.plan import GamePlan

MAX_SHARE: Final = 0.02
"""The share of a run's time that forgetting files may take, unless the organiser asked for it."""
NOT_FORGOTTEN: Final = (
    "files stay in the page cache between rotations, which tells later ones what was read: dropping them would take "
    f"over {MAX_SHARE:.0%} of the time so far. --forget-files, or forget_files in [run], does it nevertheless"
)


class PhaseChange:
    """The time between the phases of a run. `on_notice` is told, once, if files are not forgotten."""

    def __init__(self, on_notice: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._on_notice = on_notice
        self._clock = clock
        self._began = clock()
        self._spent = 0.0
        """Seconds for forgetting so far."""
        self._needed = 0.0
        """Seconds that it takes at least, as far as is known."""
        self._said = False

    async def between(self, plan: GamePlan) -> None:
        """Drop the files that the sandboxes show from the page cache. No bot may be alive.

        That is not done without a sandbox, where bots have better ways; nor if it would take over MAX_SHARE of the time
        since this object was made, unless the plan says so.
        """
        if plan.sandbox is None or not any(bot.is_program for bot in plan.bots):
            return
        began = self._clock()
        allowed = math.inf if plan.forget_files else MAX_SHARE * (began - self._began) - self._spent
        done = False
        if allowed > self._needed:
            paths = plan.sandbox.shown_files(bot for bot in plan.bots if bot.is_program)
            command = [sys.executable, "-IS", page_cache.__file__, str(allowed)]
            with contextlib.suppress(OSError):  # it can't be started: then they are not forgotten
                ended = await trio.run_process(command, stdin=os.fsencode("\0".join(paths)), check=False)
                done = ended.returncode == 0
            used = self._clock() - began
            self._spent += used
            self._needed = used if done else max(used, self._needed)
        if not done and not self._said:
            self._said = True
            self._on_notice(NOT_FORGOTTEN)
