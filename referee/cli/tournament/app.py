"""The `referee tournament` group, to which each module of this package adds its commands."""

import typer

app = typer.Typer(
    help="Run tournaments between many bots, from a file.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def tournament() -> None:
    """Run tournaments between many bots, from a file."""
    # Without this Typer would take a group of a single command for that command.
