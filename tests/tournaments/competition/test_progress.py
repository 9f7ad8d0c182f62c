"""The state of a tournament: deals, ids, seatings, events between rounds, and the same state from what was stored."""

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.tournaments.competition.simulated import Simulation, by_chance, by_strength, regulations, stored
from tests.tournaments.competition.test_results import joined, withdrawn
from tests.tournaments.competition.test_rulings import rebuilt
from tests.tournaments.samples import each_format
from tournaments.competition.changes import FilesAccepted
from tournaments.competition.games import GAME_ID, game_id_of
from tournaments.competition.progress import FAILED_TABLES, Progress, failing, games_of, rebuild
from tournaments.competition.regulations import Regulations
from tournaments.competition.results import tournament_standings
from tournaments.competition.rounds import Deal, DealsOf, Round, Table

pytestmark = pytest.mark.usefixtures("short_search")

AT = "2026-11-22T12:00:00+00:00"
FORMATS: list[Regulations] = [
    *each_format(),
    regulations("round_robin", 6, seats=3, deals=2),
    regulations("swiss", 7, deals=2, rounds=4),
    regulations("swiss", 9, seats=4, deals=2, rounds=4),
    regulations("gauntlet", 5, deals=2, challengers=["b0", "b1"], rounds=2),
    regulations("knockout", 7, seats=3),
]
EACH = pytest.mark.parametrize("of", FORMATS, ids=lambda of: f"{of.format}-{len(of.bots)}-{of.seats}")


def finished(of: Regulations) -> Progress:
    """A tournament that was played to its end."""
    simulation = Simulation(of, by_chance(of.format))
    while simulation.round():
        pass
    return simulation.progress


@EACH
def test_what_was_stored_leads_to_the_same_state_at_every_moment(of: Regulations) -> None:
    played = finished(of)
    rounds = [over.round for over in played.rounds]
    games = list(played.games())
    for count in range(0, len(games) + 1, max(1, len(games) // 12)):
        known = games[:count]
        begun = sum(any(game.round == round_.number for game in known) for round_ in rounds)
        state = rebuild(of, "seed", [], rounds[:begun], known)
        assert list(state.games()) == known
        assert state.history == played.history[: len(state.history)]
        if state.current is not None:
            missing = {game.game_id for game in state.current.missing()}
            assert missing == set(state.current.planned) - {game.game_id for game in known}
        else:
            expected = rounds[begun] if begun < len(rounds) else None
            assert state.next_round() == expected
    assert rebuild(of, "seed", [], rounds, games).next_round() is None


@EACH
def test_every_deal_of_a_table_is_played_once_per_rotation_with_everybody_in_every_seat(of: Regulations) -> None:
    for over in finished(of).rounds:
        seats: dict[tuple[int, int], Counter[tuple[int, int]]] = defaultdict(Counter)
        for game in over.planned.values():
            assert sorted(game.bots) == sorted(over.round.tables[game.table - 1].bots)
            seats[game.table, game.deal].update(enumerate(game.bots))
        for (table, _), counts in seats.items():
            size = len(over.round.tables[table - 1].bots)
            assert len(counts) == size * size
            assert set(counts.values()) == {1}
        rotations = [game.rotation for game in over.planned.values()]
        assert rotations == sorted(rotations), "a rotation is over before the next one begins"


@pytest.mark.parametrize(("deals_of", "different"), [("table", 3 * 3 * 2), ("round", 3 * 2 * 2)])
def test_a_table_shares_its_deals_with_all_of_its_size_or_with_none(deals_of: DealsOf, different: int) -> None:
    """Eleven bots at tables of 4, 4 and 3: three rounds of two deals."""
    progress = finished(regulations("swiss", 11, seats=4, deals=2, rounds=3, deals_of=deals_of))
    games = Counter[Deal]()
    for played in progress.history:
        assert sorted(len(result.table.bots) for result in played.results) == [3, 4, 4]
        for result in played.results:
            for deal in {game.deal for game in result.games}:
                assert sorted(game.rotation for game in result.games if game.deal == deal) == [
                    *range(len(result.table.bots))
                ]
                games[deal] += 1
    assert len(games) == different
    assert set(games.values()) == ({1} if deals_of == "table" else {1, 2})
    standings = tournament_standings(progress, True)
    assert standings.deals == different
    assert {row.deals for row in standings.standings} == {6}


def test_deals_count_through_the_tournament() -> None:
    progress = finished(regulations("swiss", 9, seats=4, deals=2, rounds=3))
    seen: set[int] = set()
    for over in progress.rounds:
        deals = {game.deal for game in over.planned.values()}
        assert not deals & seen
        seen |= deals
    assert seen == set(range(1, progress.rounds[-1].deals.stop))


def test_results_by_position_are_those_of_the_seats() -> None:
    round_ = Round(number=1, tables=(Table((4, 2, 7)),), deals=1)
    for planned in games_of(round_, 1, "round"):
        result = stored(planned, [10 * bot for bot in planned.bots]).result("round")
        assert result.scores == (40, 20, 70)
        assert result.ranks == (2, 3, 1)
        assert result.rotation == planned.rotation - 1


@given(st.tuples(*[st.integers(1, 10**5)] * 3), st.integers(1, 5), st.integers(0, 12))
def test_ids_name_round_table_deal_and_rotation(numbers: tuple[int, int, int], rotation: int, replay: int) -> None:
    match = re.fullmatch(GAME_ID, game_id_of(*numbers, rotation, replay))
    assert match is not None
    assert tuple(map(int, match.groups("0"))) == (*numbers, rotation, replay)


# -- events -------------------------------------------------------------------------------------------------------


def test_a_late_entry_plays_from_its_round_on_and_a_withdrawn_bot_no_more() -> None:
    simulation = Simulation(regulations("swiss", 4, rounds=5))
    assert simulation.round()
    simulation.progress.apply(joined("late", 2))
    simulation.progress.apply(withdrawn("b1", 3))
    while simulation.round():
        pass
    rounds = [over.round for over in simulation.progress.rounds]
    paired = [{bot for table in each.tables for bot in table.bots} | set(each.byes) for each in rounds]
    late, gone = 4, 1
    assert [late in bots for bots in paired] == [False, True, True, True, True]
    assert [gone in bots for bots in paired] == [True, True, False, False, False]


def test_events_never_change_a_result_that_was_scored() -> None:
    simulation = Simulation(regulations("round_robin", 6), by_chance(1))
    simulation.round()
    simulation.round()
    before = list(simulation.progress.history)
    for event in (joined("late", 3), withdrawn("b0", 3), FilesAccepted(round=3, at=AT, bots={"b1": "f" * 64})):
        simulation.progress.apply(event)
    assert list(simulation.progress.history) == before


def test_a_replayed_game_counts_from_then_on_and_can_be_played_again() -> None:
    simulation = Simulation(regulations("swiss", 4, rounds=3))
    simulation.round()
    progress = simulation.progress
    place = next(iter(progress.rounds[0].planned))
    old = progress.rounds[0].played[place]
    assert simulation.replay(simulation.replay(place, [0, 1]), [5, 5]) == f"{place}-again2"
    assert set(progress.struck_out) == {place, f"{place}-again1"}
    assert progress.struck_out[place] == (old, f"{place}-again1")
    assert [each.game_id for each in progress.games()].count(place) == 1, "the old one stays in the list"
    assert progress.history[0].results[0].games[0].scores == (5, 5)
    state = rebuilt(simulation)
    assert state.history == progress.history
    assert state.struck_out == progress.struck_out


def test_rounds_paired_before_a_replay_are_paired_the_same_when_everything_is_computed_again() -> None:
    """What `verify` does: each round is paired from the results that counted then."""
    of = regulations("swiss", 8, rounds=5)
    simulation = Simulation(of, by_chance("x", draws=0))
    simulation.round()
    simulation.round()
    progress = simulation.progress
    for place in list(progress.rounds[0].planned)[:4]:
        simulation.replay(place, [-score for score in progress.rounds[0].played[place].scores])
    while simulation.round():
        pass
    again = rebuild(of, progress.seed, progress.events, [], list(progress.games()), pair=Progress.next_round)
    assert [over.round for over in again.rounds] == [over.round for over in progress.rounds]


def test_a_bracket_stays_as_it_was_played_when_an_early_game_is_played_again() -> None:
    simulation = Simulation(regulations("knockout", 4), by_strength)
    simulation.round()
    simulation.round()
    progress = simulation.progress
    final = progress.rounds[1].round
    place = next(iter(progress.rounds[0].planned))
    for name in [name for name in progress.rounds[0].planned if name.startswith(place[:8])]:
        simulation.replay(name, [-score for score in progress.rounds[0].played[name].scores])
    assert progress.next_round() is None
    assert progress.rounds[1].round == final


# -- bots that can't be started -----------------------------------------------------------------------------------


def test_a_bot_that_could_not_be_started_at_three_tables_in_a_row_is_to_be_withdrawn() -> None:
    simulation = Simulation(regulations("round_robin", 8))
    simulation.forfeiting = {3}
    for number in range(1, FAILED_TABLES + 1):
        assert [*failing(simulation.progress)] == []
        assert simulation.round(), number
    assert [*failing(simulation.progress)] == ["b3"]
    simulation.progress.apply(withdrawn("b3", simulation.progress.next_number))
    assert [*failing(simulation.progress)] == []


@pytest.mark.parametrize("most", [0, 5, 20])
def test_a_bot_that_forfeits_a_game_now_and_then_is_withdrawn_by_their_number(most: int) -> None:
    of = structs.replace(regulations("ladder", 4, deals=2, budget=400), max_forfeits=most)
    simulation = Simulation(of)
    forfeited = 0
    while forfeited <= most:
        assert failing(simulation.progress) == {}
        begun = simulation.begin()
        assert begun is not None
        simulation.add(len(begun.planned) // 2)  # the first rotation
        simulation.forfeiting = {2}
        simulation.add()
        simulation.forfeiting = set()
        simulation.progress.close()
        forfeited = sum(game.forfeits[game.bots.index(2)] for game in simulation.progress.games() if 2 in game.bots)
    assert failing(simulation.progress) == {"b2": f"forfeited {forfeited} games: more than max_forfeits = {most}"}


def test_a_table_at_which_it_played_breaks_the_row() -> None:
    simulation = Simulation(regulations("round_robin", 8))
    for gone in (True, True, False, True, True):
        simulation.forfeiting = {3} if gone else set()
        simulation.round()
    assert [*failing(simulation.progress)] == []


def test_an_odd_bot_out_is_not_a_failure() -> None:
    simulation = Simulation(regulations("round_robin", 5))
    simulation.forfeiting = {2}
    for _ in range(FAILED_TABLES):
        simulation.round()
    tables = sum(2 in table.bots for over in simulation.progress.rounds for table in over.round.tables)
    assert ([*failing(simulation.progress)] == ["b2"]) == (tables == FAILED_TABLES)
