"""Options of commands, and keys of tournament files, that are made from the fields of structs."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET, Struct, structs


class Option(Struct, frozen=True):
    """How a field is given; in its annotation. Two fields may come from one option."""

    help: str
    commands: Sequence[str] = ("match",)
    flag: str = ""
    """On the command line, without its hyphens. Empty: the name of the field."""
    key: str = ""
    """In a table of a tournament file. Empty: the name of the field."""
    in_file: bool = True
    metavar: str | None = None
    default: Any = UNSET
    """If it is not the default of the field."""
    shown_default: str | None = None
    """What None stands for."""
    parse: Callable[[str], Any] | None = None
    """The value that a text stands for, on the command line and in the file. Raises ValueError."""
    parse_all: Callable[[list[str]], Any] | None = None
    """Of an option that may be repeated, the value that all its texts stand for. Raises RefereeError. The reader of
    tournament files knows such keys itself, as they are lists and tables there."""


def options_in(kind: type[Struct]) -> dict[str, Option]:
    """By field of a struct, its option, with nothing left empty."""
    return {
        field.name: structs.replace(
            option,
            flag=option.flag or field.name.replace("_", "-"),
            key=option.key or field.name,
            default=field.default if option.default is UNSET else option.default,
        )
        for field in structs.fields(kind)
        for option in getattr(field.type, "__metadata__", ())
        if isinstance(option, Option)
    }
