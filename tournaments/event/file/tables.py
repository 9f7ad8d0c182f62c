"""The tables of a tournament file, as they are written."""

from typing import Annotated, Any, Final, cast

from msgspec import Meta, Struct, defstruct

from tournaments.competition.formats.interface import MAX_ROUND_DEALS
from tournaments.competition.regulations import MAX_FORFEITS
from tournaments.competition.rounds import DealsOf, PointSystem
from tournaments.play.conditions import OPTIONS, Conditions


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
    max_forfeits: Annotated[int, Meta(ge=0, le=1_000_000)] = MAX_FORFEITS
    forbidden: list[list[str]] = []
    ratings: str | None = None
    folder: str | None = None


class ClockTable(Struct, frozen=True, kw_only=True):
    """[clock]: times as texts such as `250ms`."""

    move: str | None = None
    bank: str | None = None
    increment: str | None = None
    startup: str | None = None


class RunKeys(Struct, frozen=True, kw_only=True):
    """[run], but for the keys that are made from `OPTIONS`."""

    show: list[str] = []
    limits: dict[str, Any] = {}
    env: dict[str, str] = {}
    start_at: str | None = None
    stop_at: str | None = None
    on_round: str | None = None


PLAIN_OPTIONS: Final = {name: option for name, option in OPTIONS.items() if option.in_file and option.parse_all is None}
"""By field of Conditions, the options whose values are in [run] as they are, or as a text that stands for them."""
RunTable: Final = cast(
    "type[RunKeys]",
    defstruct(
        "RunTable",
        [
            (option.key, str | None if option.parse else Conditions.__annotations__[name], option.default)
            for name, option in PLAIN_OPTIONS.items()
        ],
        bases=(RunKeys,),
        frozen=True,
        kw_only=True,
    ),
)
"""[run]: the options of `referee match` that say how games are run, and when to stop."""


class BotTable(Struct, frozen=True, kw_only=True):
    """[[bot]]."""

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
