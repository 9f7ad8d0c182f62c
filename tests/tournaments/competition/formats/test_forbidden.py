"""`forbidden`: bots that never sit at one table, in every round of the formats that can keep them apart."""

from itertools import combinations
from typing import Any

import pytest
from msgspec import structs

from tests.tournaments.competition.simulated import Simulation, by_strength, regulations
from tournaments.competition.changes import Joined, PairedByHand
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.regulations import Entrant
from tournaments.competition.ruling_checks import RulingError, check_ruling

FORBIDDEN = (("b0", "b1"), ("b2", "b0"))


def cup(format_: str, bots: int, seats: int = 2, forbidden: Any = FORBIDDEN, **settings: Any) -> Simulation:
    of = regulations(format_, bots, seats=seats, **settings)
    return Simulation(structs.replace(of, forbidden=forbidden), by_strength)


@pytest.mark.usefixtures("short_search")
@pytest.mark.parametrize(
    ("format_", "bots", "seats", "settings"),
    [
        ("swiss", 8, 2, {"rounds": 5}),
        ("swiss", 5, 2, {"rounds": 3}),
        ("swiss", 9, 3, {"rounds": 4}),
        ("swiss", 10, 4, {"rounds": 4}),
        ("ladder", 8, 2, {"budget": 80}),
        ("ladder", 9, 3, {"budget": 90}),
        ("gauntlet", 7, 3, {"rounds": 4, "challengers": ["b6"]}),
        ("round_robin", 7, 3, {"rounds": 3}),
        ("round_robin", 9, 3, {"rounds": 4}),
        ("round_robin", 10, 4, {"rounds": 5}),
    ],
)
def test_they_never_meet(format_: str, bots: int, seats: int, settings: dict[str, Any]) -> None:
    """The strongest bots, which the formats would seat together."""
    played = cup(format_, bots, seats, **settings).rounds().progress
    assert len(played.rounds) >= 3
    met = {
        frozenset(pair) for over in played.rounds for table in over.round.tables for pair in combinations(table.bots, 2)
    }
    assert met.isdisjoint({frozenset((0, 1)), frozenset((0, 2))})
    free = cup(format_, bots, seats, (), **settings).rounds().progress
    assert {frozenset((0, 1)), frozenset((0, 2))} & {
        frozenset(pair) for over in free.rounds for table in over.round.tables for pair in combinations(table.bots, 2)
    }


def test_the_other_meetings_of_a_design_stay_even_and_late_entries_keep_apart_too() -> None:
    played = cup("round_robin", 9, 3, rounds=6)
    meetings = played.progress.regulations.format_settings.plan(played.progress.format_context()).meetings
    assert meetings is not None
    allowed = [count for pair, count in meetings.items() if pair not in ((0, 1), (0, 2))]
    assert max(allowed) - min(allowed) <= 1
    played.round()
    played.progress.apply(Joined(round=2, at="", bot=Entrant(name="late"), source={}))
    of = played.rounds().progress
    late = [table.bots for over in of.rounds for table in over.round.tables if 9 in table.bots]
    assert len(late) == 6
    assert not [bots for bots in late if {0, 1} <= set(bots) or {0, 2} <= set(bots)]


def test_a_round_in_which_they_would_have_to_meet_is_not_paired() -> None:
    everybody = tuple(combinations(("b0", "b1", "b2", "b3"), 2))
    with pytest.raises(FormatError, match="no tables were found for round 1 that keep"):
        cup("swiss", 4, forbidden=everybody).rounds()


def test_no_round_is_paired_by_hand_in_which_they_meet() -> None:
    of = cup("swiss", 4)
    tables = (("b0", "b1"), ("b2", "b3"))
    ruling = PairedByHand(round=1, at="", number=1, tables=tables, byes=(), reason="because")
    with pytest.raises(RulingError, match="may not meet"):
        check_ruling(of.progress, ruling, finished=False)


@pytest.mark.parametrize(
    ("format_", "settings"),
    [
        ("round_robin", {}),
        ("knockout", {}),
        ("double_elimination", {}),
        ("sprt", {"candidate": "b0", "baseline": "b1"}),
        ("gauntlet", {"challengers": ["b0"]}),
    ],
)
def test_formats_that_must_play_a_meeting_refuse(format_: str, settings: dict[str, Any]) -> None:
    of = cup(format_, 3, **settings).progress
    with pytest.raises(FormatError, match="forbidden: ") as raised:
        of.regulations.format_settings.check_forbidden(of.format_context())
    assert raised.value.setting == "forbidden"
