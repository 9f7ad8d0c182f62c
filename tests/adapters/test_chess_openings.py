"""Openings of chess: moves in a text, PGN, EPD and FEN."""

import json
from pathlib import Path

import pytest
import trio

from referee.games import Game, find_game
from referee.games.interface import DecisionEvent
from referee.games.opening import OpeningError
from referee.games.registry import find_opening_reader
from referee.record.replay import Replay
from tests.playing import match_of
from tournaments.play.match import play_match
from tournaments.play.match_spec import MatchError

pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")

PGN = """[Event "x ] y"]
[White "A"]

1. e4 {a comment (with parens} e5 (1... c5 2. Nf3 (2. Nc3) d6) 2. Nf3! $1 Nc6 3.Bb5 a6?! ; the rest: e4
% escaped
4. 0-0 *

[Event "y"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]

1. a8Q Kd7 1/2-1/2

[Event "without a result"]
1 d4
"""
EPD = """rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - bm e5; id "one";
# and moves
e4 c5
4k3/P7/8/8/8/8/8/4K3 w - - 0 1
"""
FEN = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"


def begun(name: str, text: str) -> dict[str, Game]:
    chess = find_game("open_spiel:chess")
    found = find_opening_reader(chess)(name, text)
    return {each.source: each.begin(chess, chess.Config(players=2), "deal") for each in found}


def moves(game: Game) -> str:
    return " ".join(event.action.text for event, _ in game.log if isinstance(event, DecisionEvent))


def test_pgn_is_read_without_comments_variations_and_marks() -> None:
    found = begun("book.pgn", PGN)
    assert {source: moves(game) for source, game in found.items()} == {
        "book.pgn:4": "e4 e5 Nf3 Nc6 Bb5 a6 O-O",
        "book.pgn:10": "a8=Q+ Kd7",
        "book.pgn:15": "d4",
    }
    assert found["book.pgn:10"].config.fen == FEN


@pytest.mark.parametrize("name", ["book.pgn", "book.txt"])
def test_games_without_tags_and_results_are_told_apart_by_their_first_move(name: str) -> None:
    found = begun(name, "1. e4 {king's pawn} 1... e5 (1. d4) 2. Nf3\n1.d4 1. ... d5\n\n1. c4")
    assert [moves(game) for game in found.values()] == ["e4 e5 Nf3", "d4 d5", "c4"]


def test_epd_and_fen_are_positions_to_begin_from_and_lines_of_moves_may_stand_between() -> None:
    found = begun("book.epd", EPD)
    assert {source: (moves(game), game.config.fen) for source, game in found.items()} == {
        "book.epd:1": ("", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"),
        "book.epd:3": ("e4 c5", ""),
        "book.epd:4": ("", FEN),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("e4 e5\nd4 Qd5", ":2: 'Qd5' is not legal as decision 2 .*; legal are a6, a5, Na6"),
        ("f3 e5 g4 Qh4", ":1: the game is over after this opening"),
        ("8/8/8/8/8/8/8/8 w - -", "each side must have one king"),
        ("k7/8/8/8/8/8/8/9K w - -", "expected board"),
        ("k7/8/8/8/8/8/8/6K w - -", "8 squares"),
        ("k5P1/8/8/8/8/8/8/7K w - -", "a pawn stands"),
        ("k7/8/8/8/8/8/8/7K w K -", "castling K needs"),
        ("k7/8/8/8/8/8/8/7K w - e6", "en passant"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "is the side in check that is not to move"),
        ("4k3/8/8", "expected board, side to move, castling and en passant"),
        ('[Event "x"]\n1. e4 (e5', "a variation of this game doesn't end"),
        ('[Event "x"]\n1. e4 e5)', ":2: not PGN"),
        ('[Event "x"]\n1. e4 {e5\n\n[Event "y"]\n1. d4', ":2: not PGN: a comment begins that doesn't end"),
    ],
)
def test_what_is_no_opening_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(OpeningError, match=problem):
        begun("book", text)


def test_a_match_begins_games_in_the_positions_of_a_file_and_its_records_replay(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(FEN)
    spec = match_of(
        "builtin:random", "b=builtin:first", game="open_spiel:chess", deals=1, openings=book, records=tmp_path / "r"
    )
    trio.run(play_match, spec)
    for path in sorted((tmp_path / "r").glob("*.jsonl")):
        first = json.loads(path.read_text().splitlines()[0])
        assert (first["config"]["fen"], first["opening"]) == (FEN, "book.epd:1")
        Replay(path).check()
    book.write_text("e4 e4")
    with pytest.raises(MatchError, match=r"the openings can't be played: book\.epd:1: 'e4' is not legal"):
        trio.run(play_match, match_of("builtin:random", "b=builtin:first", game="open_spiel:chess", openings=book))
