"""How often one seat won all rotations of a deal, in matches and in tournaments."""

from referee.reports.formatting import format_seat_wins
from tournaments.competition.points import SeatWins, count_seat_wins


def test_deals_that_one_seat_won_in_all_rotations_are_counted_and_unfinished_ones_are_not() -> None:
    found = count_seat_wins(
        [
            ("won by seat 0", [1, 2]),
            ("won by seat 0", [1, 2]),
            ("won by a bot", [1, 2]),
            ("won by a bot", [2, 1]),
            ("drawn", [1, 1]),
            ("drawn", [1, 1]),
            ("one rotation", [1, 2]),
            ("of three", [2, 1, 3]),
            ("of three", [3, 1, 2]),
            ("of three", [2, 1, 2]),
        ]
    )
    assert found == SeatWins(deals=4, one_seat=2)
    assert format_seat_wins(found) == (
        "50.0 % of deals were won by the same seat in all rotations; their openings may have decided them"
    )
    assert format_seat_wins(SeatWins(deals=3, one_seat=0)) == (
        "0.0 % of deals were won by the same seat in all rotations"
    )
