"""Results for tests of points, tie-breaks and ratings, in few words."""

from collections.abc import Iterable, Sequence

from tournaments.competition.rounds import Deal, GameResult, PlayedRound, Round, Table, TableResult


def game(
    ranks: Sequence[int],
    *,
    deal: int = 1,
    rotation: int = 0,
    scores: Sequence[int] | None = None,
    forfeits: Sequence[int] = (),
    faults: Sequence[int] = (),
) -> GameResult:
    """A game by position at the table; `forfeits` and `faults` are positions."""
    places = range(len(ranks))
    return GameResult(
        deal=Deal(deal),
        rotation=rotation,
        ranks=tuple(ranks),
        scores=tuple(scores or (0 for _ in places)),
        forfeits=tuple(place in forfeits for place in places),
        faults=tuple(place in faults for place in places),
    )


def table(bots: Iterable[int], *games: GameResult) -> TableResult:
    """A table of these bots with its games."""
    return TableResult(table=Table(tuple(bots)), games=games)


def played(tables: Sequence[TableResult], byes: Sequence[int] = (), number: int = 1) -> PlayedRound:
    """A round with these results."""
    return PlayedRound(
        round=Round(number=number, tables=tuple(result.table for result in tables), byes=tuple(byes), deals=1),
        results=tuple(tables),
    )
