"""Double elimination: who has lost twice is out."""

from contextlib import suppress
from typing import ClassVar, Final

from tournaments.competition.formats.brackets import PLAY_OFFS, BracketFormat, BracketPlay, Slots, check_seeds
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


def stage_tables(n: int) -> list[int]:
    """The tables of each stage, both brackets together, if nobody withdraws; one grand final."""
    size = 1 << (n - 1).bit_length() >> 1  # of the first stage, with those where the best seeds have no opponent
    byes = 2 * size - n
    found = [size - byes]
    if size > 1:
        half = size // 2
        found += [half + max(0, half - byes), min(half, size - byes)]
        while half > 1:
            half //= 2
            found += [2 * half, half]
    return [*found, 1]


Pair = tuple[int | None, int | None]


class _Unfinished(Exception):
    """A round of the stage is still to be played."""


class _Play(BracketPlay):
    def play(self, slots: Slots) -> None:
        self._winners = Bracket(name="Winners' bracket", stages=[])
        self._losers = Bracket(name="Losers' bracket", stages=[])
        self._depth = (len(slots) - 1).bit_length()
        self.brackets = [self._winners]
        with suppress(_Unfinished):
            upper, lower, _ = self._stage(_folded([*slots, *[None] * ((1 << self._depth) - len(slots))]), [], [])
            backwards = False
            while len(upper) > 1:
                upper, dropped, lower = self._stage(_folded(upper), _folded(lower), [])
                half = len(dropped) // 2
                dropped = [*dropped[half:], *dropped[:half]]
                if backwards:
                    dropped.reverse()
                backwards = not backwards
                _, _, lower = self._stage([], list(zip(lower, dropped, strict=True)), upper)
            self._play_final((upper[0], lower[0]))

    def _stage(self, winners: list[Pair], losers: list[Pair], waiting: Slots) -> tuple[Slots, Slots, Slots]:
        """Play these tables of both brackets. Returns who won in the winners' bracket, who lost there, and who won in
        the losers' bracket. `waiting`: the bots that have no table in it."""
        upper = [self.table(pair, 1) for pair in winners]
        lower = [self.table(pair, 1) for pair in losers]
        rounds: list[int] = []
        names = []
        if lower:
            left = 2 * (self._depth - 1) - len(self._losers.stages)
            name = {1: "final", 2: "semi-final"}.get(left, f"round {len(self._losers.stages) + 1}")
            names.append(f"losers' {name}")
            self._begin(self._losers, names[-1], lower, rounds)
        if upper:
            name = {1: "final", 2: "semi-final", 4: "quarter-final"}.get(len(upper), f"round of {2 * len(upper)}")
            names.append(f"winners' {name}")
            self._begin(self._winners, names[-1], upper, rounds)
        self._finish(upper + lower, waiting, " and ".join(names), rounds)
        self.out(lower)
        dropped = [next((bot for bot in table.bots if bot not in table.ahead), None) for table in upper]
        return _ahead(upper), dropped, _ahead(lower)

    def _play_final(self, pair: Pair) -> None:
        """The winner of the grand final has won, unless both have then lost once."""
        final, rounds = Bracket(name="Grand final", stages=[]), list[int]()
        last = self.table(pair, 1)
        self._begin(final, GRAND_FINAL, [last], rounds)
        self._finish([last], [], GRAND_FINAL, rounds)
        if pair[0] not in last.ahead and len(last.bots) > 1:
            last, rounds = self.table(last.bots, 1), []
            self._begin(final, SECOND_FINAL, [last], rounds)
            self._finish([last], [], SECOND_FINAL, rounds)
        self.out([last])
        self.champion = next(iter(last.ahead), None)

    def _begin(self, bracket: Bracket, name: str, tables: list[BracketTable], rounds: list[int]) -> None:
        """Add a stage to what is drawn: its tables, and as byes the bots without an opponent."""
        seated = [table for table in tables if len(table.bots) > 1]
        bracket.stages.append(Stage(name=name, tables=seated, byes=_alone(tables), rounds=rounds))
        if bracket not in self.brackets:
            self.brackets.append(bracket)

    def _finish(self, tables: list[BracketTable], waiting: Slots, name: str, rounds: list[int]) -> None:
        due = [bot for bot in waiting if bot is not None and self.plays(bot)]
        if not self.stage(tables, _alone(tables) + due, name, rounds):
            raise _Unfinished


def _folded(slots: Slots) -> list[Pair]:
    """The first slot meets the last one, and so on."""
    return [(slots[index], slots[-1 - index]) for index in range(len(slots) // 2)]


def _ahead(tables: list[BracketTable]) -> Slots:
    return [next(iter(table.ahead), None) for table in tables]


def _alone(tables: list[BracketTable]) -> list[int]:
    return [bot for table in tables if len(table.bots) == 1 for bot in table.bots]
