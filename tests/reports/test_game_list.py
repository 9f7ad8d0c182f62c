"""Lists of games and rounds: lines that fit a terminal for people, tables for programs."""

from msgspec import structs
from rich.cells import cell_len

from referee.games import find_game
from referee.reports.game_list import format_game, format_games, format_round_row, games_table, tables_table
from referee.reports.model import Table
from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.game_list import game_rows, pairings

LONG = "a-name-of-sixty-characters-that-goes-on-and-on-to-its-end-"
DRAGON = find_game("year_of_the_dragon")


def simulated() -> Simulation:
    """A round, in which one of three bots has a bye, and a game of the next one; one was played again."""
    simulation = Simulation(regulations("swiss", [f"{LONG}1", "b", f"{LONG}2"], rounds=2))
    simulation.faulty = {1}
    simulation.rounds(1)
    simulation.replay(next(simulation.progress.games()).game_id, [7, 9])
    simulation.begin()
    simulation.add(1)
    return simulation


def values(table: Table) -> list[dict[str, object]]:
    """The rows of a table, as programs read them."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in zip(*(column.values for column in table.columns), strict=True)]


def test_a_game_is_a_line_with_scores_ranks_faults_and_why_it_does_not_count() -> None:
    rows = game_rows(simulated().progress)
    lines = ["".join(format_game(row, DRAGON, None)) for row in rows]
    assert lines[0] == f"  {rows[0].game_id}  {rows[0].bots[0]} 7 (2), {rows[0].bots[1]} 9 (1)"
    assert "(timeout, 2)" in lines[1]
    assert lines[-1].endswith("struck out, played again: the referee was late")
    void = structs.replace(rows[0], ruling="void", reason="a machine failed")
    assert "".join(format_game(void, DRAGON, None)).endswith(", void by a ruling: a machine failed")
    listed = list(format_games(rows, DRAGON, None))
    assert [line for line in listed if not line.startswith(" ")] == [
        "Round 1, table 1, deal 1",
        "Round 2, table 1, deal 2",
        "Round 1, table 1, deal 1",
    ]
    narrow = list(format_game(rows[-1], DRAGON, 80))
    assert len(narrow) > 1
    assert max(map(cell_len, narrow)) <= 80


def test_a_round_lists_its_tables_with_points_or_games_and_its_byes() -> None:
    found = pairings(simulated().progress)
    first, second = (list(format_round_row(row, found.bye, None)) for row in found.rounds)
    assert first[0] == "Round 1, deal 1"
    assert first[-1].startswith("  bye  ")
    assert first[-1].endswith(" 0.5")
    assert second[0] == "Round 2, deal 2, being played"
    assert second[1].endswith("(1 of 2 games)")
    named = structs.replace(found.rounds[0], name="semi-final", deals=(1, 2), absent=("dice",))
    lines = list(format_round_row(named, found.bye, None))
    assert lines[0] == "Semi-final (round 1), deals 1 to 2"
    assert lines[-1] == "  absent  dice"


def test_programs_get_every_value_by_seat() -> None:
    simulation = simulated()
    rows = game_rows(simulation.progress)
    table = values(games_table(rows, 2))
    assert [row["game_id"] for row in table] == [row.game_id for row in rows]
    assert [(row["bot_0"], row["score_1"], row["fault_0"]) for row in table] == [
        (row.bots[0], row.scores[1], row.faults[0]) for row in rows
    ]
    assert table[-1]["replayed"] == "r01-t001-d01-s1-again1"
    found = pairings(simulation.progress)
    rounds = [structs.replace(found.rounds[0], absent=("dice",)), *found.rounds[1:]]
    shown = values(tables_table(rounds, 3))
    assert [(row["round"], row["table"], row["games"], row["of"]) for row in shown] == [
        (1, 1, 2, 2), (1, None, 0, 0), (1, "absent", 0, 0), (2, 1, 1, 2), (2, None, 0, 0),
    ]  # fmt: skip
    assert (shown[2]["bot_0"], shown[2]["bot_1"], shown[0]["bot_2"], shown[1]["points_0"]) == ("dice", None, None, None)
