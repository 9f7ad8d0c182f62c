"""Verification that a tournament was played as its manifest says: all is computed again from manifest, seed and
records.

What this can't detect: a folder that was made up as a whole (unless somebody kept a head of the chain while it was
played), and bots that played with other files than those of the hashes.
"""

import hashlib
from collections import Counter
from pathlib import Path

from msgspec import UNSET, Struct

from referee.games.opening import OpeningError
from referee.printable import sanitise
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay, as_json
from tournaments.competition.changes import begun_again
from tournaments.competition.games import StoredGame, parse_game_id
from tournaments.competition.seeds import commitment
from tournaments.event.store.durable import TEMPORARY
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.new_manifest import current_versions
from tournaments.event.store.records import TournamentRecords, check_record, record_to_game
from tournaments.event.store.validation import BadManifest, bot_indices, check_manifest, game_problem
from tournaments.event.store.verified_results import (
    Difference,
    Findings,
    Records,
    check_chain,
    check_database,
    check_opening,
    check_private,
    check_sources,
    check_standings,
    first_hashes,
    hashes_of_files,
)
from tournaments.event.store.verified_rounds import VerifiedRounds


class Verification(Struct, frozen=True, kw_only=True):
    """The findings, in the form of `verify --json`."""

    schema: int = 1
    tournament: str
    ok: bool
    finished: bool
    rounds: int
    """Rounds that are over."""
    records: int
    head: str
    """The head of the chain, computed from the records."""
    against: str | None = None
    """What the head is after that was given for comparison; None if none was given, or the chain doesn't have it."""
    extensions: int = 0
    """The number of extensions, whose records and rounds are counted and whose differences are listed with the rest."""
    begun_again: dict[str, int]
    """As in standings."""
    differences: list[Difference]
    more: int
    """Differences that are not listed, as there were too many."""
    unchecked: list[str]
    """What could not be checked, and why."""


def verify(path: Path, *, against: str | None = None) -> Verification:
    """Verify the tournament in a folder. Raises NoTournament if there isn't one.

    `against`: a head that somebody kept, which must be one of the chain. Nothing is written.
    """
    return _Verifier(TournamentFolder.open(path), against).verify()


class _Verifier:
    def __init__(self, folder: TournamentFolder, against: str | None) -> None:
        self._folder = folder
        self._manifest = folder.manifest
        self._against = against
        self._findings = Findings()
        self._records = Records()
        self._seed: str | None = None
        self._replayed = 0
        self._other_rules = Counter[tuple[str, str]]()
        """By version of the rules here and there (see `Replay.other_rules`), the number of records."""
        self._first_hashes = first_hashes(folder.manifest)

    def verify(self) -> Verification:
        manifest, findings, records = self._manifest, self._findings, self._records
        heads, rounds = {manifest.head: "the manifest"}, 0
        try:
            check_manifest(manifest)
        except BadManifest as error:
            findings.differs("manifest", str(error).removeprefix("the manifest: "))
        else:
            self._check_manifest()
            before = manifest.regulations.seeds_from
            if before is not UNSET:
                findings.unchecked.append(
                    f"the order of the bots, which is by the final standings of {sanitise(before.tournament)}: verify"
                    f" that tournament --against {sanitise(before.head)}"
                )
            self._check_seed()
            self._check_records()
            progress = None if self._seed is None else VerifiedRounds(manifest, records, findings).rebuild(self._seed)
            if progress is not None and manifest.finished and progress.current is None:
                check_standings(manifest, progress, findings)
            heads = check_chain(manifest, records, findings)
            check_database(self._folder, records, progress, findings)
            rounds = len(manifest.rounds if progress is None else progress.rounds)
            if self._against is not None and self._against not in heads:
                findings.differs(
                    "chain",
                    f"{self._against} is not one of its heads: this is another tournament, or it was changed",
                )
        return Verification(
            tournament=manifest.regulations.name,
            ok=not findings.count,
            finished=manifest.finished,
            rounds=rounds,
            records=self._replayed,
            head=list(heads)[-1],
            against=None if self._against is None else heads.get(self._against),
            begun_again=begun_again(manifest.events),
            differences=findings.differences,
            more=findings.count - len(findings.differences),
            unchecked=findings.unchecked,
        )

    # -- the manifest -----------------------------------------------------------------------------------------

    def _check_manifest(self) -> None:
        manifest, findings = self._manifest, self._findings
        entries, bots = list(bot_indices(manifest)), [bot.name for bot in manifest.bots]
        if entries != bots:
            findings.differs("manifest", f"`bots` are {', '.join(bots)}, but {', '.join(entries)} take part")
        if manifest.finished and manifest.seed is None:
            findings.differs("manifest", "the tournament is finished, but the seed is not in it")
        for name in ("seed", "standings"):
            # they are written together with `finished`, and without it nothing else checks the standings
            if not manifest.finished and getattr(manifest, name) is not None:
                findings.differs("manifest", f"the tournament is not finished, but `{name}` is in it")
        if manifest.shared_deals != manifest.regulations.shared_deals:
            findings.differs("manifest", "`shared_deals` does not follow from its regulations")
        check_opening(manifest, findings)
        try:
            check_private(self._folder, manifest, findings)
        except StoreError as error:
            findings.differs("private.json", str(error))
        check_sources(self._folder, manifest, findings)
        versions = current_versions(manifest.regulations)
        for name in ("rules", "formats"):
            if versions[name] != manifest.versions.get(name):
                played = manifest.versions.get("referee")
                findings.unchecked.append(
                    f"the source files of the {name} are not those of the referee that played (version {played}; this"
                    f" is {versions['referee']}): differences may come from that"
                )

    def _check_seed(self) -> None:
        findings = self._findings
        try:
            self._seed = self._folder.seed
        except StoreError as error:
            findings.differs("seed", str(error))
        if self._seed is None:
            findings.unchecked.append(
                "the seed is not public: deals, pairings and standings can't be computed from it. The draws of each"
                " record were compared with the seed in that record"
            )
        elif commitment(self._seed) != self._manifest.seed_commitment:
            findings.differs(
                "seed", "it is not the one that was committed to: its SHA-256 is not `seed_commitment` in the manifest"
            )

    # -- records ----------------------------------------------------------------------------------------------

    def _check_records(self) -> None:
        """Replay every record on its own."""
        bots, regulations = bot_indices(self._manifest), self._manifest.regulations
        checked: TournamentRecords | None = None
        try:
            openings = self._folder.openings(regulations)
            checked = None if self._seed is None else TournamentRecords(regulations, openings, self._seed)
        except (OpeningError, StoreError) as error:
            self._findings.differs("openings", str(error))
        try:
            names = self._folder.record_ids()
        except StoreError as error:
            self._findings.differs("records", str(error))
            return
        for name in names:
            if name.endswith(TEMPORARY) and not self._manifest.finished:
                continue  # it is being written, or was when the referee was stopped
            if parse_game_id(name) is None:
                self._findings.differs(f"records/{name}", "not a game id of this tournament")
                continue
            try:
                data = self._folder.read_record(name)
                self._records.hashes[name] = hashlib.sha256(data).hexdigest()
                game = record_to_game(data, bots)
                problem = game_problem(game, len(bots), self._manifest.regulations.seats)
                if game.game_id != name:
                    problem = f"this is the record of {game.game_id}"
                if problem is not None:
                    raise InvalidRecord(1, problem)
                self._records.add(game)
                self._check_record(data, game, checked)
            except (InvalidRecord, StoreError) as error:
                self._findings.differs(f"record {name}", str(error))
        for (here, there), number in self._other_rules.items():
            self._findings.unchecked.append(
                f"{number} records were played by the rules {there}, and verified by those of {here}:"
                " differences may come from that"
            )

    def _check_record(self, data: bytes, game: StoredGame, checked: TournamentRecords | None) -> None:
        self._replayed += 1
        manifest = self._manifest
        replay = Replay(data)
        if replay.other_rules is not None:  # also of a record that is wrong: that may be why
            self._other_rules[replay.other_rules] += 1
        if checked is None:
            check_record(replay)
        else:
            checked.check(replay, game)
        header = replay.header
        if header.clock != manifest.conditions.control.on_wire():
            raise InvalidRecord(1, "the clock is not that of the manifest")
        for player in header.players:
            hashes = hashes_of_files(manifest, self._first_hashes, player.name, game)
            if hashes and player.files_sha256 not in (UNSET, *hashes):
                raise InvalidRecord(1, f"the files of {as_json(player.name)} are not those of the manifest")
