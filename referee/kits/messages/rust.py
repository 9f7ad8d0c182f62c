"""Messages as Rust structs and enums, declared with the macros of the kit's decode.rs."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from referee.kits.messages.model import (
    EnumType,
    Field,
    Kind,
    Model,
    Nullable,
    Spelling,
    StructType,
    UnionType,
    comment,
    declarations,
    discriminator,
    is_optional,
    pascal_case,
    prefix_of,
)

HEADER = """\
//! What the referee sends. Generated from the messages of the protocol: don't edit, the next version of the kit
//! replaces it.
//!
//! `Option` fields are `None` where the message doesn't have them. Fields that are not declared here are ignored, and a
//! word that is not declared here is `Unknown`: later versions of the protocol may add some.

// A bot that reads only some of the fields is no reason for a warning.
#![allow(dead_code)]

use crate::decode::{choices, structs, words};
use crate::json::Json;
use std::collections::BTreeMap;
"""
_type = Spelling(
    {Kind.INTEGER: "i64", Kind.BOOLEAN: "bool", Kind.STRING: "String", Kind.ANY: "Json<'static>"},
    list_of="Vec<{}>",
    map_of="BTreeMap<String, {}>",
    nullable="Option<{}>",
    tuple_of=lambda items: f"({', '.join(items)})",
)


def emit(model: Model) -> str:
    """The file messages.rs."""
    blocks = groupby(_parts(model), key=itemgetter(0))
    return HEADER + "".join(
        f"\n{macro}! {{\n" + "\n".join(body for _, body in parts) + "}\n" for macro, parts in blocks
    )


def _parts(model: Model) -> Iterator[tuple[str, str]]:
    """Each type: the macro that declares it, and the declaration."""
    for enum in model.enums:
        yield "words", _enum(enum)
    for each in declarations(model):
        yield ("choices", _union(each)) if isinstance(each, UnionType) else ("structs", _struct(each))


def _enum(enum: EnumType) -> str:
    words = "".join(f'        {pascal_case(word)} = "{word}",\n' for word in enum.values)
    return f"    pub enum {enum.name} {{\n{words}    }}\n"


def _struct(struct: StructType) -> str:
    description = comment("    /// ", struct.description)
    if not struct.fields:
        return f"{description}    pub struct {struct.name} {{}}\n"
    fields = "".join(f"        {each.name}: {_field_type(each)},\n" for each in struct.fields)
    return f"{description}    pub struct {struct.name} {{\n{fields}    }}\n"


def _union(union: UnionType) -> str:
    prefix = "" if union.game is None else prefix_of(union.game)
    members = "".join(
        f'        {name.removeprefix(prefix)}({name}) = "{word}",\n' for word, name in union.members.items()
    )
    description = comment("    /// ", union.description)
    by = "" if union.name.endswith("Action") else ' by "type"'
    return f"{description}    pub enum {union.name}{by} {{\n{members}    }}\n"


def _field_type(field: Field) -> str:
    written = _type(field.type)
    by = discriminator(field.type)
    if is_optional(field) and not isinstance(field.type, Nullable):
        written = f"Option<{written}>"
    elif not field.always and field.default is False:
        written = f"{written} = false"
    elif field.name == "events":
        written = f"{written} = Vec::new()"
    return f"{written} => by {by}" if by else written
