"""One hash over all files of a bot, so that a bot that has changed is noticed.

It is the SHA-256 of one line per file, in the order of the bytes of their paths, each line ending with LF:

    KIND SHA256 PATH

KIND is `file`, `executable` (its owner may execute it), `link` or `special` (a pipe, a socket, a device). SHA256 is
that of the contents; of the target for a link, which is never followed; of nothing for a special file. PATH is relative
to the bot's folder, with `/`; a backslash in it is written `\\\\` and an end of line `\\n`. Folders as such don't
count, so an empty one makes no difference. Left out, with all that is in them, every file or folder named in CACHES.

A bot that is a command line has no folder of its own. Its lines are `word`, the SHA-256 of the word and the word for
each word of the command, in their order; after a word that is the program or an existing file, the line of that file.
"""

import contextlib
import hashlib
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from referee.bots.bot_spec import BotSpec
from referee.errors import RefereeError
from referee.files import find_program

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


class BotFilesError(RefereeError):
    """The files of a bot can't be hashed: too many, too large, or unreadable. The text says which bot and file."""


def hash_bot(bot: BotSpec, exclude: Collection[Path] = (), max_bytes: int = MAX_BYTES) -> str | None:
    """The hash of a bot's files as they are now; None if the referee starts no program of it. Raises BotFilesError.

    `exclude`: absolute paths that are not files of the bot, such as a tournament's folder inside its own.
    """
    return hashlib.sha256(b"".join(bot_lines(bot, exclude, max_bytes))).hexdigest() if bot.is_program else None


def bot_lines(bot: BotSpec, exclude: Collection[Path] = (), max_bytes: int = MAX_BYTES) -> Iterator[bytes]:
    """The lines that are hashed. Raises BotFilesError."""
    with errors_about(bot):
        yield from _command_lines(bot) if bot.from_command_line else tree_lines(bot.folder, exclude, max_bytes)


def bot_files(bot: BotSpec, exclude: Collection[Path] = ()) -> Iterator[tuple[bytes, bytes]]:
    """All files that are hashed, in any order: their names in the lines, and their paths. Raises BotFilesError."""
    with errors_about(bot):
        if not bot.from_command_line:
            yield from _walk(bot.folder, exclude)
        else:
            yield from ((word, path) for word, path in _command_files(bot) if path is not None)


@contextlib.contextmanager
def errors_about(bot: BotSpec) -> Iterator[None]:
    """Raise BotFilesError for the errors of a block that reads the files of a bot."""
    try:
        yield
    except OSError as error:
        where = "its files" if error.filename is None else os.fsdecode(error.filename)
        raise BotFilesError(
            f"{bot.name}: can't read {where}: {error.strerror}; files of bots are hashed, so that changes are noticed"
        ) from None
    except TooMuch as error:
        raise BotFilesError(
            f"{bot.name}: {bot.folder} has over {error}; move what the bot doesn't need out of it"
        ) from None


def tree_lines(folder: Path, exclude: Collection[Path] = (), max_bytes: int = MAX_BYTES) -> Iterator[bytes]:
    """The lines of all files in a folder. Raises OSError, and TooMuch.

    Of a sparse file the bytes count, and not what it takes on the disk, as they are read, and sent to other machines.
    """
    left = max_bytes
    for name, path in tree_files(folder, exclude):
        line, size = _file_line(path, name, left, max_bytes)
        left -= size
        yield line


def tree_files(folder: Path, exclude: Collection[Path] = ()) -> list[tuple[bytes, bytes]]:
    """All files in a folder that are hashed, in their order: their names in it and their paths.

    Raises OSError, and TooMuch.
    """
    return sorted(_walk(folder, exclude))


def _walk(folder: Path, exclude: Collection[Path]) -> Iterator[tuple[bytes, bytes]]:
    left_out = {os.fsencode(path) for path in exclude}
    found = 0
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
                    found += 1
                    yield prefix + entry.name, entry.path
                if found + len(waiting) > MAX_HASHED_FILES:
                    raise TooMuch(f"{MAX_HASHED_FILES:,} files")


class TooMuch(Exception):
    """There are more files, or larger ones, than are hashed. The text says how many are allowed."""


def _command_lines(bot: BotSpec) -> Iterator[bytes]:
    left = MAX_BYTES
    for word, path in _command_files(bot):
        yield _line("word", hashlib.sha256(word).hexdigest(), word)
        if path is not None:
            line, size = _file_line(path, word, left, MAX_BYTES)
            left -= size
            yield line


def _command_files(bot: BotSpec) -> Iterator[tuple[bytes, bytes | None]]:
    """Each word of a command, with the path of the file that it names."""
    for position, word in enumerate(bot.argv):
        path = find_program(word, bot.folder) if position == 0 else bot.folder / word
        is_file = path is not None and os.path.isfile(path)  # noqa: PTH113 (`is_file` raises if it is not a file name)
        yield os.fsencode(word), os.fsencode(path.resolve()) if path is not None and is_file else None


def _file_line(path: bytes, name: bytes, left: int, max_bytes: int) -> tuple[bytes, int]:
    """The line of a file, and its size. `left`: what the files before it have left of `max_bytes`."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return _line("link", hashlib.sha256(os.readlink(path)).hexdigest(), name), 0  # noqa: PTH115 (bytes)
    if not stat.S_ISREG(status.st_mode):
        return _line("special", hashlib.sha256().hexdigest(), name), 0
    if status.st_size > left:
        raise TooMuch(f"{max_bytes >> 30} GiB")
    digest = hashlib.sha256()
    # It may have been replaced by a link or a pipe since it was checked.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        unread = status.st_size
        while unread and (chunk := file.read(min(HASH_READ_BYTES, unread))):
            digest.update(chunk)
            unread -= len(chunk)
    kind = "executable" if status.st_mode & stat.S_IXUSR else "file"
    return _line(kind, digest.hexdigest(), name), status.st_size


def _line(kind: str, digest: str, name: bytes) -> bytes:
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    return f"{kind} {digest} ".encode() + escaped + b"\n"
