"""What all games of a schedule have in common, as plain data that can be sent to worker processes."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import HashedFiles
from referee.connections.trace_file import TraceFile, remove_trace
from referee.games import Game
from referee.games.opening import Opener, Openings
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.record.writer import NoRecord, Recorder, RecordFile, RecordInMemory
from tournaments.play.archives import Sources
from tournaments.play.conditions import UnderConditions
from tournaments.play.schedule import ScheduledGame


class GamePlan(UnderConditions, Struct, frozen=True, kw_only=True):
    """How the games of a match or of a round are played. Nothing in it belongs to one process: no task, no terminal."""

    game: type[Game]
    """Sent as module and name, so that it need not be registered in the worker."""
    config: Any
    """The configuration of a full table."""
    smaller: dict[int, Any] = {}
    """The configurations of smaller tables, by their size."""
    anonymous: bool = False
    """Whether bots see `seat 0`, `seat 1` … instead of names."""
    bots: list[BotSpec]
    doubts: dict[str, str] = {}
    """By the name of a bot, why it may be impossible to start it: then no game is played if its first start fails."""
    files: dict[str, HashedFiles] = {}
    """By the name of a bot, its files, which have to be the same whenever it is started."""
    sources: dict[str, Sources] = {}
    """By the name of a bot, the sources from which the machines of a cluster build it; not sent."""
    starts: int | None = None
    """Maximum number of processes that are starting at the same time; None: as many as there are cores."""
    records: Path | None = None
    """The folder for records and standard error; None: they are not written."""
    records_in_memory: bool = False
    """Whether records are handed over with finished games instead, to be stored with their results."""
    stderr: Path | None = None
    """The folder for standard error, if it is a different one."""
    traces: Path | None = None
    """The folder for traces; None: they are not written."""
    sandbox: Sandbox | None = None
    openings: Openings | None = None
    """How games begin; None: at the first decision."""
    banks: tuple[float, ...] | None = None
    """By seat the seconds that are left of the bank, if it is not a full one."""

    def __post_init__(self) -> None:
        """Convert configurations to the type of the game, which a decoder doesn't know."""
        if isinstance(self.config, dict):
            structs.force_setattr(self, "config", msgspec.convert(self.config, self.game.Config))
            smaller = {seats: msgspec.convert(config, self.game.Config) for seats, config in self.smaller.items()}
            structs.force_setattr(self, "smaller", smaller)

    @property
    def only_builtin(self) -> bool:
        """Whether all bots are built in: then there are no processes that could meet a deal in two rotations."""
        return all(bot.policy is not None for bot in self.bots)

    def config_for(self, seats: int) -> Any:
        return self.smaller.get(seats, self.config)

    def opener(self, seats: int) -> Opener | None:
        """Gives the games of tables of this size, if they have openings."""
        return None if self.openings is None else self.openings.opener(self.game, self.config_for(seats))

    def share(self, part: int, parts: int) -> "GamePlan":
        """The plan for one of several workers, whose bots don't share user ids with those of another one."""
        return self if self.sandbox is None else structs.replace(self, sandbox=self.sandbox.share(part, parts))

    # -- the files of a game ----------------------------------------------------------------------------------

    def recorder(self, game: ScheduledGame) -> Recorder:
        """A new record: in memory, in `records`, or none."""
        if self.records_in_memory:
            return RecordInMemory()
        path = self.record_path(game)
        return NoRecord() if path is None else RecordFile(path)

    def record_path(self, game: ScheduledGame) -> Path | None:
        return None if self.records is None else self.records / f"{game.game_id}.jsonl"

    def stderr_path(self, game: ScheduledGame, seat: int) -> Path | None:
        file = self.stderr_file(game, seat)
        return None if file is None else Path(file)

    def stderr_file(self, game: ScheduledGame, seat: int) -> str | None:
        """The same, without the cost of a Path for each seat of each game."""
        folder = self.stderr or self.records
        return None if folder is None else f"{folder}/{game.game_id}.seat{seat}.stderr"

    def trace(self, game: ScheduledGame, seat: int) -> TraceFile | None:
        """A new trace in `traces`, if there is such a folder."""
        if self.traces is None:
            return None
        stem = self.traces / f"{game.game_id}.seat{seat}"
        return TraceFile(stem, game_id=game.game_id, seat=seat, bot=self.bots[game.seating[seat]].name)

    def remove_files(self, game: ScheduledGame) -> None:
        """Remove the record, traces and standard error of a game that was broken off and is played again.

        Raises OSError.
        """
        record = self.record_path(game)
        if record is not None:
            record.unlink(missing_ok=True)
        for seat in range(len(game.seating)):
            stderr = self.stderr_path(game, seat)
            if stderr is not None:
                stderr.unlink(missing_ok=True)
            if self.traces is not None:
                remove_trace(self.traces / f"{game.game_id}.seat{seat}")
