"""Verification of the tables at which games were played against those that the format pairs."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import structs

from referee.errors import RefereeError
from referee.printable import sanitise
from tournaments.competition.changes import AnyChange, AnyRuling, FilesAccepted, Replayed
from tournaments.competition.progress import OpenRound, Progress, rebuild
from tournaments.competition.rounds import Round, Table
from tournaments.competition.ruling_checks import check_ruling
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.validation import in_table_order, round_problem
from tournaments.event.store.verified_results import Findings, Records


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
            self._findings.differs(where, "it was played, but by the format the tournament is over before it")
        elif computed is not None and not played:
            self._findings.differs(where, "it was not played, but the tournament is said to be finished")
        elif computed is not None:
            return structs.replace(computed, tables=tuple(self._tables(progress, computed)))
        return None

    def _tables(self, progress: Progress, computed: Round) -> Iterable[Table]:
        """The tables of a round, where all records of a table agree on other bots than the format, with those."""
        games = defaultdict[int, dict[tuple[int, ...], str]](dict)
        for game in self._records.by_round.get(computed.number, []):
            games[game.table].setdefault(in_table_order(game), game.game_id)
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
