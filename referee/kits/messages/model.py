"""A language-independent model of what bots read and write, read from the JSON Schema of the protocol.

The emitters write it in the languages of the starter kits. A schema that the model can't express fails here, so nothing
is left out silently.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import inspect

from protocol.messages import FromBot, ToBot
from referee.games import find_game, game_names
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.schema import schemas

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


@dataclass(frozen=True)
class Primitive:
    """A JSON value of this kind. Integers fit into 32 bits, except WIDE_FIELDS."""

    kind: Kind


@dataclass(frozen=True)
class ListOf:
    """A JSON array."""

    item: "Type"


@dataclass(frozen=True)
class TupleOf:
    """A JSON array of fixed length, such as the two coordinates of a cell."""

    items: "tuple[Type, ...]"


@dataclass(frozen=True)
class MapOf:
    """A JSON object with any strings as keys."""

    value: "Type"


@dataclass(frozen=True)
class Nullable:
    """The inner type, or null."""

    inner: "Type"


@dataclass(frozen=True)
class EnumRef:
    """One of the words of an EnumType; later versions of the protocol may have more."""

    name: str


@dataclass(frozen=True)
class StructRef:
    """An object of this StructType."""

    name: str


@dataclass(frozen=True)
class UnionRef:
    """An object of one member of a UnionType.

    Which one says its own field `type`, or, for a union of actions, the field `by` of the object that it is in.
    """

    name: str
    by: str | None = None


Type = Primitive | ListOf | TupleOf | MapOf | Nullable | EnumRef | StructRef | UnionRef


@dataclass(frozen=True)
class Field:
    """A field of an object. Where it is not `always` there, absent means `default`; with None, that it has no value."""

    name: str
    type: Type
    always: bool
    default: Any = None
    description: str = ""


@dataclass(frozen=True)
class StructType:
    """An object with these fields. The field `type` is not among them: it is the `tag`, where there is one."""

    name: str
    description: str
    fields: tuple[Field, ...]
    tag: str | None = None
    game: str | None = None


@dataclass(frozen=True)
class EnumType:
    """A set of words."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class UnionType:
    """Structs that are told apart by a word: `members` maps that word to the name of the struct."""

    name: str
    description: str
    members: Mapping[str, str]
    game: str | None = None


@dataclass(frozen=True)
class Model:
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


@cache
def prefix_of(game: str) -> str:
    """The prefix of the names of a game's types: `Dragon`, if the class of its options is DragonConfig."""
    return find_game(game).Config.__name__.removesuffix("Config")


def model() -> Model:
    """The model of the protocol as it is now."""
    reader = Reader(schemas())
    reader.read_messages()
    for game in game_names():
        reader.read_game(game)
    enums = tuple(EnumType(name, tuple(sorted(words))) for name, words in reader.enums.items())
    order = [None, *game_names()]
    return Model(enums, tuple(sorted(reader.types.values(), key=lambda each: order.index(each.game))))


def structs_of(game: str | None) -> Iterator[inspect.StructType]:
    """The Structs that are sent in a game, or (None) in the messages themselves."""
    roots: list[Any] = [*get_args(ToBot), *get_args(FromBot)]
    if game is not None:
        rules = find_game(game)
        roots = [rules.Config, rules.Observation, ChanceEvent, DecisionEvent, *rules.events, *rules.actions.values()]
    seen: set[type] = set()
    for root in inspect.multi_type_info(roots):
        yield from _structs_in(root, seen)


def sent_fields(game: str | None) -> dict[str, set[str]]:
    """The fields that are always sent, by the name of the Struct, of a game or (None) of the messages themselves.

    The schema doesn't tell: it has defaults for some of them.
    """
    found: dict[str, set[str]] = {}
    for struct in structs_of(game):
        sends_defaults = not struct.cls.__struct_config__.omit_defaults
        found[struct.cls.__name__] = {
            each.encode_name for each in struct.fields if each.required or (sends_defaults and has_default(each))
        }
    return found


def named_words(game: str | None) -> dict[frozenset[str], str]:
    """Sets of words and their names, of a game or (None) of the messages themselves.

    The schema has no names for them. They are those of the Literals in the modules of the Structs: with
    `Age = Literal["young", "old"]` there, these two words are an Age.
    """
    modules = {struct.cls.__module__: None for struct in structs_of(game)}
    found: dict[frozenset[str], str] = {}
    for module in modules:
        for name, value in vars(sys.modules[module]).items():
            if get_origin(value) is Literal:
                found.setdefault(frozenset(get_args(value)), name)
    return found


def has_default(field: inspect.Field) -> bool:
    """Whether an absent field has a value. UNSET is not a value."""
    return any(each is not msgspec.NODEFAULT for each in (field.default, field.default_factory))


def _structs_in(info: Any, seen: set[type]) -> Iterator[inspect.StructType]:
    """Every Struct in a type, itself included."""
    if isinstance(info, inspect.StructType):
        if info.cls in seen:
            return
        seen.add(info.cls)
        yield info
        parts: list[Any] = [each.type for each in info.fields]
    else:
        inner = [getattr(info, name, ()) for name in ("type", "item_type", "item_types", "types", "value_type")]
        parts = [part for each in inner for part in (each if isinstance(each, tuple) else (each,))]
    for part in parts:
        if isinstance(part, inspect.Type):
            yield from _structs_in(part, seen)


class Reader:
    """Reads documents into types, each after those that it refers to."""

    def __init__(self, documents: Mapping[str, Any]) -> None:
        self.types: dict[str, StructType | UnionType] = {}
        self.enums: dict[str, frozenset[str]] = {}
        self._documents = documents
        self._words = {game: named_words(None) | named_words(game) for game in (None, *game_names())}
        self._sent = {game: sent_fields(game) for game in (None, *game_names())}

    def read_messages(self) -> None:
        """Read the messages that are the same for all games. `start`, `act` and `end` are read with each game."""
        for document in ("messages-to-bot", "messages-from-bot"):
            for name in self._roots(document):
                if name not in OF_GAMES:
                    self._read(document, name, None)

    def read_game(self, game: str) -> None:
        """Read the parts of messages that a game defines."""
        prefix = prefix_of(game)
        for part in ("config", "observation"):
            for name in self._roots(f"{game}-{part}"):
                self._read(f"{game}-{part}", name, game)
        decisions = find_game(game).actions
        actions = {each: self._read_root(f"{game}-action-{each}", game) for each in decisions}
        action = UnionRef(f"{prefix}Action", by="decision")
        self.types[action.name] = UnionType(action.name, "An action, by its kind of decision.", actions, game)
        document, events = f"{game}-events", {}
        for name in self._roots(document):
            struct = self._read(document, name, game)
            if name == "DecisionEvent":
                struct = self._retype(struct, {"action": action})
            events[struct.tag or name] = struct.name
        event = UnionRef(f"{prefix}Event")
        self.types[event.name] = UnionType(event.name, "Something that happened in a game, by its type.", events, game)
        parts: dict[str, Type] = {
            "config": StructRef(f"{prefix}Config"),
            "observation": StructRef(f"{prefix}Observation"),
            "legal": ListOf(action),
            "events": ListOf(event),
        }
        for name in OF_GAMES:
            self._retype(self._read("messages-to-bot", name, game), parts)

    def _retype(self, struct: StructType, types: Mapping[str, Type]) -> StructType:
        """Give those of its fields that the schema leaves open a type. They are there unless the bot opted out."""
        fields = tuple(
            replace(each, type=types[each.name], always=True) if each.name in types else each for each in struct.fields
        )
        typed = replace(struct, fields=fields)
        self.types[struct.name] = typed
        return typed

    def _roots(self, document: str) -> list[str]:
        return [each["$ref"].removeprefix("#/$defs/") for each in self._documents[document]["anyOf"]]

    def _read_root(self, document: str, game: str) -> str:
        (root,) = self._roots(document)
        return self._read(document, root, game).name

    def _read(self, document: str, name: str, game: str | None) -> StructType:
        """Read a definition and those that it refers to. One that several documents have must be the same in all."""
        definition = self._documents[document]["$defs"][name]
        is_message = document.startswith("messages-")
        inner = None if name in OF_ALL_GAMES or (is_message and name not in OF_GAMES) else game
        always = self._sent[None if is_message else game][name]
        if document == "messages-from-bot":
            always = set(definition["required"])  # a bot needn't write what has a default
        known = {"title", "description", "type", "properties", "required", "additionalProperties"}
        if definition.keys() - known or definition["type"] != "object":
            raise ValueError(f"{document}: {name} has what the model can't express: {definition}")
        tag = None
        fields = []
        for key, schema in definition["properties"].items():
            if key == "type":
                (tag,) = schema["enum"]
                continue
            if key in NO_GAME_WITH_A_KIT_HAS:
                continue
            kind = self.type_of(document, schema, inner, key)
            if name == "Observation" and key in NULL_AFTER_THE_END and isinstance(kind, Nullable):
                kind = kind.inner
            fields.append(
                Field(
                    name=key,
                    type=kind,
                    always=key in always,
                    default=schema.get("default"),
                    description=schema.get("description", ""),
                )
            )
        prefix = "" if inner is None else prefix_of(inner)
        full = name if name.startswith(prefix) else prefix + name
        struct = StructType(full, definition.get("description", ""), tuple(fields), tag, inner)
        if self.types.setdefault(full, struct) != struct:
            raise ValueError(f"{full} is two different things; the second is in {document}")
        return struct

    def type_of(self, document: str, schema: Mapping[str, Any], game: str | None, field: str) -> Type:
        """The type that a schema describes; `field` is the field that it is in."""
        match schema:
            case {"$ref": str(reference)}:
                return StructRef(self._read(document, reference.removeprefix("#/$defs/"), game).name)
            case {"anyOf": [inner, {"type": "null"}]}:
                return Nullable(self.type_of(document, inner, game, field))
            case {"anyOf": [{"enum": _}, {"type": "string"}]}:
                return Primitive(Kind.STRING)
            case {"enum": [True]}:
                return Primitive(Kind.BOOLEAN)
            case {"enum": words}:
                return EnumRef(self._enum_name(frozenset(words), game, field))
            case {"type": "array", "prefixItems": items, "items": False}:
                return TupleOf(tuple(self.type_of(document, each, game, field) for each in items))
            case {"type": "array", "items": item}:
                return ListOf(self.type_of(document, item, game, field))
            case {"type": "array"}:
                return ListOf(Primitive(Kind.ANY))
            case {"type": "object", "additionalProperties": value}:
                return MapOf(self.type_of(document, value, game, field))
            case {"type": "integer" | "boolean" | "string" as kind}:
                return Primitive(Kind(kind))
            case _ if not schema.keys() - {"description"}:
                return Primitive(Kind.ANY)
        raise ValueError(f"{document} has what the model can't express: {schema}")

    def _enum_name(self, words: frozenset[str], game: str | None, field: str) -> str:
        """The name of a set of words: its own, or that of the field; with the game's prefix if it is another's too."""
        name = self._words[game].get(words) or "".join(word.capitalize() for word in field.split("_"))
        if self.enums.setdefault(name, words) != words and game is not None:
            name = prefix_of(game) + name
        if self.enums.setdefault(name, words) != words:
            raise ValueError(f"{name} is two sets of words: give {sorted(words)} a name, as in `Age = Literal[…]`")
        return name
