"""Writing a package with a game to begin with, from the files in `game_template/`, which are an installable game."""

import keyword
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from referee.games import game_names
from referee.kits.writing import KitError

MODULE: Final = "my_game"
GAME_FOLDER: Final = "game_template"
PACKAGE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")


def write_game_package(name: str, target: Path) -> list[Path]:
    """Write the package into a new folder; returns its files. Raises KitError."""
    if not PACKAGE_NAME.fullmatch(name) or keyword.iskeyword(name):
        raise KitError(f"invalid name {name}: write lower-case letters, digits and underscores, such as my_game")
    if name in game_names():
        raise KitError(f"{name} is a game of the referee: choose another name")
    title = name.replace("_", " ").title()
    words = {MODULE: name, "MyGame": title.replace(" ", ""), "My Game": title}
    try:
        target.mkdir(parents=True)
        return [*_write(files("referee.kits") / GAME_FOLDER, target, words)]
    except FileExistsError:
        raise KitError(f"{target} already exists", failed=True) from None
    except OSError as error:
        raise KitError(f"can't write {target}: {error.strerror}", failed=True) from None


def _write(source: Traversable, target: Path, words: dict[str, str]) -> list[Path]:
    written = []
    for each in sorted(source.iterdir(), key=lambda item: item.name):
        if each.name == "__pycache__":
            continue
        path = target / _replaced(each.name, words)
        if each.is_dir():
            path.mkdir()
            written += _write(each, path, words)
        else:
            path.write_text(_replaced(each.read_text(), words))
            written.append(path)
    return written


def _replaced(text: str, words: dict[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text
