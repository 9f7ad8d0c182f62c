"""Access to untrusted paths and files that never blocks, never reads without limit and raises only expected errors."""

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

TOOL_FOLDERS: Final = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Folders of system tools, searched in addition to PATH."""

START_BYTES: Final = 256
"""Bytes of a program that are searched for its `#!` line."""


class IrregularFile(OSError):
    """The path is a folder, a pipe or a device, not a regular file."""


def read_file(path: Path, max_bytes: int, *, follow: bool = True) -> bytes:
    """The first `max_bytes` bytes of a regular file. Raises OSError, and its subclass IrregularFile.

    `follow`: whether it may be a symbolic link.
    """
    # O_NONBLOCK: opening a pipe without a writer would block. The type is checked after opening, because the path could
    # be replaced between a check and the open.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            raise IrregularFile(0, f"it is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}")
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(max_bytes)
    finally:
        os.close(fd)


def read_start(path: Path, max_bytes: int = START_BYTES) -> bytes:
    """The first bytes of a regular file; none of one that can't be read."""
    try:
        return read_file(path, max_bytes)
    except OSError:
        return b""


def script_words(path: Path) -> list[str]:
    """The words of the `#!` line of a script; none of any other file, or one that can't be read."""
    start = read_start(path)
    return start[2:].split(b"\n")[0].decode(errors="replace").split() if start.startswith(b"#!") else []


def write_file(path: Path | str, data: bytes, dir_fd: int | None = None) -> None:
    """Write a regular file in a folder that may be somebody else's, over an earlier one, but not through a link.

    Raises OSError, and its subclass IrregularFile.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666, dir_fd=dir_fd)
    with os.fdopen(fd, "wb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise IrregularFile(0, "it is not a regular file, or it has several names")
        file.truncate()
        file.write(data)


def why_not_written(error: OSError) -> str:
    """Why something can't be written to a folder, or a folder not be made."""
    return f"{error.filename} is not a folder" if isinstance(error, FileExistsError) else error.strerror or str(error)


def is_special(path: Path) -> bool:
    """Whether the path is a pipe, a socket or a device, also through a link."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_there(path: Path) -> bool:
    """Whether the path exists. False if the path is too long or in a folder that can't be searched."""
    return os.path.exists(path)  # noqa: PTH110 (`Path.exists` raises there)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder. False if it is in a folder that can't be searched."""
    return os.path.isdir(path)  # noqa: PTH112 (`Path.is_dir` raises there)


def is_socket(path: Path) -> bool:
    """Whether the path is a Unix socket. False if it is in a folder that can't be searched."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 (as above)
    except OSError:
        return False


def search_path(path: str | None = None) -> str:
    """PATH, or `path`, without relative and empty elements, which would resolve to a bot's folder."""
    path = os.environ.get("PATH", os.defpath) if path is None else path
    return os.pathsep.join(element for element in path.split(os.pathsep) if element.startswith("/"))


def find_program(program: str, folder: Path, path: str | None = None) -> Path | None:
    """The executable that a command run in `folder` starts: from PATH, unless `program` has a slash. None: not found.

    `path` is searched instead of PATH; relative elements are ignored in both.
    """
    found = shutil.which(folder / program if "/" in program else program, path=search_path(path))
    return None if found is None else Path(os.path.normpath(folder / found))


def find_tool(name: str, avoid: Iterable[Path] = ()) -> str | None:
    """The absolute path of a system tool, from PATH or TOOL_FOLDERS. None: not found.

    Tools in the folders `avoid` are skipped, whether by their own path or through a symbolic link.
    """
    avoid = tuple(avoid)
    for element in dict.fromkeys((*search_path().split(os.pathsep), *TOOL_FOLDERS)):
        tool = Path(element, name)
        real = Path(os.path.realpath(tool))
        places = {tool, *tool.parents, real, *real.parents}
        if element and os.access(tool, os.X_OK) and not is_folder(tool) and places.isdisjoint(avoid):
            return str(tool)
    return None


def find_symlink(path: Path) -> Path | None:
    """The first part of an absolute path that is a symbolic link, if any. Links directly below the root don't count."""
    parts = [*reversed(path.parents), path]
    return next((part for part in parts[2:] if os.path.islink(part)), None)  # noqa: PTH114 (never raises)
