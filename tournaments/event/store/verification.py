"""Verification that a tournament was played as its manifest says: all is computed again from manifest, seed and
records.

What this can't detect: a folder that was made up as a whole (unless somebody kept a head of the chain while it was
played), and bots that played with other files than those of the hashes.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec import UNSET, Struct, structs

from referee.errors import RefereeError
from referee.games.opening import OpeningError
from referee.printable import sanitise
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay, as_json
from tournaments.competition.changes import AnyChange, AnyRuling, FilesAccepted, Replayed, begun_again
from tournaments.competition.games import StoredGame, commitment, parse_game_id
from tournaments.competition.progress import OpenRound, Progress, rebuild
from tournaments.competition.rounds import Round, Table
from tournaments.competition.ruling_checks import check_ruling
from tournaments.event.store.durable import TEMPORARY
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.new_manifest import current_versions
from tournaments.event.store.records import TournamentRecords, check_record, record_to_game
from tournaments.event.store.validation import (
    BadManifest,
    bot_indices,
    check_manifest,
    game_problem,
    round_problem,
)
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


# -- rounds ---------------------------------------------------------------------------------------------------


class VerifiedRounds:
    """Rebuilds a tournament from the results of its records, pairing every round again."""

    def __init__(self, manifest: Manifest, records: Records, findings: Findings) -> None:
        self._manifest = manifest
        self._records = records
        self._findings = findings

    def rebuild(self, seed: str) -> Progress:
        """The state that follows from the records. It ends with the first round that has missing games."""
        events, games = self._checked_events(), self._records.games.values()
        return rebuild(
            self._manifest.regulations, seed, events, [], games, self._round, self._check_games, self._check_ruling
        )

    def _checked_events(self) -> list[AnyChange]:
        """The events, with the old results of replayed games taken from their records."""
        records, findings = self._records, self._findings
        events: list[AnyChange] = []
        replacements = set()
        for number, event in enumerate(self._manifest.events, 1):
            if not isinstance(event, Replayed):
                events.append(event)
                continue
            where = f"manifest, event {number}"
            replacements.add(event.replacement)
            old, new = records.games.get(event.game_id), records.games.get(event.replacement)
            if new is None or new.bots != event.old.bots:
                findings.differs(where, f"{event.replacement} has no record of a game between the same bots")
                events.append(FilesAccepted(round=event.round, at=event.at, bots={}))  # other events keep their numbers
                continue
            if old is not None and old != event.old:
                findings.differs(where, f"the old result of {event.game_id} is not that of its record")
            elif old is None and event.lost:
                findings.unchecked.append(
                    f"{event.game_id}: its record was lost, and it was played again. What was paired before that"
                    " depends on its old result, which nothing but the event in the manifest says"
                )
            elif event.game_id not in records.hashes:
                findings.differs(f"record {event.game_id}", "it is missing")
            events.append(event if old is None or old.bots != event.old.bots else structs.replace(event, old=old))
        for name, game in records.games.items():
            if game.again and name not in replacements:
                findings.differs(f"record {name}", "no event records that the game was played again")
        return events

    def _check_ruling(self, progress: Progress, event: AnyChange) -> None:
        """A ruling must have been possible when it was given."""
        if isinstance(event, AnyRuling):
            try:
                check_ruling(progress, event, finished=False)
            except RefereeError as error:
                number = len(progress.events) + 1
                self._findings.differs(f"manifest, event {number}", sanitise(f"it was not possible: {error}"))

    # -- one round --------------------------------------------------------------------------------------------

    def _round(self, progress: Progress) -> Round | None:
        """The next round, as the format pairs it, but with the tables on which its records agree, if they differ. None
        if there is none."""
        number, manifest = progress.next_number, self._manifest
        played = number in self._records.by_round or number <= len(manifest.rounds)
        if not played and not manifest.finished:
            return None
        where = f"round {number}"
        problem = None
        try:
            computed = progress.next_round()
            if computed is not None:
                problem = round_problem(computed, len(progress.entries), manifest.regulations.seats)
        except Exception as error:  # a crafted manifest may break a format anywhere
            computed, problem = None, str(error) or type(error).__name__
        if problem is not None:
            self._findings.differs(where, f"it can't be paired: {sanitise(problem)}")
        elif computed is None and played:
            self._findings.differs(where, "it was played, although by the format the tournament ends before it")
        elif computed is not None and not played:
            self._findings.differs(where, "it was not played, although the tournament is marked as finished")
        elif computed is not None:
            return structs.replace(computed, tables=tuple(self._tables(progress, computed)))
        return None

    def _tables(self, progress: Progress, computed: Round) -> Iterable[Table]:
        """The tables of a round, where all records of a table agree on other bots than the format, with those."""
        games = defaultdict[int, dict[tuple[int, ...], str]](dict)
        for game in self._records.by_round.get(computed.number, []):
            turn = (1 - game.rotation) % len(game.bots)
            in_first_rotation = (*game.bots[turn:], *game.bots[:turn])
            games[game.table].setdefault(in_first_rotation, game.game_id)
        entries = progress.entries

        def names(bots: Iterable[int]) -> str:
            return ", ".join(entries[bot].name for bot in bots if bot < len(entries))

        for number, table in enumerate(computed.tables, 1):
            others = {bots: name for bots, name in games[number].items() if bots != table.bots}
            if len(others) == len(games[number]) == 1:
                (bots,) = others
                self._findings.differs(
                    f"round {computed.number}, table {number}",
                    f"the format seats {names(table.bots)}, but by the records {names(bots)} sat there",
                )
                yield Table(bots) if max(bots) < len(entries) else table
                continue
            for bots, name in others.items():
                self._findings.differs(
                    f"record {name}",
                    f"round {computed.number} seats {names(table.bots)} at table {number}, not {names(bots)}",
                )
            yield table

    def _check_games(self, open_round: OpenRound) -> None:
        """Check that all games of a round have a record between the right bots, and that there are no others."""
        manifest, records, findings = self._manifest, self._records, self._findings
        number = open_round.round.number
        for name, game in list(open_round.played.items()):
            if game.bots != open_round.planned[name].bots:
                open_round.remove(name)
        for game in records.by_round.get(number, []):
            if game.game_id not in open_round.planned:
                findings.differs(f"record {game.game_id}", f"round {number} has no such game")
        if not manifest.finished and number > len(manifest.rounds) and number == max(records.by_round, default=number):
            return  # it is in progress
        for planned in open_round.missing():
            if planned.game_id not in records.hashes:
                findings.differs(f"record {planned.game_id}", "it is missing")
        if not open_round.complete:
            findings.unchecked.append(
                f"what follows from round {number}, of which games are missing or wrong: later pairings, the standings"
            )
