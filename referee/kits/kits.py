"""The starter kits, one per language, from `kits.toml`. The files of each are in `templates/LANGUAGE`."""

import tomllib
from importlib import resources
from typing import Any, Final

from msgspec import Struct, convert


class Tool(Struct, frozen=True):
    """A program that a kit needs on PATH, and how to get it."""

    program: str
    source: str


class Kit(Struct, frozen=True, kw_only=True):
    """The properties of the kit of a language. Its bot.toml says how it is built and started.

    `title` is the name of the language.
    """

    title: str
    tools: tuple[Tool, ...]
    edit: str
    """The file that an author edits."""
    aliases: tuple[str, ...] = ()
    """Other names of the language."""
    messages: dict[str, str] = {}
    """By its path in the kit, the emitter of a file of types that is not among the templates."""
    test: tuple[str, ...]
    """The commands that test the bot on `sample.jsonl`, run in its folder one after another after its build."""


class Bridge(Struct, frozen=True, kw_only=True):
    """A program that lets engines which speak another protocol play a game."""

    title: str
    script: str
    """Its path among the templates."""
    game: str
    example: str
    """A command line of an engine."""


_file: Final[Any] = tomllib.loads(resources.files(__package__).joinpath("kits.toml").read_text(encoding="utf-8"))
TOOLS: Final = {program: Tool(program, source) for program, source in _file["tools"].items()}
KITS: Final[dict[str, Kit]] = {
    name: convert({**kit, "tools": [TOOLS[program] for program in kit["tools"]]}, Kit)
    for name, kit in _file["kits"].items()
}
"""By name, as in `referee bot new --language` and as the folder of its templates."""

ALIASES: Final[dict[str, str]] = {alias: name for name, kit in KITS.items() for alias in kit.aliases}
BRIDGES: Final = {name: convert(bridge, Bridge) for name, bridge in _file["bridges"].items()}
"""By name, as in `referee bot new --kit`."""
