"""The `referee` command: one module per sub-command, imported when it is used, so that `--help` is fast."""

import errno
import io
import signal
import sys
from collections.abc import Sequence
from typing import Any, Final

import typer

from referee.cli.failure import FAILED, INTERRUPTED, UNREAD, Failure
from referee.cli.help_page import RootGroup
from referee.cli.lazy import CommandModule, import_quickly, with_commands
from referee.cli.output import echo, make_stdout_lossy
from referee.version import __version__

JSON: Final = "--json"
ERROR_OBJECT: Final = "referee.cli.error_object"
COMMANDS: Final = {
    "match": CommandModule("referee.cli.match", "Play a match between bots and show the standings."),
    "bot": CommandModule("referee.cli.bot", "Create a bot, check it, and ask it recorded questions."),
    "tournament": CommandModule("referee.cli.tournament", "Run tournaments between many bots, from a file."),
    "season": CommandModule(
        "referee.cli.season", "Play a season: bots that come in versions, events that are due, one ranking, feedback."
    ),
    "record": CommandModule("referee.cli.record", "Show, view, review, verify and export game records."),
    "ratings": CommandModule(
        "referee.cli.ratings",
        "Rate bots in one fit over the games of several tournaments and matches, and rank them over several games.",
    ),
    "sandbox": CommandModule("referee.cli.sandbox", "Test the guarantees of the sandbox on this machine."),
    "games": CommandModule(
        "referee.cli.games", "List the games and their options (for --set), with ranges and defaults."
    ),
    "game": CommandModule("referee.cli.game", "Write a package with a game of your own."),
    "schema": CommandModule(
        "referee.cli.schema",
        "Write JSON Schema for messages, records, each game's decisions, observations and events, and output as JSON.",
    ),
}

app = typer.Typer(
    name="referee",
    cls=RootGroup,
    help="Referee and tournament runner for bots that play board games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """Referee and tournament runner for bots that play board games."""
    if show:
        echo(f"referee {__version__}")
        raise typer.Exit


def build_group() -> Any:
    """The `referee` command with all sub-commands, none of them imported yet."""
    return with_commands(typer.main.get_command(app), COMMANDS)


def main() -> None:
    """Run the command line. Every failure that a user can cause ends in a message and an exit status, which don't
    depend on whether stdout can be written to. If it can't, that is a failure too, without a message if its reader has
    exited. With `--json` a command that has printed nothing prints the failure as an object."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")  # a name may have characters that this terminal can't show
    output = make_stdout_lossy()
    group = build_group()
    status: Any = 0
    message = ""
    details: Sequence[str] = ()
    try:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            group(prog_name="referee")
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        status, message = end.code, group.usage_error
    except Failure as failure:
        status, message, details = failure.status, str(failure), failure.details
        for line in (f"referee: {message}", *details):
            echo(line, err=True)
    except KeyboardInterrupt:
        status, message = INTERRUPTED, "interrupted"
        echo(f"referee: {message}", err=True)
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        status, message = FAILED, f"{where}{error.strerror or error}"
        echo(f"referee: {message}", err=True)
    if status and JSON in sys.argv and output is not None and not output.is_used:
        import_quickly(ERROR_OBJECT).echo_error_object(group, status, message, details)
    lost = None if output is None else output.error
    if lost is not None and lost.errno == errno.EPIPE:
        status = status or UNREAD
    elif lost is not None:
        echo(f"referee: can't write to standard output: {lost.strerror}", err=True)
        status = status or FAILED
    sys.exit(status)
