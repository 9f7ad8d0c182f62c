"""Games of chess and Go are exported as others read them: moves, clocks, evaluations, results and how they ended."""

import io
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import chess.pgn
import msgspec
import pytest
from sgfmill import sgf, sgf_moves

from referee.games import Seeded, find_game
from referee.games.interface import ChanceEvent
from referee.games.options import config_from
from referee.record.reader import TruncatedRecord
from referee.record.replay import Replay
from referee.reports.pgn import PGN
from referee.reports.played_game import Notation, Occasion, common_date, played_game
from referee.reports.sgf import SGF
from tests.cli.command import referee
from tests.tournaments.event.store.organiser import Organiser, tournament_file

pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
Json = dict[str, Any]
BANK: Json = {"bank_ms": 60_000, "increment_ms": 500}


def record(
    notation: Notation,
    *,
    moves: int = 10_000,
    clock: Json | None = None,
    infos: tuple[Any, ...] = (),
    fault: tuple[int, str] | None = None,
    names: tuple[str, str] = ("a", "b"),
    **options: Any,
) -> tuple[str, Any]:
    """The record of a random game, each of whose decisions took 1.5 s, and the game.

    `moves`: after so many it ends, by the fault of a seat if there is one. `infos`: what was said with the first moves.
    """
    rules = find_game(notation.game)
    config = {"players": 2, **options}
    game = rules.new(config_from(rules.Config, config), Seeded("notation"))
    header = {"type": "game", "record": 1, "game": notation.game, "config": config, "seed": "notation"}
    header |= {"players": [{"name": name} for name in names], "referee": "0", "game_id": "0007-2"}
    lines: list[Json] = [header | ({} if clock is None else {"clock": clock})]
    lines += [msgspec.to_builtins(event) for event, _ in game.log if isinstance(event, ChanceEvent)]
    random, said = Random(5), iter(infos)
    while game.turn is not None and moves > 0:
        moves -= 1
        action, is_forced = random.choice(game.legal_actions()), game.is_forced()
        line = {"type": "decision", "seat": game.turn.seat, "decision": "play", "action": msgspec.to_builtins(action)}
        info = next(said, None)
        lines.append(
            line | ({"forced": True} if is_forced else {"ms": 1500.0}) | ({} if info is None else {"info": info})
        )
        game.apply(action)
    faults: list[str | None] = [None, None]
    if fault is not None:
        seat, code = fault
        faults[seat] = code
        lines.append({"type": "fault", "seat": seat, "code": code, "message": 'it {was} "wrong" [\\]'})
        ranks, scores = [1 + (seat == each) for each in range(2)], game.ranking().scores
        stopped = "at most one bot is left without a fault"
        lines.append({"type": "result", "scores": scores, "ranks": ranks, "faults": faults, "stopped": stopped})
    elif game.turn is None:
        ranking = game.ranking()
        lines.append({"type": "result", "scores": ranking.scores, "ranks": ranking.ranks, "faults": faults})
    return "".join(json.dumps(line) + "\n" for line in lines), game


def text_of(notation: Notation, content: str) -> str:
    game, problem = played_game(Replay(content.encode()), Occasion())
    assert problem is None or isinstance(problem, TruncatedRecord)
    return notation.write(game)


def read_pgn(content: str) -> Any:
    """The game of a record by way of PGN, as python-chess reads it."""
    text = text_of(PGN, content)
    assert all(len(line) < 80 for line in text.splitlines() if not line.startswith("["))
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def read_sgf(content: str) -> Any:
    """The game of a record by way of SGF, as sgfmill reads it."""
    return sgf.Sgf_game.from_string(text_of(SGF, content))


@pytest.mark.parametrize("chess960", [False, True])
def test_chess_is_read_back_move_by_move(chess960: bool) -> None:
    options: Json = {"chess960": True} if chess960 else {}
    content, game = record(PGN, names=('"]\\', "White"), **options)
    read = read_pgn(content)
    assert read.end().board().fen(shredder=chess960) == game.observe(0).observation
    tags = dict(read.headers)
    assert [*tags][:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert (tags["Round"], tags["White"]) == ("7.2", "White")
    assert '\n[Black "\\"]\\\\"]\n' in text_of(PGN, content)  # python-chess does not unescape it
    scores = game.ranking().scores
    assert tags["Result"] == {0: "1/2-1/2", 1: "0-1", -1: "1-0"}[scores[0]]
    assert (tags["Termination"], tags["TimeControl"]) == ("normal", "-")
    assert (tags.get("Variant"), "FEN" in tags) == (("Chess960", True) if chess960 else (None, False))


def test_chess_that_begins_elsewhere_with_black_to_move() -> None:
    fen = "r3k2r/8/8/8/8/8/8/4K3 b kq - 3 40"
    content, game = record(PGN, moves=9, fen=fen)
    read = read_pgn(content)
    assert (read.headers["SetUp"], read.headers["FEN"]) == ("1", fen)
    assert read.end().board().fen() == game.observe(0).observation
    assert "\n40... " in text_of(PGN, content)


def test_clocks_and_evaluations_are_whites_and_other_info_is_left_out() -> None:
    infos = (
        {"score": 0.31, "depth": 7},
        {"score": 1.5, "depth": 9},
        {"mate": 3},
        {"mate": 2, "depth": -1},
        {"score": "high", "mate": True, "depth": []},
        ["info"],
        {"score": 1e300, "depth": 1e300},
        {"score": -0.004},
    )
    content, _ = record(PGN, moves=8, clock=BANK, infos=infos)
    nodes = [*read_pgn(content).mainline()]
    scores = [node.eval() and node.eval().white() for node in nodes]
    expected = [31, -150, chess.engine.Mate(3), chess.engine.Mate(-2), None, None, None, 0]
    assert scores == [chess.engine.Cp(each) if isinstance(each, int) else each for each in expected]
    assert [node.eval_depth() for node in nodes][:4] == [7, 9, None, None]
    assert [node.clock() for node in nodes][:4] == [59, 59, 58, 58]
    assert {node.emt() for node in nodes} == {1.5}


@pytest.mark.parametrize(
    ("clock", "control"),
    [(BANK, "60+0.5"), ({"bank_ms": 5000, "increment_ms": 0}, "5"), ({"move_ms": 100}, "1/0.1"), (None, "-")],
)
def test_the_time_control_of_chess(clock: Json | None, control: str) -> None:
    assert read_pgn(record(PGN, moves=2, clock=clock)[0]).headers["TimeControl"] == control


@pytest.mark.parametrize(
    ("fault", "pgn", "sgf_result"),
    [
        ((0, "timeout"), ("1-0", "time forfeit"), "W+T"),
        ((1, "timeout"), ("0-1", "time forfeit"), "B+T"),
        ((1, "illegal_action"), ("0-1", "rules infraction"), "B+F"),
        ((0, "crash"), ("1-0", "abandoned"), "W+F"),
        (None, ("*", "unterminated"), "Void"),
    ],
)
def test_how_a_game_ended_that_was_not_played_to_its_end(
    fault: tuple[int, str] | None, pgn: tuple[str, str], sgf_result: str
) -> None:
    read = read_pgn(record(PGN, moves=5, fault=fault)[0])
    assert (read.headers["Result"], read.headers["Termination"]) == pgn
    note = "" if fault is None else f'{"ab"[fault[0]]}: {fault[1]}: it {{was) "wrong" [\\]'
    assert " ".join(read.end().comment.split()).endswith(note)
    root, last = (tree := read_sgf(record(SGF, moves=5, fault=fault, board_size=9)[0])).get_root(), tree.get_last_node()
    assert root.get("RE") == sgf_result
    assert not last.has_property("C") if fault is None else last.get("C") == note.replace(")", "}")


@pytest.mark.parametrize(
    "options", [{"board_size": 5}, {"board_size": 9, "komi": 5.0}, {"handicap": 3, "komi": 0.5, "max_game_length": 500}]
)
def test_go_is_read_back_move_by_move_with_handicap_komi_and_margin(options: Json) -> None:
    content, game = record(SGF, clock=BANK, names=("Black ]\\", "White"), **options)
    read = read_sgf(content)
    board, moves = sgf_moves.get_setup_and_moves(read)
    assert (board.list_occupied_points() != []) == ("handicap" in options)
    for colour, point in moves:
        if point is not None:
            board.play(*point, colour)
    shown = re.findall(r"^ *\d+ ([+XO]+)$", game.observe(0).observation, re.MULTILINE)
    signs = {None: "+", "b": "X", "w": "O"}
    assert shown == ["".join(signs[board.get(y, x)] for x in range(board.side)) for y in reversed(range(board.side))]
    margin = board.area_score() - options.get("komi", 7.5)
    assert read.get_root().get("RE") == (f"{'B' if margin > 0 else 'W'}+{abs(margin):g}" if margin else "Draw")
    assert (margin > 0) - (margin < 0) == game.ranking().scores[0]
    assert (read.get_size(), read.get_komi(), read.get_handicap()) == (
        options.get("board_size", 19),
        options.get("komi", 7.5),
        options.get("handicap"),
    )
    assert (read.get_player_name("b"), read.get_player_name("w")) == ("Black ]\\", "White")
    assert (read.get_root().get("TM"), read.get_root().get("OT")) == (60, "0.5 fischer")
    first = read.get_main_sequence()[1]
    assert first.get("WL" if "handicap" in options else "BL") == 59


def test_several_games_a_file_and_other_records_are_a_problem_of_theirs(tmp_path: Path) -> None:
    for name, notation in (("1", PGN), ("2", SGF), ("3", PGN), ("4", SGF)):
        (tmp_path / f"{name}.jsonl").write_text(record(notation, moves=6)[0])
    ended = referee("record", "export", "1.jsonl", "2.jsonl", "3.jsonl", "--pgn", "-o", "all.pgn", cwd=tmp_path)
    assert (ended.status, ended.out) == (1, "all.pgn: 2 games\n")
    assert "2.jsonl: PGN is for open_spiel:chess, not for open_spiel:go" in ended.err
    assert "1.jsonl: line 7: the record breaks off here: unfinished" in ended.err
    with (tmp_path / "all.pgn").open() as file:
        assert [chess.pgn.read_game(file) is None for _ in range(3)] == [False, False, True]
    ended = referee("record", "export", tmp_path, "--sgf")
    assert "1.jsonl: SGF is for open_spiel:go, not for open_spiel:chess" in ended.err
    assert len(ended.out.split("(;")) == 3


def test_a_draw_of_chess() -> None:
    """The only move takes the last piece."""
    read = read_pgn(record(PGN, fen="k7/8/8/8/8/8/1q6/K7 w - - 0 1")[0])
    assert (read.headers["Result"], read.headers["Termination"], read.end().move.uci()) == ("1/2-1/2", "normal", "a1b2")


@pytest.mark.parametrize(
    ("times", "date"),
    [
        (["2026-11-26T23:20:49+00:00", "2026-11-26T23:59:59+00:00"], "2026-11-26"),
        (["2026-11-26T23:20:49+00:00", "2026-11-27T00:10:00+00:00"], "2026-11"),
        (["2026-11-26T23:20:49+00:00", "2027-11-26T00:10:00+00:00"], ""),
        (["2026-11-26T23:20:49+00:00", ""], ""),
        (["2026-11-26T23-20-49-2"], "2026-11-26"),
        (["tournaments"], ""),
        ([], ""),
    ],
)
def test_the_date_of_a_game_is_what_the_times_of_all_runs_have_in_common(times: list[str], date: str) -> None:
    assert common_date(times) == date


def test_a_game_has_the_name_of_its_tournament_and_the_date_of_its_run(tmp_path: Path) -> None:
    rules = 'name = "Cup of \\"engines\\""\nformat = "swiss"\ngame = "open_spiel:chess"\nseats = 2\nswiss.rounds = 1\n'
    cup = Organiser.begin(tournament_file(tmp_path, rules), tmp_path / "cup").folder
    manifest = json.loads((cup.path / "manifest.json").read_text())
    manifest["sessions"][0] |= {"started": "2026-11-26T20:00:00+00:00", "ended": "2026-11-28T01:00:00+00:00"}
    (cup.path / "manifest.json").write_text(json.dumps(manifest))
    match = tmp_path / "2025-01-31T12-00-00"
    match.mkdir()
    found = []
    for folder in (cup.records, match, tmp_path):
        for name, notation in (("1", PGN), ("2", SGF)):
            (folder / f"{name}.jsonl").write_text(record(notation, moves=2, fault=(0, "crash"))[0])
        pgn = referee("record", "export", folder / "1.jsonl", "--pgn").out.splitlines()[:3]
        root = sgf.Sgf_game.from_string(referee("record", "export", folder / "2.jsonl", "--sgf").out).get_root()
        found.append((pgn[0], pgn[2], *(root.get(name) if root.has_property(name) else None for name in ("EV", "DT"))))
    assert found == [
        ('[Event "Cup of \\"engines\\""]', '[Date "2026.11.??"]', 'Cup of "engines"', "2026-11"),
        ('[Event "?"]', '[Date "2025.01.31"]', None, "2025-01-31"),
        ('[Event "?"]', '[Date "????.??.??"]', None, None),
    ]
