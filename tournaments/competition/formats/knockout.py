"""Knockout: tables of k from which some advance, until one bot is left."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, TypeVar

from referee.games.narrator import format_count
from tournaments.competition.formats.brackets import (
    PLAY_OFFS,
    BracketFormat,
    BracketPlay,
    Slots,
    check_seeds,
)
from tournaments.competition.formats.interface import (
    Bracket,
    BracketTable,
    FormatContext,
    FormatError,
    FormatPlan,
    Stage,
)
from tournaments.competition.rounds import History

T = TypeVar("T")

STAGES: Final = ("final", "semi-final", "quarter-final")
"""The last stages, the last one first. One before them is named after the number of its bots."""


class Knockout(BracketFormat, frozen=True, forbid_unknown_fields=True):
    """A bracket fixed by the seeds, with byes for the best of them in the first stage.

    Stages. From the last: a stage of k bots at one table; before a stage of S bots, one of (S // advance) * k bots, and
    as many more as S // advance leaves over, who have a bye there. The first stage reduces any number of bots to the
    next such size, with as few tables as that takes, of sizes as equal as possible.

    Bracket. The slots of a stage are numbered by seed. The best have the byes; the others are dealt out to its t
    tables in a serpentine. The winner of a table takes over the best slot there; those who come second are dealt out
    again, shifted by half of the tables, so that they don't meet the winner again at once. With two seats that is the
    usual bracket: 1 meets the last.
    """

    name: ClassVar[str] = "knockout"
    trf_type: ClassVar[str | None] = "Individual: Knockout"

    advance: int = 1
    """The number of bots of each table that advance."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; with two seats only."""

    def check(self, context: FormatContext) -> None:
        k = context.seats
        if len(context.entries) < k:
            raise FormatError(f"a knockout with {k} seats needs at least {k} bots; there are {len(context.entries)}")
        if not 1 <= self.advance <= k // 2:
            raise FormatError(
                f"advance must be from 1 to {k // 2} (half of the {k} seats), not {self.advance}", setting="advance"
            )
        if self.third_place and k > 2:
            raise FormatError(f"a third place is played for with two seats, not with {k}", setting="third_place")
        check_seeds(self.seeds, context, self.name)

    def state(self, context: FormatContext, history: History) -> BracketPlay:
        return KnockoutPlay(self, context, history)

    def rule(self, context: FormatContext) -> str:
        n = len(context.entries)
        stages = list(stage_sizes(n, context.seats, self.advance))
        byes = format_count(n - sum(stages[0]), "byes")
        advance = "the winner of each table advances" if self.advance == 1 else f"{self.advance} of each table advance"
        return (
            f"{format_count(len(stages), 'stages')}, {advance}, {byes} in the first; ties are played off, at"
            f" most {PLAY_OFFS} times, then the better seed advances"
        )

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. The figures include every play-off that ties could cause."""
        n, k, deals = len(context.entries), context.seats, context.deals
        stages = list(stage_sizes(n, k, self.advance))
        tables = [size for sizes in stages for size in sizes]
        if self.third_place and n > 3:
            tables.append(2)
        return FormatPlan(
            rule=self.rule(context),
            rounds=len(stages) * (1 + PLAY_OFFS),
            tables=len(tables) * (1 + PLAY_OFFS),
            games=sum(tables) * deals * (1 + PLAY_OFFS),
            upper_bound=True,
            usual_rounds=len(stages),
            usual_games=sum(tables) * deals,
        )


def stage_sizes(n: int, k: int, advance: int) -> Iterator[list[int]]:
    """The sizes of the tables of each stage, if nobody withdraws."""
    while n > k:
        sizes = table_sizes(n, k, advance)
        yield sizes
        n -= sum(sizes) - advance * len(sizes)
    yield [n]


def table_sizes(n: int, k: int, advance: int) -> list[int]:
    """The sizes of the tables in a stage of n > k bots; bots not counted get a bye."""
    target = k
    while (larger := target // advance * k + target % advance) < n:
        target = larger
    out = n - target
    tables = -(-out // (k - advance))
    least, more = divmod(out + tables * advance, tables)
    return [least + (index < more) for index in range(tables)]


class KnockoutPlay(BracketPlay):
    format: Knockout

    def play(self, slots: Slots) -> None:
        k, losers = self.context.seats, Slots()
        stages: list[Stage] = []
        self.brackets = [Bracket(name="", stages=stages)]
        while len(slots) > 1:
            final = len(slots) <= k
            advance = 1 if final else self.format.advance
            sizes = [len(slots)] if final else table_sizes(len(slots), k, advance)
            byes = len(slots) - sum(sizes)
            tables = [self.table(each, advance) for each in serpentine(slots[byes:], sizes)]
            for_third = []
            if final and self.format.third_place and len(losers) == 2:
                for_third = [self.table(losers, 1)]
            waiting = [bot for bot in slots[:byes] if bot is not None and self.plays(bot)]
            later = len(list(stage_sizes(len(slots), k, self.format.advance))) - 1
            name = STAGES[later] if later < len(STAGES) else f"round of {len(slots)}"
            begun = Stage(name=name, tables=tables, for_third=next(iter(for_third), None), byes=waiting, rounds=[])
            stages.append(begun)
            shown = name + (" and third place" if for_third else "")
            if not self.stage(tables + for_third, waiting, shown, begun.rounds):
                return
            self.out(tables)
            losers = [next((bot for bot in table.bots if bot not in table.ahead), None) for table in tables]
            if for_third and for_third[0].ahead:
                self.third = for_third[0].ahead[0]
            slots = [*slots[:byes], *_next_slots(tables, advance)]
        self.champion = slots[0] if slots else None


def _next_slots(tables: list[BracketTable], advance: int) -> Slots:
    """The winners in the order of their tables, then those who came second and so on, each group shifted by half
    of the tables."""
    turn = len(tables) // advance
    slots = Slots()
    for row in range(advance):
        line: Slots = [None] * len(tables)
        for index, table in enumerate(tables):
            bot = table.ahead[row] if row < len(table.ahead) else None
            line[(index + row * turn) % len(tables)] = bot
        slots += line
    return slots


def serpentine(items: Sequence[T], sizes: list[int]) -> list[tuple[T, ...]]:
    """The items by table: back and forth over all tables that have room."""
    tables: list[list[T]] = [[] for _ in sizes]
    row = 0
    remaining = iter(items)
    while any(len(table) < size for table, size in zip(tables, sizes, strict=True)):
        for index in range(len(sizes)) if row % 2 == 0 else reversed(range(len(sizes))):
            if len(tables[index]) < sizes[index]:
                tables[index].append(next(remaining))
        row += 1
    return [tuple(table) for table in tables]
