"""Simulated Swiss tournaments for two with all that makes pairing hard, and the rounds of bbpPairings beside ours."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from tests.tournaments.competition.formats.tournament_factory import by_chance, played, tournament
from tournaments.competition.formats.dutch import Pairing, pair_round
from tournaments.competition.formats.dutch_field import Colour, Float, Player
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import PlayedRound, Points

POINTS: Final = {"1": Points(1), "+": Points(1), "=": Points(1, 2), "H": Points(1, 2), "U": Points(1, 2)}
"""Of the codes of FIDE's reports; others are worth nothing. Z is absence, H a bye on request, U a bye."""
OPPOSITE: Final = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+"}


class Game(Struct, frozen=True):
    """What a player did in a round; opponent 0 for nobody."""

    opponent: int
    colour: Colour
    code: str


class PlayedByBbp(Struct, frozen=True):
    """A round as bbpPairings paired it."""

    absent: list[int]
    requested: list[int]
    """Players with a half-point bye that they asked for. They are absent too."""
    pairs: list[tuple[int, int]]
    """In the order of boards, White first."""
    bye: int | None
    results: str
    """White's by board: 1, =, 0; + and - are forfeit wins and losses, f a game that both forfeit."""


class Reference(Struct, frozen=True):
    """A tournament whose rounds bbpPairings 6.0.0 paired."""

    name: str
    size: int
    rounds: int
    initial: Colour
    played: list[PlayedByBbp]


class Standing:
    """A tournament at some point: what has been played, and who is there for the next round."""

    def __init__(self, size: int, rounds: int, initial: Colour) -> None:
        self.rounds = rounds
        self.initial = initial
        self.games: list[list[Game]] = [[] for _ in range(size)]
        self.number = 1
        self.present: list[int] = []
        self.requested: list[int] = []

    def arrive(self, absent: Sequence[int], requested: Sequence[int]) -> None:
        """Say who is not there for the next round."""
        self.requested = list(requested)
        self.present = [number for number in range(1, len(self.games) + 1) if number not in absent]

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
            unplayed_wins=sum(game.code == "+" for game in games),
        )

    def pair(self) -> Pairing:
        """The next round as we pair it."""
        return pair_round(self.players(), self.number, self.rounds, self.initial)

    def play(self, pairing: Pairing, results: str) -> None:
        """End a round with White's results, as in `PlayedByBbp`."""
        found = [Game(0, "white", "Z")] * len(self.games)
        for number in self.requested:
            found[number - 1] = Game(0, "white", "H")
        if pairing.bye is not None:
            found[pairing.bye - 1] = Game(0, "white", "U")
        for (white, black), result in zip(pairing.pairs, results, strict=True):
            mine, other = ("-", "-") if result == "f" else (result, OPPOSITE[result])
            found[white - 1] = Game(black, "white", mine)
            found[black - 1] = Game(white, "black", other)
        for games, game in zip(self.games, found, strict=True):
            games.append(game)
        self.number += 1

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


class Event(Standing):
    """A tournament by chance. Players have numbers from 1, the strongest first."""

    def __init__(self, seed: str, size: int, rounds: int, *, absences: bool, draws: float | None = None) -> None:
        self.random = Random(seed)
        super().__init__(size, rounds, self.random.choice(("white", "black")))
        self._absences = absences
        self._draws = self.random.choice((0.0, 0.1, 0.3, 0.6)) if draws is None else draws
        late = sum(self._chance(0.08) for _ in range(size - 2))
        # Late entries have the last numbers, as in a tournament of ours.
        self._joined = [1] * (size - late) + sorted(self.random.randint(2, 3) for _ in range(late))
        self._leaves = [
            self.random.randint(joined + 1, rounds + 1) if self._chance(0.14) else rounds + 1 for joined in self._joined
        ]
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
        requested = [n for n in there if self._chance(0.06) and self._joined[n - 1] < self.number]
        absent = [n for n in range(1, len(self.games) + 1) if n not in there or n in requested]
        self.arrive(absent, requested)

    def play_by_chance(self, pairing: Pairing) -> str:
        """Play a round: the stronger one wins more often. The results."""
        results = ""
        for white, black in pairing.pairs:
            edge = 0.5 + 0.5 * (black - white) / len(self.games)
            result = "=" if self.random.random() < self._draws else "1" if self.random.random() < edge else "0"
            results += self.random.choice("+-+-f") if self._chance(0.04) else result
        self.play(pairing, results)
        self._draw_absences()
        return results


def pair_with(program: Path, event: Standing) -> Pairing | None:
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


class Comparison(Struct):
    """How many rounds two engines paired, and where they differ."""

    rounds: int = 0
    unpairable: int = 0
    """Rounds for which bbpPairings found no legal pairing."""
    differences: list[str] = []

    def add(self, program: Path, name: str, event: Event) -> None:
        """Pair the rounds of a tournament with bbpPairings, and each of them with ours too."""
        for _ in range(event.rounds):
            if len(event.present) < 2:
                return
            expected = pair_with(program, event)
            if expected is None:
                self.unpairable += 1
                return
            found = event.pair()
            self.rounds += 1
            if found != expected:
                only = sorted(set(found.pairs) - set(expected.pairs)), found.bye
                self.differences.append(
                    f"{name}, round {event.number}: {only} here, {sorted(set(expected.pairs) - set(found.pairs))},"
                    f" {expected.bye} there"
                )
            event.play_by_chance(expected)


def event_of(seed: str, smallest: int, largest: int) -> Event:
    """A tournament of a size by chance, three of four with absences."""
    random = Random(seed)
    size = random.randint(smallest, largest)
    return Event(seed, size, random.randint(3, max(3, min(11, size - 2))), absences=random.random() < 0.75)


def pairing_seconds(size: int, rounds: int) -> list[float]:
    """The processor time for each round of some tournaments, with few and many draws, in ascending order."""
    found = []
    for draws in (0.0, 0.1, 0.3, 0.6, 0.95):
        event = Event(f"{size} bots, {draws:.0%} draws", size, rounds, absences=True, draws=draws)
        for _ in range(rounds):
            began = time.process_time()
            pairing = event.pair()
            found.append(time.process_time() - began)
            event.play_by_chance(pairing)
    return sorted(found)


def table_seconds(size: int, seats: int) -> list[float]:
    """The processor time for each of two rounds of tables of this size, in their order."""
    of, format_ = tournament(size, seats), Swiss(rounds=2)
    history: list[PlayedRound] = []
    found = []
    for _ in range(2):
        began = time.process_time()
        round_ = format_.next_round(of, history)
        found.append(time.process_time() - began)
        assert round_ is not None
        history.append(played(round_, by_chance(size)))
    return found


def reference(program: Path, name: str, event: Event) -> Reference:
    """A tournament as bbpPairings pairs it, up to the first round for which it finds no legal pairing."""
    played: list[PlayedByBbp] = []
    for _ in range(event.rounds):
        pairing = pair_with(program, event) if len(event.present) > 1 else None
        if pairing is None:
            break
        absent = [number for number in range(1, len(event.games) + 1) if number not in event.present]
        requested = event.requested
        results = event.play_by_chance(pairing)
        played.append(PlayedByBbp(absent, requested, list(pairing.pairs), pairing.bye, results))
    return Reference(name, len(event.games), event.rounds, event.initial, played)
