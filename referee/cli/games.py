"""`referee games`: what can be played, with which options."""

from typing import Annotated

import typer


def games(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """List the games and their options (for --set), with ranges and defaults."""
    import msgspec

    from referee.games import GAMES
    from referee.games.options import options

    if as_json:
        listed = {
            name: {"title": game.title, "options": options(game.Config), "decisions": list(game.actions)}
            for name, game in GAMES.items()
        }
        typer.echo(msgspec.json.encode(listed))
        return
    for name, game in GAMES.items():
        typer.echo(f"{name}: {game.title}")
        for option in options(game.Config):
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            typer.echo(f"  {option.name}={default}  {option.description}\n      {option.values}")
