"""The `referee` command: one module per sub-command, imported when it is used, so that `--help` is fast."""

import errno
import io
import sys
from typing import Any, Final

import typer

from referee.cli.failure import FAILED, INTERRUPTED, Failure
from referee.cli.help_page import RootGroup
from referee.cli.lazy import CommandModule, with_commands
from referee.cli.output import echo, make_stdout_lossy
from referee.version import __version__

COMMANDS: Final = {
    "match": CommandModule("referee.cli.match", "Play a match between bots and show the standings."),
    "bot": CommandModule("referee.cli.bot", "Create a bot, check it, and ask it recorded questions."),
    "tournament": CommandModule("referee.cli.tournament", "Run tournaments between many bots, from a file."),
    "season": CommandModule(
        "referee.cli.season", "Play a season: bots that come in versions, events that are due, one ranking, feedback."
    ),
    "record": CommandModule("referee.cli.record", "Show, view, verify and export game records."),
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
        "Write JSON Schema for all messages and records, and each game's decisions, observations and events.",
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
    depend on whether stdout can be written to. If it can't, that is a failure too, unless its reader has exited."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")  # a name may have characters that this terminal can't show
    output = make_stdout_lossy()
    status: Any = 0
    try:
        try:
            build_group()(prog_name="referee")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except SystemExit as end:
        status = end.code
    except Failure as failure:
        for line in (f"referee: {failure}", *failure.details):
            echo(line, err=True)
        status = failure.status
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OSError as error:
        echo_error(error)
        status = FAILED
    if output is not None and output.error is not None and output.error.errno != errno.EPIPE:
        echo_error(output.error)
        status = status or FAILED
    sys.exit(status)


def echo_error(error: OSError) -> None:
    where = "" if error.filename is None else f"{error.filename}: "
    echo(f"referee: {where}{error.strerror or error}", err=True)
