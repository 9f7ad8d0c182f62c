"""A file system of its own for each bot: an image of all files that bots see, which the keeper mounts for each process.

The kernel keys futexes, mapped pages and the page cache on a file of one mounted file system. Two mounts of erofs
straight from the same image file share none of these, so no file can carry a message from one process to another. (By
way of a loop device, or below overlayfs, they would share them.)
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from referee.errors import RefereeError
from referee.files import find_tool, is_folder
from referee.printable import printable
from referee.processes import linux
from referee.processes.sandbox.page_cache import LIST_READ_SIZE

Files = Literal["shared", "image"]
"""Whether all processes share the files of the machine, or each has a file system of its own."""
MKFS: Final = "mkfs.erofs"
FIRST_KERNEL: Final = (6, 12)
"""The first version of Linux that mounts erofs straight from a file."""
EROFS_BLOCK: Final = 4096
"""Each file takes whole blocks of an image."""
FILE_SYSTEMS: Final = Path("/proc/filesystems")
IMAGE_PROGRAM: Final = """
import sys
for name, folder in zip(("referee", "referee.processes"), sys.argv[1:]):
    sys.modules[name] = type(sys)(name)
    sys.modules[name].__path__ = [folder]
from referee.processes import linux
linux.{call}(*map(str.encode, sys.argv[3:]))
"""
"""Runs a function of linux.py in a process of its own, with the rest of the arguments."""


class ImageError(RefereeError):
    """Bots can't have file systems of their own here. The text says why."""


class FileImage(Struct, frozen=True, kw_only=True):
    """An image of the files that bots see."""

    file: Path
    mount: Path
    """The empty folder on which it is mounted, for one process at a time: each sees only its own mount."""
    sha256: str
    paths: tuple[str, ...]
    """What it contains."""

    def remove(self) -> None:
        shutil.rmtree(self.file.parent, ignore_errors=True)


def why_no_images() -> str:
    """Why bots can't have file systems of their own here; empty if they can, as far as is known without trying."""
    if not linux.IS_LINUX:
        return "only Linux has erofs"
    if os.geteuid() != 0:
        return "only root can mount it for each bot"
    version = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    if version < FIRST_KERNEL:
        return f"Linux {platform.release()} can't mount erofs from a file; {'.'.join(map(str, FIRST_KERNEL))} can"
    if "erofs" not in FILE_SYSTEMS.read_text().split():
        return "the kernel has no erofs (modprobe erofs)"
    if find_tool(MKFS) is None:
        return f"{MKFS} is not installed (apt-get install erofs-utils)"
    return ""


def make_image(paths: Iterable[str], hidden: Collection[str] = ()) -> FileImage:
    """A new image of these files and folders, without the contents of `hidden` ones. Raises ImageError.

    A path may be in a hidden folder, and the other way round. It takes about 10 s for each GB.
    """
    problem = why_no_images()
    if problem:
        raise ImageError(problem)
    folder = Path(tempfile.mkdtemp(prefix="referee-image-"))
    image = FileImage(file=folder / "files.erofs", mount=folder / "mount", sha256="", paths=tuple(sorted(paths)))
    staging = folder / "staging"
    try:
        check_room(image.paths, hidden, folder)
        image.mount.mkdir()
        staging.mkdir()
        kinds = {**dict.fromkeys(hidden, "hide"), **dict.fromkeys(image.paths, "show")}
        words = [word for path, kind in sorted(kinds.items()) for word in (kind, path)]
        _run_linux(
            "stage_and_execute", [str(staging), *words, "--", str(find_tool(MKFS)), str(image.file), str(staging)]
        )
        _run_linux("mount_image", [str(image.file), str(image.mount)])  # a trial, in its own mount namespace
        staging.rmdir()
        with image.file.open("rb") as file:
            digest = hashlib.sha256()
            while content := file.read(LIST_READ_SIZE):
                digest.update(content)
    except OSError as error:
        image.remove()
        raise ImageError(f"{error.strerror or error}") from None
    except BaseException:
        image.remove()
        raise
    return FileImage(file=image.file, mount=image.mount, sha256=digest.hexdigest(), paths=image.paths)


def check_room(paths: Iterable[str], hidden: Collection[str], folder: Path) -> None:
    """Raises ImageError if these files are larger than the room in a folder, and OSError.

    A sparse file, which takes no room where it is, takes all of its size in an image.
    """
    status = os.statvfs(folder)
    room = status.f_bavail * status.f_frsize
    total, largest = 0, (0, "")
    for path, size in sizes(paths, hidden):
        total += -(-size // EROFS_BLOCK) * EROFS_BLOCK
        largest = max(largest, (size, path))
    if total > room:
        raise ImageError(
            f"the files that bots see take {total / 1e6:,.0f} MB, and {folder.parent} has room for {room / 1e6:,.0f};"
            f" the largest is {printable(largest[1])}, with {largest[0] / 1e6:,.0f} MB"
        )


def sizes(paths: Iterable[str], hidden: Collection[str]) -> Iterator[tuple[str, int]]:
    """The sizes of files and of all that is in folders, each once; folders that can't be read have nothing."""
    waiting = [os.path.realpath(path) for path in paths]
    seen = set[str | tuple[int, int]](os.path.realpath(path) for path in hidden) - {*waiting}
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if not is_folder(Path(place)):
            with contextlib.suppress(OSError):
                yield place, os.lstat(place).st_size
            continue
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    known = (status.st_dev, status.st_ino)
                    if status.st_nlink == 1 or known not in seen:
                        yield entry.path, status.st_size
                    if status.st_nlink > 1:
                        seen.add(known)


def _run_linux(call: str, arguments: list[str]) -> None:
    """Run a function of linux.py that changes the mounts of its process. Raises ImageError."""
    here = Path(__file__).parents[1]
    command = [sys.executable, "-ISc", IMAGE_PROGRAM.format(call=call), str(here.parent), str(here), *arguments]
    done = subprocess.run(command, capture_output=True, env={}, check=False, start_new_session=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"status {done.returncode}"]
        raise ImageError(f"the image of the files can't be made or mounted: {said[-1]}")
