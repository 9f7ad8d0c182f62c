"""The `referee` command: one module per sub-command."""

import io
import sys

import typer

from referee.cli import games, match, record, schema
from referee.cli.failure import FAILED, Failure
from referee.cli.output import Commands, drop, say

INTERRUPTED = 130

app = typer.Typer(
    name="referee",
    cls=Commands,
    help="Referee and tournament runner for bots that play board games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("match")(match.match)
app.command("games")(games.games)
app.command("schema")(schema.schema)
app.add_typer(record.app, name="record")


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """Referee and tournament runner for bots that play board games."""
    if show:
        import referee

        say(f"referee {referee.__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; every failure that a user can cause ends in one clear message."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name may have characters that nobody can show here
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except Failure as failure:
        for line in (f"referee: {failure}", *failure.more):
            say(line, err=True)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say, and nobody to say it to.
        drop(sys.stdout)
        sys.exit(FAILED)
    except OSError as error:
        drop(sys.stdout)
        where = "" if error.filename is None else f"{error.filename}: "
        say(f"referee: {where}{error.strerror or error}", err=True)
        sys.exit(FAILED)
