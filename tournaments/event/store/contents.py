"""The contents of the database of a tournament, read from it or computed from manifest, seed and records."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from referee.record.reader import InvalidRecord
from tournaments.competition.changes import AnyChange, Replayed
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import StoredGame, parse_game_id
from tournaments.competition.progress import Progress, rebuild
from tournaments.competition.rounds import Round
from tournaments.competition.seeds import commitment
from tournaments.event.store.chain import finished_rounds
from tournaments.event.store.database import Database
from tournaments.event.store.errors import DamagedDatabase, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.records import record_to_game
from tournaments.event.store.validation import (
    BadManifest,
    BadRounds,
    bot_indices,
    check_manifest,
    check_rounds,
    round_problem,
)

MAX_LISTED_GAMES: Final = 5


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
        progress.additions  # noqa: B018 (it is kept, and nearly everything asks for it)
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
