"""Messages as C structs, and the functions that read them from JSON with the kit's decode.h."""

from collections.abc import Iterator

from referee.kits.messages.model import (
    READ_MESSAGES,
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
    filled,
    is_optional,
    snake_case,
)

GENERATED = """\
/* {}.
 *
 * Generated from the messages of the protocol: don't edit, the next version of the kit replaces it."""
HEADER = """
 *
 * Lists have a further field, NAME_count. Of a field that may be absent, has_NAME says whether it is there; a pointer
 * to a struct is NULL, an enum ..._UNKNOWN and a bool false where it isn't. Fields that are not declared here are
 * ignored, and a word that is not declared here is ..._UNKNOWN: later versions of the protocol may add some.
 *
 * Everything that a message refers to is in the arena that it was read into. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "json.h"

typedef int integer_pair[2];
"""
PRIMITIVES = {
    Kind.INTEGER: "int ",
    Kind.BOOLEAN: "bool ",
    Kind.STRING: "const char *",
    Kind.ANY: "const struct json *",
}
READERS = {
    Kind.INTEGER: "read_integer",
    Kind.BOOLEAN: "read_boolean",
    Kind.STRING: "read_string",
    Kind.ANY: "read_any",
}


def emit_header(model: Model) -> str:
    """The file messages.h."""
    return "".join(map(_wrapped, "".join(_header(model)).splitlines()))


def emit_source(model: Model) -> str:
    """The file messages.c."""
    return "".join(map(_wrapped, "".join(_source(model)).splitlines()))


def _header(model: Model) -> Iterator[str]:
    yield GENERATED.format("What the referee sends") + HEADER
    for enum in model.enums:
        words = [_constant(enum.name, word) for word in ("unknown", *enum.values)]
        yield "\n" + block(f"enum {snake_case(enum.name)}", words, ";")
    seen: set[MapOf] = set()
    for each in declarations(model):
        for part in _new_maps(each, seen):
            yield f"\n/* A member of an object with any names. */\nstruct {_entry(part)} {{\n"
            yield f"    const char *name;\n{_declare(part.value, 'value')}}};\n"
        if isinstance(each, UnionType):
            yield _union_header(each)
        elif each.fields:
            fields = "".join(_field(field) for field in each.fields)
            yield f"\n{comment('/* ', each.description)}struct {snake_case(each.name)} {{\n{fields}}};\n"
    yield "\n/* The word as it is in messages. */\n"
    yield "".join(
        f"const char *{snake_case(enum.name)}_word(enum {snake_case(enum.name)} word);\n" for enum in model.enums
    )
    yield """
/* Each reads a message into `out` and `arena`. Where it is not as the protocol says, it returns false, and `problem`
 * says what is wrong. */
"""
    for each in _messages(model):
        yield f"{_signature(each)};\n"
    yield "\n#endif\n"


def _messages(model: Model) -> list[StructType]:
    return [each for each in model.structs if each.tag in READ_MESSAGES and each.fields]


def _signature(struct: StructType) -> str:
    name = snake_case(struct.name)
    return (
        f"bool read_{name}(struct arena *arena, const struct json *value, struct {name} *out, char problem[static 100])"
    )


def _constant(enum: str, word: str) -> str:
    return f"{snake_case(enum)}_{word}".upper()


def _new_maps(of: StructType | UnionType, seen: set[MapOf]) -> Iterator[MapOf]:
    """The types of maps in a struct that are not among those seen, which they are added to."""
    for field in of.fields if isinstance(of, StructType) else ():
        if isinstance(field.type, MapOf) and field.type not in seen:
            seen.add(field.type)
            yield field.type


def _entry(of: MapOf) -> str:
    return f"{_word(of.value)}_entry"


def _word(of: Type) -> str:
    """A type as a part of a name."""
    match of:
        case Primitive(kind):
            return kind.value
        case ListOf(item):
            return f"{_word(item)}_list"
        case TupleOf(items):
            return f"{_word(items[0])}_tuple"
        case MapOf(value):
            return f"{_word(value)}_map"
        case Nullable(inner):
            return _word(inner)
        case EnumRef(name) | StructRef(name) | UnionRef(name):
            return snake_case(name)


def _union_header(union: UnionType) -> str:
    name = snake_case(union.name)
    constants = [_constant(union.name, word) for word in ("unknown", *union.members)]
    members = "".join(f"        struct {snake_case(struct)} {word};\n" for word, struct in union.members.items())
    return (
        f"\n{block(f'enum {name}_kind', constants, ';')}\n{comment('/* ', union.description)}"
        f"struct {name} {{\n    enum {name}_kind kind;\n    union {{\n{members}    }} as;\n}};\n"
    )


def _field(field: Field) -> str:
    if field.name in WIDE_FIELDS:
        return f"    int64_t {field.name};\n"
    inner = field.type.inner if isinstance(field.type, Nullable) else field.type
    if is_optional(field):
        if isinstance(inner, StructRef):
            return f"    const struct {snake_case(inner.name)} *{field.name};\n"
        if _needs_flag(inner):
            return f"    bool has_{field.name};\n{_declare(inner, field.name)}"
    return _declare(inner, field.name)


def _needs_flag(of: Type) -> bool:
    """Whether an absent field of this type needs another to say so."""
    return isinstance(of, ListOf) or of in {Primitive(Kind.INTEGER), Primitive(Kind.STRING)}


def _declare(of: Type, name: str) -> str:
    match of:
        case ListOf(TupleOf() as item):  # C11 has no conversion to a pointer to const arrays
            return f"    {_c_type(item)}*{name};\n    size_t {name}_count;\n"
        case ListOf(item):
            const = "" if _c_type(item).startswith("const ") else "const "
            return f"    {const}{_c_type(item)}*{name};\n    size_t {name}_count;\n"
        case MapOf():
            return f"    const struct {_entry(of)} *{name};\n    size_t {name}_count;\n"
        case TupleOf(items):
            return f"    {_c_type(items[0])}{name}[{len(items)}];\n"
    return f"    {_c_type(of)}{name};\n"


def _c_type(of: Type) -> str:
    """A type as it is written before a name: with a space where it needs one."""
    match of:
        case Primitive(kind):
            return PRIMITIVES[kind]
        case Nullable(inner):
            return _c_type(inner)
        case TupleOf((Primitive(Kind.INTEGER), Primitive(Kind.INTEGER))):
            return "integer_pair "
        case EnumRef(name):
            return f"enum {snake_case(name)} "
        case StructRef(name) | UnionRef(name):
            return f"struct {snake_case(name)} "
    raise ValueError(f"the kit in C can't express {of} yet: {__file__} and decode.h have to say how")


# -- messages.c ------------------------------------------------------------------------------------------------------


def _source(model: Model) -> Iterator[str]:
    yield GENERATED.format("How the messages of the referee are read") + " */\n"
    yield '#include "messages.h"\n\n#include "decode.h"\n'
    for enum in model.enums:
        yield _enum_source(enum)
    seen: set[MapOf] = set()
    for each in declarations(model):
        for part in _new_maps(each, seen):
            read = _read(part.value, "value", "value")
            yield f"\n{_function(_entry(part))}    out->name = value->name;\n    {read};\n}}\n"
        if isinstance(each, UnionType):
            yield _union_source(each)
        elif each.fields:
            yield _struct_source(each)


def _enum_source(enum: EnumType) -> str:
    return "\n" + filled(f"WORDS({snake_case(enum.name)}, ", [f'"{word}"' for word in enum.values], ")")


def _struct_source(struct: StructType) -> str:
    name = snake_case(struct.name)
    lines = "".join(map(_read_field, struct.fields))
    if struct.tag in READ_MESSAGES:
        return (
            f"\n{_signature(struct)} {{\n"
            "    struct decoder state = {.arena = arena}, *decoder = &state;\n"
            f"    *out = (struct {name}){{0}};\n{lines}    return decoded(decoder, problem);\n}}\n"
        )
    return f"\n{_function(name)}{lines}}}\n"


def _function(name: str) -> str:
    """The first line of the function that reads this struct."""
    return f"READER({name}) {{\n"


def _wrapped(line: str) -> str:
    """A line of at most 120 characters and its line end, or two lines."""
    if len(line) <= 120:
        return line + "\n"
    at = line.rindex(", ", 0, 110) + 1
    return f"{line[:at]}\n{' ' * (line.index('(') + 1)}{line[at:].strip()}\n"


def _read_field(field: Field) -> str:
    if field.name in WIDE_FIELDS:
        return f"    REQUIRED({field.name}, read_wide_integer);\n"
    inner = field.type.inner if isinstance(field.type, Nullable) else field.type
    required = f'required(decoder, value, "{field.name}")'
    by = discriminator(inner)
    if by is not None and isinstance(inner, ListOf | UnionRef):
        item = inner.item if isinstance(inner, ListOf) else inner
        kind = f'required(decoder, value, "{by}")'
        union = snake_case(item.name) if isinstance(item, UnionRef) else ""
        if isinstance(inner, UnionRef):
            return f"    read_{union}(decoder, {kind}, {required}, &out->{field.name});\n"
        return f"    READ_LIST_AS({kind}, {required}, out->{field.name}, struct {union}, read_{union});\n"
    if field.always and field.name != "events" and not isinstance(field.type, Nullable):
        if isinstance(inner, ListOf | MapOf | TupleOf):
            return f"    {_read(inner, required, field.name)};\n"
        return f"    REQUIRED({field.name}, {_reader(inner)});\n"
    if isinstance(inner, StructRef):
        name = snake_case(inner.name)
        read = f"READ_STRUCT(part, out->{field.name}, struct {name}, read_{name})"
    else:
        flag = f"out->has_{field.name} = true; " if is_optional(field) and _needs_flag(inner) else ""
        read = flag + _read(inner, "part", field.name)
    return f"    OPTIONAL({field.name}, {read});\n"


def _read(of: Type, value: str, name: str) -> str:
    match of:
        case ListOf(item):
            return f"READ_LIST({value}, out->{name}, {_c_type(item).strip()}, {_reader(item)})"
        case MapOf():
            return f"READ_MEMBERS({value}, out->{name}, struct {_entry(of)}, read_{_entry(of)})"
        case TupleOf(items):
            return f"READ_ARRAY({value}, out->{name}, {_reader(items[0])})"
    return f"{_reader(of)}(decoder, {value}, &out->{name})"


def _reader(of: Type) -> str:
    match of:
        case Primitive(kind):
            return READERS[kind]
        case Nullable(EnumRef(name)) | EnumRef(name) | StructRef(name) | UnionRef(name):
            return f"read_{snake_case(name)}"
        case TupleOf((Primitive(Kind.INTEGER), Primitive(Kind.INTEGER))):
            return "read_integer_pair"
    raise ValueError(f"the kit in C can't read {of} yet: {__file__} and decode.h have to say how")


def _union_source(union: UnionType) -> str:
    name = snake_case(union.name)
    cases = "".join(
        f"    READ_IF({word}, {_constant(union.name, word)}, read_{snake_case(struct)});\n"
        for word, struct in union.members.items()
    )
    if union.name.endswith("Action"):
        return f"\nREADER_OF_KIND({name}) {{\n{cases}}}\n"
    return f'\n{_function(name)}    const struct json *kind = required(decoder, value, "type");\n{cases}}}\n'
