"""Groups of options: a command gets one value for all options of a group. Groups shared by several commands are
here."""

import inspect
from collections.abc import Callable
from typing import Any, Final, Protocol, Self, TypeVar, get_args, get_type_hints

import typer
from msgspec import Meta, Struct

from referee.cli.failure import USAGE, Failure
from referee.errors import RefereeError
from referee.players.clock import TimeControl, TimeControlError, parse_duration
from tournaments.play.conditions import OPTIONS, Conditions, Option

T = TypeVar("T")
FIELD_TYPES: Final = get_type_hints(Conditions)
"""By field of Conditions, its type."""
LIMIT_OPTIONS: Final = {
    "move": "--move-time",
    "bank": "--bank",
    "increment": "--increment",
    "startup": "--startup-time",
}
"""By field of TimeControl, the option that sets it, if its name differs."""


class Group(Protocol):
    """Options of which a command gets one value."""

    def parameters(self) -> list[inspect.Parameter]:
        """The options, as parameters of a command for Typer."""
        ...

    def value(self, given: dict[str, Any]) -> Any:
        """What the command gets, from the values of these parameters. Raises Failure."""
        ...


class OptionGroup(Struct, frozen=True):
    """A group whose options are fields, annotated as parameters of a command are."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        return list(inspect.signature(cls).parameters.values())

    @classmethod
    def value(cls, given: dict[str, Any]) -> Self:
        return cls(**given)


class ConditionOptions(Struct, frozen=True):
    """In the annotation of a parameter: it gets the Conditions that the options of this command set."""

    command: str

    def parameters(self) -> list[inspect.Parameter]:
        by_flag = {option.flag: _parameter(name, option) for name, option in reversed(options_of(self.command))}
        return list(reversed(by_flag.values()))

    def value(self, given: dict[str, Any]) -> Conditions:
        values = {}
        for name, option in options_of(self.command):
            values[name] = given[parameter_name(option)]
            if option.parse_all is not None:
                try:
                    values[name] = option.parse_all(values[name] or [])
                except RefereeError as error:
                    raise Failure(f"--{option.flag} {error}", USAGE) from None
        return Conditions(**values)


class KeyOptions(Struct, frozen=True):
    """In the annotation of a parameter: it gets what the options of this command put in the place of keys in [run]."""

    command: str

    def parameters(self) -> list[inspect.Parameter]:
        return [_key_parameter(name, option) for name, option in options_of(self.command)]

    def value(self, given: dict[str, Any]) -> dict[str, Any]:
        found = {option.key: given[parameter_name(option)] for _, option in options_of(self.command)}
        return {key: value for key, value in found.items() if value is not None}


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a function with parameters that are groups into one for Typer, which has the options in their places."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Group] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        group = group_in(parameter.annotation)
        if group is not None:
            groups[name] = group
        parameters += [parameter] if group is None else group.parameters()

    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group.value({each.name: values.pop(each.name) for each in group.parameters()})
        command(**values)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__doc__ = command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def group_in(annotation: Any) -> Group | None:
    """The group that an annotation of a parameter names."""
    if isinstance(annotation, type) and issubclass(annotation, OptionGroup):
        return annotation
    groups = (each for each in get_args(annotation) if isinstance(each, ConditionOptions | KeyOptions))
    return next(groups, None)


# -- options made from the fields of Conditions -----------------------------------------------------------------


def options_of(command: str) -> list[tuple[str, Option]]:
    """The options of a command, by field of Conditions."""
    return [(name, option) for name, option in OPTIONS.items() if command in option.commands]


def parameter_name(option: Option) -> str:
    return option.flag.replace("-", "_")


def _parameter(name: str, option: Option) -> inspect.Parameter:
    kind = FIELD_TYPES[name]
    flag, default = f"--{option.flag}", option.default
    if kind is bool and default:
        flag = f"{flag}/--no-{option.flag}"
    if option.parse_all is not None:
        kind, default = list[str] | None, None
    return _declared(
        option,
        kind,
        typer.Option(
            default,
            flag,
            help=option.help,
            metavar=option.metavar,
            parser=None if option.parse is None else parser(option.parse),
            show_default=option.shown_default or True,
            **bounds(Conditions.__annotations__[name]),
        ),
    )


def _key_parameter(name: str, option: Option) -> inspect.Parameter:
    kind = FIELD_TYPES[name]
    kind, what = (kind, f"{option.key} = true") if kind is bool else (str if option.parse else kind, option.key)
    help_text = f"As {what} in \\[run] of the file. {option.help}"
    declared = typer.Option(None, f"--{option.flag}", help=help_text, metavar=option.metavar)
    return _declared(option, kind | None, declared)


def _declared(option: Option, kind: Any, declared: Any) -> inspect.Parameter:
    return inspect.Parameter(parameter_name(option), inspect.Parameter.KEYWORD_ONLY, default=declared, annotation=kind)


def bounds(kind: Any) -> dict[str, Any]:
    """The least and the greatest number that an annotation allows, as parameters of an option."""
    for part in get_args(kind):
        if isinstance(part, Meta) and part.ge is not None and part.le is not None:
            return {"min": part.ge, "max": part.le}
        if found := bounds(part):
            return found
    return {}


def parser(parse: Callable[[str], T]) -> Callable[[str], T]:
    """A function that parses the value of an option, from one that raises ValueError."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parsed


duration: Final = parser(parse_duration)
"""Parses the value of an option: `250ms`, `1s`, `2m`, in seconds."""


def time_control(scale: float, *, hint: str = "", **limits: Any) -> TimeControl:
    """The time control that options set, as fields of TimeControl, multiplied by `scale`.

    `hint`: added to the message about a limit that is too low or too high. Raises Failure.
    """
    try:
        return TimeControl.of(**limits).scaled(scale)
    except TimeControlError as error:
        hint = "" if error.limit == "increment" else hint
        raise Failure(f"{LIMIT_OPTIONS.get(error.limit, f'--{error.limit}')}: {error.problem}{hint}", USAGE) from None
