"""Prepares bots for their first game in a match, a tournament, `bot check` or `bot replay`."""

import contextlib
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import Struct

from referee.bots.bot_spec import BotSpec, BotSpecError, ProgramError, check_build_program, check_game, check_program
from referee.bots.build import BuildError, build
from referee.bots.built_files import UnsafeFolderError, find_channel, repair
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.files import find_symlink, is_there
from referee.games import Game
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import capped_limits
from referee.processes.sandbox.bubblewrap import Sandbox, SandboxError
from referee.processes.sandbox.choice import Mode, choose
from referee.processes.sandbox.image import Files, why_no_images
from referee.processes.sandbox.user_ids import USERS
from referee.processes.sandbox.visibility import is_within
from referee.processes.supervisor import supervise

USUAL_SANDBOX: Final = "sandbox: bubblewrap, with all protections (`referee sandbox` tests and lists them)"
"""The notice about a complete sandbox that nobody asked for; what is in force is told in full otherwise."""
SYSTEM_FOLDERS: Final = (Path("/"), Path("/dev"))
PROCESSES: Final = Path("/proc")
TO_SUSPEND: Final = (
    "Use the sandbox (`referee sandbox` says what it lacks), run the referee where it may create cgroups (as root, or"
    " as a user of systemd), or let bots think during other players' turns (--ponder, or ponder = true in [run])"
)
"""What to do where bots can't be suspended."""
BY_OPTION: Final = "--limit {name}=…"
"""The option that raises a limit on the command line."""


class Problem(Struct, frozen=True, kw_only=True):
    """Why a bot can't be started."""

    error: RefereeError
    text: str
    """The problem, without the name of the bot."""
    advice: str | None
    """What to do about it, unless the text already says so."""
    output: str = ""
    """The first and last lines that its build wrote. Untrusted."""

    @classmethod
    def of(cls, bot: BotSpec, error: RefereeError) -> Self:
        text = str(error).removeprefix(f"{bot.name}: ").rstrip(":")
        if isinstance(error, BuildError):
            output = "\n".join(line.strip() for line in error.output)
            advice = f"run its build command yourself in {bot.folder}"
            return cls(error=error, text=text, advice=advice, output=output)
        if isinstance(error, ProgramError):
            return cls(error=error, text=error.problem, advice=error.advice)
        return cls(error=error, text=text, advice=None)


class Preflight:
    """Makes bots ready to be started; the methods that are needed are called in this order.

    An error about a single bot is raised, or with `collect` becomes its entry in `problems`: then that bot is skipped
    in what follows, and the others continue. Other errors, such as those of the machine or of the sandbox as a whole,
    are raised in either case.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        *,
        mode: Mode,
        show: Iterable[Path] = (),
        files: Files = "shared",
        environment: Mapping[str, str],
        on_notice: Callable[[str], None],
        raise_limit: str = BY_OPTION,
        others: Collection[str] = (),
        collect: bool = False,
    ) -> None:
        """`mode`, `show` and `environment` are the organiser's; `on_notice` is called with lines for the organiser,
        such as which sandbox is used. `raise_limit`: how the organiser raises the limit `{name}`. `others`: names
        of bots that root must not run without a sandbox (see `choose`)."""
        self.sandbox: Sandbox | None = None
        """The sandbox that was chosen; None: there is none, or none is needed."""
        self.in_force = "no bot needs a sandbox"
        self.problems: dict[str, Problem] = {}
        """By the name of the bot. Empty without `collect`."""
        self.doubts: dict[str, str] = {}
        """By the name of the bot, what it may need to start and the sandbox doesn't show."""
        self._bots = bots
        self._mode: Mode = mode
        self._show = show
        self._files = files
        self._environment = environment
        self._on_notice = on_notice
        self._raise_limit = raise_limit
        self._others = others
        self._collect = collect

    def check(self, game: type[Game]) -> None:
        """Check that the bots play this game, and that their programs can be run, or those of their builds.

        Raises BotSpecError.
        """

        def check(bot: BotSpec) -> None:
            check_game(bot, game)
            if bot.build:
                check_build_program(bot)
            else:
                check_program(bot)

        self._with_each(check)

    def choose_sandbox(self) -> None:
        """Choose the sandbox, hide the bots' folders from each other, and make them safe.

        Raises SandboxError, also if the folder of a bot would break what the sandbox guarantees.
        """
        programs = [bot for bot in self._bots if bot.is_program]
        if not programs:
            return
        folders = [bot.folder.resolve() for bot in programs]
        show = [path.resolve() for path in self._show]
        self.sandbox, self.in_force = choose(self._mode, show, folders, self._others)
        if self.sandbox is not None:
            check_shown(show, "bots")
            typed = {bot.folder.resolve() for bot in programs if bot.from_command_line}
            typed -= {bot.folder.resolve() for bot in programs if not bot.from_command_line}
            self.sandbox = msgspec.structs.replace(self.sandbox, typed=frozenset(typed))
        if self._files == "image":
            problem = "there is no sandbox" if self.sandbox is None else why_no_images()
            if problem:
                raise SandboxError(f"bots can't have file systems of their own (files = image): {problem}")
            self.in_force += ". Each process has a file system of its own"
        is_usual = self.sandbox is not None and self.sandbox.is_complete and self._mode == "auto"
        self._on_notice(USUAL_SANDBOX if is_usual and self._files == "shared" else self.in_force)
        for notice in dict.fromkeys(notice for bot in programs for notice in capped_limits(bot.limits)):
            self._on_notice(notice)
        self._with_each(self._make_safe)
        for bot in self._bots:
            for name, value in bot.requested.items():
                limit = getattr(bot.limits, name)
                if value > limit:
                    how = self._raise_limit.format(name=name)
                    self._on_notice(f"{bot.name} asks for {name}={value}, but only gets {limit} (raise it with {how})")

    async def check_suspending(self) -> None:
        """Check that bots can be suspended while it is not their turn. Raises SandboxError and KeeperError."""
        if any(bot.is_program for bot in self._bots):
            with single_errors():
                async with supervise(self.sandbox) as supervisor:
                    if problem := await supervisor.cant_suspend():
                        raise SandboxError(f"bots can't be suspended here (--no-ponder): {problem}. {TO_SUSPEND}")

    def hide(
        self, folder: Path, refusal: Callable[[BotSpec], RefereeError] | None = None, *, inside: bool = False
    ) -> None:
        """Hide a folder from all bots. A bot that would see it is refused with the error that `refusal` returns:
        because the folder is shown to it, or has files that it needs; or, with `inside`, because it has files there."""
        if self.sandbox is None:
            return

        real = folder.resolve()

        def check(bot: BotSpec) -> None:
            if refusal is not None and self._would_see(bot, real, inside=inside):
                raise refusal(bot)

        self._with_each(check)
        self.sandbox = msgspec.structs.replace(self.sandbox, hide=(*self.sandbox.hide, real))

    def shows(self, bot: BotSpec, path: Path) -> bool:
        """Whether the sandbox shows this file to a bot. False without a sandbox."""
        return any(path.resolve().is_relative_to(part.resolve()) for part in self._visible(bot))

    async def build(self) -> None:
        """Run the build commands of all bots that have one, one after another; then check that all programs are there.

        Bots with the same folder, build command, environment and shown files are built once. Raises BuildError,
        BotSpecError and MachineError.
        """
        to_build = [bot for bot in self._without_problems() if bot.build]
        if to_build:
            with single_errors():
                async with supervise(self.sandbox, self._environment) as supervisor:
                    first: dict[tuple[object, ...], BotSpec] = {}
                    for bot in to_build:
                        same = first.setdefault((bot.folder, bot.build, tuple(bot.environment.items()), bot.show), bot)
                        if same is bot:
                            self._on_notice(f"building {bot.name}: {shlex.join(bot.build)}")
                            with self._errors_about(bot):
                                if await build(supervisor, bot):
                                    self._on_notice(
                                        f"{bot.name}: its build created a Git repository, which was removed"
                                    )
                        elif same.name in self.problems:
                            self.problems[bot.name] = self.problems[same.name]
        self._with_each(check_program)

    # -- one bot ----------------------------------------------------------------------------------------------

    def _without_problems(self) -> list[BotSpec]:
        return [bot for bot in self._bots if bot.name not in self.problems]

    def _with_each(self, step: Callable[[BotSpec], None]) -> None:
        """Take a step with each bot that has no problem so far."""
        for bot in self._without_problems():
            with self._errors_about(bot):
                step(bot)

    @contextlib.contextmanager
    def _errors_about(self, bot: BotSpec) -> Iterator[None]:
        """Handle the errors of a block that concerns only this bot."""
        try:
            yield
        except MachineError:
            raise
        except RefereeError as error:
            self._add_problem(bot, error)
        except OSError as error:  # its files may disappear at any time, for example through the build of another bot
            self._add_problem(bot, BotSpecError(f"{bot.name}: {error.filename or bot.folder}: {error.strerror}"))
        except Exception as error:
            # A bug, which one bot has found: it must not keep the others from being checked.
            if not self._collect:
                raise
            self._add_problem(bot, BotSpecError(f"{bot.name}: the referee can't check it: {error!r}; please report it"))

    def _add_problem(self, bot: BotSpec, error: RefereeError) -> None:
        if not self._collect:
            raise error
        self.problems[bot.name] = Problem.of(bot, error)

    def _make_safe(self, bot: BotSpec) -> None:
        """If there is a sandbox for it, repair a bot's folder after a build that was interrupted.

        Raises SandboxError if the folder would break what the sandbox guarantees, or the bot can't be run in it.
        """
        sandbox = self.sandbox
        if sandbox is None or not bot.is_program:
            return
        check_shown(bot.show, bot.name)
        link = find_symlink(bot.place)
        if link is not None:
            raise SandboxError(
                f"{bot.name}: {link} is a symbolic link, which could show a bot any folder; give {bot.folder} itself"
            )
        try:
            if sandbox.setpriv is not None and not bot.from_command_line and repair(bot.folder, range(*USERS)):
                self._on_notice(f"{bot.name}: its last build was interrupted; {bot.folder} has been made safe again")
        except UnsafeFolderError as error:
            raise SandboxError(f"{bot.name}: {error}") from None
        private = sandbox.unreadable(bot)
        if private is not None:
            raise SandboxError(f"{bot.name}: {private}")
        channel = None if bot.from_command_line else find_channel(bot.folder)
        if channel is not None:
            raise SandboxError(
                f"{bot.name}: {channel} in {bot.folder} is a pipe or a socket, through which its processes could talk "
                "about a deal; delete it"
            )
        missing = sandbox.missing_from_view(bot)
        if missing is not None:
            self.doubts[bot.name] = missing
            self._on_notice(f"{bot.name}: {missing}")

    def _visible(self, bot: BotSpec) -> set[Path]:
        """The paths that the sandbox shows to a bot, besides the system."""
        if self.sandbox is None or not bot.is_program:
            return set()
        return self.sandbox.visible(bot)

    def _would_see(self, bot: BotSpec, folder: Path, *, inside: bool) -> bool:
        seen = self._visible(bot)
        if folder in seen or (inside and any(part.resolve().is_relative_to(folder) for part in seen)):
            return True
        inner = [part for part in seen if folder in part.parents]
        named = (Path(os.path.normpath(bot.folder / word)) for word in bot.argv)
        needed = (path for path in named if folder in path.parents and is_there(path) and not is_within(path, inner))
        return is_within(folder, seen) and next(needed, None) is not None


def check_shown(paths: Iterable[Path], name: str) -> None:
    """Raise SandboxError for a path, without symbolic links, that would take the place of a part of the sandbox."""
    for path in paths:
        if path in SYSTEM_FOLDERS or path.is_relative_to(PROCESSES):
            raise SandboxError(f"{path} can't be shown to {name}: the sandbox has its own, without what it hides")
        if path.is_char_device() or path.is_block_device():
            raise SandboxError(f"{path} can't be shown to {name}: devices don't work in the sandbox")
