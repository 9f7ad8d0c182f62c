"""The options of a game, derived from its Config type, and the conversion of values to their types.

An option is a field of a Config with the type `Annotated[type, Meta(description=...)]`. Users can't set other fields.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.games.interface import GameConfig, OptionError
from referee.near_misses import did_you_mean


class Option(Struct, frozen=True, omit_defaults=True):
    """An option of a game. `values` describes the allowed values for people; the bounds or choices are for programs."""

    name: str
    values: str
    default: Any
    description: str
    minimum: int | float | UnsetType = UNSET
    maximum: int | float | UnsetType = UNSET
    choices: list[Any] | UnsetType = UNSET


@lru_cache
def options(config: type[GameConfig]) -> Sequence[Option]:
    """Every option of a game, in the order of its Config."""
    hints = get_type_hints(config, include_extras=True)
    found = []
    for item in msgspec.structs.fields(config):
        kind, *metas = get_args(hints[item.name])
        meta = next((meta for meta in metas if isinstance(meta, msgspec.Meta)), None)
        if meta is None:
            continue
        found.append(
            Option(
                name=item.name,
                values=_format_values(kind, meta),
                default=item.default if item.default_factory is msgspec.NODEFAULT else item.default_factory(),
                description=meta.description or "",
                minimum=_bound(kind, meta.ge),
                maximum=_bound(kind, meta.le),
                choices=_choices(kind),
            )
        )
    return tuple(found)


def config_from(config: type[GameConfig], given: Mapping[str, Any], *, from_text: bool = False) -> Any:
    """The Config with these values. Raises OptionError.

    With `from_text` the values come from a user: strings are converted to the type of the option, and only options can
    be set by text.
    """
    known = {option.name: option for option in options(config)}
    values = {}
    for name, value in given.items():
        text = from_text and isinstance(value, str)
        if name not in known and (text or name not in config.__struct_fields__):
            raise OptionError(f"unknown option {name!r}{did_you_mean(name, known)}")
        try:
            alone = msgspec.convert({name: value}, config, strict=not text)
        except msgspec.ValidationError as error:
            if name not in known:  # only a record sets it, and its values have no short description
                raise OptionError(f"invalid {name}: {error}") from None
            as_given = value if from_text else repr(value)
            raise OptionError(f"{name}={as_given} is not allowed; {name} is {known[name].values}") from None
        values[name] = getattr(alone, name)
    return config(**values)


def config_of_start(config: type[GameConfig], start: Mapping[str, Any]) -> Any:
    """The Config that a bot was sent in `start`, without fields that a later version has added. Raises OptionError."""
    known = config.__struct_fields__
    return config_from(config, {name: value for name, value in start["config"].items() if name in known})


def _choices(kind: Any) -> list[Any] | UnsetType:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [False, True] if kind is bool else UNSET


def _bound(kind: Any, bound: float | None) -> int | float | UnsetType:
    return UNSET if bound is None else int(bound) if kind is int else float(bound)


def _format_values(kind: Any, meta: msgspec.Meta) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(str(value) for value in get_args(kind))
    if kind is bool:
        return "true or false"
    if kind is int or kind is float:
        number = "a whole number" if kind is int else "a number"
        match meta.ge, meta.le:
            case None, None:
                return number
            case low, None:
                return f"{number} of at least {low}"
            case None, high:
                return f"{number} of at most {high}"
            case low, high:
                return f"{low} to {high}" if kind is int else f"{number} from {low} to {high}"
    if kind is str:
        return " or ".join(map(str, meta.examples)) if meta.examples else "text"
    raise TypeError(f"no description for the values of an option of type {kind}")
