"""Wire transcripts: every line in both directions of seeded games between scripted bots, and the games' records.

0 -> {"type":"hello",…}      to the bot in seat 0
0 <- {"type":"ready",…}      from it
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from unittest import mock

import msgspec
import trio
from msgspec import Raw
from trio.testing import MockClock

from protocol.codec import MAX_INFO, encode_part
from protocol.framing import MAX_LINE
from protocol.messages import HelloLimits
from protocol.record import Line, PlayerInfo
from referee import version
from referee.game_runner import GameRunner, GameSetup
from referee.games import config_from, find_game
from referee.games.forbidden_city.tile_set import parse_tile_set
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl, milliseconds
from referee.players.player import PlayerFault
from tests.golden.bots import (
    READY,
    Script,
    ScriptedConnection,
    by_action,
    by_index,
    cheating,
    clumsy,
    dying,
    late_then_right,
    silent,
    the_first,
    until,
)

VERSION: Final = "0.0.0"
"""The referee's version in transcripts, so that a release changes none of them."""


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


class Conversation(NamedTuple):
    """What is played, by whom, on which clock. Of a long one only the first `keep` lines are kept, and the end."""

    scripts: list[Script]
    game: str = "year_of_the_dragon"
    options: Mapping[str, Any] = {}
    control: TimeControl = TimeControl()
    retries: int = 0
    games: int = 1
    keep: int | None = None


CONVERSATIONS: Final[dict[str, Conversation]] = {
    "whole-game": Conversation(
        [
            Script(READY % "index", by_index),
            Script('{"type":"ready","protocol":1,"name":"action","version":"2.1","author":"A. Author"}', by_action),
        ],
    ),
    "both-expansions-on-a-bank": Conversation(
        [Script(READY % f"slow{seat}", by_index, seconds=0.15) for seat in range(3)],
        options={"great_wall": True, "super_event": "random"},
        control=TimeControl(move=None, bank=60.0, increment=0.1),
        keep=50,
    ),
    "parts-left-out": Conversation(
        [
            Script('{"type":"ready","protocol":1,"name":"blind","options":{"observation":false}}', by_action),
            Script('{"type":"ready","protocol":1,"name":"deaf","options":{"legal":false,"events":false}}', the_first),
            Script(
                '{"type":"ready","protocol":1,"name":"both",'
                '"options":{"observation":false,"legal":false,"events":false}}',
                the_first,
            ),
        ],
        keep=60,
    ),
    "two-games-and-late-answers": Conversation(
        [Script(READY % "late", late_then_right), Script(READY % "punctual", the_first)],
        options={"edition": "first"},
        games=2,
        keep=30,
    ),
    "retries": Conversation(
        [Script(READY % "clumsy", clumsy), Script(READY % "cheat", until(1, cheating)), Script(READY % "c", by_index)],
        retries=2,
        keep=60,
    ),
    "faults-substitute-and-early-stop": Conversation(
        [
            Script(READY % "crashes", until(2, dying)),
            Script(READY % "sleeps", until(7, silent)),
            Script(READY % "survives", by_index),
        ],
    ),
    "city": Conversation(
        [Script(READY % "index", by_index), Script(READY % "action", by_action)],
        game="forbidden_city",
        keep=24,
    ),
    "city-advanced-parts-left-out": Conversation(
        [
            Script('{"type":"ready","protocol":1,"name":"blind","options":{"observation":false}}', by_action),
            Script('{"type":"ready","protocol":1,"name":"deaf","options":{"legal":false,"events":false}}', the_first),
            Script(READY % "third", by_index),
            Script(READY % "crashes", until(5, dying)),
        ],
        game="forbidden_city",
        options={"start_tile": "advanced"},
        keep=40,
    ),
    "city-three-with-other-tiles": Conversation(
        [Script(READY % f"bot of seat {seat}", by_index) for seat in range(3)],
        game="forbidden_city",
        options={"tile_set": "other.toml", "tiles": msgspec.to_builtins(parse_tile_set(OTHER_TILES))},
        keep=30,
    ),
    "faults-at-the-start": Conversation(
        [
            Script('{"type":"ready","protocol":2,"name":"from the future"}', by_index),
            Script("Hello, world!", by_index),
            Script(READY % "survives", by_index),
        ],
    ),
}
"""By the name of the file."""


class KeptRecord:
    """A record in memory."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: Line | Raw) -> None:
        """Add a line."""
        self.lines.append(bytes(line if isinstance(line, Raw) else encode_part(line)).decode())

    def close(self) -> None:
        """Nothing to do."""


class Held(NamedTuple):
    """A conversation that took place: all that was said, and the record of each game."""

    said: list[str]
    records: list[list[str]]


def hold(name: str) -> Held:
    """Let the bots play; no real time passes, and it is the same every time."""
    with mock.patch.object(version, "__version__", VERSION):
        held: Held = trio.run(converse, name, clock=MockClock(autojump_threshold=0))
    return held


async def converse(name: str) -> Held:
    """Greet all bots, let them play, and let them go."""
    conversation = CONVERSATIONS[name]
    control, seats = conversation.control, range(len(conversation.scripts))
    limits = HelloLimits(
        line_bytes=MAX_LINE,
        info_bytes=MAX_INFO,
        startup_ms=milliseconds(control.startup),
        margin_ms=milliseconds(control.margin),
        quit_ms=1000,
        memory_mb=2048,
    )
    held = Held([], [])
    lines = [ScriptedConnection(seat, script, held.said) for seat, script in enumerate(conversation.scripts)]
    players = [BotPlayer(each, control, limits, conversation.retries) for each in lines]
    seated = [await greeted(player) for player in players]
    names = [f"bot{seat}" for seat in seats]
    game = find_game(conversation.game)
    for number in range(1, conversation.games + 1):
        setup = GameSetup(
            game_id=f"{name}-{number}",
            game=game,
            config=config_from(game.Config, {"players": len(seats), **conversation.options}),
            seed=f"{name}-{number}",
            names=names,
            bot_seeds=[number * 1000 + seat for seat in seats],
            control=control,
        )
        record = KeptRecord()
        await GameRunner(setup, seated, [PlayerInfo(name=each) for each in names], record).play()
        held.records.append(record.lines)
    for player, fault in zip(players, seated, strict=True):
        if not isinstance(fault, Fault):
            player.lines.stop()
    return held


async def greeted(player: BotPlayer) -> BotPlayer | Fault:
    """The player once its bot is ready, or its fault."""
    try:
        await player.greet()
    except PlayerFault as error:
        await player.dismiss(error.fault)
        return error.fault
    return player


def transcript(name: str, held: Held) -> list[str]:
    """What was said, cut short as the conversation wishes."""
    said, keep = held.said, CONVERSATIONS[name].keep
    last = 2 * len(CONVERSATIONS[name].scripts)
    if keep is None or len(said) <= keep + last:
        return said
    return [*said[:keep], f"… {len(said) - keep - last} more lines …", *said[-last:]]
