"""The `referee` command: one module per sub-command, imported when it is used, so that `--help` is fast."""

import importlib
import io
import sys
from typing import Any, Final

import typer
from typer.core import TyperCommand

from referee.cli.failure import FAILED, INTERRUPTED, Failure
from referee.cli.output import SafeGroup, discard, echo
from referee.version import __version__

COMMANDS: Final = {
    "match": "Play a match between bots and show the standings.",
    "bot": "Begin a bot, check it, and put recorded questions to it.",
    "tournament": "Run tournaments between many bots, from a file.",
    "record": "Show and verify game records.",
    "sandbox": "Try what the sandbox for bots protects on this machine, and show it.",
    "games": "List the games and their options (for --set), with ranges and defaults.",
    "schema": "Write JSON Schema for all messages and records, and each game's decisions, observations and events.",
}
"""Each command with its help in one line. Its module in this package has an `app` and is imported when it runs."""

app = typer.Typer(
    name="referee",
    cls=SafeGroup,
    help="Referee and tournament runner for bots that play board games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class LazyCommand(TyperCommand):
    """Stands for a command in the list of commands. The real command is imported when it is run."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        return load_command(str(self.name)).make_context(*args, **kwargs)


def load_command(name: str) -> Any:
    """The command with this name in COMMANDS, imported."""
    return typer.main.get_command(importlib.import_module(f"referee.cli.{name}").app)


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
    group: Any = typer.main.get_command(app)
    for name, summary in COMMANDS.items():
        group.commands[name] = LazyCommand(name, help=summary)
    return group


def main() -> None:
    """Run the command line. Every failure that a user can cause ends in a message and an exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name may have characters that this terminal can't show
    try:
        try:
            build_group()()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except Failure as failure:
        for line in (f"referee: {failure}", *failure.details):
            echo(line, err=True)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the output has exited
        discard(sys.stdout)
        sys.exit(FAILED)
    except OSError as error:
        discard(sys.stdout)
        where = "" if error.filename is None else f"{error.filename}: "
        echo(f"referee: {where}{error.strerror or error}", err=True)
        sys.exit(FAILED)
