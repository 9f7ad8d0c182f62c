"""Standings without tie-breaks and ratings, cheap enough to be shown many times a second while games finish."""

from collections.abc import Callable, Hashable
from itertools import islice

from msgspec import Struct

from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.ladder import Ladder, strengths
from tournaments.competition.points import ZERO, finished_tables, game_point_sums, round_points
from tournaments.competition.progress import Progress, StoredGame, table_result
from tournaments.competition.results import elimination_key, ranked_by
from tournaments.competition.rounds import History, PlayedRound, Points, TableResult


class QuickRow(Struct, frozen=True, kw_only=True):
    """One bot."""

    place: int
    name: str
    points: float
    worth: float
    """By which places go: the points, or the points per table where numbers of tables differ."""
    game_points: float
    games: int
    faults: int
    withdrawn: bool
    eliminated: bool


class _Sums:
    """What the bots have added up; by index."""

    def __init__(self, bots: int) -> None:
        self.points = [ZERO] * bots
        self.game_points = [ZERO] * bots
        self.rounds = [0] * bots
        """With a table."""
        self.games = [0] * bots
        self.faults = [0] * bots

    def copy(self) -> "_Sums":
        """The same sums, to be added to."""
        found = _Sums(0)
        for name, values in vars(self).items():
            setattr(found, name, list(values))
        return found

    def grow(self, bots: int) -> None:
        """Make room for late entries."""
        more = bots - len(self.points)
        for points in (self.points, self.game_points):
            points.extend([ZERO] * more)
        for counts in (self.rounds, self.games, self.faults):
            counts.extend([0] * more)


class RunningStandings:
    """The standings of a tournament in progress. Asked again, it adds only what has been played since: a look costs in
    proportion to the bots and the new games. All looks are at one Progress.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._over = _Sums(0)
        """Of the rounds that are over."""
        self._rounds: list[PlayedRound] = []
        """Those rounds."""
        self._key: Callable[[int], Hashable] | None = None
        """What places go by before points: the bracket of a knockout, the strengths on a ladder."""
        self._eliminated: frozenset[int] = frozenset()
        self._events = -1
        self._clear_current()

    def rows(self) -> list[QuickRow]:
        """The standings now. Those whom points do not separate share a place; a ladder goes by the strengths that its
        tables are chosen by, after the last round that is over."""
        self._add_rounds()
        self._add_games()
        progress = self._progress
        bots = range(len(progress.entries))
        sums = self._totals()
        per_table = progress.regulations.format_settings.per_table and len(set(sums.rounds)) > 1
        # Equal fractions are equal as floats, and unequal ones of such small numbers are not.
        worth = [float(sums.points[bot] / max(sums.rounds[bot], 1) if per_table else sums.points[bot]) for bot in bots]
        key = self._key
        out = self._eliminated
        ranked = ranked_by(bots, (lambda bot: -worth[bot]) if key is None else key)
        return [
            QuickRow(
                place=row.place,
                name=progress.entries[row.bot].name,
                points=float(sums.points[row.bot]),
                worth=worth[row.bot],
                game_points=float(sums.game_points[row.bot]),
                games=sums.games[row.bot],
                faults=sums.faults[row.bot],
                withdrawn=progress.entries[row.bot].withdrawn is not None,
                eliminated=row.bot in out,
            )
            for row in ranked
        ]

    # -- rounds that are over ---------------------------------------------------------------------------------

    def _add_rounds(self) -> None:
        progress = self._progress
        history = progress.history
        events, self._events = self._events, len(progress.events)
        changed = events != self._events or any(
            known is not played for known, played in zip(self._rounds, history, strict=False)
        )
        if changed:
            self._over, self._rounds = _Sums(0), []
            self._clear_current()
        elif len(history) == len(self._rounds):
            return
        self._over.grow(len(progress.entries))
        regulations = progress.regulations
        for played in history[len(self._rounds) :]:
            _add_round(self._over, played, round_points(played, regulations.points, regulations.format_settings.bye))
            self._rounds.append(played)
        self._key, self._eliminated = self._order(progress.paired_by)

    def _order(self, history: History) -> tuple[Callable[[int], Hashable] | None, frozenset[int]]:
        settings, tournament = self._progress.regulations.format_settings, self._progress.tournament()
        if isinstance(settings, Knockout):
            state = settings.state(tournament, history)
            return elimination_key(self._progress, settings), frozenset(state.eliminated)
        if isinstance(settings, Ladder):
            found, _ = strengths(tournament, history)
            return (lambda bot: -found[bot]), frozenset()
        return None, frozenset()

    # -- the round in progress --------------------------------------------------------------------------------

    def _clear_current(self) -> None:
        self._current = 0
        """The number of the round in progress."""
        self._seen = 0
        """How many of its games have been added."""
        self._tables: dict[int, list[StoredGame]] = {}
        self._results: dict[int, TableResult] = {}

    def _add_games(self) -> None:
        """Look at the games since the last time, and compute the tables anew at which they were played."""
        current = self._progress.current
        if current is None or current.round.number != self._current:
            self._clear_current()
        if current is None:
            return
        self._current = current.round.number
        new = list(islice(current.played.values(), self._seen, None))
        self._seen += len(new)
        for game in new:
            self._tables.setdefault(game.table, []).append(game)
        for number in {game.table for game in new}:
            self._results[number] = table_result(current.round.tables[number - 1], self._tables[number])

    def _totals(self) -> _Sums:
        """What the bots have added up, the round in progress included."""
        progress = self._progress
        total = self._over.copy()
        total.grow(len(progress.entries))
        if progress.current is not None:
            regulations = progress.regulations
            played = PlayedRound(round=progress.current.round, results=tuple(self._results.values()))
            _add_round(total, played, round_points(played, regulations.points, regulations.format_settings.bye))
        return total


def quick_standings(progress: Progress) -> list[QuickRow]:
    """The standings now, computed once; who looks again keeps a RunningStandings."""
    return RunningStandings(progress).rows()


def _add_round(sums: _Sums, played: PlayedRound, worth: dict[int, Points]) -> None:
    for bot, value in worth.items():
        sums.points[bot] += value
    for bot in {bot for result in finished_tables(played) for bot in result.table.bots}:
        sums.rounds[bot] += 1
    for result in finished_tables(played):
        _add_table(sums, result)


def _add_table(sums: _Sums, result: TableResult) -> None:
    for position, (bot, value) in enumerate(zip(result.table.bots, game_point_sums(result), strict=True)):
        sums.game_points[bot] += value
        sums.games[bot] += len(result.games)
        sums.faults[bot] += sum(game.faults[position] for game in result.games)
