"""Formats that look at results between batches stay quick over a whole run: none reads all rounds anew each time."""

from time import process_time

import pytest

from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tournaments.competition.ratings import widest_half_width
from tournaments.competition.regulations import Regulations

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("of", "seconds"),
    [
        (regulations("sprt", 2, candidate="b0", baseline="b1", batch=8, elo0=-0.2, elo1=0.2, max_games=10_000), 10),
        pytest.param(regulations("ladder", 8, budget=800), 15, marks=pytest.mark.check_all),
    ],
    ids=["sprt", "ladder"],
)
def test_hundreds_of_batches_cost_seconds(of: Regulations, seconds: float) -> None:
    """0.3 s for 625 batches, and 0.4 s for 100, on an idle machine."""
    begin = process_time()
    simulation = Simulation(of, by_chance(1)).rounds()
    assert len(simulation.progress.rounds) in (625, 100)
    assert process_time() - begin < seconds


def test_a_ladder_ends_when_the_ratings_are_known_as_well_as_asked() -> None:
    of = regulations("ladder", 4, until=150.0)
    simulation = Simulation(of, by_chance(2))
    history = simulation.rounds(1000).progress.history
    widest = widest_half_width(history, range(4))
    assert widest is not None
    assert widest <= 150
    assert len(history) > 7
    before = widest_half_width(history[:-1], range(4))
    assert before is None or before > 150


def test_who_has_won_everything_is_not_waited_for() -> None:
    of = regulations("ladder", 2, until=20.0)
    simulation = Simulation(of)
    assert len(simulation.rounds(100).progress.history) == 7
