"""The messages between the director and its workers.

The director begins a round at every worker and lets it play games. A worker answers each with the finished game, or, if
the round was cancelled or has failed, only with the end of the round.
"""

from msgspec import Struct

from referee.processes.message_channel import decode, encode
from tournaments.play.measurements import Measured
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame

# -- from the director ----------------------------------------------------------------------------------------


class BeginRound(Struct, frozen=True, tag=True):
    """Prepare for the games of a round, or of a match."""

    plan: bytes
    """An encoded GamePlan, to be decoded when the round begins: a failing import ends the round, but not the
    worker."""
    room: int = 1
    """How many of the games of PlayGame are played at the same time; others wait."""

    @classmethod
    def of(cls, plan: GamePlan, room: int = 1) -> "BeginRound":
        """The message with this plan."""
        return cls(encode(plan), room)

    def game_plan(self) -> GamePlan:
        """The plan. Raises GameImportError."""
        plan: GamePlan = decode(self.plan, GamePlan)
        return plan


class PlayGame(Struct, frozen=True, tag=True):
    """Play a game, as soon as there is room. Its processes are kept for the next game at the table until EndTable or
    EndProcesses."""

    game: ScheduledGame


class PlayTask(Struct, frozen=True, tag=True):
    """Play these games one after another, and end all processes between two rotations, before each of the games
    `ends_before` (by their ids), and after the last. The answer is GamePlayed of each, and then TaskPlayed."""

    games: tuple[ScheduledGame, ...]
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


ToWorker = BeginRound | PlayGame | PlayTask | EndTable | EndProcesses | EndRound | CancelRound | Ping


# -- from a worker --------------------------------------------------------------------------------------------


class GamePlayed(Struct, frozen=True, tag=True):
    """A game is over. `content`: its record, where the plan wants records in memory. `seconds`: how long it took."""

    played: PlayedGame
    content: bytes | None
    seconds: float


class ProcessesEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left."""


class TaskPlayed(Struct, frozen=True, tag=True):
    """All games of a task are over, and no process of a bot is left. `measured`: what no message has told before."""

    measured: Measured


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


class Pong(Struct, frozen=True, tag=True):
    """The worker is at work."""


FromWorker = Pong | GamePlayed | ProcessesEnded | TaskPlayed | WorkerNotice | RoundEnded | RoundFailed
