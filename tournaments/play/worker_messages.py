"""The messages between the director and its workers.

The director begins a round at every worker and lets it play games. A worker answers each with its result, or, if the
round was cancelled or has failed, only with the end of the round. On a machine of a cluster, a worker plays for the
director of another machine.
"""

from msgspec import Struct

from referee.errors import RefereeError
from referee.processes.message_channel import decode, encode
from tournaments.play.archives import imported_hash
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measured, PlayedGame
from tournaments.play.schedule import ScheduledGame

# -- from the director ----------------------------------------------------------------------------------------


class BeginRound(Struct, frozen=True, tag=True):
    """Prepare for the games of a round, or of a match."""

    plan: bytes
    """An encoded GamePlan, to be decoded when the round begins: a failing import ends the round, but not the
    worker."""
    program: str
    """The hash of the files of the program, which may have been changed since the director was started."""
    room: int = 1
    """How many tasks are played at the same time; others wait."""

    @classmethod
    def of(cls, plan: GamePlan, room: int = 1) -> "BeginRound":
        return cls(encode(plan), imported_hash(plan.game), room)

    def game_plan(self) -> GamePlan:
        """The plan. Raises RefereeError if its game can't be imported, or this process has other modules than the
        director."""
        plan: GamePlan = decode(self.plan, GamePlan)
        if imported_hash(plan.game) != self.program:
            raise RefereeError(
                "files of the referee or of the rules have changed since it was started, so that a new process of it"
                " would run other code: start it again"
            )
        return plan


class PlayTask(Struct, frozen=True, tag=True):
    """Play these games one after another, as soon as there is room. The answer is TaskResult of each.

    Processes are kept for the next game at the table until EndTable or EndProcesses. Or they end between two rotations,
    before each of the games `ends_before` (by their ids), and after the last; then TaskEnded follows.
    """

    number: int
    games: tuple[ScheduledGame, ...]
    keeps_processes: bool = False
    ends_before: tuple[str, ...] = ()


class EndTable(Struct, frozen=True, tag=True):
    """No game is to begin at this table in this phase: end its idle processes."""

    table: int


class EndProcesses(Struct, frozen=True, tag=True):
    """End all processes; all games are over. The answer is ProcessesEnded."""


class EndRound(Struct, frozen=True, tag=True):
    """The round is over. The answer is RoundEnded."""


class CancelRound(Struct, frozen=True, tag=True):
    """End the round and all its games at once. The answer is RoundEnded."""


class Ping(Struct, frozen=True, tag=True):
    """Answer with Pong, at once."""


ToWorker = BeginRound | PlayTask | EndTable | EndProcesses | EndRound | CancelRound | Ping


# -- from a worker --------------------------------------------------------------------------------------------


class TaskResult(Struct, frozen=True, tag=True):
    """A game of a task is over."""

    number: int
    """Of the task."""
    played: PlayedGame
    content: bytes | None
    """Its record, where the plan wants records in memory; compressed if it comes from another machine."""
    seconds: float
    stderr: tuple[bytes | None, ...] = ()
    """From another machine: by seat, the standard error of the bot, compressed."""


class TaskEnded(Struct, frozen=True, tag=True):
    """A task is no longer played, and no process of its bots is left. If nothing is said of its end, all of it was
    played, or it is no longer wanted."""

    number: int
    measured: Measured | None = None
    """What no message has told before."""
    notices: tuple[str, ...] = ()
    """From another machine, as all that follows."""
    died: str | None = None
    """How the worker ended, if it died."""
    problem: str | None = None
    """Why the machine can't go on."""
    traceback: str | None = None
    """For an unexpected error, a bug of the referee."""


class ProcessesEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left."""


class LinesPlayed(Struct, frozen=True, tag=True):
    """Lines of the record of a running game, where the plan says that games are watched."""

    game_id: str
    lines: tuple[bytes, ...]


class WorkerNotice(Struct, frozen=True, tag=True):
    """A line for the organiser."""

    text: str


class RoundEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left, and no game runs. `measured`: what no message has told before; None if the plan
    could not be read."""

    measured: Measured | None


class RoundFailed(Struct, frozen=True, tag=True):
    """The round can't go on in this worker. RoundEnded follows.

    `traceback`: for an unexpected error, a bug of the referee.
    """

    problem: str
    traceback: str | None = None
    files_changed: bool = False
    """Whether a process was started from other files than those of the plan."""


class Pong(Struct, frozen=True, tag=True):
    """The worker is at work."""


FromWorker = Pong | TaskResult | TaskEnded | ProcessesEnded | LinesPlayed | WorkerNotice | RoundEnded | RoundFailed
