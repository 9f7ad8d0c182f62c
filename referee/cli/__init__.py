"""The `referee` command: one module per sub-command."""

import contextlib
import io
import os
import sys

import typer

from referee.cli import games, match, record, schema
from referee.cli.failure import FAILED, Failure

INTERRUPTED = 130

app = typer.Typer(
    name="referee",
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

        typer.echo(f"referee {referee.__version__}")
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
        typer.echo(f"referee: {failure}", err=True)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say, and nobody to say it to.
        drop_output()
        sys.exit(FAILED)
    except OSError as error:
        drop_output()
        where = "" if error.filename is None else f"{error.filename}: "
        typer.echo(f"referee: {where}{error.strerror or error}", err=True)
        sys.exit(FAILED)


def drop_output() -> None:
    """Let go of output that can't be written any more."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
