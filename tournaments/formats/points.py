"""Points of games, tables and tournaments, as the pairings use them."""

from collections.abc import Sequence

from tournaments.formats.interface import GameResult, History, Points, PointSystem, TableResult

BYE = Points(1, 2)
"""A bye in a Swiss tournament."""


def share_beaten(values: Sequence[Points | int], position: int) -> Points:
    """(Those with a lower value + half of those with the same) / (all others)."""
    below = sum(value < values[position] for value in values)
    level = sum(value == values[position] for value in values) - 1
    return Points(2 * below + level, 2 * (len(values) - 1))


def points_at(game: GameResult, position: int) -> Points:
    """The game points of one at the table: 1 for a win, 0 for the last place and for a forfeit."""
    if game.forfeits[position]:
        return Points(0)
    return share_beaten([-rank for rank in game.ranks], position)


def game_points(game: GameResult) -> tuple[Points, ...]:
    """The game points of all, by position at the table."""
    return tuple(points_at(game, position) for position in range(len(game.ranks)))


def game_point_sums(result: TableResult) -> tuple[Points, ...]:
    """By position at the table, the game points over all its games."""
    sums = [Points(0)] * len(result.table.bots)
    for game in result.games:
        sums = [total + points for total, points in zip(sums, game_points(game), strict=True)]
    return tuple(sums)


def forfeited(result: TableResult) -> tuple[bool, ...]:
    """By position at the table, who forfeited all of its games."""
    return tuple(
        bool(result.games) and all(game.forfeits[position] for game in result.games)
        for position in range(len(result.table.bots))
    )


def table_points(result: TableResult, system: PointSystem) -> tuple[Points, ...]:
    """By position at the table, what the round is worth."""
    sums = game_point_sums(result)
    if system == "game":
        return tuple(total / max(1, len(result.games)) for total in sums)
    return tuple(Points(0) if gone else share_beaten(sums, position) for position, gone in enumerate(forfeited(result)))


def totals(bots: int, history: History, system: PointSystem, bye: Points) -> list[Points]:
    """By bot, the points of all rounds."""
    points = [Points(0)] * bots
    for played in history:
        for result in played.results:
            for bot, worth in zip(result.table.bots, table_points(result, system), strict=True):
                points[bot] += worth
        for bot in played.round.byes:
            points[bot] += bye
    return points
