"""What bots wrote to their standard error, as it is kept beside the records of their games."""

from pathlib import Path
from typing import Final

from referee.files import read_file
from referee.record.reader import RECORD_SUFFIXES

MAX_STDERR_READ: Final = 1024 * 1024
"""Bytes that are read of a file with standard error; the referee writes fewer."""


def stem(record: Path) -> str:
    name = record.name
    return next((name.removesuffix(suffix) for suffix in RECORD_SUFFIXES if name.endswith(suffix)), name)


def read_stderr(record: Path, players: int) -> list[bytes]:
    """What bots wrote to their standard error, by seat: beside the record, or where a tournament keeps it."""
    texts = []
    for seat in range(players):
        texts.append(b"")
        for folder in (record.parent, record.parent.parent / "stderr"):
            try:
                # not through a link: it could lead to a file of the reader's, and the page may be sent to others
                texts[-1] = read_file(folder / f"{stem(record)}.seat{seat}.stderr", MAX_STDERR_READ, follow=False)
            except OSError:
                continue
            break
    return texts
