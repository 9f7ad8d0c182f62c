"""Scenarios: seeded games between scripted bots, with every line in both directions and the records of the games.

0 -> {"type":"hello",…}      to the bot in seat 0
0 <- {"type":"ready",…}      from it
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple
from unittest import mock

import msgspec
import trio
from trio.testing import MockClock

from protocol.codec import MAX_INFO, encode_json
from protocol.framing import MAX_LINE
from protocol.messages import HelloLimits
from protocol.record import Line, PlayerInfo
from referee import version
from referee.connections import Connection
from referee.game_runner import GameRunner, GameSetup
from referee.games import config_from, find_game
from referee.games.forbidden_city.tile_set import parse_tile_set
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl, milliseconds
from referee.players.player import PlayerFault
from referee.players.session import BotSession
from tests.golden.bots import (
    READY,
    ScriptedBot,
    ScriptedConnection,
    by_action,
    by_index,
    by_index_until,
    exiting,
    first_index,
    illegal,
    late_then_right,
    misbehaving,
    silent,
)

VERSION: Final = "0.0.0"
"""The referee's version in transcripts, so that a release changes none of them."""
READY_WITH_DETAILS: Final = '{"type":"ready","protocol":1,"name":"action","version":"2.1","author":"A. Author"}'
NO_OBSERVATION: Final = '{"type":"ready","protocol":1,"name":"no-observation","options":{"observation":false}}'
OBSERVATION_ONLY: Final = (
    '{"type":"ready","protocol":1,"name":"observation-only","options":{"legal":false,"events":false}}'
)
NO_PARTS: Final = (
    '{"type":"ready","protocol":1,"name":"no-parts","options":{"observation":false,"legal":false,"events":false}}'
)
OTHER_TILES: Final = """
colours = ["green", "jade"]
[[tile]]
edges = "wooo"
parts = ["jade"]
picture = "dragon"
count = 1
copies = 3
[[tile]]
edges = "wwaw"
parts = ["green", "jade"]
picture = "advisors"
count = 2
copies = 3
[[tile]]
edges = "wowo"
parts = ["green"]
owners = ["purple", "yellow", "red"]
[[tile]]
edges = "aaaa"
parts = ["green"]
owners = ["blue"]
[[tile]]
edges = "wwoo"
parts = ["jade"]
two = true
"""
"""An organiser's tile set."""


class Scenario(NamedTuple):
    """The games, bots and clock. The transcript keeps the first `keep` lines and the last ones."""

    bots: list[ScriptedBot]
    game: str = "year_of_the_dragon"
    options: Mapping[str, Any] = {}
    control: TimeControl = TimeControl()
    retries: int = 0
    games: int = 1
    keep: int | None = None


SCENARIOS: Final[dict[str, Scenario]] = {
    "whole-game": Scenario(
        [
            ScriptedBot(READY % "index", by_index),
            ScriptedBot(READY_WITH_DETAILS, by_action),
        ],
    ),
    "both-expansions-on-a-bank": Scenario(
        [ScriptedBot(READY % f"slow{seat}", by_index, seconds=0.15) for seat in range(3)],
        options={"great_wall": True, "super_event": "random"},
        control=TimeControl(move=None, bank=60.0, increment=0.1),
        keep=50,
    ),
    "parts-left-out": Scenario(
        [
            ScriptedBot(NO_OBSERVATION, by_action),
            ScriptedBot(OBSERVATION_ONLY, first_index),
            ScriptedBot(NO_PARTS, first_index),
        ],
        keep=60,
    ),
    "two-games-and-late-answers": Scenario(
        [ScriptedBot(READY % "late", late_then_right), ScriptedBot(READY % "punctual", first_index)],
        options={"edition": "first"},
        games=2,
        keep=30,
    ),
    "retries": Scenario(
        [
            ScriptedBot(READY % "misbehaving", misbehaving),
            ScriptedBot(READY % "illegal", by_index_until(1, illegal)),
            ScriptedBot(READY % "c", by_index),
        ],
        retries=2,
        keep=60,
    ),
    "faults-substitute-and-early-stop": Scenario(
        [
            ScriptedBot(READY % "crashes", by_index_until(2, exiting)),
            ScriptedBot(READY % "sleeps", by_index_until(7, silent)),
            ScriptedBot(READY % "survives", by_index),
        ],
    ),
    "city": Scenario(
        [ScriptedBot(READY % "index", by_index), ScriptedBot(READY % "action", by_action)],
        game="forbidden_city",
        keep=24,
    ),
    "city-advanced-parts-left-out": Scenario(
        [
            ScriptedBot(NO_OBSERVATION, by_action),
            ScriptedBot(OBSERVATION_ONLY, first_index),
            ScriptedBot(READY % "third", by_index),
            ScriptedBot(READY % "crashes", by_index_until(5, exiting)),
        ],
        game="forbidden_city",
        options={"start_tile": "advanced"},
        keep=40,
    ),
    "city-three-with-other-tiles": Scenario(
        [ScriptedBot(READY % f"bot of seat {seat}", by_index) for seat in range(3)],
        game="forbidden_city",
        options={"tile_set": "other.toml", "tiles": msgspec.to_builtins(parse_tile_set(OTHER_TILES))},
        keep=30,
    ),
    "faults-at-the-start": Scenario(
        [
            ScriptedBot('{"type":"ready","protocol":2,"name":"from the future"}', by_index),
            ScriptedBot('{"type":"action","id":1,"index":0}', by_index),
            ScriptedBot(READY % "survives", by_index),
        ],
    ),
}
"""By the name of the file."""


class RecordInMemory:
    """A record as a list of lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: Line | bytes) -> None:
        """Add a line."""
        self.lines.append((line if isinstance(line, bytes) else encode_json(line)).decode())

    def close(self) -> None:
        """A list needs no closing."""


class Played(NamedTuple):
    """The output of a scenario: every line in both directions, and the record of each game."""

    lines: list[str]
    records: list[list[str]]


def play_scenario(name: str) -> Played:
    """Play the games of a scenario. No real time passes, and the result is always the same."""
    played: Played = run_on_mock_clock(partial(_play, name))
    return played


def run_on_mock_clock(play: Callable[[], Awaitable[Any]]) -> Any:
    """Run `play` and return its result. No real time passes, and the referee's version is 0.0.0."""
    with mock.patch.object(version, "__version__", VERSION):
        return trio.run(play, clock=MockClock(autojump_threshold=0))


async def _play(name: str) -> Played:
    scenario = SCENARIOS[name]
    seats = range(len(scenario.bots))
    played = Played([], [])
    connections = [ScriptedConnection(seat, bot, played.lines) for seat, bot in enumerate(scenario.bots)]
    sessions = [await greet(bot_session(each, scenario.control)) for each in connections]
    names = [f"bot{seat}" for seat in seats]
    game = find_game(scenario.game)
    for number in range(1, scenario.games + 1):
        setup = GameSetup(
            game_id=f"{name}-{number}",
            public_id=f"{name}-{number}",
            game=game,
            config=config_from(game.Config, {"players": len(seats), **scenario.options}),
            seed=f"{name}-{number}",
            names=names,
            bot_seeds=[number * 1000 + seat for seat in seats],
            control=scenario.control,
        )
        record = RecordInMemory()
        players = [each if isinstance(each, Fault) else BotPlayer(each, scenario.retries) for each in sessions]
        await GameRunner(setup, players, [PlayerInfo(name=each) for each in names], record).play()
        played.records.append(record.lines)
    for session in sessions:
        if not isinstance(session, Fault):
            session.connection.close()
    return played


def bot_session(connection: Connection, control: TimeControl) -> BotSession:
    """A session over a connection, with the default limits of `referee match`."""
    limits = HelloLimits(
        line_bytes=MAX_LINE,
        info_bytes=MAX_INFO,
        startup_ms=milliseconds(control.startup),
        margin_ms=milliseconds(control.margin),
        quit_ms=1000,
        memory_mb=2048,
    )
    return BotSession(connection, control, limits)


async def greet(session: BotSession) -> BotSession | Fault:
    """The session once its bot is ready, or the bot's fault."""
    try:
        await session.greet()
    except PlayerFault as error:
        await session.dismiss(error.fault)
        return error.fault
    return session


def shorten(name: str, lines: list[str]) -> list[str]:
    """The lines of a scenario without those in the middle that it doesn't keep."""
    scenario = SCENARIOS[name]
    last = 2 * len(scenario.bots)
    if scenario.keep is None or len(lines) <= scenario.keep + last:
        return lines
    return [*lines[: scenario.keep], f"… {len(lines) - scenario.keep - last} more lines …", *lines[-last:]]
