"""Formats with a final: groups, a Swiss or a ladder, and then a knockout of the best."""

from itertools import zip_longest
from typing import ClassVar, Final

from tournaments.competition.formats.brackets import seeding
from tournaments.competition.formats.designs import Tables
from tournaments.competition.formats.interface import (
    MAX_SCHEDULE_ROUNDS,
    MAX_TOURNAMENT_GAMES,
    Additions,
    FormatContext,
    FormatError,
    FormatPlan,
    check_count,
)
from tournaments.competition.formats.knockout import serpentine
from tournaments.competition.formats.ladder import Ladder
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.formats.stages import Staged, part_of
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import History, Points, Round, Table
from tournaments.competition.tiebreaks import TieBreak

MAX_GROUPS: Final = 100


class Groups(Staged, frozen=True, forbid_unknown_fields=True):
    """A group stage of round robins, and a final that is a knockout.

    The bots are dealt out to the groups in the order of the seeds, in a serpentine: the best ones, one to each group,
    then the next ones in reverse order. The round robins of all groups are played side by side.
    """

    name: ClassVar[str] = "groups"
    first_stage: ClassVar[str] = "group stage"

    groups: int = 2
    cycles: int | None = None
    """How often the round robin of each group is played; 1 unless `rounds` are given."""
    rounds: int | None = None
    """The length of the round robin of each group."""

    def check(self, context: FormatContext) -> None:
        n, k = len(context.entries), context.seats
        check_count("groups", self.groups, MAX_GROUPS)
        smallest = n // self.groups
        if smallest < k:
            raise FormatError(
                f"{self.groups} groups of {n} bots leave {smallest} in a group, and a table has {k} seats",
                setting="groups",
            )
        super().check(context)

    @property
    def stage(self) -> RoundRobin:
        return RoundRobin(cycles=self.cycles, rounds=self.rounds)

    def length(self, context: FormatContext) -> int:
        return len(self._schedule(context))

    def groups_of(self, context: FormatContext) -> list[tuple[int, ...]]:
        order = seeding(self.seeds, context)
        least, more = divmod(len(order), self.groups)
        sizes = [least + (index < more) for index in range(self.groups)]
        return serpentine(order, sizes)

    def stage_round(self, context: FormatContext, history: History) -> Round:
        number = len(history) + 1
        groups = self._schedule(context)[len(history)]
        tables: list[Table] = []
        byes: list[int] = []
        for bots, own in zip(self.groups_of(context), groups, strict=True):
            if own:
                part = part_of(context, (), bots)
                found = part.of_whole(self.stage.round_of(part.context, number, own), 0)
                assert found is not None
                tables += found.tables
                byes += found.byes
        return Round(number=number, tables=tuple(tables), byes=tuple(sorted(byes)), deals=context.deals)

    def rule(self, context: FormatContext) -> str:
        sizes = sorted({len(bots) for bots in self.groups_of(context)})
        return (
            f"{self.groups} groups of {' and '.join(map(str, sizes))} bots, in each a round robin; {self.advance} of"
            f" each {self.final_rule(context)}"
        )

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        schedule = self._schedule(context)
        if number <= len(schedule) and sum(map(len, schedule[number - 1])) < 2:
            return "the round has a single table, without which nothing is left to play"
        return super().refuses_bye(context, number)

    def additions(self, context: FormatContext, history: History) -> Additions:
        """The groups by name, a letter or a number over 26, each as the names of its bots in the order of their places;
        and who went out when."""
        ranked = self.ranked(context, history[: self.length(context)])
        names = [entry.name for entry in context.entries]
        groups = {
            chr(ord("A") + index) if index < 26 else str(index + 1): [names[bot] for bot, _ in order]
            for index, order in enumerate(ranked)
        }
        return Additions(eliminated=super().additions(context, history).eliminated, added={"groups": groups})

    def _schedule(self, context: FormatContext) -> list[tuple[Tables, ...]]:
        """By round of the group stage and by group, the tables as the group numbers its bots."""
        groups = [self.stage.schedule(part_of(context, (), bots).context) for bots in self.groups_of(context)]
        return list(zip_longest(*groups, fillvalue=Tables()))


class SwissFinal(Staged, frozen=True, forbid_unknown_fields=True):
    """A Swiss, and a knockout of the best `advance` by its standings."""

    name: ClassVar[str] = "swiss_final"
    first_stage: ClassVar[str] = "Swiss"
    bye: ClassVar[Points] = Swiss.bye
    predetermined: ClassVar[bool] = Swiss.predetermined
    per_table: ClassVar[bool] = Swiss.per_table
    neighbours_compared: ClassVar[int] = Swiss.neighbours_compared
    default_tiebreaks: ClassVar[tuple[TieBreak, ...]] = Swiss.default_tiebreaks

    rounds: int | None = None
    """Of the Swiss; as in a Swiss by default."""

    @property
    def stage(self) -> Swiss:
        return Swiss(rounds=self.rounds)

    def length(self, context: FormatContext) -> int:
        return self.stage.length(context)

    def rule(self, context: FormatContext) -> str:
        return f"{self.stage.rule(context)}; the best {self.advance} {self.final_rule(context)}"

    def algorithm(self, seats: int) -> str:
        return f"{super().algorithm(seats)}, {self.stage.algorithm(seats)}"

    default_points = Swiss.default_points


class LadderFinal(Staged, frozen=True, forbid_unknown_fields=True):
    """Some rounds of a ladder, and a knockout of the best `advance` by the strengths that its tables are chosen by,
    which are the same on every machine."""

    name: ClassVar[str] = "ladder_final"
    first_stage: ClassVar[str] = "ladder"
    rounds: int | None = None
    """Of the ladder."""
    budget: int | None = None
    """Maximum games of the ladder, instead of `rounds`; rounded down to whole rounds."""

    def check(self, context: FormatContext) -> None:
        if (self.rounds is None) == (self.budget is None):
            raise FormatError("give either `rounds` or `budget` (a number of games), not both", setting="budget")
        check_count("rounds", self.rounds, MAX_SCHEDULE_ROUNDS)
        check_count("budget", self.budget, MAX_TOURNAMENT_GAMES)
        if self.length(context) < 1:
            games = self._games_of_round(context)
            raise FormatError(
                f"budget = {self.budget} is less than one round, which has {games} games", setting="budget"
            )
        super().check(context)

    @property
    def stage(self) -> Ladder:
        return Ladder(budget=MAX_TOURNAMENT_GAMES)  # the number of rounds ends it

    def stage_plan(self, context: FormatContext) -> FormatPlan:
        return Ladder(budget=self.length(context) * self._games_of_round(context)).plan(context)

    def length(self, context: FormatContext) -> int:
        return self.rounds or min(MAX_SCHEDULE_ROUNDS, (self.budget or 0) // self._games_of_round(context))

    def _games_of_round(self, context: FormatContext) -> int:
        return max(1, len(context.entries) // context.seats) * context.deals * context.seats

    def rule(self, context: FormatContext) -> str:
        return f"{Ladder().rule(context)}; the best {self.advance} {self.final_rule(context)}"
