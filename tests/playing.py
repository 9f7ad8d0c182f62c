"""Matches for tests, and playing the games of a schedule in this process without one around them."""

from collections.abc import Callable, Sequence
from typing import Any

import trio

from referee.bots.bot_spec import BotSpec, parse_bots
from referee.games import Game, config_from, find_game
from referee.record.writer import Recorder
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer, ignore
from tournaments.play.local import open_local
from tournaments.play.match_spec import MatchSpec
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame
from tournaments.play.schedule import Phases, Schedule, rotations


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
        await executor.play(plan, schedule, store, measured or Measurements(plan))


def match_of(*bots: str, **given: Any) -> MatchSpec:
    """A match of these bots. `given`: other fields, and those of its conditions; records are kept only in `records`."""
    conditions = {name: given.pop(name) for name in Conditions.__struct_fields__ if name in given}
    return MatchSpec(bots=[*bots], conditions=Conditions(**conditions), keep_records="records" in given, **given)


def plan_of(game: type[Game], bots: Sequence[BotSpec], **given: Any) -> GamePlan:
    """A plan for games of these bots. `given`: fields of its conditions, of the plan, and options of the game."""
    conditions = {name: given.pop(name) for name in Conditions.__struct_fields__ if name in given}
    fields = {name: given.pop(name) for name in GamePlan.__struct_fields__ if name in given}
    config = config_from(game.Config, {"players": len(bots), **given})
    return GamePlan(game=game, config=config, bots=[*bots], conditions=Conditions(**conditions), **fields)


def play_deals(game: str, bots: list[str], deals: int = 1, *, rotate: bool = False, **given: Any) -> list[PlayedGame]:
    """All games of some deals between these BOTs. `given`: as in `plan_of`."""
    played: list[PlayedGame] = []
    plan = plan_of(find_game(game), parse_bots(bots), **given)
    schedule = Phases(rotations(deals, len(bots), f"{bots[0]} plays {game}", rotate=rotate))
    trio.run(play_games, plan, schedule, played.append)
    return played
