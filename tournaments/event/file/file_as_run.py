"""The tournament file as it is kept in the folder of a tournament: the same, with paths made absolute."""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from msgspec import UNSET, UnsetType, structs

from referee.bots.bot_spec import NOT_BY_HAND, BotSpec, BotSpecError, parse_bot, read_bot_file
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.regulations import SeedsFrom
from tournaments.event.file.toml_source import read_source
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec

Pair = TypeVar("Pair", bound=Sequence[str])
FILE_COMMENT = "# As it was run. What counts is in the manifest: changes here are refused.\n"


def file_as_run(
    path: Path,
    bots: Sequence[TournamentBot],
    run_options: Mapping[str, Any] = {},
    seeds_from: SeedsFrom | UnsetType = UNSET,
    pseudonyms: str | None = None,
) -> str:
    """The text of a tournament file that has been read without an error. Raises TournamentFileError.

    A key `folder` names the folder in which commands run, and to which paths are relative. `bots`: those of the
    tournament in their order, with their names and ratings, all of which it states. `run_options` take the place of
    keys in [run]; `seeds_from` is what the order of the bots rests on, `pseudonyms` the key of the seals.
    """
    table = read_source(path).table
    folder = path.absolute().parent / table.get("folder", ".")
    table = {"folder": str(folder), "name": table.get("name", path.stem), **table}
    table["folder"] = str(folder)
    table.pop("ratings", None)
    if seeds_from is not UNSET:
        table["seeds_from"] = structs.asdict(seeds_from)
    if pseudonyms is not None:
        table["pseudonyms"] = pseudonyms
    table["bot"] = [
        {**table["bot"][bot.position], "name": bot.spec.name} | ({} if bot.rating is None else {"rating": bot.rating})
        for bot in bots
    ]
    for bot in table["bot"]:
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


def text_without(text: str, without: Collection[str]) -> str:
    """The text that `file_as_run` returned, without these bots wherever it names them."""
    table = tomllib.loads(text)
    table["bot"] = [bot for bot in table["bot"] if bot["name"] not in without]
    if "forbidden" in table:
        table["forbidden"] = _apart(table["forbidden"], without)
    own = table["format"]
    if own in table:
        table[own] = {key: _without(value, without) for key, value in table[own].items()}
    return FILE_COMMENT + tomli_w.dumps(table)


def spec_without(spec: TournamentSpec, without: Collection[str]) -> TournamentSpec:
    """The tournament that `text_without` describes. Raises FormatError if the format can't be played without them."""
    regulations = structs.replace(
        spec.regulations,
        bots=tuple(bot for bot in spec.regulations.bots if bot.name not in without),
        forbidden=tuple(_apart(spec.regulations.forbidden, without)),
        settings={key: _without(value, without) for key, value in spec.regulations.settings.items()},
    )
    if len(regulations.bots) < regulations.seats:
        raise FormatError(f"tables of {regulations.seats} need at least {regulations.seats} bots")
    regulations.check_format(spec.seed or "")
    bots = tuple(bot for bot in spec.bots if bot.spec.name not in without)
    return structs.replace(spec, regulations=regulations, bots=bots)


def _apart(pairs: Iterable[Pair], without: Collection[str]) -> list[Pair]:
    """The pairs of which no bot is left out."""
    return [pair for pair in pairs if not any(name in without for name in pair)]


def _without(value: Any, names: Collection[str]) -> Any:
    """A setting without these names of bots, if it is a list of names."""
    if not isinstance(value, list | tuple):
        return value
    return type(value)(item for item in value if not (isinstance(item, str) and item in names))


def bot_table(text: str, owner: str | None, *, named: bool = False) -> dict[str, Any]:
    """The [[bot]] table of a BOT as on the command line: a folder, a command, NAME= before either, a built-in player.

    `named`: it needs the name. Raises BotSpecError.
    """
    spec = parse_bot(text)
    if named and spec.is_program and not text.startswith(f"{spec.name}="):
        raise BotSpecError(f"{text}: the bots of this tournament have pseudonyms, so give this one too: NAME={text}")
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
