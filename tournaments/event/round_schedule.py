"""The schedule of one round of a tournament: rotation by rotation over all its tables."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from referee.seeds import bot_seed, keyed, public_id
from tournaments.competition.games import PlannedGame, deal_seed
from tournaments.competition.rounds import Deal
from tournaments.event.file.tournament_spec import TournamentBot
from tournaments.play.schedule import ScheduledGame


def exclusive_use(bots: Iterable[TournamentBot]) -> dict[int, str]:
    return {index: bot.exclusive for index, bot in enumerate(bots) if bot.exclusive is not None}


class RoundSchedule:
    """A Schedule of the missing games of a round. The next rotation begins when the previous one is over.

    `deals_of`: as in the regulations. Games whose bots share a resource in `exclusive` (by bot) don't run at the same
    time. No further game begins once `is_ending` returns true. `on_begin` is called with the ids of games that begin.
    """

    def __init__(
        self,
        games: Iterable[PlannedGame],
        seed: str,
        *,
        deals_of: str,
        exclusive: Mapping[int, str],
        is_ending: Callable[[], bool],
        on_begin: Callable[[Sequence[str]], None] = lambda game_ids: None,
    ) -> None:
        self._waiting = deque(games)
        self._seed = seed
        self._derive = keyed(seed)
        self._deals_of = deals_of
        self._exclusive = exclusive
        self._is_ending = is_ending
        self._on_begin = on_begin
        self._rotation = 0
        self._running = 0
        self._in_use = Counter[str]()
        """The resources in use by running games."""
        self._to_begin = Counter((game.rotation, game.table) for game in self._waiting)
        """By rotation and table, the games that have not begun."""
        self._tasks: deque[list[PlannedGame]] | None = None
        """The games that have not begun, by task, once there are tasks."""

    def next_game(self) -> ScheduledGame | None:
        if self._is_ending() or not self._waiting:
            return None
        if self._waiting[0].rotation != self._rotation:
            if self._running:
                return None
            self._rotation = self._waiting[0].rotation
        game = self._first_that_can_begin()
        if game is None:
            return None
        self._running += 1
        self._in_use.update(self._needs(game.bots))
        self._to_begin[game.rotation, game.table] -= 1
        return self._scheduled(game)

    def next_task(self) -> Sequence[ScheduledGame]:
        """See Schedule. Where tables share deals, a task is a table in one rotation: the next rotation of any of them
        begins when all are over. Resources in `exclusive` are not heeded."""
        if self._tasks is None:
            tasks: dict[tuple[int, int], list[PlannedGame]] = {}
            for game in self._waiting:
                tasks.setdefault((game.rotation if self._deals_of == "round" else 0, game.table), []).append(game)
            self._tasks = deque(tasks.values())
        if self._is_ending() or not self._tasks:
            return ()
        if self._deals_of == "round" and self._tasks[0][0].rotation != self._rotation:
            if self._running:
                return ()
            self._rotation = self._tasks[0][0].rotation
        games = self._tasks.popleft()
        self._running += len(games)
        return [self._scheduled(game) for game in games]

    def _scheduled(self, game: PlannedGame) -> ScheduledGame:
        return ScheduledGame(
            game_id=game.game_id,
            public_id=public_id(self._derive, game.game_id),
            table=game.table,
            deal=game.deal,
            rotation=game.rotation - 1,
            phase=game.rotation,
            seating=game.bots,
            seed=deal_seed(self._seed, game.round, Deal.of(self._deals_of, game.table, game.deal)),
            opening=game.deal - 1,
            bot_seeds=tuple(bot_seed(self._derive, game.game_id, seat) for seat in range(len(game.bots))),
        )

    def begun(self, games: Iterable[ScheduledGame]) -> None:
        self._on_begin([game.game_id for game in games])

    def finished(self, game: ScheduledGame) -> None:
        self._running -= 1
        self._in_use.subtract(self._needs(game.seating))

    def needs_processes(self, game: ScheduledGame) -> bool:
        return not self._is_ending() and self._to_begin[game.rotation + 1, game.table] > 0

    def _first_that_can_begin(self) -> PlannedGame | None:
        """Remove and return the first waiting game of this rotation that needs no resource in use."""
        for index, game in enumerate(self._waiting):
            if game.rotation != self._rotation:
                return None
            if not any(self._in_use[need] for need in self._needs(game.bots)):
                del self._waiting[index]
                return game
        return None

    def _needs(self, bots: Iterable[int]) -> set[str]:
        return {self._exclusive[bot] for bot in bots if bot in self._exclusive}
