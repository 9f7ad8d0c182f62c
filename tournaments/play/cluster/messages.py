"""What a director and the machines of a cluster tell each other. See `machine` for who sends what, and when."""

import zlib
from typing import Final

from msgspec import Struct

from referee.processes.stderr_log import MAX_STDERR
from referee.record.reader import MAX_RECORD
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker_messages import PlayTask, TaskEnded, TaskResult

# -- admission ------------------------------------------------------------------------------------------------


class Description(Struct, frozen=True, kw_only=True):
    """A machine's description of itself, as JSON, which every version of the referee understands."""

    host: str
    referee: str
    python: str
    """Major and minor version."""
    sources: str = ""
    """SHA-256 of the program."""
    rules: str = ""
    """SHA-256 of the package of the game."""
    problem: str | None = None


class SentBot(Struct, frozen=True, kw_only=True):
    files: str
    """Their hash, which names the archive."""
    folder: str
    """Where they are on the director's machine."""
    build: bool = False
    """Whether these are sources, from which the machine builds the bot."""


class Preparation(Struct, frozen=True, kw_only=True):
    """Prepare for the games of a plan. The answer is Prepared."""

    plan: bytes
    """An encoded GamePlan."""
    plan_id: str
    bots: dict[int, SentBot]
    """By the index of the bot."""
    own: dict[str, str]
    """What stands in commands for the director's own paths: by path, OWN_PYTHON or OWN_KITS."""
    keep_stderr: bool


class Prepared(Struct, frozen=True, kw_only=True):
    """How a machine can play the games of a plan."""

    missing: tuple[str, ...] = ()
    """The archives that it needs first."""
    sandbox: str = ""
    """The sandbox in force there, in a sentence."""
    built: dict[str, str] = {}
    """By the name of a bot that it has built, the hash of the files."""
    problem: str | None = None
    """Why it can't."""


# -- tasks ----------------------------------------------------------------------------------------------------


class SentTask(Struct, frozen=True, kw_only=True):
    """Play a task for the director of another machine."""

    task: PlayTask
    topic: str
    """The topic under which the machine reports to the director."""
    plan_id: str


class TaskBegun(Struct, frozen=True, tag=True):
    """A machine begins a task."""

    number: int


FromMachine = TaskBegun | TaskResult | TaskEnded
"""TaskEnded comes also of a task that was not played to its end."""

MAX_SENT_STDERR: Final = 2 * MAX_STDERR
"""Generous, because the file also has what a process wrote that was replaced before the game."""


def is_usable(message: TaskResult, game: ScheduledGame) -> bool:
    """Whether this can be the result of a game that was to be played, and be unpacked: machines may be broken."""
    played = message.played
    by_seat = (played.outcome.scores, played.outcome.ranks, played.outcome.faults, played.stderr, message.stderr)
    return (
        {len(each) for each in by_seat} == {len(game.seating)}
        and fits(message.content, MAX_RECORD)
        and all(fits(each, MAX_SENT_STDERR) for each in message.stderr)
    )


def fits(compressed: bytes | None, most: int) -> bool:
    """Whether something can be unpacked to at most this many bytes."""
    if compressed is None:
        return True
    unpacker = zlib.decompressobj()
    try:
        return len(unpacker.decompress(compressed, most + 1)) <= most and unpacker.eof
    except zlib.error:
        return False
