"""Ratings over several events: one fit over all their games of one game, and one ranking over several games."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from tournaments.competition.fit import RankedGame
from tournaments.competition.head_to_head import Cycle, Duel, Misfit, cycles, duels_of, misfits
from tournaments.competition.intervals import Rating
from tournaments.competition.over_games import RatingsOverGames
from tournaments.competition.ratings import Ratings, rate
from tournaments.competition.repeats import DealCounts, Decided, count_deals, without_repeats
from tournaments.competition.results import CONFIDENCE_DIGITS
from tournaments.competition.rounds import Deal


class Version(Struct, frozen=True, order=True):
    name: str
    files_sha256: str | None
    """None for a built-in player, and where a record doesn't say it."""


class PooledGame(Struct, frozen=True, kw_only=True):
    event: str
    deal: str
    """Equal for games that were dealt the same, also in several events."""
    groups: tuple[tuple[Version, ...], ...]
    """Its bots in groups, the best first; tied bots share a group."""
    seating: tuple[Version, ...]
    decisions_hash: str
    """As in Outcome; empty with a fault, too."""


class RankedRow(Struct, frozen=True, kw_only=True):
    place: int
    """By its rating."""
    name: str
    rating: Rating
    better_than_next: float | None
    """As in standings."""
    difference_to_next: Rating | None


class RatingRow(RankedRow, frozen=True, kw_only=True):
    """A bot, or a version of it, in the form of `referee ratings --json`."""

    files_sha256: str | None
    """The hash of its files; null for a built-in player, and of a bot whose versions are joined."""
    versions: int
    """The number of versions that are joined in this row."""
    events: int
    """Events in which it played a rated game."""
    games: int
    deals: int
    only: Literal["won", "lost"] | None


class PooledRatings(Struct, frozen=True, kw_only=True):
    """The ratings over several events, in the form of `referee ratings --json`."""

    schema: int = 1
    game: str
    events: list[str]
    """The folders."""
    games: int
    deals: int
    repeated_deals: DealCounts | None
    """As in standings."""
    conditional: bool
    """Whether results decided who met whom in one of the events."""
    joined: bool
    latest: bool
    """Whether there are rows only for the newest version of each name."""
    ratings: list[RatingRow]
    unconnected: list[list[str]]
    """The bots in groups that no chain of games connects; empty if there is one group."""
    cycles: list[Cycle]
    misfits: list[Misfit]
    """Beyond chance, of bots with a row."""


class GameRatings(NamedTuple):
    table: PooledRatings
    ratings: Ratings
    ranked: list[RankedGame]
    newest: dict[str, int]
    """By name the index of its newest version, or of the one that plays."""
    versions: dict[Version, int]
    """The indices of all."""


class RowOverGames(RankedRow, frozen=True, kw_only=True):
    deals: int
    """The fewest rated ones in any of its games."""
    in_games: list[float | None]
    """Its rating in each game; null where it lacks one."""


class RankingOverGames(Struct, frozen=True, kw_only=True):
    """One ranking over several games, in which each has the same weight, in the form of `referee ratings --json`."""

    schema: int = 1
    games: list[PooledRatings]
    conditional: bool
    ratings: list[RowOverGames]
    unconnected: list[list[str]]
    cycles: list[Cycle]
    misfits: list[Misfit]
    """Of bots that have met in each of the games."""


def pool(
    games: Sequence[PooledGame],
    *,
    game: str,
    events: Iterable[str],
    conditional: bool,
    join: bool = False,
    latest: bool = False,
    playing: Mapping[str, str | None] = {},
) -> GameRatings:
    """One fit over all games, the oldest first. `join`: versions of a bot count as one bot; else each is a bot of its
    own. `latest`: only one version of a name has a row, and others stay in the fit as opponents: the one with the files
    that `playing` has for that name, if it was rated; else that of the last event with one.

    A joined bot that meets another version of itself is not rated for that game.
    """
    numbers: dict[Version, int] = {}
    deals: dict[str, Deal] = {}
    ranked: list[tuple[Decided, RankedGame]] = []
    seated: dict[Version, int] = {}
    versions: dict[int, set[Version]] = defaultdict(set)
    where: dict[int, set[str]] = defaultdict(set)
    played = Counter[int]()
    order: dict[str, int] = {}
    last: dict[int, int] = {}
    for one in games:
        at_table = [bot.name for group in one.groups for bot in group]
        groups = []
        for group in one.groups:
            bots = []
            for version in (own for own in group if not join or at_table.count(own.name) == 1):
                bots.append(numbers.setdefault(Version(version.name, None) if join else version, len(numbers)))
                versions[bots[-1]].add(version)
            if bots:
                groups.append(tuple(bots))
        if sum(map(len, groups)) < 2:
            continue
        for bot in chain(*groups):
            where[bot].add(one.event)
            played[bot] += 1
            last[bot] = order.setdefault(one.event, len(order))
        seating = tuple(seated.setdefault(version, len(seated)) for version in one.seating)
        deal = deals.setdefault(one.deal, Deal(len(deals) + 1))
        ranked.append((Decided(deal, seating, one.decisions_hash), RankedGame(deal, tuple(groups))))
    rated = without_repeats(ranked)
    ratings = rate(rated)
    named = {bot: version for version, bot in numbers.items()}
    # A version before may play again, so the last event decides; of two that met there the one that came last.
    plays = {bot for bot in played if playing.get(named[bot].name, "") == named[bot].files_sha256}
    newest = {named[bot].name: bot for bot in sorted(played, key=lambda bot: (bot in plays, last[bot], bot))}
    shown = newest.values() if latest else named
    found = {bot: rating for bot in shown if (rating := ratings[bot]) is not None}
    rows = [
        RatingRow(
            **shared,
            name=named[bot].name,
            files_sha256=named[bot].files_sha256,
            versions=len(versions[bot]),
            events=len(where[bot]),
            games=played[bot],
            deals=ratings.deals(bot),
            only=ratings.only(bot),
        )
        for bot, shared in _rows(found, ratings, lambda bot: (named[bot].name, named[bot].files_sha256 or ""))
    ]
    components = ratings.components()
    names = Counter(named[bot].name for bot in found)
    duels, elo = duels_of(rated, {bot: bot for bot in found}), {bot: rating.elo for bot, rating in found.items()}

    def label(bot: int) -> str:
        """The name, with the hash where it is that of several versions."""
        name, digest = named[bot].name, named[bot].files_sha256
        return f"{name} ({(digest or 'no files')[:8]})" if names[name] > 1 else name

    table = PooledRatings(
        game=game,
        events=list(events),
        games=len(ranked),
        deals=len(deals),
        repeated_deals=count_deals(decided for decided, _ in ranked),
        conditional=conditional,
        joined=join,
        latest=latest,
        ratings=rows,
        unconnected=[[named[bot].name for bot in group] for group in components] if len(components) > 1 else [],
        cycles=cycles(duels, label),
        misfits=misfits(duels, elo, label),
    )
    return GameRatings(table, ratings, rated, newest, numbers)


def rank_over_games(fits: Sequence[GameRatings]) -> RankingOverGames:
    """One ranking of names, each of which counts in each game with its newest version there."""
    names = sorted({name for own in fits for name in own.newest})
    indices = [{bot: own.newest[name] for bot, name in enumerate(names) if name in own.newest} for own in fits]
    ratings = RatingsOverGames([(own.ratings, index) for own, index in zip(fits, indices, strict=True)], len(names))
    found = {bot: ratings[bot] for bot in range(len(names))}
    in_games = [
        {bot: rating.rounded().elo for bot, at in index.items() if (rating := own.ratings[at]) is not None}
        for own, index in zip(fits, indices, strict=True)
    ]
    components = ratings.components()
    by_game = [
        duels_of(own.ranked, {at: bot for bot, at in index.items()}) for own, index in zip(fits, indices, strict=True)
    ]
    met = sorted(set.intersection(*map(set, by_game)))
    duels = {pair: Duel.over_games([own[pair] for own in by_game]) for pair in met}
    return RankingOverGames(
        games=[own.table for own in fits],
        conditional=any(own.table.conditional for own in fits),
        ratings=[
            RowOverGames(
                **shared, name=names[bot], deals=ratings.deals(bot), in_games=[elo.get(bot) for elo in in_games]
            )
            for bot, shared in _rows(found, ratings, names.__getitem__)
        ],
        unconnected=[[names[bot] for bot in group] for group in components] if len(components) > 1 else [],
        cycles=cycles(duels, names.__getitem__),
        misfits=misfits(duels, {bot: rating.elo for bot, rating in found.items()}, names.__getitem__),
    )


def _rows(
    found: Mapping[int, Rating], ratings: Ratings | RatingsOverGames, name: Callable[[int], Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The bots in the order of their ratings, with the fields of a RankedRow. `name`: what orders equal ones."""
    order = sorted(found, key=lambda bot: (-found[bot].rounded().elo, name(bot)))
    place, before = 0, None
    for number, (bot, following) in enumerate(zip_longest(order, order[1:]), 1):
        rating = found[bot].rounded()
        place, before = place if rating.elo == before else number, rating.elo
        difference = None if following is None else ratings.difference(bot, following)
        better = None if following is None else ratings.better(bot, following)
        yield (
            bot,
            {
                "place": place,
                "rating": rating,
                "better_than_next": None if better is None else round(better, CONFIDENCE_DIGITS),
                "difference_to_next": None if difference is None else difference.rounded(),
            },
        )
