"""Groups, each with a round robin of its own, and a knockout of the best of each."""

from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import ClassVar, Final, NamedTuple

from msgspec import structs

from tournaments.competition.formats.brackets import check_seeds, out_of_bracket, seeding
from tournaments.competition.formats.designs import Tables
from tournaments.competition.formats.interface import (
    Additions,
    Bracket,
    BracketTable,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    Order,
    Stage,
    TooFewBots,
    check_count,
)
from tournaments.competition.formats.knockout import Knockout, serpentine, table_sizes
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.rounds import Entry, History, PlayedRound, Round, Table, TableResult

MAX_GROUPS: Final = 100


class Groups(Format, frozen=True, forbid_unknown_fields=True):
    """A group stage of round robins, and a final that is a knockout.

    Groups. The bots are dealt out to the groups in the order of the seeds, in a serpentine: the best ones, one to each
    group, then the next ones in reverse order. The round robins of all groups are played side by side.

    Final. Of each group `advance` bots go on, by points and the tie-breaks of the tournament among the bots of the
    group, then by seed; a bot that has withdrawn by then is passed over. The first ones of all groups are the best
    seeds of the knockout, in the order of the groups, then the second ones and so on, each group of them shifted so
    that as few bots as possible meet one of their own group in its first stage.
    """

    name: ClassVar[str] = "groups"

    groups: int = 2
    advance: int = 2
    """The number of bots of each group that go on to the final."""
    cycles: int | None = None
    """How often the round robin of each group is played; 1 unless `rounds` are given."""
    rounds: int | None = None
    """The length of the round robin of each group."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; with two seats only."""
    seeds: tuple[str, ...] | None = None
    """The names of all bots, the best first; the order of the file by default."""

    # -- what is played ---------------------------------------------------------------------------------------

    def check(self, context: FormatContext) -> None:
        n, k = len(context.entries), context.seats
        check_count("groups", self.groups, MAX_GROUPS)
        check_count("advance", self.advance, n)
        check_seeds(self.seeds, context, self.name)
        smallest = n // self.groups
        if smallest < k:
            raise FormatError(
                f"{self.groups} groups of {n} bots leave {smallest} in a group, and a table has {k} seats",
                setting="groups",
            )
        if self.advance > smallest:
            raise FormatError(
                f"advance: {self.advance} of the {smallest} bots of a group can't advance", setting="advance"
            )
        if self.groups * self.advance < k:
            raise FormatError(
                f"advance: {self.groups * self.advance} bots are too few for a final at a table of {k}",
                setting="advance",
            )
        for bots in self._groups(context):
            try:
                self._round_robin.check(_part(context, (), bots).context)
            except FormatError as error:
                raise FormatError(f"in a group: {error}", setting=error.setting) from None
        final, knockout = self._planned_final(context)
        knockout.check(final)

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        number, schedule = len(history) + 1, self._schedule(context)
        if len(history) < len(schedule):
            return self._group_round(context, number, schedule[len(history)])
        if len(history) < len(self._schedule(context.without_byes(number))):
            raise TooFewBots(context, number, "no table is left of the round")
        final, knockout = self._final(context, history, len(schedule))
        try:
            return final.of_whole(knockout.next_round(final.context, final.history), len(schedule))
        except TooFewBots as error:
            raise TooFewBots(context, number, error.what) from None  # with those who didn't reach the final

    def round_name(self, context: FormatContext, before: History) -> str | None:
        rounds = len(self._schedule(context))
        if len(before) < rounds:
            return f"group stage, round {len(before) + 1} of {rounds}"
        final, knockout = self._final(context, before, rounds)
        return knockout.round_name(final.context, final.history)

    def rule(self, context: FormatContext) -> str:
        sizes = sorted({len(bots) for bots in self._groups(context)})
        final, knockout = self._planned_final(context)
        return (
            f"{self.groups} groups of {' and '.join(map(str, sizes))} bots, in each a round robin; {self.advance} of"
            f" each go on to a knockout of {len(final.entries)}: {knockout.rule(final)}"
        )

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. The figures include every play-off that ties could cause."""
        groups = [self._round_robin.plan(_part(context, (), bots).context) for bots in self._groups(context)]
        rounds, games = len(self._schedule(context)), sum(plan.games or 0 for plan in groups)
        final_context, knockout = self._planned_final(context)
        final = knockout.plan(final_context)
        return FormatPlan(
            rule=self.rule(context),
            rounds=rounds + (final.rounds or 0),
            tables=sum(plan.tables or 0 for plan in (*groups, final)),
            games=games + (final.games or 0),
            upper_bound=True,
            usual_rounds=rounds + (final.usual_rounds or 0),
            usual_games=games + (final.usual_games or 0),
        )

    def _planned_final(self, context: FormatContext) -> tuple[FormatContext, Knockout]:
        """The final with bots that may not be those who reach it, for numbers that don't depend on who does."""
        finalists = context.entries[: self.groups * self.advance]
        return structs.replace(context, entries=finalists), self._knockout(finalists)

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        final, knockout = self._final(context, history, len(self._schedule(context)))
        return knockout.ended_early(final.context, final.history)

    # -- rulings ----------------------------------------------------------------------------------------------

    def settled_rounds(self, context: FormatContext, begun: int) -> int:
        """See Format. Groups are settled once the final has begun; it stays as it was played."""
        return 0 if begun <= len(self._schedule(context)) else begun - 1

    def refuses_return(self, context: FormatContext, entry: Entry, number: int) -> str | None:
        """See Format. A bot can come back in the group stage."""
        return None if number <= len(self._schedule(context)) + 1 else out_of_bracket(entry, number)

    def voids_results(self, context: FormatContext, bot: int, tables: int) -> bool:
        (bots,) = (bots for bots in self._groups(context) if bot in bots)
        return self._round_robin.voids_results(_part(context, (), bots).context, bots.index(bot), tables)

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        schedule = self._schedule(context)
        if number > len(schedule):
            return "a bot that is absent in the final is out: withdraw it"
        if sum(map(len, schedule[number - 1])) < 2:
            return "a round of this schedule is a single table, so that nothing would be left of one"
        return None

    # -- how it is scored -------------------------------------------------------------------------------------

    def order(self, context: FormatContext, history: History) -> Order:
        """Those in the final by the knockout, then the others by their places in their groups."""
        rounds = len(self._schedule(context))
        places = {bot: place for _, ranked in self._ranked(context, history[:rounds]) for bot, place in ranked}
        ahead: dict[int, Hashable] = {}
        if len(history) >= rounds:
            final, knockout = self._final(context, history, rounds)
            of_final = knockout.order(final.context, final.history)
            ahead = {whole: of_final(bot) for bot, whole in enumerate(final.bots)}
        return lambda bot: (0, ahead[bot]) if bot in ahead else (1, (places[bot],))

    def additions(self, context: FormatContext, history: History) -> Additions:
        """The groups by name, each as the names of its bots in the order of their places, and who went out when."""
        rounds = len(self._schedule(context))
        ranked = self._ranked(context, history[:rounds])
        names = [entry.name for entry in context.entries]
        groups = {name: [names[bot] for bot, _ in order] for name, order in ranked}
        eliminated: dict[int, int] = {}
        if len(history) >= rounds:
            final, knockout = self._final(context, history, rounds)
            eliminated = {bot: rounds for bot in range(len(names)) if bot not in final.bots}
            for bot, number in knockout.state(final.context, final.history).eliminated.items():
                eliminated[final.bots[bot]] = rounds + number
        return Additions(eliminated=eliminated, added={"groups": groups})

    def brackets(self, context: FormatContext, history: History) -> list[Bracket]:
        """See Format. That of the final."""
        rounds = len(self._schedule(context))
        if len(history) < rounds:
            return []
        final, knockout = self._final(context, history, rounds)
        return [
            Bracket(name=bracket.name, stages=[final.stage_of_whole(stage, rounds) for stage in bracket.stages])
            for bracket in knockout.brackets(final.context, final.history)
        ]

    # -- groups and final -------------------------------------------------------------------------------------

    @property
    def _round_robin(self) -> RoundRobin:
        return RoundRobin(cycles=self.cycles, rounds=self.rounds)

    def _knockout(self, seeds: Sequence[Entry]) -> Knockout:
        return Knockout(seeds=tuple(entry.name for entry in seeds), third_place=self.third_place)

    def _groups(self, context: FormatContext) -> list[tuple[int, ...]]:
        """The bots of each group, the best seeds first."""
        order = seeding(self.seeds, context)
        least, more = divmod(len(order), self.groups)
        sizes = [least + (index < more) for index in range(self.groups)]
        return serpentine(order, sizes)

    def _schedule(self, context: FormatContext) -> list[tuple[Tables, ...]]:
        """By round of the group stage and by group, the tables as the group numbers its bots."""
        groups = [self._round_robin.schedule(_part(context, (), bots).context) for bots in self._groups(context)]
        return list(zip_longest(*groups, fillvalue=Tables()))

    def _group_round(self, context: FormatContext, number: int, groups: tuple[Tables, ...]) -> Round:
        tables: list[Table] = []
        byes: list[int] = []
        for bots, own in zip(self._groups(context), groups, strict=True):
            if own:
                part = _part(context, (), bots)
                found = part.of_whole(self._round_robin.round_of(part.context, number, own), 0)
                assert found is not None
                tables += found.tables
                byes += found.byes
        return Round(number=number, tables=tuple(tables), byes=tuple(sorted(byes)), deals=context.deals)

    def _ranked(self, context: FormatContext, history: History) -> list[tuple[str, list[tuple[int, int]]]]:
        """By name of a group, which is a letter or a number over 26: its bots and their places, the first one first; of
        equal ones the better seed."""
        found = []
        # With the penalties and bonuses that were given before the next round was paired.
        judged = (
            structs.replace(entry, adjustments=tuple(own for own in entry.adjustments if own[0] <= len(history) + 1))
            for entry in context.entries
        )
        context = structs.replace(context, entries=tuple(judged))
        for index, bots in enumerate(self._groups(context)):
            part = _part(context, history, bots)
            ranked = sorted((own.place, own.bot) for own in self._round_robin.by_points(part.context, part.history))
            name = chr(ord("A") + index) if index < 26 else str(index + 1)
            found.append((name, [(bots[bot], place) for place, bot in ranked]))
        return found

    def _final(self, context: FormatContext, history: History, rounds: int) -> tuple["_Part", Knockout]:
        rows: list[list[int | None]] = [[] for _ in range(self.advance)]
        for _, ranked in self._ranked(context, history[:rounds]):
            left = [bot for bot, _ in ranked if context.entries[bot].plays(rounds + 1)]
            for row in range(self.advance):
                rows[row].append(left[row] if row < len(left) else None)
        group_of = {bot: index for index, bots in enumerate(self._groups(context)) for bot in bots}
        orders = (_seeds(rows, shift) for shift in range(self.groups))
        bots = min(orders, key=lambda order: _meetings(order, group_of, context.seats))
        part = _part(context, history, bots, after=rounds)
        return part, self._knockout(part.context.entries)


def _seeds(rows: Sequence[Sequence[int | None]], shift: int) -> tuple[int, ...]:
    """The rows one after another, each shifted by so many more groups than the one before."""
    found: list[int] = []
    for number, row in enumerate(rows):
        turn = number * shift % len(row)
        found += [bot for bot in (*row[turn:], *row[:turn]) if bot is not None]
    return tuple(found)


def _meetings(order: Sequence[int], group_of: dict[int, int], seats: int) -> int:
    """How many pairs of one group meet in the first stage of a knockout with these seeds."""
    sizes = [len(order)] if len(order) <= seats else table_sizes(len(order), seats, 1)
    tables = serpentine([group_of[bot] for bot in order[-sum(sizes) :]], sizes)
    return sum(len(groups) - len(set(groups)) for groups in tables)


class _Part(NamedTuple):
    """Some of the bots of a tournament as a tournament of their own, from some round on."""

    bots: tuple[int, ...]
    """Their indices in the whole, by their indices here."""
    context: FormatContext
    history: History

    def of_whole(self, round_: Round | None, after: int) -> Round | None:
        """A round of these bots as one of the whole tournament, so many rounds later."""
        if round_ is None:
            return None
        return structs.replace(
            round_,
            number=round_.number + after,
            tables=tuple(Table(tuple(self.bots[bot] for bot in table.bots)) for table in round_.tables),
            byes=tuple(sorted(self.bots[bot] for bot in round_.byes)),
        )

    def stage_of_whole(self, stage: Stage, after: int) -> Stage:
        def table(own: BracketTable) -> BracketTable:
            bots, ahead, tied = ([self.bots[bot] for bot in some] for some in (own.bots, own.ahead, own.tied))
            return structs.replace(own, bots=bots, ahead=ahead, tied=tied)

        return structs.replace(
            stage,
            tables=[table(own) for own in stage.tables],
            for_third=None if stage.for_third is None else table(stage.for_third),
            byes=[self.bots[bot] for bot in stage.byes],
            rounds=[number + after for number in stage.rounds],
        )


def _part(context: FormatContext, history: History, bots: tuple[int, ...], *, after: int = 0) -> _Part:
    """These bots as a tournament of their own that begins after so many rounds."""
    own = {bot: index for index, bot in enumerate(bots)}
    return _Part(
        bots=bots,
        context=structs.replace(
            context,
            entries=tuple(_later(context.entries[bot], after) if after else context.entries[bot] for bot in bots),
            seed=f"{context.seed}/{context.entries[bots[0]].name}" if bots and not after else context.seed,
        ),
        history=[_of_bots(played, own, after) for played in history[after:]],
    )


def _later(entry: Entry, after: int) -> Entry:
    """An entry of the final, which begins so many rounds later. Who is absent there is out of the bracket."""
    return structs.replace(
        entry,
        withdrawn=None if entry.withdrawn is None else entry.withdrawn - after,
        missed=(),
        byes=(),
        adjustments=tuple((number - after, points) for number, points in entry.adjustments),
    )


def _of_bots(played: PlayedRound, own: dict[int, int], after: int) -> PlayedRound:
    """A round as far as these bots played it, by their own indices."""
    results = [result for result in played.results if all(bot in own for bot in result.table.bots)]
    mapped = tuple(
        TableResult(table=Table(tuple(own[bot] for bot in result.table.bots)), games=result.games, void=result.void)
        for result in results
    )
    return PlayedRound(
        round=structs.replace(
            played.round,
            number=played.round.number - after,
            tables=tuple(result.table for result in mapped),
            byes=tuple(own[bot] for bot in played.round.byes if bot in own),
        ),
        results=mapped,
        requested=tuple((own[bot], points) for bot, points in played.requested if bot in own),
    )
