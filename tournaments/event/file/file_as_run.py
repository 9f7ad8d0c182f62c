"""The tournament file as it is kept in the folder of a tournament: the same, with paths made absolute."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import tomli_w

from referee.bots.bot_spec import NOT_BY_HAND, BotSpec, BotSpecError, parse_bot, read_bot_file
from tournaments.event.file.toml_source import read_source

NO_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType({})
FILE_COMMENT = "# As it was run. What counts is in the manifest: changes here are refused.\n"


def file_as_run(path: Path, names: Iterable[str], run_options: Mapping[str, Any] = NO_OPTIONS) -> str:
    """The text of a tournament file that has been read without an error. Raises TournamentFileError.

    A key `folder` names the folder in which commands run, and to which paths are relative. `names`: those of its bots,
    all of which it states. `run_options` take the place of keys in [run].
    """
    table = read_source(path).table
    folder = path.absolute().parent / table.get("folder", ".")
    table = {"folder": str(folder), "name": table.get("name", path.stem), **table}
    table["folder"] = str(folder)
    for bot, name in zip(table["bot"], names, strict=True):
        bot["name"] = name
        for key in ("path", "folder"):
            if key in bot:
                bot[key] = str(folder / bot[key])
        if "show" in bot:
            bot["show"] = [str(folder / name) for name in bot["show"]]
    run = {**table.get("run", {}), **run_options}
    if run:
        table["run"] = run
    if "show" in run:
        run["show"] = [str(folder / name) for name in run["show"]]
    return FILE_COMMENT + tomli_w.dumps(table)


def bot_table(text: str, owner: str | None) -> dict[str, Any]:
    """The [[bot]] table of a BOT as on the command line: a folder, a command, NAME= before either, a built-in player.

    Raises BotSpecError.
    """
    spec = parse_bot(text)
    if spec.port is not None:
        raise BotSpecError(NOT_BY_HAND.format(text))
    table: dict[str, Any] = {"name": spec.name}
    if spec.policy is not None:
        table["builtin"] = spec.policy
    elif spec.from_command_line:
        table |= {"command": list(spec.argv), "folder": str(spec.folder)}
    else:
        table["path"] = str(spec.folder)
    return table if owner is None else {**table, "owner": owner}


def bot_files(bots: Iterable[BotSpec]) -> Mapping[str, str]:
    """By name, the text of the bot.toml of each bot that has one, to be kept before its build. Raises BotSpecError."""
    return {
        bot.name: read_bot_file(bot.folder / "bot.toml") for bot in bots if bot.is_program and not bot.from_command_line
    }
