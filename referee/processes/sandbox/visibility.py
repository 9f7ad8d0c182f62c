"""The files and folders that a bot in the sandbox can see: its folder, and the installation of its language."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import protocol
from referee.files import find_program, find_symlink, is_folder, is_there, script_words, search_path
from referee.processes.environment import rustup_home

SYSTEM_PATHS: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
)
"""Programs and libraries, which every bot sees."""
KERNEL_FOLDERS: Final = (Path("/etc"), Path("/dev"), Path("/proc"), Path("/sys"))
"""Folders that bots see only in part, whatever their command names."""
KIT_TEMPLATES: Final = Path(__file__).parents[2] / "kits" / "templates"
"""The files of the starter kits, which a bot sees if its command names them. They are public."""
WORD: Final = re.compile(r"[\w./+-]*[\w+-]")
MAX_NAMING_TEXT: Final = 4000
"""Characters of a text that are searched for files."""
SETTINGS_ENDS: Final = ("", ".cfg", ".conf")
"""What follows the name of a program in those of its settings in /etc."""
MAX_LINKS: Final = 8
"""Maximum number of symbolic links and `#!` lines that are followed from a command to its program."""
PROGRAM_FOLDERS: Final = ("bin", "sbin", "shims", ".bin")
"""Names of folders for programs in an installation; `.bin` is npm's, in node_modules."""
SHARED_PREFIXES: Final = (".local", ".cargo")
"""Prefixes in a home that many programs share and that contain private data; only parts of them are visible."""


def visible_paths(
    argv: Sequence[str], folder: Path, *, from_command_line: bool, bot_folders: Iterable[Path] = ()
) -> set[Path]:
    """The paths that are visible to a bot: its folder, and the installation of the program that runs it.

    If the organiser typed the command (`from_command_line`), also the folders of the files that it names. A command
    from a bot.toml is not trusted: it makes only paths visible that are in the bot's folder or installed on PATH.

    A link that a bot could have created never decides what is visible: a folder that the command names is not shown if
    its path contains a symbolic link, nor an element of PATH that a link leads out of one of the `bot_folders`. Links
    from a folder on PATH that are outside of all `bot_folders` are the organiser's, and are followed.
    """
    bot_folders = tuple(bot_folders)
    program, *arguments = argv
    shared = is_shared_directory(folder)
    found = set() if shared else {folder}
    found |= {part for part in named_paths(arguments, folder, trusted=from_command_line) if find_symlink(part) is None}
    if any(str(KIT_TEMPLATES) in word for word in arguments):
        found.add(KIT_TEMPLATES)
    first = find_program(program, folder)
    if first is not None:
        roots = tuple(_path_prefixes(bot_folders))
        found |= {path for path in _installation(first, folder, MAX_LINKS) if is_within(path, roots)}
        if "/" not in program:
            found |= {path for path in _led_to(first, bot_folders, MAX_LINKS) if not is_within(path, KERNEL_FOLDERS)}
        if from_command_line and (shared or folder not in first.parents):
            # not the targets of its links and `#!` lines, which aren't trusted
            found |= {path for path in _installation_of(first) if is_within(path, roots) or find_symlink(path) is None}
        if first.parent == Path(sys.executable).parent:
            found |= _own_packages()
    return found


def _own_packages() -> set[Path]:
    """The packages of the referee, if they are outside the installation of its Python, as with `pip install -e`.

    A bot that runs with that Python may import them. Everything in them is public.
    """
    folders = {Path(__file__).parents[2], *map(Path, protocol.__path__)}
    return {folder for folder in folders if not is_within(folder, [Path(sys.prefix)])}


def named_paths(arguments: Iterable[str], folder: Path, *, trusted: bool) -> Iterator[Path]:
    """The paths that the sandbox has to show for the arguments of a command, besides the bot's folder."""
    shared = is_shared_directory(folder)
    for word in arguments:
        path = Path(os.path.normpath(folder / word))
        own = folder in path.parents and (trusted or folder.resolve() in Path(os.path.realpath(path)).parents)
        if ((own and shared) or (trusted and not own)) and is_there(path) and not is_shared_directory(path):
            yield path if is_folder(path) or is_shared_directory(path.parent) else path.parent


def unreadable_path(path: Path, shown: Iterable[Path]) -> Path | None:
    """The first part of a path, starting at the shown folder that contains it, that only its owner may read; None if
    there is none, or the path doesn't exist."""
    root = max((root for root in shown if is_within(path, [root])), key=lambda root: len(root.parts), default=path)
    steps = [part for part in (*reversed(path.parents), path) if is_within(part, [root])]
    for part in steps:
        try:
            mode = part.stat().st_mode
        except OSError:
            return None
        needed = 0o1 if part not in (path, root) else 0o5 if is_folder(part) else 0o4
        if mode & needed != needed:
            return part
    return None


def _installation(program: Path, folder: Path, hops: int) -> Iterator[Path]:
    """The folders besides the bot's own that a program needs. Follows up to `hops` links and `#!` lines."""
    if hops == 0:
        return
    if is_shared_directory(folder) or folder not in program.parents:
        yield from _installation_of(program)
        if ".cargo" in program.parts and (rustup := rustup_home()) is not None:
            yield rustup
    if program.is_symlink():
        target = Path(os.path.normpath(program.parent / program.readlink()))
        yield from _installation(target, folder, hops - 1)
        yield from _installation(program.resolve(), folder, 1)
        return
    for interpreter in interpreters(program):
        yield from _installation(interpreter, folder, hops - 1)


def _led_to(program: Path, bot_folders: Sequence[Path], hops: int) -> Iterator[Path]:
    """The installations of a program and of those to which it leads by up to `hops` links and `#!` lines, each of them
    outside of all bots' folders. Of one that is not in a folder for programs only the file, as others are private."""
    if not hops or any(is_within(place, bot_folders) for place in (program, Path(os.path.realpath(program.parent)))):
        return
    yield from _installation_of(program) if program.parent.name in PROGRAM_FOLDERS else [program]
    link = find_symlink(program)
    if link is not None:
        target = Path(os.path.normpath(link.parent / link.readlink() / program.relative_to(link)))
        yield from _led_to(target, bot_folders, hops - 1)
        return
    for interpreter in interpreters(program):
        yield from _led_to(interpreter, bot_folders, hops - 1)


def _installation_of(program: Path) -> Iterator[Path]:
    """The installation of a program: all of PREFIX for PREFIX/bin/program, unless other programs share PREFIX."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS:
        yield program if is_shared_directory(program.parent) else program.parent
    elif is_shared_directory(prefix) or prefix.name in SHARED_PREFIXES:
        yield program.parent
        if is_folder(prefix / "lib"):
            yield prefix / "lib"
    else:
        yield prefix


def _path_prefixes(bot_folders: Iterable[Path]) -> Iterator[Path]:
    """The folders of programs that the organiser installed: those on PATH, and the referee's Python."""
    for name in search_path().split(os.pathsep):
        element = Path(name)
        own = [bot for bot in bot_folders if is_within(element, [bot])]
        if name and all(is_within(Path(os.path.realpath(element)), [bot]) for bot in own):
            yield from _installation_of(element / "program")
    yield from (Path(sys.prefix), Path(sys.base_prefix))
    rustup = rustup_home()
    if rustup is not None:
        yield rustup


def is_within(path: Path, roots: Iterable[Path]) -> bool:
    return not {path, *path.parents}.isdisjoint(roots)


def interpreters(program: Path) -> Iterator[Path]:
    """The programs that the `#!` line of a script names."""
    words = script_words(program)
    names = words[:1]
    if names and Path(words[0]).name == "env":  # it runs the first word that is not an option or a variable
        names += [word for word in words[1:] if word[0] != "-" and "=" not in word][:1]
    for word in names:
        found = shutil.which(word, path=search_path())
        if found is not None:
            yield Path(found)


def named_in(text: str, folder: Path) -> Iterator[Path]:
    """The programs that a text names, such as the output of a build, what they lead to, and their settings in /etc.

    No other files: it is untrusted, and they could be private.
    """
    for word in dict.fromkeys(WORD.findall(text[-MAX_NAMING_TEXT:])):
        program = find_program(word, folder) if word.startswith("/") or "/" not in word else None
        if program is not None:
            yield from (program, program.resolve(), *(Path(f"/etc/{program.name}{end}") for end in SETTINGS_ENDS))


def is_in_system(path: Path) -> bool:
    """Whether a path is in the system's programs and libraries, which are visible to every bot."""
    return is_within(path, map(Path, SYSTEM_PATHS))


def is_shared_directory(path: Path) -> bool:
    """Whether a directory doesn't belong to one bot: a home, a parent of homes, the root, the temporary directory."""
    return path in _shared_directories(os.path.expanduser("~"), tempfile.gettempdir())  # noqa: PTH111


@cache
def _shared_directories(home: str, temporary: str) -> frozenset[Path]:
    private = (Path(home), Path(temporary), Path("/home/anybody"))
    return frozenset(chain.from_iterable((each, *each.parents) for each in private))
