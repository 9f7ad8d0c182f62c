"""Messages as C++ structs, which list their fields for the kit's decode.hpp."""

from collections.abc import Iterator, Sequence

from referee.kits.messages.model import (
    WIDE_FIELDS,
    EnumRef,
    Field,
    Kind,
    Model,
    Nullable,
    Spelling,
    TupleOf,
    UnionType,
    comment,
    declarations,
    discriminator,
    filled,
    is_optional,
)

HEADER = """\
// What the referee sends.
//
// Generated from the messages of the protocol: don't edit, the next version of the kit replaces it.
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

/// What decode.hpp has to know of a struct: its fields that are always there, those that may be absent, and one whose
/// kind another one says; and the word for this kind of action or event.
#define READ(...)                                                                                                    \\
    template <class Reader> void read_from(Reader& reader) { (__VA_ARGS__); }
#define FIELDS(...) reader.fields(#__VA_ARGS__, __VA_ARGS__)
#define FIELDS_OR_DEFAULTS(...) reader.fields_or_defaults(#__VA_ARGS__, __VA_ARGS__)
#define FIELD_BY_KIND(name, by) reader.field_by_kind(#name, #by, name)
#define KIND(word) static constexpr std::string_view kind_word = word;
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


def _header(model: Model) -> Iterator[str]:
    yield HEADER
    kinds = {name: word for union in model.unions for word, name in union.members.items()}
    for enum in model.enums:
        yield "\n" + filled(f"WORDS({enum.name}, ", enum.values, ")")
    for each in declarations(model):
        yield "\n" + comment("/// ", each.description)
        if isinstance(each, UnionType):
            yield f"using {each.name} =\n" + filled(
                "    std::variant<", ["std::monostate", *each.members.values()], ">;"
            )
        else:
            kind = f'    KIND("{kinds[each.name]}")\n' if each.name in kinds else ""
            yield f"struct {each.name} {{\n{''.join(map(_field, each.fields))}{_lists(each.fields)}{kind}}};\n"


def _lists(fields: Sequence[Field]) -> str:
    """What decode.hpp has to know of the fields."""
    by_kind = {each.name: by for each in fields if (by := discriminator(each.type)) is not None}
    may_be_absent = [
        each.name
        for each in fields
        if each.name not in by_kind and (each.name == "events" or (not each.always and not is_optional(each)))
    ]
    always = [each.name for each in fields if each.name not in (*by_kind, *may_be_absent)]
    parts = [
        f"{macro}({', '.join(names)})"
        for macro, names in (("FIELDS", always), ("FIELDS_OR_DEFAULTS", may_be_absent))
        if names
    ]
    parts += [f"FIELD_BY_KIND({name}, {by})" for name, by in by_kind.items()]
    return filled("    READ(", parts, ")") if parts else "    template <class Reader> void read_from(Reader&) {}\n"


def _field(field: Field) -> str:
    written = "std::int64_t" if field.name in WIDE_FIELDS else _type(field.type)
    if is_optional(field) and not isinstance(field.type, Nullable):
        written = f"std::optional<{written}>"
    is_plain = written in {"bool", "int", "std::int64_t"} or isinstance(field.type, EnumRef | TupleOf)
    return f"    {written} {field.name}{'{}' if is_plain and not written.startswith('std::opt') else ''};\n"
