"""Rulings: a result that is set or void, penalties, disqualifications, byes on request, reinstatements, rounds paired
by hand; and undoing them. They count from the next pairing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.changes import (
    AnyRuling,
    ByeGranted,
    Disqualified,
    PairedByHand,
    Penalised,
    Reinstated,
    Ruled,
    Undone,
    Withdrawn,
)
from tournaments.competition.formats.swiss import dutch_players
from tournaments.competition.game_list import game_rows
from tournaments.competition.progress import Progress, failing, rebuild
from tournaments.competition.results import StandingRow, tournament_standings
from tournaments.competition.ruling_checks import RulingError, check_ruling
from tournaments.competition.trf import trf

AT = "2026-11-22T12:00:00Z"


def give(of: Simulation, kind: type[AnyRuling], *, finished: bool = False, **fields: Any) -> None:
    """Check and apply a ruling as the director does."""
    ruling: Any = kind(round=of.progress.next_number, at=AT, reason="because", **fields)
    check_ruling(of.progress, ruling, finished=finished)
    of.progress.apply(ruling)


def undo(of: Simulation, number: int | None = None) -> None:
    give(of, Undone, number=len(of.progress.events) if number is None else number)


def rows(of: Simulation | Progress) -> dict[str, StandingRow]:
    progress = of.progress if isinstance(of, Simulation) else of
    return {row.name: row for row in tournament_standings(progress, False).standings}


def points(of: Simulation) -> list[float]:
    return [row.points for _, row in sorted(rows(of).items())]


def rebuilt(of: Simulation) -> Progress:
    """The same tournament from its rounds, games and events, as `resume` and `verify` build it."""
    progress = of.progress
    return rebuild(
        progress.regulations,
        progress.seed,
        progress.events,
        [begun.round for begun in progress.begun],
        list(progress.games()),
    )


def tables(of: Simulation) -> list[tuple[int, ...]]:
    assert of.progress.current is not None
    return [table.bots for table in of.progress.current.round.tables]


def assert_refused(of: Simulation, words: str, kind: type[AnyRuling], **fields: Any) -> None:
    with pytest.raises(RulingError, match=words):
        give(of, kind, **fields)


# -- results --------------------------------------------------------------------------------------------------


def test_a_result_that_is_set_counts_in_points_and_meetings_but_in_no_rating() -> None:
    cup = Simulation(regulations("round_robin", 4, points="table")).rounds(1)
    before = rows(cup)
    for rotation in (1, 2):
        give(cup, Ruled, game_id=f"r01-t001-d01-s{rotation}", ranks=(1, 1))
    found = rows(cup)
    first, last = (cup.progress.entries[bot].name for bot in cup.progress.rounds[0].round.tables[0].bots)
    assert (found[first].points, found[last].points) == (0.5, 0.5)
    assert before[first].points + before[last].points == 1
    assert (found[first].tables, found[first].games, found[first].rating) == (1, 2, None)
    assert len(tournament_standings(cup.progress, False).pairs) == 2
    row = game_rows(cup.progress)[0]
    assert (row.ruling, row.reason, row.ranks, row.points) == ("set", "because", (1, 1), (0.5, 0.5))
    undo(cup)
    undo(cup, 1)
    told = tournament_standings(cup.progress, False).rulings[-1].ruling
    assert told == 'the ruling "the result of round 1, table 1, deal 1, rotation 1, is set to ranks 1, 1" is undone'
    assert rows(cup) == before
    assert game_rows(cup.progress)[0].reason is None


def test_ranks_are_set_by_seat_in_every_rotation() -> None:
    cup = Simulation(regulations("round_robin", 3, seats=3, points="game")).rounds(1)
    game = next(game for game in cup.progress.games() if game.rotation == 2)
    give(cup, Ruled, game_id=game.game_id, ranks=(1, 2, 3))
    row = next(row for row in game_rows(cup.progress) if row.game_id == game.game_id)
    assert row.points == (1, 0.5, 0)
    (result,) = cup.progress.history[0].results
    ruled = next(found for found in result.games if found.by_ruling)
    by_bot = dict(zip(result.table.bots, ruled.ranks, strict=True))
    assert [by_bot[bot] for bot in game.bots] == [1, 2, 3]


def test_a_forfeit_can_be_set_to_a_result_for_which_both_have_met() -> None:
    cup = Simulation(regulations("swiss", 4))
    cup.forfeiting = {3}
    cup.rounds(1)
    for game in [game for game in cup.progress.games() if 3 in game.bots]:
        give(cup, Ruled, game_id=game.game_id, ranks=(1, 1))
    assert not tournament_standings(cup.progress, False).forfeits
    assert rows(cup)["b3"].points == 0.5


def test_games_that_are_in_no_rating_are_counted_by_bot() -> None:
    cup = Simulation(regulations("round_robin", 4, deals=2)).rounds(2)
    first, second = list(cup.progress.rounds[0].planned.values())[:2]
    give(cup, Ruled, game_id=first.game_id, ranks=(1, 2))
    give(cup, Ruled, game_id=second.game_id, ranks=None)
    cup.replay(next(iter(cup.progress.rounds[1].planned)), (0, 0))
    unrated = Counter(bot for game in (first, second) for bot in game.bots)
    replayed = next(iter(cup.progress.rounds[1].planned.values())).bots
    for bot in range(4):
        row = rows(cup)[f"b{bot}"]
        assert (row.unrated_games, row.replayed_games) == (unrated[bot], int(bot in replayed))


def test_a_table_that_is_void_is_an_unplayed_game() -> None:
    cup = Simulation(regulations("swiss", 4, rounds=3)).rounds(1)
    white, black = cup.progress.rounds[0].round.tables[0].bots
    for rotation in (1, 2):
        give(cup, Ruled, game_id=f"r01-t001-d01-s{rotation}", ranks=None)
    found = rows(cup)
    for bot in (white, black):
        row = found[cup.progress.entries[bot].name]
        assert (row.points, row.tables, row.games, row.rating) == (0, 0, 0, None)
        assert row.tiebreaks["buchholz"] == 0  # a dummy with its own score
    assert game_rows(cup.progress)[0].ruling == "void"
    players = dutch_players(cup.progress.format_context(), cup.progress.history)
    assert [(players[bot].opponents, players[bot].colours) for bot in (white, black)] == [((), ())] * 2
    cup.begin()
    assert rows(rebuilt(cup)) == rows(cup)


def test_a_later_ruling_takes_the_place_of_an_earlier_one_until_it_is_undone() -> None:
    cup = Simulation(regulations("swiss", 4)).rounds(1)
    give(cup, Ruled, game_id="r01-t001-d01-s1", ranks=(2, 1))
    give(cup, Ruled, game_id="r01-t001-d01-s1", ranks=(1, 1))
    assert game_rows(cup.progress)[0].ranks == (1, 1)
    undo(cup)
    assert game_rows(cup.progress)[0].ranks == (2, 1)


def test_a_replay_ends_a_ruling_but_not_that_of_a_lost_record() -> None:
    cup = Simulation(regulations("swiss", 4)).rounds(1)
    give(cup, Ruled, game_id="r01-t001-d01-s1", ranks=(1, 1))
    again = cup.replay("r01-t001-d01-s1", [1, 2])
    row = next(row for row in game_rows(cup.progress) if row.game_id == again)
    assert row.ranks == (2, 1)
    assert_refused(cup, "has already been played again", Undone, number=1)
    give(cup, Ruled, game_id=again, ranks=None)
    assert next(row for row in game_rows(cup.progress) if row.game_id == again).ruling == "void"
    cup.progress.events[1] = structs.replace(cup.progress.events[1], lost=True)
    undo(cup)
    assert next(row for row in game_rows(rebuilt(cup)) if row.game_id == again).ranks == (1, 1)


@pytest.mark.parametrize(
    ("game", "ranks", "words"),
    [
        ("r01-t001-d01-s1", (1, 2, 3), "2 seats: give 2 ranks"),
        ("r01-t001-d01-s1", (1, 3), "equal ones share a rank"),
        ("r01-t001-d01-s1", (2, 2), "the best is 1"),
        ("r09-t001-d01-s1", (1, 2), "unknown game"),
        ("nonsense", None, "unknown game"),
    ],
)
def test_a_result_that_can_not_be_is_refused(game: str, ranks: Sequence[int] | None, words: str) -> None:
    cup = Simulation(regulations("swiss", 4)).rounds(1)
    assert_refused(cup, words, Ruled, game_id=game, ranks=None if ranks is None else tuple(ranks))


def test_a_game_that_has_not_been_played_can_not_be_ruled_on() -> None:
    cup = Simulation(regulations("swiss", 4))
    cup.begin()
    assert_refused(cup, "has not been played yet", Ruled, game_id="r01-t001-d01-s1", ranks=None)


def test_a_reason_is_needed() -> None:
    cup = Simulation(regulations("swiss", 4)).rounds(1)
    with pytest.raises(RulingError, match="needs a reason"):
        check_ruling(cup.progress, Penalised(round=2, at=AT, bot="b0", points=-1, reason=" "), finished=False)


def test_a_bracket_stays_as_it_was_played() -> None:
    cup = Simulation(regulations("knockout", 4)).rounds(1)
    loser = max(cup.progress.rounds[0].round.tables[0].bots)
    cup.begin()
    seated = tables(cup)
    cup.add()
    cup.progress.close()
    for game in [game for game in cup.progress.games() if game.round == 1 and loser in game.bots]:
        ranks = tuple(1 if bot == loser else 2 for bot in game.bots)
        give(cup, Ruled, game_id=game.game_id, ranks=ranks)
    assert cup.progress.additions.eliminated[loser] == 1
    assert rows(cup)["b0"].place == 1
    assert [table.bots for table in rebuilt(cup).rounds[1].round.tables] == seated
    assert cup.progress.next_round() is None


def test_before_the_next_round_of_a_bracket_is_paired_a_ruling_decides_who_advances() -> None:
    cup = Simulation(regulations("knockout", 4)).rounds(1)
    loser = max(cup.progress.rounds[0].round.tables[0].bots)
    for game in [game for game in cup.progress.games() if loser in game.bots]:
        give(cup, Ruled, game_id=game.game_id, ranks=tuple(1 if bot == loser else 2 for bot in game.bots))
    cup.begin()
    assert loser in tables(cup)[0]
    assert rows(rebuilt(cup)) == rows(cup)


def test_a_ruling_while_a_round_is_played_is_the_same_after_it() -> None:
    """An interrupted round: the ruling is dated from the next one, and applied at once."""
    cup = Simulation(regulations("swiss", 6)).rounds(1)
    cup.begin()
    cup.add(2)
    game = next(iter(cup.progress.current.played)) if cup.progress.current is not None else ""
    give(cup, Ruled, game_id=game, ranks=(1, 1))
    give(cup, Penalised, bot="b0", points=-1.0)
    cup.add()
    cup.progress.close()
    assert rows(rebuilt(cup)) == rows(cup)
    assert rebuilt(cup).next_round() == cup.progress.next_round()


# -- points ---------------------------------------------------------------------------------------------------


def test_a_penalty_counts_in_points_and_pairing_but_in_no_tie_break_of_opponents() -> None:
    cup = Simulation(regulations("swiss", 8, rounds=3)).rounds(1)
    before = rows(cup)
    for bot in ("b1", "b0"):
        give(cup, Penalised, bot=bot, points=-1.0)
    found = rows(cup)
    assert (found["b0"].points, found["b0"].adjustment, found["b2"].adjustment) == (0, -1, 0)
    assert {name: row.tiebreaks for name, row in found.items()} == {name: row.tiebreaks for name, row in before.items()}
    cup.begin()
    (opponent,) = (set(table) - {0} for table in tables(cup) if 0 in table)
    assert before[f"b{opponent.pop()}"].points == 0  # it meets those with as few points
    assert rows(rebuilt(cup)) == rows(cup)
    undo(cup)
    assert rows(cup)["b0"].points == 1


def test_a_bonus_has_no_effect_on_earlier_floats_of_the_dutch_system() -> None:
    """What was paired is what is paired again, whatever was ruled since."""
    cup = Simulation(regulations("swiss", 9, rounds=4)).rounds(2)
    give(cup, Penalised, bot="b8", points=1.5)
    cup.rounds(2)
    assert [over.round for over in rebuilt(cup).rounds] == [over.round for over in cup.progress.rounds]


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), 1e9])
def test_points_must_be_a_penalty_or_a_bonus(value: float) -> None:
    assert_refused(Simulation(regulations("swiss", 4)).rounds(1), "points must be", Penalised, bot="b0", points=value)


# -- who plays ------------------------------------------------------------------------------------------------


def test_who_is_disqualified_is_behind_all_others_with_its_results() -> None:
    cup = Simulation(regulations("swiss", 6, rounds=3)).rounds(2)
    before = rows(cup)
    give(cup, Disqualified, bot="b0")
    found = rows(cup)
    assert (found["b0"].place, found["b0"].disqualified, found["b0"].points) == (6, True, before["b0"].points)
    assert sorted(row.place for row in found.values())[0] == 1
    cup.begin()
    assert all(0 not in table for table in tables(cup))
    undo(cup)
    assert rows(cup)["b0"].place == before["b0"].place
    assert cup.progress.entries[0].missed == (range(3, 4),)
    assert rows(rebuilt(cup)) == rows(cup)


@pytest.mark.parametrize(("rounds", "void"), [(2, True), (3, False)])
def test_before_half_of_a_round_robin_the_results_of_who_is_disqualified_are_void(rounds: int, void: bool) -> None:
    cup = Simulation(regulations("round_robin", 6)).rounds(rounds)
    give(cup, Disqualified, bot="b5")
    assert (cup.progress.void == {"b5"}) is void
    found = rows(cup)
    assert found["b5"].tables == (0 if void else rounds)
    assert sum(row.tables for row in found.values()) == 6 * rounds - 2 * rounds * void
    undo(cup)
    assert not cup.progress.void
    assert sum(row.tables for row in rows(cup).values()) == 6 * rounds
    assert rows(rebuilt(cup)) == rows(cup)


def test_who_was_withdrawn_plays_again_after_its_reinstatement() -> None:
    cup = Simulation(regulations("round_robin", 4)).rounds(1)
    cup.apply(Withdrawn(round=2, at=AT, bot="b1", reason="wished to"))
    cup.rounds(1)
    give(cup, Reinstated, bot="b1")
    cup.rounds()
    assert rows(cup)["b1"].tables == 2
    assert not rows(cup)["b1"].withdrawn
    assert [over.round for over in rebuilt(cup).rounds] == [over.round for over in cup.progress.rounds]
    assert_refused(cup, "has not been withdrawn", Reinstated, bot="b1")


def test_who_is_reinstated_has_three_tables_again_before_it_is_withdrawn() -> None:
    cup = Simulation(regulations("round_robin", 8))
    cup.forfeiting = {2}
    cup.rounds(3)
    assert [*failing(cup.progress)] == ["b2"]
    cup.apply(Withdrawn(round=4, at=AT, bot="b2", reason="could not be started", automatic=True))
    give(cup, Reinstated, bot="b2")
    assert [*failing(cup.progress)] == []


def test_a_bot_that_a_bracket_has_gone_on_without_can_not_come_back() -> None:
    cup = Simulation(regulations("knockout", 8)).rounds(1)
    withdrawn = Withdrawn(round=2, at=AT, bot="b0", reason="wished to")
    cup.apply(withdrawn)
    give(cup, Reinstated, bot="b0")
    assert 0 not in cup.progress.additions.eliminated
    cup.apply(withdrawn)
    cup.rounds(1)
    assert_refused(cup, "out of the bracket since round 2", Reinstated, bot="b0")


def test_a_full_point_at_its_request_leaves_no_room_for_another_bye() -> None:
    for bot in range(5):
        cup = Simulation(regulations("swiss", 5, rounds=4)).rounds(1)
        give(cup, ByeGranted, bot=f"b{bot}", number=2, points=1)
        cup.rounds()
        assert all(bot not in played.round.byes for played in cup.progress.history[1:])


def test_a_bye_on_request_is_worth_what_was_granted() -> None:
    cup = Simulation(regulations("swiss", 5, rounds=3)).rounds(1)
    give(cup, ByeGranted, bot="b0", number=2, points=0.5)
    cup.begin()
    assert all(0 not in table for table in tables(cup))
    current = cup.progress.current
    assert current is not None
    assert 0 not in current.round.byes
    cup.add()
    cup.progress.close()
    assert rows(cup)["b0"].points == 1.5
    assert "0000 - H" in trf(cup.progress)
    cup.rounds()
    assert rows(cup)["b0"].tables == 2
    assert rows(rebuilt(cup)) == rows(cup)
    with pytest.raises(RulingError, match="has been paired"):
        undo(cup, 1)


@pytest.mark.parametrize(
    ("format_", "settings", "fields", "words"),
    [
        ("swiss", {}, {"number": 1, "points": 0.5}, "round 1 has been paired"),
        ("swiss", {}, {"number": 9, "points": 0.5}, "no round 9"),
        ("swiss", {}, {"number": 2, "points": 1.5}, "from 0 to 1"),
        ("round_robin", {}, {"number": 2, "points": 0.5}, "a bonus can give points"),
        ("knockout", {}, {"number": 2, "points": 0}, "is out: withdraw it"),
    ],
)
def test_a_bye_that_can_not_be_is_refused(
    format_: str, settings: dict[str, Any], fields: dict[str, Any], words: str
) -> None:
    cup = Simulation(regulations(format_, 6, **settings)).rounds(1)
    assert_refused(cup, words, ByeGranted, bot="b0", **fields)


# -- rounds paired by hand ------------------------------------------------------------------------------------


def test_a_round_is_paired_by_hand_and_checked_like_any_other() -> None:
    cup = Simulation(regulations("swiss", 5, rounds=3)).rounds(1)
    found = (("b0", "b1"), ("b2", "b3"))
    give(cup, PairedByHand, number=2, tables=found, byes=("b4",))
    assert_refused(cup, "has been set already", PairedByHand, number=2, tables=found, byes=("b4",))
    cup.begin()
    assert tables(cup) == [(0, 1), (2, 3)]
    cup.add()
    cup.progress.close()
    cup.rounds()
    assert rows(rebuilt(cup)) == rows(cup)


@pytest.mark.parametrize(
    ("number", "set_", "byes", "words"),
    [
        (3, (("b0", "b1"),), (), "only the next round"),
        (2, (("b0", "b1"),), (), "without a table"),
        (2, (("b0", "b1"), ("b2", "b1")), (), "sits twice"),
        (2, (("b0", "b1"), ("b2", "nobody")), (), "unknown bot"),
        (2, (("b0", "b1", "b2"),), ("b3",), "table 1 has 3 bots"),
        (2, (), ("b0", "b1", "b2", "b3"), "at least one table"),
    ],
)
def test_tables_that_can_not_be_are_refused(
    number: int, set_: tuple[tuple[str, ...], ...], byes: tuple[str, ...], words: str
) -> None:
    cup = Simulation(regulations("swiss", 4, rounds=3)).rounds(1)
    assert_refused(cup, words, PairedByHand, number=number, tables=set_, byes=byes)
