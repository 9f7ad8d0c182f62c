"""Lets a GTP engine play `open_spiel:go`: python3 gtp.py ENGINE [ARGUMENT…]. See docs/engines.md.

The referee's Go is OpenSpiel's: area scoring of what stands on the board when both have passed. Nobody agrees on dead
stones, so an engine that would pass is asked to capture them first, if it has `kgs-genmove_cleanup`; one that resigns
passes.
"""

import argparse
import re

from engine import Engine, EngineFailed, Json, answer, messages, run, send

GAME = "open_spiel:go"
CLEAN_UP = "kgs-genmove_cleanup"
COLOURS = {"B": "black", "W": "white"}
FILES = "abcdefghjklmnopqrst"


class Player:
    """An engine at the table."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.known: set[str] = set()
        """The commands of the engine."""
        self.clock: Json = {}
        self.handicap = 0
        self.fresh = True
        """Whether no decision has been made in this game."""
        self.own: str | None = None
        """The last own move, which the engine has played and the referee will send."""

    def play(self) -> None:
        name = " ".join([self.ask("name"), self.ask("version")])[:60]
        self.known = set(self.ask("list_commands").split())
        for message in messages():
            match message["type"]:
                case "hello":
                    send({"type": "ready", "protocol": 1, "name": name})
                case "start":
                    self.start(message)
                case "act":
                    self.act(message)

    def ask(self, command: str) -> str:
        """The engine's answer. Raises EngineFailed if it refuses the command."""
        self.engine.send(command)
        while not (line := self.engine.read()).startswith(("=", "?")):
            pass  # a banner, or an empty line
        lines = [line]
        while line := self.engine.read():
            lines.append(line)
        text = "\n".join(lines)
        if text.startswith("?"):
            raise self.engine.failed(f"refuses: {text[1:].strip()}")
        return text[1:].strip()

    def start(self, start: Json) -> None:
        if start["game"] != GAME:
            raise EngineFailed(f"{start['game']} is not Go: this bot plays --game {GAME} only")
        config, self.clock = start["config"], start["clock"]
        self.ask(f"boardsize {config.get('board_size', 19)}")
        self.ask("clear_board")
        self.ask(f"komi {config.get('komi', 7.5)}")
        if "time_settings" in self.known:
            self.ask(f"time_settings {self.time_settings()}")
        self.own, self.fresh, self.handicap = None, True, config.get("handicap", 0)

    def time_settings(self) -> str:
        """Main time, and time for a number of stones, in seconds: GTP has no fractions, and no increments."""
        if "bank_ms" in self.clock:
            return f"{self.clock['bank_ms'] // 1000} 0 0"
        return f"0 {max(1, self.clock['move_ms'] // 1000)} 1" if "move_ms" in self.clock else "0 1 0"

    def act(self, act: Json) -> None:
        colour = act["legal"][0]["text"].partition(" ")[0]
        moves = [event["action"]["text"] for event in act.get("events", []) if event["type"] == "decision"]
        if self.fresh and self.handicap:
            self.place_handicap(act["observation"]["observation"], moves)
        self.fresh = False
        for move in moves:  # none at a second try at a decision
            if move.lower() != self.own:  # which the engine has played already
                self.ask(f"play {move}")
        self.own = None
        if "bank_ms" in self.clock and "time_left" in self.known:
            self.ask(f"time_left {colour} {act['time_ms'] // 1000} 0")
        said = first = self.ask(f"genmove {COLOURS[colour]}").lower()
        if said == "pass" and CLEAN_UP in self.known:
            self.ask("undo")
            said = self.ask(f"{CLEAN_UP} {COLOURS[colour]}").lower()
        if said == "resign":  # nobody can resign here
            self.ask(f"play {colour} pass")
            said = "pass"
        legal = {play["text"].lower(): play for play in act["legal"]}
        self.own = f"{colour} {said}".lower()
        answer(act, said, legal.get(self.own), {"engine": first} if first != said else None)

    def place_handicap(self, seen: str, moves: list[str]) -> None:
        """Place the stones that stood on the board before the first move, as far as they are seen."""
        rows = re.findall(r"^ *(\d+) ([+XO]+)$", seen, re.MULTILINE)
        stones = [f"{FILES[file]}{rank}" for rank, row in rows for file, at in enumerate(row) if at == "X"]
        placed = [stone for stone in stones if f"b {stone}" not in [move.lower() for move in moves]]
        self.ask(f"set_free_handicap {' '.join(placed)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a GTP engine play open_spiel:go.")
    parser.add_argument("engine", nargs=argparse.REMAINDER, metavar="ENGINE", help="the program, and its arguments")
    given = parser.parse_args()
    if not given.engine:
        parser.error("say which engine, for example gnugo --mode gtp")

    def play(engine: Engine) -> None:
        Player(engine).play()

    run(play, given.engine, "gtp")


if __name__ == "__main__":
    main()
