"""King of the hill, a format that the referee does not know: the tests add it to the registry.

The bots stand in a line in the order of the file. In each round the first ones meet at one table; who wins it is king
and stays, also on a tie; the others go to the end of the line.
"""

from typing import ClassVar

from tournaments.competition.formats.interface import (
    MAX_SCHEDULE_ROUNDS,
    Additions,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    Order,
    check_count,
)
from tournaments.competition.points import points_at_table, totals
from tournaments.competition.rounds import History, Round, Table


class KingOfTheHill(Format, frozen=True, forbid_unknown_fields=True):
    """One table per round. The king is first in the standings, whatever the points are."""

    name: ClassVar[str] = "king_of_the_hill"

    rounds: int = 10

    def check(self, context: FormatContext) -> None:
        check_count("rounds", self.rounds, MAX_SCHEDULE_ROUNDS)
        if len(context.entries) <= context.seats:
            raise FormatError(f"a king of the hill needs more bots than the {context.seats} at the table")

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        """See Format. It also ends when too few bots are left for a table."""
        number = len(history) + 1
        line = self._line(context, history)[: context.seats]
        if number > self.rounds or len(line) < context.seats:
            return None
        return Round(number=number, tables=(Table(tuple(line)),), deals=self.deals(context))

    def rule(self, context: FormatContext) -> str:
        return "the king meets the next ones in the line"

    def plan(self, context: FormatContext) -> FormatPlan:
        games = self.rounds * self.deals(context) * context.seats
        rule = self.rule(context)
        return FormatPlan(rule=rule, rounds=self.rounds, tables=self.rounds, games=games, upper_bound=False)

    def order(self, context: FormatContext, history: History) -> Order:
        """The king, then by points."""
        king = self._king(context, history)
        points = totals(context.entries, history, context.points, self.bye)
        return lambda bot: (bot != king, -points[bot])

    def additions(self, context: FormatContext, history: History) -> Additions:
        """Who is king."""
        king = self._king(context, history)
        return Additions(added={"king": None if king is None else context.entries[king].name})

    def _king(self, context: FormatContext, history: History) -> int | None:
        return next(iter(self._line(context, history)), None)

    def _line(self, context: FormatContext, history: History) -> list[int]:
        """Who takes part in the next round, the king first. Late entries stand at the end, and stay behind the king."""
        line = list(range(len(context.entries)))
        for played in history:
            (result,) = played.results
            bots = result.table.bots
            worth = dict(zip(bots, points_at_table(result, context.points), strict=True))
            king = max(bots, key=worth.__getitem__)
            line = [king, *(bot for bot in line if bot not in bots), *(bot for bot in bots if bot != king)]
        playing = set(context.playing(len(history) + 1))
        return [bot for bot in line if bot in playing]
