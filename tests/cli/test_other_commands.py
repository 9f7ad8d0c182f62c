"""`referee games`, `schema`, `--version` and `--help`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import referee as package
from referee.cli import app
from referee.games import GAMES, config_from
from referee.games.options import options
from referee.schema import schemas
from tests.cli.command import referee


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group below this one, with the words that call it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


OPTION = ("name", "values", "default", "description")
COMMANDS = dict(commands(typer.main.get_command(app)))


def test_games_are_listed_with_every_option_its_values_and_its_default() -> None:
    listed = referee("games")
    assert listed.status == 0
    for name, game in GAMES.items():
        assert f"{name}: {game.title}\n" in listed.out
        for option in options(game.Config):
            assert f"  {option.name}=" in listed.out
            assert option.values in listed.out
            assert option.description in listed.out


def test_games_as_json_have_title_options_and_decisions() -> None:
    listed = referee("games", "--json").json
    assert list(listed) == list(GAMES)
    for name, game in GAMES.items():
        assert listed[name]["title"] == game.title
        assert listed[name]["decisions"] == list(game.actions)
        names = [option["name"] for option in listed[name]["options"]]
        assert names == [option.name for option in options(game.Config)]
        assert all(tuple(option)[:4] == OPTION for option in listed[name]["options"])


def test_programs_can_tell_from_games_as_json_which_values_an_option_takes() -> None:
    for name, game in referee("games", "--json").json.items():
        for option in game["options"]:
            further = {key: value for key, value in option.items() if key not in OPTION}
            if option["name"] == "players":
                low, high = map(int, option["values"].split(" to "))
                assert further == {"minimum": low, "maximum": high}
            elif option["name"] == "tile_set":
                assert further == {}, "any file will do"
            else:
                assert list(further) == ["choices"]
            for value in further.get("choices", further.values()):
                config = config_from(GAMES[name].Config, {option["name"]: value})
                assert getattr(config, option["name"]) == value
        words = {option["name"]: option["values"] for option in game["options"] if isinstance(option["default"], str)}
        for option in game["options"]:
            if "choices" in option and option["name"] in words:
                assert ", ".join(option["choices"]) == words[option["name"]]


def test_schemas_are_printed_or_written_a_file_each(tmp_path: Path) -> None:
    printed = referee("schema").json
    written = referee("schema", "-o", "new/folder", cwd=tmp_path)
    assert written.status == 0
    paths = [tmp_path / line for line in written.out.splitlines()]
    assert sorted(paths) == sorted((tmp_path / "new" / "folder").iterdir())
    assert {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in paths} == printed
    assert list(printed) == list(schemas())
    again = referee("schema", "-o", "new/folder", cwd=tmp_path)
    assert (again.status, again.out) == (0, written.out)


def test_the_version_is_told() -> None:
    assert referee("--version").out == f"referee {package.__version__}\n"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_tells_what_a_command_does_and_mentions_every_option(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    told = referee(*path, "--help")
    assert told.status == 0
    assert told.err == ""
    assert f"Usage: {' '.join(['referee', *path])}" in told.out
    shown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", told.out))
    for parameter in command.params:
        assert {*parameter.opts, *parameter.secondary_opts} <= shown or parameter.param_type_name == "argument"
        assert parameter.help, f"{parameter.name} has no help text"
    for name, below in getattr(command, "commands", {}).items():
        assert name in told.out
        assert below.help or below.callback.__doc__
    assert (command.help or "").split("\n")[0][:40] in told.out
