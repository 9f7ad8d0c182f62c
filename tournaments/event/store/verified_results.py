"""Verification of the chain, the final standings and the database against the records, and what it has found."""

import math
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, structs

from referee.files import is_there
from referee.printable import sanitise
from tournaments.competition.changes import FilesAccepted, Joined, Replayed
from tournaments.competition.games import StoredGame, parse_game_id
from tournaments.competition.progress import Progress
from tournaments.competition.results import tournament_standings
from tournaments.event.store.chain import extend, json_hash
from tournaments.event.store.database import Database
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import lost_games
from tournaments.event.store.manifest import OPENING, Manifest, ManifestBot, manifest_from
from tournaments.play.archives import ArchiveError, Archives, remove_tree, sources_in

SHA256: Final = re.compile("[0-9a-f]{64}")
TOLERANCE: Final = 1e-6
"""The last digits of floats may differ between machines."""
MAX_DIFFERENCES: Final = 1_000
"""Further ones are counted, but not listed."""


class Difference(Struct, frozen=True):
    """Something that is wrong in a tournament. `where`: the file or part of it."""

    where: str
    problem: str


class Findings:
    """Differences, and what could not be checked."""

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.count = 0
        """The number of all differences."""
        self.unchecked: list[str] = []

    def differs(self, where: str, problem: str) -> None:
        self.count += 1
        if self.count <= MAX_DIFFERENCES:
            self.differences.append(Difference(where, problem))


class Records:
    def __init__(self) -> None:
        self.hashes: dict[str, str] = {}
        """By id, the SHA-256 of all that can be unpacked."""
        self.games: dict[str, StoredGame] = {}
        """By id, all that name a game of this tournament, including wrong ones."""
        self.by_round: dict[int, list[StoredGame]] = {}
        """The same without those that are replays of others."""

    def add(self, game: StoredGame) -> None:
        self.games[game.game_id] = game
        if not game.again:
            self.by_round.setdefault(game.round, []).append(game)


# -- the chain --------------------------------------------------------------------------------------------------


def check_chain(manifest: Manifest, records: Records, findings: Findings) -> dict[str, str]:
    """Check each head in the manifest, computed from the one before it there.

    Returns the heads computed from opening, changes and records alone, each with what it is the head after; the last
    one comes last.
    """
    # In a running tournament the last head is written a little later than the last record of the round.
    for number in range(len(manifest.rounds) + 1, max(records.by_round, default=0) + manifest.finished):
        findings.differs("manifest", f"there are records of round {number}, but `rounds` has no head for it")
    replays = [event for event in manifest.events if isinstance(event, Replayed)]
    lost = {event.game_id: event.old.sha256 for event in replays if event.lost}
    originals = _originals(lost | records.hashes)
    computed = before = manifest.first_head
    heads = {computed: "the opening"}

    def add(where: str, hashes: Iterable[str]) -> None:
        nonlocal computed, before
        computed, before = extend(computed, hashes), extend(before, hashes)
        heads.pop(computed, None)
        heads[computed] = where

    def add_changes(number: int) -> None:
        for event in manifest.events:
            if event.round == number:
                replacement = [records.hashes.get(event.replacement, "")] if isinstance(event, Replayed) else []
                add(f"a change before round {number}", [json_hash(event), *replacement])

    for number, finished in enumerate(manifest.rounds, 1):
        add_changes(number)
        add(f"round {number}", originals.get(number, []))
        if finished.number != number:
            findings.differs("manifest", f"`rounds` has round {finished.number} where round {number} should be")
        if before != finished.head:
            findings.differs(
                f"round {number}", f"the chain of its records ends with {before}, but the manifest says {finished.head}"
            )
        elif finished.games != len(originals.get(number, [])):
            findings.differs(
                f"round {number}",
                f"it has {len(originals.get(number, []))} games, but the manifest says {finished.games}",
            )
        before = finished.head
    add_changes(len(manifest.rounds) + 1)
    if before != manifest.head:
        findings.differs("manifest", f"the chain of records ends with {before}, but `head` is {manifest.head}")
    return heads


def check_opening(manifest: Manifest, findings: Findings) -> None:
    """Compare what the first head is over with what the manifest says elsewhere."""
    try:
        opened = manifest_from({**manifest.opening, "seed_commitment": manifest.seed_commitment})
    except msgspec.ValidationError as error:
        findings.differs("manifest", f"`opening` can't be used: {sanitise(error)}")
        return
    for name in OPENING:
        if name != "bots" and getattr(opened, name) != getattr(manifest, name):
            findings.differs("manifest", f"`{name}` is not what it was in `opening`")
    hashes, owners = {}, {}
    for event in manifest.events:
        if isinstance(event, Joined):
            hashes[event.bot.name], owners[event.bot.name] = event.files_sha256, event.bot.owner
        elif isinstance(event, FilesAccepted):
            hashes |= event.bots
    for bot in opened.bots:
        known = next((other for other in manifest.bots if other.name == bot.name), None)
        expected = structs.replace(bot, files_sha256=hashes.get(bot.name, bot.files_sha256))
        if known is not None and known != expected:
            findings.differs("manifest", f'the bot "{sanitise(bot.name)}" is not what it was in `opening`')
    for bot in manifest.bots:
        if bot.name in hashes and bot.files_sha256 != hashes[bot.name]:
            findings.differs("manifest", f'the files of "{sanitise(bot.name)}" are not those in `events`')
        if owners.get(bot.name, bot.owner) != bot.owner:
            findings.differs("manifest", f'the owner of "{sanitise(bot.name)}" is not the one in `events`')


def check_private(folder: TournamentFolder, manifest: Manifest, findings: Findings) -> None:
    """Compare what is known of bots with pseudonyms with the seals in the manifest. A copy may be without."""
    if folder.private is None:
        if manifest.has_pseudonyms:
            findings.unchecked.append("who plays under which name is not public, so `private_sha256` can't be checked")
        return
    for bot in manifest.bots:
        if folder.private.published_bot(folder.private.bots[bot.name]) != bot:
            findings.differs(
                "private.json", f'what it says of "{sanitise(bot.name)}" is not what is sealed in the manifest'
            )


def check_sources(folder: TournamentFolder, manifest: Manifest, findings: Findings) -> None:
    """Compare the sources of bots that machines of a cluster have built with the manifest. A copy may be without."""
    known = {bot.name: bot.sources_sha256 for bot in manifest.bots if bot.sources_sha256 is not UNSET}
    for bot in sorted(manifest.builds.keys() - known):
        findings.differs("manifest", f'"{sanitise(bot)}" has `builds`, but no `sources_sha256`')
    for host in sorted({host for hosts in manifest.builds.values() for host in hosts} - manifest.hosts.keys()):
        findings.differs("manifest", f'"{sanitise(host)}" is in `builds`, but has played no game by `hosts`')
    for sha256 in sorted(set(known.values())):
        if SHA256.fullmatch(sha256) is None:
            findings.differs("manifest", f"`sources_sha256` is not a SHA-256: {sanitise(sha256)}")
            continue
        archive = sources_in(folder.sources, sha256).archive
        with tempfile.TemporaryDirectory(prefix="referee-sources-") as temporary:
            try:
                archives = Archives(Path(temporary))
                if archive.is_file():
                    archives.unpack(sha256, archive.read_bytes())
            except (ArchiveError, OSError) as error:
                findings.differs(f"sources/{archive.name}", sanitise(str(error)))
            finally:
                remove_tree(Path(temporary, sha256))


def first_hashes(manifest: Manifest) -> dict[str, str | None]:
    """The hashes of the files of bots, by name, before the first game."""
    try:
        bots = msgspec.convert(manifest.opening.get("bots", ()), tuple[ManifestBot, ...])
    except msgspec.ValidationError:  # reported by `check_opening`
        return {}
    return {bot.name: bot.files_sha256 for bot in bots}


def hashes_of_files(manifest: Manifest, first: Mapping[str, str | None], name: str, game: StoredGame) -> list[str]:
    """The hashes that the files of a bot may have had in a game, by the manifest; empty if it has none."""
    found: list[tuple[int, str | None]] = [(1, first.get(name))]
    for event in manifest.events:
        if isinstance(event, Joined) and event.bot.name == name:
            found.append((event.round, event.files_sha256))
        elif isinstance(event, FilesAccepted) and name in event.bots:
            found.append((event.round, event.bots[name]))
    # Files that were accepted while a round was played have played its last games; the change counts from the next one.
    # A game that is played again later is played by the files of that time.
    last = max((round_ for round_, _ in found), default=1) if game.again else game.round + 1
    in_force = max((round_ for round_, _ in found if round_ <= game.round), default=1)
    return [digest for round_, digest in found if in_force <= round_ <= last and digest is not None]


def _originals(hashes: dict[str, str]) -> dict[int, list[str]]:
    """By round the hashes of the first records of its games, in the order of play."""
    found = defaultdict[int, list[tuple[int, int, int, str]]](list)
    for name, digest in hashes.items():
        game = parse_game_id(name)
        if game is not None and not game.again:
            found[game.round].append((game.rotation, game.table, game.deal, digest))
    return {number: [digest for *_, digest in sorted(games)] for number, games in found.items()}


# -- the standings ----------------------------------------------------------------------------------------------


def check_standings(manifest: Manifest, progress: Progress, findings: Findings) -> None:
    """Compare the final standings in the manifest with those that follow from the records."""
    try:
        computed = msgspec.to_builtins(tournament_standings(progress, True))
    except Exception as error:  # a crafted manifest may break them anywhere
        findings.differs("standings", f"they can't be computed: {sanitise(str(error) or type(error).__name__)}")
        return
    for where, problem in value_differences(computed, manifest.standings):
        findings.differs(f"standings{where}", problem)


def value_differences(expected: Any, found: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """The differences between two JSON values. Floats may differ a little."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            yield from value_differences(expected.get(key), found.get(key), f"{where}.{key}")
    elif isinstance(expected, list | tuple) and isinstance(found, list):
        for index, (one, other) in enumerate(zip_longest(expected, found)):
            name = one.get("name", index) if isinstance(one, dict) else index
            yield from value_differences(one, other, f"{where}[{name}]")
    elif not _same(expected, found):
        computed, stored = (sanitise(msgspec.json.encode(value).decode()) for value in (expected, found))
        yield where, f"by the records it is {computed}, in the manifest {stored}"


def _same(expected: Any, found: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, int | float) and not isinstance(found, bool):
        return math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(expected) is type(found) and bool(expected == found)


# -- the database -----------------------------------------------------------------------------------------------


def check_database(folder: TournamentFolder, records: Records, progress: Progress | None, findings: Findings) -> None:
    """Compare the database, if there is one, with the records, the manifest and the rounds that follow from them."""
    manifest = folder.manifest
    if not is_there(folder.database):
        findings.unchecked.append(f"{folder.database.name} is missing")
        return
    try:
        with Database.open(folder.database, read_only=True) as database, database.snapshot():
            rounds, events = database.rounds(), database.events()
            _check_rows(folder, database.games(), records, findings)
    except StoreError as error:
        findings.differs("database", str(error))
        return
    if len(rounds) < len(manifest.rounds):
        findings.differs(
            "database", f"it has {len(rounds)} rounds, but {len(manifest.rounds)} are over by the manifest"
        )
    known = list(manifest.events)
    shorter = len(known) if manifest.finished else min(len(events), len(known))
    if events[:shorter] != known[:shorter] or (manifest.finished and len(events) > shorter):
        findings.differs("database", "its events differ from those in the manifest")
    computed = {} if progress is None else {over.round.number: over.round for over in progress.begun}
    for round_ in rounds:
        if round_ != computed.get(round_.number, round_):
            findings.differs("database", f"it has other tables, byes or deals for round {round_.number}")
        if round_.number > len(manifest.rounds) and manifest.finished:
            findings.differs("database", f"it has a round {round_.number}, which was not played")


def _check_rows(folder: TournamentFolder, rows: Iterable[StoredGame], records: Records, findings: Findings) -> None:
    manifest = folder.manifest
    lost = lost_games(manifest.events)
    seen = set()
    for row in rows:
        seen.add(row.game_id)
        game, digest = records.games.get(row.game_id), records.hashes.get(row.game_id)
        if game is not None and game != row:
            unequal = [name for name in StoredGame.__struct_fields__ if getattr(game, name) != getattr(row, name)]
            findings.differs(f"record {row.game_id}", f"the database has other values of: {', '.join(unequal)}")
        elif digest is not None and digest != row.sha256:
            findings.differs(f"record {row.game_id}", "the database has another sha256")
        elif digest is None and row.game_id not in lost and not _has_record(folder, row.game_id):
            findings.differs(f"record {row.game_id}", "it is missing, but the database has the game")
    if manifest.finished:
        for name in sorted(records.games.keys() - seen):
            findings.differs(f"record {name}", "the database has no such game")


def _has_record(folder: TournamentFolder, game_id: str) -> bool:
    """Whether there is a record by now: a running tournament may have written it since the others were read."""
    return parse_game_id(game_id) is not None and is_there(folder.record(game_id))
