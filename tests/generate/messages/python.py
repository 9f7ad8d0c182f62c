"""Messages as TypedDicts: what `json.loads` gives is already of these types."""

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
HEADER: Final = '''\
# Generated from the messages of the protocol. Don't edit: the next version of the kit replaces it.
"""What the referee sends and what it accepts, for type checkers and editors (mypy, pyright).

Every message is the plain dict that `json.loads` makes of its line; nothing is checked or copied when the bot runs.
`NotRequired` fields are missing where they have no value. Ignore fields that you don't know: later versions may add
some.
"""

from typing import Any, Literal, NotRequired, TypedDict
'''
_name = Spelling(
    {Kind.INTEGER: "int", Kind.BOOLEAN: "bool", Kind.STRING: "str", Kind.ANY: "Any"},
    list_of="list[{}]",
    map_of="dict[str, {}]",
    nullable="{} | None",
)


def emit(model: Model) -> str:
    """The file messages.py."""
    return "".join(_parts(model))


def _parts(model: Model) -> Iterator[str]:
    yield HEADER + "\n"
    for enum in model.enums:
        yield _wrapped(f"{enum.name} = Literal[", [f'"{word}"' for word in enum.values], "]")
    game: str | None = None
    for each in model.types:
        if each.game != game:
            game = each.game
            yield f"\n\n# -- {game} {'-' * (WIDTH - 6 - len(str(game)))}\n"
        if isinstance(each, UnionType):
            yield _union(each.name, each.description, list(each.members.values()))
        elif each.tag == "act":
            yield from _acts(each, model)
        else:
            yield _struct(each.name, each.description, [*_tag(each), *map(_field, each.fields)])
    names = [each.name for each in model.structs if each.tag in READ_MESSAGES]
    yield _union("Message", "Everything that the referee sends.", names)


def _acts(act: StructType, model: Model) -> Iterator[str]:
    """A type per kind of decision, so that `act["decision"] == …` tells the type of its `legal` too."""
    actions, fields = model.questions(act)
    common = [*_tag(act), *map(_field, fields)]
    if len(actions) > 1:
        yield _struct(f"_{act.name}", act.description, common)
        common = []
    names = []
    for decision, action in actions.items():
        names.append(act.name if common else f"{action}Act")
        doc = act.description if common else f"The decision is `{decision}`."
        own = [f'decision: Literal["{decision}"]', f"legal: list[{action}]"]
        yield _struct(names[-1], doc, common + own, "TypedDict" if common else f"_{act.name}")
    if len(actions) > 1:
        yield _union(act.name, act.description, names)


def _tag(struct: StructType) -> list[str]:
    return [] if struct.tag is None else [f'type: Literal["{struct.tag}"]']


def _field(field: Field) -> str:
    name = _name(field.type)
    comment = f"  # {field.description}" if field.description else ""
    return f"{field.name}: {name if field.always else f'NotRequired[{name}]'}{comment}"


def _struct(name: str, description: str, lines: list[str], base: str = "TypedDict") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f'\n\nclass {name}({base}):\n    """{description}"""\n\n{body}'


def _union(name: str, description: str, members: list[str]) -> str:
    line = f"{name} = {' | '.join(members)}"
    if len(line) <= WIDTH:
        return f'\n\n{line}\n"""{description}"""\n'
    body = "".join(f"    {'' if index == 0 else '| '}{member}\n" for index, member in enumerate(members))
    return f'\n\n{name} = (\n{body})\n"""{description}"""\n'


def _wrapped(start: str, words: list[str], end: str) -> str:
    """On one line, or with one word per line."""
    line = start + ", ".join(words) + end
    return (
        f"{line}\n" if len(line) <= WIDTH else start + "\n" + "".join(f"    {each},\n" for each in words) + end + "\n"
    )
