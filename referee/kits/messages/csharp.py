"""Messages as C# classes that read themselves from a JsonElement, with the functions of the kit's Json.cs."""

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from referee.kits.messages.model import (
    OF_ALL_GAMES,
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
    block,
    comment,
    declarations,
    discriminator,
    is_optional,
    pascal_case,
    prefix_of,
)

HEADER: Final = """\
// What the referee sends. Generated from the messages of the protocol: don't edit, the next version of the kit
// replaces it.
//
// What a message doesn't have is null. Fields that are not declared here are ignored; a word that is not declared here
// is Unknown, and an action or an event of a kind that is not declared here is null: later versions of the protocol may
// add some.

using System.Collections.Generic;
using System.Text.Json;
"""
WIDTH: Final = 118
NAMES_AND_READERS: Final = {
    Kind.INTEGER: ("int", "Integer"),
    Kind.BOOLEAN: ("bool", "Boolean"),
    Kind.STRING: ("string", "String"),
    Kind.ANY: ("JsonElement", "Any"),
}
"""The type of each kind, and the function that reads it."""


def emit(model: Model) -> str:
    """The file Messages.cs."""
    return "".join(_parts(model))


def _parts(model: Model) -> Iterator[str]:
    yield HEADER
    unions = {name: union.name for union in model.unions for name in union.members.values()}
    for enum in model.enums:
        yield _enum(enum)
    for each in declarations(model):
        if isinstance(each, UnionType):
            for name in each.members.values():
                if name in OF_ALL_GAMES:
                    yield _struct(structs.replace(model.struct(name), name=_class(name, each)), each.name)
            yield _union(each)
        elif each.name not in OF_ALL_GAMES:
            yield _struct(each, unions.get(each.name))


def _class(member: str, union: UnionType) -> str:
    """The name of the class of a member: one of each game for what all games have, as a class has only one base."""
    return member if union.game is None or member not in OF_ALL_GAMES else prefix_of(union.game) + member


def _enum(enum: EnumType) -> str:
    words = [pascal_case(word) for word in ("unknown", *enum.values)]
    return "\n" + block(f"public enum {enum.name}", words, "").replace(" {\n", "\n{\n")


def _summary(text: str) -> str:
    return comment("/// ", f"<summary>{text}</summary>")


def _struct(struct: StructType, union: str | None) -> str:
    base = f" : {union}" if union else ""
    properties = "".join(map(_property, struct.fields))
    parameter = "(JsonElement json)" if properties else ""
    return f"\n{_summary(struct.description)}public sealed class {struct.name}{parameter}{base}\n{{\n{properties}}}\n"


def _property(field: Field) -> str:
    declared, read = f"    public {_property_type(field)} {pascal_case(field.name)} {{ get; }} =", _read_field(field)
    between = " " if len(declared) + len(read) < WIDTH else "\n        "
    return f"{declared}{between}{read};\n"


def _union(union: UnionType) -> str:
    cases = "".join(f'        "{word}" => new {_class(name, union)}(json),\n' for word, name in union.members.items())
    if union.name.endswith("Action"):
        other = (
            f"IReadOnlyList<{union.name}> ReadAll(string kind, JsonElement json) =>\n"
            "        Json.List(json, item => Read(kind, item))"
        )
    else:
        other = f'{union.name} Read(JsonElement json) => Read(Json.String(Json.Field(json, "type")), json)'
    return f"""
{_summary(union.description)}public abstract class {union.name}
{{
    internal static {other};

    internal static {union.name} Read(string kind, JsonElement json) => kind switch
    {{
{cases}        _ => null,
    }};
}}
"""


def _property_type(field: Field) -> str:
    if field.name in WIDE_FIELDS:
        return "long"
    inner = field.type.inner if isinstance(field.type, Nullable) else field.type
    is_value = isinstance(inner, EnumRef) or inner == Primitive(Kind.INTEGER)
    return _type(inner) + ("?" if is_value and is_optional(field) else "")


def _read_field(field: Field) -> str:
    """The expression that reads a field of `json`."""
    if field.name in WIDE_FIELDS:
        return f'Json.Long(Json.Field(json, "{field.name}"))'
    by = discriminator(field.type)
    if by is not None:
        item = field.type.item if isinstance(field.type, ListOf) else field.type
        name = item.name if isinstance(item, UnionRef) else ""
        kind, element = f'Json.String(Json.Field(json, "{by}"))', f'Json.Field(json, "{field.name}")'
        if isinstance(field.type, ListOf):
            return f"{name}.ReadAll({kind}, {element})"
        return f"{name}.Read({kind}, {element})"
    inner = field.type.inner if isinstance(field.type, Nullable) else field.type
    if field.name == "events":
        return f'Json.Optional(json, "events", {_function(inner)})'
    if not is_optional(field) and field.always:
        return _read(inner, f'Json.Field(json, "{field.name}")')
    if isinstance(inner, EnumRef) or inner == Primitive(Kind.INTEGER):
        return f'Json.OptionalValue(json, "{field.name}", {_function(inner)})'
    return f'Json.Optional(json, "{field.name}", {_function(inner)})'


def _function(of: Type) -> str:
    """A function that reads an element."""
    match of:
        case Primitive(kind):
            return f"Json.{NAMES_AND_READERS[kind][1]}"
        case EnumRef(name):
            return f"Json.Word<{name}>"
    return f"each => {_read(of, 'each')}"


def _read(of: Type, value: str) -> str:
    match of:
        case Primitive() | EnumRef():
            return f"{_function(of)}({value})"
        case ListOf(item) | Nullable(ListOf(item)):
            return f"Json.List({value}, {_item_function(item)})"
        case TupleOf(items):
            return f"Json.List({value}, {_item_function(items[0])})"
        case MapOf(inner):
            return f"Json.Map({value}, {_item_function(inner)})"
        case StructRef(name):
            return f"new {name}({value})"
    raise ValueError(f"the kit in C# can't read {of} yet: {__file__} and Json.cs have to say how")


def _item_function(of: Type) -> str:
    match of:
        case UnionRef(name, None):
            return f"{name}.Read"
        case Nullable(EnumRef(name)):
            return f"Json.NullableWord<{name}>"
        case Primitive() | EnumRef():
            return _function(of)
        case ListOf() | TupleOf():
            return f"items => {_read(of, 'items')}"
    return f"item => {_read(of, 'item')}"


def _type(of: Type) -> str:
    match of:
        case Primitive(kind):
            return NAMES_AND_READERS[kind][0]
        case ListOf(item):
            return f"IReadOnlyList<{_type(item)}>"
        case TupleOf(items):
            return f"IReadOnlyList<{_type(items[0])}>"
        case MapOf(value):
            return f"IReadOnlyDictionary<string, {_type(value)}>"
        case Nullable(EnumRef(name)):
            return f"{name}?"
        case Nullable(inner):
            return _type(inner)
        case EnumRef(name) | StructRef(name) | UnionRef(name):
            return name
