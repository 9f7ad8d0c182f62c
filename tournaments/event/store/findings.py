"""The findings of the verification of a tournament so far, and the records that it has read."""

from typing import Final

from msgspec import Struct

from tournaments.competition.games import StoredGame

MAX_DIFFERENCES: Final = 1_000
"""Further ones are counted, but not listed."""


class Difference(Struct, frozen=True):
    """Something that is wrong in a tournament. `where`: the file or part of it."""

    where: str
    problem: str


class Findings:
    """Differences, and what could not be checked."""

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.count = 0
        """The number of all differences."""
        self.unchecked: list[str] = []

    def differs(self, where: str, problem: str) -> None:
        self.count += 1
        if self.count <= MAX_DIFFERENCES:
            self.differences.append(Difference(where, problem))


class Records:
    def __init__(self) -> None:
        self.hashes: dict[str, str] = {}
        """By id, the SHA-256 of all that can be unpacked."""
        self.games: dict[str, StoredGame] = {}
        """By id, all that name a game of this tournament, including wrong ones."""
        self.by_round: dict[int, list[StoredGame]] = {}
        """The same without those that are replays of others."""

    def add(self, game: StoredGame) -> None:
        self.games[game.game_id] = game
        if not game.again:
            self.by_round.setdefault(game.round, []).append(game)
