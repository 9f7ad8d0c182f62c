"""Messages as C++ structs, and the functions that read them from JSON with the kit's decode.hpp."""

from collections.abc import Iterator

from tests.generate.messages.model import (
    WIDE_FIELDS,
    EnumRef,
    Field,
    Kind,
    Model,
    Nullable,
    StructType,
    TupleOf,
    UnionType,
)
from tests.generate.messages.names import Spelling, comment, declarations, discriminator, filled, is_optional

GENERATED = """\
// {}.
//
// Generated from the JSON Schema of the protocol: don't edit, the next version of the kit replaces it.
"""
HEADER = """\
//
// A std::optional is empty where the message doesn't have the field. Fields that are not declared here are ignored; a
// word that is not declared here is `unknown`, and a struct that is not declared here is std::monostate: later versions
// of the protocol may add some.
#pragma once

#include "json.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

/// An enum, and its words as they are in messages.
#define WORDS(Enum, ...)                                                                                             \\
    enum class Enum { unknown, __VA_ARGS__ };                                                                        \\
    constexpr std::string_view words_of(Enum) { return "unknown, " #__VA_ARGS__; }

/// The word of an enum as it is in messages.
template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>> constexpr std::string_view to_string(Enum word) {
    std::string_view words = words_of(word);
    for (int number = static_cast<int>(word); number > 0; --number) {
        words.remove_prefix(words.find(", ") + 2);
    }
    return words.substr(0, words.find(", "));
}
"""
_type = Spelling(
    {Kind.INTEGER: "int", Kind.BOOLEAN: "bool", Kind.STRING: "std::string", Kind.ANY: "json::Value"},
    list_of="std::vector<{}>",
    map_of="std::map<std::string, {}>",
    nullable="std::optional<{}>",
    tuple_of=lambda items: f"std::array<{items[0]}, {len(items)}>",
)


def emit_header(model: Model) -> str:
    """The file messages.hpp."""
    return "".join(_header(model))


def emit_readers(model: Model) -> str:
    """The file read_messages.hpp."""
    return "".join(_readers(model))


def _header(model: Model) -> Iterator[str]:
    yield GENERATED.format("What the referee sends") + HEADER
    for enum in model.enums:
        yield "\n" + filled(f"WORDS({enum.name}, ", enum.values, ")")
    for each in declarations(model):
        yield "\n" + comment("/// ", each.description)
        if isinstance(each, UnionType):
            yield f"using {each.name} =\n" + filled(
                "    std::variant<", ["std::monostate", *each.members.values()], ">;"
            )
        else:
            yield f"struct {each.name} {{\n{''.join(_field(field) for field in each.fields)}}};\n"


def _field(field: Field) -> str:
    written = "std::int64_t" if field.name in WIDE_FIELDS else _type(field.type)
    if is_optional(field) and not isinstance(field.type, Nullable):
        written = f"std::optional<{written}>"
    is_plain = written in {"bool", "int", "std::int64_t"} or isinstance(field.type, EnumRef | TupleOf)
    return f"    {written} {field.name}{'{}' if is_plain and not written.startswith('std::opt') else ''};\n"


def _readers(model: Model) -> Iterator[str]:
    yield GENERATED.format("How the messages of the referee are read")
    yield '#pragma once\n\n#include "decode.hpp"\n#include "messages.hpp"\n'
    for each in declarations(model):
        yield _union_reader(each) if isinstance(each, UnionType) else _struct_reader(each)


def _struct_reader(struct: StructType) -> str:
    lines = "".join(f"    {_read(each)}\n" for each in struct.fields)
    if not struct.fields:
        return f"\ninline void read(const json::Value&, const char*, {struct.name}&) {{}}\n"
    return f"\ninline void read(const json::Value& value, const char*, {struct.name}& out) {{\n{lines}}}\n"


def _read(field: Field) -> str:
    by = discriminator(field.type)
    if by is not None:
        return f'field_as(value, "{field.name}", "{by}", out.{field.name});'
    may_be_absent = field.name == "events" or (not field.always and not is_optional(field))
    return f'{"field_or_default" if may_be_absent else "field"}(value, "{field.name}", out.{field.name});'


def _union_reader(union: UnionType) -> str:
    cases = "".join(
        f'    read_if<{name}>(kind == "{word}", value, name, out);\n' for word, name in union.members.items()
    )
    text = (
        "\ninline void read_as(std::string_view kind, const json::Value& value, const char* name, "
        f"{union.name}& out) {{\n    out = std::monostate{{}};\n{cases}}}\n"
    )
    if not union.name.endswith("Action"):
        text += (
            f"\ninline void read(const json::Value& value, const char* name, {union.name}& out) {{\n"
            '    std::string kind;\n    field(value, "type", kind);\n    read_as(kind, value, name, out);\n}\n'
        )
    return text
