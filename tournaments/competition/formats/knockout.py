"""Knockout: tables of k from which some advance, until one bot is left."""

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar, Final

from msgspec import Struct

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import Additions, Format, FormatContext, FormatError, FormatPlan, Order
from tournaments.competition.points import game_point_sums
from tournaments.competition.rounds import History, PlayedRound, Points, PointSystem, Round, Table

PLAY_OFFS: Final = 5
"""Maximum number of play-off rounds before the better seed advances."""

STAGES: Final = ("final", "semi-final", "quarter-final")
"""The last stages, the last one first. One before them is named after the number of its bots."""

Slots = list[int | None]
"""The bots of a stage, the best slot first; None where all bots that could have come here have withdrawn."""


class BracketTable(Struct):
    """A table of the bracket: its bots, their slots in the stage, and how many advance."""

    slots: tuple[int, ...]
    bots: list[int]
    going_on: int
    ahead: list[int]
    """The bots that have advanced, the best first."""
    tied: list[int]
    """The bots that have to play (again) for the remaining slots."""


class Stage(Struct, kw_only=True):
    """A stage of the bracket as far as it has been played: the same tables, with a play-off of those that are tied in
    each round after the first."""

    name: str
    tables: list[BracketTable]
    for_third: BracketTable | None
    """The table for third place, which is played beside the final."""
    byes: list[int]
    """The bots that go on without a table."""
    rounds: list[int]
    """The rounds that were played in it, and at last the one that is played next, if that belongs to it."""


class KnockoutState(Struct, frozen=True, kw_only=True):
    """The state of a bracket."""

    eliminated: dict[int, int]
    """By bot, the last round of the stage in which it was eliminated, or the last one before it was absent."""
    champion: int | None
    third: int | None
    """The winner of the table for third place."""


class Knockout(Format, frozen=True, forbid_unknown_fields=True):
    """A bracket fixed by the seeds, with byes for the best of them in the first stage.

    Stages. From the last: a stage of k bots at one table; before a stage of S bots, one of (S // advance) * k bots, and
    as many more as S // advance leaves over, who have a bye there. The first stage reduces any number of bots to the
    next such size, with as few tables as that takes, of sizes as equal as possible.

    Bracket. The slots of a stage are numbered by seed. The best have the byes; the others are dealt out to its t
    tables in a serpentine. The winner of a table takes over the best slot there; those who come second are dealt out
    again, shifted by half of the tables, so that they don't meet the winner again at once. With two seats that is the
    usual bracket: 1 meets the last.

    Ties. Bots with equal game points at the cut play again, with new deals, at most PLAY_OFFS rounds; then the better
    seed advances. Bots that withdraw are out; a bot without an opponent left advances without a table.
    """

    name: ClassVar[str] = "knockout"
    per_table: ClassVar[bool] = False
    places_by_points: ClassVar[bool] = False
    trf_type: ClassVar[str | None] = "Individual: Knockout"
    results_stay: ClassVar[bool] = True
    """The bracket stays as it was played."""

    seeds: tuple[str, ...] | None = None
    """The names of all bots, the best first; the order of the file by default."""
    advance: int = 1
    """The number of bots of each table that advance."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; with two seats only."""

    def check(self, context: FormatContext) -> None:
        """See Format."""
        k = context.seats
        if len(context.entries) < k:
            raise FormatError(f"a knockout with {k} seats needs at least {k} bots; there are {len(context.entries)}")
        if not 1 <= self.advance <= k // 2:
            raise FormatError(
                f"advance must be from 1 to {k // 2} (half of the {k} seats), not {self.advance}", setting="advance"
            )
        if self.third_place and k > 2:
            raise FormatError(f"a third place is played for with two seats, not with {k}", setting="third_place")
        if self.seeds is not None:
            for name in self.seeds:
                context.index(name, "seeds")
            missing = [entry.name for entry in context.entries if entry.name not in self.seeds]
            if missing or len(self.seeds) > len(context.entries):
                raise FormatError(
                    "seeds: name every bot once" + (f'; "{missing[0]}" is missing' if missing else ""),
                    setting="seeds",
                )
        for entry in context.entries:
            if entry.joined > 1:
                raise FormatError(f'"{entry.name}" can\'t join: a knockout takes no late entries')

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        """See Format."""
        self.check_history(context, history)
        return _Bracket(self, context, history).next_round

    def check_history(self, context: FormatContext, history: History) -> None:
        """See Format."""
        if not _Bracket(self, context, history).fits:
            raise FormatError("the rounds before it do not fit the bracket of this referee's algorithm")

    def round_name(self, context: FormatContext, before: History) -> str | None:
        """See Format."""
        bracket = _Bracket(self, context, before)
        return bracket.next_name if bracket.fits else None

    def state(self, context: FormatContext, history: History) -> KnockoutState:
        """Who went out when, and who has won: by the rounds as they were played if they don't fit the bracket."""
        bracket = _Bracket(self, context, history)
        if not bracket.fits:
            return _state_as_played(self, context, history)
        return KnockoutState(eliminated=bracket.eliminated, champion=bracket.champion, third=bracket.third)

    def stages(self, context: FormatContext, history: History) -> list[Stage]:
        """The stages that have begun; none if the rounds don't fit the bracket of this referee's algorithm."""
        bracket = _Bracket(self, context, history)
        return bracket.stages if bracket.fits else []

    def byes(self, context: FormatContext, history: History, tables: Sequence[Table]) -> tuple[int, ...]:
        """See Format. Eliminated bots have none, and there are none in play-offs."""
        bracket = _Bracket(self, context, history)
        expected = bracket.next_round if bracket.fits else None
        if expected is not None and [set(table.bots) for table in expected.tables] == [set(t.bots) for t in tables]:
            return expected.byes
        before = [set(table.bots) for table in history[-1].round.tables] if history else []
        if all(any(own.issuperset(table.bots) for own in before) for table in tables):
            return ()
        eliminated = self.state(context, history).eliminated
        return tuple(bot for bot in super().byes(context, history, tables) if bot not in eliminated)

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        """See Format."""
        return "a bot that is absent in a knockout is out: withdraw it"

    def default_points(self, seats: int) -> PointSystem:
        """See Format."""
        return "table" if seats == 2 else "game"

    def order(self, context: FormatContext, history: History) -> Order:
        """The champion, those still in, then those that went out, the last ones first; of those that lost the
        semi-finals, the winner of the table for third place first."""
        state = self.state(context, history)

        def place(bot: int) -> Hashable:
            if bot == state.champion:
                return (0, 0, 0)
            if bot not in state.eliminated:
                return (1, 0, 0)
            return (2, -state.eliminated[bot], int(state.third is not None and bot != state.third))

        return place

    def additions(self, context: FormatContext, history: History) -> Additions:
        """See Format."""
        return Additions(eliminated=self.state(context, history).eliminated)

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. The figures include every play-off that ties could cause."""
        n, k, deals = len(context.entries), context.seats, context.deals
        stages = list(stage_sizes(n, k, self.advance))
        tables = [size for sizes in stages for size in sizes]
        if self.third_place and n > 3:
            tables.append(2)
        return FormatPlan(
            rule=f"{len(stages)} stages, {self.advance} of each table advance, "
            f"{format_byes(n - sum(stages[0]))} in the first; ties are played off, at most {PLAY_OFFS} times, "
            "then the better seed advances",
            rounds=len(stages) * (1 + PLAY_OFFS),
            tables=len(tables) * (1 + PLAY_OFFS),
            games=sum(tables) * deals * (1 + PLAY_OFFS),
            upper_bound=True,
            usual_rounds=len(stages),
            usual_games=sum(tables) * deals,
        )


def format_byes(byes: int) -> str:
    """A number of byes as text."""
    return "1 bye" if byes == 1 else f"{byes} byes"


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


class _Bracket:
    """A bracket, played to the end of the history."""

    def __init__(self, format_: Knockout, context: FormatContext, history: History) -> None:
        self._format = format_
        self._context = context
        self._history = history
        names = format_.seeds or [entry.name for entry in context.entries]
        order = [context.index(name, "seeds") for name in names]
        self._seed = {bot: seed for seed, bot in enumerate(order)}
        self._rounds = 0
        """Rounds of the history that have been used."""
        self.eliminated: dict[int, int] = {}
        self.champion: int | None = None
        self.third: int | None = None
        self.stages: list[Stage] = []
        """Those that have begun."""
        self.next_round: Round | None = None
        self.next_name: str | None = None
        self.fits = True
        """Whether the tables of the history are those of the bracket. If not, nothing else here means anything."""
        self._play(list(order))
        self.fits = self.fits and self._rounds == len(history)

    def _play(self, slots: Slots) -> None:
        k, losers = self._context.seats, Slots()
        while len(slots) > 1:
            final = len(slots) <= k
            advance = 1 if final else self._format.advance
            sizes = [len(slots)] if final else table_sizes(len(slots), k, advance)
            byes = len(slots) - sum(sizes)
            places = [self._place(slots, seats, advance) for seats in serpentine(range(byes, len(slots)), sizes)]
            for_third = []
            if final and self._format.third_place and len(losers) == 2:
                for_third = [self._place(losers, (0, 1), 1)]
            waiting = [bot for bot in slots[:byes] if bot is not None and self._plays(bot)]
            name = self._stage_name(len(slots))
            self.stages.append(
                Stage(name=name, tables=places, for_third=next(iter(for_third), None), byes=waiting, rounds=[])
            )
            if not self._stage(places + for_third, waiting, name + (" and third place" if for_third else "")):
                return
            for place in places:
                for bot in place.bots:
                    if bot not in place.ahead:
                        self.eliminated.setdefault(bot, self._rounds)
            losers = [next((bot for bot in place.bots if bot not in place.ahead), None) for place in places]
            if for_third and for_third[0].ahead:
                self.third = for_third[0].ahead[0]
            slots = [*slots[:byes], *self._next_slots(places, advance)]
        if slots[0] is not None:
            self.champion = slots[0]

    def _plays(self, bot: int) -> bool:
        """Whether a bot takes part in the next round; if not, it is out."""
        if self._context.entries[bot].plays(self._rounds + 1):
            return True
        self.eliminated.setdefault(bot, self._rounds)
        return False

    def _place(self, slots: Slots, seats: tuple[int, ...], going_on: int) -> BracketTable:
        bots = [bot for slot in seats if (bot := slots[slot]) is not None and self._plays(bot)]
        return BracketTable(slots=seats, bots=bots, going_on=going_on, ahead=[], tied=list(bots))

    def _stage_name(self, slots: int) -> str:
        later = sum(1 for _ in stage_sizes(slots, self._context.seats, self._format.advance)) - 1
        return STAGES[later] if later < len(STAGES) else f"round of {slots}"

    def _stage(self, places: list[BracketTable], waiting: list[int], name: str) -> bool:
        """Play the tables of a stage with their play-offs. False if a round of it is still to be played."""
        for attempt in range(1 + PLAY_OFFS):
            for place in places:
                place.tied = [bot for bot in place.tied if self._plays(bot)]
                self._settle_if_room(place)
            open_places = [place for place in places if place.tied]
            if not open_places:
                return True
            number = self._rounds + 1
            self.stages[-1].rounds.append(number)
            if number > len(self._history):
                self._ask(open_places, waiting if attempt == 0 else [])
                self.next_name = f"{name}, play-off {attempt} of {PLAY_OFFS}" if attempt else name
                return False
            played = self._history[self._rounds]
            if [set(table.bots) for table in played.round.tables] != [set(place.tied) for place in open_places]:
                self.fits = False
                return False
            self._rounds = number
            for place, sums in zip(open_places, _sums(played), strict=True):
                self._cut(place, sums)
        for place in places:
            place.ahead += sorted(place.tied, key=self._seed.__getitem__)[: place.going_on - len(place.ahead)]
            place.tied = []
        return True

    def _settle_if_room(self, place: BracketTable) -> None:
        """Let all remaining bots advance, if there is room for them."""
        if len(place.ahead) + len(place.tied) <= place.going_on:
            place.ahead += sorted(place.tied, key=self._seed.__getitem__)
            place.tied = []

    def _cut(self, place: BracketTable, sums: dict[int, Points]) -> None:
        """Bots above the cut advance; those at it, if too many, are tied; all others are out."""
        room = place.going_on - len(place.ahead)
        ranked = sorted(place.tied, key=lambda bot: (-sums[bot], self._seed[bot]))
        at_cut = sums[ranked[room - 1]]
        place.ahead += [bot for bot in ranked if sums[bot] > at_cut]
        place.tied = [bot for bot in ranked if sums[bot] == at_cut]
        self._settle_if_room(place)

    def _ask(self, places: list[BracketTable], waiting: list[int]) -> None:
        number = self._rounds + 1
        draws = Draws(self._context.seed, f"knockout/order/{number}")
        self.next_round = Round(
            number=number,
            tables=tuple(Table(tuple(draws.shuffled(place.tied))) for place in places),
            byes=tuple(sorted(waiting)),
            deals=self._context.deals,
        )

    def _next_slots(self, places: list[BracketTable], advance: int) -> Slots:
        """The winners in the order of their tables, then those who came second and so on, each group shifted by half
        of the tables."""
        turn = len(places) // advance
        slots = Slots()
        for row in range(advance):
            line: Slots = [None] * len(places)
            for index, place in enumerate(places):
                bot = place.ahead[row] if row < len(place.ahead) else None
                line[(index + row * turn) % len(places)] = bot
            slots += line
        return slots


def _state_as_played(format_: Knockout, context: FormatContext, history: History) -> KnockoutState:
    """The state by the rounds alone, whatever bracket they belong to.

    A bot is out if as many as advance came further from its last table: they played on later, or had more points there.
    A table of bots that were beaten before is one for third place, from which nobody advances.
    """
    last = dict.fromkeys(range(len(context.entries)), 0)
    final: dict[int, dict[int, Points]] = {}
    """By bot, the game points at its last table."""
    third = None
    for number, played in enumerate(history, 1):
        last.update(dict.fromkeys(played.round.byes, number))
        for sums in _sums(played):
            if format_.third_place and all(max((final.get(bot) or sums).values()) > _own(final, bot) for bot in sums):
                best = [bot for bot in sums if sums[bot] == max(sums.values())]
                third = best[0] if len(best) == 1 else None
                continue
            for bot in sums:
                last[bot], final[bot] = number, sums
    eliminated = {}
    still = [bot for bot in last if context.entries[bot].plays(len(history) + 1)]
    for bot, number in last.items():
        sums = final.get(bot, {})
        further = sum((last[other], sums[other]) > (number, sums[bot]) for other in sums)
        one_left = len(sums) > 0 and all(other in sums or last[other] < number for other in still)
        if bot not in still or further >= (1 if one_left else format_.advance):
            eliminated[bot] = number
    left = [bot for bot in last if bot not in eliminated]
    return KnockoutState(eliminated=eliminated, champion=left[0] if len(left) == 1 else None, third=third)


def _own(final: dict[int, dict[int, Points]], bot: int) -> Points:
    """The game points of a bot at its last table; more than any without one."""
    return final[bot][bot] if bot in final else Points(10**9)


def serpentine(slots: range, sizes: list[int]) -> list[tuple[int, ...]]:
    """The slots by table: back and forth over all tables that have room."""
    tables: list[list[int]] = [[] for _ in sizes]
    row = 0
    remaining = iter(slots)
    while any(len(table) < size for table, size in zip(tables, sizes, strict=True)):
        for index in range(len(sizes)) if row % 2 == 0 else reversed(range(len(sizes))):
            if len(tables[index]) < sizes[index]:
                tables[index].append(next(remaining))
        row += 1
    return [tuple(table) for table in tables]


def _sums(played: PlayedRound) -> Iterator[dict[int, Points]]:
    for result in played.results:
        yield dict(zip(result.table.bots, game_point_sums(result), strict=True))
