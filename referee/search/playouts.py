"""The policy for a game that has none of its own: any legal action is tried, and playouts are random."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Final

from msgspec.json import encode

from referee.games import Action, Game, Ranking
from referee.games.interface import DecisionEvent
from referee.games.policy import Measure

CUT: Final = 100
"""Decisions after which a playout ends if the scores tell the seats apart."""
LAST_CUT: Final = 1000
"""Decisions after which it ends in any case."""
CURIOSITY: Final = 0.7
"""The constant of UCB1: how much it counts that a decision was made seldom."""
LEAD_SHARE: Final = 0.1
"""The part of a value that the points decide, the rest is the rank."""

Path = tuple[bytes, ...]
"""Decisions one after another, as they are encoded."""


@dataclass(slots=True)
class Tries:
    """How often a decision was made in playouts, and the sum of the results of its seat."""

    count: int = 0
    total: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value


class RandomPlayouts:
    """A `Policy` for every game: random play to the end, or in a long game until the scores say who is ahead.

    A subclass may override `choose`, `candidates` and `playout`.
    """

    measures: ClassVar[Measure] = "result"
    learns: ClassVar[int] = 2
    """For how many decisions after the action that is tried, at most, seats prefer what was good for them in earlier
    playouts, by UCB1, whatever was drawn in between. A policy that chooses better than at random has 0."""

    def __init__(self, game: Game, seat: int, random: Random) -> None:
        self.seat = seat
        self.random = random
        self._tries: dict[Path, Tries] = {}
        self._before = self.length(game)
        self._surveyed = False
        self._taken: dict[Any, Tries] = {}
        """What the seat did in any place of the playouts that were surveyed."""

    def candidates(self, game: Any) -> Sequence[Action]:
        """All legal actions in random order."""
        legal = game.legal_actions()
        return self.random.sample(legal, len(legal))

    def choose(self, game: Any) -> Action:
        """What the seat whose turn it is does in a playout: anything legal."""
        legal: Sequence[Action] = game.legal_actions()
        return legal[int(self.random.random() * len(legal))]

    def playout(self, game: Any) -> float:
        """See `result`."""
        made = self._learned_decisions(game) if self.learns else []
        decisions = self.play_on(game, CUT)
        while decisions % CUT == 0 and decisions < LAST_CUT and len(set(game.ranking().scores)) == 1:
            more = self.play_on(game, CUT)
            if not more:
                break
            decisions += more
        ranking = game.ranking()
        for seat, path in made:
            self._tries.setdefault(path, Tries()).add(result(ranking, seat))
        value = result(ranking, self.seat)
        if self._surveyed:
            for action in self.taken_since(game, self._before):
                self._taken.setdefault(action, Tries()).add(value)
            self._surveyed = False
        return value

    def preferred(self, actions: Sequence[Any]) -> int:
        """Which of the actions that haven't been tried yet is to be tried next: the one that was best for the seat in
        whatever place of the playouts it was made (all moves as first).

        The playout that follows is surveyed for that. (Gelly, Silver: Monte-Carlo tree search and rapid action value
        estimation in computer Go, Artificial Intelligence 175, 2011.)
        """
        self._surveyed = True
        if len(self._taken) < len(actions):
            return 0
        known = (self._taken.get(self.key(action)) for action in actions)
        means = [each.total / each.count if each is not None and each.count > 2 else 0.0 for each in known]
        return means.index(max(means))

    def key(self, action: Any) -> Any:
        """What `taken_since` calls an action."""
        return encode(action)

    def length(self, game: Any) -> int:
        """How far the game is, for `taken_since`."""
        return len(game.log)

    def taken_since(self, game: Any, length: int) -> set[Any]:
        """The actions of the seat since then."""
        latest = (event for event, _ in game.log[length:])
        return {
            encode(event.action) for event in latest if isinstance(event, DecisionEvent) and event.seat == self.seat
        }

    def play_on(self, game: Any, most: int) -> int:
        """Make up to this number of decisions by `choose`. Returns how many: fewer if the game is over."""
        for made in range(most):
            if game.turn is None:
                return made
            game.apply(self.choose(game))
        return most

    def _learned_decisions(self, game: Any) -> list[tuple[int, Path]]:
        """Make the decisions that earlier playouts help with. Returns them with their seats."""
        made: list[tuple[int, Path]] = []
        tried = next(event.action for event, _ in reversed(game.log) if isinstance(event, DecisionEvent))
        path: Path = (encode(tried),)
        while game.turn is not None and len(made) < self.learns:
            legal = game.legal_actions()
            paths = [(*path, encode(action)) for action in legal]
            number = self._preferred([self._tries.get(each) for each in paths])
            path = paths[number]
            made.append((game.turn.seat, path))
            game.apply(legal[number])
            if path not in self._tries:
                break
        return made

    def _preferred(self, tries: Sequence[Tries | None]) -> int:
        """One that was never tried, or else the one with the highest upper confidence bound."""
        known = [each for each in tries if each is not None]
        if len(known) < len(tries):
            return self.random.choice([number for number, each in enumerate(tries) if each is None])
        total = math.log(sum(each.count for each in known))
        bounds = [each.total / each.count + CURIOSITY * math.sqrt(total / each.count) for each in known]
        return bounds.index(max(bounds))


def part_beaten(ranking: Ranking, seat: int) -> float:
    """The part of its rivals that a seat is ahead of, from 0 (last) to 1 (first); a tie is half."""
    own = ranking.ranks[seat]
    ahead = sum((rank > own) + (rank == own) / 2 for rank in ranking.ranks) - 0.5
    return ahead / (len(ranking.ranks) - 1)


def result(ranking: Ranking, seat: int) -> float:
    """The part of its rivals that a seat beats; points count a little, since more of them are safer."""
    score = ranking.scores[seat]
    others = (sum(ranking.scores) - score) / (len(ranking.scores) - 1)
    spread = abs(score) + abs(others)
    lead = (score - others) / spread if spread else 0.0
    return (1 - LEAD_SHARE) * part_beaten(ranking, seat) + LEAD_SHARE * (1 + lead) / 2
