"""The exit statuses of the command, and the exception for failures that it reports to the user."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.errors import RefereeError

FAILED: Final = 1
USAGE: Final = 2
FAULTED: Final = 3
REJECTED: Final = 4
UNDECIDED: Final = 5
INTERRUPTED: Final = 130


class Failure(Exception):
    """A failure to report to the user: a message of one line, further lines with details, and the exit status."""

    def __init__(self, message: str, status: int = FAILED, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.details = details


@contextmanager
def reported(*usage: type[RefereeError]) -> Iterator[None]:
    """Every RefereeError of the block as a Failure; those of the kinds `usage` as wrong usage."""
    try:
        yield
    except RefereeError as error:
        raise Failure(str(error), USAGE if isinstance(error, usage) else FAILED) from None


@contextmanager
def writing(path: Path, hint: str = "") -> Iterator[None]:
    """Every OSError of the block as a Failure to write a file. `hint`: what to do."""
    try:
        yield
    except OSError as error:
        raise Failure(f"can't write {path}: {error.strerror}{hint}") from None
