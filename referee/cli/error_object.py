"""What a command prints with `--json` if it fails and has nothing else to print."""

import shlex
import sys
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from referee.cli.failure import USAGE
from referee.cli.json_output import echo_json
from referee.cli.lazy import LazyCommand
from referee.reports.next_steps import NextStep


class CommandError(Struct, frozen=True, kw_only=True):
    """Why a command has failed."""

    message: str
    """As on standard error."""
    details: Sequence[str]
    """Further lines, such as the output of a build."""
    status: int
    """The exit status."""


class ErrorObject(Struct, frozen=True, kw_only=True):
    """What a command with `--json` prints if it fails and has nothing else to print."""

    error: CommandError
    next: list[NextStep]


def echo_error_object(group: Any, status: int, message: str, details: Sequence[str]) -> None:
    """Write the object to stdout. `group`: the `referee` command."""
    words = [word for word, _ in command_path(group, sys.argv[1:])]
    help_page = NextStep(command=shlex.join(["referee", *words, "--help"]), why="see how the command is called")
    error = CommandError(message=message, details=details, status=status)
    echo_json(ErrorObject(error=error, next=[help_page] if status == USAGE else []))
    sys.stdout.flush()


def command_path(group: Any, arguments: Sequence[str]) -> list[tuple[str, Any]]:
    """The words at the beginning of a command line that call a command, each with the group or command that it is."""
    found: list[tuple[str, Any]] = []
    for word in arguments:
        command = getattr(group, "commands", {}).get(word)
        if command is None:
            break
        group = command.load() if isinstance(command, LazyCommand) else command
        found.append((word, group))
    return found
