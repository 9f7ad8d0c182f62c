"""Playing the games of a schedule in this process, without a match or a tournament around them."""

from collections.abc import Callable

from referee.record.writer import Recorder
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer, ignore
from tournaments.play.local import open_local
from tournaments.play.measurements import Measurements
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Schedule


async def play_games(
    plan: GamePlan,
    schedule: Schedule,
    on_game: Callable[[PlayedGame], None],
    measured: Measurements | None = None,
    observer: Observer = ignore,
) -> None:
    """Play all games; `on_game` is called with each finished one."""

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        on_game(played)

    async with open_local(Conditions(), observer) as executor:
        await executor.play(plan, schedule, store, measured)
