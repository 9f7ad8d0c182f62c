"""The `referee bot` group, to which each module of this package adds its commands."""

import typer

app = typer.Typer(
    help="Create a bot, check it, and ask it recorded questions.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def bot() -> None:
    """Create a bot, check it, and ask it recorded questions."""
    # Without this Typer would take a group of a single command for that command.
