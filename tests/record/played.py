"""Recorded games for the tests: played by built-in players, some of which commit faults."""

import copy
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import trio
from msgspec import Raw

from protocol.messages import FaultCode
from protocol.record import PlayerInfo
from referee.bots.policies import choose_random
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game, config_from, find_game
from referee.outcome import Fault, Outcome
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice, Player, PlayerFault
from referee.record.reader import InvalidRecord
from referee.record.render import render
from referee.record.replay import Replay
from referee.record.writer import RecordFile

Line = dict[str, Any]


class FaultyPlayer(BuiltinPlayer):
    """Plays at random and commits a fault at the decision with this number (from 1)."""

    def __init__(
        self, at: int, code: FaultCode = "timeout", retries: int = 0, message: str = "failed on purpose"
    ) -> None:
        super().__init__(choose_random)
        self._left = at
        self._fault = Fault(code, message)
        self._retried = [Fault("illegal_action", f"try {number}") for number in range(1, retries + 1)]

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Decide at random, or raise the fault."""
        self._left -= 1
        if self._left == 0:
            raise PlayerFault(self._fault, self._retried)
        return await super().decide(game, events)


class RetryingPlayer(BuiltinPlayer):
    """Plays at random, and needs a second try for every seventh decision."""

    def __init__(self) -> None:
        super().__init__(choose_random)
        self._asked = 0

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Decide at random, with an info and a pretended thinking time."""
        choice = await super().decide(game, events)
        self._asked += 1
        choice.seconds = self._asked / 1000
        choice.info = Raw(b'{"asked":%d}' % self._asked)
        if self._asked % 7 == 0:
            choice.retried = [Fault("bad_message", "stuttered")]
        return choice


class GamePlan(NamedTuple):
    """A game to be played. Seats without a player play at random; a Fault is a bot that failed before the game."""

    game: str
    options: Mapping[str, Any]
    players: Mapping[int, Player | Fault] = {}

    def record(self, path: Path) -> Path:
        """Play, and write the record to `path`."""
        game = find_game(self.game)
        config = config_from(game.Config, self.options, from_text=True)
        names = [f"player {seat}" for seat in range(config.players)]
        given = copy.deepcopy(self.players)  # players count their decisions, and a plan may be played again
        record_game(path, game, config, names, given, seed="a game to be verified")
        return path


def record_game(
    path: Path,
    game: type[Game],
    config: Any,
    names: Sequence[str],
    players: Mapping[int, Player | Fault],
    seed: str = "show",
) -> Outcome:
    """Play a game and write its record; seats without a player play at random."""
    setup = GameSetup(
        game_id="0001-1",
        public_id="0001-1",
        game=game,
        config=config,
        seed=seed,
        names=list(names),
        bot_seeds=list(range(len(names))),
        control=TimeControl(),
    )
    seated = [players.get(seat) or BuiltinPlayer(choose_random) for seat in range(len(names))]
    infos = [PlayerInfo(name=name, bot="builtin") for name in names]
    return trio.run(GameRunner(setup, seated, infos, RecordFile(path)).play)


def lines_of(path: Path) -> list[Line]:
    """The lines of a record."""
    return [msgspec.json.decode(line) for line in path.read_bytes().split(b"\n")[:-1]]


def write(path: Path, lines: list[Line]) -> Path:
    """A record of these lines."""
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


def compress(path: Path) -> Path:
    """The record, gzipped beside itself."""
    packed = path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def first_error(path: Path) -> InvalidRecord | None:
    """The error of an invalid record, or None."""
    try:
        Replay(path).check()
    except InvalidRecord as error:
        return error
    return None


def render_until_error(path: Path) -> tuple[list[str], InvalidRecord]:
    """The text of a record that is invalid or truncated, and the error that its rendering ends with."""
    text: list[str] = []
    try:
        for line in render(Replay(path)):
            text.append(line)
    except InvalidRecord as error:
        return text, error
    pytest.fail("the record is rendered to its end")
