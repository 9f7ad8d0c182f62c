"""Messages as records of Java in one class, which the kit's Json.java fills by the names of their components."""

from collections.abc import Iterator
from typing import Final

from referee.kits.messages.model import (
    NEVER_READ,
    WIDE_FIELDS,
    EnumRef,
    EnumType,
    Field,
    Kind,
    ListOf,
    MapOf,
    Model,
    Nullable,
    Primitive,
    Spelling,
    StructType,
    TupleOf,
    Type,
    UnionType,
    block,
)

WIDTH: Final = 116
HEADER: Final = """\
package bot;

import java.util.List;
import java.util.Map;

// Generated from the messages of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends. A value that is absent is null, a list that is absent is empty, and an absent flag is false.
// What this version doesn't know is ignored: unknown fields are left out, an unknown word is UNKNOWN, and an event or
// action of an unknown kind is an Unknown….
final class Messages {
"""
KINDS: Final = {
    Kind.INTEGER: ("int", "Integer"),
    Kind.BOOLEAN: ("boolean", "Boolean"),
    Kind.STRING: ("String", "String"),
    Kind.ANY: ("Json", "Json"),
}
"""The type of each kind, and the same as an object."""


def emit(model: Model) -> str:
    """The file Messages.java."""
    lines = "\n".join(_parts(model)).split("\n")
    return HEADER + "\n".join(f"    {line}" if line else "" for line in lines) + "}\n"


def _parts(model: Model) -> Iterator[str]:
    used = {ref for struct in model.structs for each in struct.fields for ref in _enums_in(each.type)}
    for enum in model.enums:
        if enum.name in used:
            yield _enum(enum)
    game: str | None = None
    for each in model.types:
        if each.game != game:
            game = each.game
            yield f"// -- {game} {'-' * (WIDTH - 7 - len(str(game)))}\n"
        if isinstance(each, UnionType):
            yield _union(each, model)
        elif each.name not in NEVER_READ:
            yield _record(each, [union.name for union in model.unions if each.name in union.members.values()])


def _enums_in(wanted: Type) -> Iterator[str]:
    match wanted:
        case EnumRef(name):
            yield name
        case ListOf(inner) | MapOf(inner) | Nullable(inner):
            yield from _enums_in(inner)
        case TupleOf(items):
            yield from _enums_in(items[0])


def _enum(enum: EnumType) -> str:
    return block(f"enum {enum.name}", [word.upper() for word in (*enum.values, "unknown")], "")


def _record(struct: StructType, unions: list[str]) -> str:
    parameters = [f"{_type(each)} {_camel(each.name)}" for each in struct.fields]
    suffix = f" implements {', '.join(unions)}" if unions else ""
    return f"/** {struct.description} */\n{_call(f'record {struct.name}(', parameters, f'){suffix} {{}}')}"


def _union(union: UnionType, model: Model) -> str:
    members = list(union.members.values())
    unknown = f"Unknown{union.name}"
    by = "decision" if model.struct(members[0]).tag is None else "type"
    cases = "".join(f'            case "{word}" -> {name}.class;\n' for word, name in union.members.items())
    return (
        f"/** {union.description} */\n"
        + _call(f"sealed interface {union.name} permits ", [*members, unknown], " {")
        + f"""\
    static Class<? extends {union.name}> {by}(String {by}) {{
        return switch ({by}) {{
{cases}            default -> {unknown}.class;
        }};
    }}
}}

/** What this version doesn't know. */
record {unknown}(@Json.Whole Json json) implements {union.name} {{}}
"""
    )


def _call(start: str, parts: list[str], end: str) -> str:
    line = start + ", ".join(parts) + end
    if len(line) <= WIDTH:
        return line + "\n"
    return start.rstrip() + "\n" + ",\n".join(f"        {part}" for part in parts) + end + "\n"


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)


def _type(field: Field) -> str:
    if field.name in WIDE_FIELDS:
        return "long"
    match field.type:
        case Primitive(Kind.INTEGER) if not field.always:
            return "Integer"
        case Primitive(kind):
            return KINDS[kind][0]
        case other:
            return _boxed(other)


_boxed = Spelling({kind: boxed for kind, (_, boxed) in KINDS.items()}, list_of="List<{}>", map_of="Map<String, {}>")
"""The name of a type as an argument of a generic type."""
