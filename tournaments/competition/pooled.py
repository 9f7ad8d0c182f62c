"""Ratings over several events: one fit over all their games."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Literal

from msgspec import Struct

from tournaments.competition.fit import RankedGame
from tournaments.competition.head_to_head import Cycle, Misfit, cycles, duels_of, misfits
from tournaments.competition.ratings import Rating, rate
from tournaments.competition.results import CONFIDENCE_DIGITS
from tournaments.competition.rounds import Deal


class Version(Struct, frozen=True, order=True):
    """A bot with its files."""

    name: str
    files_sha256: str | None
    """None for a built-in player, and where a record doesn't say it."""


class PooledGame(Struct, frozen=True, kw_only=True):
    """A rated game of an event."""

    event: str
    deal: str
    """Equal for games that were dealt the same, also in several events."""
    groups: tuple[tuple[Version, ...], ...]
    """Its bots in groups, the best first; tied bots share a group."""


class RatingRow(Struct, frozen=True, kw_only=True):
    """A bot, or a version of it, in the form of `referee ratings --json`."""

    place: int
    """By its rating."""
    name: str
    files_sha256: str | None
    """The hash of its files; null for a built-in player, and of a bot whose versions are joined."""
    versions: int
    """The number of versions that are joined in this row."""
    events: int
    """Events in which it played a rated game."""
    games: int
    deals: int
    rating: Rating
    better_than_next: float | None
    """As in standings."""
    difference_to_next: Rating | None
    only: Literal["won", "lost"] | None
    """Whether it has only won, or only lost."""


class PooledRatings(Struct, frozen=True, kw_only=True):
    """The ratings over several events, in the form of `referee ratings --json`."""

    schema: int = 1
    game: str
    events: list[str]
    """The folders."""
    games: int
    deals: int
    conditional: bool
    """Whether results decided who met whom in one of the events."""
    joined: bool
    """Whether versions of a bot are joined."""
    latest: bool
    """Whether there are rows only for the newest version of each name."""
    ratings: list[RatingRow]
    unconnected: list[list[str]]
    """The bots in groups that no chain of games connects; empty if there is one group."""
    cycles: list[Cycle]
    misfits: list[Misfit]
    """Beyond chance, of bots with a row."""


def pool(
    games: Sequence[PooledGame],
    *,
    game: str,
    events: Iterable[str],
    conditional: bool,
    join: bool = False,
    latest: bool = False,
) -> PooledRatings:
    """One fit over all games, the oldest first. `join`: versions of a bot count as one bot; else each is a bot of its
    own. `latest`: only the version of a name that came last has a row; the others stay in the fit as opponents.

    A joined bot that meets another version of itself is not rated for that game.
    """
    numbers: dict[Version, int] = {}
    deals: dict[str, Deal] = {}
    ranked: list[RankedGame] = []
    versions: dict[int, set[Version]] = {}
    where: dict[int, set[str]] = {}
    played: dict[int, int] = {}
    for one in games:
        groups = []
        seated = [bot.name for group in one.groups for bot in group]
        for group in one.groups:
            bots = []
            for version in group:
                if join and seated.count(version.name) > 1:
                    continue
                bot = numbers.setdefault(Version(version.name, None) if join else version, len(numbers))
                versions.setdefault(bot, set()).add(version)
                bots.append(bot)
            groups.append(tuple(bots))
        groups = [group for group in groups if group]
        if sum(map(len, groups)) < 2:
            continue
        for bot in (bot for group in groups for bot in group):
            where.setdefault(bot, set()).add(one.event)
            played[bot] = played.get(bot, 0) + 1
        ranked.append(RankedGame(deals.setdefault(one.deal, Deal(len(deals) + 1)), tuple(groups)))
    ratings = rate(ranked)
    named = {bot: version for version, bot in numbers.items()}
    newest = {version.name: bot for version, bot in numbers.items() if bot in played}
    shown = newest.values() if latest else named
    found = {bot: rating for bot in shown if (rating := ratings[bot]) is not None}
    order = sorted(found, key=lambda bot: (-found[bot].rounded().elo, named[bot].name, named[bot].files_sha256 or ""))
    rows: list[RatingRow] = []
    for bot, following in zip_longest(order, order[1:]):
        difference = None if following is None else ratings.difference(bot, following)
        better = None if following is None else ratings.better(bot, following)
        same = rows and rows[-1].rating.elo == found[bot].rounded().elo
        rows.append(
            RatingRow(
                place=rows[-1].place if same else len(rows) + 1,
                name=named[bot].name,
                files_sha256=named[bot].files_sha256,
                versions=len(versions[bot]),
                events=len(where[bot]),
                games=played[bot],
                deals=ratings.deals(bot),
                rating=found[bot].rounded(),
                better_than_next=None if better is None else round(better, CONFIDENCE_DIGITS),
                difference_to_next=None if difference is None else difference.rounded(),
                only=ratings.only(bot),
            )
        )
    components = ratings.components()
    names = Counter(named[bot].name for bot in order)
    duels, elo = duels_of(ranked, order), {bot: rating.elo for bot, rating in found.items()}

    def label(bot: int) -> str:
        """The name, with the hash where it is that of several versions."""
        name, digest = named[bot].name, named[bot].files_sha256
        return f"{name} ({(digest or 'no files')[:8]})" if names[name] > 1 else name

    return PooledRatings(
        game=game,
        events=list(events),
        games=len(ranked),
        deals=len(deals),
        conditional=conditional,
        joined=join,
        latest=latest,
        ratings=rows,
        unconnected=[[named[bot].name for bot in group] for group in components] if len(components) > 1 else [],
        cycles=cycles(duels, label),
        misfits=misfits(duels, elo, label),
    )
