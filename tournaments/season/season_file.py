"""The file of a season, `season.toml`: where its bots come from, and which events are played when."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, Literal

import tomli_w
from msgspec import Struct

from tournaments.competition.formats.registry import FORMATS
from tournaments.event.file.tables import FileTable
from tournaments.event.file.toml_source import Source, TournamentFileError, format_unknown, format_value, read_source

SEASON_FILE: Final = "season.toml"
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
EVENT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)
FILE_TABLES: Final = ("options", "opening", "clock", "run", "bot", *FORMATS)
EXAMPLE: Final = """\
# A season: `referee season play` takes in new versions of the bots, and plays what is due. See docs/seasons.md.
name = "My season"
entrants = "entrants"           # the folder with a folder for each entrant
git = "commits"                 # a version of a Git repository: the newest of its commits, or each of its "tags"
anonymous = false               # true: pseudonyms in everything that is played and published
replays = "none"                # games on the pages: none, public or all

[tournament]                    # keys and tables of a tournament file, for all events
game = "year_of_the_dragon"
deals = 2

[tournament.clock]
move = "1s"

[[tournament.bot]]              # bots of your own that play in every event
builtin = "random"

[[event]]
name = "newcomers"
when = "new"                    # when versions have not played yet
format = "gauntlet"             # these are its challengers, and everybody else is the field

[[event]]
name = "ladder"
when = "day"                    # or a day of the week, such as "sunday", or a date: "2026-12-18"
format = "ladder"
ladder = { budget = 200 }
"""


class SeasonTable(Struct, frozen=True, kw_only=True):
    """The keys of the file outside of [tournament] and [[event]]."""

    name: str
    entrants: str = "entrants"
    git: Literal["commits", "tags"] = "commits"
    anonymous: bool = False
    replays: Literal["none", "public", "all"] = "none"


class EventKeys(Struct, frozen=True, kw_only=True):
    """The keys of an [[event]] that are not those of a tournament file."""

    name: str
    when: str
    """`new`, `day`, one of DAYS, or a date."""
    enough: float | None = None
    """In Elo: the event is not played while the ratings of all versions that play are known to ± this."""


class SeasonEvent(Struct, frozen=True, kw_only=True):
    keys: EventKeys
    table: dict[str, Any]
    """The keys and tables of a tournament file, those of [tournament] included."""

    def is_due(self, *, today: date, began: date, last: date | None, newcomers: bool) -> bool:
        """Whether it is to be played today. `began`: the first day of the season; `last`: the day on which it was
        played last; `newcomers`: whether versions that play have never been in an event."""
        when = self.keys.when
        if when == "new":
            return newcomers
        if when == "day":
            return last is None or last < today
        if when not in DAYS:
            return last is None and today >= date.fromisoformat(when)
        newest = today - timedelta(days=(today.weekday() - DAYS.index(when)) % 7)
        return newest >= began and (last is None or last < newest)

    def text(
        self, folder: Path, title: str, bots: Sequence[Mapping[str, Any]], newcomers: Sequence[str], key: str | None
    ) -> str:
        """The tournament file of the event, for these [[bot]]s besides those of the season's file. `newcomers`: their
        names, who are the challengers of a gauntlet that names none; `key`: of the seals, if bots have pseudonyms.
        Paths in it are relative to `folder`."""
        table = {**self.table, "name": title, "folder": str(folder)} | ({} if key is None else {"pseudonyms": key})
        table["bot"] = [*table.get("bot", []), *bots]
        if table.get("format") == "gauntlet":
            table["gauntlet"] = {"challengers": list(newcomers), **table.get("gauntlet", {})}
        return tomli_w.dumps(table)


class SeasonFile(Struct, frozen=True, kw_only=True):
    path: Path
    keys: SeasonTable
    events: tuple[SeasonEvent, ...]

    @property
    def entrants(self) -> Path:
        return self.path.parent / self.keys.entrants


def read_season(path: Path) -> SeasonFile:
    """The season that a file describes. What it says of tournaments is checked when they are. Raises
    TournamentFileError."""
    source = read_source(path)
    table = dict(source.table)
    shared, events = table.pop("tournament", {}), table.pop("event", [])
    keys = source.read(SeasonTable, table)
    if keys.anonymous and keys.replays == "all":
        problem = 'with anonymous = true, replays can only be "none" or "public": bots may say in a game who they are'
        raise source.error(problem, "replays")
    if not isinstance(shared, dict):
        raise source.error(f"[tournament] must be a table, not {format_value(shared)}", "tournament")
    if not isinstance(events, list) or not events:
        raise source.error("a season needs at least one [[event]], with two brackets", "event")
    _check_keys(source, shared, (), "tournament")
    found = [_event(source, shared, given, number) for number, given in enumerate(events)]
    names = [event.keys.name for event in found]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise source.error(f'two events are called "{name}"', "event", number, "name")
    return SeasonFile(path=path.absolute(), keys=keys, events=tuple(found))


def _event(source: Source, shared: Mapping[str, Any], given: Any, number: int) -> SeasonEvent:
    place = ("event", number)
    if not isinstance(given, dict):
        raise source.error("write [[event]] with two brackets, once for each event", *place)
    own = {key: value for key, value in given.items() if key in EventKeys.__struct_fields__}
    rest = {key: value for key, value in given.items() if key not in own}
    _check_keys(source, rest, EventKeys.__struct_fields__, *place)
    keys = source.read(EventKeys, own, *place)
    if EVENT_NAME.fullmatch(keys.name) is None:
        problem = f"{format_value(keys.name)} is not allowed: the name of an event is the name of a folder"
        raise source.error(f"name = {problem}, of small letters, digits and -", *place, "name")
    if keys.when not in ("new", "day", *DAYS):
        try:
            date.fromisoformat(keys.when)
        except ValueError:
            known = ("new", "day", *DAYS, "2026-12-18")
            raise source.error(format_unknown("unknown when", keys.when, known), *place, "when") from None
    merged = dict(shared)
    for key, value in rest.items():
        before = shared.get(key)
        merged[key] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    return SeasonEvent(keys=keys, table=merged)


def _check_keys(source: Source, table: Mapping[str, Any], more: Sequence[str], *place: str | int) -> None:
    known = [*more, *(name for name in FileTable.__struct_fields__ if name not in ("name", "folder")), *FILE_TABLES]
    for key in table:
        if key not in known:
            raise source.error(format_unknown(f"[{place[0]}] has no key", key, known), *place, key)


def is_season(path: Path) -> bool:
    """Whether this is the folder of a season."""
    return (path / SEASON_FILE).is_file()


def event_error(error: TournamentFileError, file: Path, event: str) -> TournamentFileError:
    """An error about the tournament file of an event, as one about the event in the season's file."""
    problem = re.sub(rf"^{re.escape(str(file))}(, line \d+)?: ", "", str(error))
    return TournamentFileError(f'{SEASON_FILE}, event "{event}": {problem}')
