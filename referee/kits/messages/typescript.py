"""Messages as types of TypeScript, for the TypeScript kit and, as declarations, for the JavaScript kit."""

from collections.abc import Iterator
from typing import Final

from referee.kits.messages.model import (
    READ_MESSAGES,
    Field,
    Kind,
    Model,
    Spelling,
    StructType,
    UnionType,
)

WIDTH: Final = 120
HEADER: Final = """\
// Generated from the messages of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends and what it accepts. Every message is the plain object that JSON.parse makes of its line;
// nothing is checked or copied when the bot runs. Optional fields are missing where they have no value. Ignore fields
// that you don't know: later versions may add some.

"""
_name = Spelling(
    {Kind.INTEGER: "number", Kind.BOOLEAN: "boolean", Kind.STRING: "string", Kind.ANY: "unknown"},
    list_of="{}[]",
    map_of="Record<string, {}>",
    nullable="{} | null",
    tuple_of=lambda items: f"[{', '.join(items)}]",
)


def emit(model: Model) -> str:
    """The file messages.ts or messages.d.ts."""
    return HEADER + "\n".join(_parts(model))


def _parts(model: Model) -> Iterator[str]:
    for enum in model.enums:
        yield _alias(enum.name, [f'"{word}"' for word in enum.values])
    game: str | None = None
    for each in model.types:
        if each.game != game:
            game = each.game
            yield f"// -- {game} {'-' * (WIDTH - 7 - len(str(game)))}\n"
        if isinstance(each, UnionType):
            yield _doc(each.description) + _alias(each.name, list(each.members.values()))
        elif each.tag == "act":
            yield from _acts(each, model)
        else:
            yield _interface(each.name, each.description, [*_tag(each), *map(_field, each.fields)])
    names = [each.name for each in model.structs if each.tag in READ_MESSAGES]
    yield _doc("Everything that the referee sends.") + _alias("Message", names)


def _acts(act: StructType, model: Model) -> Iterator[str]:
    """A type per kind of decision, so that `act.decision === …` tells the type of its `legal` too."""
    actions, fields = model.questions(act)
    common = [*_tag(act), *map(_field, fields)]
    yield _interface(f"{act.name}Parts", "What all questions of this game have.", common)
    names = []
    for decision, action in actions.items():
        names.append(f"{action}Act")
        own = [f'decision: "{decision}";', f"legal: {action}[];"]
        yield _interface(names[-1], f"The decision is `{decision}`.", own, extends=f"{act.name}Parts")
    yield _doc(act.description) + _alias(act.name, names)


def _tag(struct: StructType) -> list[str]:
    return [] if struct.tag is None else [f'type: "{struct.tag}";']


def _field(field: Field) -> str:
    comment = f" // {field.description}" if field.description else ""
    return f"{field.name}{'' if field.always else '?'}: {_name(field.type)};{comment}"


def _interface(name: str, description: str, lines: list[str], extends: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"{_doc(description)}export interface {name} {f'extends {extends} ' if extends else ''}{{\n{body}}}\n"


def _doc(description: str) -> str:
    return f"/** {description} */\n"


def _alias(name: str, members: list[str]) -> str:
    line = f"export type {name} = {' | '.join(members)};"
    if len(line) <= WIDTH:
        return line + "\n"
    return f"export type {name} =\n" + "\n".join(f"  | {member}" for member in members) + ";\n"
