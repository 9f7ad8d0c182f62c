"""Simulated Swiss tournaments for two with all that makes pairing hard, and the rounds of bbpPairings beside ours."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from tournaments.competition.formats.dutch import Pairing, PairingEngine, pair_round
from tournaments.competition.formats.dutch_player import Colour, Float, Player
from tournaments.competition.rounds import Points

POINTS: Final = {"1": Points(1), "+": Points(1), "=": Points(1, 2), "H": Points(1, 2), "U": Points(1, 2)}
"""Of the codes of FIDE's reports; others are worth nothing. Z is absence, H a bye on request, U a bye."""
OPPOSITE: Final = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+"}


class Game(Struct, frozen=True):
    """What a player did in a round; opponent 0 for nobody."""

    opponent: int
    colour: Colour
    code: str


class Event:
    """A tournament in which nobody has played yet. Players have numbers from 1, the strongest first."""

    def __init__(self, seed: str, size: int, rounds: int, *, absences: bool) -> None:
        self.random = Random(seed)
        self.rounds = rounds
        self.initial: Colour = self.random.choice(("white", "black"))
        self.games: list[list[Game]] = [[] for _ in range(size)]
        self.number = 1
        self._absences = absences
        self._draws = self.random.choice((0.0, 0.1, 0.3, 0.6))
        late = sum(self._chance(0.08) for _ in range(size - 2))
        # Late entries have the last numbers, as in a tournament of ours.
        self._joined = [1] * (size - late) + sorted(self.random.randint(2, 3) for _ in range(late))
        self._leaves = [
            self.random.randint(joined + 1, rounds + 1) if self._chance(0.14) else rounds + 1 for joined in self._joined
        ]
        self.present: list[int] = []
        self.requested: list[int] = []
        self._draw_absences()

    def _chance(self, probability: float) -> bool:
        return self._absences and self.random.random() < probability

    def _draw_absences(self) -> None:
        there = [
            number
            for number, (joined, leaves) in enumerate(zip(self._joined, self._leaves, strict=True), 1)
            if joined <= self.number < leaves
        ]
        # Nobody is absent from the first round that it could play: bbpPairings counts numbers, by which first colours
        # go, without those who have never been paired.
        self.requested = [n for n in there if self._chance(0.06) and self._joined[n - 1] < self.number]
        self.present = [number for number in there if number not in self.requested]

    def players(self) -> list[Player]:
        """Those who are to be paired now."""
        before = [self._scores(number) for number in range(self.number)]
        return [self._player(number, before) for number in self.present]

    def _scores(self, rounds: int) -> list[Points]:
        return [sum((POINTS.get(game.code, Points(0)) for game in games[:rounds]), Points(0)) for games in self.games]

    def _player(self, number: int, before: Sequence[Sequence[Points]]) -> Player:
        games = self.games[number - 1]
        played = [game for game in games if game.code in "1=0"]
        floats: list[Float] = []
        for scores, game in zip(before, games, strict=False):
            mine, other = scores[number - 1], scores[game.opponent - 1]
            if game.code in "1=0":
                floats.append("down" if mine > other else "up" if mine < other else "none")
            else:
                floats.append("down" if game.code in POINTS else "none")
        return Player(
            number=number,
            score=before[-1][number - 1],
            colours=tuple(game.colour for game in played),
            floats=tuple(floats),
            opponents=tuple(game.opponent for game in played),
            byes=sum(game.code == "U" for game in games),
            forfeit_wins=sum(game.code == "+" for game in games),
        )

    def pair(self, engine: PairingEngine) -> Pairing:
        """The next round by an engine of ours."""
        return pair_round(self.players(), self.number, self.rounds, self.initial, engine)

    def play(self, pairing: Pairing) -> None:
        """Play a round by chance: the stronger one wins more often."""
        size = len(self.games)
        found = [Game(0, "white", "Z")] * size
        for number in self.requested:
            found[number - 1] = Game(0, "white", "H")
        if pairing.bye is not None:
            found[pairing.bye - 1] = Game(0, "white", "U")
        for white, black in pairing.pairs:
            edge = 0.5 + 0.5 * (black - white) / size
            code = "=" if self.random.random() < self._draws else "1" if self.random.random() < edge else "0"
            if self._chance(0.04):
                code = self.random.choice("+-")
            both_out = code in "+-" and self._chance(0.1)
            found[white - 1] = Game(black, "white", "-" if both_out else code)
            found[black - 1] = Game(white, "black", "-" if both_out else OPPOSITE[code])
        for games, game in zip(self.games, found, strict=True):
            games.append(game)
        self.number += 1
        self._draw_absences()

    def report(self) -> str:
        """The rounds played, and who is absent from the next one, as a report in the form of FIDE (TRF16)."""
        scores = self._scores(self.number)
        lines = [f"012 event\nXXR {self.rounds}\n152 {self.initial[0].upper()}\nBBU  0.5\n"]
        for number, games in enumerate(self.games, 1):
            here = list(games)
            if number not in self.present:
                here.append(Game(0, "white", "H" if number in self.requested else "Z"))
            points = scores[number - 1] + (Points(1, 2) if number in self.requested else 0)
            rounds = "".join(
                f"  {game.opponent:4} {game.colour[0]} {game.code}" if game.opponent else f"  0000 - {game.code}"
                for game in here
            )
            lines.append(
                f"001 {number:4} {'':4} {f'Bot {number}':33} {'':4} {'':3} {'':11} {'':10} {float(points):4.1f}"
                f" {number:4}{rounds}\n"
            )
        return "".join(lines)


def pair_with(program: Path, event: Event) -> Pairing | None:
    """The next round by bbpPairings. None if it finds no legal pairing."""
    with tempfile.TemporaryDirectory() as folder:
        report, answer = Path(folder) / "report", Path(folder) / "answer"
        report.write_text(event.report())
        done = subprocess.run(
            [program, "--dutch", report, "-p", answer], capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode == 1:
            return None
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}{done.stdout}")
        rows = [tuple(map(int, line.split())) for line in answer.read_text().splitlines()[1:]]
    byes = [white for white, black in rows if not black]
    return Pairing(tuple((white, black) for white, black in rows if black), byes[0] if byes else None)
