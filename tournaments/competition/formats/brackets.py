"""Brackets: stages of tables from which some advance, with play-offs of those that are tied.

What knockout and double elimination share. A `BracketPlay` plays a bracket to the end of the history.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar, Final

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import (
    Additions,
    Bracket,
    BracketTable,
    Format,
    FormatContext,
    FormatError,
    Order,
    PlacesBy,
    TooFewBots,
)
from tournaments.competition.points import game_point_sums
from tournaments.competition.rounds import Entry, History, Points, PointSystem, Round, Table

PLAY_OFFS: Final = 5
"""Maximum number of play-off rounds before the better seed advances."""
LONG_NAMES: Final = {
    "groups": "tournament with groups",
    "swiss_final": "Swiss with a final",
    "ladder_final": "ladder with a final",
}

Slots = list[int | None]
"""The bots of a stage, the best slot first; None where all bots that could have come here have withdrawn."""


class BracketPlay:
    """A bracket, played to the end of the history. Subclasses have the stages.

    Raises FormatError if the tables of the history are not those of the bracket, as in a forged folder.
    """

    def __init__(self, format_: "BracketFormat", context: FormatContext, history: History) -> None:
        self.context = context
        self.format = format_
        self._history = history
        order = seeding(format_.seeds, context)
        self._seed = {bot: seed for seed, bot in enumerate(order)}
        self.rounds = 0
        """Rounds of the history that have been used."""
        self.eliminated: dict[int, int] = {}
        """By bot, the last round of the stage in which it was eliminated, or the last one before it was absent."""
        self.champion: int | None = None
        """None too if all that could have won have withdrawn."""
        self.left_before_table: set[int] = set()
        """The bots that had reached a further stage when they withdrew."""
        self.walkover: int | None = 0
        """The rounds after which the last stage was decided because bots had withdrawn, and not by a table."""
        self.third: int | None = None
        """The winner of the table for third place."""
        self.brackets: list[Bracket] = []
        """As far as they have begun."""
        self.next_round: Round | None = None
        self.next_name: str | None = None
        self.play(list(order))
        if self.rounds < len(history):
            raise FormatError(f"round {self.rounds + 1} was played after the end of the bracket")

    @abstractmethod
    def play(self, slots: Slots) -> None:
        """Play the stages of the bracket, from bots in the order of their seeds, as far as they have been played."""

    def plays(self, bot: int) -> bool:
        """Whether a bot takes part in the next round; if not, it is out."""
        if self.context.entries[bot].plays(self.rounds + 1):
            return True
        self.eliminated.setdefault(bot, self.rounds)
        return False

    def table(self, slots: Iterable[int | None], going_on: int) -> BracketTable:
        """A table of the next stage, of the bots in these slots that still take part."""
        due = [bot for bot in slots if bot is not None]
        self.left_before_table.update(bot for bot in due if bot not in self.eliminated and not self.plays(bot))
        bots = [bot for bot in due if self.plays(bot)]
        return BracketTable(bots=bots, going_on=going_on, ahead=[], tied=list(bots))

    def stage(self, tables: list[BracketTable], waiting: list[int], name: str, rounds: list[int]) -> bool:
        """Play the tables of a stage with their play-offs. False if a round of it is still to be played.

        The numbers of its rounds are added to `rounds`; `waiting` are those that go on without a table.
        """
        self.walkover = None
        for attempt in range(1 + PLAY_OFFS):
            for table in tables:
                undecided = table.tied or not attempt
                table.tied = [bot for bot in table.tied if self.plays(bot)]
                self._settle_if_room(table)
                if table is tables[0] and undecided and not table.tied:
                    self.walkover = self.rounds
            open_tables = [table for table in tables if table.tied]
            if not open_tables:
                return True
            number = self.rounds + 1
            rounds.append(number)
            if number > len(self._history):
                self._ask(open_tables, waiting if attempt == 0 else [])
                self.next_name = f"{name}, play-off {attempt} of {PLAY_OFFS}" if attempt else name
                return False
            played = self._history[self.rounds]
            if [set(table.bots) for table in played.round.tables] != [set(table.tied) for table in open_tables]:
                raise FormatError(f"the tables of round {number} are not those of the bracket")
            self.rounds = number
            for table, result in zip(open_tables, played.results, strict=True):
                self._cut(table, dict(zip(result.table.bots, game_point_sums(result), strict=True)))
        for table in tables:
            if table.tied:
                table.by_seed = sorted(table.tied, key=self._seed.__getitem__)[: table.going_on - len(table.ahead)]
                table.ahead += table.by_seed
                table.tied = []
        return True

    def out(self, tables: Sequence[BracketTable]) -> None:
        for table in tables:
            for bot in table.bots:
                if bot not in table.ahead:
                    self.eliminated.setdefault(bot, self.rounds)

    def _settle_if_room(self, table: BracketTable) -> None:
        """Let all remaining bots advance, if there is room for them."""
        if len(table.ahead) + len(table.tied) <= table.going_on:
            table.ahead += sorted(table.tied, key=self._seed.__getitem__)
            table.tied = []

    def _cut(self, table: BracketTable, sums: dict[int, Points]) -> None:
        """Bots above the cut advance; those at it, if too many, are tied; all others are out."""
        room = table.going_on - len(table.ahead)
        ranked = sorted(table.tied, key=lambda bot: (-sums[bot], self._seed[bot]))
        at_cut = sums[ranked[room - 1]]
        table.ahead += [bot for bot in ranked if sums[bot] > at_cut]
        table.tied = [bot for bot in ranked if sums[bot] == at_cut]
        self._settle_if_room(table)

    def _ask(self, tables: list[BracketTable], waiting: list[int]) -> None:
        number = self.rounds + 1
        draws = Draws(self.context.seed, f"{self.format.name}/order/{number}")
        self.next_round = Round(
            number=number,
            tables=tuple(Table(tuple(draws.shuffled(table.tied))) for table in tables),
            byes=tuple(sorted(waiting)),
            deals=self.context.deals,
        )


class BracketFormat(Format, frozen=True, forbid_unknown_fields=True):
    """A format whose rounds are those of one bracket, fixed by the seeds.

    Ties. Bots with equal game points at the cut play again, with new deals, at most PLAY_OFFS rounds; then the better
    seed advances. Bots that withdraw are out; a bot without an opponent left advances without a table.
    """

    per_table: ClassVar[bool] = False
    places_by: ClassVar[PlacesBy] = "bracket"

    seeds: tuple[str, ...] | None = None
    """The names of all bots, the best first; the order of the file by default."""

    @abstractmethod
    def state(self, context: FormatContext, history: History) -> BracketPlay:
        """The bracket, played to the end of the history."""

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        state = self.state(context, history)
        if state.next_round is None and state.walkover == len(history):
            champion = None if state.champion is None else context.entries[state.champion].name
            left = "nobody is left in the bracket" if champion is None else f"only {champion} is left in the bracket"
            raise TooFewBots(context, len(history) + 1, left)
        return state.next_round

    def ended_early(self, context: FormatContext, history: History) -> str | None:
        state = self.state(context, history)
        if state.next_round is not None or state.walkover is None:
            return None
        if state.champion is None:
            return "nobody won: all that were left in the bracket had withdrawn"
        return f"{context.entries[state.champion].name} won without a final: nobody else was left in the bracket"

    def round_name(self, context: FormatContext, before: History) -> str | None:
        return self.state(context, before).next_name

    def brackets(self, context: FormatContext, history: History) -> list[Bracket]:
        return self.state(context, history).brackets

    def settled_rounds(self, context: FormatContext, begun: int) -> int:
        """See Format. A bracket stays as it was played."""
        return max(0, begun - 1)

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        return f"a bot that is absent in a {self.name.replace('_', ' ')} is out: withdraw it"

    def refuses_return(self, context: FormatContext, entry: Entry, number: int) -> str | None:
        return out_of_bracket(entry, number)

    def default_points(self, seats: int) -> PointSystem:
        return "table" if seats == 2 else "game"

    def order(self, context: FormatContext, history: History) -> Order:
        """The champion, those still in, then those that went out, the last ones first; of those, the ones first that
        had reached a further stage and withdrew before it, and of those that lost the semi-finals, the winner of the
        table for third place."""
        state = self.state(context, history)

        def place(bot: int) -> Hashable:
            if bot == state.champion:
                return (0, 0, 0)
            if bot not in state.eliminated:
                return (1, 0, 0)
            lost = bot not in state.left_before_table
            return (2, -state.eliminated[bot], lost and 1 + int(state.third is not None and bot != state.third))

        return place

    def additions(self, context: FormatContext, history: History) -> Additions:
        return Additions(eliminated=self.state(context, history).eliminated)


def seeding(seeds: tuple[str, ...] | None, context: FormatContext) -> list[int]:
    """All bots by their names in `seeds`, the best first; None: in the order of the entries."""
    return [context.index(name, "seeds") for name in seeds or [entry.name for entry in context.entries]]


def check_seeds(seeds: tuple[str, ...] | None, context: FormatContext, format_: str) -> None:
    """Raises FormatError if the seeds are not all bots once, or a bot joins late."""
    if seeds is not None:
        for name in seeds:
            context.index(name, "seeds")
        missing = [entry.name for entry in context.entries if entry.name not in seeds]
        if missing or len(seeds) > len(context.entries):
            raise FormatError(
                "seeds: name every bot once" + (f'; "{missing[0]}" is missing' if missing else ""), setting="seeds"
            )
    for entry in context.entries:
        if entry.joined > 1:
            name = LONG_NAMES.get(format_, format_.replace("_", " "))
            raise FormatError(
                f'"{entry.name}" can\'t join: a {name} takes no late entries, as all begin it together;'
                " once it is over, `extend` plays a bot against all others"
            )


def out_of_bracket(entry: Entry, number: int) -> str | None:
    """Why a bot that was withdrawn can't come back in this round of a bracket; None if it has missed none."""
    missed = entry.withdrawn is not None and entry.withdrawn < number
    return f"it is out of the bracket since round {entry.withdrawn}, which has been played" if missed else None
