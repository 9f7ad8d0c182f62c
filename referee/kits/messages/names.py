"""Names by the conventions of a language, and questions about types for emitters of languages without JSON."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from referee.kits.messages.model import (
    EnumRef,
    Field,
    Kind,
    ListOf,
    MapOf,
    Model,
    Nullable,
    Primitive,
    StructRef,
    StructType,
    TupleOf,
    Type,
    UnionRef,
    UnionType,
)

NEVER_READ = ("Ready", "Answer", "ActParts", "Quit")
"""Structs that no bot reads: those that it writes, and a message that is only its type."""
READ_MESSAGES = ("hello", "fault", "quit", "start", "act", "end")
"""The tags of messages that a bot reads."""


@dataclass(frozen=True)
class Spelling:
    """How a language writes types: `{}` stands for the type of the items. A tuple is written as a list if need be."""

    kinds: Mapping[Kind, str]
    list_of: str
    map_of: str
    nullable: str = "{}"
    tuple_of: Callable[[Sequence[str]], str] | None = None

    def __call__(self, of: Type) -> str:
        """The type as it is written."""
        match of:
            case Primitive(kind):
                return self.kinds[kind]
            case TupleOf(items) if self.tuple_of is not None:
                return self.tuple_of([*map(self, items)])
            case ListOf(item) | TupleOf((item, *_)):
                inner = self(item)
                is_suffix = self.list_of.startswith("{}")  # which would belong to the last of several types
                return self.list_of.format(f"({inner})" if is_suffix and "|" in inner else inner)
            case MapOf(value):
                return self.map_of.format(self(value))
            case Nullable(inner):
                return self.nullable.format(self(inner))
            case EnumRef(name) | StructRef(name) | UnionRef(name):
                return name
        raise ValueError(f"{of} is written in no language")


def snake_case(name: str) -> str:
    """`DragonActionGroup` as `dragon_action_group`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal_case(word: str) -> str:
    """`court_lady` as `CourtLady`."""
    return "".join(part.capitalize() for part in word.split("_"))


def comment(prefix: str, text: str, width: int = 100) -> str:
    """A comment, wrapped into lines that end with a line feed."""
    if prefix == "/* ":
        return "\n".join(textwrap.wrap(f"{text} */", width, initial_indent=prefix, subsequent_indent=" * ")) + "\n"
    return "".join(f"{line}\n" for line in textwrap.wrap(text, width, initial_indent=prefix, subsequent_indent=prefix))


def block(head: str, items: Sequence[str], end: str) -> str:
    """Items in braces, in one line or else in as few as possible between those of the braces."""
    line = f"{head} {{ {', '.join(items)} }}{end}\n"
    return line if len(line) <= 100 else f"{head} {{\n{filled('    ', items, ',')}}}{end}\n"


def filled(head: str, items: Sequence[str], end: str) -> str:
    """Items in as few lines as possible, the first of which begins with a head."""
    return textwrap.fill(f"{', '.join(items)}{end}", 100, initial_indent=head, subsequent_indent=" " * len(head)) + "\n"


def declarations(model: Model) -> list[StructType | UnionType]:
    """The types that bots read, each after those that it refers to."""
    return [each for each in model.types if each.name not in NEVER_READ]


def is_optional(field: Field) -> bool:
    """Whether an absent field, or one that is null, has no value."""
    return isinstance(field.type, Nullable) or (not field.always and field.default is None)


def discriminator(of: Type) -> str | None:
    """The sibling field that selects the member of this union; None if its members are tagged, or it isn't a union."""
    match of:
        case ListOf(inner):
            return discriminator(inner)
        case UnionRef(_, by):
            return by
    return None
