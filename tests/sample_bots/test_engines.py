"""Engines that speak UCI or GTP play chess and Go, and what they do wrong is said in their own words."""

import importlib
import io
import json
import os
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import chess
import msgspec
import pytest
from chess.variant import CrazyhouseBoard

from referee.games import Seeded, find_game
from referee.games.options import config_from
from tests.cli.command import referee

ROOT = Path(__file__).parents[2]
BRIDGES = ROOT / "referee/kits/templates/engines"
WITHOUT_OPEN_SPIEL = "needs OpenSpiel: make open-spiel"
Json = dict[str, Any]
Answers = Callable[[str], Sequence[str]]


@pytest.fixture(scope="module", autouse=True)
def _path() -> Iterator[None]:
    """The bridges' folder is on the path, as it is when they run."""
    sys.path.insert(0, str(BRIDGES))
    yield
    sys.path.remove(str(BRIDGES))


def part(name: str) -> Any:
    """A module of the bridges."""
    return importlib.import_module(name)


class FakeEngine:
    """An engine in this process, which answers each command by a function. To wait for more fails the test."""

    name = "fake"

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.sent: list[str] = []
        self.lines: deque[str] = deque()

    def allow(self, time_ms: float | None) -> None: ...

    def send(self, command: str) -> None:
        self.sent.append(command)
        self.lines += self.answers(command)

    def read(self) -> str:
        return self.lines.popleft()

    def failed(self, what: str) -> Exception:
        error: Exception = part("engine").EngineFailed(f"fake {what} after {self.sent[-1]}")
        return error

    def since(self, command: str) -> list[str]:
        """What it was sent after this command, which is forgotten."""
        found = self.sent[self.sent.index(command) + 1 :]
        self.sent.clear()
        return found


def hello() -> Json:
    return {"type": "hello", "protocol": 1, "referee": "0", "limits": {"startup_ms": 1000}}


def start(game: str, clock: Json | None = None, **config: Any) -> Json:
    return {"type": "start", "game": game, "config": {"players": 2, **config}, "clock": clock or {"move_ms": 1000}}


def act(number: int, *moves: Json, legal: Sequence[Json], time_ms: int = 1000) -> Json:
    """A question after these moves, any other dict in them being an event."""
    events = [move if "type" in move else {"type": "decision", "action": move} for move in moves]
    return {"type": "act", "id": number, "events": events, "legal": list(legal), "time_ms": time_ms}


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Json]]:
    """Sends messages to a player at a fake engine, and returns what it answers."""

    def ask(player: Any, *messages: Json) -> list[Json]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(message) + "\n" for message in messages)))
        player.play()
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return ask


# -- UCI -------------------------------------------------------------------------------------------------------------

CHESS, CRAZYHOUSE = "open_spiel:chess", "open_spiel:crazyhouse"
A3, E4, E5, A6 = (
    {"action": number, "text": text} for number, text in ((89, "a3"), (2426, "e4"), (2426, "e5"), (89, "a6"))
)
UCI = {
    "uci": [
        "a banner",
        "id name Fake 1",
        "option name Hash type spin default 1",
        "option name Ponder type check",
        "option name UCI_Variant type combo default chess var chess var crazyhouse",
        "option name Move Overhead type spin default 10",
        "uciok",
        "and more",
    ],
    "isready": ["readyok"],
}


def uci_engine(*best: str, **more: Sequence[str]) -> FakeEngine:
    """An engine that says these lines, one after another, when it is told to go."""
    left = iter(best)
    known = UCI | more
    return FakeEngine(lambda line: next(left).split("\n") if line.startswith("go") else known.get(line.split()[0], []))


def uci_player(engine: FakeEngine, *options: str) -> Any:
    return part("uci").Player(engine, part("uci").arguments([*options, "fake"]))


def test_a_uci_engine_is_set_up_asked_and_its_evaluation_passed_on(ask: Callable[..., list[Json]]) -> None:
    line = "info depth 7 nodes 99 score cp -31 pv e2e4 e7e5\ninfo string what a position\nbestmove e2e4 ponder e7e5"
    engine = uci_engine(line, "bestmove a2a3")
    player = uci_player(engine, "--option", "hash=16", "--option", "move overhead=5")
    ready, first, second = ask(
        player,
        hello(),
        start(CHESS, {"bank_ms": 5000, "increment_ms": 100}),
        act(1, legal=[A3, E4], time_ms=5000),
        act(2, E4, E5, legal=[A3], time_ms=4000),
    )
    assert ready == {"type": "ready", "protocol": 1, "name": "Fake 1"}
    assert first == {
        "type": "action",
        "id": 1,
        "action": E4,
        "info": {"score": -0.31, "depth": 7, "nodes": 99, "line": "e2e4 e7e5"},
    }
    assert second == {"type": "action", "id": 2, "action": A3}
    assert engine.sent == [
        "uci",
        "setoption name Hash value 16",
        "setoption name Move Overhead value 5",
        "isready",
        "setoption name UCI_Variant value chess",
        "ucinewgame",
        "isready",
        "position startpos",
        "isready",
        "go wtime 5000 btime 5000 winc 100 binc 100",
        "position startpos moves e2e4 e7e5",
        "isready",
        "go wtime 4000 btime 4000 winc 100 binc 100",
    ]


@pytest.mark.parametrize(
    ("options", "clock", "command"),
    [
        ((), {"move_ms": 1000}, "go movetime 980"),
        (("--nodes", "30"), {"move_ms": 1000}, "go nodes 30"),
        (("--depth", "3"), {"bank_ms": 1000}, "go depth 3"),
        (("--movetime", "50"), {"bank_ms": 1000}, "go movetime 50"),
        ((), {"bank_ms": 1000}, "go wtime 1000 btime 1000 winc 0 binc 0"),
        ((), {"bank_ms": 0}, "go wtime 1 btime 1 winc 0 binc 0"),
        ((), {"move_ms": 15}, "go movetime 1"),
    ],
)
def test_a_uci_engine_has_the_clock_or_the_limit_of_its_bot(
    options: Sequence[str], clock: Json, command: str, ask: Callable[..., list[Json]]
) -> None:
    engine = uci_engine("bestmove e2e4")
    time_ms = clock["bank_ms" if "bank_ms" in clock else "move_ms"]
    ask(uci_player(engine, *options), start(CHESS, clock), act(1, legal=[E4], time_ms=time_ms))
    assert engine.sent[-1] == command


@pytest.mark.parametrize(
    "said", ["bestmove 0000", "bestmove (none)", "bestmove", "bestmove e2e5 ponder e7e5", "bestmove \x00\ufffd"]
)
def test_a_move_that_is_not_legal_is_sent_in_the_engines_words_and_may_be_tried_again(
    said: str, ask: Callable[..., list[Json]]
) -> None:
    engine = uci_engine(said, "bestmove E2E4")
    answers = ask(uci_player(engine, "--ponder"), start(CHESS), act(1, legal=[E4]), act(2, legal=[E4]))
    assert [answer["action"] for answer in answers] == [{"action": -1, "text": said}, E4]
    assert engine.sent.count("position startpos") == 2


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info depth seven score cp 1e9 pv", {"line": ""}),
        (f"info score cp {'9' * 5000} depth 3", {"depth": 3}),
        ("info score mate -2 depth 9 nodes 5 pv e2e4", {"mate": -2, "depth": 9, "nodes": 5, "line": "e2e4"}),
        ("info depth 5 multipv 1 score cp 12", {"depth": 5, "score": 0.12}),
        ("info depth 5 multipv 2 score cp 900 pv a2a3", {"depth": 4}),
        ("info depth 5 score cp 900 lowerbound", {"depth": 4}),
        ("info depth 5 score cp 900 upperbound nodes 7", {"depth": 4}),
        ("info depth 5 currmove e2e4 currmovenumber 1", {"depth": 4}),
        ("info string depth 5 score cp 900", {"depth": 4}),
        ("info score", {"depth": 4}),
        ("\x1b[31mrubbish score", {"depth": 4}),
    ],
)
def test_info_is_the_last_score_of_the_best_line(line: str, info: Json, ask: Callable[..., list[Json]]) -> None:
    engine = uci_engine(f"info depth 4 score no\n{line}\nbestmove e2e4")
    answers = ask(uci_player(engine), start(CHESS), act(1, legal=[E4]))
    assert [(answer["action"], answer["info"]) for answer in answers] == [(E4, info)]


def test_moves_that_nobody_asked_for_are_dropped(ask: Callable[..., list[Json]]) -> None:
    engine = uci_engine("bestmove e2e4\nbestmove a2a3", "bestmove a2a3", ucinewgame=["bestmove h2h4"])
    answers = ask(uci_player(engine), start(CHESS), act(1, legal=[E4, A3]), act(2, E4, E5, legal=[E4, A3]))
    assert [answer["action"] for answer in answers] == [E4, A3]


def test_pondering_is_hit_missed_and_stopped_at_the_end(ask: Callable[..., list[Json]]) -> None:
    engine = uci_engine(
        "bestmove e2e4 ponder e7e5",  # a move
        "",  # it ponders
        "bestmove a2a3 ponder a7a6",  # another, as it was not what it expected
        "",
        stop=["bestmove h2h4"],
        ponderhit=["bestmove a2a3 ponder a7a6"],
    )
    player = uci_player(engine, "--ponder")
    answers = ask(player, hello(), start(CHESS), act(1, legal=[E4]), act(2, E4, E5, legal=[A3]), {"type": "end"})
    assert [answer["action"] for answer in answers[1:]] == [E4, A3]
    assert "setoption name Ponder value true" in engine.sent
    assert engine.since("go movetime 980") == [
        "position startpos moves e2e4 e7e5",
        "go ponder movetime 980",
        "ponderhit",
        "position startpos moves e2e4 e7e5 a2a3 a7a6",
        "go ponder movetime 980",
        "stop",
    ]


@pytest.mark.parametrize(
    ("clock", "command"),
    [
        ({"bank_ms": 5000, "increment_ms": 100}, "wtime 400 btime 400 winc 100 binc 100"),
        ({"move_ms": 1000}, "movetime 980"),
    ],
)
def test_the_clock_while_pondering_is_what_the_own_move_has_left(
    clock: Json, command: str, ask: Callable[..., list[Json]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([10.0, 10.7])
    monkeypatch.setattr(part("uci"), "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    engine = uci_engine("bestmove e2e4 ponder e7e5", "")
    ask(uci_player(engine, "--ponder"), start(CHESS, clock), act(1, legal=[E4], time_ms=1000))
    assert engine.sent[-1] == f"go ponder {command}"


@pytest.mark.parametrize(
    ("options", "messages", "message"),
    [
        (
            ["--option", "Threads=2"],
            [hello()],
            "Fake 1 has no option Threads; it has Hash, Ponder, UCI_Variant, Move Overhead",
        ),
        (
            [],
            [start("open_spiel:go")],
            "open_spiel:go is not chess: this bot plays open_spiel:chess, open_spiel:crazyhouse",
        ),
        (
            [],
            [start(CRAZYHOUSE)],
            "it has no option UCI_Variant with crazyhouse, so it can't play open_spiel:crazyhouse",
        ),
        (
            [],
            [hello(), start(CRAZYHOUSE, king_of_hill=True)],
            "engines know open_spiel:crazyhouse with king_of_hill=false only",
        ),
        (
            [],
            [hello(), start(CHESS, chess960=True)],
            "it has no option UCI_Chess960, so it can't play with chess960=true",
        ),
    ],
)
def test_what_a_uci_engine_cannot_do(
    options: Sequence[str], messages: Sequence[Json], message: str, ask: Callable[..., list[Json]]
) -> None:
    with pytest.raises(part("engine").EngineFailed) as error:
        ask(uci_player(uci_engine(), *options), *messages)
    assert str(error.value) == message


def new_game(name: str, seed: str, **options: Any) -> Any:
    """A game of OpenSpiel."""
    pytest.importorskip("pyspiel", reason=WITHOUT_OPEN_SPIEL)
    game = find_game(name)
    return game.new(config_from(game.Config, {"players": 2, **options}), Seeded(seed))


def events_since(game: Any, number: int) -> list[Json]:
    """The events after the first so many, as a bot is sent them."""
    found: list[Json] = [msgspec.to_builtins(event) for event, _ in game.log[number:]]
    return found


@pytest.mark.parametrize("limit", ["--nodes=0", "--depth=-1", "--movetime=fast"])
def test_a_limit_is_positive(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        uci_player(uci_engine(), limit)
    assert "invalid positive value" in capsys.readouterr().err


def test_a_game_that_begins_elsewhere_is_set_up_there(ask: Callable[..., list[Json]]) -> None:
    """With Black to move, who castles, and without the two numbers, as EPD has it."""
    engine = uci_engine("bestmove e8g8")
    board = "r3k2r/8/8/8/8/8/8/4K3 b kq -"
    castling = {"action": part("uci").RIGHT_CASTLING, "text": "O-O"}
    answers = ask(uci_player(engine), start(CHESS, fen=board), act(1, legal=[castling]))
    assert [answer["action"] for answer in answers] == [castling]
    assert engine.sent[-3] == f"position fen {board} 0 1"


def kind_of(move: chess.Move, board: chess.Board) -> str:
    """What is special about a move; empty if nothing is."""
    if board.is_castling(move):
        return "O-O" if board.is_kingside_castling(move) else "O-O-O"
    if board.is_en_passant(move):
        return "e.p."
    return "drop" if move.drop else chess.piece_name(move.promotion) if move.promotion else ""


PROMOTIONS = {"queen", "rook", "bishop", "knight"}


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("name", "options", "rules", "expected"),
    [
        ("chess", {"chess960": False}, chess.Board, {"O-O", "O-O-O", "e.p.", *PROMOTIONS}),
        ("chess", {"chess960": True}, chess.Board, {"O-O", "O-O-O", "e.p.", *PROMOTIONS}),
        ("crazyhouse", {"chess960": False}, CrazyhouseBoard, {"O-O", "O-O-O", "e.p.", "drop", *PROMOTIONS}),
        ("crazyhouse", {"chess960": True}, CrazyhouseBoard, {"O-O", "O-O-O", "drop"}),
    ],
)
def test_every_move_of_chess_is_read_by_others_as_openspiel_has_it(
    name: str, options: Json, rules: type[chess.Board], expected: set[str]
) -> None:
    """Random games, in which special moves are preferred, and those of kings and rooks avoided."""
    kinds, chess960 = set[str](), options.get("chess960", False)
    for seed in range(12):
        if seed > 2 and kinds >= expected:
            break
        random, game = Random(seed), new_game(f"open_spiel:{name}", str(seed), **options)
        position = part("uci").Position()
        position.add(events_since(game, 0))
        board = rules(position.fen, chess960=chess960)
        for _ in range(200):
            assert name != "chess" or game.observe(0).observation == board.fen(shredder=chess960)
            if game.turn is None:
                break
            legal, seen = game.legal_actions(), len(game.log)
            moves = [chess.Move.from_uci(position.uci_move(msgspec.to_builtins(play))) for play in legal]
            assert set(moves) == set(board.legal_moves)
            special = [index for index, move in enumerate(moves) if kind_of(move, board)]
            pieces = {index: board.piece_type_at(move.from_square) for index, move in enumerate(moves)}
            pawns = [index for index, piece in pieces.items() if piece == chess.PAWN]
            others = [index for index, piece in pieces.items() if piece not in (chess.KING, chess.ROOK)]
            index = random.choice(random.choice([special or pawns or list(pieces), others or list(pieces)]))
            game.apply(legal[index])
            assert position.add(events_since(game, seen)) == [moves[index].uci()]
            kinds.add(kind_of(moves[index], board))
            board.push(moves[index])
    assert kinds >= expected


@pytest.mark.slow
def test_the_numbers_of_chess960_are_those_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason=WITHOUT_OPEN_SPIEL)
    root = pyspiel.load_game("chess", {"chess960": True}).new_initial_state()
    for number, _ in root.chance_outcomes():
        board = chess.Board(part("uci").chess960_start(number), chess960=True)
        assert board.shredder_fen() == root.child(number).observation_string(0)


# -- GTP -------------------------------------------------------------------------------------------------------------

GO = "open_spiel:go"
COMMANDS = ["name", "version", "komi", "time_settings", "time_left", "genmove", "kgs-genmove_cleanup"]


def play_of(text: str) -> Json:
    return {"action": 1, "text": text}


def gtp_engine(*moves: str, commands: Sequence[str] = COMMANDS, **more: str) -> FakeEngine:
    """An engine that generates these moves, one after another."""
    left = iter(moves)
    known = {"name": "= Fake", "version": "= 2", "list_commands": "\n".join(["= play", *commands])} | more

    def answer(line: str) -> list[str]:
        command = line.split(maxsplit=1)[0].removeprefix("kgs-")
        said = f"= {next(left)}" if command.startswith("genmove") else known.get(command, "=")
        return ["a banner", "", *said.split("\n"), ""]

    return FakeEngine(answer)


def test_a_gtp_engine_is_set_up_and_told_all_moves(ask: Callable[..., list[Json]]) -> None:
    engine = gtp_engine("c3", "PASS", "D5", commands=COMMANDS[:-1])
    clock = {"bank_ms": 60_900, "increment_ms": 500}
    ready, first, second = ask(
        part("gtp").Player(engine),
        hello(),
        start(GO, clock, board_size=9, komi=6.5),
        act(1, play_of("B D4"), play_of("W E5"), play_of("B pass"), legal=[play_of("W C3")], time_ms=60_900),
        act(2, play_of("W C3"), play_of("B E4"), legal=[play_of("W pass")], time_ms=50_100),
    )
    assert (ready["name"], first["action"], second["action"]) == ("Fake 2", play_of("W C3"), play_of("W pass"))
    assert engine.since("version") == [
        "boardsize 9",
        "clear_board",
        "komi 6.5",
        "time_settings 60 0 0",
        "play B D4",
        "play W E5",
        "play B pass",
        "time_left white 60 0",
        "genmove white",
        "play B E4",
        "time_left white 50 0",
        "genmove white",
    ]


@pytest.mark.parametrize(
    ("clock", "command"), [({"move_ms": 2500}, "0 2 1"), ({"move_ms": 200}, "0 1 1"), ({"bank_ms": 900}, "1 0 0")]
)
def test_gtp_knows_whole_seconds_only(clock: Json, command: str, ask: Callable[..., list[Json]]) -> None:
    engine = gtp_engine()
    ask(part("gtp").Player(engine), hello(), start(GO, clock))
    assert engine.sent[-1] == f"time_settings {command}"


def test_an_engine_that_passes_cleans_up_first_and_one_that_resigns_passes(ask: Callable[..., list[Json]]) -> None:
    engine = gtp_engine("pass", "C3", "resign")
    answers = ask(
        part("gtp").Player(engine),
        hello(),
        start(GO),
        act(1, legal=[play_of("B C3")]),
        act(2, play_of("B C3"), play_of("W pass"), legal=[play_of("B pass")]),
    )
    assert [(each["action"], each["info"]) for each in answers[1:]] == [
        (play_of("B C3"), {"engine": "pass"}),
        (play_of("B pass"), {"engine": "resign"}),
    ]
    assert engine.since("genmove black") == [
        "clear_board",
        "komi 7.5",
        "time_settings 0 1 1",
        "kgs-genmove_cleanup black",
        "play W pass",
        "genmove black",
        "play B pass",
    ]


def test_time_that_is_left_is_told_before_the_cleanup_too(ask: Callable[..., list[Json]]) -> None:
    engine = gtp_engine("pass", "C3")
    ask(
        part("gtp").Player(engine),
        hello(),
        start(GO, {"bank_ms": 60_000}),
        act(1, legal=[play_of("B C3")], time_ms=9900),
    )
    assert engine.sent[-5:] == [
        "clear_board",
        "komi 7.5",
        "time_settings 60 0 0",
        "time_left black 9 0",
        "kgs-genmove_cleanup black",
    ]


@pytest.mark.parametrize("said", ["=7 C3", "=c3", "= C3 \n# a comment", "=\tC3"])
def test_answers_with_numbers_comments_and_blanks(said: str, ask: Callable[..., list[Json]]) -> None:
    engine = FakeEngine(lambda line: [*(said if line.startswith("genmove") else "= ").split("\n"), ""])
    answers = ask(part("gtp").Player(engine), start(GO), act(1, legal=[play_of("B C3")]))
    assert [each["action"] for each in answers] == [play_of("B C3")]


def test_a_refused_move_is_taken_back_before_the_next_try(ask: Callable[..., list[Json]]) -> None:
    engine = gtp_engine("D4", "C3")
    legal = [play_of("B C3")]
    answers = ask(part("gtp").Player(engine), start(GO), act(1, play_of("W E5"), legal=legal), act(2, legal=legal))
    assert [each["action"] for each in answers] == [{"action": -1, "text": "D4"}, play_of("B C3")]
    assert engine.since("genmove black") == ["clear_board", "play W E5", "genmove black"]


def test_an_engine_may_refuse_komi_and_clock_but_no_move(
    ask: Callable[..., list[Json]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = gtp_engine("C3", komi="? no such komi", time_settings="? unknown command", play="? illegal move")
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    question = act(1, play_of("W E5"), legal=[play_of("B C3")])
    with pytest.raises(part("engine").EngineFailed, match="refuses after play W E5"):
        ask(part("gtp").Player(engine), hello(), start(GO), question)
    assert said.getvalue() == "gtp: fake refuses after komi 7.5\ngtp: fake refuses after time_settings 0 1 1\n"


def test_stones_of_a_handicap_are_where_openspiel_places_them() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason=WITHOUT_OPEN_SPIEL)
    for number in range(11):
        shown = pyspiel.load_game("go", {"handicap": number}).new_initial_state().observation_string(0)
        rows = {int(row[:2]): row[3:] for row in shown.splitlines() if row[:2].strip().isdecimal()}
        stones = {
            f"{'ABCDEFGHJKLMNOPQRST'[file]}{rank}" for rank in rows for file, at in enumerate(rows[rank]) if at == "X"
        }
        assert set(part("gtp").handicap_stones(number)) == stones


# -- processes --------------------------------------------------------------------------------------------------------

FAKE = """
import sys
mode, moves = sys.argv[1], 0
for line in sys.stdin:
    word = line.split()[0]
    if mode == "is another program":
        print("FATAL: what is", word)
        sys.exit(3)
    print({"uci": "id name Fake\\nuciok", "isready": "readyok"}.get(word, ""), flush=True)
    if word == "go":
        moves += 1
        if mode == "dies":
            print("info string out of ideas")
            print("fake: out of memory", file=sys.stderr)
            sys.exit(7)
        if mode == "hangs":
            print("info string thinking hard", flush=True)
        else:
            print("bestmove 0000", flush=True)
    if word == "quit":
        break
"""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-engine"], "there is no program no-such-engine on PATH, nor in /usr/games"),
        (["./no-such-engine"], "there is no program ./no-such-engine, or the sandbox hides it: see --show"),
        (["./text"], r"\./text can't be started: Exec format error"),
        ([sys.executable, "-c", ""], 'has ended with status 0 after "uci"; it has written nothing'),
        (
            [sys.executable, "-c", "print(input()[:0] + 'usage: …')"],
            'has ended with status 0 after "uci"; its last line was "usage: …"',
        ),
    ],
)
def test_a_program_that_is_not_an_engine(
    command: Sequence[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_bytes(b"no program")
    (tmp_path / "text").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=f"uci: .*{message}"):
        part("engine").run(lambda engine: uci_player(engine).set_up(), command, "uci")


def test_an_engine_that_is_late_is_quoted_once_and_its_long_lines_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    program = "import sys\nfor line in sys.stdin: print(line * 3, flush=True)"
    engine = part("engine").Engine([sys.executable, "-c", program])
    engine.allow(0)
    engine.send("x" * 10_000)
    assert [len(engine.read()) for _ in range(4)] == [10_000, 10_000, 10_000, 0]
    assert capsys.readouterr().err.count("has not answered") == 1
    engine.allow(None)
    engine.send("x" * 20_000)
    assert [len(engine.read()) for _ in range(2)] == [16_384, 3616]
    engine.close()
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "code", "words"),
    [
        (
            "dies",
            "crash",
            [
                'has ended with status 7 after "go nodes 5"',
                'last line was "info string out of ideas"',
                "fake: out of memory",
            ],
        ),
        ("hangs", "timeout", ['has not answered after "go nodes 5"; its last line was "info string thinking hard"']),
        ("cheats", "illegal_action", ['{"action": -1, "text": "bestmove 0000"}\' is not among the 20 legal actions']),
        (
            "is another program",
            "crash",
            ['has ended with status 3 after "uci"; its last line was "FATAL: what is uci"'],
        ),
    ],
)
def test_what_an_engine_did_wrong_is_said_in_its_own_words(
    mode: str, code: str, words: Sequence[str], tmp_path: Path
) -> None:
    pytest.importorskip("pyspiel", reason=WITHOUT_OPEN_SPIEL)
    bot = tmp_path / "fish"
    bot.mkdir()
    (bot / "fake.py").write_text(FAKE)
    (bot / "bot.toml").write_text(
        f"command = ['python3', '{{kits}}/engines/uci.py', '--nodes', '5', 'python3', 'fake.py', '{mode}']"
    )
    clock = ("--move-time", "1s" if mode == "hangs" else "60s")
    match = referee("match", bot, "builtin:first", "--game", CHESS, "--games", "1", "--no-record", *clock, cwd=tmp_path)
    assert match.status == 3
    shown = " ".join(match.out.split())
    assert f"fish: {code}" in shown
    assert all(each in shown for each in words), match.out


# -- engines that nobody here wrote -----------------------------------------------------------------------------------

STRENGTHS = [
    "--nodes 30000",
    "--nodes 5000",
    "--nodes 800",
    "--nodes 100",
    "--depth 1 --option 'Skill Level=0'",
]
"""Of Stockfish, the strongest first, each of which beats the next one in nearly all games."""
LITTLE_TIME = ("--bank", "2s", "--increment", "20ms")
"""For engines that think for as long as they may."""
KILLER = """
import subprocess, sys, threading
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, text=True)
moves = 0
for line in sys.stdin:
    moves += line.startswith("go")
    if moves == 3:  # and before the engine hears of it, as it might answer at once
        engine.kill()
        break
    print(line, end="", file=engine.stdin, flush=True)
sys.exit(engine.wait())
"""


def needs(engine: str) -> str:
    """The path of an engine; without it the test is skipped."""
    pytest.importorskip("pyspiel", reason=WITHOUT_OPEN_SPIEL)
    found = shutil.which(engine, path=f"{os.environ['PATH']}:/usr/games")
    return found or pytest.skip(f"needs {engine}: apt install {engine}")


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("bot", "engine", "game", "clock"),
    [
        (ROOT / "bots/uci-python", "stockfish", [CHESS], LITTLE_TIME),
        pytest.param(
            ROOT / "bots/uci-python",
            "stockfish",
            [CHESS, "--set", "chess960=true"],
            LITTLE_TIME,
            marks=pytest.mark.check_all,
        ),
        ("fairy-stockfish=python3 {kits}/engines/uci.py fairy-stockfish", "fairy-stockfish", [CRAZYHOUSE], LITTLE_TIME),
        (ROOT / "bots/gtp-python", "gnugo", [GO, "--set", "board_size=9"], ("--bank", "5s", "--increment", "100ms")),
    ],
)
def test_engines_of_others_beat_a_random_bot(
    bot: str | Path, engine: str, game: Sequence[str], clock: Sequence[str], tmp_path: Path
) -> None:
    needs(engine)
    match = referee(
        "match", bot, "builtin:random", "--game", *game, "--games", "1", "--no-rotate", *clock,
        "--time-scale", "3", "--record", "records", cwd=tmp_path,
    )  # fmt: skip
    assert match.status == 0, match.out + match.err
    record = [json.loads(line) for line in (tmp_path / "records/0001-1.jsonl").read_text().splitlines()]
    seat = [player["name"] for player in record[0]["players"]].index(engine)
    assert (record[-1]["faults"], record[-1]["ranks"][seat]) == ([None, None], 1)
    infos = [line["info"] for line in record if line.get("seat") == seat and "info" in line]
    assert engine == "gnugo" or (infos and all({"depth", "line"} <= info.keys() for info in infos))


@pytest.mark.check_all
def test_a_swiss_of_six_strengths_ranks_them_by_strength(tmp_path: Path) -> None:
    """The weakest plays at random. In five rounds two of them meet twice: the expected results decide the ranks then,
    too, by Buchholz."""
    needs("stockfish")
    bots = [
        f'[[bot]]\nname = "{place}"\ncommand = "python3 {{kits}}/engines/uci.py {strength} stockfish"'
        for place, strength in enumerate(STRENGTHS, 1)
    ]
    rules = ["name = 'six'", "format = 'swiss'", f"game = '{CHESS}'", "seats = 2", "deals = 1", "seed = 'd'"]
    rules += ["swiss.rounds = 5", "clock.move = '60s'", "opening.file = 'book.txt'"]
    (tmp_path / "book.txt").write_text("e4 e5 Nf3 Nc6\nd4 d5 c4 e6\ne4 c5 Nf3 d6\nd4 Nf6 c4 g6\n")
    (tmp_path / "six.toml").write_text("\n".join([*rules, *bots, "[[bot]]\nname = '6'\nbuiltin = 'random'\n"]))
    ran = referee("tournament", "run", "six.toml", cwd=tmp_path)
    assert ran.status == 0, ran.out + ran.err
    standings = referee("tournament", "standings", "six", "--json", cwd=tmp_path).json["standings"]
    assert [row["name"] for row in standings] == ["1", "2", "3", "4", "5", "6"]
    assert [row["faults"] for row in standings] == [0] * 6
    assert referee("tournament", "verify", "six", cwd=tmp_path).status == 0


@pytest.mark.ci_only
def test_an_engine_that_is_killed_in_the_middle_loses_this_game_and_plays_the_next(tmp_path: Path) -> None:
    stockfish, bot = needs("stockfish"), tmp_path / "fish"
    bot.mkdir()
    (bot / "killer.py").write_text(KILLER)
    (bot / "bot.toml").write_text(
        f"command = 'python3 {{kits}}/engines/uci.py --nodes 9 python3 killer.py {stockfish}'"
    )
    match = referee("match", bot, "builtin:first", "--game", CHESS, "--games", "2", "--no-record", cwd=tmp_path)
    assert match.status == 3
    assert match.out.count("fish: crash") or "×2" in match.out
    assert "python3 has ended with status" in match.out
    assert "exited with status 1 at act 3" in match.out
