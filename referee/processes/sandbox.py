"""The sandbox: running bots in bubblewrap, and checking whether bubblewrap works here.

In the sandbox a bot can read the system's programs and libraries, its own folder and the installation of its language.
It can write to a private /tmp of limited size. Nothing else is visible: no home, no other bots, no records, no network,
no other processes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.files import find_program, is_folder, is_there, read_file
from referee.processes.environment import PRIVATE_TMP, rustup_home
from referee.processes.limits import MIB, ProcessLimits

Mode = Literal["auto", "bwrap", "none"]

PROGRAM: Final = "bwrap"
NAMESPACES: Final = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    *("--hostname", "sandbox"),
    *("--cap-drop", "ALL"),
    "--new-session",
    "--die-with-parent",
)
DISABLE_USERNS: Final = "--disable-userns"
"""Forbids user namespaces inside the sandbox; bubblewrap has this option from 0.8.0 on."""
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
"""Programs and libraries."""
SETTINGS: Final = (
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
DEVICES: Final = ("/sys/devices/system/cpu",)
SHARED_MEMORY_MB: Final = 64
"""MiB of /dev/shm."""
MAX_LINKS: Final = 8
"""Maximum number of symbolic links and `#!` lines that are followed from a command to its program."""
WRAPPER_PROCESSES: Final = 2
"""Processes of bubblewrap that count as the bot's. They are subtracted from the kernel's limit, so that the kernel
refuses a process too many before the referee kills the bot for it."""
OUTER_WRAPPER: Final = ("/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', "sh")
READY_FD: Final = 5
INNER_WRAPPER: Final = ("/bin/sh", "-c", f'echo >&{READY_FD}; exec "$@" <&3 >&4 3<&- 4>&- {READY_FD}>&-', "sh")
"""The bot's pipes are passed through bubblewrap as descriptors 3 and 4, which bubblewrap closes. If they were its
standard streams, it would hold them open, and the referee would not notice when the bot closes them. A
line on READY_FD says that the sandbox has been set up and that the bot's program is executed next: what fails before is
not its doing."""
PROBE_TIMEOUT: Final = 10.0
SHOW_IT: Final = "show it to bots (--show, or show in a tournament file)"
SHARED_PREFIXES: Final = (".local", ".cargo")
"""Prefixes in a home that many programs share and that contain private data; only parts of them are visible."""


class SandboxError(RefereeError):
    """The requested sandbox doesn't work here. The text says why."""


class Sandbox(Struct, frozen=True, kw_only=True):
    """How bots are run in bubblewrap here."""

    show: tuple[Path, ...] = ()
    """Additional files and folders that are visible to all bots."""
    hide: tuple[Path, ...] = ()
    """Folders of records, and of bots, each of which is visible to its own bot only. Without symbolic links."""
    disable_userns: bool = True
    count_tasks: bool = False
    """Whether the kernel limits the processes and threads of each bot. It can't if the referee runs as root."""

    def hiding(self, folder: Path) -> "Sandbox":
        """The same sandbox with one more hidden folder."""
        return msgspec.structs.replace(self, hide=(*self.hide, folder.resolve()))

    def missing_from_view(self, argv: Sequence[str], folder: Path, *, from_command_line: bool) -> str | None:
        """A message about what this bot needs and can't see, with what to do about it; None if nothing is missing."""
        program = find_program(argv[0], folder)
        seen = (*visible_paths(argv, folder, from_command_line=from_command_line), *self.show, *map(Path, SYSTEM))
        places = () if program is None else (program, program.resolve())
        hidden = next((place for place in places if not _is_within(place, seen)), None)
        if hidden is not None:
            return f"its program {hidden} is not shown in the sandbox; put its folder on PATH, or {SHOW_IT}"
        if _is_shared_directory(folder) and not _is_within(folder, self.show):
            return f"of {folder} the sandbox shows only what its command names; put the bot in a folder, or {SHOW_IT}"
        return None

    def wrap(
        self,
        argv: Sequence[str],
        folder: Path,
        limits: ProcessLimits,
        *,
        from_command_line: bool = False,
        writable: bool = False,
    ) -> list[str]:
        """The command line that runs `argv` in `folder` inside the sandbox.

        `from_command_line`: the organiser typed the command (see `visible_paths`). `writable`: the command may write to
        the folder, for a build.
        """
        counted = ["prlimit", f"--nproc={limits.processes - WRAPPER_PROCESSES}", "--"] if self.count_tasks else []
        return [
            *OUTER_WRAPPER,
            PROGRAM,
            *NAMESPACES,
            *((DISABLE_USERNS,) if self.disable_userns else ()),
            *_system(),
            *_scratch(limits),
            *self._view(visible_paths(argv, folder, from_command_line=from_command_line), folder, writable=writable),
            *("--remount-ro", "/dev"),
            *("--remount-ro", "/"),
            *("--chdir", str(folder)),
            "--",
            *counted,
            *INNER_WRAPPER,
            *argv,
        ]

    def _view(self, own: set[Path], folder: Path, *, writable: bool) -> Iterator[str]:
        """The arguments for visible and hidden paths, outer folders first. `own`: the paths visible to this bot."""
        shown = {part for part in (*own, *self.show) if part == folder or not _is_in_system(part)}
        hidden = set(self._hidden_in([*map(Path, SYSTEM), *shown])) - shown
        if writable:  # hide the whole subfolder: a build could move a writable parent of a hidden folder
            hidden = {folder / path.relative_to(folder).parts[0] if folder in path.parents else path for path in hidden}
        for path in sorted(shown | hidden):
            if path in hidden:
                yield from ("--tmpfs", str(path))
            else:
                yield from ("--bind" if writable and path == folder else "--ro-bind", str(path), str(path))
        for path in sorted(hidden):
            yield from ("--remount-ro", str(path))
        hooks = folder / ".git"
        if writable and is_folder(hooks) and not hooks.is_symlink():  # a build must not add hooks to it
            yield from ("--ro-bind", str(hooks), str(hooks))

    def _hidden_in(self, visible: Iterable[Path]) -> Iterator[Path]:
        """The places of hidden folders inside of visible ones, which may be reached by symbolic links."""
        roots = [(str(root.resolve()).rstrip("/") + "/", root) for root in visible]
        for path in map(str, self.hide):
            for prefix, root in roots:
                if path.startswith(prefix) and is_folder(Path(path)):
                    yield root / path.removeprefix(prefix)


def choose(mode: Mode, show: Iterable[Path] = (), hide: Iterable[Path] = ()) -> tuple[Sandbox | None, str]:
    """The sandbox for bots, if any, and a notice that says what is in force. Raises SandboxError."""
    if mode == "none":
        return None, f"sandbox: none, as you asked. {NO_SANDBOX}"
    probed, problem = probe()
    if probed is not None:
        return msgspec.structs.replace(probed, show=tuple(show), hide=tuple(hide)), IN_SANDBOX
    if mode == "bwrap":
        raise SandboxError(f"sandbox bwrap: {problem}")
    return None, f"sandbox: none ({problem}). {NO_SANDBOX}"


IN_SANDBOX: Final = (
    "sandbox: bubblewrap. In force: no network, no other processes, no files but the system and the bot's own, all "
    "read-only, a private /tmp, a clean environment, limits. Not in force: a filter of system calls"
)
NO_SANDBOX: Final = (
    "In force: a clean environment, limits. Not in force: bots can read and write your files, use the network, and "
    "see and kill your processes"
)


def probe() -> tuple[Sandbox | None, str]:
    """A sandbox that works here, or None and the reason. It is tried out: some systems forbid bubblewrap."""
    if shutil.which(PROGRAM) is None:
        return None, "bubblewrap is not installed"
    count_tasks = os.geteuid() != 0 and shutil.which("prlimit") is not None
    problem = ""
    for disable_userns in (True, False):
        sandbox = Sandbox(disable_userns=disable_userns, count_tasks=count_tasks)
        try:
            command = sandbox.wrap(["true"], Path("/usr"), ProcessLimits())
            subprocess.run(command, check=True, capture_output=True, timeout=PROBE_TIMEOUT, stdin=subprocess.DEVNULL)
        except subprocess.CalledProcessError as error:
            problem = f"bubblewrap doesn't work here: {error.stderr.decode(errors='replace').strip()}"
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = f"bubblewrap doesn't work here: {error}"
        else:
            return sandbox, ""
    return None, problem


@cache
def _system() -> tuple[str, ...]:
    """The arguments for the parts of the system that are visible to every bot."""
    return tuple(_binds())


def _binds() -> Iterator[str]:
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), name)
        elif path.is_dir():
            yield from ("--ro-bind", name, name)
    for pattern in SETTINGS:
        for path in sorted(Path("/etc").glob(pattern)):
            yield from ("--ro-bind-try", str(path), str(path))
    for name in DEVICES:
        yield from ("--ro-bind-try", name, name)
    yield from ("--proc", "/proc")


def _scratch(limits: ProcessLimits) -> Iterator[str]:
    """The arguments for devices and writable directories."""
    yield from ("--dev", "/dev")
    yield from ("--size", str(SHARED_MEMORY_MB * MIB), "--perms", "1777", "--tmpfs", "/dev/shm")
    yield from ("--size", str(limits.tmp_mb * MIB), "--perms", "1777", "--tmpfs", PRIVATE_TMP)


def visible_paths(argv: Sequence[str], folder: Path, *, from_command_line: bool) -> set[Path]:
    """The paths that are visible to a bot: its folder, and the installation of the program that runs it.

    If the organiser typed the command (`from_command_line`), also the folders of the files that it names. A command
    from a bot.toml is not trusted: it makes only paths visible that are in the bot's folder or installed on PATH.
    """
    program, *arguments = argv
    shared = _is_shared_directory(folder)
    found = set() if shared else {folder}
    for word in arguments:
        path = Path(os.path.normpath(folder / word))
        own = folder in path.parents and (from_command_line or folder.resolve() in path.resolve().parents)
        if ((own and shared) or (from_command_line and not own)) and is_there(path) and not _is_shared_directory(path):
            found.add(path if is_folder(path) or _is_shared_directory(path.parent) else path.parent)
    first = find_program(program, folder)
    if first is not None:
        roots = tuple(_path_prefixes())
        found |= {path for path in _installation(first, folder, MAX_LINKS) if _is_within(path, roots)}
        if from_command_line and (shared or folder not in first.parents):
            found |= set(_installation_of(first))  # not the targets of its links and `#!` lines, which aren't trusted
    return found


def _installation(program: Path, folder: Path, hops: int) -> Iterator[Path]:
    """The folders besides the bot's own that a program needs. Follows up to `hops` links and `#!` lines."""
    if hops == 0:
        return
    if _is_shared_directory(folder) or folder not in program.parents:
        yield from _installation_of(program)
        if ".cargo" in program.parts and (rustup := rustup_home()) is not None:
            yield rustup
    if program.is_symlink():
        target = Path(os.path.normpath(program.parent / program.readlink()))
        yield from _installation(target, folder, hops - 1)
        yield from _installation(program.resolve(), folder, 1)
        return
    for interpreter in _interpreters(program):
        yield from _installation(interpreter, folder, hops - 1)


def _installation_of(program: Path) -> Iterator[Path]:
    """The installation of a program: all of PREFIX for PREFIX/bin/program, unless other programs share PREFIX."""
    prefix = program.parent.parent
    if program.parent.name not in ("bin", "sbin", "shims"):
        yield program if _is_shared_directory(program.parent) else program.parent
    elif _is_shared_directory(prefix) or prefix.name in SHARED_PREFIXES:
        yield program.parent
        if is_folder(prefix / "lib"):
            yield prefix / "lib"
    else:
        yield prefix


def _path_prefixes() -> Iterator[Path]:
    """The folders of programs that the organiser installed: those on PATH, and the referee's Python."""
    for name in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(name).is_absolute():
            yield from _installation_of(Path(name) / "program")
    yield from (Path(sys.prefix), Path(sys.base_prefix))
    rustup = rustup_home()
    if rustup is not None:
        yield rustup


def _is_within(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a path is one of these folders or inside one."""
    return any(path == root or root in path.parents for root in roots)


def _interpreters(program: Path) -> Iterator[Path]:
    """The programs that the `#!` line of a script names."""
    try:
        start = read_file(program, 256)
    except OSError:
        return
    words = start[2:].split(b"\n")[0].decode(errors="replace").split() if start.startswith(b"#!") else []
    interpreters = words[:1]
    if interpreters and Path(words[0]).name == "env":  # it runs the first word that is not an option or a variable
        interpreters += [word for word in words[1:] if word[0] != "-" and "=" not in word][:1]
    for word in interpreters:
        found = shutil.which(word)
        if found is not None:
            yield Path(found)


def _is_in_system(path: Path) -> bool:
    """Whether a path is in the system's programs and libraries, which are visible to every bot."""
    return _is_within(path, map(Path, SYSTEM))


def _is_shared_directory(path: Path) -> bool:
    """Whether a directory is not specific to a bot: a home, a parent of homes, the root, the temporary directory."""
    private = (Path(os.path.expanduser("~")), Path(tempfile.gettempdir()), Path("/home/anybody"))  # noqa: PTH111
    return any(path == each or path in each.parents for each in private)
