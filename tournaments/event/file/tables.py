"""The tables of a tournament file, as they are written."""

from typing import Annotated, Any, Final, TypeVar, cast

from msgspec import Meta, Struct, defstruct

from tournaments.competition.formats.interface import MAX_ROUND_DEALS
from tournaments.competition.regulations import MAX_FORFEITS
from tournaments.competition.rounds import DealsOf, PointSystem
from tournaments.play.conditions import ClockLimits, Conditions, Option, options_in
from tournaments.play.match_spec import MAX_PLIES

Keys = TypeVar("Keys", bound=Struct)


class FileTable(Struct, frozen=True, kw_only=True):
    """The keys outside of any table, and the tables that every file may have."""

    format: str
    game: str
    name: str | None = None
    seats: Annotated[int, Meta(ge=2, le=5)] = 2
    deals: Annotated[int, Meta(ge=1, le=MAX_ROUND_DEALS)] = 1
    deals_of: DealsOf | None = None
    seed: str | None = None
    points: PointSystem | None = None
    tiebreaks: list[str] | None = None
    anonymous: bool = True
    pseudonyms: bool | Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] = False
    """Whether what is published tells nothing of who entered what. In a folder it is the key of the seals."""
    max_forfeits: Annotated[int, Meta(ge=0, le=1_000_000)] = MAX_FORFEITS
    forbidden: list[list[str]] = []
    ratings: str | None = None
    seeds_from: str | dict[str, str] | None = None
    folder: str | None = None


class OpeningTable(Struct, frozen=True, kw_only=True):
    plies: Annotated[int, Meta(ge=1, le=MAX_PLIES)] | None = None
    file: str | None = None


class RunKeys(Struct, frozen=True, kw_only=True):
    """[run], but for the keys that are made from options."""

    show: list[str] = []
    limits: dict[str, Any] = {}
    env: dict[str, str] = {}
    start_at: str | None = None
    stop_at: str | None = None
    on_round: str | None = None


TIME: Final = Annotated[str | None, Meta(examples=["1s"])]


def keys_of(kind: type[Struct]) -> dict[str, Option]:
    """By field, the options whose values are in a table as they are, or as a text that stands for them."""
    return {name: option for name, option in options_in(kind).items() if option.in_file and option.parse_all is None}


def table_of(name: str, kind: type[Struct], base: type[Keys]) -> type[Keys]:
    """A table with these keys, and those of `base`."""
    fields = [
        (option.key, TIME if option.parse else kind.__annotations__[field], option.default)
        for field, option in keys_of(kind).items()
    ]
    return cast("type[Keys]", defstruct(name, fields, bases=(base,), frozen=True, kw_only=True))


ClockTable: Final = table_of("ClockTable", ClockLimits, Struct)
RunTable: Final = table_of("RunTable", Conditions, RunKeys)
"""[run]: the options of `referee match` that say how games are run, and when to stop."""


class BotTable(Struct, frozen=True, kw_only=True):
    path: str | None = None
    command: str | list[str] | None = None
    builtin: str | None = None
    folder: str | None = None
    name: str | None = None
    owner: str | None = None
    rating: float | None = None
    env: dict[str, str] = {}
    limits: dict[str, Any] = {}
    show: list[str] = []
    exclusive: str | None = None
    built: bool = False
    """Its build command is not run: its folder has what that makes."""
