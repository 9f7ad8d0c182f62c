"""Messages as records of Java in one class, each with a function that reads it from JSON."""

from collections.abc import Iterator
from typing import Final

from tests.generate.messages.model import (
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
    StructRef,
    StructType,
    TupleOf,
    Type,
    UnionRef,
    UnionType,
)
from tests.generate.messages.names import Spelling

WIDTH: Final = 116
HEADER: Final = """\
package bot;

import java.util.List;
import java.util.Locale;
import java.util.Map;

// Generated from the JSON Schema of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends. A value that is absent is null, a list that is absent is empty, and an absent flag is false.
// What this version doesn't know is ignored: unknown fields are left out, an unknown word is UNKNOWN, and an event or
// action of an unknown kind is an Unknown….
final class Messages {
    /** The constant that a word of a message names, or UNKNOWN. */
    private static <E extends Enum<E>> E word(Class<E> kind, Json json) {
        for (E each : kind.getEnumConstants()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(json.asString())) {
                return each;
            }
        }
        return Enum.valueOf(kind, "UNKNOWN");
    }

"""
READERS: Final = {
    Kind.INTEGER: ("int", "Integer", "asInt"),
    Kind.BOOLEAN: ("boolean", "Boolean", "asBoolean"),
    Kind.STRING: ("String", "String", "asString"),
    Kind.ANY: ("Json", "Json", "self"),
}
"""The type of each kind, the same as an object, and the method of Json that reads it."""


def emit(model: Model) -> str:
    """The file Messages.java."""
    lines = "\n".join(_parts(model)).split("\n")
    return HEADER + "\n".join(f"    {line}" if line else "" for line in lines) + "}\n"


def _parts(model: Model) -> Iterator[str]:
    used = {ref for struct in model.structs for each in struct.fields for ref in _enums_in(each.type)}
    for enum in model.enums:
        if enum.name in used:
            yield _enum(enum)
    implements = {member: union.name for union in model.unions for member in union.members.values()}
    game: str | None = None
    for each in model.types:
        if each.game != game:
            game = each.game
            yield f"// -- {game} {'-' * (WIDTH - 7 - len(str(game)))}\n"
        if isinstance(each, UnionType):
            yield _union(each, model)
        elif each.tag not in ("ready", "action") and each.name != "ActParts":
            yield _record(each, implements.get(each.name))


def _enums_in(wanted: Type) -> Iterator[str]:
    match wanted:
        case EnumRef(name):
            yield name
        case ListOf(inner) | MapOf(inner) | Nullable(inner):
            yield from _enums_in(inner)
        case TupleOf(items):
            yield from _enums_in(items[0])


def _enum(enum: EnumType) -> str:
    body = "".join(f"    {word.upper()},\n" for word in enum.values)
    return f"""\
enum {enum.name} {{
{body}    UNKNOWN;

    static {enum.name} from(Json json) {{
        return word({enum.name}.class, json);
    }}
}}
"""


def _record(struct: StructType, implements: str | None) -> str:
    parameters = [f"{_type(each)} {_camel(each.name)}" for each in struct.fields]
    arguments = [_read(each) for each in struct.fields]
    suffix = f" implements {implements}" if implements else ""
    return (
        f"/** {struct.description} */\n"
        + _call(f"record {struct.name}(", parameters, f"){suffix} {{", "")
        + "\n"
        + f"    static {struct.name} from(Json json) {{\n"
        + _call(f"        return new {struct.name}(", arguments, ");", "        ")
        + "    }\n}\n"
    )


def _union(union: UnionType, model: Model) -> str:
    members = list(union.members.values())
    unknown = f"Unknown{union.name}"
    by_decision = model.struct(members[0]).tag is None
    parameter, choice = ("String decision, Json json", "decision") if by_decision else ("Json json", None)
    cases = "".join(f'            case "{word}" -> {name}.from(json);\n' for word, name in union.members.items())
    return (
        f"/** {union.description} */\n"
        + _call(f"sealed interface {union.name} permits ", [*members, unknown], " {", "")
        + f"""\
    static {union.name} from({parameter}) {{
        return switch ({choice or 'json.get("type").asString()'}) {{
{cases}            default -> new {unknown}(json);
        }};
    }}
}}

/** What this version doesn't know. */
record {unknown}(Json json) implements {union.name} {{
}}
"""
    )


def _call(start: str, parts: list[str], end: str, indent: str) -> str:
    line = start + ", ".join(parts) + end
    if len(line) <= WIDTH:
        return line + "\n"
    inner = indent + "    " * 2
    return start.rstrip() + "\n" + ",\n".join(inner + part for part in parts) + end + "\n"


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
            return READERS[kind][0]
        case other:
            return _boxed(other)


_boxed = Spelling(
    {kind: boxed for kind, (_, boxed, _) in READERS.items()}, list_of="List<{}>", map_of="Map<String, {}>"
)
"""The name of a type as an argument of a generic type."""


def _read(field: Field) -> str:
    """An expression that reads a field of `json`."""
    value = f'json.get("{field.name}")'
    if field.name in WIDE_FIELDS:
        return f"{value}.asLong()"
    match field.type:
        case Primitive(Kind.ANY):
            return value
        case Primitive(Kind.STRING | Kind.BOOLEAN as kind):
            return f"{value}.{READERS[kind][2]}()"
        case Primitive() if field.always:
            return f"{value}.asInt()"
        case UnionRef(name, by) if by is not None:
            return f'{name}.from(json.get("{by}").asString(), {value})'
        case ListOf(item) | TupleOf((item, *_)):
            return f"{value}.asList({_reader(item)})"
        case MapOf(inner):
            return f"{value}.asMap({_reader(inner)})"
    if field.always and not isinstance(field.type, Nullable):
        return f"{_boxed(field.type)}.from({value})"
    return f"{value}.orNull({_reader(field.type)})"


def _reader(wanted: Type) -> str:
    """A function from Json to a value."""
    match wanted:
        case Primitive(kind):
            return f"Json::{READERS[kind][2]}"
        case ListOf(item):
            return f"each -> each.asList({_reader(item)})"
        case TupleOf(items):
            return f"each -> each.asList({_reader(items[0])})"
        case MapOf(value):
            return f"each -> each.asMap({_reader(value)})"
        case Nullable(inner):
            return f"each -> each.orNull({_reader(inner)})"
        case UnionRef(name, by) if by is not None:
            return f'each -> {name}.from(json.get("{by}").asString(), each)'
        case EnumRef(name) | StructRef(name) | UnionRef(name):
            return f"{name}::from"
