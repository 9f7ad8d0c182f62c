"""The failures that a command reports to people."""

FAILED = 1
USAGE = 2
FAULTED = 3


class Failure(Exception):
    """Something a user can do something about: a message, and the exit status."""

    def __init__(self, message: str, status: int = FAILED) -> None:
        super().__init__(message)
        self.status = status
