"""The `referee bot` group, to which each module of this package adds its commands."""

import typer

app = typer.Typer(
    help="Begin a bot, check it, and put recorded questions to it.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def bot() -> None:
    """Begin a bot, check it, and put recorded questions to it."""
    # Without this Typer would take a group of a single command for that command.
