"""What a path is that was given where something else is wanted, and what to type with it."""

import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from referee.files import is_folder, is_there, read_file
from referee.near_misses import nearest

MAX_READ: Final = 64 * 1024
"""Bytes of a file that are searched for what it is."""
MAX_ENTRIES: Final = 2000
"""Entries of a folder that are looked at."""
MCP_SERVER: Final = "mcp-python"
"""The folder of the sample bot that the referee doesn't start."""


def hint(path: Path, *, file: bool = False) -> str:
    """The end of an error about a path: what it is, with a command for it; or the path that was meant, which is not a
    folder if a `file` is needed; or nothing."""
    try:
        return next((f"; {text}" for text in _hints(path, file=file)), "")
    except (OSError, ValueError):  # it may not be read, or its name is not possible
        return ""


def _hints(path: Path, *, file: bool) -> Iterator[str]:
    typed = shlex.quote(str(path))
    if path.is_symlink() and not is_there(path):
        yield f"it is a symbolic link to {path.readlink()}"
    elif not is_there(path):
        beside = sorted(islice(path.parent.iterdir(), MAX_ENTRIES), key=lambda entry: entry.suffix == path.suffix)
        stems = {
            entry.stem: entry for entry in beside if not (file and is_folder(entry))
        }  # of the same stem rather one with the same suffix
        if (meant := nearest(path.stem, stems)) is not None:
            yield f"did you mean {stems[meant]}?"
    elif is_there(path / "manifest.json"):
        yield f"it is the folder of a tournament: referee tournament standings {typed}"
    elif is_there(path / "season.toml"):
        yield f"it is the folder of a season: referee season standings {typed}"
    elif is_there(path.parent / "manifest.json"):
        yield f"it is in the folder of a tournament, {path.parent}"
    elif is_there(path / "bot.toml"):
        yield f"it is the folder of a bot: referee match {typed} builtin:random"
    elif path.name == "bot.toml":
        yield f"it describes a bot: referee match {shlex.quote(str(path.parent))} builtin:random"
    elif is_record(path):
        yield f"it is the record of a game: referee record show {typed}"
    elif path.suffix == ".toml" and b"[[bot]]" in read_file(path, MAX_READ):
        played = path.with_suffix("")
        if is_there(played / "manifest.json"):
            yield f"it is a tournament file, and the folder of its tournament is {played}"
        yield f"it is a tournament file: referee tournament run {typed}"
    elif path.name == MCP_SERVER:
        yield "it is a server that a chat program starts: give tcp:9000 as the BOT (docs/bots/language-models.md)"
    elif is_folder(path):
        entries = sorted(islice(path.iterdir(), MAX_ENTRIES))
        for record in filter(is_record, entries):
            shown = shlex.quote(str(record))
            show, page = f"referee record show {shown}", "the page of a match is written by its --report"
            yield f"it has the records of a match: {show}, or referee ratings {typed}; {page}"
        bots = [str(entry) for entry in entries if is_there(entry / "bot.toml")]
        if bots:
            yield f"it has folders of bots, such as {bots[0]}"


def is_record(path: Path) -> bool:
    """Whether a path has the name of a record, and isn't a folder."""
    return path.name.endswith((".jsonl", ".jsonl.gz")) and not is_folder(path)
