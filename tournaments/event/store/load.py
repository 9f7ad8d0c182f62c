"""Loading the state of a tournament from its folder, with repairs after an interruption, a damaged disk or an edit.

Records are authoritative for games, the manifest for events, the seed for deals and pairings; the database follows from
them. Nothing that was complete is deleted: it is moved aside. Each repair can be interrupted, and done again.
"""

import hashlib
from collections.abc import Callable, Mapping

from msgspec import Struct, structs

from referee.files import is_there
from referee.games.narrator import format_count
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tournaments.competition.changes import Replayed
from tournaments.competition.games import StoredGame, parse_game_id
from tournaments.competition.progress import Progress, rebuild
from tournaments.competition.rounds import Round
from tournaments.event.store.begun import BegunGames
from tournaments.event.store.contents import (
    Contents,
    contents_from_records,
    format_game_names,
    lost_games,
    next_round,
    progress_by_database,
    read_contents,
    read_game,
    seed_of,
)
from tournaments.event.store.database import SIDE_FILES, Database
from tournaments.event.store.errors import DamagedDatabase, NoSuchRecord, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.records import TournamentRecords, record_to_game
from tournaments.event.store.validation import bot_indices, check_manifest


class Loaded(Struct, frozen=True, kw_only=True):
    """A tournament as loaded from its folder."""

    manifest: Manifest
    progress: Progress
    repairs: list[str]
    """Problems and what was done about them, one sentence each. Without `repair`: what `resume` will repair."""
    lost: list[StoredGame]
    """Games of rounds that are over whose record has disappeared or been altered. Their results count until they are
    played again, which is to be an event `Replayed` with `lost`."""


def load(folder: TournamentFolder, *, repair: bool) -> Loaded:
    """The state of a tournament. Raises StoreError.

    With `repair`, which needs the lock of the folder: the folder is repaired, and what was unfinished is removed, so
    that the tournament can be resumed. Nothing that was complete is deleted: it is moved to `set_aside` in the folder.
    Without, nothing is written, and another process may be writing.
    """
    manifest, found = folder.reread(), list[str]()
    check_manifest(manifest)
    if repair:
        return Repair(folder).load()
    try:
        with Database.open(folder.database, read_only=True) as database:
            contents = read_contents(database, manifest)
        progress = progress_by_database(folder, contents)
    except DamagedDatabase as error:
        progress = progress_by_database(folder, contents_from_records(folder, manifest))
        found.append(f"{error}. Until then this is computed from the records")
    else:
        recorded = set(folder.record_ids())
        missing = [name for name in contents.games if name not in recorded and name not in lost_games(contents.events)]
        if missing:
            found.append(
                f"{format_game_names(missing)}: no record; `referee tournament resume` plays what is missing again"
            )
    return Loaded(manifest=manifest, progress=progress, repairs=found, lost=[])


class Repair:
    """Repairs a folder, whose lock must be held."""

    def __init__(self, folder: TournamentFolder) -> None:
        self._folder = folder
        self._seed = seed_of(folder)
        regulations = folder.manifest.regulations
        self._records = TournamentRecords(regulations, folder.openings(regulations), self._seed)
        self._begun = BegunGames(folder.begun)
        self._repairs: list[str] = []

    def load(self) -> Loaded:
        """The state after all repairs. Raises StoreError."""
        removed = self._folder.remove_temporary()
        if removed:
            self._repairs.append(
                f"removed: {format_count(removed, 'unfinished files')}, left when the referee was stopped"
            )
        try:
            return self._load(self._open)
        except DamagedDatabase as error:
            problem = error.problem
            return self._load(lambda: self._recreate(problem))

    def _load(self, open_database: Callable[[], tuple[Database, Contents]]) -> Loaded:
        database, contents = open_database()
        with database:
            contents = self._agree_on_events(database, contents)
            contents, lost = self._compare_with_records(database, contents)
            progress = self._adopt(database, contents)
        manifest = self._folder.manifest
        if manifest != manifest.with_head(progress):  # it lacked events
            self._folder.write_manifest(manifest.with_head(progress))
        return Loaded(manifest=self._folder.manifest, progress=progress, repairs=self._repairs, lost=lost)

    # -- the database -----------------------------------------------------------------------------------------

    def _open(self) -> tuple[Database, Contents]:
        path = self._folder.database
        if not is_there(path):
            raise DamagedDatabase(path, "it is missing")
        database = Database.open(path)
        try:
            database.check()
            contents = read_contents(database, self._folder.manifest)
            if not contents.rounds and any(map(parse_game_id, self._folder.record_ids())):
                raise DamagedDatabase(path, "it is empty, but there are records")
            progress_by_database(self._folder, contents)
        except BaseException:
            database.close()
            raise
        return database, contents

    def _recreate(self, problem: str) -> tuple[Database, Contents]:
        """Set the database aside, and create a new one. If that is not possible, nothing is modified."""
        folder, manifest = self._folder, self._folder.manifest
        contents = contents_from_records(folder, manifest)
        # The chain proves the rounds that are over according to the manifest.
        recent = [name for name, game in contents.games.items() if game.round > len(manifest.rounds)]
        bots = bot_indices(manifest)
        unsound = [name for name in recent if self._problem(name, bots) is not None]
        if unsound:
            contents = contents_from_records(folder, manifest, without=unsound)
        # A journal without its database would be applied to the new one.
        beside = [folder.database.with_name(folder.database.name + end) for end in SIDE_FILES]
        kept = [folder.set_aside(path).name for path in (*beside, folder.database) if is_there(path)]
        database = Database.open(folder.database)
        try:
            games = [(game, None) for game in contents.games.values()]
            database.write(rounds=contents.rounds, games=games, events=contents.events)
        except BaseException:
            database.close()
            raise
        where = f"it is kept as set_aside/{kept[-1]}, and a new one was created" if kept else "it was created"
        self._repairs.append(
            f"{folder.database.name}: {problem}; {where} from the manifest and the records:"
            f" {len(contents.games)} games in {len(contents.rounds)} rounds"
        )
        return database, contents

    def _agree_on_events(self, database: Database, contents: Contents) -> Contents:
        """Add events that only the manifest or only the database has to the other one."""
        folder, manifest = self._folder, self._folder.manifest
        only_there, only_here = contents.events[len(manifest.events) :], manifest.events[len(contents.events) :]
        if only_there:
            folder.write_manifest(manifest.with_events(only_there))
            number = format_count(len(only_there), "events")
            self._repairs.append(f"added to the manifest: {number}, which the database already had")
        if only_here:
            bots = bot_indices(manifest)
            replayed = [event.replacement for event in only_here if isinstance(event, Replayed)]
            try:
                games = {name: read_game(folder, name, bots) for name in replayed}
            except InvalidRecord as error:
                raise StoreError(
                    f"{format_game_names(replayed)}: the record is wrong: {error}. Put it back from a copy"
                ) from None
            rows = [(game, None) for game in games.values()]
            database.write(remove=games, games=rows, events=only_here)
            number = format_count(len(only_here), "events")
            self._repairs.append(f"added to the database: {number}, which the manifest already had")
            contents = structs.replace(contents, games=contents.games | games, events=[*contents.events, *only_here])
        return contents

    # -- records ----------------------------------------------------------------------------------------------

    def _compare_with_records(self, database: Database, contents: Contents) -> tuple[Contents, list[StoredGame]]:
        """Every game of the database must have its record. Also returns the games of rounds that are over without."""
        replays = {event.game_id: event for event in contents.events if isinstance(event, Replayed)}
        corrected, problems = self._differences(contents)
        vouched = len(self._folder.manifest.rounds)
        if any(contents.games[name].round <= vouched for name in problems.keys() - replays.keys()):
            try:
                contents_from_records(self._folder, self._folder.manifest)
            except StoreError:
                pass  # the records are wrong, not the database
            else:
                raise DamagedDatabase(database.path, "its games differ from the records, which the chain proves")
        replacements = {event.replacement for event in replays.values()}
        over = max(vouched, len(contents.rounds) - 1)
        lost, removed = list[StoredGame](), list[str]()
        for name, problem in problems.items():
            if name in replays:
                if not replays[name].lost:
                    self._repairs.append(f"{name}: its record {problem}; that game was struck out, and doesn't count")
                continue
            path = self._folder.record(name)
            aside = f" (kept as set_aside/{self._folder.set_aside(path).name})" if is_there(path) else ""
            self._repairs.append(f"{name}: its record {problem}{aside}; the game is to be played again")
            if contents.games[name].round <= over or name in replacements:
                lost.append(contents.games[name])
            else:
                self._begun.discard(name, f"its record {problem}")
                removed.append(name)
        if corrected:
            self._repairs.append(
                f"{format_game_names(list(corrected))}: the results in the database and in the record differed"
            )
        rows = [(game, None) for game in corrected.values()]
        database.write(remove=[*removed, *corrected], games=rows)
        games = {name: game for name, game in (contents.games | corrected).items() if name not in removed}
        return structs.replace(contents, games=games), lost

    def _differences(self, contents: Contents) -> tuple[dict[str, StoredGame], dict[str, str]]:
        """The games whose results differ between database and record, as the record has them; and by id what is
        wrong with a record.
        """
        bots = bot_indices(self._folder.manifest)
        corrected, problems = dict[str, StoredGame](), dict[str, str]()
        for name, row in contents.games.items():
            try:
                data = self._folder.read_record(name)
                if hashlib.sha256(data).hexdigest() != row.sha256:
                    problems[name] = "has been altered"
                elif (game := record_to_game(data, bots)) != row:
                    corrected[name] = game
            except NoSuchRecord:
                problems[name] = "has disappeared"
            except (StoreError, InvalidRecord) as error:
                problems[name] = f"can't be used ({error})"
        return corrected, problems

    def _adopt(self, database: Database, contents: Contents) -> Progress:
        """Add games to the database that have a complete record but had not been added. Returns the state."""
        adopted = self._candidates(contents)
        while True:
            progress, rounds = self._rebuild(contents, adopted)
            planned = {name: game for over in progress.begun for name, game in over.planned.items()}
            wrong = [name for name, game in adopted.items() if name not in planned or planned[name].bots != game.bots]
            if not wrong:
                break
            for name in wrong:
                self._reject(name, "it is not a game of any round")
                del adopted[name]
        if adopted:
            self._repairs.append(
                f"{format_game_names(list(adopted))}: finished, but not in the database; added from the record"
            )
        database.write(rounds=rounds, games=[(game, None) for game in adopted.values()])
        return progress

    def _rebuild(self, contents: Contents, adopted: Mapping[str, StoredGame]) -> tuple[Progress, list[Round]]:
        """The state with more games than the database has, and the rounds that had to be paired for them."""
        begun = {game.round for game in adopted.values()}
        paired: list[Round] = []

        def pair(progress: Progress) -> Round | None:
            round_ = next_round(progress) if progress.next_number in begun else None
            paired.extend([] if round_ is None else [round_])
            return round_

        progress = rebuild(
            self._folder.manifest.regulations,
            self._seed,
            contents.events,
            contents.rounds,
            [*contents.games.values(), *adopted.values()],
            pair,
        )
        begun_before = max(len(self._folder.manifest.rounds) + 1, len(contents.rounds))
        if progress.current is not None and progress.current.round.number < begun_before:
            missing = [planned.game_id for planned in progress.current.missing()]
            raise StoreError(
                f"{format_game_names(missing)}: neither a record nor a result in the database, but later pairings "
                "depend on it. Put the record back from a copy"
            )
        return progress, paired

    def _candidates(self, contents: Contents) -> dict[str, StoredGame]:
        """The games that have a sound record and are not in the database. Other records are set aside."""
        bots = bot_indices(self._folder.manifest)
        found = {}
        for name in self._folder.record_ids():
            parsed = parse_game_id(name)
            if parsed is None or name in contents.games:
                continue
            unscored = "it was not scored before the referee was stopped"
            problem = unscored if parsed.again else self._problem(name, bots)
            if problem is None:
                found[name] = read_game(self._folder, name, bots)
            else:
                self._reject(name, problem)
        return found

    def _problem(self, name: str, bots: Mapping[str, int]) -> str | None:
        """Why a record is not that of a game of this tournament; None if it may be."""
        try:
            game = read_game(self._folder, name, bots)
            replay = Replay(self._folder.read_record(name))
            self._records.check(replay, game)
        except (StoreError, InvalidRecord) as error:
            return str(error)
        return None

    def _reject(self, name: str, problem: str) -> None:
        kept = self._folder.set_aside(self._folder.record(name)).name
        self._repairs.append(f"{name}: its record doesn't count: {problem}. It is kept as set_aside/{kept}")
        self._begun.discard(name, f"its record doesn't count: {problem}")
