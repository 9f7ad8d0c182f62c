"""`referee games`, `schema`, `--version` and `--help`."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

import referee as package
from referee import __main__ as package_main
from referee import cli
from referee.cli import COMMANDS, lazy
from referee.cli.help_page import RootGroup
from referee.cli.output import SafeGroup
from referee.cli.schema import output_schemas
from referee.games import config_from, find_game, game_names
from referee.games.options import options
from referee.schema import schemas
from tests.cli.command import ENVIRONMENT, referee
from tests.cli.loaded import all_commands
from tests.timeouts import TEST_TIMEOUT

OPTION = ("name", "values", "default", "description")


def test_games_are_listed_with_every_option_its_values_and_its_default() -> None:
    listed = referee("games")
    assert listed.status == 0
    for name in game_names():
        game = find_game(name)
        assert f"{name}: {game.title}\n" in listed.out
        for option in options(game.Config):
            assert f"  {option.name}=" in listed.out
            assert option.values in listed.out
            assert option.description in listed.out


def test_games_as_json_have_title_options_and_decisions() -> None:
    listed = referee("games", "--json").json
    assert list(listed) == list(game_names())
    for name in game_names():
        game = find_game(name)
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
                config = config_from(find_game(name).Config, {option["name"]: value})
                assert getattr(config, option["name"]) == value
        words = {option["name"]: option["values"] for option in game["options"] if isinstance(option["default"], str)}
        for option in game["options"]:
            if "choices" in option and option["name"] in words:
                assert ", ".join(option["choices"]) == words[option["name"]]


@pytest.mark.slow
def test_schemas_are_printed_or_written_a_file_each(tmp_path: Path) -> None:
    printed = referee("schema").json
    written = referee("schema", "-o", "new/folder", cwd=tmp_path)
    assert written.status == 0
    paths = [tmp_path / line for line in written.out.splitlines()]
    assert sorted(paths) == sorted((tmp_path / "new" / "folder").iterdir())
    assert {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in paths} == printed
    assert list(printed) == [*schemas(), *output_schemas()]
    again = referee("schema", "-o", "new/folder", cwd=tmp_path)
    assert (again.status, again.out) == (0, written.out)


def test_the_version_is_printed() -> None:
    assert referee("--version").out == f"referee {package.__version__}\n"


# -- help -------------------------------------------------------------------------------------------------------------


HELP_OF_EACH: Final = """
import contextlib, io, json, sys
from referee.cli import build_group
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        build_group()([*path.split(), "--help"], prog_name="referee")
    print(json.dumps([path, shown.getvalue(), "trio" in sys.modules]))
"""


@pytest.mark.ci_only
def test_help_says_what_each_command_does_describes_every_option_and_never_loads_trio() -> None:
    argv = [sys.executable, "-c", HELP_OF_EACH, *(" ".join(path) for path in all_commands())]
    environment = ENVIRONMENT | {"COLUMNS": "400"}
    ended = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=TEST_TIMEOUT, check=True)
    assert ended.stderr == ""
    for (path, command), line in zip(all_commands().items(), ended.stdout.splitlines(), strict=True):
        name, shown, loads_trio = json.loads(line)
        assert (name, loads_trio) == (" ".join(path), False)
        assert f"Usage: {' '.join(['referee', *path])}" in shown
        whole = re.sub(r"[\s│]", "", shown)
        options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", shown))
        for parameter in command.params:
            assert {*parameter.opts, *parameter.secondary_opts} <= options or parameter.param_type_name == "argument"
            assert parameter.help, f"{path}: {parameter.name} has no help text"
            # Rich would take `[run]` in a text for markup, and leave it out.
            assert re.sub(r"\s", "", parameter.help.replace("\\[", "[")) in whole
        for below_name, below in getattr(command, "commands", {}).items():
            assert below_name in shown
            assert below.help or below.callback.__doc__
        assert (command.help or "").split("\n")[0][:40] in shown


@pytest.mark.parametrize("json", [(), ("--json",)])
@pytest.mark.parametrize("early", [True, False])
def test_ctrl_c_before_a_command_does_anything_is_told(
    early: bool, json: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Early: while the command line is imported; or else while the command is."""

    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name == "main":
                signal.raise_signal(signal.SIGINT)
            return getattr(cli, name)

    if early:
        monkeypatch.setitem(sys.modules, "referee.cli", Interrupted("referee.cli"))
        monkeypatch.setattr("tests.cli.command.main", package_main.main)
    else:
        monkeypatch.setattr(lazy, "collect_rarely", lambda: signal.raise_signal(signal.SIGINT))
    try:
        ended = referee("games", *json)
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C shows a traceback")
    assert (ended.status, ended.err) == (130, "referee: interrupted\n")
    assert not json or ended.json["error"]["message"] == "interrupted"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


SLOW_TO_IMPORT: Final = ("trio", "msgspec", "referee.games", "tournaments")
NAME_MODULES: Final = """
import sys
from referee.cli import build_group
try:
    build_group()(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


def output_and_modules(*words: str) -> tuple[str, list[str]]:
    """What a command prints, and the modules that it has imported."""
    ended = subprocess.run(
        [sys.executable, "-c", NAME_MODULES, *words], capture_output=True, text=True, timeout=TEST_TIMEOUT, check=True
    )
    return ended.stdout, ended.stderr.split()


def test_help_loads_no_module_that_only_a_command_needs() -> None:
    """`referee --help` must not take longer for what it doesn't use."""
    shown, modules = output_and_modules("--help")
    assert all(name in shown for name in COMMANDS)
    assert "referee.cli" in modules
    assert [name for name in modules if name in SLOW_TO_IMPORT] == []


@pytest.mark.slow
def test_a_match_with_plain_options_loads_nothing_that_it_does_not_use() -> None:
    """Typer's way to make values would cost every short match a sixth of its time, and Rich a tenth."""
    options = ("--games", "1", "--move-time", "1s", "--time-scale", "2", "--sandbox", "none", "--no-record")
    shown, modules = output_and_modules("match", "builtin:first", "builtin:random", *options)
    assert "In the Year of the Dragon" in shown
    assert {"typer.core", "referee.games.year_of_the_dragon.game"} <= set(modules)
    unused = {"pydantic", "rich.console", "referee.games.forbidden_city.game", "tomllib", "referee.search", "html"}
    assert unused & set(modules) == set()


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_help_of_the_whole_command_looks_like_that_of_the_others(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = referee("--help", COLUMNS=str(columns)).out
    monkeypatch.setattr(RootGroup, "format_help", SafeGroup.format_help)
    by_rich = referee("--help", COLUMNS=str(columns)).out
    assert [line.rstrip() for line in shown.strip().splitlines()] == [
        line.rstrip() for line in by_rich.strip().splitlines()
    ]
