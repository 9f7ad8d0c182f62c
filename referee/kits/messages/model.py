"""A language-independent model of what bots read and write, read from the Structs of the protocol and of games.

The emitters write it in the languages of the starter kits. A type that the model can't express fails here, so nothing
is left out silently.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from inspect import cleandoc
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import Struct, inspect, structs

from protocol.messages import Act, End, FromBot, Start, ToBot
from referee.games import find_game, game_names
from referee.games.interface import ChanceEvent, DecisionEvent

NULL_AFTER_THE_END: Final = ("turn", "hand")
"""Fields of observations that are null only when the game is over, when no bot observes it."""
NO_GAME_WITH_A_KIT_HAS = ("tensor",)
"""Optional parts of `act` that only other games have."""
WIDE_FIELDS: Final = ("bot_seed",)
"""Integers of up to 53 bits; all others fit into 32."""
OF_GAMES: Final = ("Start", "Act", "End")
"""Messages with separate types for each game."""
OF_ALL_GAMES: Final = ("ChanceEvent",)
"""Parts of games that are the same in all of them."""


class Kind(Enum):
    """The kinds of JSON values that need no named type."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    STRING = "string"
    ANY = "any"


KIND_OF: Final[Mapping[type[inspect.Type], Kind]] = {
    inspect.IntType: Kind.INTEGER,
    inspect.BoolType: Kind.BOOLEAN,
    inspect.StrType: Kind.STRING,
    inspect.AnyType: Kind.ANY,
    inspect.RawType: Kind.ANY,
}


class Primitive(Struct, frozen=True):
    """A JSON value of this kind. Integers fit into 32 bits, except WIDE_FIELDS."""

    kind: Kind


class ListOf(Struct, frozen=True):
    """A JSON array."""

    item: "Type"


class TupleOf(Struct, frozen=True):
    """A JSON array of fixed length, such as the two coordinates of a cell."""

    items: "tuple[Type, ...]"


class MapOf(Struct, frozen=True):
    """A JSON object with any strings as keys."""

    value: "Type"


class Nullable(Struct, frozen=True):
    """The inner type, or null."""

    inner: "Type"


class EnumRef(Struct, frozen=True):
    """One of the words of an EnumType; later versions of the protocol may have more."""

    name: str


class StructRef(Struct, frozen=True):
    """An object of this StructType."""

    name: str


class UnionRef(Struct, frozen=True):
    """An object of one member of a UnionType.

    Which one says its own field `type`, or, for a union of actions, the field `by` of the object that it is in.
    """

    name: str
    by: str | None = None


Type = Primitive | ListOf | TupleOf | MapOf | Nullable | EnumRef | StructRef | UnionRef


class Field(Struct, frozen=True):
    """A field of an object. Where it is not `always` there, absent means `default`; with None, that it has no value."""

    name: str
    type: Type
    always: bool
    default: Any = None
    description: str = ""


class StructType(Struct, frozen=True):
    """An object with these fields. The field `type` is not among them: it is the `tag`, where there is one."""

    name: str
    description: str
    fields: tuple[Field, ...]
    tag: str | None = None
    game: str | None = None


class EnumType(Struct, frozen=True):
    """A set of words."""

    name: str
    values: tuple[str, ...]


class UnionType(Struct, frozen=True):
    """Structs that are told apart by a word: `members` maps that word to the name of the struct."""

    name: str
    description: str
    members: Mapping[str, str]
    game: str | None = None


class Model(Struct, frozen=True):
    """All types, each after those that it refers to: first those of no game, then those of each game.

    Of each game there are PREFIX + Start, Act, End, Config, Observation, Action (a union by decision) and Event (a
    union by type).
    """

    enums: tuple[EnumType, ...]
    types: tuple[StructType | UnionType, ...]

    @property
    def structs(self) -> tuple[StructType, ...]:
        """The structs alone, in the same order."""
        return tuple(each for each in self.types if isinstance(each, StructType))

    @property
    def unions(self) -> tuple[UnionType, ...]:
        """The unions alone, in the same order."""
        return tuple(each for each in self.types if isinstance(each, UnionType))

    def struct(self, name: str) -> StructType:
        """The struct with this name."""
        return next(each for each in self.structs if each.name == name)

    def union(self, name: str) -> UnionType:
        """The union with this name."""
        return next(each for each in self.unions if each.name == name)

    def questions(self, act: StructType) -> tuple[Mapping[str, str], list[Field]]:
        """The type of the actions for each kind of decision, and the fields that all questions have."""
        (union,) = (each.type.item for each in act.fields if isinstance(each.type, ListOf) and each.name == "legal")
        assert isinstance(union, UnionRef)
        return self.union(union.name).members, [each for each in act.fields if each.name not in ("decision", "legal")]


@cache
def prefix_of(game: str) -> str:
    """The prefix of the names of a game's types: `Dragon`, if the class of its options is DragonConfig."""
    return find_game(game).Config.__name__.removesuffix("Config")


def model() -> Model:
    """The model of the protocol as it is now."""
    reader = Reader()
    reader.read_messages()
    for game in game_names():
        reader.read_game(game)
    enums = tuple(EnumType(name, tuple(sorted(words))) for name, words in reader.enums.items())
    order = [None, *game_names()]
    return Model(enums, tuple(sorted(reader.types.values(), key=lambda each: order.index(each.game))))


def is_sent(cls: type[Struct], field: inspect.Field) -> bool:
    """Whether a field is always sent: it has a value that is not left out. UNSET is not a value."""
    has_default = any(each is not msgspec.NODEFAULT for each in (field.default, field.default_factory))
    return field.required or (has_default and not cls.__struct_config__.omit_defaults)


class Reader:
    """Reads Structs into types, each after those that it refers to."""

    def __init__(self) -> None:
        self.types: dict[str, StructType | UnionType] = {}
        self.enums: dict[str, frozenset[str]] = {}
        self._written = False
        """Whether bots write what is read now: they needn't write what has a default."""

    def read_messages(self) -> None:
        """Read the messages that are the same for all games. `start`, `act` and `end` are read with each game."""
        for message in get_args(ToBot):
            if message.__name__ not in OF_GAMES:
                self._read(message, None)
        self._written = True
        for message in get_args(FromBot):
            self._read(message, None)
        self._written = False

    def read_game(self, game: str) -> None:
        """Read the parts of messages that a game defines."""
        prefix, rules = prefix_of(game), find_game(game)
        self._read(rules.Config, game)
        self._read(rules.Observation, game)
        actions = {decision: self._read(action, game).name for decision, action in rules.actions.items()}
        action = UnionRef(f"{prefix}Action", by="decision")
        self.types[action.name] = UnionType(action.name, "An action, by its kind of decision.", actions, game)
        kinds: list[type[Struct]] = [ChanceEvent, DecisionEvent, *rules.events]
        events = {}
        for each in kinds:
            struct = self._read(each, game)
            if each is DecisionEvent:
                struct = self._retype(struct, {"action": action})
            events[struct.tag or struct.name] = struct.name
        event = UnionRef(f"{prefix}Event")
        self.types[event.name] = UnionType(event.name, "Something that happened in a game, by its type.", events, game)
        parts: dict[str, Type] = {
            "config": StructRef(f"{prefix}Config"),
            "observation": StructRef(f"{prefix}Observation"),
            "legal": ListOf(action),
            "events": ListOf(event),
        }
        for message in (Start, Act, End):
            self._retype(self._read(message, game), parts)

    def _retype(self, struct: StructType, types: Mapping[str, Type]) -> StructType:
        """Give those of its fields that have no type for all games a type. They are there unless the bot opted out."""
        fields = tuple(
            structs.replace(each, type=types[each.name], always=True) if each.name in types else each
            for each in struct.fields
        )
        typed = structs.replace(struct, fields=fields)
        self.types[struct.name] = typed
        return typed

    def _read(self, cls: type[Struct], game: str | None) -> StructType:
        """Read a Struct and those that it refers to. One that several have must be the same in all."""
        info = inspect.type_info(cls)
        assert isinstance(info, inspect.StructType)
        name = cls.__name__
        of_all = name in OF_ALL_GAMES or cls.__module__ == Start.__module__
        inner = game if name in OF_GAMES or not of_all else None
        fields = []
        for each in info.fields:
            if each.encode_name in NO_GAME_WITH_A_KIT_HAS:
                continue
            kind = self.type_of(each.type, inner, each.encode_name, cls.__module__)
            if name == "Observation" and each.encode_name in NULL_AFTER_THE_END and isinstance(kind, Nullable):
                kind = kind.inner
            more = each.type.extra_json_schema if isinstance(each.type, inspect.Metadata) else None
            fields.append(
                Field(
                    name=each.encode_name,
                    type=kind,
                    always=each.required if self._written else is_sent(cls, each),
                    default=None if each.default in (msgspec.NODEFAULT, msgspec.UNSET) else each.default,
                    description=(more or {}).get("description", ""),
                )
            )
        prefix = "" if inner is None else prefix_of(inner)
        full = name if name.startswith(prefix) else prefix + name
        tag = info.tag if isinstance(info.tag, str) else None
        struct = StructType(full, cleandoc(cls.__doc__ or ""), tuple(fields), tag, inner)
        if self.types.setdefault(full, struct) != struct:
            raise ValueError(f"{full} is two different things; the second is in {cls.__module__}")
        return struct

    def type_of(self, info: inspect.Type, game: str | None, field: str, module: str) -> Type:
        """The type of a field of a Struct, which is defined in a module."""
        match info:
            case inspect.StructType(cls=cls):
                return StructRef(self._read(cls, game).name)
            case inspect.Metadata(type=inner):
                return self.type_of(inner, game, field, module)
            case inspect.UnionType(types=(inner, inspect.NoneType())):
                return Nullable(self.type_of(inner, game, field, module))
            case inspect.UnionType(types=(inspect.LiteralType(), inspect.StrType())):
                return Primitive(Kind.STRING)
            case inspect.LiteralType(values=(True,)):
                return Primitive(Kind.BOOLEAN)
            case inspect.LiteralType(values=words):
                return EnumRef(self._enum_name(frozenset(map(str, words)), game, field, module))
            case inspect.TupleType(item_types=items):
                return TupleOf(tuple(self.type_of(each, game, field, module) for each in items))
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                return ListOf(self.type_of(item, game, field, module))
            case inspect.DictType(value_type=value):
                return MapOf(self.type_of(value, game, field, module))
            case _ if type(info) in KIND_OF:
                return Primitive(KIND_OF[type(info)])
        raise ValueError(f"{field} in {module} has what the model can't express: {info}")

    def _enum_name(self, words: frozenset[str], game: str | None, field: str, module: str) -> str:
        """The name of a set of words: that of its Literal in the module, as in `Age = Literal["young", "old"]`, or of
        the field; with the game's prefix if it is another's too."""
        found = (
            name
            for name, value in vars(sys.modules[module]).items()
            if get_origin(value) is Literal and words == {*get_args(value)}
        )
        name = next(found, "".join(word.capitalize() for word in field.split("_")))
        if self.enums.setdefault(name, words) != words and game is not None:
            name = prefix_of(game) + name
        if self.enums.setdefault(name, words) != words:
            raise ValueError(f"{name} is two sets of words: give {sorted(words)} a name, as in `Age = Literal[…]`")
        return name


# -- conventions of languages, and questions about types --------------------------------------------------------

NEVER_READ = ("Ready", "Answer", "ActParts", "Quit")
"""Structs that no bot reads: those that it writes, and a message that is only its type."""
READ_MESSAGES = ("hello", "fault", "quit", "start", "act", "end")
"""The tags of messages that a bot reads."""


class Spelling(Struct, frozen=True):
    """How a language writes types: `{}` stands for the type of the items. A tuple is written as a list if need be."""

    kinds: Mapping[Kind, str]
    list_of: str
    map_of: str
    nullable: str = "{}"
    tuple_of: Callable[[Sequence[str]], str] | None = None

    def __call__(self, of: Type) -> str:
        """The type as it is written."""
        match of:
            case Primitive(kind):
                return self.kinds[kind]
            case TupleOf(items) if self.tuple_of is not None:
                return self.tuple_of([*map(self, items)])
            case ListOf(item) | TupleOf((item, *_)):
                inner = self(item)
                is_suffix = self.list_of.startswith("{}")  # which would belong to the last of several types
                return self.list_of.format(f"({inner})" if is_suffix and "|" in inner else inner)
            case MapOf(value):
                return self.map_of.format(self(value))
            case Nullable(inner):
                return self.nullable.format(self(inner))
            case EnumRef(name) | StructRef(name) | UnionRef(name):
                return name
        raise ValueError(f"{of} is written in no language")


def snake_case(name: str) -> str:
    """`DragonActionGroup` as `dragon_action_group`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal_case(word: str) -> str:
    """`court_lady` as `CourtLady`."""
    return "".join(part.capitalize() for part in word.split("_"))


def comment(prefix: str, text: str, width: int = 100) -> str:
    """A comment, wrapped into lines that end with a line feed."""
    if prefix == "/* ":
        return "\n".join(textwrap.wrap(f"{text} */", width, initial_indent=prefix, subsequent_indent=" * ")) + "\n"
    return "".join(f"{line}\n" for line in textwrap.wrap(text, width, initial_indent=prefix, subsequent_indent=prefix))


def block(head: str, items: Sequence[str], end: str) -> str:
    """Items in braces, in one line or else in as few as possible between those of the braces."""
    line = f"{head} {{ {', '.join(items)} }}{end}\n"
    return line if len(line) <= 100 else f"{head} {{\n{filled('    ', items, ',')}}}{end}\n"


def filled(head: str, items: Sequence[str], end: str) -> str:
    """Items in as few lines as possible, the first of which begins with a head."""
    return textwrap.fill(f"{', '.join(items)}{end}", 100, initial_indent=head, subsequent_indent=" " * len(head)) + "\n"


def declarations(model: Model) -> list[StructType | UnionType]:
    """The types that bots read, each after those that it refers to."""
    return [each for each in model.types if each.name not in NEVER_READ]


def is_optional(field: Field) -> bool:
    """Whether an absent field, or one that is null, has no value."""
    return isinstance(field.type, Nullable) or (not field.always and field.default is None)


def discriminator(of: Type) -> str | None:
    """The sibling field that selects the member of this union; None if its members are tagged, or it isn't a union."""
    match of:
        case ListOf(inner):
            return discriminator(inner)
        case UnionRef(_, by):
            return by
    return None
