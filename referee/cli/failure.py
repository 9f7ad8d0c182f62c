"""The exit statuses of all commands, and the exception for failures that they report to the user."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import why_not_written

FAILED: Final = 1
USAGE: Final = 2
FAULTED: Final = 3
REJECTED: Final = 4
UNDECIDED: Final = 5
INTERRUPTED: Final = 130
UNREAD: Final = 128 + signal.SIGPIPE
STATUSES: Final = {
    0: "success",
    FAILED: "it failed",
    USAGE: "wrong usage",
    FAULTED: "a bot committed a fault, or failed a check or a replay",
    REJECTED: "--sprt: reject",
    UNDECIDED: "--sprt: undecided",
    INTERRUPTED: "interrupted, and what is finished is kept",
    UNREAD: "nobody reads standard output any more",
}


def exit_statuses(*own: int, faulted: str = STATUSES[FAULTED]) -> str:
    """The end of the help of a command that has these statuses besides those of all commands. `faulted`: what FAULTED
    means there."""
    meanings = STATUSES | {FAULTED: faulted}
    every = {0, FAILED, USAGE, INTERRUPTED, UNREAD, *own}
    return "Exit status: " + "; ".join(f"{status} {meaning}" for status, meaning in meanings.items() if status in every)


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
        raise Failure(f"can't write {path}: {why_not_written(error)}{hint}") from None
