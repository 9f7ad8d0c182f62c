"""A worker as the director knows it: its process, the channel to it, and the games that it plays."""

import os
import signal
import subprocess
from collections import Counter
from typing import Final

import trio

from referee.errors import RefereeError
from referee.processes.heartbeat import Heartbeat
from referee.processes.linux import open_pidfd
from referee.processes.message_channel import MessageChannel
from referee.processes.own_process import start_module
from referee.processes.process import REAP_TIMEOUT, describe_status
from tournaments.play.measurements import Measured
from tournaments.play.plan import GamePlan
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker import WORKER_IGNORED_SIGNALS
from tournaments.play.worker_messages import (
    BeginRound,
    CancelRound,
    EndProcesses,
    EndTable,
    FromWorker,
    GamePlayed,
    Ping,
    PlayGame,
    Pong,
    ProcessesEnded,
    RoundEnded,
    RoundFailed,
    WorkerNotice,
)

WORKER_END_TIMEOUT: Final = 2 * REAP_TIMEOUT + 5.0
"""Seconds until a worker that was told to end its games is killed; ending processes takes two REAP_TIMEOUT at most."""


class WorkerError(RefereeError):
    """Workers can't play the games. The text says why."""


class GameAtWorker:
    """A game that a worker plays. `over`: it has finished, or the worker plays it no longer."""

    def __init__(self, game: ScheduledGame) -> None:
        self.game = game
        self.over = trio.Event()
        self.played: GamePlayed | None = None


class WorkerProcess:
    """A worker as the director knows it."""

    def __init__(self, process: "subprocess.Popen[bytes]", channel: MessageChannel[FromWorker]) -> None:
        self.process = process
        self.channel = channel
        self.games: dict[str, GameAtWorker] = {}
        """The games that it plays."""
        self.idle = Counter[int]()
        """By table, how many games could begin with its idle processes."""
        self.failure: RoundFailed | None = None
        self.measured: Measured | None = None
        """What it has measured in the round, once that is over."""
        self.heartbeat = Heartbeat()
        self.lost = False
        """Whether it has ended, or closed its output."""
        self.lost_games = 0
        """How many games were running then."""
        self.silence: float | None = None
        """Seconds for which it did nothing, if it was killed for that."""
        self.gone = trio.Event()
        """Set when it has been reaped, and nothing is left of its bots."""
        self.processes_ended = trio.Event()
        self.round_over = trio.Event()
        self.round_over.set()

    def begin_round(self, plan: GamePlan) -> None:
        """Tell it to prepare for the games of a round."""
        self.failure = None
        self.measured = None
        self.idle.clear()
        self.round_over = trio.Event()
        self.channel.send(BeginRound.of(plan))

    def play(self, game: ScheduledGame) -> GameAtWorker:
        """Tell it to play a game, with idle processes of the table if it has some."""
        self.games[game.game_id] = playing = GameAtWorker(game)
        if self.idle[game.table]:
            self.idle[game.table] -= 1
        self.channel.send(PlayGame(game))
        return playing

    def end_table(self, table: int) -> None:
        """Tell it to end its idle processes of a table, if it has any."""
        if self.idle.pop(table, 0):
            self.channel.send(EndTable(table))

    def end_processes(self) -> None:
        """Tell it to end all processes; `processes_ended` is set when it has."""
        self.idle.clear()
        # If it is lost but not gone, `end` sets the new event. Once it is gone, nothing would.
        if not self.gone.is_set():
            self.processes_ended = trio.Event()
            self.channel.send(EndProcesses())

    async def cancel_round(self) -> None:
        """End its games at once, and wait until it has; kill it if it takes too long. To be shielded."""
        # Every game of the worker calls this when the round is cancelled, and the round itself once more: asking twice
        # changes nothing, and all of them wait for the one answer.
        if not self.round_over.is_set():
            self.channel.send(CancelRound())
            with trio.move_on_after(WORKER_END_TIMEOUT):
                await self.round_over.wait()
                return
            self.process.kill()
            await self.round_over.wait()  # set by `end`, as soon as `_own` has reaped it

    def receive(self, message: FromWorker) -> None:
        """Update the state by a message."""
        match message:
            case Pong():
                self.heartbeat.answered()
            case GamePlayed(played):
                playing = self.games.pop(played.game.game_id)
                playing.played = message
                self.idle[playing.game.table] += 1
                playing.over.set()
            case ProcessesEnded():
                self.processes_ended.set()
            case RoundFailed():
                self.failure = message
            case RoundEnded(measured):
                self.measured = measured
                self._end_round()
            case WorkerNotice():
                pass

    async def watch(self) -> None:
        """Wait until it does nothing any more, and end it then: it has failed, and its games are not waited for."""
        try:
            silence = await self.heartbeat.watch(lambda: self.channel.send(Ping()))
        except trio.ClosedResourceError:
            return  # it has been told to end, and `close` doesn't wait for ever
        self.silence = silence
        self.process.kill()

    def end(self) -> None:
        """To be called when it has been reaped, and nothing is left of its bots."""
        self.lost_games = len(self.games)
        self.gone.set()
        self._end_round()

    def describe_end(self) -> str:
        """How it ended, once it is gone."""
        if self.silence is None:
            return f"a worker process {describe_status(self.process.returncode)}"
        return (
            f"a worker process did nothing for {self.silence:g} s and was killed (was it stopped, or has the machine no"
            " memory left?)"
        )

    def _end_round(self) -> None:
        for playing in self.games.values():
            playing.over.set()
        self.games.clear()
        self.idle.clear()
        self.processes_ended.set()
        self.round_over.set()


def start_process() -> "subprocess.Popen[bytes]":
    """Start a worker. Raises OSError."""
    # The worker inherits the mask, until it can ignore these signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WORKER_IGNORED_SIGNALS)
    try:
        return start_module("tournaments.play.worker")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


async def wait_for_exit(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a child process has ended, without reaping it. Returns at once if the kernel has no pidfd_open(2)."""
    pidfd = open_pidfd(process.pid) if process.returncode is None else None
    if pidfd is not None:
        try:
            await trio.lowlevel.wait_readable(pidfd)
        finally:
            os.close(pidfd)
