"""Writing a starter kit: a folder with a bot that plays every game, for its author to go on from.

All kits have one shape. `templates/common` is in every kit, `templates/LANGUAGE` in those of that language, and what a
kit shares with another language is in its `Kit`. They are the files as they are written, with `{{name}}` in place of
the bot's name.
"""

import re
import shutil
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import find_program
from referee.kits.kits import ALIASES, KITS, Kit, Tool

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}")
"""Names that are valid in a BOT (`NAME=…`), as the name of a folder, and inside a string of any language."""
PLACEHOLDER: Final = b"{{name}}"
COMMON: Final = "common"
BUILT: Final = ("build", "__pycache__")
"""Folders that are no part of a kit: what was built in a template, and what installers make of its Python files."""


class KitError(RefereeError):
    """A kit can't be written. The text says why, and what to do. `failed`: it is the system that refuses."""

    def __init__(self, message: str, *, failed: bool = False) -> None:
        super().__init__(message)
        self.failed = failed


def find_language(language: str) -> str:
    """The key in KITS for what an author calls a language. Raises KitError."""
    name = language.strip().lower()
    name = ALIASES.get(name, name)
    if name not in KITS:
        raise KitError(
            f"there is no starter kit for {language!r}; there are some for {', '.join(KITS)}. "
            "A bot may be written in any language: protocol/specification.md says what it reads and writes"
        )
    return name


def kit_files(name: str, language: str) -> dict[str, bytes]:
    """The files of the kit in a language for a bot with this name, by their paths in its folder. Raises KitError."""
    if NAME.fullmatch(name) is None:
        raise KitError(
            f"{name!r} can't be the name of a bot: use letters, digits and - _ . +, beginning with a letter or digit, "
            "at most 60 of them"
        )
    templates = files("referee.kits") / "templates"
    language = find_language(language)
    found = dict([*_walk(templates / COMMON), *_walk(templates / language)])
    found |= {path: templates / source for path, source in KITS[language].shared.items()}
    return {path: found[path].read_bytes().replace(PLACEHOLDER, name.encode()) for path in sorted(found)}


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.name in BUILT:
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def write_kit(name: str, language: str, folder: Path) -> list[str]:
    """Write a kit into a folder that isn't there yet, or holds nothing but a `.git`; the paths of its files in it.

    Raises KitError; then the folder is as it was before.
    """
    content = kit_files(name, language)
    try:
        created = _make(folder)
    except OSError as error:
        raise KitError(f"can't make the folder {folder}: {error.strerror}", failed=True) from None
    try:
        for path, data in content.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    except OSError as error:
        for entry in {path.partition("/")[0] for path in content}:
            _remove(folder / entry)
        if created:
            folder.rmdir()
        raise KitError(f"can't write to {folder}: {error.strerror}", failed=True) from None
    return list(content)


def _make(folder: Path) -> bool:
    """Make a folder; whether it was missing. Raises OSError, and KitError if there is anything in it."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        if folder.is_dir() and {path.name for path in folder.iterdir()} <= {".git"}:
            return False
        raise KitError(
            f"{folder} is there already, and nothing is ever overwritten; choose another name, or another place with "
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
