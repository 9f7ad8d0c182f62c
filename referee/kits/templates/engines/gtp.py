"""Lets a GTP engine play `open_spiel:go`: python3 gtp.py ENGINE [ARGUMENT…]. See docs/engines.md.

The referee's Go is OpenSpiel's: area scoring of what stands on the board when both have passed. Nobody agrees on dead
stones, so an engine that would pass is asked to capture them first, if it has `kgs-genmove_cleanup`; one that resigns
passes.
"""

import argparse
import re
import sys
import time

from engine import MAX_TEXT, Engine, EngineFailed, Json, answer, decisions, messages, run, send

GAME = "open_spiel:go"
CLEAN_UP = "kgs-genmove_cleanup"
ANSWER = re.compile(r"(?P<sign>[=?])[0-9]*\s*(?P<text>.*)")
"""The first line of an answer, perhaps with a number of the command that we did not send."""
COLOURS = {"B": "black", "W": "white"}
POINTS = ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16"]


def handicap_stones(number: int) -> list[str]:
    """Where OpenSpiel places this many stones; nowhere if they are not 2 to 9."""
    if number > 4 and number % 2:
        return [*POINTS[: number - 1], "K10"] if number <= 9 else []
    return POINTS[:number] if 2 <= number <= 8 else []


class Player:
    """An engine at the table."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.commands: set[str] = set()
        """The commands that the engine knows."""
        self.config: Json = {}
        self.clock: Json = {}
        self.moves: list[str] = []
        """The moves of the game, such as `B D4`."""
        self.end = 0.0
        """When the time for the move is over."""
        self.own: str | None = None
        """The last own move: the engine has played it, but the referee may refuse it."""

    def play(self) -> None:
        for message in messages():
            match message["type"]:
                case "hello":
                    self.engine.allow(message["limits"]["startup_ms"])
                    self.commands = set(self.ask("list_commands").split())
                    name = " ".join(self.ask(command) for command in ("name", "version") if command in self.commands)
                    send({"type": "ready", "protocol": 1, "name": name[:60] or self.engine.name})
                case "start":
                    self.start(message)
                case "act":
                    self.act(message)

    def ask(self, command: str) -> str:
        """The engine's answer. Raises EngineFailed if it refuses the command."""
        self.engine.send(command)
        while not (first := ANSWER.match(self.engine.read())):
            pass  # a banner, or an empty line
        lines = [first["text"]]
        while line := self.engine.read():
            lines.append(line)
        if first["sign"] == "?":
            raise self.engine.failed("refuses")
        return "\n".join(lines)

    def tell(self, command: str) -> None:
        """Send a command that the engine may refuse; say so on standard error."""
        try:
            if command.split(maxsplit=1)[0] in self.commands:
                self.ask(command)
        except EngineFailed as error:
            print(f"gtp: {error}", file=sys.stderr, flush=True)

    def start(self, start: Json) -> None:
        self.engine.allow(None)
        if start["game"] != GAME:
            raise EngineFailed(f"{start['game']} is not Go: this bot plays --game {GAME} only")
        self.config, self.clock, self.moves, self.own = start["config"], start["clock"], [], None
        self.ask(f"boardsize {self.config.get('board_size', 19)}")
        self.set_board()

    def set_board(self) -> None:
        """Play all moves from the start of the game."""
        self.ask("clear_board")
        self.tell(f"komi {self.config.get('komi', 7.5)}")
        self.tell(f"time_settings {self.time_settings()}")
        for stone in handicap_stones(self.config.get("handicap", 0)):
            self.ask(f"play B {stone}")
        for move in self.moves:
            self.ask(f"play {move}")

    def time_settings(self) -> str:
        """Main time, and time for a number of stones, in seconds: GTP has no fractions, and no increments."""
        if "bank_ms" in self.clock:
            return f"{max(1, self.clock['bank_ms'] // 1000)} 0 0"
        return f"0 {max(1, self.clock['move_ms'] // 1000)} 1" if "move_ms" in self.clock else "0 1 0"

    def act(self, act: Json) -> None:
        self.engine.allow(act["time_ms"])
        self.end = time.monotonic() + act["time_ms"] / 1000
        moves = [play["text"] for play in decisions(act["events"])]
        self.moves += moves
        if self.own is not None and self.own.lower() != "".join(moves[:1]).lower():  # it was refused
            self.set_board()
        else:
            for move in moves if self.own is None else moves[1:]:
                self.ask(f"play {move}")
        colour = act["legal"][0]["text"].partition(" ")[0]
        said, first = self.choose(colour)
        self.own = f"{colour} {said}"
        legal = {play["text"].lower(): play for play in act["legal"]}
        info = {"engine": first[:MAX_TEXT]} if first != said else None
        answer(act, said, legal.get(self.own.lower()), info)

    def choose(self, colour: str) -> tuple[str, str]:
        """The move of the engine, which has played it, and what it said first, which may be something else."""
        said = first = self.generate("genmove", colour)
        if said.lower() == "pass" and CLEAN_UP in self.commands:
            self.set_board()
            said = self.generate(CLEAN_UP, colour)
        if said.lower() == "resign":  # nobody can resign here
            self.ask(f"play {colour} pass")
            said = "pass"
        return said, first

    def generate(self, command: str, colour: str) -> str:
        """The engine's move, within what is left of its time."""
        if "bank_ms" in self.clock:
            self.tell(f"time_left {COLOURS[colour]} {max(0, int(self.end - time.monotonic()))} 0")
        return self.ask(f"{command} {COLOURS[colour]}").partition("\n")[0].strip()


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a GTP engine play open_spiel:go.")
    parser.add_argument("engine", metavar="ENGINE", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="of the engine")
    given = parser.parse_args()
    run(lambda engine: Player(engine).play(), [given.engine, *given.arguments], "gtp")


if __name__ == "__main__":
    main()
