"""The sandbox: running bots in bubblewrap.

In the sandbox a bot can read the system's programs and libraries, its own folder and the installation of its language.
It can write to a private /tmp of limited size. Nothing else is visible: no home, no other bots, no records, no network,
no other processes. A filter refuses the system calls that bots don't need. docs/security.md has the whole list.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.files import find_program, is_folder, is_socket, is_there, search_path
from referee.processes.environment import PRIVATE_TMP
from referee.processes.launch import FILTER_OPTION, Command, Launch
from referee.processes.limits.process_limits import MIB, ProcessLimits, kernel_limits, max_processes
from referee.processes.sandbox.image import FileImage, make_image
from referee.processes.sandbox.proc_view import confine, covers, static_copies
from referee.processes.sandbox.seccomp import compile_filter
from referee.processes.sandbox.user_ids import USERS, user_ids
from referee.processes.sandbox.visibility import (
    KERNEL_FOLDERS,
    SYSTEM_PATHS,
    interpreters,
    is_in_system,
    is_shared_directory,
    is_within,
    named_in,
    named_paths,
    unreadable_path,
    visible_paths,
)

NAMESPACES: Final = (
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    *("--hostname", "sandbox"),
    *("--cap-drop", "ALL"),
    "--new-session",
    "--die-with-parent",
    "--clearenv",
    *("--setenv", "PATH", "/usr/bin:/bin"),
)
USER_NAMESPACE: Final = "--unshare-user"
DISABLE_USERNS: Final = "--disable-userns"
"""Forbids user namespaces inside the sandbox, as the filter also does; needs bubblewrap 0.8.0 or newer."""
CHANGE_USER: Final = (
    *("--cap-add", "CAP_SETUID"),
    *("--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_SETPCAP"),
)
"""For a referee that runs as root: the capabilities that setpriv needs to change the user. It then drops them."""
PRIVILEGES: Final = (
    "--clear-groups",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--ambient-caps=-all",
    "--no-new-privs",
)
ETC_FILES: Final = (
    "alternatives",
    "ld.so.*",
    "localtime",
    "timezone",
    "passwd",
    "group",
    "nsswitch.conf",
    "mime.types",
    "fonts",
    "ssl/certs",
    "ssl/openssl.cnf",
    "ca-certificates*",
    "locale.*",
    "java*",
    "python*",
    "perl",
    "php",
    "R",
    "mono",
    "dotnet",
    "ghc*",
)
"""Patterns of files in /etc that programs need. None of them is private to its owner."""
HARDWARE_FOLDERS: Final = ("/sys/devices/system/cpu",)
SHARED_MEMORY_MB: Final = 64
"""MiB of /dev/shm."""
WRAPPER_PROCESSES: Final = 2
"""Processes of bubblewrap that count as the bot's. They are subtracted from the kernel's limit, so that the kernel
refuses a surplus process before the referee kills the bot for it."""
OUTER_WRAPPER: Final = ("/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', "sh")
READY_FD: Final = 5
FILTER_FD: Final = 9
"""The descriptor on which bubblewrap reads the filter of system calls."""
INNER_WRAPPER: Final = (
    "/bin/sh",
    "-c",
    'ulimit -p "$0" 2>/dev/null || ulimit -u "$0" || exit 126; '
    'while [ "$1" != -- ]; do export "$1" || exit 126; shift; done; shift; '
    f'{{ echo >&{READY_FD}; }} 2>/dev/null; exec "$@" <&3 >&4 3<&- 4>&- {READY_FD}>&-',
)
"""The bot's pipes are passed through bubblewrap as descriptors 3 and 4, which bubblewrap closes. If they were its
standard streams, it would hold them open, and the referee would not notice when the bot closes them. A line on READY_FD
says that the sandbox has been set up and that the bot's program is executed next: earlier failures are not the bot's.

The first argument limits the processes and threads of the bot: `ulimit -p` in dash and BusyBox, `-u` in other shells.
Then come variables up to `--`, and the command."""
EXPORTABLE: Final = re.compile(r"(?!(UID|EUID|PPID|IFS|OPTIND|SHELLOPTS|BASH\w*)=)[A-Za-z_]\w*=", re.ASCII)
"""A variable that every shell exports and that none treats as its own."""
WRAPPER_ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin"}
ENV_PROGRAM: Final = "/usr/bin/env"
SHOW_IT: Final = "show it to bots (--show, or show in a tournament file)"


class SandboxError(RefereeError):
    """The requested sandbox doesn't work here, or can't protect this bot. The text says why."""


class Sandbox(Struct, frozen=True, kw_only=True):
    """The settings for running bots in bubblewrap on this machine."""

    bwrap: str = "/usr/bin/bwrap"
    setpriv: str | None = None
    """If the referee runs as root: the program that gives each bot its own user id. None: bots run as the referee's
    user, in a user namespace."""
    users: tuple[int, int] = USERS
    """The range of user ids for bots, in the form of USERS."""
    filtered: bool = True
    """Whether there is a filter of system calls for this processor."""
    disable_userns: bool = True
    landlock: str | None = None
    """The perl that hides what /proc tells about processes, where the kernel has Landlock. None: nothing does."""
    image: FileImage | None = None
    """If given, each process sees a mount of its own of this image instead of the files themselves."""
    show: tuple[Path, ...] = ()
    """Additional files and folders that are visible to all bots."""
    hide: tuple[Path, ...] = ()
    """Folders of records and of bots; a bot sees only its own. Without symbolic links."""
    typed: frozenset[Path] = frozenset()
    """Those of `hide` that belong to no author: the organiser typed a command there."""

    def share(self, part: int, parts: int) -> "Sandbox":
        """The same sandbox with a part of the user ids, for one of several processes of the referee."""
        first, end = self.users
        size = (end - first) // parts
        return msgspec.structs.replace(self, users=(first + part * size, first + (part + 1) * size))

    def new_user(self) -> int | None:
        """A user id for one process; None if bots run as the referee's user."""
        return None if self.setpriv is None else user_ids(self.users).new()

    # -- what a bot sees ----------------------------------------------------------------------------------

    def visible(self, bot: Command) -> set[Path]:
        """The paths that are visible to this bot, besides the system."""
        bot_folders = [path for path in self.hide if path not in self.typed]
        own = visible_paths(bot.argv, bot.folder, from_command_line=bot.from_command_line, bot_folders=bot_folders)
        return own.union(self.show, bot.show)

    def shown_files(self, bots: Iterable[Command]) -> list[str]:
        """The files and folders that the sandboxes of these bots show, without links and those in other ones."""
        paths = {Path(os.path.realpath(path)) for path in (*SYSTEM_PATHS, *_settings())}
        for bot in bots:
            paths |= {Path(os.path.realpath(path)) for path in self.visible(bot)}
        return sorted(str(path) for path in paths if not paths.intersection(path.parents))

    def make_image(self, bots: Iterable[Command]) -> FileImage:
        """An image of all files that the sandboxes of these bots show. Raises ImageError."""
        return make_image(self.imaged_paths(bots), [str(path) for path in self.hide])

    def imaged_paths(self, bots: Iterable[Command]) -> list[str]:
        seen = {str(path) for bot in bots for path in self.visible(bot) if not is_socket(path)}
        return sorted({*seen, *_settings(), *(name for name in SYSTEM_PATHS if not Path(name).is_symlink())})

    def missing_from_view(self, bot: Command) -> str | None:
        """A message if this bot can't see something that it needs, with what to do; None if nothing is missing."""
        argv, folder = bot.argv, bot.folder
        seen = (*self.visible(bot), *map(Path, SYSTEM_PATHS))
        program = find_program(argv[0], folder)
        programs = () if program is None else (program, *interpreters(program))
        places = (place for path in programs for place in (path, path.resolve()))
        hidden = next((place for place in places if not is_within(place, seen)), None)
        if hidden is not None:
            return f"its program {hidden} is not shown in the sandbox; put its folder on PATH, or {SHOW_IT}"
        for path in named_paths(argv[1:], folder, trusted=bot.from_command_line):
            if not is_within(path, seen):
                return f"{path} is reached by a symbolic link, so the sandbox doesn't show it; name {path.resolve()}"
        covering = set(_hidden_in(seen, self.hide)).difference(seen)
        for word in argv[1:]:
            path = Path(os.path.normpath(folder / word))
            if not os.path.isfile(path):  # noqa: PTH113 (never raises)
                continue
            if not is_within(path, (*seen, *KERNEL_FOLDERS)):
                return f"{path} is outside of its folder, so the sandbox hides it: put it in {folder}, or {SHOW_IT}"
            innermost = next((part for part in path.parents if part in covering or part in seen), None)
            if innermost in covering:
                hidden_here = f"the sandbox hides {path}, as {innermost} belongs to another bot or to records"
                return f"{hidden_here}: give this bot a folder of its own, or {SHOW_IT}"
        if is_shared_directory(folder) and not is_within(folder, (*self.show, *bot.show)):
            shown = f"the sandbox shows only the files in {folder} that its command names"
            return f"{shown}; put the bot in a folder, or {SHOW_IT}"
        return None

    def hidden_from(self, command: Command, text: str) -> str | None:
        """A message about a program, or settings of it, that this command or its output names and that the sandbox
        doesn't show; None if there is none."""
        seen = (*self.visible(command), *map(Path, (*SYSTEM_PATHS, *_settings())))
        named = named_in(f"{shlex.join(command.argv)}\n{text}", command.folder)
        found = next((path for path in named if not is_within(path, seen) and is_there(path)), None)
        return None if found is None else f"the sandbox doesn't show {found}: {SHOW_IT}"

    @property
    def is_complete(self) -> bool:
        """Whether it has all parts that a sandbox can have on any machine."""
        return self.filtered and self.landlock is not None

    def unreadable(self, bot: Command) -> str | None:
        """A message if bots run as their own users and this one may not read its files; None if it may."""
        if self.setpriv is None:
            return None
        seen = (*self.visible(bot), *map(Path, SYSTEM_PATHS))
        program = find_program(bot.argv[0], bot.folder)
        named = (Path(os.path.normpath(bot.folder / word)) for word in bot.argv[1:])
        needed = (bot.folder, *self.show, *bot.show, *(() if program is None else (program,)), *named)
        for path in needed:
            if is_within(path, seen) and (private := unreadable_path(path, seen)) is not None:
                return (
                    f"only its owner may read {private}. As the referee runs as root, bots run as their own users: "
                    "allow others to read it (chmod -R o+rX), or run the referee as an ordinary user"
                )
        return None

    # -- the command --------------------------------------------------------------------------------------

    def wrap(
        self,
        command: Command,
        limits: ProcessLimits,
        variables: Mapping[str, str],
        *,
        writable: bool = False,
        user: int | None = None,
    ) -> Launch:
        """The launch of a command with these environment variables inside the sandbox.

        `writable`: it may write to the folder, for a build. `user`: the user id if it is not a new one; only if bots
        have their own.
        """
        argv, folder = command.argv, command.folder
        if writable:
            self = msgspec.structs.replace(self, image=None)  # noqa: PLW0642 (a build sees the files themselves)
            _view.cache_clear()  # the build may put links where there were folders
        user = self.new_user() if user is None else user
        view = _view(self, Command(argv, folder, command.from_command_line, command.show), writable, search_path())
        tasks = max_processes(limits.processes) - WRAPPER_PROCESSES
        compiled = compile_filter() if self.filtered else None
        return Launch(
            argv=(
                *OUTER_WRAPPER,
                self.bwrap,
                *self._isolation(),
                *(() if user is None else CHANGE_USER),
                *_system(self.source, self.landlock is not None),
                *_scratch(limits),
                *view,
                *("--remount-ro", "/proc"),
                *("--remount-ro", "/dev"),
                *("--remount-ro", "/"),
                *("--chdir", str(folder)),
                "--",
                *(() if user is None else (str(self.setpriv), f"--reuid={user}", f"--regid={user}", *PRIVILEGES)),
                *(() if self.landlock is None else confine(self.landlock, _readable(view))),
                *INNER_WRAPPER,
                str(tasks),
                *_with_variables(variables, argv),
            ),
            folder=folder,
            environment=WRAPPER_ENVIRONMENT,
            limits=kernel_limits(limits),
            image=None if self.image is None or writable else (str(self.image.file), str(self.image.mount)),
            files={**({} if compiled is None else {FILTER_FD: compiled}), **static_copies()},
            user=user,
            inner=find_program(argv[0], folder),
            ready_fd=READY_FD,
        )

    @property
    def source(self) -> str:
        """What comes before the path of a file that is shown, where the sandbox is made."""
        return "" if self.image is None else str(self.image.mount)

    def _isolation(self) -> Iterator[str]:
        if self.setpriv is None:
            yield USER_NAMESPACE
            if self.disable_userns:
                yield DISABLE_USERNS
        yield from NAMESPACES
        if self.filtered:
            yield from (FILTER_OPTION, str(FILTER_FD))


@lru_cache(maxsize=256)
def _view(sandbox: Sandbox, command: Command, writable: bool, _path: str) -> tuple[str, ...]:
    """The arguments for visible and hidden paths, outer folders first. They depend on PATH too."""
    return tuple(_mounts(sandbox.visible(command), sandbox.hide, command.folder, sandbox.source, writable=writable))


def _mounts(visible: set[Path], hide: Iterable[Path], folder: Path, source: str, *, writable: bool) -> Iterator[str]:
    shown = {part for part in visible if part == folder or not is_in_system(part)}
    # Bubblewrap would follow a link to where nothing may be shown yet, and with its folder a link is shown as it is.
    shown -= {part for part in shown if part.is_symlink() and is_within(part.parent, shown)}
    covered = [*map(Path, SYSTEM_PATHS), *shown]
    hidden = set(_hidden_in(covered, hide)) - shown
    if writable:  # hide the whole subfolder: a build could move a writable parent of a hidden folder
        hidden = {folder / path.relative_to(folder).parts[0] if folder in path.parents else path for path in hidden}
    made: set[Path] = {Path("/"), Path(PRIVATE_TMP)}
    for path in sorted(shown | hidden):
        yield from _parents(path, [part for part in covered if part != path], hidden, made)
        if path in hidden:
            yield from ("--tmpfs", str(path))
        else:
            where = "" if is_socket(path) else source  # an image of files has no sockets
            yield from ("--bind" if writable and path == folder else "--ro-bind", f"{where}{path}", str(path))
    for path in sorted(hidden):
        yield from ("--remount-ro", str(path))
    # A build must not add hooks to a repository, nor decide how it is built and started next time.
    for path in (folder / ".git", folder / "bot.toml") if writable else ():
        if is_there(path) and not path.is_symlink():
            yield from ("--ro-bind", str(path), str(path))


def _hidden_in(visible: Iterable[Path], hide: Iterable[Path]) -> Iterator[Path]:
    """The paths of hidden folders inside visible ones, which may be reached by symbolic links."""
    roots = [(root, Path(os.path.realpath(root))) for root in visible]
    for path in filter(is_folder, hide):
        for root, real in roots:
            if real in path.parents:
                yield root / path.relative_to(real)


def _parents(path: Path, shown: Iterable[Path], hidden: set[Path], made: set[Path]) -> Iterator[str]:
    """The arguments that make the parents of a path, readable for every user, unless they are in a shown folder."""
    for parent in reversed(path.parents):
        covers = [part for part in (*shown, *hidden) if is_within(parent, [part])]
        cover = max(covers, key=lambda part: len(part.parts), default=None)
        if parent not in made and (cover is None or (cover in hidden and parent != cover)):
            made.add(parent)
            yield from _folder(parent)


def _with_variables(variables: Mapping[str, str], argv: Sequence[str]) -> Iterator[str]:
    """The last arguments of INNER_WRAPPER: a command, and the variables that are set for it.

    They are not set earlier: LD_PRELOAD would make setpriv run the bot's code while it still has its privileges.
    """
    words = [f"{name}={value}" for name, value in variables.items()]
    exported = [word for word in words if EXPORTABLE.match(word)]
    others = [word for word in words if not EXPORTABLE.match(word)]
    yield from (*exported, "--")
    if others:
        yield from (ENV_PROGRAM, "--", *others)
        if "=" in argv[0]:  # which env(1) would take for a variable
            yield from ("/bin/sh", "-c", 'exec "$@"', "sh")
    yield from argv


@cache
def _system(source: str, landlock: bool) -> Sequence[str]:
    """The arguments for the parts of the system that are visible to every bot."""
    words: list[str] = []
    shown = [name for name in SYSTEM_PATHS if Path(name).is_dir() or Path(name).is_symlink()]
    settings = _settings()
    parents = {parent for name in (*shown, *settings, *HARDWARE_FOLDERS) for parent in Path(name).parents}
    for parent in sorted(parents - {Path("/")}):
        words += _folder(parent)
    for name in shown:
        is_link = Path(name).is_symlink()
        words += ("--symlink", str(Path(name).readlink()), name) if is_link else ("--ro-bind", source + name, name)
    for name in settings:
        words += ("--ro-bind-try", source + name, name)
    for name in HARDWARE_FOLDERS:
        words += ("--ro-bind-try", name, name)
    return [*words, "--proc", "/proc", *covers(landlock=landlock)]


def _settings() -> list[str]:
    """The files and folders of /etc that every bot sees."""
    return [str(path) for pattern in ETC_FILES for path in sorted(Path("/etc").glob(pattern))]


def _readable(view: Sequence[str]) -> set[str]:
    """The folders at the top of the sandbox, except /proc, in which a bot with these arguments may read files."""
    paths = (Path(word) for word in (*SYSTEM_PATHS, *view) if word.startswith("/"))
    return {"/etc", "/dev", "/sys", PRIVATE_TMP, *("/" + path.parts[1] for path in paths if len(path.parts) > 1)}


def _folder(path: Path) -> tuple[str, ...]:
    """The arguments that create a folder that every user may read: bubblewrap would create it for its own user only."""
    return ("--perms", "0755", "--dir", str(path))


def _scratch(limits: ProcessLimits) -> Iterator[str]:
    yield from ("--dev", "/dev")
    # no terminals: the machine has a limited number of them, for all its users
    yield from ("--perms", "0755", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
    yield from ("--size", str(SHARED_MEMORY_MB * MIB), "--perms", "1777", "--tmpfs", "/dev/shm")
    yield from ("--size", str(limits.tmp_mb * MIB), "--perms", "1777", "--tmpfs", PRIVATE_TMP)
