"""The standings of a tournament: places, points, tie-breaks, ratings. Pure; `referee tournament standings --json`."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct

from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.ladder import Ladder
from tournaments.competition.formats.sprt import Sprt, SprtState
from tournaments.competition.points import Tally, finished_tables, meetings, tallies
from tournaments.competition.progress import Progress, Withdrawn
from tournaments.competition.ratings import Rating, Ratings, ranked_games, rate
from tournaments.competition.rounds import History, Points, PointSystem
from tournaments.competition.tiebreaks import Crosstable, Kind, round_records

ELO_DIGITS: Final = 1
"""Ratings are given, and a ladder is ordered, to so many digits: more would say nothing, and the last ones of a float
may differ from machine to machine."""
CONFIDENCE_DIGITS: Final = 4


class StandingRow(Struct, frozen=True, kw_only=True):
    """One bot."""

    place: int
    name: str
    tables: int
    games: int
    deals: int
    points: float
    points_per_table: float | None
    """The points over the rounds with a table, where places go by that; else None."""
    game_points: float
    """The plain sum over games."""
    faults: int
    """Games with a fault."""
    byes: int
    seat_counts: tuple[int, ...]
    tiebreaks: dict[str, float | None]
    """In the order in which they decide; none where places do not go by points."""
    rating: Rating | None
    """None before its first rated game."""
    better_than_next: float | None
    """How sure it is that it is better than the bot in the next row. None in the last row and with too few deals."""
    joined: int
    """Its first round."""
    withdrawn: bool
    withdrawn_before: int | None
    """The first round that it played no more."""
    withdrawn_reason: str | None
    eliminated: int | None
    """In a knockout, the round in which it went out."""


class PairRow(Struct, frozen=True, kw_only=True):
    """Two bots that have met, and their points from each other."""

    a: str
    b: str
    tables: int
    games: int
    a_points: float
    b_points: float


class Forfeit(Struct, frozen=True, kw_only=True):
    """A table at which a bot could not be started for some of its games, or was withdrawn."""

    name: str
    round: int
    table: int
    games: int


class RoundInProgress(Struct, frozen=True, kw_only=True):
    """A round of which games are missing; those that are finished count in the standings already."""

    round: int
    games: int
    """Finished games."""
    of: int


class Standings(Struct, frozen=True, kw_only=True):
    """The standings in the form of `standings --json`."""

    schema: int = 1
    tournament: str
    format: str
    game: str
    seats: int
    points: PointSystem
    round: int
    """The last round that is over."""
    rounds: int | None
    """How many there will be; the most there can be where results may end it earlier; None if that is not known."""
    deals: int
    """Deals of which games are finished."""
    finished: bool
    """Whether the tournament is over."""
    in_progress: RoundInProgress | None
    games: int
    """Finished games that count."""
    replayed: int
    """Games that were played again; their first results are struck out."""
    conditional: bool
    """Whether intervals hold only given who met whom, as results decided that."""
    standings: list[StandingRow]
    pairs: list[PairRow]
    forfeits: list[Forfeit]
    sprt: SprtState | None
    """How the test of the format of that name stands. Its mean is biased by stopping."""


class Ranked(Struct, frozen=True, kw_only=True):
    """The place of a bot, and what it goes by."""

    bot: int
    place: int
    tiebreaks: dict[str, Points | None] = {}
    points_per_table: Points | None = None


# -- places ---------------------------------------------------------------------------------------------------


def ranked_by(bots: Iterable[int], key: Callable[[int], Any]) -> list[Ranked]:
    """The bots in ascending order of a key; equal ones share a place (1, 2, 2, 4) and stay in their order."""
    found: list[Ranked] = []
    for _, group in groupby(sorted(bots, key=key), key=key):
        place = len(found) + 1
        found += [Ranked(bot=bot, place=place) for bot in group]
    return found


def elimination_key(progress: Progress, format_: Knockout) -> Callable[[int], Hashable]:
    """The order of a knockout: the champion, those still in, then those that went out, the last ones first; of the
    losers of the semi-finals, who has won the table for the third place first."""
    state = format_.state(progress.tournament(), progress.paired_by)

    def key(bot: int) -> Hashable:
        if bot == state.champion:
            return (0, 0, 0)
        if bot not in state.eliminated:
            return (1, 0, 0)
        return (2, -state.eliminated[bot], int(state.third is not None and bot != state.third))

    return key


def by_points(progress: Progress, history: History) -> list[Ranked]:
    """The order by points and tie-breaks; by points per round with a table where bots had different numbers of them."""
    regulations, settings = progress.regulations, progress.regulations.format_settings
    records = round_records(
        progress.entries, history, regulations.points, bye=settings.bye, predetermined=settings.predetermined
    )
    seated = {sum(record.kind not in (Kind.BYE, Kind.ABSENT) for record in own) for own in records}
    per_table = settings.per_table and len(seated) > 1
    return [
        Ranked(
            bot=placed.bot,
            place=placed.place,
            tiebreaks={str(name): value for name, value in placed.tiebreaks.items()},
            points_per_table=placed.points if per_table else None,
        )
        for placed in Crosstable(records, per_table=per_table).ranking(regulations.tiebreaks)
    ]


def ranking(progress: Progress, history: History, ratings: Ratings) -> list[Ranked]:
    """All bots by place after these rounds. See `tournament_standings`."""
    settings = progress.regulations.format_settings
    everyone = range(len(progress.entries))
    if isinstance(settings, Knockout):
        return ranked_by(everyone, elimination_key(progress, settings))
    if isinstance(settings, Ladder):
        return ranked_by(everyone, lambda bot: -rated.elo if (rated := rounded(ratings[bot])) else float("inf"))
    return by_points(progress, history)


# -- the whole ------------------------------------------------------------------------------------------------


def tournament_standings(progress: Progress, finished: bool) -> Standings:
    """The standings after the last round that is over, and what is finished of the one in progress.

    `finished`: whether the tournament is over. Places go by points and tie-breaks; in a knockout by the round in which
    a bot went out; on a ladder, whose tables make everybody win about as often, by the rating as it is shown.
    """
    regulations, settings = progress.regulations, progress.regulations.format_settings
    history = progress.view()
    ratings = rate(ranked_games(history))
    names = [entry.name for entry in progress.entries]
    sums = tallies(len(names), regulations.seats, history, regulations.points, settings.bye)
    ranked = ranking(progress, history, ratings)
    games = [len(result.games) for played in history for result in finished_tables(played)]
    return Standings(
        tournament=regulations.name,
        format=regulations.format,
        game=regulations.game,
        seats=regulations.seats,
        points=regulations.points,
        round=len(progress.rounds),
        rounds=planned_rounds(progress, finished),
        deals=len({game.deal for played in history for result in finished_tables(played) for game in result.games}),
        finished=finished,
        in_progress=_in_progress(progress),
        games=sum(games),
        replayed=len(progress.struck_out),
        conditional=settings.adaptive,
        standings=_rows(progress, ranked, sums, ratings),
        pairs=[
            PairRow(
                a=names[met.a],
                b=names[met.b],
                tables=met.tables,
                games=met.games,
                a_points=float(met.a_points),
                b_points=float(met.b_points),
            )
            for met in meetings(history, regulations.points)
        ],
        forfeits=list(_forfeits(names, history)),
        sprt=settings.decide(progress.tournament(), progress.history) if isinstance(settings, Sprt) else None,
    )


def planned_rounds(progress: Progress, finished: bool) -> int | None:
    """How many rounds there are, or will be at most; None if results decide."""
    if finished:
        return len(progress.rounds)
    rounds = progress.regulations.format_settings.plan(progress.tournament()).rounds
    return None if rounds is None else max(rounds, progress.next_number - 1)


def rounded(rating: Rating | None) -> Rating | None:
    """A rating as it is shown."""
    if rating is None:
        return None
    low, high = (None if bound is None else round(bound, ELO_DIGITS) for bound in (rating.low, rating.high))
    # Adding 0 turns -0.0 into 0.0.
    return Rating(round(rating.elo, ELO_DIGITS) + 0.0, low, high)


def _rows(progress: Progress, ranked: Sequence[Ranked], sums: Sequence[Tally], ratings: Ratings) -> list[StandingRow]:
    settings = progress.regulations.format_settings
    eliminated: dict[int, int] = {}
    if isinstance(settings, Knockout):
        eliminated = settings.state(progress.tournament(), progress.paired_by).eliminated
    reasons = {event.bot: event.reason for event in progress.events if isinstance(event, Withdrawn)}
    rows = []
    following = [*(row.bot for row in ranked[1:]), None]
    for row, other in zip(ranked, following, strict=True):
        tally, entry = sums[row.bot], progress.entries[row.bot]
        better = None if other is None else ratings.better(row.bot, other)
        rows.append(
            StandingRow(
                place=row.place,
                name=entry.name,
                tables=tally.tables,
                games=tally.games,
                deals=tally.deals,
                points=float(tally.points),
                points_per_table=None if row.points_per_table is None else float(row.points_per_table),
                game_points=float(tally.game_points),
                faults=tally.faults,
                byes=tally.byes,
                seat_counts=tally.seat_counts,
                tiebreaks={name: None if value is None else float(value) for name, value in row.tiebreaks.items()},
                rating=rounded(ratings[row.bot]),
                better_than_next=None if better is None else round(better, CONFIDENCE_DIGITS),
                joined=entry.joined,
                withdrawn=entry.withdrawn is not None,
                withdrawn_before=entry.withdrawn,
                withdrawn_reason=reasons.get(entry.name),
                eliminated=eliminated.get(row.bot),
            )
        )
    return rows


def _in_progress(progress: Progress) -> RoundInProgress | None:
    current = progress.current
    if current is None:
        return None
    return RoundInProgress(round=current.round.number, games=len(current.played), of=len(current.planned))


def _forfeits(names: Sequence[str], history: History) -> Iterable[Forfeit]:
    for played in history:
        for number, result in enumerate(played.results, 1):
            for position, bot in enumerate(result.table.bots):
                games = sum(game.forfeits[position] for game in result.games)
                if games:
                    yield Forfeit(name=names[bot], round=played.round.number, table=number, games=games)
