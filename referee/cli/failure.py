"""The failures that a command reports to people."""

from collections.abc import Sequence

FAILED = 1
USAGE = 2
FAULTED = 3


class Failure(Exception):
    """Something a user can do something about: a message in one line, lines that show more, and the exit status."""

    def __init__(self, message: str, status: int = FAILED, more: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.more = more
