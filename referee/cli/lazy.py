"""Commands that are imported when they are run: importing all of them takes longer than most of them."""

import gc
import importlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from referee.garbage import collect_rarely


class CommandModule(NamedTuple):
    """The module of a command, and its help in one line, the first line of its docstring."""

    module: str
    """It has an `app`: the command itself, or the group to which the module adds it."""
    summary: str


class TextParameter:
    """Makes the value of an option or argument of a text."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self._convert = convert

    def coerce(self, value: Any, param: object, ctx: object) -> Any:
        """The value, as Typer asks for it; None if there is none."""
        return None if value is None else self._convert(value)


CONVERSIONS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    bool: bool,
    str: str,
    Path: Path,
    str | None: str,
    Path | None: Path,
}
"""By the annotation of a parameter, how its value is made of a text; of a flag it is True or None."""


def without_pydantic(parameters: list[Any]) -> list[Any]:
    """The parameters, of which the simplest make their values themselves.

    For all others Typer uses pydantic, whose import takes longer than that of Typer itself.
    """
    for parameter in parameters:
        convert = CONVERSIONS.get(parameter.type_descriptor.annotation)
        if convert is not None:
            parameter.get_runtime_param = partial(TextParameter, convert)
    return parameters


def import_quickly(name: str) -> ModuleType:
    """Import a module while the garbage collector, which would find nothing, is off."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        if was_enabled:
            gc.enable()


class LazyCommand(TyperCommand):
    """Stands for a command in the list of commands."""

    def __init__(self, name: str, place: CommandModule) -> None:
        super().__init__(name, help=place.summary)
        self._place = place

    def load(self) -> Any:
        """The real command, imported."""
        return _load(self._place.module, str(self.name))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        command = self.load()
        collect_rarely()
        return command.make_context(*args, **kwargs)


@cache
def _load(module_name: str, name: str) -> Any:
    module = import_quickly(module_name)
    loaded = typer.main.get_command(module.app)
    own = loaded.commands if isinstance(loaded, TyperGroup) else {}
    command = own.get(name) or with_commands(loaded, getattr(module, "COMMANDS", {}))
    get_params = command.get_params
    command.get_params = lambda ctx: without_pydantic(get_params(ctx))  # type: ignore[method-assign]
    return command


def with_commands(group: Any, places: Mapping[str, CommandModule]) -> Any:
    """The group with these commands added, none of them imported yet."""
    for name, place in places.items():
        group.commands[name] = LazyCommand(name, place)
    return group
