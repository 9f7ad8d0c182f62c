"""How tournaments end: by themselves only after their last round. Where withdrawals or byes on request leave no table
before that, no format ends: a bot can be reinstated, or the organiser ends it, and the standings say why.
"""

from typing import Any

import pytest

from tests.tournaments.competition.simulated import Play, Simulation, by_strength, regulations
from tests.tournaments.competition.test_rulings import AT, give, rebuilt, undo
from tournaments.competition.changes import ByeGranted, Disqualified, Ended, Reinstated, Undone, Withdrawn
from tournaments.competition.formats.interface import TooFewBots
from tournaments.competition.progress import failing
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.ruling_checks import RulingError

pytestmark = pytest.mark.usefixtures("short_search")

SPRT = {"candidate": "b0", "baseline": "b1", "max_games": 64}
FORMATS: list[tuple[str, int, dict[str, Any]]] = [
    ("round_robin", 6, {}), ("round_robin", 6, {"seats": 3, "rounds": 5}), ("swiss", 6, {}),
    ("swiss", 9, {"seats": 4, "rounds": 5}), ("gauntlet", 6, {"challengers": ("b0",), "rounds": 3}),
    ("ladder", 6, {"budget": 60}), ("ladder", 6, {"until": 1.0}), ("knockout", 6, {}),
    ("knockout", 6, {"third_place": True}), ("double_elimination", 6, {}), ("groups", 6, {"advance": 2}),
    ("sprt", 2, SPRT),
]  # fmt: skip
BETWEEN_ROUNDS = pytest.mark.parametrize(("format_", "bots", "settings"), FORMATS)


def tied(_planned: object) -> tuple[int, int]:
    return 0, 0


def after_rounds(
    rounds: int, format_: str, bots: int, settings: dict[str, Any], play: Play = by_strength
) -> Simulation:
    return Simulation(regulations(format_, bots, **settings), play).rounds(rounds)


def withdraw(of: Simulation, *bots: int) -> None:
    for bot in bots:
        of.apply(Withdrawn(round=of.progress.next_number, at=AT, bot=f"b{bot}", reason="asked to"))


def final(of: Simulation) -> Standings:
    """The standings of a tournament that is over."""
    assert of.begin() is None
    return tournament_standings(of.progress, True)


def places(of: Standings) -> dict[str, int]:
    return {row.name: row.place for row in of.standings}


@BETWEEN_ROUNDS
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("rounds", [0, 1])
def test_no_format_ends_where_too_few_bots_are_left_for_a_table(
    format_: str, bots: int, settings: dict[str, Any], left: int, rounds: int
) -> None:
    cup = after_rounds(rounds, format_, bots, settings)
    due = rebuilt(cup).next_round()
    withdraw(cup, *range(left, bots))
    with pytest.raises(TooFewBots, match=f"withdrawn: {', '.join(f'b{bot}' for bot in range(left, bots)[:8])}"):
        cup.begin()
    assert rebuilt(cup).ended is None  # as `resume` and `verify` see it
    assert tournament_standings(rebuilt(cup), False).ended_early is None

    for bot in range(left, bots):
        give(cup, Reinstated, bot=f"b{bot}")
    assert cup.progress.next_round() == due


@BETWEEN_ROUNDS
def test_the_organiser_can_end_it_and_the_standings_say_who_and_why(
    format_: str, bots: int, settings: dict[str, Any]
) -> None:
    cup = after_rounds(1, format_, bots, settings)
    withdraw(cup, *range(1, bots))
    give(cup, Ended)
    assert rebuilt(cup).next_round() is None
    standings = final(cup)
    assert (standings.ended_early or "").startswith("the organiser ended it before round 2: because")
    assert [ruling.ruling for ruling in standings.rulings] == ["the tournament ends before round 2"]
    if standings.sprt is not None:
        assert standings.sprt.result == "undecided"


@BETWEEN_ROUNDS
def test_what_is_played_to_its_last_round_did_not_end_early(format_: str, bots: int, settings: dict[str, Any]) -> None:
    if "until" not in settings:
        assert final(after_rounds(10_000, format_, bots, settings)).ended_early is None


def test_a_round_in_progress_is_played_before_the_end_which_can_be_undone_till_then() -> None:
    cup = after_rounds(1, "swiss", 4, {})
    cup.begin()
    give(cup, Ended)
    with pytest.raises(RulingError, match="already ends before round 3"):
        give(cup, Ended)
    undo(cup)
    give(cup, Ended)
    cup.add()
    cup.progress.close()
    assert final(cup).round == 2
    with pytest.raises(RulingError, match="seed is public"):
        give(cup, Undone, finished=True, number=3)
    with pytest.raises(RulingError, match="no further round is played"):
        give(cup, Reinstated, finished=True, bot="b1")


@pytest.mark.parametrize(
    ("format_", "settings", "points"),
    [("swiss", {}, 0.5), ("round_robin", {}, 0), ("gauntlet", {"challengers": ("b0",), "rounds": 2}, 0),
     ("ladder", {"budget": 60}, 0)],
)  # fmt: skip
def test_a_round_in_which_too_many_are_absent_at_their_request_is_not_the_end(
    format_: str, settings: dict[str, Any], points: float
) -> None:
    cup = after_rounds(1, format_, 4, settings)
    due = cup.progress.next_round()
    for bot in range(3):
        give(cup, ByeGranted, bot=f"b{bot}", number=2, points=points)
    with pytest.raises(TooFewBots, match="absent at their request: b0, b1, b2"):
        cup.begin()
    for number in (1, 2, 3):
        undo(cup, number)
    assert cup.progress.next_round() == due


def test_bots_that_are_present_but_have_met_wait_for_those_that_are_absent() -> None:
    """In a schedule each of whose further rounds has a bot with a bye, none is left out."""
    cup = after_rounds(1, "round_robin", 4, {})
    (met, _) = (table.bots for table in cup.progress.rounds[0].round.tables)
    for bot in set(range(4)) - set(met):
        give(cup, ByeGranted, bot=f"b{bot}", number=2, points=0)
    with pytest.raises(TooFewBots, match="no table is left of the round"):
        cup.begin()


def test_a_schedule_whose_last_tables_are_dropped_ends_and_says_so() -> None:
    cup = after_rounds(2, "round_robin", 3, {})
    (left,) = cup.progress.rounds[1].round.tables
    withdraw(cup, *set(range(3)) - set(left.bots))
    standings = final(cup)
    assert standings.ended_early == "1 of its 3 rounds had only tables of bots that had withdrawn"


def test_a_ladder_says_that_its_ratings_are_known() -> None:
    cup = after_rounds(10_000, "ladder", 2, {"until": 400.0, "deals": 10, "budget": 10_000}, lambda game: game.bots[:2])
    assert final(cup).ended_early == "every rating is known to ± 400 Elo"


@pytest.mark.parametrize("format_", ["knockout", "double_elimination"])
def test_both_finalists_withdrawn_in_a_tied_final(format_: str) -> None:
    cup = after_rounds(1, format_, 2, {}, tied)
    withdraw(cup, 0, 1)
    with pytest.raises(TooFewBots, match="nobody is left in the bracket; withdrawn: b0, b1"):
        cup.begin()
    give(cup, Ended)
    standings = final(cup)
    assert places(standings) == {"b0": 1, "b1": 1}
    assert standings.ended_early is not None
    assert standings.ended_early.endswith("because; nobody won: all that were left in the bracket had withdrawn")


@pytest.mark.parametrize("gone", [(0,), (0, 1)])
def test_a_finalist_that_withdraws_before_the_final_is_not_ended_by_that_and_stands_above_the_semi_finalists(
    gone: tuple[int, ...],
) -> None:
    cup = after_rounds(2, "knockout", 8, {})
    withdraw(cup, *gone)
    with pytest.raises(TooFewBots, match="is left in the bracket"):
        cup.begin()
    give(cup, Ended)
    standings = final(cup)
    assert [places(standings)[name] for name in ("b0", "b1", "b2", "b3")] == (
        [2, 1, 3, 3] if gone == (0,) else [1, 1, 3, 3]
    )
    won = "b1 won without a final" if gone == (0,) else "nobody won"
    assert won in (standings.ended_early or "")


def test_a_table_for_third_place_is_played_without_the_final_and_the_end_says_so() -> None:
    cup = after_rounds(1, "knockout", 4, {"third_place": True})
    withdraw(cup, 0)
    cup.rounds()
    assert final(cup).ended_early == "b1 won without a final: nobody else was left in the bracket"


def test_a_champion_that_leaves_after_the_final_ends_nothing_early() -> None:
    cup = after_rounds(2, "knockout", 4, {})
    withdraw(cup, 0)
    assert final(cup).ended_early is None
    assert places(final(cup))["b0"] == 1
    give(cup, Disqualified, bot="b0")
    assert places(final(cup)) == {"b1": 1, "b2": 2, "b3": 2, "b0": 4}


@BETWEEN_ROUNDS
def test_where_all_games_are_forfeited_it_pauses_or_plays_its_last_round(
    format_: str, bots: int, settings: dict[str, Any]
) -> None:
    cup = Simulation(regulations(format_, bots, **settings))
    cup.forfeiting = set(range(bots))
    try:
        while cup.round():
            for name, reason in failing(cup.progress).items():
                cup.apply(Withdrawn(round=cup.progress.next_number, at=AT, bot=name, reason=reason, automatic=True))
    except TooFewBots:
        assert any(entry.withdrawn for entry in cup.progress.entries)
    else:
        assert final(cup).ended_early is None


def test_an_end_before_the_first_round_leaves_standings() -> None:
    cup = after_rounds(0, "swiss", 4, {})
    give(cup, Ended)
    assert final(cup).round == 0
