"""Where a tournament stands is said in the same words everywhere."""

import pytest

from referee.reports.broadcast import standings_shown
from referee.reports.state import (
    format_final_stage,
    format_heading,
    format_stage,
    format_status,
    round_names,
    stage_of,
)
from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.quick_standings import QuickStandings
from tournaments.competition.results import RoundInProgress, planned_rounds, tournament_standings
from tournaments.event.status import Status

NOW = RoundInProgress(round=3, games=1, of=4)
STATUS = Status(
    round=3, rounds=7, games=9, of=28, games_per_second=None, ends=None, state="interrupted", in_progress=NOW
)


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (format_stage(0, 7, None, None), "before the first round"),
        (format_stage(2, 7, None, None), "after round 2 of 7"),
        (format_stage(2, None, None, None), "after round 2"),
        (format_stage(8, 7, None, None), "after round 8 of 8"),
        (format_stage(3, 7, None, NOW), "in round 3 of 7 after 1 of its 4 games"),
        (format_stage(3, 7, "final", NOW), "in final (round 3) after 1 of its 4 games"),
        (format_final_stage(3), "after 3 rounds"),
        (format_final_stage(3, 1), "after 3 rounds, 1 of them a play-off"),
    ],
)
def test_a_stage_in_words(stage: str, words: str) -> None:
    assert stage == words


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "interrupted: in round 3 of 7 after 1 of its 4 games, 9 of 28 in all"),
        (
            {"state": "running", "games_per_second": 1.5, "ends": "2026-11-28T17:00:00Z"},
            "running: in round 3 of 7 after 1 of its 4 games, 9 of 28 in all, 1.5 games/s, ends 2026-11-28T17:00:00Z",
        ),
        (
            {"ends": "b", "ends_without_play_offs": "a", "ends_by_clocks": "c", "of": None},
            "interrupted: in round 3 of 7 after 1 of its 4 games, 9 games, ends a without play-offs, b with all of them"
            " (c if all bots use up their clocks)",
        ),
        ({"state": "finished", "in_progress": None}, "finished: after 3 rounds, 9 of 28 games"),
        (
            {"round": 0, "in_progress": None, "starts": "2999-01-02T17:00:00Z"},
            "interrupted: before the first round, which begins 2999-01-02T17:00:00Z",
        ),
    ],
)
def test_a_status_is_a_line(changes: dict[str, object], line: str) -> None:
    fields = {name: getattr(STATUS, name) for name in STATUS.__struct_fields__} | changes
    assert format_status(Status(**fields)) == line


def test_standings_in_the_course_of_a_round_say_so() -> None:
    simulation = Simulation(regulations("knockout", 4), lambda planned: [0, 0]).rounds(2)
    simulation.begin()
    simulation.add(1)
    progress = simulation.progress
    stage = stage_of(tournament_standings(progress, False), round_names(progress))
    assert stage == "in semi-final, play-off 2 of 5 (round 3) after 1 of its 4 games"
    swiss = Simulation(regulations("swiss", 4, rounds=2)).rounds(1).progress
    note = standings_shown(swiss, QuickStandings().rows(swiss), planned_rounds(swiss, False)).note
    assert note.endswith("Swiss of 4 bots, tables of 2: after round 1 of 2")
    assert standings_shown(progress, QuickStandings().rows(progress), None).note.endswith(f": {stage}")


def test_the_heading_of_standings_has_the_tournament_and_its_stage() -> None:
    simulation = Simulation(regulations("round_robin", 4)).rounds()
    standings = tournament_standings(simulation.progress, True)
    assert format_heading(standings, {}) == (
        "Cup: In the Year of the Dragon, round robin of 4 bots, tables of 2."
        " Final standings after 3 rounds, 12 games of 6 deals"
    )
