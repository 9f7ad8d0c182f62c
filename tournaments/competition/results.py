"""The standings of a tournament: places, points, tie-breaks, ratings. Pure; `referee tournament standings --json`."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, structs

from tournaments.competition.changes import AnyRuling, Disqualified, Undone, Withdrawn, begun_again
from tournaments.competition.formats.interface import Results
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.intervals import Rating
from tournaments.competition.points import SeatWins, Tally, count_seat_wins, finished_tables, meetings, tallies
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import Ratings, ranked_games, rate
from tournaments.competition.repeats import DealCounts, count_deals, decided_games
from tournaments.competition.rounds import DealsOf, History, PointSystem
from tournaments.competition.ruling_checks import about, format_ruling
from tournaments.competition.rulings import standing_events
from tournaments.competition.tiebreaks import Placed, places_by

CONFIDENCE_DIGITS: Final = 4


class StandingRow(Struct, frozen=True, kw_only=True):
    place: int
    name: str
    tables: int
    games: int
    deals: int
    points: float
    points_per_table: float | None
    """The points divided by the rounds with a table, if places go by that; else None."""
    game_points: float
    """The plain sum over games."""
    faults: int
    byes: int
    seat_counts: tuple[int, ...]
    tiebreaks: dict[str, float | None]
    """In the order in which they decide; empty if places do not go by points."""
    ahead_by: str | None
    """The tie-break by which it is ahead of the bot in the next row, which has as many points; None where points or
    anything else decide, or nothing."""
    rating: Rating | None
    """None before its first rated game."""
    better_than_next: float | None
    """The confidence that it is better than the bot in the next row. None in the last row, with too few deals, and
    where the difference has no interval."""
    difference_to_next: Rating | None
    """Its rating less that of the bot in the next row. None in the last row, and where nothing compares the two."""
    rated_deals: int
    """The deals on which its rating is based: without repeats, and those whose games a ruling has set or struck out."""
    unrated_games: int
    """Its games that count in no rating and no sequential test: a ruling has set their result, or they are void."""
    replayed_games: int
    """Its games that were played again: their first results are struck out."""
    only: Literal["won", "lost"] | None
    """Whether it has only won, or only lost, its rated games."""
    joined: int
    """Its first round."""
    withdrawn: bool
    withdrawn_before: int | None
    """The first round that it no longer played."""
    withdrawn_reason: str | None
    eliminated: int | None
    """In a knockout, the round in which it went out."""
    adjustment: float
    """Penalties (below 0) and bonuses, which `points` include."""
    disqualified: bool
    """Whether it was disqualified: then it is behind all others."""

    @property
    def worth(self) -> float:
        """What places go by, where they go by points: these, or the points per table."""
        return self.points if self.points_per_table is None else self.points_per_table


class RulingRow(Struct, frozen=True, kw_only=True):
    event: int
    """Its number in the events of the manifest, from 1."""
    round: int
    """The first round that is paired after it."""
    kind: str
    """As `event` in the manifest."""
    about: str
    ruling: str
    """In words."""
    reason: str
    undone: bool


class PairRow(Struct, frozen=True, kw_only=True):
    """Two bots that have met, and their points against each other."""

    a: str
    b: str
    tables: int
    games: int
    a_points: float
    b_points: float
    difference: Rating | None
    """The rating of `a` less that of `b`, from all games. None if nothing compares them."""


class Forfeit(Struct, frozen=True, kw_only=True):
    """A table at which a bot could not be started for some of its games, or was withdrawn."""

    name: str
    round: int
    table: int
    games: int


class RoundInProgress(Struct, frozen=True, kw_only=True):
    """A round in progress; its finished games already count in the standings."""

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
    """The number of rounds; an upper bound if results may end the tournament earlier; None if that is not known."""
    deals: int
    """Deals with finished games."""
    deals_of: DealsOf
    repeated_deals: DealCounts | None
    """The deals of all tables, in a game without chance in which some are equal to others; else None."""
    seat_wins: SeatWins | None
    """How many deals one seat won in all rotations, in a tournament with openings; else None."""
    finished: bool
    ended_early: str | None
    """If it is over: why before its last planned round, if it was. Play-offs that were not needed don't count."""
    in_progress: RoundInProgress | None
    games: int
    """Finished games that count."""
    replayed: int
    """Games that were played again; their first results are struck out."""
    begun_again: dict[str, int]
    """By round, games that were begun again, because the referee or a worker had ended, or a record was discarded."""
    conditional: bool
    """Whether intervals are conditional on the pairings, because results determined those."""
    standings: list[StandingRow]
    pairs: list[PairRow]
    forfeits: list[Forfeit]
    sprt: SprtState | None
    """The state of the test in the format of that name. Its mean is biased by the stopping rule."""
    added: dict[str, Any]
    rulings: list[RulingRow]
    """The rulings of the organiser, also those that were undone."""
    statistics: int
    """The version of intervals and confidences."""
    unconnected: list[list[str]]
    """The bots in groups that no chain of rated games connects; empty if there is only one."""


# -- the whole ------------------------------------------------------------------------------------------------


def tournament_standings(progress: Progress, finished: bool) -> Standings:
    """The standings after the last round that is over, with the finished games of the one in progress.

    `finished`: whether the tournament is over. The format decides what places go by: usually points and tie-breaks.
    """
    regulations, settings = progress.regulations, progress.regulations.format_settings
    history = progress.view()
    ratings = rate(ranked_games(history))
    components = ratings.components()
    names = [entry.name for entry in progress.entries]
    sums = tallies(progress.entries, regulations.seats, history, regulations.points, settings.bye)
    ranked = ranking(progress, history, ratings)
    added = dict(progress.additions.added)
    sprt = added.pop("sprt", None)
    games = [game for played in history for result in finished_tables(played) for game in result.games]
    return Standings(
        tournament=regulations.name,
        format=regulations.format,
        game=regulations.game,
        seats=regulations.seats,
        points=regulations.points,
        round=len(progress.rounds),
        rounds=planned_rounds(progress, finished),
        deals=len({game.deal for game in games}),
        deals_of=regulations.deals_of,
        seat_wins=None if regulations.opening is UNSET else seat_wins(history),
        repeated_deals=count_deals(game for played in history for game in decided_games(played)),
        finished=finished,
        ended_early=progress.ended_early() if finished else None,
        in_progress=round_in_progress(progress),
        games=len(games),
        replayed=len(progress.struck_out),
        begun_again=begun_again(progress.events),
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
                difference=_rounded(ratings.difference(met.a, met.b)),
            )
            for met in meetings(history, regulations.points)
        ],
        forfeits=[
            Forfeit(name=names[bot], round=played.round.number, table=number, games=forfeits)
            for played in history
            for number, result in enumerate(played.results, 1)
            for position, bot in enumerate(result.table.bots)
            if (forfeits := sum(game.forfeits[position] for game in result.games))
        ],
        sprt=sprt,
        added=added,
        rulings=ruling_rows(progress),
        statistics=regulations.statistics,
        unconnected=[[names[bot] for bot in group] for group in components if len(components) > 1],
    )


def ruling_rows(progress: Progress) -> list[RulingRow]:
    standing = {number for number, _ in standing_events(progress.events)}
    return [
        RulingRow(
            event=number,
            round=event.round,
            kind=str(event.__struct_config__.tag),
            about=about(progress.events, event),
            ruling=format_ruling(progress.events, event, void=progress.void),
            reason=event.reason,
            undone=number not in standing and not isinstance(event, Undone),
        )
        for number, event in enumerate(progress.events, 1)
        if isinstance(event, AnyRuling)
    ]


def ranking(progress: Progress, history: History, ratings: Ratings) -> list[Placed]:
    """All bots by place after these rounds; `ratings` are those after the same rounds."""
    results = Results(history=history, paired_by=progress.paired_by, ratings=ratings)
    placed = progress.regulations.format_settings.ranking(progress.format_context(), results)
    if not any(entry.disqualified for entry in progress.entries):
        return placed
    # Behind all others, in the order that they would have. `places_by` keeps ties.
    of = {row.bot: row for row in placed}
    found = places_by(of, lambda bot: (progress.entries[bot].disqualified, of[bot].place))
    return [structs.replace(of[row.bot], place=row.place) for row in found]


def seat_wins(history: History) -> SeatWins:
    def games() -> Iterator[tuple[Hashable, list[int]]]:
        for played in history:
            for number, result in enumerate(played.results):
                for game in result.games:
                    turn = game.rotation
                    yield (number, game.deal), [*game.ranks[turn:], *game.ranks[:turn]]

    return count_seat_wins(games())


def planned_rounds(progress: Progress, finished: bool) -> int | None:
    """The number of rounds, or its upper bound; None if results decide."""
    if finished:
        return len(progress.rounds)
    rounds = progress.regulations.format_settings.plan(progress.format_context()).rounds
    return None if rounds is None else max(rounds, progress.next_number - 1)


def _rows(progress: Progress, ranked: Sequence[Placed], sums: Sequence[Tally], ratings: Ratings) -> list[StandingRow]:
    eliminated = progress.additions.eliminated
    reasons = {event.bot: event.reason for event in progress.events if isinstance(event, Withdrawn | Disqualified)}
    rows = []
    unrated = Counter(
        bot
        for played in progress.view()
        for result in played.results
        for _ in (*result.void, *(game for game in result.games if game.by_ruling))
        for bot in result.table.bots
    )
    replayed = Counter(bot for game, _ in progress.struck_out.values() for bot in game.bots)
    compared = progress.regulations.seats >= progress.regulations.format_settings.neighbours_compared
    following = [*ranked[1:], None]
    for row, other in zip(ranked, following, strict=True):
        tally, entry, rating = sums[row.bot], progress.entries[row.bot], ratings[row.bot]
        difference, better, ahead_by = None, None, None
        if other is not None and compared:
            difference, better = ratings.difference(row.bot, other.bot), ratings.better(row.bot, other.bot)
        if other is not None and entry.disqualified == progress.entries[other.bot].disqualified:
            ahead_by = row.ahead_by(other)
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
                seat_counts=tuple(tally.seat_counts),
                tiebreaks={str(name): None if value is None else float(value) for name, value in row.tiebreaks.items()},
                ahead_by=ahead_by,
                rating=_rounded(rating),
                better_than_next=None if better is None else round(better, CONFIDENCE_DIGITS),
                difference_to_next=_rounded(difference),
                rated_deals=ratings.deals(row.bot),
                unrated_games=unrated[row.bot],
                replayed_games=replayed[row.bot],
                only=None if rating is None else ratings.only(row.bot),
                joined=entry.joined,
                withdrawn=entry.withdrawn is not None,
                withdrawn_before=entry.withdrawn,
                withdrawn_reason=None if entry.withdrawn is None else reasons.get(entry.name),
                eliminated=eliminated.get(row.bot),
                adjustment=float(entry.adjustment),
                disqualified=entry.disqualified,
            )
        )
    return rows


def _rounded(rating: Rating | None) -> Rating | None:
    return None if rating is None else rating.rounded()


def round_in_progress(progress: Progress) -> RoundInProgress | None:
    current = progress.current
    if current is None:
        return None
    return RoundInProgress(round=current.round.number, games=len(current.played), of=len(current.planned))
