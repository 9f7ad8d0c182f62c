"""Lets a UCI engine play `open_spiel:chess`: python3 uci.py [OPTION…] ENGINE [ARGUMENT…]. See docs/engines.md.

The engine gets all moves since the start of the game, its own clock for both sides, as the referee tells a bot no
other, and no `movestogo`, as there is none. What it says of depth, score and line is sent as `info` with its move.
"""

import argparse
import re
from itertools import pairwise

from engine import Engine, EngineFailed, Json, answer, messages, run, send

GAME = "open_spiel:chess"
MAX_LINE = 12
"""Moves of the main line that are kept."""
OVERHEAD_MS = 20
"""Taken off the time per decision: for the way to the engine and back."""
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PLANES = 73
"""The numbers of moves from each square. See `uci_move`."""
UNDERPROMOTIONS = 9
LEFT_CASTLING, RIGHT_CASTLING = 64 * PLANES, 64 * PLANES + 1
LINES = [range(-7, 0), range(1, 8)]
STEPS = [
    *[(0, rank) for line in LINES for rank in line],
    *[(file, 0) for line in LINES for file in line],
    *[(both, both) for line in LINES for both in line],
    *[(file, -file) for line in LINES for file in line],
    *[(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)],
]
"""Files and ranks of a move, by its number less UNDERPROMOTIONS, as its player sees the board."""


class Position:
    """A game: where it began, and its moves as UCI has them."""

    def __init__(self, chess960: bool) -> None:
        self.chess960 = chess960
        self.moves: list[str] | None = None
        """None: it is not known yet where it began."""
        self.fen = START
        self.kings = {"w": "e", "b": "e"}
        """The file on which the king of a side begins."""
        self.castled = {(side, to): file for side in "wb" for to, file in ((LEFT_CASTLING, "c"), (RIGHT_CASTLING, "g"))}
        """The file that UCI names for its castling: where the king arrives, and in Chess960 where its rook is."""

    def add(self, events: list[Json], seen: str) -> list[str]:
        """Note the moves in events that lead to the position `seen`. Returns them as UCI has them."""
        plays = [event["action"] for event in events if event["type"] == "decision"]
        if self.moves is None:
            self.moves = []
            plays = self.begin(plays, seen)
        for play in plays:
            self.moves.append(self.uci_move(play))
        return self.moves[len(self.moves) - len(plays) :]

    def begin(self, plays: list[Json], seen: str) -> list[Json]:
        """Find out where the game began from its first `plays` and the position after them. Returns the known plays.

        In Chess960 that is only seen: after one move by the rank of Black, who has not moved yet; after more moves of
        an opening they are left out, and the game begins where they ended.
        """
        if not plays:
            self.fen = seen
        elif self.chess960:
            if len(plays) == 1:
                rank, castling = seen.split("/", maxsplit=1)[0], "".join(sorted(seen.split()[2], reverse=True))
                self.fen = f"{rank}/pppppppp/8/8/8/8/PPPPPPPP/{rank.upper()} w {castling} - 0 1"
            else:
                self.fen, plays = seen, []
        if self.chess960:
            self.castle_by_rooks()
        return plays

    def castle_by_rooks(self) -> None:
        """UCI writes castling in Chess960 as the king taking its rook."""
        board, _, castling, *_ = self.fen.split()
        for side, row, letters in (("w", board.split("/")[7], "ABCDEFGH"), ("b", board.split("/")[0], "abcdefgh")):
            squares = re.sub("[1-8]", lambda digit: " " * int(digit[0]), row)
            king = squares.find("K" if side == "w" else "k")
            if king < 0:
                continue
            self.kings[side] = "abcdefgh"[king]
            for letter in castling:
                if letter in letters:
                    rook = letters.index(letter)
                    self.castled[side, LEFT_CASTLING if rook < king else RIGHT_CASTLING] = "abcdefgh"[rook]

    def command(self) -> str:
        begin = "position startpos" if self.fen == START else f"position fen {self.fen}"
        return f"{begin} moves {' '.join(self.moves)}" if self.moves else begin

    def uci_move(self, play: Json) -> str:
        """The next move, numbered by OpenSpiel, as UCI writes it, such as e7e8q.

        The library numbers a move by its square (file * 8 + rank) and then by direction and distance, both as its
        player sees the board. A text with `=Q` says that a pawn becomes a queen.
        """
        assert self.moves is not None
        side = "wb"[(self.fen.split()[1] == "b") != (len(self.moves) % 2 == 1)]
        number = play["action"]
        if number >= LEFT_CASTLING:
            home = "1" if side == "w" else "8"
            return f"{self.kings[side]}{home}{self.castled[side, number]}{home}"
        square, plane = divmod(number, PLANES)
        file, rank = divmod(square, 8)
        if plane < UNDERPROMOTIONS:
            piece, (files, ranks) = "rbn"[plane // 3], ((0, 1, -1)[plane % 3], 1)
        else:
            piece, (files, ranks) = "q" if "=Q" in play["text"] else "", STEPS[plane - UNDERPROMOTIONS]
        squares = [(file, rank), (file + files, rank + ranks)]
        return "".join(f"{'abcdefgh'[f]}{r + 1 if side == 'w' else 8 - r}" for f, r in squares) + piece


class Player:
    """An engine at the table."""

    def __init__(self, engine: Engine, given: argparse.Namespace) -> None:
        self.engine, self.given = engine, given
        self.position: Position | None = None
        self.clock: Json = {}
        self.known: set[str] = set()
        """The names of the engine's options, in lower case."""
        self.guess: str | None = None
        """The move on which the engine is pondering."""

    def play(self) -> None:
        name = self.hello()
        for message in messages():
            match message["type"]:
                case "hello":
                    send({"type": "ready", "protocol": 1, "name": name})
                case "start":
                    self.start(message)
                case "act":
                    self.act(message)
                case "end":
                    self.stop_pondering()

    def hello(self) -> str:
        """Set the engine up. Returns its name."""
        self.engine.send("uci")
        name, known = self.engine.name, self.known
        while (line := self.engine.read()) != "uciok":
            if line.startswith("id name "):
                name = line.removeprefix("id name ")
            elif line.startswith("option name "):
                known.add(line.removeprefix("option name ").partition(" type ")[0].lower())
        for option in self.given.option:
            key, _, value = option.partition("=")
            if key.lower() not in known:
                raise EngineFailed(f"{name} has no option {key}; it has {', '.join(sorted(known))}")
            self.engine.send(f"setoption name {key} value {value}" if value else f"setoption name {key}")
        if self.given.ponder and "ponder" in known:
            self.engine.send("setoption name Ponder value true")
        self.wait_until_ready()
        return name[:60]

    def wait_until_ready(self) -> None:
        self.engine.send("isready")
        while self.engine.read() != "readyok":
            pass

    def start(self, start: Json) -> None:
        if start["game"] != GAME:
            raise EngineFailed(f"{start['game']} is not chess: this bot plays --game {GAME} only")
        chess960 = bool(start["config"].get("chess960"))
        if chess960 and "uci_chess960" not in self.known:
            raise EngineFailed("it has no option UCI_Chess960, so it can't play with chess960=true")
        if "uci_chess960" in self.known:
            self.engine.send(f"setoption name UCI_Chess960 value {'true' if chess960 else 'false'}")
        self.position, self.clock = Position(chess960), start["clock"]
        self.engine.send("ucinewgame")
        self.wait_until_ready()

    def act(self, act: Json) -> None:
        assert self.position is not None
        position = self.position
        new = position.add(act.get("events", []), act["observation"]["observation"])  # none at a second try
        if self.guess is not None and new[-1:] == [self.guess]:
            self.guess = None
            self.engine.send("ponderhit")
        else:
            self.stop_pondering()
            self.engine.send(position.command())
            self.engine.send(self.go(act["time_ms"]))
        best, info = self.best_move()
        legal = {position.uci_move(play): play for play in act["legal"]}
        words = best.split()
        answer(act, best, legal.get(words[1]) if len(words) > 1 else None, info)
        if self.given.ponder and len(words) == 4 and words[2] == "ponder":
            self.guess = words[3]
            self.engine.send(f"{position.command()} {'' if position.moves else 'moves '}{words[1]} {words[3]}")
            self.engine.send(self.go(act["time_ms"], " ponder"))

    def go(self, time_ms: int, ponder: str = "") -> str:
        """How long it may think: the limit that was given to this bot, or its own clock for both sides."""
        for name in ("depth", "nodes", "movetime"):
            if (limit := getattr(self.given, name)) is not None:
                return f"go{ponder} {name} {limit}"
        if "bank_ms" not in self.clock:
            return f"go{ponder} movetime {max(1, time_ms - OVERHEAD_MS)}"
        increment = self.clock.get("increment_ms", 0)
        return f"go{ponder} wtime {time_ms} btime {time_ms} winc {increment} binc {increment}"

    def best_move(self) -> tuple[str, Json]:
        """The engine's `bestmove` line, and what it said before it of the main line."""
        info: Json = {}
        while not (line := self.engine.read()).startswith("bestmove"):
            info = read_info(line.split()) or info
        return line, info

    def stop_pondering(self) -> None:
        if self.guess is not None:
            self.guess = None
            self.engine.send("stop")
            self.best_move()


def read_info(words: list[str]) -> Json:
    """What an `info` line says of the best line, for the record; empty for other lines.

    `score` in pawns for this bot, or `mate` in moves; `depth`, `nodes`, and the first moves of the line.
    """
    info: Json = {}
    if words[:1] != ["info"] or "string" in words or "score" not in words:
        return info
    numbers = {name: int(value) for name, value in pairwise(words) if re.fullmatch(r"-?\d+", value)}
    if numbers.get("multipv", 1) != 1:
        return info
    if "cp" in numbers:
        info["score"] = numbers["cp"] / 100
    info |= {name: numbers[name] for name in ("mate", "depth", "nodes") if name in numbers}
    if "pv" in words:
        info["line"] = " ".join(words[words.index("pv") + 1 :][:MAX_LINE])
    return info


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a UCI engine play open_spiel:chess.")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the engine")
    limits = parser.add_mutually_exclusive_group()
    for name, help_text in (("depth", "plies"), ("nodes", "positions"), ("movetime", "milliseconds")):
        limits.add_argument(f"--{name}", type=int, metavar="N", help=f"{help_text} for each move, whatever the clock")
    parser.add_argument("--ponder", action="store_true", help="think while the opponent does")
    parser.add_argument("engine", nargs=argparse.REMAINDER, metavar="ENGINE", help="the program, and its arguments")
    given = parser.parse_args()
    if not given.engine:
        parser.error("say which engine, for example stockfish")

    def play(engine: Engine) -> None:
        Player(engine, given).play()

    run(play, given.engine, "uci")


if __name__ == "__main__":
    main()
