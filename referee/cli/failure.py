"""The exit statuses of the command, and the failures that it reports to people."""

from collections.abc import Sequence
from typing import Final

FAILED: Final = 1
USAGE: Final = 2
FAULTED: Final = 3
INTERRUPTED: Final = 130


class Failure(Exception):
    """Something a user can do something about: a message in one line, lines with details, and the exit status."""

    def __init__(self, message: str, status: int = FAILED, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.details = details
