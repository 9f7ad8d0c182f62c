"""Plays a season: takes in versions, checks them, and plays the events that are due."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import trio
from msgspec import Struct, structs

from referee.bots.advice import for_entrant
from referee.bots.bot_spec import BotSpecError, check_game, from_file
from referee.bots.files_hash import TooMuch
from referee.errors import RefereeError
from referee.files import is_there
from referee.printable import displayed_name, printable
from tournaments.competition.changes import Ended, Withdrawn
from tournaments.competition.game_list import game_rows
from tournaments.competition.intervals import Rating
from tournaments.event.check_results import Readiness
from tournaments.event.director import TournamentEnding
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.readiness import check_readiness, provide_for_games, tournament_preflight
from tournaments.event.service import (
    NotReady,
    TournamentInterrupted,
    TournamentResult,
    give_ruling,
    resume_tournament,
    run_tournament,
)
from tournaments.event.store.durable import write_durably
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest, now
from tournaments.event.store.private import sealed_hash
from tournaments.play.archives import files_hash, remove_tree
from tournaments.play.events import LiveEvent, Notice, Observer
from tournaments.play.interruption import Interruption
from tournaments.season.folder import PlayedEvent, Season
from tournaments.season.intake import IntakeError, found_versions, keep, unpack
from tournaments.season.season_file import SEASON_FILE, SeasonEvent, event_error
from tournaments.season.twins import ask
from tournaments.season.versions import PSEUDONYMS, Entrant, Version, failures, pseudonym

STAND_INS: Final = 16
"""Built-in players in the place of bots while the file is checked: enough for nearly every setting of a format."""
STAND_IN: Final = "stand-in/{}"
"""Their names, which no folder of an entrant can have."""
MAX_VERSIONS_TAKEN: Final = 20
"""Versions of an entrant that are taken in at a time, so that nobody holds up the others; older ones never are."""
MAX_VERSIONS_CHECKED: Final = 3
"""Versions of an entrant that are checked at a time, as each may take as long as a build and three games may take."""


class SeasonResult(Struct, frozen=True, kw_only=True):
    failed: list[str]
    """The events that could not be played, with the reasons."""
    interrupted: bool


async def play_season(
    season: Season, observer: Observer, interruption: Interruption, *, today: date, recheck: bool = False
) -> SeasonResult:
    """Do everything that is due. The season's lock has to be held. `recheck`: check again what was not ready.

    Raises TournamentFileError, and other RefereeErrors where nothing can be played at all.
    """
    return await _Play(season, observer, interruption, today).play(recheck=recheck)


class _Play:
    def __init__(self, season: Season, observer: Observer, interruption: Interruption, today: date) -> None:
        self._season = season
        self._state = season.state
        self._observer = observer
        self._interruption = interruption
        self._today = today
        self._failed: list[str] = []
        self._key = season.state.key if season.file.keys.anonymous else None
        """Of the seals in events, if bots have pseudonyms."""
        self._stopping = False
        """Whether an event was stopped before its end, so that no other one begins."""

    async def play(self, *, recheck: bool) -> SeasonResult:
        season = self._season
        specs = self._check_file()
        spec = specs[0]
        for event, manifest in self._not_judged():
            if not manifest.finished and not self._stopping:
                self._tell(f"resuming {event.path.name}")
                await self._play_event(event.path, resume_tournament, event.path)
        self._judge()
        self._take_in({bot.spec.name for each in specs for bot in each.bots})
        if recheck:
            self._forget_checks()
        await self._check(spec)
        due = [await self._play_if_due(planned, spec) for planned in season.file.events]
        if not (any(due) or self._interruption.finishing):
            last = max((event.day for event in season.events()), default=self._today)
            before = f", which is before the last event, of {last}" if self._today < last else ""
            self._tell(f"nothing new is due on {self._today}{before}")
        if not self._interruption.finishing:
            await ask(season, spec.conditions, self._interruption)
        return SeasonResult(failed=self._failed, interrupted=self._interruption.finishing)

    def _tell(self, text: str) -> None:
        self._told(Notice(text=text))

    def _told(self, event: LiveEvent) -> None:
        if isinstance(event, Notice):
            self._season.log(event.text)
        self._observer(event)

    # -- versions -------------------------------------------------------------------------------------------------

    def _take_in(self, names: set[str]) -> None:
        """Take in the new versions of all entrants. `names`: those of all bots. Raises TournamentFileError if there is
        no folder of entrants."""
        file, state = self._season.file, self._state
        reserved = names - {entrant.shown for entrant in state.entrants.values()}
        try:
            entries = {path.name: path for path in sorted(file.entrants.iterdir()) if path.name[0] != "."}
            folders = {name: path for name, path in entries.items() if path.is_dir()}
        except OSError as error:
            raise TournamentFileError(f"{SEASON_FILE}: entrants: {file.entrants}: {error.strerror}") from None
        for name, entrant in state.entrants.items():
            entrant.present = name in folders
        for name, entry in entries.items():
            if name not in folders:
                link = entry.is_symlink() and not is_there(entry)
                why = f"a symbolic link to {entry.readlink()}, which is not there" if link else "not a folder"
                self._tell(printable(f"{name!r} is not taken in: it is {why}"))
                continue
            if displayed_name(name) != name:
                self._tell(f"{name!r} is not taken in: a name has at most 60 visible characters")
                continue
            if name in reserved and not file.keys.anonymous:
                self._tell(f"{name!r} is not taken in: a bot in {SEASON_FILE} has this name")
                continue
            if name not in state.entrants:
                order = PSEUDONYMS.split()
                random.SystemRandom().shuffle(order)
                taken = [*reserved, *folders, *(entrant.shown for entrant in state.entrants.values())]
                state.entrants[name] = Entrant(shown=pseudonym(taken, order) if file.keys.anonymous else name)
                self._season.save()
            try:
                self._take_in_versions(name, state.entrants[name], entry)
            except (IntakeError, OSError) as error:
                self._add(name, state.entrants[name], "folder", None, str(error))
        self._season.save()

    def _take_in_versions(self, name: str, entrant: Entrant, folder: Path) -> None:
        with found_versions(folder, self._season.file.keys.git) as found:
            new = [version for version in found if version.origin not in entrant.origins]
            if len(new) > MAX_VERSIONS_TAKEN:
                self._tell(
                    f"{name}: of {len(new)} new versions the newest {MAX_VERSIONS_TAKEN} are taken in, older ones never"
                )
                entrant.origins += [version.origin for version in new[:-MAX_VERSIONS_TAKEN]]
            for version in new[-MAX_VERSIONS_TAKEN:]:
                try:
                    sha256, problem = keep(version, name, self._season.versions), None
                except IntakeError as error:
                    sha256, problem = None, str(error)
                self._add(name, entrant, version.source, sha256, problem)
                if version.origin:
                    entrant.origins.append(version.origin)
                self._season.save()

    def _add(self, name: str, entrant: Entrant, source: str, sha256: str | None, problem: str | None) -> None:
        last = entrant.versions[-1] if entrant.versions else None
        if problem is not None and last is not None and last.check is not None and last.check.problem == problem:
            return  # it was told before
        version = Version(
            number=len(entrant.versions) + 1,
            source=source,
            taken=now(),
            sha256=sha256,
            check=None if problem is None else Readiness(bot=entrant.shown, ready=False, problem=problem),
        )
        if entrant.add(version):
            self._tell(f"{name}: version {version.number} is new ({source}{'' if problem is None else f': {problem}'})")

    def _forget_checks(self) -> None:
        for entrant in self._state.entrants.values():
            for version in entrant.versions:
                if version.fails and version.sha256 is not None:
                    entrant.change(structs.replace(version, check=None, set_aside=None))
        self._season.save()

    # -- the check ------------------------------------------------------------------------------------------------

    def _check_file(self) -> list[TournamentSpec]:
        """Check what the file says of every event, with built-in players. Returns their tournaments."""
        names = [entrant.shown for entrant in self._state.entrants.values()]
        names += [STAND_IN.format(number) for number in range(1, STAND_INS + 1 - len(names))]
        bots = [{"builtin": "random", "name": name} for name in names]
        return [self._read(event, bots, names[:1]) for event in self._season.file.events]

    def _read(self, event: SeasonEvent, bots: Sequence[Mapping[str, Any]], newcomers: Sequence[str]) -> TournamentSpec:
        path = self._season.events_folder / f"{event.keys.name}.toml"
        try:
            write_durably(path, event.text(self._season.path, event.keys.name, bots, newcomers, self._key).encode())
            return read_tournament(path)
        except TournamentFileError as error:
            raise event_error(error, path, event.keys.name) from None
        finally:
            path.unlink(missing_ok=True)

    async def _check(self, base: TournamentSpec) -> None:
        """Build and check new versions, of each entrant from the newest one on until one is ready."""
        for _ in range(MAX_VERSIONS_CHECKED):
            if self._interruption.finishing:
                return
            best = {name: entrant.best() for name, entrant in self._state.entrants.items()}
            new = {
                name: own
                for name, own in best.items()
                if own is not None and (own.check is None or not self._season.bot_folder(name, own).is_dir())
            }
            if not new:
                return
            startable: dict[str, Version] = {}
            for name, version in new.items():
                if version.check is not None:  # its folder is gone; it may be killed while it is made again
                    self._state.entrants[name].change(structs.replace(version, check=None))
                    self._season.save()
                problem = self._unpack(name, version, base)
                if problem is None:
                    startable[name] = version
                else:
                    self._checked(name, version, Readiness(bot=name, ready=False, problem=problem))
            if startable:
                await self._check_startable(startable)

    def _unpack(self, name: str, version: Version, base: TournamentSpec) -> str | None:
        """Unpack a version. Returns why it can't be started, as far as its files say so."""
        folder = self._season.bot_folder(name, version)
        try:
            unpack(self._season.archive(version), folder)
            if (folder / "bot.toml").is_symlink():
                return "its bot.toml is a link: put the file itself there"
            if not is_there(folder / "bot.toml"):
                return 'it has no bot.toml: add one with name = "…" and command = "…"'
            check_game(from_file(folder / "bot.toml"), base.regulations.game_type)
        except (BotSpecError, OSError) as error:
            return str(error)
        return None

    async def _check_startable(self, versions: Mapping[str, Version]) -> None:
        shown = {name: self._state.entrants[name].shown for name in versions}
        tables = [
            {"path": str(self._season.bot_folder(name, version)), "name": shown[name]}
            for name, version in versions.items()
        ]
        fill = [{"builtin": "random", "name": STAND_IN.format(number)} for number in range(1, STAND_INS)]
        spec = self._read(self._season.file.events[0], [*tables, *fill], [*shown.values()])
        ours = set(shown.values())
        spec = structs.replace(spec, bots=tuple(bot for bot in spec.bots if bot.spec.name in ours))
        preflight = tournament_preflight(spec, self._tell, self._season.events_folder, collect=True)
        provide_for_games(spec)
        with self._interruption.until_finishing():
            results = await check_readiness(spec, preflight, lambda result: None, self._tell, reader="author")
            by_name = {result.bot: result for result in results}
            for name, version in versions.items():
                folder = self._season.bot_folder(name, version)
                result = by_name[shown[name]]
                try:
                    files = await trio.to_thread.run_sync(files_hash, folder)
                    told = files if self._key is None else sealed_hash(self._key, shown[name], files)
                    checked = structs.replace(version, files_sha256=files, event_sha256=told)
                except (OSError, TooMuch) as error:
                    over = "over " if isinstance(error, TooMuch) else ""
                    checked, problem = version, f"its files can't be hashed after its build: {over}{error}"
                    result = structs.replace(result, ready=False, problem=result.problem or problem)
                self._checked(name, checked, result)

    def _checked(self, name: str, version: Version, result: Readiness) -> None:
        entrant, folder = self._state.entrants[name], self._season.bot_folder(name, version)
        problem, advice = (text and without_folder(text, folder) for text in (result.problem, result.advice))
        told = structs.replace(result, problem=problem and for_entrant(problem), advice=advice and for_entrant(advice))
        entrant.change(structs.replace(version, check=told))
        self._season.save()
        if not result.ready:
            remove_tree(folder)  # it may be large
        said = "ready" if result.ready else f"not ready: {problem}"
        self._tell(f"{name}: version {version.number} is {said}")

    # -- events ---------------------------------------------------------------------------------------------------

    async def _play_if_due(self, planned: SeasonEvent, base: TournamentSpec) -> bool:
        """Play an event, if it is due and worth it. Returns whether it is due."""
        season, state = self._season, self._state
        events = season.events()
        days = [event.day for event in events if event.name == planned.keys.name]
        newcomers = sorted(state.newcomers(season.seen()))
        last = max(days, default=None)
        due = planned.is_due(today=self._today, began=state.began, last=last, newcomers=bool(newcomers))
        if not due or self._stopping or self._interruption.finishing:
            return due
        playing = [(state.entrants[name].shown, season.bot_folder(name, own)) for name, own in state.playing().items()]
        # By these names, as the order of the folders would tell who is who.
        bots = [{"path": str(folder), "name": shown, "built": True} for shown, folder in sorted(playing)]
        count = len(bots) + len(planned.table.get("bot", []))
        why = self._not_worth_it(planned, count, newcomers)
        if why is not None:
            self._tell(f"{planned.keys.name} is not played: {why}")
            return True
        number = max((event.number for event in events), default=0) + 1
        folder = season.events_folder / f"{number:04}-{self._today}-{planned.keys.name}"
        file = folder.with_name(f"{folder.name}.toml")
        title = f"{season.file.keys.name}: {planned.keys.name}, {self._today}"
        write_durably(file, planned.text(season.path, title, bots, newcomers, self._key).encode())
        self._tell(f"playing {folder.name}: {count} bots")
        try:
            await self._play_event(folder, run_tournament, file, folder, checked=True)
        except NotReady as error:
            file.unlink()
            ours = [self._fails(found) for found in error.results if not found.ready]
            if not all(ours):
                self._failed.append(f"{folder.name}: {error}")
                return True
            await self._check(base)
            await self._play_if_due(planned, base)
        if not folder.is_dir():
            file.unlink(missing_ok=True)
        self._judge()
        return True

    def _not_worth_it(self, planned: SeasonEvent, bots: int, newcomers: Sequence[str]) -> str | None:
        """Why an event that is due is not to be played."""
        seats = planned.table.get("seats", 2)
        if bots < seats:
            return f"bots that are ready: {bots}; a table needs {seats}"
        waits = planned.keys.when == "new" and planned.table.get("format") == "gauntlet"
        if waits and "challengers" not in planned.table.get("gauntlet", {}) and bots - len(newcomers) < seats - 1:
            return f"{len(newcomers)} of {bots} bots are new, so they have no field to meet"
        if planned.keys.enough is not None and not newcomers:
            shown = {self._state.entrants[name].shown for name in self._state.playing()}
            rows = [row for fit in self._season.ratings() for row in fit.table.ratings]
            if shown <= {row.name for row in rows if is_known(row.rating, planned.keys.enough)}:
                return f"every rating is known to ± {planned.keys.enough:g} Elo"
        return None

    async def _play_event(self, folder: Path, play: Callable[..., Any], *args: Any, **options: Any) -> None:
        """Play or resume an event. Raises NotReady."""
        try:
            result: TournamentResult = await play(*args, self._told, self._interruption, **options)
            if result.ending is TournamentEnding.PAUSED and result.problem is not None:
                ended = Ended(round=0, at="", reason=result.problem)
                await give_ruling(folder, "end", ended, self._told, self._interruption)
            elif result.ending is not TournamentEnding.FINISHED:
                self._stopping = True
        except TournamentInterrupted:
            self._stopping = True
        except NotReady:
            raise
        except RefereeError as error:
            self._failed.append(f"{folder.name}: {error}")
            self._tell(f"{folder.name} can't be played: {error}")

    def _not_judged(self) -> list[tuple[PlayedEvent, Manifest]]:
        new = [event for event in self._season.events() if event.number not in self._state.judged]
        return [(event, TournamentFolder.open(event.path).manifest) for event in new]

    def _judge(self) -> None:
        """Set aside the versions that failed in events that are over. Here and not when an event ends, as the referee
        may be killed in between."""
        for event, manifest in self._not_judged():
            if not manifest.finished:
                continue
            progress = load(TournamentFolder.open(event.path), repair=False).progress
            withdrawn = [each.bot for each in progress.events if isinstance(each, Withdrawn) and each.automatic]
            files = {bot.name: bot.files_sha256 for bot in manifest.bots}
            for shown, reason in failures(game_rows(progress), withdrawn).items():
                self._set_aside(shown, files[shown], f"in {event.path.name} {reason}")
            self._state.judged.add(event.number)
            self._season.save()

    def _set_aside(self, shown: str, event_sha256: str | None, reason: str) -> None:
        """Set aside the version with these files. Bots of the season's file, which are no entrants, go on."""
        for name, entrant in self._state.entrants.items():
            for version in entrant.versions if entrant.shown == shown else ():
                if version.event_sha256 == event_sha256 and not version.fails:
                    entrant.change(structs.replace(version, set_aside=reason))
                    self._tell(f"{name}: version {version.number} is set aside: {reason}")

    def _fails(self, result: Readiness) -> bool:
        """The version that plays turned out not to be ready. False if it is not that of an entrant."""
        for name, entrant in self._state.entrants.items():
            version = entrant.playing()
            if entrant.shown == result.bot and version is not None:
                self._checked(name, version, result)
                return True
        return False


def is_known(rating: Rating, half_width: float) -> bool:
    """Whether the interval of a rating is at most this wide to both sides."""
    return rating.low is not None and rating.high is not None and rating.high - rating.low <= 2 * half_width


def without_folder(text: str, folder: Path) -> str:
    """`text` without where the organiser keeps this folder, even if a symbolic link led there."""
    for path in sorted((str(folder), str(folder.resolve())), key=len, reverse=True):
        text = text.replace(f"{path}/", "").replace(path, "its folder")
    return text
