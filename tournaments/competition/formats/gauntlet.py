"""Gauntlet: challengers against a field, to see how each does against all of it."""

from itertools import combinations
from math import lcm
from typing import ClassVar, Final

from msgspec import structs

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import (
    MAX_SCHEDULE_ROUNDS,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    TooFewBots,
    check_count,
    check_tables,
    kept_apart,
)
from tournaments.competition.rounds import DealsOf, History, Round, Table

ORDERS: Final = 200
"""Random orders of the field that are tried to keep bots of one owner apart."""


class Gauntlet(Format, frozen=True, forbid_unknown_fields=True):
    """In each round every challenger meets all of the field equally often: with two seats once.

    With more seats each table has one challenger and k - 1 of the field, as few tables as that allows; all challengers
    meet the same groups. A bot may sit at several tables of a round. The field is everyone else; challengers don't
    meet.
    """

    name: ClassVar[str] = "gauntlet"
    adaptive: ClassVar[bool] = False
    deals_of: ClassVar[tuple[DealsOf, ...]] = ("round", "table")

    challengers: tuple[str, ...]
    rounds: int = 1

    def check(self, context: FormatContext) -> None:
        if not self.challengers:
            raise FormatError("challengers: name at least one bot", setting="challengers")
        if len(set(self.challengers)) < len(self.challengers):
            raise FormatError("challengers: each bot can be named once", setting="challengers")
        for name in self.challengers:
            context.index(name, "challengers")
        check_count("rounds", self.rounds, MAX_SCHEDULE_ROUNDS)
        field, needed = len(context.entries) - len(self.challengers), context.seats - 1
        if field < needed:
            raise FormatError(
                f"a gauntlet with {context.seats} seats needs a field of at least {needed}; "
                f"there are {field} bots besides the challengers",
                setting="challengers",
            )
        check_tables("rounds", self.rounds * len(self.challengers) * (lcm(field, needed) // needed))

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        number = len(history) + 1
        present = context.playing(number)
        named = {context.index(name, "challengers") for name in self.challengers}
        challengers = [bot for bot in present if bot in named]
        field = [bot for bot in present if bot not in named]
        if number > self.rounds:
            return None
        beside = context.seats - 1
        if not challengers or len(field) < beside:
            needed = f"a challenger and {beside} of the field"
            raise TooFewBots(context, number, f"a table needs {needed}; left: {len(challengers)} and {len(field)}")
        draws = Draws(context.seed, f"gauntlet/{number}")
        owners = [entry.owner for entry in context.entries]
        # The order, repeated until its length is a multiple of the size of a group, so that all sit equally often.
        times = lcm(len(field), beside) // len(field)

        def groups() -> list[list[int]]:
            line = draws.shuffled(field) * times
            return [line[begin : begin + beside] for begin in range(0, len(line), beside)]

        def cost(groups: list[list[int]]) -> tuple[int, int]:
            pairs = [pair for group in groups for pair in combinations(group, 2)]
            of_one_owner = sum(owners[a] is not None and owners[a] == owners[b] for a, b in pairs)
            return sum(pair in context.forbidden for pair in pairs), of_one_owner

        best = groups()
        for _ in range(ORDERS):
            if cost(best) == (0, 0):
                break
            best = min(best, groups(), key=cost)
        tables = []
        for group in best:
            # One order for all challengers, so that they sit in the same seats at the same deals.
            order = draws.shuffled([None, *group])
            tables += [Table(tuple(challenger if bot is None else bot for bot in order)) for challenger in challengers]
        return kept_apart(context, Round(number=number, tables=tuple(tables), deals=context.deals))

    def check_forbidden(self, context: FormatContext) -> None:
        """See Format. Challengers meet all of the field, so only pairs of one side can be kept apart."""
        challengers = {context.index(name, "challengers") for name in self.challengers}
        for a, b in sorted(context.forbidden):
            if a in challengers and b not in challengers:
                names = f"{context.entries[a].name} and {context.entries[b].name}"
                raise FormatError(
                    f"forbidden: {names} meet, as a challenger meets all of the field", setting="forbidden"
                )

    def plan(self, context: FormatContext) -> FormatPlan:
        """See Format. Also where too few bots are left for its rounds."""
        return structs.replace(super().plan(context), rounds=self.rounds)

    def rule(self, context: FormatContext) -> str:
        return "in each round every challenger meets all of the field equally often; challengers don't meet"
