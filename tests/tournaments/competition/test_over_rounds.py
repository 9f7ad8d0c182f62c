"""Places and ratings after each round are those that standings had then."""

import pytest
from msgspec import structs

from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tests.tournaments.samples import each_format
from tournaments.competition.over_rounds import MIN_POINTS, over_rounds
from tournaments.competition.regulations import Regulations
from tournaments.competition.results import tournament_standings


@pytest.mark.parametrize("of", each_format(), ids=lambda of: of.format)
def test_each_round_is_as_its_standings_were(of: Regulations) -> None:
    played, then = Simulation(of, by_chance("rounds")), []
    while played.round():
        rows = {row.name: row for row in tournament_standings(played.progress, False).standings}
        then.append([rows[entry.name] for entry in played.progress.entries])
    found = over_rounds(played.progress)
    assert [after.places for after in found] == [tuple(row.place for row in rows) for rows in then]
    assert [after.ratings for after in found] == [
        tuple(None if row.rating is None else row.rating.elo for row in rows) for rows in then
    ]
    assert over_rounds(played.progress, tournament_standings(played.progress, False)) == found
    assert found[-1].games == sum(len(over.planned) for over in played.progress.rounds)


@pytest.mark.slow
def test_of_many_bots_some_rounds_are_taken_with_the_last() -> None:
    of = structs.replace(regulations("round_robin", 80, rounds=12))
    found = over_rounds(Simulation(of).rounds().progress)
    assert len(found) == MIN_POINTS
    assert found[-1].round == 12


def test_nothing_is_played_yet() -> None:
    assert over_rounds(Simulation(regulations("swiss", 4, rounds=2)).progress) == []
