"""What the formats, standings and ratings of a tournament share: plain values, without I/O.

Pairings are pure functions of the entries, the settings, the rounds played so far and a seed. `k` is the number of
seats at a full table.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, ClassVar, Concatenate, Final, Literal, ParamSpec, TypeVar

from msgspec import Struct

from referee.errors import RefereeError


class FormatError(RefereeError):
    """A setting of the tournament that its format can't meet. `setting` is the key in the format's table, if any."""

    def __init__(self, message: str, *, setting: str | None = None) -> None:
        super().__init__(message)
        self.setting = setting


MOST_ROUNDS: Final = 10_000
"""Of a tournament whose schedule is made beforehand. These bounds keep `plan` a matter of seconds."""
MOST_TABLES: Final = 200_000
MOST_GAMES: Final = 10_000_000
MOST_DEALS: Final = 10_000
"""Of a round."""


def check_count(setting: str, value: int | None, most: int) -> None:
    """Raise FormatError if a number that a setting gives is below 1 or too large."""
    if value is not None and value < 1:
        raise FormatError(f"{setting} must be at least 1, not {value}", setting=setting)
    if value is not None and value > most:
        raise FormatError(f"{setting} can be at most {most:,}, not {value:,}", setting=setting)


def check_tables(setting: str, tables: int) -> None:
    """Raise FormatError if a schedule has too many tables because of a setting."""
    if tables > MOST_TABLES:
        raise FormatError(f"{setting}: that would be {tables:,} tables; at most {MOST_TABLES:,}", setting=setting)


class Entry(Struct, frozen=True, kw_only=True):
    """A bot in a tournament. Its index in the list of entries identifies it; late entries come last."""

    name: str
    owner: str | None = None
    joined: int = 1
    """The first round that it may play."""
    withdrawn: int | None = None
    """The first round that it plays no more; None while it takes part."""

    def plays(self, round_number: int) -> bool:
        """Whether it takes part in a round."""
        return self.joined <= round_number and (self.withdrawn is None or round_number < self.withdrawn)


class Table(Struct, frozen=True):
    """Bots that meet in a round, as indices of entries, in the order of the seats in the first rotation."""

    bots: tuple[int, ...]


class Round(Struct, frozen=True, kw_only=True):
    """Tables that are played with the same knowledge of results, all full ones with the same deals."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()
    """Bots that would have played but got no table."""
    deals: int
    """Deals that each table plays, each in every rotation."""


class GameResult(Struct, frozen=True, kw_only=True):
    """One game: by position in `Table.bots` (not by seat) the ranks, scores and forfeits."""

    deal: int
    """Counts through the tournament."""
    rotation: int
    """From 0."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[bool, ...]
    """Bots that could not be started or were withdrawn at this table."""
    faults: tuple[bool, ...]


class TableResult(Struct, frozen=True, kw_only=True, dict=True):
    """A table with its games, in the order of deals and rotations. What is derived from it is kept (`derived`)."""

    table: Table
    games: tuple[GameResult, ...]


class PlayedRound(Struct, frozen=True, kw_only=True, dict=True):
    """A round with the results of its tables, in the order of `Round.tables`. What is derived from it is kept."""

    round: Round
    results: tuple[TableResult, ...]


Of = TypeVar("Of", TableResult, PlayedRound)
Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def derived(function: Callable[Concatenate[Of, Arguments], Value]) -> Callable[Concatenate[Of, Arguments], Value]:
    """Compute a pure function of a table or round once for each object, which never changes, and keep the value there.

    A tournament asks the same of all its rounds again and again, one more each time. Further arguments are hashable and
    given by position; nobody may change what is returned.
    """

    @wraps(function)
    def kept(of: Of, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        assert not kwargs
        values: dict[Any, Value] = of.__dict__
        key = (function, *args)
        if key not in values:
            values[key] = function(of, *args, **kwargs)
        return values[key]

    return kept


Points = Fraction
"""Points are exact: halves and thirds add up without error."""

History = Sequence[PlayedRound]
"""The rounds played so far, the first one first."""

PointSystem = Literal["game", "table"]
"""What a round is worth: the mean of a table's game points, or its table points."""


class Tournament(Struct, frozen=True, kw_only=True):
    """All that a format is told besides its own settings and the rounds played so far."""

    entries: tuple[Entry, ...]
    seats: int
    """Bots at a full table."""
    deals: int
    """Deals of a round."""
    points: PointSystem
    seed: str
    half_width: Callable[[History, Sequence[int]], float | None] | None = None
    """Half the width of the widest rating interval of some bots; None while one of them has played too few deals. Only
    a ladder with `until` asks."""

    def playing(self, round_number: int) -> list[int]:
        """The bots that take part in a round."""
        return [bot for bot, entry in enumerate(self.entries) if entry.plays(round_number)]

    def index(self, name: str, setting: str) -> int:
        """The bot of a name that a setting mentions. Raises FormatError if there is none."""
        for bot, entry in enumerate(self.entries):
            if entry.name == name:
                return bot
        names = ", ".join(f'"{entry.name}"' for entry in self.entries)
        raise FormatError(f'{setting}: there is no bot "{name}"; the bots are {names}', setting=setting)


class Plan(Struct, frozen=True, kw_only=True):
    """What a tournament plays, as far as it is known before the first game."""

    rule: str
    """In a sentence, which tables are played and when it ends."""
    rounds: int | None
    tables: int | None
    games: int | None
    upper_bound: bool
    """Whether the figures are the most that can be played: results may end it earlier."""
    schedule: tuple[Round, ...] | None = None
    """The rounds themselves, where results don't decide who meets whom. The figures below are None where they do."""
    meetings: dict[tuple[int, int], int] | None = None
    """Tables at which each pair of bots (the lower index first) meets; also the pairs that never do."""
    seat_counts: tuple[tuple[int, ...], ...] | None = None
    """By bot and seat, the games that the bot plays there."""
    repeats: int | None = None
    """Meetings of two bots after their first one, summed over all pairs."""

    @property
    def spread(self) -> tuple[int, int] | None:
        """The fewest and the most meetings of any pair."""
        return (min(self.meetings.values()), max(self.meetings.values())) if self.meetings else None


class Format(Struct, frozen=True, forbid_unknown_fields=True):
    """A format. The fields of a subclass are the settings in its table of the tournament file."""

    bye: ClassVar[Points] = Fraction(0)
    """What a bye is worth."""
    predetermined: ClassVar[bool] = True
    """For tie-breaks: whether forfeits count as played and byes as nothing (FIDE Handbook C.07, article 15.2)."""
    adaptive: ClassVar[bool] = True
    """Whether results decide who meets whom or when it ends. Then intervals hold only given that schedule."""
    per_table: ClassVar[bool] = True
    """Whether standings go by points per table where the numbers of tables differ."""
    results_stay: ClassVar[bool] = False
    """Whether a game that is played again leaves the pairings to come as they would have been without."""

    @abstractmethod
    def check(self, tournament: Tournament) -> None:
        """Raise FormatError if a setting can't be met with these entries. Everything else assumes that it can."""

    @abstractmethod
    def next_round(self, tournament: Tournament, history: History) -> Round | None:
        """The round after those played; None when the tournament is over."""

    @abstractmethod
    def plan(self, tournament: Tournament) -> Plan:
        """What will be played if nobody joins late or withdraws."""


def plan_of(rule: str, rounds: Sequence[Round], bots: Sequence[int], seats: int, *, upper_bound: bool = False) -> Plan:
    """The figures of a schedule that no result changes."""
    meetings = {(a, b): 0 for a in bots for b in bots if a < b}
    seat_counts = [[0] * seats for _ in range(max(bots, default=-1) + 1)]
    games = 0
    for round_ in rounds:
        for table in round_.tables:
            games += round_.deals * len(table.bots)
            for bot in table.bots:
                # By the rotations, everyone at a table sits in each of its seats once per deal.
                for seat in range(len(table.bots)):
                    seat_counts[bot][seat] += round_.deals
                for other in table.bots:
                    if bot < other:
                        meetings[bot, other] += 1
    return Plan(
        rule=rule,
        rounds=len(rounds),
        tables=sum(len(round_.tables) for round_ in rounds),
        games=games,
        upper_bound=upper_bound,
        schedule=tuple(rounds),
        meetings=meetings,
        seat_counts=tuple(tuple(counts) for counts in seat_counts),
        repeats=sum(max(0, count - 1) for count in meetings.values()),
    )
