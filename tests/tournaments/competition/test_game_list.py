"""The lists of games and pairings: their form, games played again, small tables, rounds in progress."""

from time import process_time

import pytest

from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tests.tournaments.competition.test_results import as_json
from tournaments.competition.game_list import game_rows, pairings
from tournaments.competition.quick_standings import QuickStandings
from tournaments.competition.results import tournament_standings


def test_a_game_has_the_promised_form() -> None:
    simulation = Simulation(regulations("gauntlet", ["a", "b", "c"], seats=2, deals=2, challengers=["a"]))
    simulation.faulty = {1}
    simulation.rounds()
    game = next(row for row in game_rows(simulation.progress) if row.bots == ("a", "b") and row.deal == 2)
    table = next(
        number for number, table in enumerate(simulation.progress.history[0].round.tables, 1) if 1 in table.bots
    )
    assert as_json(game) == {
        "game_id": f"r01-t{table:03}-d02-s{game.rotation}",
        "round": 1,
        "table": table,
        "deal": 2,
        "rotation": game.rotation,
        "bots": ["a", "b"],
        "scores": [0, -1],
        "ranks": [1, 2],
        "points": [1.0, 0.0],
        "faults": [None, "timeout"],
        "record": f"records/r01-t{table:03}-d02-s{game.rotation}.jsonl.gz",
        "replayed": None,
        "reason": None,
    }


def test_games_stand_in_the_order_of_play_rotation_by_rotation() -> None:
    rows = game_rows(Simulation(regulations("round_robin", 4, deals=2)).rounds().progress)
    assert [row.game_id for row in rows[:8]] == [
        f"r01-t00{table}-d0{deal}-s{rotation}" for rotation in (1, 2) for table in (1, 2) for deal in (1, 2)
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_points_of_all_games_add_up_to_those_of_the_standings(seats: int) -> None:
    simulation = Simulation(regulations("swiss", 9, seats=seats, rounds=3), by_chance(seats)).rounds()
    first = next(simulation.progress.games())
    simulation.replay(first.game_id, [*first.scores[1:], first.scores[0]])
    sums = dict.fromkeys((entry.name for entry in simulation.progress.entries), 0.0)
    for row in game_rows(simulation.progress):
        for name, points in zip(row.bots, row.points, strict=True):
            sums[name] += points
    standings = tournament_standings(simulation.progress, True).standings
    assert sums == pytest.approx({row.name: row.game_points for row in standings})


def test_a_game_that_was_played_again_stays_struck_out_with_what_replaced_it() -> None:
    simulation = Simulation(regulations("round_robin", 2)).rounds()
    again = simulation.replay("r01-t001-d01-s1", [-1, 0], "a machine failed")
    final = simulation.replay(again, [0, 0], "it failed again")
    assert final == "r01-t001-d01-s1-again2"
    rows = {row.game_id: row for row in game_rows(simulation.progress)}
    assert [row.replayed for row in rows.values()] == [None, None, again, final]
    assert rows["r01-t001-d01-s1"].reason == "a machine failed"
    assert rows[again].points == (0, 0)
    assert (rows[final].points, rows[final].replayed) == ((0.5, 0.5), None)


def test_pairings_tell_tables_byes_and_results() -> None:
    found = as_json(pairings(Simulation(regulations("swiss", ["a", "b", "c"], rounds=1)).rounds().progress))
    assert found == {
        "schema": 1,
        "tournament": "Cup",
        "format": "swiss",
        "seats": 2,
        "points": "table",
        "bye": 0.5,
        "rounds": [
            {
                "round": 1,
                "finished": True,
                "deals": [1],
                "tables": [
                    {
                        "table": 1,
                        "bots": found["rounds"][0]["tables"][0]["bots"],
                        "games": 2,
                        "of": 2,
                        "game_points": [2.0 * (bot == "a") for bot in found["rounds"][0]["tables"][0]["bots"]],
                        "points": [1.0 * (bot == "a") for bot in found["rounds"][0]["tables"][0]["bots"]],
                    }
                ],
                "byes": ["c"],
            }
        ],
    }
    assert sorted(found["rounds"][0]["tables"][0]["bots"]) == ["a", "b"]


def test_pairings_of_the_round_in_progress_have_no_points_where_no_game_is_finished() -> None:
    simulation = Simulation(regulations("round_robin", 4, deals=1))
    simulation.begin()
    simulation.add(1)
    (round_,) = pairings(simulation.progress).rounds
    assert round_.finished is False
    assert [(table.games, table.of, table.points is None) for table in round_.tables] == [(1, 2, False), (0, 2, True)]


@pytest.mark.check_all
def test_many_games_are_listed_and_ranked_in_seconds() -> None:
    """A fifth of 100,000 games, for which it takes 1.7 s on an idle machine."""
    simulation = Simulation(regulations("round_robin", 20, deals=53), by_chance(1)).rounds()
    begin = process_time()
    assert len(game_rows(simulation.progress)) == 20_140
    assert tournament_standings(simulation.progress, True).games == 20_140
    assert process_time() - begin < 15


@pytest.mark.slow
def test_a_look_while_games_finish_costs_little_with_many_bots_and_games() -> None:
    simulation = Simulation(regulations("round_robin", 200, deals=10), by_chance(1)).rounds(3)
    simulation.begin()
    simulation.add(1000)
    QuickStandings().rows(simulation.progress)
    begin = process_time()
    for _ in range(10):
        simulation.add(20)
        assert len(QuickStandings().rows(simulation.progress)) == 200
    assert process_time() - begin < 1
