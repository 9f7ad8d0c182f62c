"""Lets a UCI engine play chess and its variants: python3 uci.py [OPTION…] ENGINE [ARGUMENT…]. See docs/engines.md.

The engine gets all moves since the start of the game, its own clock for both sides, as the referee tells a bot no
other, and no `movestogo`, as there is none. What it says of depth, score and line is sent as `info` with its move.
"""

import argparse
import json
import re
import time
from collections.abc import Sequence
from itertools import combinations, pairwise

from engine import MAX_TEXT, Engine, EngineFailed, Json, answer, decisions, messages, run, send

LINE_MOVES = 12
"""Moves of the main line that are kept."""
OVERHEAD_MS = 20
"""Taken off the time per decision: for the way to the engine and back."""
LIMITS = {"depth": "plies", "nodes": "positions", "movetime": "milliseconds"}
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FILES = "abcdefgh"
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


VARIANTS = {"open_spiel:chess": "chess", "open_spiel:crazyhouse": "crazyhouse"}
"""The games, and what they are in the option UCI_Variant."""
USUAL = {"insanity": 1, "king_of_hill": False, "sticky_promotions": False}
"""Options of crazyhouse whose other values engines don't know."""


def chess960_start(number: int) -> str:
    """The position that OpenSpiel draws as `number`: by the squares of the bishops, the queen and the knights."""
    number, knights = divmod(118 if number == 119 else number, 10)  # it has this one twice, and not the other
    number, queen = divmod(number, 6)
    dark, light = divmod(number, 4)
    row = dict.fromkeys((dark * 2, light * 2 + 1), "b")
    row[[file for file in range(8) if file not in row][queen]] = "q"
    free = [file for file in range(8) if file not in row]
    row |= {free[place]: "n" for place in list(combinations(range(5), 2))[knights]}
    row |= zip([file for file in range(8) if file not in row], "rkr", strict=True)
    rank = "".join(row[file] for file in range(8))
    return f"{rank}/pppppppp/8/8/8/8/PPPPPPPP/{rank.upper()} w KQkq - 0 1"


class Position:
    """A game: where it began, and its moves as UCI has them."""

    def __init__(self, fen: str = "", *, chess960: bool = False) -> None:
        """`fen`: where it begins, perhaps without the last two numbers; empty: the usual place, or as will be drawn."""
        self.fen = f"{fen} 0 1" if len(fen.split()) == 4 else fen or START
        self.moves: list[str] = []
        self.king = "e"
        """The file on which the kings begin."""
        self.castled = {LEFT_CASTLING: "a" if chess960 else "c", RIGHT_CASTLING: "h" if chess960 else "g"}
        """The file that UCI names for a castling: where the king arrives, and in Chess960 where its rook is."""

    def add(self, events: list[Json]) -> list[str]:
        """Note the draw of Chess960, and the moves. Returns the moves as UCI has them."""
        for event in events:
            if event["type"] == "chance":
                self.fen = chess960_start(event["value"])
                self.king = FILES[self.fen.index("k")]
                self.castled = {
                    LEFT_CASTLING: FILES[self.fen.index("r")],
                    RIGHT_CASTLING: FILES[self.fen.rindex("r", 0, 8)],
                }
        plays = decisions(events)
        for play in plays:
            self.moves.append(self.uci_move(play))
        return self.moves[len(self.moves) - len(plays) :]

    def command(self, expected: Sequence[str] = ()) -> str:
        """The command that sets the position after all moves, and after those that are expected."""
        begin = "position startpos" if self.fen == START else f"position fen {self.fen}"
        return " ".join([begin, *(["moves"] if self.moves or expected else []), *self.moves, *expected])

    def uci_move(self, play: Json) -> str:
        """The next move, numbered by OpenSpiel, as UCI writes it, such as e7e8q.

        The library numbers a move by its square (file * 8 + rank) and then by direction and distance, both as its
        player sees the board. A text with `=Q` says that a pawn becomes a queen, and `N@e4` that a knight is dropped.
        """
        if "@" in play["text"]:
            return str(play["text"][:4])
        side = "wb"[(self.fen.split()[1] == "b") != (len(self.moves) % 2 == 1)]
        number = play["action"]
        if number in self.castled:
            home = "1" if side == "w" else "8"
            return f"{self.king}{home}{self.castled[number]}{home}"
        square, plane = divmod(number, PLANES)
        file, rank = divmod(square, 8)
        if plane < UNDERPROMOTIONS:
            piece, (files, ranks) = "rbn"[plane // 3], ((0, 1, -1)[plane % 3], 1)
        else:
            piece, (files, ranks) = "q" if "=Q" in play["text"] else "", STEPS[plane - UNDERPROMOTIONS]
        squares = [(file, rank), (file + files, rank + ranks)]
        return "".join(f"{FILES[f]}{r + 1 if side == 'w' else 8 - r}" for f, r in squares) + piece


class Player:
    """An engine at the table."""

    def __init__(self, engine: Engine, given: argparse.Namespace) -> None:
        self.engine, self.given = engine, given
        self.position = Position()
        self.clock: Json = {}
        self.options: dict[str, tuple[str, str]] = {}
        """The engine's options, by their names in lower case: the names, and what can be set."""
        self.expected: list[str] = []
        """The moves, its own and the opponent's, on which the engine is pondering."""

    def play(self) -> None:
        for message in messages():
            match message["type"]:
                case "hello":
                    self.engine.allow(message["limits"]["startup_ms"])
                    send({"type": "ready", "protocol": 1, "name": self.set_up()})
                case "start":
                    self.start(message)
                case "act":
                    self.act(message)
                case "end":
                    self.stop_pondering()

    def set_up(self) -> str:
        """Set the engine's options. Returns its name."""
        self.engine.send("uci")
        name = self.engine.name
        while (line := self.engine.read()) != "uciok":
            if line.startswith("id name "):
                name = line.removeprefix("id name ")
            elif line.startswith("option name "):
                option, _, values = line.removeprefix("option name ").partition(" type ")
                self.options[option.lower()] = option, values
        for given in self.given.option:
            option, _, value = given.partition("=")
            if not self.set_option(option, value):
                known = ", ".join(option for option, _ in self.options.values())
                raise EngineFailed(f"{name} has no option {option}; it has {known or 'none'}")
        if self.given.ponder:
            self.set_option("Ponder", "true")
        self.wait_until_ready()
        return name[:60]

    def set_option(self, name: str, value: str) -> bool:
        """Set an option as the engine spells it. Returns whether it has it."""
        option, _ = self.options.get(name.lower(), ("", ""))
        if option:
            self.engine.send(f"setoption name {option}{f' value {value}' if value else ''}")
        return bool(option)

    def wait_until_ready(self) -> None:
        """Until the engine has done what it was told. What it has said by then, such as a late move, is dropped."""
        self.engine.send("isready")
        while self.engine.read() != "readyok":
            pass

    def start(self, start: Json) -> None:
        self.engine.allow(None)
        game, config = start["game"], start["config"]
        if game not in VARIANTS:
            raise EngineFailed(f"{game} is not chess: this bot plays {', '.join(VARIANTS)}")
        variant = VARIANTS[game]
        for name, value in USUAL.items():
            if config.get(name, value) != value:
                raise EngineFailed(f"engines know {game} with {name}={json.dumps(value)} only")
        _, variants = self.options.get("uci_variant", ("", "chess"))
        if variant not in variants.split():
            raise EngineFailed(f"it has no option UCI_Variant with {variant}, so it can't play {game}")
        self.set_option("UCI_Variant", variant)
        chess960 = bool(config.get("chess960"))
        if not self.set_option("UCI_Chess960", json.dumps(chess960)) and chess960:
            raise EngineFailed("it has no option UCI_Chess960, so it can't play with chess960=true")
        self.position = Position(config.get("fen", ""), chess960=chess960)
        self.clock = start["clock"]
        self.engine.send("ucinewgame")
        self.wait_until_ready()

    def act(self, act: Json) -> None:
        position, engine, begin = self.position, self.engine, time.monotonic()
        engine.allow(act["time_ms"])
        new = position.add(act["events"])  # empty at a second try at a decision
        if self.expected and new == self.expected:
            self.expected = []
            engine.send("ponderhit")
        else:
            self.stop_pondering()
            engine.send(position.command())
            self.wait_until_ready()
            engine.send(self.go(act["time_ms"]))
        best, info = self.best_move()
        words = best.lower().split()
        legal = {position.uci_move(play).lower(): play for play in act["legal"]}
        move = legal.get(words[1]) if len(words) > 1 else None
        answer(act, best, move, info)
        if self.given.ponder and move is not None and words[2:3] == ["ponder"] and len(words) == 4:
            self.expected = [words[1], words[3]]
            engine.send(position.command(self.expected))
            left = act["time_ms"]
            if "bank_ms" in self.clock:
                left += self.clock.get("increment_ms", 0) - round((time.monotonic() - begin) * 1000)
            engine.send(self.go(left, " ponder"))

    def go(self, time_ms: int, ponder: str = "") -> str:
        """How long it may think: the limit that was given to this bot, or its own clock for both sides."""
        for name in LIMITS:
            if (limit := getattr(self.given, name)) is not None:
                return f"go{ponder} {name} {limit}"
        if "bank_ms" not in self.clock:
            return f"go{ponder} movetime {max(1, time_ms - OVERHEAD_MS)}"
        left, increment = max(1, time_ms), self.clock.get("increment_ms", 0)
        return f"go{ponder} wtime {left} btime {left} winc {increment} binc {increment}"

    def best_move(self) -> tuple[str, Json]:
        """The engine's `bestmove` line, and what it said before it of the main line."""
        main = ""
        while not (line := self.engine.read()).startswith("bestmove"):
            if is_main(line):
                main = line
        return line, read_info(main.split())

    def stop_pondering(self) -> None:
        if self.expected:
            self.expected = []
            self.engine.send("stop")
            self.best_move()


def is_main(line: str) -> bool:
    """Whether a line has the score of the best line, and not a bound of it."""
    is_best = " multipv " not in line or " multipv 1 " in line
    return is_best and line.startswith("info ") and " score " in line and " string " not in line and "bound" not in line


def read_info(words: list[str]) -> Json:
    """What an `info` line says, for the record.

    `score` in pawns for this bot, or `mate` in moves; `depth`, `nodes`, and the first moves of the line.
    """
    info: Json = {}
    numbers = {name: int(value) for name, value in pairwise(words) if re.fullmatch(r"-?[0-9]{1,15}", value)}
    if "cp" in numbers:
        info["score"] = numbers["cp"] / 100
    info |= {name: numbers[name] for name in ("mate", "depth", "nodes") if name in numbers}
    if "pv" in words:
        info["line"] = " ".join(words[words.index("pv") + 1 :][:LINE_MOVES])[:MAX_TEXT]
    return info


def positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError  # an engine would take 0 for no limit
    return number


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Lets a UCI engine play {', '.join(VARIANTS)}.")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the engine")
    limits = parser.add_mutually_exclusive_group()
    for name, meaning in LIMITS.items():
        limits.add_argument(
            f"--{name}", type=positive, metavar="N", help=f"{meaning} for each move, whatever the clock"
        )
    parser.add_argument("--ponder", action="store_true", help="think while the opponent does")
    parser.add_argument("engine", metavar="ENGINE", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="of the engine")
    return parser.parse_args(words)


def main() -> None:
    given = arguments()
    run(lambda engine: Player(engine, given).play(), [given.engine, *given.arguments], "uci")


if __name__ == "__main__":
    main()
