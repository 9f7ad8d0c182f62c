"""The `referee bot` group, to which each module of this package adds its commands."""

import typer

app = typer.Typer(help="Write, check and repeat bots.", no_args_is_help=True, add_completion=False)


@app.callback()
def bot() -> None:
    """Write, check and repeat bots."""  # also while there is only one command, which Typer would merge with the group
