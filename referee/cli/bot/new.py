"""`referee bot new`: writes a starter kit."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.bot import app
from referee.cli.failure import FAILED, USAGE, Failure
from referee.cli.output import echo
from referee.games import DEFAULT_GAME, game_names
from referee.kits.kits import KITS
from referee.kits.writing import KitError, find_language, missing_tools, write_kit

NEEDS = "\n\n".join(
    f"{name}: {', and '.join(dict.fromkeys(tool.source for tool in kit.tools))}" for name, kit in KITS.items()
)
"""What has to be installed for each kit."""


@app.command(
    "new",
    help="Write a starter kit: a folder with a bot that plays every game and needs only the language's own tools.\n\n"
    f"The tools of each language:\n\n{NEEDS}",
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name, and that of its folder.")],
    language: Annotated[
        str | None, typer.Option("--language", "-l", metavar="LANGUAGE", help=f"One of {', '.join(KITS)}.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Write it here; by default into ./NAME.")
    ] = None,
) -> None:
    """Write a starter kit, and say what comes next. Raises Failure."""
    if language is None:
        raise Failure(f"say in which language with --language: {', '.join(KITS)}", USAGE)
    target = Path(name) if folder is None else folder
    try:
        key = find_language(language)
        write_kit(name, key, target)
    except KitError as error:
        raise Failure(str(error), FAILED if error.failed else USAGE) from None
    kit = KITS[key]
    place = shlex.quote(str(target))
    echo(f"{target} holds a bot in {kit.title} that plays every game.")
    echo(f"  {target / kit.edit}: edit this")
    echo(f"  {target / 'README.md'}: read this")
    for tool in missing_tools(kit):
        echo(f"It needs {tool.program}, which is not installed here: {tool.source}", err=True)
    echo("Next:")
    echo(f"  referee match {place} builtin:random")
    for game in game_names():
        if game != DEFAULT_GAME:
            echo(f"  referee match {place} builtin:random --game {game}")
    echo(f"  referee bot check {place}")
