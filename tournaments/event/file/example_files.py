"""The example file of each format, to be written elsewhere."""

import os
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from msgspec import json

from referee import sample_bots
from referee.errors import RefereeError
from referee.files import is_folder
from tournaments.competition.formats.registry import EXAMPLES

BOT_PATH: Final = re.compile(r'^path = "(?:\.\./)*bots/([\w-]+)"', re.MULTILINE)


class NoExample(RefereeError):
    """A format has no example file."""


class ExampleExists(RefereeError):
    """The file to which the example is to be written already exists."""


def example_file(name: str) -> Traversable:
    """The example of a format, as it is in its package. Raises NoExample."""
    package, _, file = EXAMPLES[name].partition(":")
    try:
        example = files(package).joinpath(file)
        if example.is_file():
            return example
    except ImportError:
        pass
    raise NoExample(f"the format {name!r} has no example: there is no file {file} in the package {package}")


def example_text(name: str, folder: Path, bots: Path = sample_bots.SAMPLE_BOTS_FOLDER) -> str:
    """The example of a format, as a file in `folder`. Its bots are the sample bots, or built-in ones if those are
    missing.

    Raises NoExample.
    """
    text = example_file(name).read_text(encoding="utf-8")
    relative = os.path.relpath(bots, folder.resolve())
    if not is_folder(bots) or not relative.isprintable():
        return BOT_PATH.sub('builtin = "random"', text)
    return BOT_PATH.sub(lambda match: f"path = {json.encode(f'{relative}/{match[1]}').decode()}", text)


def write_example(name: str, path: Path) -> None:
    """Write the example of a format to a new file.

    Raises NoExample, ExampleExists, and OSError where it can't be written.
    """
    text = example_text(name, path.parent)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ExampleExists(f"{path} already exists and is left unchanged; give the new file another name") from None
