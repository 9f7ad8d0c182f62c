"""What is done between two phases, when no bot is alive: no process may find out what earlier ones read."""

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

import trio
from msgspec import structs

from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import HashedFiles, check_files
from referee.processes.sandbox import page_cache
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.image import FileImage, ImageError
from tournaments.play.plan import GamePlan

MAX_SHARE: Final = 0.02
"""The share of a run's time that forgetting files may take, unless the organiser asked for it."""
MIN_SECONDS: Final = 0.05
"""What it takes to start the process that forgets them, on a fast machine, and to read the first folders."""
NOT_FORGOTTEN: Final = "files can't be dropped from the page cache here, as --forget-files wants"


class PhaseChange:
    """The time between the phases of a run. `on_notice` is told, once, if files are not forgotten that
    should be in any case."""

    def __init__(self, on_notice: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._on_notice = on_notice
        self._clock = clock
        self._began = clock()
        self._spent = 0.0
        """Seconds for forgetting so far."""
        self._needed = MIN_SECONDS
        """Seconds that it takes at least, as far as is known."""
        self._said = False
        self.image: FileImage | None = None
        self._files: dict[str, HashedFiles] = {}
        """By the name of a bot, its files in the image."""

    async def begin(self, plan: GamePlan) -> GamePlan:
        """The plan with which its games are played: where it wants an image of the files, with that image.

        The image is made once, and again only if bots with other files have come. Raises ImageError, and
        FilesChangedError if files of bots are not as they were hashed, or change meanwhile.
        """
        if plan.conditions.files != "image" or plan.sandbox is None or not (programs := _programs(plan)):
            return plan
        if self.image is None or not set(plan.sandbox.imaged_paths(programs)) <= set(self.image.paths):
            self.close()
            image, self._files = await trio.to_thread.run_sync(_make_image, plan, plan.sandbox, programs)
            self.image = image
            size = image.file.stat().st_size / 1e6
            self._on_notice(f"each bot has a file system of its own, from an image of {size:,.0f} MB")
        await self._load(self.image)
        # What runs is in the image: changes of the files themselves make no difference from here on.
        return structs.replace(
            plan, sandbox=structs.replace(plan.sandbox, image=self.image), files={**plan.files, **self._files}
        )

    def close(self) -> None:
        if self.image is not None:
            self.image.remove()
            self.image = None

    async def _load(self, image: FileImage) -> None:
        """Read the image into the page cache, so that the time of reading from it tells nothing."""
        try:
            await trio.to_thread.run_sync(page_cache.load, str(image.file), abandon_on_cancel=True)
        except OSError as error:
            raise ImageError(f"the image of the files can't be read: {error.strerror}") from None

    async def between(self, plan: GamePlan) -> None:
        """Drop the files that the sandboxes show from the page cache; or read their image again. No bot may be alive.

        Files are not dropped without a sandbox, where bots have better ways; nor if it would take over MAX_SHARE of the
        time since this object was made, unless the plan says so.
        """
        if plan.sandbox is None or not (programs := _programs(plan)):
            return
        if plan.sandbox.image is not None:
            await self._load(plan.sandbox.image)
            return
        began = self._clock()
        allowed = math.inf if plan.conditions.forget_files else MAX_SHARE * (began - self._began) - self._spent
        done = False
        if allowed > self._needed:
            names = os.fsencode("\0".join(plan.sandbox.shown_files(programs)))
            command = [sys.executable, "-IS", page_cache.__file__, str(allowed)]
            with contextlib.suppress(OSError):  # it can't be started: then they are not forgotten
                ended = await trio.run_process(command, stdin=names, check=False, start_new_session=True)
                done = ended.returncode == 0
            used = self._clock() - began
            self._spent += used
            self._needed = used if done else max(used, self._needed)
        if not done and plan.conditions.forget_files and not self._said:
            self._said = True
            self._on_notice(NOT_FORGOTTEN)


def _make_image(
    plan: GamePlan, sandbox: Sandbox, programs: Sequence[BotSpec]
) -> tuple[FileImage, dict[str, HashedFiles]]:
    """An image, and the files of bots in it, which are those of the plan. Raises ImageError and FilesChangedError."""
    known = {bot.name: check_files(bot, plan.files[bot.name]) for bot in programs if bot.name in plan.files}
    image = sandbox.make_image(programs)
    try:
        for bot in programs:
            if bot.name in known:  # without a hash, any change counts: they may have changed and changed back
                now = check_files(bot, structs.replace(known[bot.name], sha256=None))
                known[bot.name] = structs.replace(now, fixed=True)
    except BaseException:
        image.remove()
        raise
    return image, known


def _programs(plan: GamePlan) -> list[BotSpec]:
    return [bot for bot in plan.bots if bot.is_program]
