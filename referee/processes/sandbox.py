"""Bubblewrap around a bot: what a bot can see of the machine, and whether bubblewrap works here.

A sandboxed bot sees the system's programs and libraries, its own folder and the installation of its language, all
read-only, and may write to a private /tmp of limited size. It sees nothing else: no home, no other bots, no records,
no network, no process but its own.
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
"""What programs need of /etc, and nothing that only its owner may read."""
DEVICES: Final = ("/sys/devices/system/cpu",)
SHARED_MEMORY_MB: Final = 64
"""MiB of /dev/shm."""
MAX_LINKS: Final = 8
"""How many links, or scripts that name an interpreter, are followed from a command to what runs it."""
WRAPPER_PROCESSES: Final = 2
"""How many of a bot's processes are bubblewrap's own, so that the kernel refuses one too many before the referee
kills the bot for it."""
OUTER_WRAPPER: Final = ("/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', "sh")
INNER_WRAPPER: Final = ("/bin/sh", "-c", 'exec "$@" <&3 >&4 3<&- 4>&-', "sh")
"""The bot's pipes go through bubblewrap as descriptors 3 and 4, which it closes. As its own standard streams it would
hold them open as long as it runs, and the referee would not notice that the bot has closed them."""
PROBE_TIMEOUT: Final = 10.0
SHARED_PREFIXES: Final = (".local", ".cargo")
"""Prefixes in a home that many programs share, with private data of theirs: shown in part only."""


class SandboxError(RefereeError):
    """The sandbox that was asked for doesn't work here; says why."""


class Sandbox(Struct, frozen=True, kw_only=True):
    """How bots are run in bubblewrap here: what is shown to all of them, and what is hidden from all."""

    show: tuple[Path, ...] = ()
    hide: tuple[Path, ...] = ()
    """Folders of bots, each of which is shown to its own bot only, and of records."""
    disable_userns: bool = True
    count_tasks: bool = False
    """Whether the kernel limits processes and threads of each bot; it doesn't for root."""

    def hiding(self, folder: Path) -> "Sandbox":
        """This sandbox with one more folder hidden."""
        return msgspec.structs.replace(self, hide=(*self.hide, folder.resolve()))

    def missing_from_view(self, argv: Sequence[str], folder: Path, *, from_command_line: bool) -> str | None:
        """What this bot needs and the sandbox does not show, and what to do about it; None if nothing is missing."""
        program = find_program(argv[0], folder)
        seen = (*visible_paths(argv, folder, from_command_line=from_command_line), *self.show, *map(Path, SYSTEM))
        places = () if program is None else (program, program.resolve())
        hidden = next((place for place in places if not _is_within(place, seen)), None)
        if hidden is not None:
            return f"its program {hidden} is not shown in the sandbox; put its folder on PATH, or use --show"
        if _is_shared_directory(folder) and not _is_within(folder, self.show):
            return f"of {folder} the sandbox shows only what its command names; put the bot in a folder, or use --show"
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

        `from_command_line`: the organiser typed the command (see `visible_paths`). `writable`: the bot may write to its
        folder, for a build.
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
            *INNER_WRAPPER,
            *counted,
            *argv,
        ]

    def _view(self, own: set[Path], folder: Path, *, writable: bool) -> Iterator[str]:
        """What is shown and hidden, outer folders first."""
        shown = {part for part in (*own, *self.show) if part == folder or not _is_in_system(part)}
        covered = [*map(Path, SYSTEM), *shown]
        hidden = {
            path for path in self.hide if path not in shown and is_folder(path) and _is_within(path.parent, covered)
        }
        if writable:  # all that is beside something hidden, for what can be written to can be put elsewhere
            hidden = {folder / path.relative_to(folder).parts[0] if folder in path.parents else path for path in hidden}
        for path in sorted(shown | hidden):
            if path in hidden:
                yield from ("--tmpfs", str(path))
            else:
                yield from ("--bind" if writable and path == folder else "--ro-bind", str(path), str(path))
        for path in sorted(hidden):
            yield from ("--remount-ro", str(path))
        hooks = folder / ".git"
        if writable and is_folder(hooks) and not hooks.is_symlink():  # or the organiser's next `git` would run its own
            yield from ("--ro-bind", str(hooks), str(hooks))


def choose(mode: Mode, show: Iterable[Path] = (), hide: Iterable[Path] = ()) -> tuple[Sandbox | None, str]:
    """The sandbox for bots, if any, and a line that says what is in force. Raises SandboxError."""
    if mode == "none":
        return None, f"sandbox: none, as you asked. {NO_SANDBOX}"
    probed, problem = probe()
    if probed is not None:
        return msgspec.structs.replace(probed, show=tuple(show), hide=tuple(hide)), IN_SANDBOX
    if mode == "bwrap":
        raise SandboxError(f"--sandbox bwrap: {problem}")
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
    """A sandbox that works here, or why there is none. It is tried, for many systems have bubblewrap but forbid it."""
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
    """The arguments for what every bot sees of the machine."""
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
    """Devices, and the directories that can be written to."""
    yield from ("--dev", "/dev")
    yield from ("--size", str(SHARED_MEMORY_MB * MIB), "--perms", "1777", "--tmpfs", "/dev/shm")
    yield from ("--size", str(limits.tmp_mb * MIB), "--perms", "1777", "--tmpfs", PRIVATE_TMP)


def visible_paths(argv: Sequence[str], folder: Path, *, from_command_line: bool) -> set[Path]:
    """What the sandbox shows of a bot: its folder, and the installation of the program that runs it.

    If the organiser typed the command (`from_command_line`), also the folders of the files that it names. A command
    from a bot.toml is not trusted: what it names is shown only if it lies in the bot's folder or is reached by PATH.
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
            found |= set(_installation_of(first))  # not what its links and `#!` lines lead to: those come with the file
    return found


def _installation(program: Path, folder: Path, hops: int) -> Iterator[Path]:
    """The folders that a program needs to run besides the bot's own, following links and `#!` lines up to `hops`."""
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
    """A program and what is installed with it: all of PREFIX for PREFIX/bin/program, unless others share PREFIX."""
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
    """Where the organiser's own programs are installed: those on PATH, and the referee's Python."""
    for name in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(name).is_absolute():
            yield from _installation_of(Path(name) / "program")
    yield from (Path(sys.prefix), Path(sys.base_prefix))
    rustup = rustup_home()
    if rustup is not None:
        yield rustup


def _is_within(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a path is one of these folders or lies below one."""
    return any(path == root or root in path.parents for root in roots)


def _interpreters(program: Path) -> Iterator[Path]:
    """The programs that run a script, by its `#!` line."""
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
    """Whether a path is among the programs and libraries that every bot sees."""
    return _is_within(path, map(Path, SYSTEM))


def _is_shared_directory(path: Path) -> bool:
    """Whether a directory holds much more than a bot: a home or all homes, the root, the one for temporary files."""
    private = (Path(os.path.expanduser("~")), Path(tempfile.gettempdir()), Path("/home/anybody"))  # noqa: PTH111
    return any(path == each or path in each.parents for each in private)
