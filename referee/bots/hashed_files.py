"""The files of a bot since they were hashed: what is hashed is what runs.

Hashing takes long, so that it is done once. At each start of a process names, inodes, sizes, times and modes are
compared instead, and the files are hashed again only where these differ.
"""

import contextlib
import hashlib
import heapq
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, structs

from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import MAX_BYTES, BotFilesError, bot_files, errors_about, hash_bot
from referee.bots.languages import SUFFIXES, is_interpreter
from referee.errors import RefereeError
from referee.printable import sanitise

PROGRAM_SUFFIXES: Final = frozenset(suffix.removeprefix(".").encode() for suffix in SUFFIXES).union(
    b"sh so dylib exe wasm pyd h hpp jl hs ml zig nim jsx tsx scala rkt ex exs erl d".split()
)
"""Of files with source or machine code."""
MAX_READABLE_BYTES: Final = 1 << 30
"""Of a bot in a match, which is not to wait for more."""
HASH_ATTEMPTS: Final = 3
"""How often files are hashed that change meanwhile."""
TICK_NS: Final = 20_000_000
"""Two changes of a file within this time may have the same time: file systems count the ticks of the kernel's clock."""
MAX_NAMED_FILES: Final = 3


class FilesChangedError(RefereeError):
    """A process was started from other files than those that were hashed. The text says of which bot, and which."""


class HashedFiles(Struct, frozen=True, kw_only=True):
    """The files of a bot as they were hashed."""

    sha256: str | None
    """See `files_hash`. None: it is not known, as they are too large to be hashed in a match, or keep changing."""
    program: str = ""
    """A sum of hashes of names, inodes, sizes, times and modes of the files of its program; empty: they are to be
    hashed at the next start."""
    others: str = ""
    """The same of its other files, which it may write itself."""
    changed: int = 0
    """The time of the last change of any of them, in nanoseconds."""
    exclude: tuple[Path, ...] = ()
    """As in `hash_bot`."""
    strict: bool = False
    """Whether a change of any file counts, not only of its program."""
    fixed: bool = False
    """Whether a copy of them runs that nobody can change."""
    recorded: str | None = None
    """The hash that records name, which on a machine of a cluster is that of the files on the director's machine."""


class _Seen(NamedTuple):
    program: str
    others: str
    changed: int


def hashed_files(
    bot: BotSpec, exclude: Collection[Path] = (), *, strict: bool = False, max_bytes: int = MAX_BYTES
) -> HashedFiles:
    """Hash the files of a bot that is a program.

    Raises BotFilesError, and FilesChangedError if they change meanwhile. Unless `strict` they have no hash instead if
    they are larger than `max_bytes`, or if only others than those of its program change.
    """
    seen = _look(bot, exclude)
    for _ in range(HASH_ATTEMPTS):
        age = time.time_ns() - seen.changed
        if 0 <= age < TICK_NS:
            time.sleep((TICK_NS - age) / 1e9)  # or a change right after this would go unnoticed
        try:
            sha256 = hash_bot(bot, exclude, max_bytes)
        except BotFilesError:
            if strict:
                raise
            sha256 = None
        before, seen = seen, _look(bot, exclude)
        if seen == before:
            break
    else:
        if strict or seen.program != before.program:
            raise FilesChangedError(f"{bot.name}: files in {bot.folder} change while they are hashed")
        sha256 = None
    return HashedFiles(sha256=sha256, **seen._asdict(), exclude=tuple(exclude), strict=strict, recorded=sha256)


def readable_files(bots: Iterable[BotSpec], exclude: Collection[Path] = ()) -> dict[str, HashedFiles]:
    """The files of the bots of a match, by name; not of those that can't be read. Raises FilesChangedError."""
    found = {}
    for bot in bots:
        if bot.is_program:
            with contextlib.suppress(BotFilesError):
                found[bot.name] = hashed_files(bot, exclude, max_bytes=MAX_READABLE_BYTES)
    return found


def check_files(bot: BotSpec, known: HashedFiles) -> HashedFiles:
    """Compare the files of a bot with those that were hashed. Returns them, without `sha256` if files have changed that
    the bot may have written itself. Raises FilesChangedError."""
    if known.fixed:
        return known
    try:
        seen = _look(bot, known.exclude)
        if (seen.program, seen.others) == (known.program, known.others):
            return known
        if known.sha256 is not None:
            now = hashed_files(bot, known.exclude, strict=known.strict)
            if now.sha256 == known.sha256:
                return structs.replace(now, recorded=known.recorded)
    except BotFilesError as error:
        raise FilesChangedError(f"{error}, as it could when they were hashed") from None
    if known.strict or seen.program != known.program:
        names = changed_names(bot, known, only_program=not known.strict)
        what = f"{names} in {bot.folder} changed" if names else f"files in {bot.folder} are missing or different"
        raise FilesChangedError(f"{bot.name}: {what} after its files were hashed, so another version would play")
    return structs.replace(known, **seen._asdict(), sha256=None, recorded=None)


def changed_names(bot: BotSpec, known: HashedFiles, *, only_program: bool = False) -> str:
    """The names of the first files that were changed later than all of `known`; empty if there are none."""
    names = [
        name
        for name, status, is_program in _files(bot, known.exclude)
        if status.st_ctime_ns > known.changed and is_program >= only_program
    ]
    more = f" and {len(names) - MAX_NAMED_FILES} more" if len(names) > MAX_NAMED_FILES else ""
    return ", ".join(sanitise(os.fsdecode(name)) for name in heapq.nsmallest(MAX_NAMED_FILES, names)) + more


def _look(bot: BotSpec, exclude: Collection[Path]) -> _Seen:
    # A sum, as to sort the names of many files would hold up the clocks of games: this is done at each start.
    sums, changed = [0, 0], 0
    for name, status, is_program in _files(bot, exclude):
        parts = name, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
        changed = max(changed, status.st_ctime_ns)
        sums[is_program] += int.from_bytes(hashlib.sha256(repr(parts).encode()).digest())
    others, program = (f"{total:x}" for total in sums)
    return _Seen(program, others, changed)


def _files(bot: BotSpec, exclude: Collection[Path]) -> Iterator[tuple[bytes, os.stat_result, bool]]:
    """The files of a bot: their names, and whether they are of its program. Raises BotFilesError."""
    started = set(_started(bot))
    with errors_about(bot):
        for name, path in bot_files(bot, exclude):
            try:
                status = os.lstat(path)
            except FileNotFoundError:  # it has just gone
                continue
            _, dot, suffix = name.rpartition(b"/")[2].rpartition(b".")
            is_executable = stat.S_ISREG(status.st_mode) and bool(status.st_mode & stat.S_IXUSR)
            yield name, status, name in started or (suffix in PROGRAM_SUFFIXES if dot else is_executable)


def _started(bot: BotSpec) -> Iterator[bytes]:
    """The names of its program, and of the script that an interpreter runs."""
    first, *rest = bot.argv
    files = (word for word in rest if os.path.isfile(bot.folder / word))  # noqa: PTH113 (`is_file` raises for code)
    script = [*islice(files, 1)] if is_interpreter(first) else []
    for word in (first, *script):
        yield os.fsencode(word if bot.from_command_line else os.path.normpath(word))
