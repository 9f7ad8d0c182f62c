"""Double elimination: who has lost twice is out."""

from collections.abc import Generator
from typing import ClassVar, Final, NamedTuple

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

GRAND_FINAL: Final = "grand final"
SECOND_FINAL: Final = "second grand final"


class DoubleElimination(BracketFormat, frozen=True, forbid_unknown_fields=True):
    """A winners' and a losers' bracket at tables of two, and a grand final between their winners.

    Winners' bracket. That of a knockout, fixed by the seeds, as for the next power of two: the best seeds have no
    opponent in the first stage.

    Losers' bracket. Those who lost in the first stage of the winners' bracket meet each other, beside its second one.
    Then, in turn: its survivors meet those who have just lost in the winners' bracket, shifted by half of the tables so
    that bots don't meet again at once, and in every second such stage in reverse order too; and its survivors meet each
    other, beside the next stage of the winners' bracket.

    Grand final. If the winner of the losers' bracket wins it, both have lost once, and a second one decides.
    """

    name: ClassVar[str] = "double_elimination"

    def check(self, context: FormatContext) -> None:
        if context.seats != 2:
            raise FormatError(f"a double elimination is played at tables of two, not of {context.seats}")
        if len(context.entries) < 2:
            raise FormatError("a double elimination needs at least 2 bots; there is 1")
        check_seeds(self.seeds, context, self.name)

    def state(self, context: FormatContext, history: History) -> BracketPlay:
        return _Play(self, context, history)

    def rule(self, context: FormatContext) -> str:
        stages = len(stage_tables(len(context.entries)))
        return (
            f"{stages} stages in two brackets, and a second grand final if the winner of the losers' bracket wins the"
            f" first; ties are played off, at most {PLAY_OFFS} times, then the better seed advances"
        )

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. The figures include a second grand final, and every play-off that ties could cause."""
        stages, deals = stage_tables(len(context.entries)), context.deals
        games = 2 * deals
        return FormatPlan(
            rule=self.rule(context),
            rounds=(len(stages) + 1) * (1 + PLAY_OFFS),
            tables=(sum(stages) + 1) * (1 + PLAY_OFFS),
            games=(sum(stages) + 1) * games * (1 + PLAY_OFFS),
            upper_bound=True,
            usual_rounds=len(stages),
            usual_games=sum(stages) * games,
        )


Pair = tuple[int | None, int | None]


class Pairs(NamedTuple):
    """The tables of a stage, some of them without a second bot or without any."""

    winners: list[Pair]
    """In the winners' bracket, or the grand final."""
    losers: list[Pair]
    waiting: Slots
    """The bots that have no table in it."""


class Ahead(NamedTuple):
    """What a stage has come to, by its tables."""

    winners: Slots
    dropped: Slots
    """Who lost in the winners' bracket."""
    losers: Slots
    """Who won in the losers' bracket."""


def course(order: Slots) -> Generator[Pairs, Ahead, None]:
    """The stages from the first one to the grand final. Each is sent its result."""
    upper = [*order, *[None] * ((1 << (len(order) - 1).bit_length()) - len(order))]
    upper, lower, _ = yield Pairs(_folded(upper), [], [])
    dealt = 0
    while len(upper) > 1:
        upper, dropped, lower = yield Pairs(_folded(upper), _folded(lower), [])
        half = len(dropped) // 2
        dropped = [*dropped[half:], *dropped[:half]]
        if dealt % 2:
            dropped.reverse()
        dealt += 1
        _, _, lower = yield Pairs([], list(zip(lower, dropped, strict=True)), upper)
    yield Pairs([(upper[0], lower[0])], [], [])


def _folded(slots: Slots) -> list[Pair]:
    """The first slot meets the last one, and so on."""
    return [(slots[index], slots[-1 - index]) for index in range(len(slots) // 2)]


def stage_tables(n: int) -> list[int]:
    """The tables of each stage that has any, both brackets together, if nobody withdraws; one grand final."""
    found = []
    stages = course(list(range(n)))
    pairs = next(stages)
    while True:
        tables = sum(None not in pair for pair in (*pairs.winners, *pairs.losers))
        found += [tables] if tables else []
        won, lost = ([high if low is None else low for low, high in of] for of in (pairs.winners, pairs.losers))
        dropped = [None if None in pair else pair[1] for pair in pairs.winners]
        try:
            pairs = stages.send(Ahead(won, dropped, lost))
        except StopIteration:
            return found


class _Play(BracketPlay):
    def play(self, slots: Slots) -> None:
        winners = Bracket(name="Winners' bracket", stages=[])
        losers = Bracket(name="Losers' bracket", stages=[])
        final = Bracket(name="Grand final", stages=[])
        self.brackets = [winners]
        depth = (len(slots) - 1).bit_length()
        stages = course(slots)
        pairs = next(stages)
        while True:
            is_final = len(winners.stages) == depth and not pairs.losers
            upper = [self.table(pair, 1) for pair in pairs.winners]
            lower = [self.table(pair, 1) for pair in pairs.losers]
            rounds: list[int] = []
            names = []
            if lower:
                left = 2 * (depth - 1) - len(losers.stages)
                name = {1: "final", 2: "semi-final"}.get(left, f"round {len(losers.stages) + 1}")
                names.append(f"losers' {name}")
                self._begin(losers, names[-1], lower, rounds)
            if upper:
                name = {1: "final", 2: "semi-final", 4: "quarter-final"}.get(len(upper), f"round of {2 * len(upper)}")
                names.append(GRAND_FINAL if is_final else f"winners' {name}")
                self._begin(final if is_final else winners, names[-1], upper, rounds)
            alone = [bot for table in (*upper, *lower) if len(table.bots) == 1 for bot in table.bots]
            waiting = [bot for bot in pairs.waiting if bot is not None and self.plays(bot)]
            if not self.stage(upper + lower, alone + waiting, " and ".join(names), rounds):
                return None
            if is_final:
                return self._end(upper[0], pairs.winners[0], final)
            self.out(lower)
            ahead = Ahead(
                _ahead(upper),
                [next((bot for bot in table.bots if bot not in table.ahead), None) for table in upper],
                _ahead(lower),
            )
            pairs = stages.send(ahead)

    def _end(self, first: BracketTable, pair: Pair, final: Bracket) -> None:
        """The winner of the grand final has won, unless both have now lost once."""
        (unbeaten, _), last = pair, first
        if unbeaten not in first.ahead and len(first.bots) > 1:
            last, rounds = self.table(first.bots, 1), list[int]()
            self._begin(final, SECOND_FINAL, [last], rounds)
            if not self.stage([last], [], SECOND_FINAL, rounds):
                return
        self.out([last])
        self.champion = next(iter(last.ahead), None)

    def _begin(self, bracket: Bracket, name: str, tables: list[BracketTable], rounds: list[int]) -> None:
        """Add a stage to what is drawn: its tables, and as byes the bots without an opponent."""
        byes = [bot for table in tables if len(table.bots) == 1 for bot in table.bots]
        seated = [table for table in tables if len(table.bots) > 1]
        bracket.stages.append(Stage(name=name, tables=seated, byes=byes, rounds=rounds))
        if bracket not in self.brackets:
            self.brackets.append(bracket)


def _ahead(tables: list[BracketTable]) -> Slots:
    return [next(iter(table.ahead), None) for table in tables]
