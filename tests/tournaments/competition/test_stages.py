"""Rounds of a knockout have the names that people call them by."""

import pytest

from tests.tournaments.competition.simulated import Play, Simulation, by_strength, regulations
from tournaments.competition.progress import Progress
from tournaments.competition.stages import round_names, stages


def named(bots: int, play: Play = by_strength, seats: int = 2, **settings: object) -> dict[int, str]:
    """The names of all rounds of a knockout."""
    played = Simulation(regulations("knockout", bots, seats=seats, **settings), play).rounds()
    return round_names(stages(played.progress), seats)


@pytest.mark.parametrize(
    ("bots", "seats", "settings", "names"),
    [
        (2, 2, {}, ["final"]),
        (13, 2, {"third_place": True}, ["round of 16", "quarter-finals", "semi-finals", "final"]),
        (17, 2, {}, ["round of 32", "round of 16", "quarter-finals", "semi-finals", "final"]),
        (8, 4, {"advance": 2}, ["semi-finals", "final"]),
        (13, 3, {}, ["stage 1", "stage 2", "final"]),
    ],
)
def test_stages_are_named_from_the_final_backwards(
    bots: int, seats: int, settings: dict[str, object], names: list[str]
) -> None:
    assert list(named(bots, seats=seats, **settings).values()) == names


def test_play_offs_are_counted() -> None:
    names = named(4, lambda planned: [0] * len(planned.bots))
    assert names[1] == "semi-finals"
    assert names[3] == "semi-finals, play-off 2 of 5"
    assert names[6] == "semi-finals, play-off 5 of 5"
    assert names[7] == "final"


def test_the_round_that_is_played_next_has_its_name() -> None:
    progress = Progress(regulations("knockout", 4), "seed")
    assert round_names(stages(progress), 2) == {1: "semi-finals"}


def test_other_formats_have_no_stages() -> None:
    assert stages(Progress(regulations("swiss", 4, rounds=2), "seed")) == []
