"""Commands that are imported when they are run: importing all of them takes longer than most of them."""

import gc
import importlib
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from referee.cli.failure import exit_statuses
from referee.garbage import collect_rarely


class CommandModule(NamedTuple):
    """The module of a command, and its summary in one line, which its help begins with."""

    module: str
    """It has an `app`: the command itself, or the group to which the module adds it."""
    summary: str


class PlainParameter:
    """Makes the values of a parameter that are plain, without pydantic, whose import takes longer than that of Typer.

    All others, and so all errors, are left to Typer; what pydantic says of them is put into words for users.
    """

    def __init__(self, descriptor: Any, typers_own: Callable[[], Any]) -> None:
        self._descriptor = descriptor
        self._typers_own = typers_own

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, as Typer asks for it; None or () if there is none."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return plain_value(self._descriptor.annotation, value, self._descriptor.parameter_info)
        except ValueError:
            try:
                return self._typers_own().coerce(value, param, ctx)
            except typer.BadParameter as error:
                problem = error.message.removeprefix("Value error, ").partition(", unable to parse")[0]
                error.message = problem.replace("Input should be", f"{value!r} is not")
                raise


def plain_value(annotation: Any, value: Any, info: Any) -> Any:
    """The value of an annotation for what was given or is the default. Raises ValueError if that is not plain."""
    if info.parser is not None:
        return info.parser(value)
    if annotation in CONVERSIONS:
        return CONVERSIONS[annotation](value)
    if annotation in NUMBERS and NUMBERS[annotation].fullmatch(str(value)):
        number = annotation(value)
        if (info.min is None or info.min <= number) and (info.max is None or number <= info.max):
            return number
    if get_origin(annotation) is Literal and value in get_args(annotation):
        return value
    if get_origin(annotation) is list and get_args(annotation)[0] in CONVERSIONS:
        return list(map(CONVERSIONS[get_args(annotation)[0]], value))
    raise ValueError


def path_of(text: Any) -> Path:
    """The path of a text; an empty one would be that of the folder in which the referee runs."""
    if text == "":
        raise typer.BadParameter("the path is empty")
    return Path(text)


CONVERSIONS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    bool: bool,
    str: str,
    Path: path_of,
    str | None: str,
    Path | None: path_of,
}
"""By the annotation of a parameter, how its value is made of a text; of a flag it is True or None."""
NUMBERS: Final[Mapping[Any, re.Pattern[str]]] = {
    int: re.compile(r"-?\d{1,18}", re.ASCII),
    float: re.compile(r"-?\d{1,18}(\.\d{1,18})?", re.ASCII),
}


def without_pydantic(parameters: list[Any]) -> list[Any]:
    """The parameters, whose plain values are made without pydantic."""
    for parameter in parameters:
        if "get_runtime_param" not in vars(parameter):
            typers_own = parameter.get_runtime_param
            parameter.get_runtime_param = partial(PlainParameter, parameter.type_descriptor, typers_own)
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
        return _load(self._place, str(self.name))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        command = self.load()
        collect_rarely()
        return command.make_context(*args, **kwargs)


@cache
def _load(place: CommandModule, name: str) -> Any:
    module = import_quickly(place.module)
    loaded = typer.main.get_command(module.app)
    own = loaded.commands if isinstance(loaded, TyperGroup) else {}
    command = own.get(name) or with_commands(loaded, getattr(module, "COMMANDS", {}))
    command.help = "\n\n".join(filter(None, (place.summary, command.help)))
    for each in {command, *own.values()}:
        if not isinstance(each, TyperGroup):
            each.epilog = each.epilog or exit_statuses()
        own_params = each.get_params
        each.get_params = lambda ctx, get=own_params: without_pydantic(get(ctx))  # type: ignore
    return command


def command_group() -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, add_completion=False)
    app.callback()(lambda: None)  # without a callback Typer would take a group of a single command for that command
    return app


def command_modules(package: str, summaries: Mapping[str, Mapping[str, str]]) -> dict[str, CommandModule]:
    """The commands of a group, from the modules of a package by name, each with its commands and their summaries."""
    return {
        name: CommandModule(f"{package}.{module}", summary)
        for module, commands in summaries.items()
        for name, summary in commands.items()
    }


def with_commands(group: Any, places: Mapping[str, CommandModule]) -> Any:
    """The group with these commands added, none of them imported yet."""
    for name, place in places.items():
        group.commands[name] = LazyCommand(name, place)
    return group
