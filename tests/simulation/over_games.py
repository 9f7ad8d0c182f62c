"""How often what is said of ratings over several games is true, in simulated tournaments of bots whose strengths differ
between games; and how often cycles and misfits are named in games that have none."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

from msgspec import Struct

from tests.simulation.coverage import AT_AN_END, Claims, Neighbours
from tests.simulation.event import Event
from tests.simulation.field import Field, normal
from tournaments.competition.head_to_head import Duel, Pair, cycles, duels_of, misfits
from tournaments.competition.over_games import RatingsOverGames, over_games, weights_over_games
from tournaments.competition.ratings import ranked_games, rate


class Games(Struct, frozen=True, kw_only=True):
    """Bots that play several games."""

    bots: int
    events: Sequence[Event]
    """One for each game, with as many bots as play it."""


class Claimed(Struct):
    """Over all runs of a row."""

    ratings: Claims
    ends: Claims
    neighbours: Neighbours
    named: int = 0
    """Rankings in which a cycle or a misfit is named that isn't there."""
    rankings: int = 0
    """Those of each game, and those over games where strengths don't differ."""

    def add_named(self, duels: Mapping[Pair, Duel], elo: Mapping[int, float]) -> None:
        """Count a ranking without cycles and misfits."""
        self.rankings += 1
        self.named += bool(cycles(duels, str) or misfits(duels, elo, str))


def claims_over_games(of: Games, spread: float, differing: float, *, runs: int, seed: str) -> Claimed:
    """Play all games again and again. `spread`: the standard deviation of what bots are worth in all games, in Elo;
    `differing`: that of what they are worth beside that in one of them."""
    base = normal(of.bots, spread)
    playing: list[list[int]] = []
    elos: list[list[float]] = []
    true: list[Mapping[int, float]] = []
    for number, event in enumerate(of.events):
        lot = Random(f"{seed}/{number}")
        bots = sorted(lot.sample(range(of.bots), event.bots))
        own = lot.sample(normal(event.bots, differing), event.bots)
        playing.append(bots)
        elos.append([base[bot] + more for bot, more in zip(bots, own, strict=True)])
        true.append(dict(zip(bots, Field(elos[-1], f"{seed}/{number}").truth(event.seats), strict=True)))
    truth = over_games(weights_over_games(playing, of.bots), true)
    found = Claimed(Claims(), Claims(), Neighbours())
    for run in range(runs):
        games, by_game = [], []
        for number, (event, bots, own) in enumerate(zip(of.events, playing, elos, strict=True)):
            at = f"{seed}/{number}/{run}"
            ranked = ranked_games(event.play(Field(own, at), at).history)
            ratings, index = rate(ranked), {bot: place for place, bot in enumerate(bots)}
            games.append((ratings, index))
            by_game.append(duels_of(ranked, {place: bot for bot, place in index.items()}))
            elo = {bot: rating.elo for bot, place in index.items() if (rating := ratings[place]) is not None}
            found.add_named(by_game[-1], elo)
        over = RatingsOverGames(games, of.bots)
        if not differing:
            met = set.intersection(*map(set, by_game))
            duels = {pair: Duel.over_games([own[pair] for own in by_game]) for pair in met}
            found.add_named(duels, {bot: over[bot].elo for bot in range(of.bots)})
        order = sorted(range(of.bots), key=lambda bot: -over[bot].elo)
        any_rating = any_end = False
        for place, bot in enumerate(order):
            any_rating |= found.ratings.add(over[bot], truth[bot])
            if place < AT_AN_END or place >= of.bots - AT_AN_END:
                any_end |= found.ends.add(over[bot], truth[bot])
        found.ratings.tournaments += any_rating
        found.ends.tournaments += any_end
        for bot, following in pairwise(order):
            found.neighbours.add(over.better(bot, following), truth[bot] - truth[following])
    return found
