"""The folders of a match, for records and traces, and the link `latest` to the records of the newest finished one."""

import contextlib
import os
import re
import secrets
import time
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import why_not_written
from referee.record.reader import LATEST_LINK

RECORDS: Final = Path("records")
"""The folder in which a match creates a folder for its records, if none is given."""
PRIVATE: Final = 0o700
"""Records have the seed from their first line on, while other rotations of the deal are still to be played."""
TARGET: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?")
"""The name of a folder that a match has made: only a link to such a folder is ours."""


class RecordFolderError(RefereeError):
    """Records can't be written to their folder."""


class TraceFolderError(RefereeError):
    """Traces can't be written to their folder. The text says what to do."""


def record_folder(requested: Path | None) -> Path:
    """The folder for records, created if necessary.

    Raises RecordFolderError if it can't be written to or contains records, which would be overwritten.
    """
    folder = requested or RECORDS
    try:
        if requested is None:
            folder = new_folder(folder)
        if not is_free(folder):
            raise RecordFolderError(f"{folder} already holds game records")
    except OSError as error:
        raise RecordFolderError(f"can't write records to {folder}: {why_not_written(error)}") from None
    return folder


def trace_folder(folder: Path, records: Path | None) -> None:
    """Create the folder for traces if necessary.

    Raises TraceFolderError if it can't be written to, or contains traces or records.
    """
    try:
        is_taken = not is_free(folder)
        if records is not None and folder.resolve() == records.resolve():
            raise TraceFolderError(f"traces can't be kept among the records in {records}; give --trace another folder")
        if is_taken:
            raise TraceFolderError(f"{folder} already holds traces or records; give --trace another folder")
    except OSError as error:
        raise TraceFolderError(f"can't write traces to {folder}: {why_not_written(error)}") from None


def is_free(folder: Path) -> bool:
    """Create a folder if necessary, and check that files can be written to it. True if it contains no records or
    traces. Raises OSError."""
    folder.mkdir(PRIVATE, parents=True, exist_ok=True)
    if next(folder.glob("*.jsonl"), None) is not None:
        return False
    probe = folder / "0001-1.jsonl.part"
    probe.touch()
    probe.unlink()
    return True


def new_folder(parent: Path) -> Path:
    """Create a folder named after the current time, or `TIME-2` … if that exists. Raises OSError."""
    now = time.strftime("%Y-%m-%dT%H-%M-%S")
    folder, number = parent / now, 1
    while True:
        try:
            folder.mkdir(PRIVATE, parents=True)
        except FileExistsError:
            if not folder.exists():
                raise
            number += 1
            folder = parent / f"{now}-{number}"
        else:
            return folder


def link_latest(folder: Path) -> None:
    """Make `latest`, beside this folder of records, a link to it. Never raises.

    Anything else with that name is left unchanged, and where links can't be made there is none. An existing link is
    replaced in one step, so that other programs and matches always find a complete one.
    """
    link = folder.parent / LATEST_LINK
    with contextlib.suppress(OSError):  # something else is there, or no link can be made
        if not link.is_symlink():
            link.symlink_to(folder.name)
        elif TARGET.fullmatch(os.fsdecode(link.readlink())):
            made = link.with_name(f".{LATEST_LINK}-{secrets.token_hex(8)}")
            made.symlink_to(folder.name)
            try:
                made.replace(link)
            except OSError:
                made.unlink()
