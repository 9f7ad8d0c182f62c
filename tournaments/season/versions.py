"""The entrants of a season and their versions, and the decisions about them. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

import msgspec
from msgspec import Struct, structs

from referee.seeds import new_seed
from tournaments.competition.game_list import GameRow
from tournaments.event.check_results import Readiness

SET_ASIDE_FROM: Final = 0.5
"""The share of the games of an event that a version forfeits from which on it plays no more."""
PSEUDONYMS: Final = (
    "Otter Heron Lynx Badger Falcon Marten Osprey Beaver Curlew Ibex Kestrel Lapwing Magpie Newt Oriole Plover Quail"
    " Raven Stoat Teal Vole Wren Adder Bison Crane Dormouse Eider Finch Gannet Hare Jay Kite Linnet Mole Nuthatch"
    " Petrel Robin Shrike Tern Weasel Bittern Chough Dipper Egret Fulmar Grebe Hoopoe Merlin Pipit Redstart Siskin"
    " Turnstone Whimbrel Wagtail Polecat Dunlin Godwit Knot Ruff Snipe Swift Toad Viper Yak"
)


class Version(Struct, frozen=True, kw_only=True):
    number: int
    """From 1."""
    source: str
    """What it was taken from: `commit 1a2b3c4`, `alice-2.zip`, `folder`."""
    taken: str
    """When, ISO 8601."""
    sha256: str | None
    """The hash of its files as they came; None if they can't be read."""
    files_sha256: str | None = None
    """The same after its build."""
    event_sha256: str | None = None
    """The same as manifests and records have it, which may be its seal. By it and the name, ratings know a version."""
    check: Readiness | None = None
    """None: it has not been checked."""
    set_aside: str | None = None
    """Why it plays no more, although it was ready."""

    @property
    def fails(self) -> bool:
        return (self.check is not None and not self.check.ready) or self.set_aside is not None

    @property
    def problem(self) -> str | None:
        """Why it doesn't play."""
        if self.check is not None and not self.check.ready:
            return f"not ready: {self.check.problem}"
        return None if self.set_aside is None else f"set aside: {self.set_aside}"


class Entrant(Struct, kw_only=True):
    shown: str
    """Its name in events: that of its folder, or a pseudonym."""
    present: bool = True
    """Whether its folder is there."""
    versions: list[Version] = []
    origins: list[str] = []
    """What was taken in, so that it is not taken in again: commits, tags, archives."""

    def best(self) -> Version | None:
        """The newest version of which nothing speaks against playing: it is to be checked first, or it plays."""
        return next((own for own in reversed(self.versions) if self.present and not own.fails), None)

    def playing(self) -> Version | None:
        """The version that plays: the newest one that is ready."""
        return next((own for own in reversed(self.versions) if self.present and not own.fails and own.check), None)

    def add(self, version: Version) -> bool:
        """Add a version, unless its files are those of the last one. One with files that are known is not checked
        again."""
        if self.versions and version.sha256 is not None and version.sha256 == self.versions[-1].sha256:
            return False
        known = next((own for own in self.versions if own.sha256 == version.sha256), None)
        if known is not None and version.sha256 is not None:
            same = ("check", "files_sha256", "event_sha256", "set_aside")
            version = structs.replace(version, **{name: getattr(known, name) for name in same})
        self.versions.append(version)
        return True

    def change(self, version: Version) -> None:
        """Replace the version with this number."""
        self.versions[version.number - 1] = version


class SeasonState(Struct, kw_only=True):
    """The contents of `season.json`."""

    schema: int = 1
    began: date
    """The first day."""
    entrants: dict[str, Entrant] = {}
    """By the names of their folders."""
    key: str = msgspec.field(default_factory=new_seed)
    """Of the seals in events with pseudonyms, see `tournaments.event.store.private`."""
    judged: set[int] = set()
    """The numbers of the finished events after which versions that failed in them were set aside."""

    def playing(self) -> dict[str, Version]:
        """By the name of the folder, the versions that play."""
        found = {name: entrant.playing() for name, entrant in self.entrants.items()}
        return {name: version for name, version in found.items() if version is not None}

    def newcomers(self, seen: Iterable[tuple[str, str | None]]) -> list[str]:
        """The shown names of the entrants whose version was never in an event. `seen`: names and hashes of the bots of
        all events."""
        known = set(seen)
        return [
            self.entrants[name].shown
            for name, version in self.playing().items()
            if (self.entrants[name].shown, version.event_sha256) not in known
        ]


def pseudonym(taken: Iterable[str], order: Sequence[str]) -> str:
    """A name that is not taken yet: the first one in this order, or else one with a number."""
    used, number = set(taken), 1
    while True:
        for name in order:
            found = name if number == 1 else f"{name} {number}"
            if found not in used:
                return found
        number += 1


def failures(rows: Iterable[GameRow], withdrawn: Iterable[str]) -> Mapping[str, str]:
    """By name, why bots of an event are set aside: `withdrawn` ones, and those that forfeited too many games."""
    games: dict[str, int] = {}
    forfeits: dict[str, int] = {}
    for row in rows:
        if row.replayed is None:
            for bot, fault in zip(row.bots, row.faults, strict=True):
                games[bot] = games.get(bot, 0) + 1
                forfeits[bot] = forfeits.get(bot, 0) + (fault is not None)
    found = {
        bot: f"it forfeited {count} of {games[bot]} games"
        for bot, count in forfeits.items()
        if count >= SET_ASIDE_FROM * games[bot]
    }
    return {**dict.fromkeys(withdrawn, "it was withdrawn, as it could not be started"), **found}
