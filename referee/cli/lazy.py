"""Commands that are imported when they are run: importing all of them takes longer than most of them."""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class Place(NamedTuple):
    """Where a command is, and its help in one line, the first line of its docstring."""

    module: str
    """It has an `app`: the command itself, or the group to which it belongs, to which the module adds it."""
    summary: str


class LazyCommand(TyperCommand):
    """Stands for a command in the list of commands."""

    def __init__(self, name: str, place: Place) -> None:
        super().__init__(name, help=place.summary)
        self._place = place

    def load(self) -> Any:
        """The real command, imported."""
        module = importlib.import_module(self._place.module)
        loaded = typer.main.get_command(module.app)
        own = loaded.commands if isinstance(loaded, TyperGroup) else {}
        return own.get(str(self.name)) or with_commands(loaded, getattr(module, "COMMANDS", {}))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        return self.load().make_context(*args, **kwargs)


def with_commands(group: Any, places: Mapping[str, Place]) -> Any:
    """The group with these commands added, none of them imported yet."""
    for name, place in places.items():
        group.commands[name] = LazyCommand(name, place)
    return group
