"""Names of types and words as the conventions of a language want them, and types in the order in which they are declared."""

import re
import textwrap
from collections.abc import Iterator

from tests.generate.messages.model import Field, ListOf, Model, Nullable, StructType, Type, UnionRef, UnionType

SENT_TO_BOTS = ("Ready", "Answer", "ActParts")
"""Structs that bots write and never read."""
READ_MESSAGES = ("hello", "fault", "quit", "start", "act", "end")
"""The tags of messages that a bot reads."""


def snake_case(name: str) -> str:
    """`DragonActionGroup` as `dragon_action_group`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal_case(word: str) -> str:
    """`court_lady` as `CourtLady`."""
    return "".join(part.capitalize() for part in word.split("_"))


def comment(prefix: str, text: str, width: int = 100) -> str:
    """A comment of as many lines as needed, each with a line end."""
    if prefix == "/* ":
        return "\n".join(textwrap.wrap(f"{text} */", width, initial_indent=prefix, subsequent_indent=" * ")) + "\n"
    return "".join(f"{line}\n" for line in textwrap.wrap(text, width, initial_indent=prefix, subsequent_indent=prefix))


def declarations(model: Model, skip: tuple[str, ...] = SENT_TO_BOTS) -> Iterator[StructType | UnionType]:
    """What bots read, each type after those that it refers to."""
    pending = list(model.unions)
    for struct in model.structs:
        if struct.name in skip:
            continue
        yield struct
        for union in [each for each in pending if list(each.members.values())[-1] == struct.name]:
            pending.remove(union)
            yield union


def is_optional(field: Field) -> bool:
    """Whether an absent field, or one that is null, has no value."""
    return isinstance(field.type, Nullable) or (not field.always and field.default is None)


def discriminator(of: Type) -> str | None:
    """The field beside this one that says which member of a union it is; None if it says so itself, or is no union."""
    match of:
        case ListOf(inner):
            return discriminator(inner)
        case UnionRef(_, by):
            return by
    return None
