"""Matches in a game without chance: how often the interval of a share of wins holds the truth."""

import math
from typing import NamedTuple

from msgspec import Struct

from referee.outcome import Outcome
from tests.simulation.field import Field
from tournaments.competition.fit import ELO_PER_LOG
from tournaments.competition.games import PlannedGame, game_id_of
from tournaments.competition.match_standings import decided, match_standings
from tournaments.competition.repeats import repeating


class Pairing(Struct, frozen=True, kw_only=True):
    """Two bots that play a game without chance."""

    openings: int
    """From how many openings deals are drawn."""
    repeating: float
    """The share of games in which nobody deviates from the line of the opening."""


class Held(NamedTuple):
    """Of so many matches."""

    shown: int
    """Matches with an interval."""
    holding: int
    """Intervals that hold the truth."""
    half_width: float
    """The mean of those shown."""


def held(pairing: Pairing, elo: float, deals: int, *, runs: int, seed: str) -> Held:
    """Matches between a bot and another one that is weaker by `elo`."""
    shown = holding = 0
    widths = 0.0
    for run in range(runs):
        field = Field([elo, 0.0], f"{seed}/{run}", tie=0.0, openings=pairing.openings, repeating=pairing.repeating)
        games = []
        for deal in range(1, deals + 1):
            for rotation, bots in enumerate(((0, 1), (1, 0)), 1):
                name = game_id_of(1, 1, deal, rotation)
                planned = PlannedGame(game_id=name, round=1, table=1, deal=deal, rotation=rotation, bots=bots)
                game = field.play(planned, "table")
                outcome = Outcome(
                    scores=[*game.scores],
                    ranks=[*game.ranks],
                    faults=[None, None],
                    asked=1,
                    decisions_hash=game.decisions_hash,
                )
                games.append((Seated(deal, bots), outcome))
        repeated = repeating(decided(*game) for game in games)
        wins = next(row.wins for row in match_standings(["one", "two"], games, repeated) if row.name == "one")
        if wins.low is not None and wins.high is not None:
            shown += 1
            holding += wins.low <= truth(field, pairing, elo) <= wins.high
            widths += (wins.high - wins.low) / 2
    return Held(shown, holding, widths / shown if shown else 0.0)


class Seated(NamedTuple):
    """A game of a match."""

    deal: int
    seating: tuple[int, ...]


def truth(field: Field, pairing: Pairing, elo: float) -> float:
    """The share that the first bot wins of a game after any of the openings, in both seats."""
    lines = [
        field.points_of_line(bots, opening) if bots[0] == 0 else 1 - field.points_of_line(bots, opening)
        for opening in range(pairing.openings)
        for bots in ((0, 1), (1, 0))
    ]
    random = 1 / (1 + math.exp(-elo / ELO_PER_LOG))
    return pairing.repeating * math.fsum(lines) / len(lines) + (1 - pairing.repeating) * random
