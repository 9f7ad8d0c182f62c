"""`referee game new`: writes a package with a game."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import reported, writing
from referee.cli.lazy import command_group
from referee.cli.output import echo
from referee.kits.game_package import write_game_package
from referee.kits.writing import KitError

app = command_group()


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game's name, and that of its package.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Write it here; by default into ./NAME.")
    ] = None,
) -> None:
    """Write a package with a small game that passes the conformance suite, to be changed into yours."""
    target = Path(name) if folder is None else folder
    with reported(KitError), writing(target):
        write_game_package(name, target)
    place = shlex.quote(str(target))
    echo(f"{target} holds a package with the game {name}.")
    echo(f"  {target / name / 'rules.py'}: edit this")
    echo(f"  {target / 'README.md'}: read this")
    echo("Next:")
    echo(f"  pip install -e {place} pytest")
    echo(f"  pytest {place}")
    echo(f"  referee match builtin:random builtin:first --game {name}")
