"""Extensions of a tournament, by bots that were added after its end: what their numbers rest on, and verification."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from referee.printable import sanitise
from tournaments.competition.changes import FilesAccepted
from tournaments.competition.pooled import PooledRatings
from tournaments.competition.progress import Progress
from tournaments.event.archive import INDEX, archive_index, archive_of
from tournaments.event.rated_games import pool_events
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.verification import Verification
from tournaments.event.store.verification import verify as verify_one
from tournaments.event.store.verified_results import Difference, first_hashes
from tournaments.play.archives import ArchiveError, Archives, sources_in


class Extension(Struct, frozen=True, kw_only=True):
    """What the numbers of a bot that was added after the end rest on."""

    bot: str
    folder: str
    """Within that of the tournament."""
    added: str
    """When it began, ISO 8601."""
    finished: bool
    games: int
    deals: int
    opponents: int
    new_deals: bool
    """Whether its deals had a new secret seed; false: those of the tournament, whose seed was public by then."""
    differs: list[str]
    """Which of the versions of referee, rules and Python, the sandbox, and the files of bots, are not those of the
    tournament."""


class Extensions(Struct, frozen=True, kw_only=True):
    """In the form of `extensions` in `standings --json`."""

    bots: list[Extension]
    ratings: PooledRatings | None
    """Over the games of the tournament and of all extensions; None while nobody can be rated."""


def read_extensions(path: Path, progress: Progress | None = None) -> Extensions | None:
    """What was added to a tournament after its end, whose `progress` may be loaded already; None if nothing was.

    Raises StoreError.
    """
    whole = TournamentFolder.open(path)
    parts = [(part, load(part, repair=False).progress) for part in whole.extensions()]
    if not parts:
        return None
    loaded = {part.path: own for part, own in parts} | ({} if progress is None else {path: progress})
    fits = pool_events([path, *(part.path for part, _ in parts)], loaded=loaded)
    bots = [_extension(whole, part, own) for part, own in parts]
    return Extensions(bots=bots, ratings=fits[0].table if fits else None)


def _extension(whole: TournamentFolder, part: TournamentFolder, progress: Progress) -> Extension:
    manifest = part.manifest
    games = list(progress.games())
    run, before = manifest.sessions[0], whole.manifest.sessions[0]
    versions = [name for name in ("referee", "rules", "python") if run.versions.get(name) != before.versions.get(name)]
    return Extension(
        bot=_challenger(part),
        folder=str(part.path.relative_to(whole.path)),
        added=run.started,
        finished=manifest.finished,
        games=len(games),
        deals=len({(game.deal, game.table if progress.regulations.deals_of == "table" else 0) for game in games}),
        opponents=len({bot for game in games for bot in game.bots}) - bool(games),
        new_deals=manifest.seed_commitment != whole.manifest.seed_commitment,
        differs=[
            *versions,
            *(["sandbox"] if run.sandbox != before.sandbox else []),
            *(
                f"files of {name}"
                for event in manifest.events
                if isinstance(event, FilesAccepted)
                for name in event.bots
            ),
        ],
    )


def _challenger(part: TournamentFolder) -> str:
    bots = part.manifest.regulations.bots
    return bots[-1].name if bots else ""


# -- verification ---------------------------------------------------------------------------------------------


def verify(path: Path, *, against: str | None = None) -> Verification:
    """Verify the tournament in a folder, its extensions, and its bots if it is from an archive. Nothing is written.

    `against`: a head that somebody kept, of the tournament. Raises NoTournament if there is none.
    """
    found, whole = verify_one(path, against=against), TournamentFolder.open(path)
    differences, parts = list[Difference](), list[TournamentFolder]()
    for place in whole.extension_folders():
        try:
            parts.append(TournamentFolder.open(place))
        except StoreError as error:
            differences.append(Difference(f"extensions/{place.name}", str(error)))
    differences += _archived_bots(whole, parts)
    known = {bot.name: bot.files_sha256 for bot in whole.manifest.bots}
    for part in parts:
        name, own = _challenger(part), verify_one(part.path)
        where = f"extension {sanitise(name)}"
        regulations, rules = part.manifest.regulations, whole.manifest.regulations
        if (regulations.game, regulations.config, regulations.seats, regulations.deals_of) != (
            rules.game, rules.config, rules.seats, rules.deals_of,
        ):  # fmt: skip
            differences.append(Difference(where, "its game or its tables are not those of the tournament"))
        for bot, sha256 in first_hashes(part.manifest).items():  # as they were before changed ones were accepted
            if bot != name and (bot not in known or known[bot] != sha256):
                differences.append(Difference(where, f'the files of "{sanitise(bot)}" are not those of the tournament'))
        differences += [structs.replace(each, where=f"{where}: {each.where}") for each in own.differences]
        found = structs.replace(
            found,
            records=found.records + own.records,
            rounds=found.rounds + own.rounds,
            more=found.more + own.more,
            unchecked=[*found.unchecked, *(f"{where}: {what}" for what in own.unchecked)],
            extensions=found.extensions + 1,
        )
    return structs.replace(found, differences=[*found.differences, *differences], ok=found.ok and not differences)


def _archived_bots(folder: TournamentFolder, extensions: Sequence[TournamentFolder]) -> Iterator[Difference]:
    """What is wrong with the files of bots in an archive."""
    try:
        index = archive_index(folder)
    except StoreError as error:
        yield Difference(INDEX, str(error))
        return
    try:
        started = [bot for part in (folder, *extensions) for bot in part.started_bots(part.manifest.bots)]
    except StoreError:
        return  # `verify_one` names private.json
    hashes = {bot.name: bot.files_sha256 for bot in started}
    with tempfile.TemporaryDirectory(prefix="referee-archive-") as temporary:
        archives = Archives(Path(temporary))
        for name, bot in () if index is None else index.bots.items():
            packed = sources_in(archive_of(folder) / "bots", bot.files).archive
            if not bot.outside and bot.outside != () and hashes.get(name) != bot.files:
                yield Difference(f"bots/{packed.name}", f'these are not the files of "{name}" in the manifest')
            try:
                archives.unpack(bot.files, packed.read_bytes())
            except (ArchiveError, OSError) as error:
                yield Difference(f"bots/{packed.name}", str(error))
