"""Writes a starter kit: a folder with a bot that plays every game, for its author to start from.

All kits have the same layout: the files of `templates/common` and `templates/LANGUAGE`, with the bot's name in place of
`{{name}}` and `templates/PLAY.md` in place of `{{play}}`, and the types of messages, which `messages` writes where they
are not there. Each kit also has an AGENTS.md, for programs that improve the bot.
"""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import tomli_w

from referee.errors import RefereeError
from referee.files import find_program
from referee.games import DEFAULT_GAME
from referee.kits.kits import ALIASES, BRIDGES, KITS, Kit, Tool
from referee.kits.messages import message_types
from referee.near_misses import did_you_mean

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}")
"""Names that are valid in a BOT (`NAME=…`), as the name of a folder, and inside a string of any language."""
PLACEHOLDER: Final = b"{{name}}"
COMMON: Final = "common"
SEARCHER: Final = "searcher"
"""The kit of a bot that searches, and the folder of its templates."""
POLICY_FILE: Final = "policy.py"
AGENTS: Final = "AGENTS.md"
HOW_TO_PLAY: Final = "PLAY.md"
BUILT: Final = ("build", "__pycache__")
"""Folders that are not part of a kit: build output in a template, and the bytecode that installers compile."""


class KitError(RefereeError):
    """A kit can't be made so. The text says why, and what to do."""


def find_language(language: str) -> str:
    """The key in KITS for a name of a language. Raises KitError."""
    name = language.strip().lower()
    name = ALIASES.get(name, name)
    if name not in KITS:
        others = (
            f"; available: {', '.join(KITS)}. A bot may be written in any language: translate the kit of `-l python`;"
            " protocol/specification.md says what a bot reads and writes"
        )
        raise KitError(f"no starter kit for {language!r}{did_you_mean(name, [*KITS, *ALIASES], '') or others}")
    return name


def check_name(name: str) -> None:
    """Raises KitError."""
    if NAME.fullmatch(name) is None:
        raise KitError(
            f"{name!r} can't be the name of a bot: use letters, digits and - _ . +, beginning with a letter or digit, "
            "at most 60 of them"
        )


def kit_files(name: str, language: str, folder: str = "") -> dict[str, bytes]:
    """The files of the kit in a language for a bot with this name, by their paths in its folder.

    `folder`: the name of the folder, if it is another one. Raises KitError.
    """
    check_name(name)
    templates = files("referee.kits") / "templates"
    language = find_language(language)
    found = dict([*walk(templates / COMMON), *walk(templates / language)])
    kit = KITS[language]
    tests = " and then ".join(f"`{command}`" for command in kit.test)
    edit = (
        f"The strategy is in `{kit.edit}`. In this folder, {tests} tests it once it is built (`build` in `bot.toml`)."
    )
    play = (templates / HOW_TO_PLAY).read_bytes().rstrip()
    content = {
        path: found[path].read_bytes().replace(b"{{play}}", play).replace(PLACEHOLDER, name.encode())
        for path in sorted(found)
    }
    types = {path: message_types(emitter).encode() for path, emitter in kit.messages.items()}
    return agents_file(name, folder, edit) | content | types


def agents_file(name: str, folder: str, edit: str, game: str = DEFAULT_GAME) -> dict[str, bytes]:
    """The page for programs that improve a bot. `edit`: what there is to edit. `game`: the one in its commands."""
    text = (files("referee.kits") / "templates" / AGENTS).read_text(encoding="utf-8")
    values = {"name": name, "folder": shlex.quote(folder or name), "edit": edit, "game": game}
    for key, value in values.items():
        text = text.replace(f"{{{{{key}}}}}", value)
    return {AGENTS: text.encode()}


def walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """The files in a folder of templates, by their paths in it."""
    for entry in folder.iterdir():
        if entry.name in BUILT:
            continue
        if entry.is_dir():
            yield from walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def split_engine(protocol: str, engine: str) -> list[str]:
    """The command line of an engine, as words. Raises KitError if there is none, or no bridge to this protocol."""
    if protocol not in BRIDGES:
        raise KitError(f"no kit {protocol!r}; available: {', '.join((*BRIDGES, SEARCHER))}")
    try:
        words = shlex.split(engine)
    except ValueError as error:
        raise KitError(f"the engine {engine!r} is not a command line: {error}") from None
    if not words:
        raise KitError(f"say which engine with --engine, for example --engine '{BRIDGES[protocol].example}'")
    return words


def bridge_files(name: str, protocol: str, engine: Sequence[str], folder: str = "") -> dict[str, bytes]:
    """The files of a bot that is an engine behind the bridge to its protocol, as `kit_files`. Raises KitError."""
    check_name(name)
    bridge = BRIDGES[protocol]
    command = f"python3 {{kits}}/{bridge.script} {shlex.join(engine)}"
    edit = "The bot is an engine: its options are in `command` in `bot.toml`."
    return {
        "bot.toml": tomli_w.dumps({"name": name, "command": command, "games": [bridge.game]}).encode(),
        **agents_file(name, folder, edit, bridge.game),
    }


def searcher_files(name: str, folder: str = "") -> dict[str, bytes]:
    """The files of a bot that searches with a policy of its own, as `kit_files`. Raises KitError."""
    check_name(name)
    command = f"{{python}} {{kits}}/{SEARCHER}/searcher.py --policy {POLICY_FILE}"
    policy = files("referee.kits") / "templates" / SEARCHER / POLICY_FILE
    edit = (
        f"How all seats play in the playouts of the bot's search is in `{POLICY_FILE}`: `choose` is given the game"
        " itself (package `referee.games`). year_of_the_dragon and forbidden_city bring a policy: without `--policy` in"
        " `bot.toml` the bot plays on by it, and `policy_for(find_game(NAME))` of `referee.search` and `referee.games`"
        " is its class, to inherit from. `--playouts N` there limits the search: for quick matches that don't depend on"
        " the load of the machine."
    )
    return {
        "bot.toml": tomli_w.dumps({"name": name, "command": command}).encode(),
        POLICY_FILE: policy.read_bytes(),
        **agents_file(name, folder, edit),
    }


def write_kit(content: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a kit, by their paths in it, into a folder that doesn't exist, or contains only a `.git`.

    Raises KitError and OSError; then the folder is unchanged.
    """
    created = _make(folder)
    try:
        for path, data in content.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    except OSError:
        for entry in {path.partition("/")[0] for path in content}:
            _remove(folder / entry)
        if created:
            folder.rmdir()
        raise


def _make(folder: Path) -> bool:
    """Create a folder. Returns whether it was missing. Raises OSError, and KitError if it is not empty."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        if folder.is_dir() and {path.name for path in folder.iterdir()} <= {".git"}:
            return False
        raise KitError(
            f"{folder} already exists, and nothing is ever overwritten; choose another name, or another folder with "
            "--folder"
        ) from None
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def missing_tools(kit: Kit) -> list[Tool]:
    """The programs that a kit needs and that are not on PATH."""
    return [tool for tool in kit.tools if find_program(tool.program, Path.cwd()) is None]
