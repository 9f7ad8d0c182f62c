"""The interface of a format: the tables of each round, the ranking, and additions to standings. Pure.

Pairings are pure functions of the entries, the settings, the rounds played so far and a seed. `k` is the number of
seats at a full table.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from msgspec import Struct, structs

from referee.errors import RefereeError
from referee.near_misses import did_you_mean
from tournaments.competition.rounds import DealsOf, Entry, History, PlayedRound, Points, PointSystem, Round
from tournaments.competition.tiebreaks import WITHOUT_TABLE, Crosstable, Placed, TieBreak, places_by, round_records

if TYPE_CHECKING:
    from tournaments.competition.ratings import Ratings

PlacesBy = Literal["points", "rating", "bracket", "final"]


class FormatError(RefereeError):
    """A setting of the tournament that its format can't satisfy. `setting` is the key in the format's table, if any."""

    def __init__(self, message: str, *, setting: str | None = None) -> None:
        super().__init__(message)
        self.setting = setting


class TooFewBots(FormatError):
    """A round is due for which too few bots are left: so many have withdrawn, or are absent at their request.

    `what` is missing, without those that are gone.
    """

    def __init__(self, context: "FormatContext", number: int, what: str) -> None:
        self.what = what
        entries = [entry for entry in context.entries if entry.joined <= number]
        gone = [entry.name for entry in entries if not entry.belongs(number)]
        absent = [entry.name for entry in entries if entry.belongs(number) and not entry.plays(number)]
        for why, names in (("withdrawn", gone), ("absent at their request", absent)):
            if names:
                more = f" and {len(names) - MAX_NAMED_BOTS} more" if len(names) > MAX_NAMED_BOTS else ""
                what += f"; {why}: {', '.join(names[:MAX_NAMED_BOTS])}{more}"
        super().__init__(what)


MAX_NAMED_BOTS: Final = 8
"""In such an error."""
MAX_SCHEDULE_ROUNDS: Final = 10_000
"""Of a tournament whose schedule is made in advance. These bounds keep `plan` a matter of seconds."""
MAX_SCHEDULE_TABLES: Final = 200_000
MAX_TOURNAMENT_GAMES: Final = 10_000_000
MAX_ROUND_DEALS: Final = 10_000
"""Of a round."""


def check_count(setting: str, value: int | None, maximum: int) -> None:
    """Raise FormatError if a number that a setting gives is below 1 or too large."""
    if value is not None and value < 1:
        raise FormatError(f"{setting} must be at least 1, not {value}", setting=setting)
    if value is not None and value > maximum:
        raise FormatError(f"{setting} can be at most {maximum:,}, not {value:,}", setting=setting)


def check_tables(setting: str, tables: int) -> None:
    """Raise FormatError if a schedule has too many tables because of a setting."""
    if tables > MAX_SCHEDULE_TABLES:
        raise FormatError(
            f"{setting}: that would be {tables:,} tables; at most {MAX_SCHEDULE_TABLES:,}", setting=setting
        )


class FormatContext(Struct, frozen=True, kw_only=True):
    """The input of a format besides its own settings and the rounds played so far."""

    entries: tuple[Entry, ...]
    seats: int
    """Bots at a full table."""
    deals: int
    points: PointSystem
    tiebreaks: tuple[TieBreak, ...] = ()
    seed: str
    forbidden: frozenset[tuple[int, int]] = frozenset()
    """The pairs of bots that must not sit at one table, in both orders."""
    ended: bool = False
    """Whether the organiser has ended it."""

    def without_byes(self, number: int) -> "FormatContext":
        """The same if nobody were absent at its request in a round."""
        entries = (
            structs.replace(entry, byes=tuple(bye for bye in entry.byes if bye[0] != number)) for entry in self.entries
        )
        return structs.replace(self, entries=tuple(entries))

    def playing(self, round_number: int) -> list[int]:
        return [bot for bot, entry in enumerate(self.entries) if entry.plays(round_number)]

    def index(self, name: str, setting: str) -> int:
        """The index of the bot that a setting names. Raises FormatError for an unknown name."""
        for bot, entry in enumerate(self.entries):
            if entry.name == name:
                return bot
        hint = did_you_mean(name, [entry.name for entry in self.entries], "the bots are")
        raise FormatError(f'{setting}: unknown bot "{name}"{hint}', setting=setting)


def kept_apart(context: FormatContext, round_: Round) -> Round:
    """The round. Raises FormatError if a forbidden pair sits at one of its tables."""
    for table in round_.tables:
        for a, b in combinations(table.bots, 2):
            if (a, b) in context.forbidden:
                names = " and ".join(context.entries[bot].name for bot in (a, b))
                raise FormatError(f"no tables were found for round {round_.number} that keep {names} apart")
    return round_


class FormatPlan(Struct, frozen=True, kw_only=True):
    """The schedule of a tournament, as far as it is known before the first game."""

    rule: str
    """In a sentence, which tables are played and when it ends."""
    rounds: int | None
    tables: int | None
    games: int | None
    upper_bound: bool
    """Whether the figures are upper bounds: results may end the tournament earlier."""
    usual_rounds: int | None = None
    """If play-offs are in the upper bounds: the rounds without any. Else None."""
    usual_games: int | None = None
    schedule: tuple[Round, ...] | None = None
    """The rounds themselves. None, as are the figures below, if results decide who meets whom."""
    meetings: dict[tuple[int, int], int] | None = None
    """Tables at which each pair of bots (the lower index first) meets; also the pairs that never do."""
    seat_counts: tuple[tuple[int, ...], ...] | None = None
    """By bot and seat, the games that the bot plays there."""
    repeats: int | None = None
    """Meetings of two bots after their first one, summed over all pairs."""
    even_rounds: int | None = None
    """If meetings differ: the next number of rounds for which the schedule has all pairs meet equally often. None if no
    such schedule is known."""

    @property
    def spread(self) -> tuple[int, int] | None:
        """The minimum and the maximum number of meetings of a pair."""
        return (min(self.meetings.values()), max(self.meetings.values())) if self.meetings else None


Order = Callable[[int], Hashable]
"""A sort key of bots: places go by it, in ascending order."""


class Results(Struct, frozen=True, kw_only=True):
    """The input of a ranking."""

    history: History
    """The rounds that are over and the finished games of the one in progress, with the results that count."""
    paired_by: History
    """The rounds that are over, with the results by which those after them are paired."""
    ratings: "Ratings"
    """From `history`."""


class Additions(Struct, frozen=True, kw_only=True):
    eliminated: dict[int, int] = {}
    """By bot, the round in which it was eliminated."""
    added: dict[str, Any] = {}
    """Further values by name, each anything that JSON can hold. `sprt` is a key of its own in the JSON of standings;
    others stand there in `added`."""


class BracketTable(Struct):
    """A table of a bracket: its bots, and how many advance."""

    bots: list[int]
    going_on: int
    ahead: list[int]
    """The bots that have advanced, the best first."""
    tied: list[int]
    """The bots that have to play (again) for the remaining slots."""
    by_seed: Sequence[int] = ()
    """Those of `ahead` that were level with others after all play-offs, and have better seeds."""


class Stage(Struct, kw_only=True):
    """A stage of a bracket as far as it has been played: the same tables, with a play-off of those that are tied in
    each round after the first."""

    name: str
    tables: list[BracketTable]
    for_third: BracketTable | None = None
    """The table for third place, which is played beside the final."""
    byes: list[int]
    """The bots that go on without a table."""
    rounds: list[int]
    """The rounds that were played in it, and at last the one that is played next, if that belongs to it."""


class Bracket(Struct, kw_only=True):
    """A bracket as far as it has been played."""

    name: str
    """Empty if it is the only one."""
    stages: list[Stage]


class Format(Struct, frozen=True, forbid_unknown_fields=True):
    """A format. The fields of a subclass are the settings in its table of the tournament file."""

    name: ClassVar[str]
    """Its name in a tournament file."""
    bye: ClassVar[Points] = Fraction(0)
    """The points for a bye."""
    predetermined: ClassVar[bool] = True
    """For tie-breaks: whether forfeits count as played and byes as nothing (FIDE Handbook C.07, article 15.2)."""
    adaptive: ClassVar[bool] = True
    """Whether results decide who meets whom or when it ends. Then intervals are conditional on the schedule."""
    per_table: ClassVar[bool] = True
    """Whether standings go by points per table where the numbers of tables differ."""
    neighbours_compared: ClassVar[int] = 2
    """From so many seats on standings say how sure a bot is better than the next one."""
    places_by: ClassVar[PlacesBy] = "points"
    """What places go by: points and tie-breaks, ratings, how far a bot has come, or that and then a first stage."""
    paired_by_hand: ClassVar[bool] = False
    """Whether the organiser can set the tables of a round."""
    deals_of: ClassVar[tuple[DealsOf, ...]] = ("table", "round")
    """What its deals can belong to; by default the first one."""
    default_tiebreaks: ClassVar[tuple[TieBreak, ...]] = (
        "direct_encounter", "wins", "sonneborn_berger", "score_difference",
    )  # fmt: skip
    """Unless the tournament file says otherwise."""
    trf_type: ClassVar[str | None] = None
    """Its type in a FIDE tournament report; None: its name."""
    trf_pairing: ClassVar[str | None] = None
    """The code of its pairing rules in such a report, for two seats, if there is one."""

    # -- what is played ---------------------------------------------------------------------------------------

    @abstractmethod
    def check(self, context: FormatContext) -> None:
        """Raise FormatError if a setting can't be satisfied with these entries. All other methods assume that it
        can."""

    @abstractmethod
    def next_round(self, context: FormatContext, history: History) -> Round | None:
        """The round after those played; None when the tournament is over.

        Raises FormatError if a round is due and can't be paired: TooFewBots where withdrawals and byes on request
        leave no table. Then the tournament pauses, as only the organiser can say whether that is to be the end.
        """

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        """Of a tournament that is over and wasn't ended by the organiser: why before its last planned round, if so."""
        return None

    def pairing_seconds(self, context: FormatContext, number: int) -> float:
        """An upper estimate of the seconds in which a machine of 2026 pairs the round with this number; 0 for no time
        to speak of."""
        return 0.0

    @abstractmethod
    def rule(self, context: FormatContext) -> str:
        """In a sentence, which tables are played and when it ends."""

    def plan(self, context: FormatContext) -> FormatPlan:
        """What `next_round` gives if the entries stay as they are, as far as that is known before the first game.

        By default the rounds themselves where results don't decide about them, and nothing of others.
        """
        if self.adaptive:
            return FormatPlan(rule=self.rule(context), rounds=None, tables=None, games=None, upper_bound=True)
        history: list[PlayedRound] = []
        with suppress(TooFewBots):
            while (round_ := self.next_round(context, history)) is not None:
                history.append(PlayedRound(round=round_, results=()))
        return plan_of(self.rule(context), [played.round for played in history], context)

    def round_name(self, context: FormatContext, before: History) -> str | None:
        """The name of the round after those, such as `semi-final`; None if it has only its number."""
        return None

    def brackets(self, context: FormatContext, history: History) -> list[Bracket]:
        """What a report draws of it: the brackets that have begun."""
        return []

    def deals(self, context: FormatContext) -> int:
        """The deals of each round."""
        return context.deals

    # -- rulings ----------------------------------------------------------------------------------------------

    def settled_rounds(self, context: FormatContext, begun: int) -> int:
        """How many rounds, from the first, decide about later pairings by the results that they had at the time, once
        so many rounds have begun. What is ruled on their games, or replayed, changes points only."""
        return 0

    def refuses_return(self, context: FormatContext, entry: Entry, number: int) -> str | None:
        """Why a bot that was withdrawn can't come back in a round; None if it can."""
        return None

    def voids_results(self, context: FormatContext, bot: int, tables: int) -> bool:
        """Whether all results of a bot that is disqualified after so many tables count for nobody."""
        return False

    def check_forbidden(self, context: FormatContext) -> None:
        """Raise FormatError if the format can't keep the forbidden pairs apart. By default it never can."""
        raise FormatError(
            f"forbidden: the format {self.name} has to play every meeting of its schedule; take the pairs out, or"
            " choose a Swiss, a gauntlet, a ladder, or a round robin of more than two seats with `rounds`",
            setting="forbidden",
        )

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        """Why no bot can be absent in a round at its request; None if one can."""
        return None

    def algorithm(self, seats: int) -> str:
        """The id of the pairing algorithm, which manifests name.

        It changes when the same rounds may be paired differently: then folders with the old id are refused.
        """
        return f"{self.name}/1"

    # -- how it is scored -------------------------------------------------------------------------------------

    def default_points(self, seats: int) -> PointSystem:
        """The points for a round unless the tournament file says otherwise."""
        return "game"

    def order(self, context: FormatContext, history: History) -> Order | None:
        """The order of places that replaces points; None: points, and in standings the tie-breaks.

        `history` has the results by which later rounds are paired.
        """
        return None

    def ranking(self, context: FormatContext, results: Results) -> list[Placed]:
        """All bots with their places, the first one first."""
        order = self.order(context, results.paired_by)
        if order is not None:
            return places_by(range(len(context.entries)), order)
        return self.by_points(context, results.history)

    def by_points(self, context: FormatContext, history: History) -> list[Placed]:
        """All bots with their places by points and tie-breaks."""
        records = round_records(
            context.entries, history, context.points, bye=self.bye, predetermined=self.predetermined
        )
        seated = {sum(record.kind not in WITHOUT_TABLE for record in own) for own in records}
        return Crosstable(
            records,
            per_table=self.per_table and len(seated) > 1,
            adjustments=[entry.adjustment for entry in context.entries],
        ).ranking(context.tiebreaks)

    def additions(self, context: FormatContext, history: History) -> Additions:
        """Additions to standings. `history` as in `order`."""
        return Additions()


def plan_of(rule: str, rounds: Sequence[Round], context: FormatContext) -> FormatPlan:
    """The plan of a schedule that doesn't depend on results."""
    bots = range(len(context.entries))
    meetings = dict.fromkeys(combinations(bots, 2), 0)
    seat_counts = [[0] * context.seats for _ in bots]
    games = 0
    for round_ in rounds:
        for table in round_.tables:
            games += round_.deals * len(table.bots)
            for bot in table.bots:
                # Rotations put every bot at a table in each of its seats once per deal.
                for seat in range(len(table.bots)):
                    seat_counts[bot][seat] += round_.deals
                for other in table.bots:
                    if bot < other:
                        meetings[bot, other] += 1
    return FormatPlan(
        rule=rule,
        rounds=len(rounds),
        tables=sum(len(round_.tables) for round_ in rounds),
        games=games,
        upper_bound=False,
        schedule=tuple(rounds),
        meetings=meetings,
        seat_counts=tuple(tuple(counts) for counts in seat_counts),
        repeats=sum(max(0, count - 1) for count in meetings.values()),
    )
