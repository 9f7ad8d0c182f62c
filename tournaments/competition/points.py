"""Points for games, tables and rounds, in exact fractions, and the totals of the bots.

A bot scores against each opponent at its table 1 for a better place, ½ for a shared one and 0 for a worse one; its
points are the mean of that over the opponents. A bot that forfeits scores 0 against everybody, including others that
forfeit, and everybody else scores 1 against it.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from msgspec import Struct

from tournaments.competition.rounds import (
    Deal,
    Entry,
    GameResult,
    History,
    PlayedRound,
    Points,
    PointSystem,
    TableResult,
    derived,
)

ZERO: Final = Fraction(0)
HALF: Final = Fraction(1, 2)
ONE: Final = Fraction(1)

Versus = tuple[tuple[Points, ...], ...]
"""The points of each bot at a table against each of the others, by position in `Table.bots`."""


class Tally(Struct, kw_only=True):
    """The totals of one bot over some rounds."""

    tables: int = 0
    rounds: int = 0
    """Rounds in which it had a table."""
    games: int = 0
    points: Points = ZERO
    """Over rounds, with byes; of `tallies` also with penalties and bonuses."""
    game_points: Points = ZERO
    """The plain sum over games."""
    faults: int = 0
    byes: int = 0
    deals: int = 0
    """Only of `tallies`, as are the games played in each seat."""
    seat_counts: list[int] = []

    def add(self, other: "Tally") -> None:
        self.tables += other.tables
        self.rounds += other.rounds
        self.games += other.games
        self.points += other.points
        self.game_points += other.game_points
        self.faults += other.faults
        self.byes += other.byes


class Meeting(Struct, kw_only=True):
    """Two bots and their points at the tables where they met: over all tables together, `a_points` + `b_points` is at
    most the number of tables. `a` comes before `b` in the list of entries.
    """

    a: int
    b: int
    tables: int = 0
    games: int = 0
    a_points: Points = ZERO
    b_points: Points = ZERO


def game_points(game: GameResult) -> tuple[Points, ...]:
    """(Opponents ranked below + half of those tied) ÷ (seats − 1), by position in `Table.bots`."""
    return points_of_ranks(game.ranks, game.forfeits)


@lru_cache(maxsize=16384)
def points_of_ranks(ranks: tuple[int, ...], forfeits: tuple[bool, ...]) -> tuple[Points, ...]:
    """As `game_points`, from ranks and forfeits in any common order, such as by seat."""
    return tuple(mean(row) for row in _versus_of_ranks(ranks, forfeits))


@derived
def game_point_sums(result: TableResult) -> tuple[Points, ...]:
    """The game points over the games of a table, by position in `Table.bots`."""
    size = len(result.table.bots)
    # Summed as integers, which is far faster.
    parts = 2 * (size - 1)
    games = [_parts_of_ranks(game.ranks, game.forfeits) for game in result.games]
    return tuple(Fraction(sum(game[position] for game in games), parts) for position in range(size))


@derived
def points_at_table(result: TableResult, points: PointSystem) -> tuple[Points, ...]:
    """The points of each bot for a table with at least one finished game: the mean of its game points; or, of a system
    of `table` points, as `game_points`, from the places at the table, which go by their sum."""
    return tuple(mean(row) for row in versus(result, points))


@derived
def versus(result: TableResult, points: PointSystem) -> Versus:
    """The points of each bot against each of the others at a table with at least one finished game."""
    if points == "table":
        sums = zip(game_point_sums(result), forfeited(result), strict=True)
        return _versus([None if out else value for value, out in sums])
    games = [_versus_of_ranks(game.ranks, game.forfeits) for game in result.games]
    return tuple(
        tuple(Fraction(sum(cells), len(games)) for cells in zip(*rows, strict=True))
        for rows in zip(*games, strict=True)
    )


@derived
def forfeited(result: TableResult) -> tuple[bool, ...]:
    """Whether each bot forfeited every game at a table, which then counts as unplayed for it."""
    return tuple(
        bool(result.games) and all(game.forfeits[position] for game in result.games)
        for position in range(len(result.table.bots))
    )


@derived
def round_points(played: PlayedRound, points: PointSystem, bye: Points) -> dict[int, Points]:
    """The points of each bot for a round in which it had a table with a finished game, or a bye, also one on request.

    A bot at several tables of the round (gauntlet, SPRT) gets the mean over them, so that a round is worth at most 1.
    """
    found: dict[int, list[Points]] = defaultdict(list)
    for result in finished_tables(played):
        for bot, value in zip(result.table.bots, points_at_table(result, points), strict=True):
            found[bot].append(value)
    return (
        {bot: mean(values) for bot, values in found.items()}
        | dict.fromkeys(played.round.byes, bye)
        | dict(played.requested)
    )


@derived
def finished_tables(played: PlayedRound) -> tuple[TableResult, ...]:
    return tuple(result for result in played.results if result.games)


def round_tallies(played: PlayedRound, points: PointSystem, bye: Points) -> dict[int, Tally]:
    """The totals of a round, for each bot that had a table or a bye in it. `bye`: the points for a bye."""
    found = {bot: Tally(points=value) for bot, value in round_points(played, points, bye).items()}
    for result in finished_tables(played):
        for position, (bot, value) in enumerate(zip(result.table.bots, game_point_sums(result), strict=True)):
            own = found[bot]
            own.tables += 1
            own.rounds = 1
            own.games += len(result.games)
            own.game_points += value
            own.faults += sum(game.faults[position] for game in result.games)
    for bot in played.round.byes:
        found[bot].byes = 1
    return found


def tallies(entries: Sequence[Entry], seats: int, history: History, points: PointSystem, bye: Points) -> list[Tally]:
    """The totals of each bot. `seats` is the number of seats at a full table, `bye` the points for a bye."""
    found = [Tally(points=entry.adjustment, seat_counts=[0] * seats) for entry in entries]
    deals: list[set[Deal]] = [set() for _ in entries]
    for played in history:
        for bot, own in round_tallies(played, points, bye).items():
            found[bot].add(own)
        for result in finished_tables(played):
            for position, bot in enumerate(result.table.bots):
                deals[bot].update(game.deal for game in result.games)
                for game in result.games:
                    found[bot].seat_counts[(position - game.rotation) % len(result.table.bots)] += 1
    for tally, played_deals in zip(found, deals, strict=True):
        tally.deals = len(played_deals)
    return found


def totals(entries: Sequence[Entry], history: History, points: PointSystem, bye: Points) -> list[Points]:
    """The points over all rounds with penalties and bonuses, by bot. `bye`: the points for a bye."""
    found = [entry.adjustment for entry in entries]
    for played in history:
        for bot, value in round_points(played, points, bye).items():
            found[bot] += value
    return found


def meetings(history: History, points: PointSystem) -> list[Meeting]:
    """Every pair of bots that has met, in the order of the entries."""
    found: dict[tuple[int, int], Meeting] = {}
    for played in history:
        for result in finished_tables(played):
            cells = versus(result, points)
            for one, two in combinations(range(len(cells)), 2):
                low, high = sorted((one, two), key=lambda position: result.table.bots[position])
                pair = (result.table.bots[low], result.table.bots[high])
                met = found.setdefault(pair, Meeting(a=pair[0], b=pair[1]))
                met.tables += 1
                met.games += len(result.games)
                met.a_points += _cell(cells, low, high)
                met.b_points += _cell(cells, high, low)
    return [found[pair] for pair in sorted(found)]


def opponents(result: TableResult, position: int) -> tuple[int, ...]:
    """The others at a table, in the order in which `Versus` has them."""
    return tuple(bot for other, bot in enumerate(result.table.bots) if other != position)


def mean(values: Iterable[Points]) -> Points:
    """The exact mean; 0 if there are no values."""
    listed = list(values)
    return listed[0] if len(listed) == 1 else sum(listed, ZERO) / max(len(listed), 1)


@lru_cache(maxsize=16384)
def _versus_of_ranks(ranks: tuple[int, ...], forfeits: tuple[bool, ...]) -> Versus:
    return _versus([None if out else -rank for rank, out in zip(ranks, forfeits, strict=True)])


@lru_cache(maxsize=16384)
def _parts_of_ranks(ranks: tuple[int, ...], forfeits: tuple[bool, ...]) -> tuple[int, ...]:
    """The game points in units of 1 / (2 (k − 1))."""
    return tuple(int(value * 2 * (len(ranks) - 1)) for value in points_of_ranks(ranks, forfeits))


def _versus(standing: Sequence[Points | int | None]) -> Versus:
    """From a value for each bot, higher is better, or None for a forfeit."""
    return tuple(
        tuple(_score(own, other) for place, other in enumerate(standing) if place != position)
        for position, own in enumerate(standing)
    )


def _score(own: Points | int | None, other: Points | int | None) -> Points:
    if own is None:
        return ZERO
    if other is None or own > other:
        return ONE
    return HALF if own == other else ZERO


def _cell(cells: Versus, position: int, other: int) -> Points:
    return cells[position][other - (other > position)]


class SeatWins(Struct, frozen=True, kw_only=True):
    """How many deals were won by one seat, whoever sat there: the opening may have decided them."""

    deals: int
    """Those that were played in every rotation, at each table."""
    one_seat: int


def count_seat_wins(games: Iterable[tuple[Hashable, Sequence[int]]]) -> SeatWins:
    """Of games with their deals, each at its table, and their ranks by seat."""
    winners: dict[tuple[Hashable, int], list[int | None]] = defaultdict(list)
    for deal, ranks in games:
        winners[deal, len(ranks)].append(ranks.index(1) if ranks.count(1) == 1 else None)
    complete = [won for (_, seats), won in winners.items() if len(won) == seats]
    return SeatWins(deals=len(complete), one_seat=sum(won[0] is not None and len(set(won)) == 1 for won in complete))
