"""Messages as Go structs for encoding/json, laid out as gofmt does."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.kits.messages.model import (
    WIDE_FIELDS,
    EnumType,
    Field,
    Kind,
    ListOf,
    Model,
    Nullable,
    Primitive,
    Spelling,
    StructRef,
    StructType,
    Type,
    UnionRef,
    UnionType,
    comment,
    declarations,
    discriminator,
    is_optional,
    pascal_case,
)

HEADER: Final = """\
// What the referee sends. Generated from the messages of the protocol: DO NOT EDIT, the next version of the kit
// replaces it.
//
// Where a message doesn't have a field, a pointer or a list is nil, and a string is empty. Fields that are not declared
// here are ignored; an action or an event of a kind that is not declared here is nil: later versions of the protocol
// may add some.

package main

import "encoding/json"

// readActions reads the actions of a decision.
func readActions[T any](decision string, items []json.RawMessage,
	read func(string, json.RawMessage) (T, error)) (out []T, err error) {
	out = make([]T, len(items))
	for i := 0; i < len(items) && err == nil; i++ {
		out[i], err = read(decision, items[i])
	}
	return out, err
}

// readEvents reads events by their types.
func readEvents[T any](data []byte, read func(string, json.RawMessage) (T, error)) (out []T, err error) {
	var items []json.RawMessage
	err = json.Unmarshal(data, &items)
	out = make([]T, len(items))
	for i := 0; i < len(items) && err == nil; i++ {
		var kind struct{ Type string }
		if err = json.Unmarshal(items[i], &kind); err == nil {
			out[i], err = read(kind.Type, items[i])
		}
	}
	return out, err
}
"""


def emit(model: Model) -> str:
    """The file messages.go."""
    return "".join(_parts(model))


def _parts(model: Model) -> Iterator[str]:
    yield HEADER
    for enum in model.enums:
        yield _enum(enum)
    for each in declarations(model):
        yield _union(each) if isinstance(each, UnionType) else _struct(each)


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows with aligned columns, the last one ragged, as lines of a block."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = (
        " ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    )
    return "".join(f"\t{line}\n" for line in lines)


def _enum(enum: EnumType) -> str:
    rows = [(f"{enum.name}{pascal_case(word)}", enum.name, f'= "{word}"') for word in enum.values]
    return f"\ntype {enum.name} string\n\nconst (\n{_columns(rows)})\n"


def _struct(struct: StructType) -> str:
    head = f"\n{comment('// ', f'{struct.name}: {struct.description}')}type {struct.name} struct"
    if not struct.fields:
        return head + "{}\n"
    rows = [(_field_name(each.name), _field_type(each), f'`json:"{each.name}"`') for each in struct.fields]
    by_kind = [each for each in struct.fields if discriminator(each.type)]
    rows = [(*row[:2], '`json:"-"`') if each in by_kind else row for row, each in zip(rows, struct.fields, strict=True)]
    text = f"{head} {{\n{_columns(rows)}}}\n"
    return text + (_unmarshal(struct, by_kind[0]) if by_kind else "")


def _unmarshal(struct: StructType, field: Field) -> str:
    """The method that reads a struct with a field whose kind is said by another field."""
    name, by = _field_name(field.name), _field_name(discriminator(field.type) or "")
    of = field.type.item if isinstance(field.type, ListOf) else field.type
    union = of.name if isinstance(of, UnionRef) else ""
    if isinstance(field.type, ListOf):
        raw, read = "[]json.RawMessage", f"readActions(message.{by}, message.{name}, read{union})"
    else:
        raw, read = "json.RawMessage", f"read{union}(message.{by}, message.{name})"
    return f"""
func (out *{struct.name}) UnmarshalJSON(data []byte) error {{
\ttype fields {struct.name}
\tmessage := struct {{
\t\t*fields
\t\t{name} {raw} `json:"{field.name}"`
\t}}{{fields: (*fields)(out)}}
\terr := json.Unmarshal(data, &message)
\tif err == nil {{
\t\tout.{name}, err = {read}
\t}}
\treturn err
}}
"""


def _union(union: UnionType) -> str:
    members = [f"*{name}" for name in union.members.values()]
    kinds = comment("// ", f"{union.name}: {union.description} One of {', '.join(members)}.")
    cases = "".join(f'\tcase "{word}":\n\t\tout = new({name})\n' for word, name in union.members.items())
    width = max(map(len, members))
    marks = "".join(f"func ({name}) is{union.name}(){' ' * (width - len(name))} {{}}\n" for name in members)
    text = f"""
{kinds}type {union.name} interface{{ is{union.name}() }}

{marks}
func read{union.name}(kind string, data json.RawMessage) (out {union.name}, err error) {{
\tswitch kind {{
{cases}\tdefault:
\t\treturn nil, nil
\t}}
\treturn out, json.Unmarshal(data, out)
}}
"""
    if union.name.endswith("Action"):
        return text
    return f"""{text}
type {union.name}s []{union.name}

func (out *{union.name}s) UnmarshalJSON(data []byte) (err error) {{
\t*out, err = readEvents(data, read{union.name})
\treturn err
}}
"""


def _field_name(name: str) -> str:
    return {"id": "ID", "game_id": "GameID"}.get(name) or pascal_case(name)


def _field_type(field: Field) -> str:
    if field.name in WIDE_FIELDS:
        return "int64"
    inner = field.type.inner if isinstance(field.type, Nullable) else field.type
    has_no_zero = isinstance(inner, StructRef) or inner == Primitive(Kind.INTEGER)
    return f"*{_type(inner)}" if is_optional(field) and has_no_zero else _type(inner)


def _type(of: Type) -> str:
    match of:
        case ListOf(UnionRef(name, None)):
            return f"{name}s"
    return _spelled(of)


_spelled = Spelling(
    {Kind.INTEGER: "int", Kind.BOOLEAN: "bool", Kind.STRING: "string", Kind.ANY: "json.RawMessage"},
    list_of="[]{}",
    map_of="map[string]{}",
    tuple_of=lambda items: f"[{len(items)}]{items[0]}",
)
