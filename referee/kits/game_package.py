"""Writing a package with a game to begin with, from the files in `game_template/`, which are an installable game."""

import keyword
import re
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from referee.games import game_names, installed_games
from referee.kits.writing import KitError, walk, write_kit

MODULE: Final = "my_game"
GAME_FOLDER: Final = "game_template"
PACKAGE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")


def write_game_package(name: str, target: Path) -> None:
    """Write the package into a new folder. Raises KitError and OSError."""
    if keyword.iskeyword(name):
        raise KitError(f"invalid name {name!r}: it is a keyword of Python, so no package can have it")
    if not PACKAGE_NAME.fullmatch(name):
        raise KitError(
            f"invalid name {name!r}: write a lower-case letter, and then at most 40 lower-case letters, digits and "
            "underscores, such as my_game"
        )
    games, sources, broken = installed_games()
    if name in (*game_names(), *games, *sources, *(package.name for package in broken)):
        raise KitError(f"{name} is a game, or a source of games, that the referee already has: choose another name")
    title = name.replace("_", " ").title()
    class_name = title.replace(" ", "")
    if name in ("pytest", "tests"):
        raise KitError(f"the package's own tests need {name}: choose another name")
    # A mere folder, in which packages may be, has no origin.
    if name in sys.stdlib_module_names or getattr(find_spec(name), "origin", None) is not None:
        raise KitError(f"{name} is a module that Python already has here: choose another name")
    rules = (files("referee.kits") / GAME_FOLDER / MODULE / "rules.py").read_text(encoding="utf-8")
    if keyword.iskeyword(class_name) or re.search(rf"\b{class_name}(Config|Observation)?\b", rules):
        raise KitError(f"the class of {name} would be {class_name}, which means something else: choose another name")
    words = {MODULE: name, "MyGame": class_name, "My Game": title}
    content = {}
    for path, template in walk(files("referee.kits") / GAME_FOLDER):
        content[_replaced(path, words)] = _replaced(template.read_text(encoding="utf-8"), words).encode()
    write_kit(content, target)


def _replaced(text: str, words: dict[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text
