"""The lines over which the hash of a bot's files is made; `tournaments.event.store.bot_files` describes them."""

import hashlib
import inspect
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from referee.bots.bot_spec import BotSpec
from referee.files import find_program
from referee.games import Game

CACHES: Final = frozenset(
    (
        "__pycache__", ".cache", ".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle",
        ".DS_Store",
    )
)  # fmt: skip
"""Names of files and folders that change without a change of the bot. `.cache` includes `node_modules/.cache`."""
MAX_HASHED_FILES: Final = 200_000
MAX_BYTES: Final = 64 << 30
HASH_READ_BYTES: Final = 1 << 20


def hash_sources(folder: Path) -> str:
    """The hash of a folder with source files of the referee itself."""
    return hashlib.sha256(b"".join(tree_lines(folder))).hexdigest()


def hash_rules(game: type[Game]) -> str:
    """The hash of the source files of a game's package."""
    return hash_sources(Path(inspect.getfile(game)).parent)


def tree_lines(folder: Path, exclude: Collection[Path] = ()) -> Iterator[bytes]:
    """The lines of all files in a folder. Raises OSError, and TooMuch."""
    left = MAX_BYTES
    for name, path in tree_files(folder, exclude):
        line, size = _file_line(path, name, left)
        left -= size
        yield line


def tree_files(folder: Path, exclude: Collection[Path] = ()) -> list[tuple[bytes, bytes]]:
    """All files in a folder that are hashed, in their order: their names in it and their paths.

    Raises OSError, and TooMuch.
    """
    left_out = {os.fsencode(path) for path in exclude}
    found: list[tuple[bytes, bytes]] = []
    waiting = [(os.fsencode(folder), b"")]
    while waiting:
        place, prefix = waiting.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if os.fsdecode(entry.name) in CACHES or entry.path in left_out:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, prefix + entry.name + b"/"))
                else:
                    found.append((prefix + entry.name, entry.path))
                if len(found) + len(waiting) > MAX_HASHED_FILES:
                    raise TooMuch(f"{MAX_HASHED_FILES:,} files")
    return sorted(found)


class TooMuch(Exception):
    """There are more files, or larger ones, than are hashed. The text says how many are allowed."""


def command_lines(bot: BotSpec) -> Iterator[bytes]:
    """The lines of a bot that is a command line. Raises OSError, and TooMuch."""
    left = MAX_BYTES
    for position, word in enumerate(bot.argv):
        text = os.fsencode(word)
        yield _line("word", hashlib.sha256(text).hexdigest(), text)
        path = find_program(word, bot.folder) if position == 0 else bot.folder / word
        if path is not None and os.path.isfile(path):  # noqa: PTH113 (`is_file` raises if a word is not a file name)
            line, size = _file_line(os.fsencode(path.resolve()), text, left)
            left -= size
            yield line


def _file_line(path: bytes, name: bytes, max_bytes: int) -> tuple[bytes, int]:
    """The line of a file, and its size."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return _line("link", hashlib.sha256(os.readlink(path)).hexdigest(), name), 0  # noqa: PTH115 (bytes)
    if not stat.S_ISREG(status.st_mode):
        return _line("special", hashlib.sha256().hexdigest(), name), 0
    if status.st_size > max_bytes:
        raise TooMuch(f"{MAX_BYTES >> 30} GiB")
    digest = hashlib.sha256()
    # It may have been replaced by a link or a pipe since it was checked.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        left = status.st_size
        while left and (chunk := file.read(min(HASH_READ_BYTES, left))):
            digest.update(chunk)
            left -= len(chunk)
    kind = "executable" if status.st_mode & stat.S_IXUSR else "file"
    return _line(kind, digest.hexdigest(), name), status.st_size


def _line(kind: str, digest: str, name: bytes) -> bytes:
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    return f"{kind} {digest} ".encode() + escaped + b"\n"
