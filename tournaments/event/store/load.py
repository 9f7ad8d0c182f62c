"""Loading the state of a tournament from its folder, with repairs after an interruption, a damaged disk or an edit.

Records are authoritative for games, the manifest for events, the seed for deals and pairings; the database follows from
them. Nothing that was complete is deleted: it is moved aside. Each repair can be interrupted, and done again.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from referee.files import is_there
from referee.games.narrator import format_count
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tournaments.competition.changes import AnyChange, Replayed
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import StoredGame, commitment, parse_game_id
from tournaments.competition.progress import Progress, rebuild
from tournaments.competition.rounds import Round
from tournaments.event.store.begun import BegunGames
from tournaments.event.store.chain import finished_rounds
from tournaments.event.store.database import SIDE_FILES, Database
from tournaments.event.store.errors import NO_DATABASE, DamagedDatabase, NoSuchRecord, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.records import TournamentRecords, record_to_game
from tournaments.event.store.validation import (
    BadManifest,
    BadRounds,
    bot_indices,
    check_manifest,
    check_rounds,
    round_problem,
)

MAX_LISTED_GAMES: Final = 5


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


class Contents(Struct, frozen=True, kw_only=True):
    rounds: list[Round]
    games: dict[str, StoredGame]
    """By id."""
    events: list[AnyChange]


def read_contents(database: Database, manifest: Manifest) -> Contents:
    """The contents of the database at one moment. Raises DamagedDatabase if they can't be of this tournament."""
    with database.snapshot():
        contents = Contents(
            rounds=database.rounds(),
            games={game.game_id: game for game in database.games()},
            events=database.events(),
        )
    known = len(manifest.events)
    if contents.events[:known] != list(manifest.events[: len(contents.events)]):
        raise DamagedDatabase(database.path, "its events differ from those in the manifest")
    if len(contents.rounds) < len(manifest.rounds):
        raise DamagedDatabase(database.path, f"it lacks rounds: {len(manifest.rounds)} are over by the manifest")
    complete = manifest.with_events(contents.events[known:])
    try:
        check_manifest(complete)
        check_rounds(manifest.regulations, len(bot_indices(complete)), contents.rounds, contents.games.values())
    except (BadManifest, BadRounds) as error:
        raise DamagedDatabase(database.path, error) from None
    for event in contents.events:
        if isinstance(event, Replayed) and event.replacement not in contents.games:
            raise DamagedDatabase(database.path, f"it has no game {event.replacement}")
    return contents


def progress_by_database(folder: TournamentFolder, contents: Contents) -> Progress:
    """The state by the contents of the database. Raises DamagedDatabase if its rounds can't be those of the format."""
    regulations, seed = folder.manifest.regulations, folder.seed or ""
    progress = rebuild(regulations, seed, contents.events, contents.rounds, contents.games.values())
    try:
        _ = progress.order, progress.additions  # which are kept, so that neither raises this later
    except FormatError as error:
        raise DamagedDatabase(folder.database, error) from None
    return progress


def contents_from_records(folder: TournamentFolder, manifest: Manifest, *, without: Collection[str] = ()) -> Contents:
    """The contents that the database would have, from the manifest, the seed and the records. Nothing is written.

    The records `without` count as missing. Raises StoreError if a record of a finished round is missing or is not the
    one that was played: then the pairings that followed from it can't be computed.
    """
    bots = bot_indices(manifest)
    games: dict[str, StoredGame] = {}
    problems: dict[str, str] = {}
    for game_id in folder.record_ids():
        if parse_game_id(game_id) is not None and game_id not in without:
            try:
                games[game_id] = read_game(folder, game_id, bots)
            except (StoreError, InvalidRecord) as error:
                problems[game_id] = str(error)
    for event in manifest.events:
        if isinstance(event, Replayed) and event.replacement not in games:
            raise _irreplaceable(folder, [event.replacement], problems)
    begun = {game.round for game in games.values()}

    def pair(progress: Progress) -> Round | None:
        number = progress.next_number
        if number not in begun and number > len(manifest.rounds):
            return None
        return next_round(progress)

    progress = rebuild(manifest.regulations, seed_of(folder), manifest.events, [], games.values(), pair)
    if len(progress.rounds) < len(manifest.rounds):
        missing = [] if progress.current is None else [planned.game_id for planned in progress.current.missing()]
        raise _irreplaceable(folder, missing, problems)
    for known, computed in zip(manifest.rounds, finished_rounds(manifest.first_head, [], progress), strict=False):
        if known != computed:
            raise StoreError(
                f"the records of round {known.number} in {folder.records} are not those that were played: the chain of "
                "their hashes ends differently. `referee tournament verify` says what is wrong; put the right ones "
                "back from a copy"
            )
    used = {game.game_id: game for game in progress.games()}
    planned = {name: game for over in progress.begun for name, game in over.planned.items()}
    for game in used.values():
        if game.bots != planned[game.planned_id].bots:
            raise StoreError(
                f"{game.game_id}: by its record other bots played there than the format seats. Either the record is "
                "not the one that was played, or this referee pairs differently from the one that played it (see "
                "`versions` in the manifest)"
            )
    return Contents(rounds=[over.round for over in progress.begun], games=used, events=list(manifest.events))


def read_game(folder: TournamentFolder, game_id: str, bots: Mapping[str, int]) -> StoredGame:
    """The game in a record, which has not been replayed. Raises StoreError and InvalidRecord."""
    game = record_to_game(folder.read_record(game_id), bots)
    if game.game_id != game_id:
        raise InvalidRecord(1, f"the record of {game.game_id} is in the file of {game_id}")
    return game


def _irreplaceable(folder: TournamentFolder, missing: Sequence[str], problems: Mapping[str, str]) -> StoreError:
    because = next((f" ({problems[name]})" for name in missing if name in problems), "")
    return StoreError(
        f"{format_game_names(missing)}: no record in {folder.records}, or it can't be read{because}, and no database "
        "with the result, on which later pairings depend. Put the record back from a copy"
    )


def next_round(progress: Progress) -> Round | None:
    """The next round as its format pairs it. Raises StoreError."""
    try:
        round_ = progress.next_round()
    except FormatError as error:
        raise StoreError(f"round {progress.next_number} can't be paired: {error}") from None
    if round_ is not None:
        problem = round_problem(round_, len(progress.entries), progress.regulations.seats)
        if problem is not None:
            raise StoreError(f"round {progress.next_number} can't be played: {problem}")
    return round_


def seed_of(folder: TournamentFolder) -> str:
    """The seed, which must be the one that the manifest commits to. Raises StoreError."""
    seed = folder.seed
    if seed is None:
        raise StoreError(f"{folder.path / 'seed'} is missing: without the seed nothing more can be paired or played")
    if commitment(seed) != folder.manifest.seed_commitment:
        raise StoreError(
            f"the seed of {folder.path} is not the one that the manifest commits to (seed_commitment); put the right "
            "one back from a copy"
        )
    return seed


def lost_games(events: Iterable[AnyChange]) -> set[str]:
    """The games whose records are known to be lost."""
    return {event.game_id for event in events if isinstance(event, Replayed) and event.lost}


def format_game_names(games: Sequence[str]) -> str:
    if not games:
        return "a game"
    more = f" and {len(games) - MAX_LISTED_GAMES} more" if len(games) > MAX_LISTED_GAMES else ""
    return ", ".join(games[:MAX_LISTED_GAMES]) + more


# -- repairs --------------------------------------------------------------------------------------------------


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
            raise DamagedDatabase(path, NO_DATABASE)
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
