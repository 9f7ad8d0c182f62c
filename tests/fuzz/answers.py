"""A target for the answers of a bot: real games, a bot that writes any bytes, and the resulting record."""

import json
import tempfile
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, get_args

import trio

from protocol.codec import MAX_INFO
from protocol.messages import FaultCode, HelloLimits
from protocol.record import DecisionLine, PlayerInfo
from referee.bots.policies import POLICIES
from referee.game_runner import GameRunner, GameSetup
from referee.games import Chance, Game, new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.games.year_of_the_dragon.tiles import SUPER_EVENTS
from referee.outcome import Outcome
from referee.players.bot import INFO_DEPTH, BotPlayer, is_deeper
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.players.player import Player
from referee.players.session import BotSession
from referee.record.reader import parse_line
from referee.record.replay import Replay
from referee.record.writer import RecordFile
from tests.fuzz.wire import check_description
from tests.memory_connection import Written

LIMITS: Final = HelloLimits(line_bytes=2**20, info_bytes=MAX_INFO, startup_ms=10_000, margin_ms=0, quit_ms=1000)
UNLIMITED: Final = TimeControl(enforced=False)
NO_TIME: Final = TimeControl(move=0.0, margin=0.0)
"""No time at all: the bot's answers are in the pipe after the deadline, or not at all."""
RETRIES: Final = 2


class Position(NamedTuple):
    """A decision that is due in a game of two: the bot under test has the turn. A fresh game can be replayed."""

    game: type[Game]
    seat: int
    fresh: bool


@cache
def positions() -> list[Position]:
    """The start of a game, and the first decision of every kind in random games."""
    fresh = new_game("year_of_the_dragon", seed=1, players=2)
    found = {"fresh": Position(starting_at(fresh), 0, fresh=True)}
    for super_event, seed in product(SUPER_EVENTS, range(3)):
        options = {"players": 2, "great_wall": True, "super_event": super_event}
        collect_positions(new_game("year_of_the_dragon", seed, **options), Random(seed), found)
    collect_positions(new_game("forbidden_city", seed=1, players=2), Random(1), found)
    assert found.keys() == {"fresh", *YearOfTheDragon.actions, *ForbiddenCity.actions}, sorted(found)
    return [found[name] for name in sorted(found, key=lambda name: (name != "fresh", name))]


def collect_positions(game: Game, random: Random, found: dict[str, Position]) -> None:
    """Play a game to its end, and keep positions with kinds of decisions not yet found."""
    while game.turn is not None:
        if not game.is_forced() and game.turn.decision not in found:
            found[game.turn.decision] = Position(starting_at(game.copy()), game.turn.seat, fresh=False)
        game.apply(random.choice(game.legal_actions()))


def starting_at(position: Game) -> type[Game]:
    """The type of a game that starts at this position."""

    class Resumed(type(position)):  # type: ignore[misc]
        __slots__ = ()

        @classmethod
        def new(cls, config: Any, chance: Chance) -> Game:
            return position.copy()

    Resumed.__name__ = type(position).__name__
    return Resumed


def answer(data: bytes) -> None:
    """Whatever a bot writes, it plays a legal action or gets a documented fault, and the record stays valid.

    The input: a letter that chooses the position (a capital: the bot is late), then all that the bot writes.
    """
    letter = data[0] if data else 0
    late = not letter & 0x20
    position = positions()[(letter & 0x1F) % len(positions())]
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        path = Path(folder) / "record.jsonl"
        outcome = trio.run(play, position, Written(data[1:], late=late), NO_TIME if late else UNLIMITED, path)
        assert outcome.faults[1 - position.seat] is None
        fault = outcome.faults[position.seat]
        if fault is not None:
            allowed = {"illegal_action", "bad_message", "oversize", "timeout" if late else "crash"}
            assert fault.code in allowed & set(get_args(FaultCode)), fault.code
            check_description(fault.message)
        check_record(path.read_bytes())
        if position.fresh:
            Replay(path).check()


async def play(position: Position, bot: Written, control: TimeControl, path: Path) -> Outcome:
    """Continue from a position until the bot has written its last line."""
    setup = GameSetup(
        game_id="0001-1",
        public_id="0001-1",
        game=position.game,
        config=position.game.new(None, None).config,  # type: ignore[arg-type]
        seed="1",
        names=["a", "b"],
        bot_seeds=[0, 1],
        control=control,
    )
    seats: list[Player] = [BuiltinPlayer(POLICIES["first"]), BuiltinPlayer(POLICIES["first"])]
    seats[position.seat] = BotPlayer(BotSession(bot, control, LIMITS), RETRIES)
    return await GameRunner(setup, seats, [PlayerInfo(name=name) for name in setup.names], RecordFile(path)).play()


def check_record(record: bytes) -> None:
    """Check that every line can be read by the referee and by any other JSON reader."""
    lines = record.split(b"\n")
    assert lines.pop() == b"", "the last line has no end"
    for number, line in enumerate(lines, start=1):
        json.loads(line.decode())
        parsed = parse_line(number, line)
        if isinstance(parsed, DecisionLine):
            assert len(line) < 1000 + 6 * MAX_INFO, "more info than is kept"
            assert not is_deeper(json.loads(line).get("info"), INFO_DEPTH), "a deeper info than is kept"


@cache
def temporary_folder() -> str | None:
    """A temporary folder, in memory if possible."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
