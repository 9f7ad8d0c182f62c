"""`referee games`: lists the games and their options."""

from typing import Annotated

import typer

from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.games import find_game, game_names
from referee.games.options import options

app = typer.Typer(add_completion=False)


@app.command("games")
def games(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """List the games and their options (for --set), with ranges and defaults."""
    found = {name: find_game(name) for name in game_names()}
    if as_json:
        listed = {
            name: {"title": game.title, "options": options(game.Config), "decisions": list(game.actions)}
            for name, game in found.items()
        }
        echo_json(listed)
        return
    for name, game in found.items():
        echo(f"{name}: {game.title}")
        for option in options(game.Config):
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            echo(f"  {option.name}={default}  {option.description}")
            echo(f"      {option.values}")
