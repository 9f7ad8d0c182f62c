"""A stage in which everybody plays, in one group or several, and a final of the best that is a knockout.

`Staged` is what formats with a final share: they say who is in which group, and what a group plays.
"""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

from msgspec import structs

from tournaments.competition.formats.brackets import check_seeds, out_of_bracket, seeding
from tournaments.competition.formats.interface import (
    Additions,
    Bracket,
    BracketTable,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    Order,
    PlacesBy,
    Stage,
    TooFewBots,
    check_count,
)
from tournaments.competition.formats.knockout import Knockout, serpentine, table_sizes
from tournaments.competition.rounds import Entry, History, PlayedRound, Round, Table, TableResult
from tournaments.competition.tiebreaks import places_by


class Staged(Format, frozen=True, forbid_unknown_fields=True):
    """A format whose first stage is played by groups, each as a tournament of its own, before a knockout of the best.

    Final. Of each group `advance` bots go on, by their places in the group, then by seed; a bot that has withdrawn by
    then is passed over. The first ones of all groups are the best seeds of the knockout, in the order of the groups,
    then the second ones and so on, each group of them shifted so that as few bots as possible meet one of their own
    group in its first stage.
    """

    places_by: ClassVar[PlacesBy] = "final"
    first_stage: ClassVar[str]
    """Its name for people."""

    advance: int = 2
    """The number of bots of each group that go on to the final."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; with two seats only."""
    seeds: tuple[str, ...] | None = None
    """The names of all bots, the best first; the order of the file by default."""

    # -- the first stage --------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def stage(self) -> Format:
        """The format of each group."""

    @abstractmethod
    def length(self, context: FormatContext) -> int:
        """The rounds of the first stage."""

    def groups_of(self, context: FormatContext) -> list[tuple[int, ...]]:
        """The bots of each group, the best seeds first. By default there is one group."""
        return [tuple(seeding(self.seeds, context))]

    def stage_plan(self, context: FormatContext) -> FormatPlan:
        """The plan of a group, which is the whole context."""
        return self.stage.plan(context)

    def stage_round(self, context: FormatContext, history: History) -> Round:
        """The next round of the first stage. Raises FormatError."""
        found = []
        for bots in self.groups_of(context):
            part = part_of(context, history, bots)
            found.append(part.of_whole(self.stage.next_round(part.context, part.history), 0))
        own = [round_ for round_ in found if round_ is not None]
        return Round(
            number=len(history) + 1,
            tables=tuple(table for round_ in own for table in round_.tables),
            byes=tuple(sorted(bot for round_ in own for bot in round_.byes)),
            deals=context.deals,
        )

    # -- what is played ---------------------------------------------------------------------------------------

    def check(self, context: FormatContext) -> None:
        n, k = len(context.entries), context.seats
        check_count("advance", self.advance, n)
        check_seeds(self.seeds, context, self.name)
        groups = self.groups_of(context)
        smallest = min(map(len, groups))
        if self.advance > smallest:
            raise FormatError(
                f"advance: {self.advance} of the {smallest} bots of a group can't advance", setting="advance"
            )
        if len(groups) * self.advance < k:
            raise FormatError(
                f"advance: {len(groups) * self.advance} bots are too few for a final at a table of {k}",
                setting="advance",
            )
        for bots in groups:
            try:
                self.stage.check(part_of(context, (), bots).context)
            except FormatError as error:
                where = "in a group: " if len(groups) > 1 else ""
                raise FormatError(f"{where}{error}", setting=error.setting) from None
        final, knockout = self._planned_final(context)
        knockout.check(final)

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        number, rounds = len(history) + 1, self.length(context)
        if len(history) < rounds:
            return self.stage_round(context, history)
        if len(history) < self.length(context.without_byes(number)):
            raise TooFewBots(context, number, "no table is left of the round")
        final, knockout = self._final(context, history, rounds)
        try:
            return final.of_whole(knockout.next_round(final.context, final.history), rounds)
        except TooFewBots as error:
            raise TooFewBots(context, number, error.what) from None  # with those who didn't reach the final

    def pairing_seconds(self, context: FormatContext, number: int) -> float:
        if number > self.length(context):
            return 0.0
        return sum(
            self.stage.pairing_seconds(part_of(context, (), bots).context, number) for bots in self.groups_of(context)
        )

    def round_name(self, context: FormatContext, before: History) -> str | None:
        rounds = self.length(context)
        if len(before) < rounds:
            return f"{self.first_stage}, round {len(before) + 1} of {rounds}"
        final, knockout = self._final(context, before, rounds)
        return knockout.round_name(final.context, final.history)

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. The figures include every play-off that ties could cause."""
        groups = [self.stage_plan(part_of(context, (), bots).context) for bots in self.groups_of(context)]
        rounds, games = self.length(context), sum(plan.games or 0 for plan in groups)
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

    def final_rule(self, context: FormatContext) -> str:
        """The knockout, in words that end a sentence."""
        final, knockout = self._planned_final(context)
        return f"go on to a knockout of {len(final.entries)}: {knockout.rule(final)}"

    def _planned_final(self, context: FormatContext) -> tuple[FormatContext, Knockout]:
        """The final with bots that may not be those who reach it, for numbers that don't depend on who does."""
        finalists = context.entries[: len(self.groups_of(context)) * self.advance]
        return structs.replace(context, entries=finalists), self._knockout(finalists)

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        final, knockout = self._final(context, history, self.length(context))
        return knockout.ended_early(final.context, final.history)

    # -- rulings ----------------------------------------------------------------------------------------------

    def settled_rounds(self, context: FormatContext, begun: int) -> int:
        """See Format. The first stage is settled once the final has begun; it stays as it was played."""
        return 0 if begun <= self.length(context) else begun - 1

    def refuses_return(self, context: FormatContext, entry: Entry, number: int) -> str | None:
        """See Format. A bot can come back in the first stage."""
        return None if number <= self.length(context) + 1 else out_of_bracket(entry, number)

    def voids_results(self, context: FormatContext, bot: int, tables: int) -> bool:
        (bots,) = (bots for bots in self.groups_of(context) if bot in bots)
        return self.stage.voids_results(part_of(context, (), bots).context, bots.index(bot), tables)

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        if number > self.length(context):
            return "a bot that is absent in the final is out: withdraw it"
        return None

    # -- how it is scored -------------------------------------------------------------------------------------

    def order(self, context: FormatContext, history: History) -> Order:
        """Those in the final by the knockout, then the others by their places in their groups."""
        rounds = self.length(context)
        places = {bot: place for ranked in self.ranked(context, history[:rounds]) for bot, place in ranked}
        ahead: dict[int, Hashable] = {}
        if len(history) >= rounds:
            final, knockout = self._final(context, history, rounds)
            of_final = knockout.order(final.context, final.history)
            ahead = {whole: of_final(bot) for bot, whole in enumerate(final.bots)}
        return lambda bot: (0, ahead[bot]) if bot in ahead else (1, (places[bot],))

    def additions(self, context: FormatContext, history: History) -> Additions:
        """Who went out when."""
        rounds = self.length(context)
        eliminated: dict[int, int] = {}
        if len(history) >= rounds:
            final, knockout = self._final(context, history, rounds)
            eliminated = {bot: rounds for bot in range(len(context.entries)) if bot not in final.bots}
            for bot, number in knockout.state(final.context, final.history).eliminated.items():
                eliminated[final.bots[bot]] = rounds + number
        return Additions(eliminated=eliminated)

    def brackets(self, context: FormatContext, history: History) -> list[Bracket]:
        """See Format. That of the final."""
        rounds = self.length(context)
        if len(history) < rounds:
            return []
        final, knockout = self._final(context, history, rounds)
        return [
            Bracket(name=bracket.name, stages=[final.stage_of_whole(stage, rounds) for stage in bracket.stages])
            for bracket in knockout.brackets(final.context, final.history)
        ]

    # -- groups and final -------------------------------------------------------------------------------------

    def _knockout(self, seeds: Sequence[Entry]) -> Knockout:
        return Knockout(seeds=tuple(entry.name for entry in seeds), third_place=self.third_place)

    def ranked(self, context: FormatContext, history: History) -> list[list[tuple[int, int]]]:
        """By group its bots and their places, the first one first; of equal ones the better seed."""
        found = []
        # With the penalties and bonuses that were given before the next round was paired.
        judged = (
            structs.replace(entry, adjustments=tuple(own for own in entry.adjustments if own[0] <= len(history) + 1))
            for entry in context.entries
        )
        context = structs.replace(context, entries=tuple(judged))
        for bots in self.groups_of(context):
            part = part_of(context, history, bots)
            order = self.stage.order(part.context, part.history)
            if order is None:
                placed = self.stage.by_points(part.context, part.history)
            else:
                placed = places_by(range(len(bots)), order)
            found.append([(bots[bot], place) for place, bot in sorted((own.place, own.bot) for own in placed)])
        return found

    def _final(self, context: FormatContext, history: History, rounds: int) -> tuple["Part", Knockout]:
        rows: list[list[int | None]] = [[] for _ in range(self.advance)]
        for ranked in self.ranked(context, history[:rounds]):
            left = [bot for bot, _ in ranked if context.entries[bot].plays(rounds + 1)]
            for row in range(self.advance):
                rows[row].append(left[row] if row < len(left) else None)
        groups = self.groups_of(context)
        group_of = {bot: index for index, bots in enumerate(groups) for bot in bots}
        orders = (_seeds(rows, shift) for shift in range(len(groups)))
        bots = min(orders, key=lambda order: _meetings(order, group_of, context.seats))
        part = part_of(context, history, bots, after=rounds)
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


class Part(NamedTuple):
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
            lists = (own.bots, own.ahead, own.tied, own.by_seed)
            bots, ahead, tied, by_seed = ([self.bots[bot] for bot in some] for some in lists)
            return structs.replace(own, bots=bots, ahead=ahead, tied=tied, by_seed=by_seed)

        return structs.replace(
            stage,
            tables=[table(own) for own in stage.tables],
            for_third=None if stage.for_third is None else table(stage.for_third),
            byes=[self.bots[bot] for bot in stage.byes],
            rounds=[number + after for number in stage.rounds],
        )


def part_of(context: FormatContext, history: History, bots: tuple[int, ...], *, after: int = 0) -> Part:
    """These bots as a tournament of their own that begins after so many rounds."""
    own = {bot: index for index, bot in enumerate(bots)}
    return Part(
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
