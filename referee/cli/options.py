"""Groups of options: a command gets one value for all options of a group. Groups shared by several commands are
here."""

import inspect
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import Annotated, Any, Self, TypeVar, get_args, get_type_hints

import typer
from msgspec import Meta, Struct, structs

from referee.cli.failure import USAGE, Failure
from referee.errors import RefereeError
from referee.players.clock import TimeControl, TimeControlError
from tournaments.play.conditions import ClockLimits, Option, options_in

T = TypeVar("T")
WithPaths = Annotated[
    bool, typer.Option("--with-paths", help="Pages also name folders and commands of this machine, not only files.")
]


class OptionGroup(Struct, frozen=True):
    """Options of which a command gets one value. Its fields are annotated as parameters of a command are."""

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        return cls(**given)


class OptionsOf(Struct, frozen=True):
    """In the annotation of a parameter: it gets the values of fields of a struct that options of a command set.

    Those of `referee tournament` stand for keys in [run] of its file: they have texts as there, and only if given.
    """

    struct: type[Struct]
    command: str

    def parameters(self) -> list[inspect.Parameter]:
        kinds = get_type_hints(self.struct)
        found: dict[str, inspect.Parameter] = {}
        for name, option in self._options().items():
            kind = kinds[name] if option.parse is None else str  # Typer wants two words for a tuple
            parameter = self._for_file if self._in_place_of_keys else self._for_field
            found.setdefault(option.flag, parameter(name, option, kind))
        return list(found.values())

    def value(self, given: dict[str, Any]) -> dict[str, Any]:
        values = {}
        for name, option in self._options().items():
            value = given[_parameter_name(option)]
            if option.parse_all is not None:
                try:
                    value = option.parse_all(value or [])
                except RefereeError as error:
                    raise Failure(f"--{option.flag} {error}", USAGE) from None
            if value is not None or not self._in_place_of_keys:
                values[name] = value
        return values

    @property
    def _in_place_of_keys(self) -> bool:
        return self.command.startswith("tournament ")

    def _options(self) -> dict[str, Option]:
        return {name: option for name, option in options_in(self.struct).items() if self.command in option.commands}

    def _for_field(self, name: str, option: Option, kind: Any) -> inspect.Parameter:
        flag, default = f"--{option.flag}", option.default
        usual = next(field.default for field in structs.fields(self.struct) if field.name == name)
        only_negative = option.flag.startswith("no-")
        if kind is bool and usual:
            flag = f" /{flag}" if only_negative else f"{flag}/--no-{option.flag}"
        if option.parse_all is not None:
            kind, default = list[str], None
        parse = None if option.parse is None else parser(option.parse)
        shown, limits = option.shown_default or not only_negative, bounds(self.struct.__annotations__[name])
        return _parameter(option, kind, default, flag, option.help, parser=parse, show_default=shown, **limits)

    def _for_file(self, name: str, option: Option, kind: Any) -> inspect.Parameter:
        what = f"{option.key} = true" if kind is bool else option.key
        return _parameter(option, kind, None, f"--{option.flag}", f"As {what} in \\[run] of the file. {option.help}")


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a function with parameters that are groups into one for Typer, which has the options in their places."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[list[str], Callable[[dict[str, Any]], Any]]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind, own = parameter.annotation, [parameter]
        if isinstance(kind, type) and issubclass(kind, OptionGroup):
            own = list(inspect.signature(kind).parameters.values())
            groups[name] = [each.name for each in own], kind.of
        for options in get_args(kind):
            if isinstance(options, OptionsOf):
                own = options.parameters()
                groups[name] = [each.name for each in own], options.value
        parameters += own

    def run(**values: Any) -> None:
        for name, (fields, make) in groups.items():
            values[name] = make({field: values.pop(field) for field in fields})
        command(**values)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__doc__, run.__module__ = command.__doc__, command.__module__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


# -- options made from fields ------------------------------------------------------------------------------------


def _parameter_name(option: Option) -> str:
    name = option.flag.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def _parameter(option: Option, kind: Any, default: Any, flag: str, text: str, **more: Any) -> inspect.Parameter:
    declared = typer.Option(default, flag, help=text, metavar=option.metavar, **more)
    kind = kind | None if default is None else kind
    return inspect.Parameter(_parameter_name(option), inspect.Parameter.KEYWORD_ONLY, default=declared, annotation=kind)


def bounds(kind: Any) -> dict[str, Any]:
    """The least and the greatest number that an annotation allows, as parameters of an option."""
    for part in get_args(kind):
        if isinstance(part, Meta):
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


def time_control(given: Mapping[str, Any], hint: str = "") -> TimeControl:
    """The time control of options for ClockLimits. `hint`: added to the message about a limit that is too low or too
    high. Raises Failure."""
    try:
        return ClockLimits(**given).control()
    except TimeControlError as error:
        hint = "" if error.limit == "increment" else hint
        raise Failure(f"--{options_in(ClockLimits)[error.limit].flag}: {error.problem}{hint}", USAGE) from None
