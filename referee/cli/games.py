"""`referee games`: lists the games and their options."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import protocol
from referee.cli.failure import reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.games import Game, OptionError, find_game, find_source, game_names, installed_games
from referee.games.options import options
from referee.sample_bots import SAMPLE_BOTS_FOLDER

app = typer.Typer(add_completion=False)


@app.command("games")
def games(
    prefix: Annotated[
        str | None,
        typer.Argument(
            metavar="[PREFIX]", help="Only this game, or the games of a source, such as open_spiel:", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Games of packages that are installed beside the referee are listed too. A source of games is listed by its prefix.
    """
    sources: list[str] = []
    if prefix is None:
        names, sources = usable_games()
    elif prefix.endswith(":"):
        with reported():
            names = [f"{prefix}{name}" for name in find_source(prefix.removesuffix(":")).names()]
        if not as_json:
            for name in names:
                echo(name)
            return
    else:
        names = [prefix]
    with reported(OptionError):
        found = {name: find_game(name) for name in names}
    if as_json:
        echo_json({name: describe(game) for name, game in found.items()})
        return
    for name, game in found.items():
        echo(f"{name}: {game.title}")
        for option in options(game.Config):
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            echo(f"  {option.name}={default}  {option.description}")
            echo(f"      {option.values}")
        for what, path in pages_of(game).items():
            echo(f"  {what}: {path}")
    for source in sources:
        echo(f"{source}:…  more games: referee games {source}:")


def usable_games() -> tuple[list[str], list[str]]:
    """The names of all games, and the prefixes of sources, with a warning about each package that can't be used."""
    installed, sources, broken = installed_games()
    for package in broken:
        echo(f"warning: {package.problem}", err=True)
    return [*game_names(), *installed], sources


def pages_of(game: type[Game]) -> dict[str, str]:
    """The files of the pages about a game that there are: its rules, and its messages."""
    file, packaged = f"{game.name.replace('_', '-')}.md", Path(protocol.__file__).parent
    places = {
        "rules": [SAMPLE_BOTS_FOLDER.parent / "docs" / "rules" / file, packaged / "rules" / file],
        "messages": [packaged / "games" / f"{game.name}.md"],
    }
    found = ((what, next(filter(Path.is_file, paths), None)) for what, paths in places.items())
    return {what: str(path) for what, path in found if path is not None}


def describe(game: type[Game]) -> Mapping[str, Any]:
    """A game as JSON. What has its usual value is left out."""
    described: dict[str, Any] = {"title": game.title, "options": options(game.Config), "decisions": list(game.actions)}
    described |= pages_of(game)
    if game.score_scale != 1:
        described["score_scale"] = game.score_scale
    if game.cooperative:
        described["cooperative"] = True
    if not game.traits.chance:
        described["chance"] = False
    return described
