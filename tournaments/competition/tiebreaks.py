"""Tie-breaks by the FIDE Handbook, C.07, in the edition of 1 August 2024, and the resulting places.

Numbers in brackets are its articles. With more than two seats the opponent of a round becomes the mean of the
opponents at the table, the result against one of them is 1, ½ or 0 by who came out better, and a cut removes a round;
with two seats that is what the Handbook says. The editions since March 2026 cap the dummy's score [16.4.1, 16.4.2];
this one does not.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from fractions import Fraction
from itertools import groupby
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from tournaments.competition.points import (
    HALF,
    ONE,
    ZERO,
    finished_tables,
    forfeited,
    game_points,
    mean,
    opponents,
    points_at_table,
    versus,
)
from tournaments.competition.rounds import Entry, History, PlayedRound, Points, PointSystem, TableResult, derived

TieBreak = Literal["buchholz", "buchholz_cut1", "direct_encounter", "sonneborn_berger", "wins", "score_difference"]
TIE_BREAKS: Final[tuple[TieBreak, ...]] = get_args(TieBreak)


class Kind(Enum):
    PLAYED = auto()
    FORFEIT_WIN = auto()
    """All its opponents forfeited."""
    FORFEIT_LOSS = auto()
    BYE = auto()
    """Allocated by the pairing."""
    ABSENT = auto()
    """Not yet or no longer in the tournament, or absent at its request: a requested bye [16.1.1]."""
    VOID = auto()
    """All games of its table count for nobody by a ruling: unplayed, but not by its own will."""


VOLUNTARILY_UNPLAYED: Final = (Kind.FORFEIT_LOSS, Kind.ABSENT)
"""[16.1.2]"""
WITHOUT_TABLE: Final = (Kind.BYE, Kind.ABSENT, Kind.VOID)
"""Rounds that are not divided by where standings go by points per table."""


class Encounter(Struct, frozen=True):
    """A meeting with an opponent, and the points scored against it: 1, ½, 0 or a mean of these over games."""

    opponent: int
    points: Points


class RoundRecord(Struct, frozen=True, kw_only=True):
    kind: Kind
    points: Points
    encounters: tuple[Encounter, ...] = ()
    """With the opponents that played."""
    absent: int = 0
    """The number of opponents that forfeited."""
    wins: int = 0
    score_difference: Points = ZERO


class Placed(Struct, frozen=True, kw_only=True):
    """The place of a bot, and what it is based on. Equal bots share a place: 1, 2, 2, 4."""

    bot: int
    place: int
    tiebreaks: dict[TieBreak, Points | None] = {}
    """In the order in which they decide; empty if places don't go by points."""
    places: Sequence[int] = ()
    """Its place by points alone, and with each tie-break added; empty if places don't go by points."""
    points_per_table: Points | None = None
    """If places go by that."""

    def ahead_by(self, other: "Placed") -> TieBreak | None:
        """The tie-break that decides between this bot and another one with equal points, if one does."""
        if self.places[:1] != other.places[:1]:
            return None
        each = zip(self.tiebreaks, self.places[1:], other.places[1:], strict=True)
        return next((tiebreak for tiebreak, own, others in each if own != others), None)


def places_by(bots: Iterable[int], key: Callable[[int], Any]) -> list[Placed]:
    """The bots in ascending order of a key; equal ones share a place and keep their order."""
    groups = [[*group] for _, group in groupby(sorted(bots, key=key), key=key)]
    return [Placed(bot=bot, place=place) for bot, place in _places(groups)]


def _places(groups: Iterable[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Each bot of these groups in order, with its place."""
    place = 1
    for group in groups:
        yield from ((bot, place) for bot in group)
        place += len(group)


class Crosstable:
    """The rounds of all bots, by bot and in their order, and the tie-breaks that follow from them.

    With `per_table`, for schedules in which bots have different numbers of tables, points and tie-breaks are divided by
    the number of rounds with a table. `adjustments` are the penalties and bonuses by bot; they count in points alone.
    """

    def __init__(
        self,
        rounds: Sequence[Sequence[RoundRecord]],
        *,
        per_table: bool = False,
        adjustments: Sequence[Points] | None = None,
    ) -> None:
        self._rounds = rounds
        self._per_table = per_table
        self._shares = [
            Fraction(1, max(sum(record.kind not in WITHOUT_TABLE for record in own), 1)) if per_table else ONE
            for own in rounds
        ]
        self._scored = [
            share * sum((record.points for record in own), ZERO)
            for share, own in zip(self._shares, rounds, strict=True)
        ]
        self.points = [
            scored + share * adjustment
            for scored, share, adjustment in zip(
                self._scored, self._shares, adjustments or [ZERO] * len(rounds), strict=True
            )
        ]
        self._as_opponent = [share * self._adjusted_score(own) for share, own in zip(self._shares, rounds, strict=True)]
        self._encounters: dict[tuple[int, int], list[Points]] = defaultdict(list)
        for bot, own in enumerate(rounds):
            for record in own:
                for encounter in record.encounters:
                    self._encounters[bot, encounter.opponent].append(encounter.points)

    def ranking(self, tiebreaks: Sequence[TieBreak]) -> list[Placed]:
        """All bots by points and then by these tie-breaks, the first one first."""
        groups = split_by(range(len(self._rounds)), self.points)
        found: dict[int, dict[TieBreak, Points | None]] = {bot: {} for bot in range(len(self._rounds))}
        places = {bot: [place] for bot, place in _places(groups)}
        for tiebreak in tiebreaks:
            refined = []
            for group in groups:
                parts, values = self._split(group, tiebreak)
                refined += parts
                for bot in group:
                    found[bot][tiebreak] = values[bot]
            groups = refined
            for bot, place in _places(groups):
                places[bot].append(place)
        return [
            Placed(
                bot=bot,
                place=place,
                tiebreaks=found[bot],
                places=places[bot],
                points_per_table=self.points[bot] if self._per_table else None,
            )
            for bot, place in _places(groups)
        ]

    def buchholz(self, bot: int) -> Points:
        """The sum of the opponents' scores [8.1]."""
        return self._shares[bot] * sum(self._opponents_scores(bot), ZERO)

    def buchholz_cut1(self, bot: int) -> Points:
        """Without the least significant round [14.1]: the lowest of those voluntarily unplayed [16.5], else of all."""
        scores = self._opponents_scores(bot)
        unplayed = [
            score
            for score, record in zip(scores, self._rounds[bot], strict=True)
            if record.kind in VOLUNTARILY_UNPLAYED
        ]
        return self._shares[bot] * (sum(scores, ZERO) - min(unplayed or scores, default=ZERO))

    def sonneborn_berger(self, bot: int) -> Points:
        """The sum over opponents of their score times the points scored against them [9.1]."""
        return self._shares[bot] * sum(
            (mean(score * points for score, points in self._opponents(bot, record)) for record in self._rounds[bot]),
            ZERO,
        )

    def wins(self, bot: int) -> Points:
        """The number of rounds in which it scored the points of a win, with or without playing [7.1]."""
        return self._shares[bot] * sum(record.wins for record in self._rounds[bot])

    def score_difference(self, bot: int) -> Points:
        """The sum over games of its score minus the mean of its opponents' scores; not in the Handbook."""
        return self._shares[bot] * sum((record.score_difference for record in self._rounds[bot]), ZERO)

    def direct_encounter(self, group: Sequence[int]) -> tuple[list[list[int]], dict[int, Points | None]]:
        """The tied bots of a group, ordered by their encounters [6]; those still tied are in one list.

        The values are the points from the encounters within the group; None for bots for which the rule decides
        nothing, because not all have met.
        """
        parts = self._in_order_of_encounters(group)
        points = {bot: self._encountered(bot, group) for bot in group}
        complete = len(group) > 1 and not any(missing for _, missing in points.values())
        return parts, {
            bot: points[bot][0] if complete or (len(part) == 1 and len(group) > 1) else None
            for part in parts
            for bot in part
        }

    def _split(self, group: Sequence[int], tiebreak: TieBreak) -> tuple[list[list[int]], dict[int, Points | None]]:
        if tiebreak == "direct_encounter":
            return self.direct_encounter(group)
        value: Callable[[int], Points] = getattr(self, tiebreak)
        values = {bot: value(bot) for bot in group}
        return split_by(group, values), dict(values)

    def _in_order_of_encounters(self, group: Sequence[int]) -> list[list[int]]:
        points = {bot: self._encountered(bot, group) for bot in group}
        if any(missing for _, missing in points.values()):
            parts = self._certain_first(group, points)
        else:
            parts = split_by(group, {bot: scored for bot, (scored, _) in points.items()})
        if len(parts) == 1:
            return parts
        return [smaller for part in parts for smaller in self._in_order_of_encounters(part)]

    @staticmethod
    def _certain_first(group: Sequence[int], points: dict[int, tuple[Points, int]]) -> list[list[int]]:
        """The bots whose order doesn't depend on the missing encounters [6.3], the first one first; then the rest."""
        certain: list[list[int]] = []
        rest = list(group)
        while rest:
            first = max(rest, key=lambda bot: points[bot][0])
            if any(points[bot][0] + points[bot][1] >= points[first][0] for bot in rest if bot != first):
                return [*certain, rest]
            certain.append([first])
            rest.remove(first)
        return certain

    def _encountered(self, bot: int, group: Iterable[int]) -> tuple[Points, int]:
        """The points from encounters within the group, repeated ones averaged [6.1.2], and how many are missing."""
        met = [self._encounters.get((bot, other)) for other in group if other != bot]
        return sum((mean(points) for points in met if points), ZERO), sum(not points for points in met)

    def _opponents_scores(self, bot: int) -> list[Points]:
        """By round, the mean over the opponents of their scores."""
        return [mean(score for score, _ in self._opponents(bot, record)) for record in self._rounds[bot]]

    def _opponents(self, bot: int, record: RoundRecord) -> list[tuple[Points, Points]]:
        """Scores of the opponents of a round and the points scored against them.

        An unplayed round, and an opponent that forfeited, is one dummy with the bot's own score [16.4].
        """
        met = [(self._as_opponent[encounter.opponent], encounter.points) for encounter in record.encounters]
        met += [(self._scored[bot], ONE)] * record.absent
        return met or [(self._scored[bot], record.points)]

    @staticmethod
    def _adjusted_score(own: Sequence[RoundRecord]) -> Points:
        """What a bot's score counts for its opponents: requested byes followed by voluntarily unplayed rounds alone are
        draws [16.3.2], everything else counts unchanged [16.3.1].
        """
        score = ZERO
        at_the_end = True
        for record in reversed(own):
            at_the_end = at_the_end and record.kind in VOLUNTARILY_UNPLAYED
            score += HALF if at_the_end and record.kind is Kind.ABSENT else record.points
        return score


def round_records(
    entries: Sequence[Entry], history: History, points: PointSystem, *, bye: Points, predetermined: bool
) -> list[list[RoundRecord]]:
    """The rounds of each entry.

    With pairings that do not depend on results (`predetermined`) forfeits count as played games [15.2] and there are no
    byes; otherwise the rules for unplayed rounds apply [16].
    """
    return [
        [
            record
            for played in history
            if (record := _round_record(bot, entry, played, points, bye, predetermined)) is not None
        ]
        for bot, entry in enumerate(entries)
    ]


def _round_record(
    bot: int, entry: Entry, played: PlayedRound, points: PointSystem, bye: Points, predetermined: bool
) -> RoundRecord | None:
    at = _tables_of_bots(played).get(bot)
    if at:
        return _at_tables(at, points, predetermined)
    if predetermined:
        return None
    if bot in played.round.byes:
        return RoundRecord(kind=Kind.BYE, points=bye, wins=int(bye == ONE))
    if not entry.plays(played.round.number):
        return RoundRecord(kind=Kind.ABSENT, points=dict(played.requested).get(bot, ZERO))
    if any(bot in result.table.bots for result in played.results if result.void and not result.games):
        return RoundRecord(kind=Kind.VOID, points=ZERO)
    return None


@derived
def _tables_of_bots(played: PlayedRound) -> dict[int, list[tuple[TableResult, int]]]:
    """By bot, its tables with a finished game, and its position at each."""
    found: dict[int, list[tuple[TableResult, int]]] = defaultdict(list)
    for result in finished_tables(played):
        for position, bot in enumerate(result.table.bots):
            found[bot].append((result, position))
    return dict(found)


def _at_tables(at: Sequence[tuple[TableResult, int]], points: PointSystem, predetermined: bool) -> RoundRecord:
    encounters: list[Encounter] = []
    earned: list[Points] = []
    absent = wins = 0
    difference = ZERO
    present = False
    for result, position in at:
        gone = (False,) * len(result.table.bots) if predetermined else forfeited(result)
        cells = zip(opponents(result, position), versus(result, points)[position], strict=True)
        missing = {other for other, out in zip(result.table.bots, gone, strict=True) if out}
        earned.append(points_at_table(result, points)[position])
        wins += _games_won(result)[position] if points == "game" else int(earned[-1] == ONE)
        difference += _score_differences(result)[position]
        if gone[position]:
            continue
        present = True
        encounters += [Encounter(other, value) for other, value in cells if other not in missing]
        absent += len(missing)
    kind = Kind.PLAYED if encounters else Kind.FORFEIT_WIN if present else Kind.FORFEIT_LOSS
    return RoundRecord(
        kind=kind,
        points=mean(earned),
        encounters=tuple(encounters),
        absent=absent,
        wins=wins,
        score_difference=difference,
    )


@derived
def _games_won(result: TableResult) -> tuple[int, ...]:
    """The number of games won outright, by position."""
    games = [game_points(game) for game in result.games]
    return tuple(sum(game[position] == 1 for game in games) for position in range(len(result.table.bots)))


@derived
def _score_differences(result: TableResult) -> tuple[Points, ...]:
    """By position, the sum over games of the score minus the mean of the others' scores. A score after a fault is the
    substitute's and counts on neither side."""
    size = len(result.table.bots)
    # Summed as integers by the number of scores that count, which is far faster: own − (sum − own) ÷ (count − 1).
    sums = [[0] * size for _ in range(size + 1)]
    for game in result.games:
        if game.by_ruling:
            continue
        clean = [
            position
            for position, (out, fault) in enumerate(zip(game.forfeits, game.faults, strict=True))
            if not out and not fault
        ]
        total = sum(game.scores[position] for position in clean)
        for position in clean:
            sums[len(clean)][position] += len(clean) * game.scores[position] - total
    return tuple(
        sum((Fraction(sums[count][position], count - 1) for count in range(2, size + 1)), ZERO)
        for position in range(size)
    )


def split_by(group: Iterable[int], values: Sequence[Points] | dict[int, Points]) -> list[list[int]]:
    """The bots in groups of equal values, the highest value first; within a group they keep their order."""
    ordered = sorted(group, key=lambda bot: -values[bot])
    return [list(part) for _, part in groupby(ordered, key=lambda bot: values[bot])]
