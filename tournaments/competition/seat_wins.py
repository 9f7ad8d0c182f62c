"""How often one seat won all rotations of a deal: a sign that the opening decides the game."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct


class SeatWins(Struct, frozen=True, kw_only=True):
    """How many deals were won by one seat, whoever sat there: the opening may have decided them."""

    deals: int
    """Those that were played in every rotation, at each table."""
    one_seat: int


def count_seat_wins(games: Iterable[tuple[Hashable, Sequence[int]]]) -> SeatWins:
    """Of games with their deals, each at its table, and their ranks by seat."""
    winners: dict[tuple[Hashable, int], list[int | None]] = defaultdict(list)
    for deal, ranks in games:
        winners[deal, len(ranks)].append(ranks.index(1) if ranks.count(1) == 1 else None)
    complete = [won for (_, seats), won in winners.items() if len(won) == seats]
    return SeatWins(deals=len(complete), one_seat=sum(won[0] is not None and len(set(won)) == 1 for won in complete))
