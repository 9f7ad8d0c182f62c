"""A worker as the director knows it: its process, the channel to it, and the games that it plays."""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Final

import trio

from referee.processes.bot_process import REAP_TIMEOUT, describe_status
from referee.processes.heartbeat import Heartbeat
from referee.processes.keeper.lifetime import wait_for_keepers
from referee.processes.linux import open_pidfd
from referee.processes.message_channel import MessageChannel
from referee.processes.own_process import channel_to, start_module
from tournaments.play.dispatcher import Task, Worker
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measured
from tournaments.play.worker import WORKER_IGNORED_SIGNALS
from tournaments.play.worker_messages import (
    BeginRound,
    CancelRound,
    EndProcesses,
    EndTable,
    FromWorker,
    Ping,
    PlayTask,
    Pong,
    ProcessesEnded,
    RoundEnded,
    TaskResult,
)

WORKER_END_TIMEOUT: Final = 2 * REAP_TIMEOUT + 5.0
"""Seconds until a worker that was told to end its games is killed; ending processes takes two REAP_TIMEOUT at most."""

AHEAD_SECONDS: Final = 0.05
"""A worker is given as many games in advance as it plays in this time: what it does next does not depend on when the
director has read its last result, and several results come together. None where games take longer."""
MAX_AHEAD: Final = 32
"""The most games that a worker is given in advance. Its end costs them, too."""
SLOW_GAMES_WEIGHT: Final = 0.8
"""After a long game its time, times this for each later game, counts as that of a game, if those were shorter."""


class WorkerProcess(Worker):
    """A worker as the director knows it."""

    def __init__(self) -> None:
        """Start it, for `own`. Raises OSError."""
        super().__init__()
        # It inherits the mask, until it can ignore these signals.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, WORKER_IGNORED_SIGNALS)
        try:
            self.process = start_module("tournaments.play.worker")
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.channel: MessageChannel[FromWorker] = channel_to(self.process, FromWorker)
        self.room = 0
        """The number of games that it plays at the same time."""
        self.ahead = 0
        """How many games it may have waiting, so that it need not wait for one."""
        self._seconds = 0.0
        """How long its games take: the latest, or somewhat less than a longer one not long ago."""
        self._idle = Counter[int]()
        """By table, how many games could begin with its idle processes."""
        self.measured: Measured | None = None
        """What it has measured in the round, once that is over."""
        self._heartbeat = Heartbeat()
        self.lost = False
        """Whether it has ended, or closed its output."""
        self._silence: float | None = None
        """Seconds for which it did nothing, if it was killed for that."""
        self.gone = trio.Event()
        """Set when it has been reaped, and nothing is left of its bots."""
        self.processes_ended = trio.Event()
        self.round_over = trio.Event()
        self.round_over.set()

    def capacity(self, *, again: bool) -> int:
        """A game that was lost is played alone, as it may end the worker."""
        first = next(iter(self.tasks.values()), None)
        if self.lost or (first is not None and first.again):
            return 0
        return min(self.room, not self.tasks) if again else self.room + self.ahead

    def rank(self, task: Task["WorkerProcess"]) -> tuple[bool, bool, int]:
        """That it can begin at once counts more than idle processes of the table, and those more than few games."""
        games = len(self.tasks)
        return games >= self.room, not self._idle[task.first.table], games

    def begin_round(self, plan: GamePlan, room: int) -> None:
        """Tell it to prepare for the games of a round, of which it plays `room` at the same time."""
        self.measured = None
        self.room = room
        self.ahead, self._seconds = 0, 0.0
        self.tasks.clear()
        self._idle.clear()
        self.round_over = trio.Event()
        self.channel.send(BeginRound.of(plan, room))

    def play(self, task: Task["WorkerProcess"]) -> None:
        """Tell it to play a game, with idle processes of the table if it has some."""
        game = task.first
        if self._idle[game.table]:
            self._idle[game.table] -= 1
        self.channel.send(PlayTask(task.number, (game,), keeps_processes=True))

    def end_table(self, table: int) -> None:
        """Tell it to end its idle processes of a table, if it has any."""
        if self._idle.pop(table, 0):
            self.channel.send(EndTable(table))

    def end_processes(self) -> None:
        """Tell it to end all processes; `processes_ended` is set when it has."""
        self._idle.clear()
        # If it is lost but not gone, `own` sets the new event. Once it is gone, nothing would.
        if not self.gone.is_set():
            self.processes_ended = trio.Event()
            self.channel.send(EndProcesses())

    async def cancel_round(self) -> None:
        """End its games at once, and wait until it has; kill it if it takes too long. To be shielded."""
        if not self.round_over.is_set():
            self.channel.send(CancelRound())
            with trio.move_on_after(WORKER_END_TIMEOUT):
                await self.round_over.wait()
                return
            self.process.kill()
            await self.round_over.wait()  # set by `own`, as soon as it has been reaped

    async def own(self, receive: Callable[[FromWorker | None], None]) -> None:
        """Exchange messages with it until it has ended, then reap it and everything it left behind.

        `receive` is called with each message, and with None when nothing is left. Shielded: whoever cancels games needs
        the answers. It ends after `close` at the latest.
        """
        with trio.CancelScope(shield=True):
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.channel.write)
                    nursery.start_soon(self._watch)
                    async for message in self.channel.messages():
                        match message:
                            case Pong():
                                self._heartbeat.answered()
                            case TaskResult(played=played, seconds=seconds):
                                self._idle[played.game.table] += 1
                                self._seconds = max(seconds, self._seconds * SLOW_GAMES_WEIGHT)
                                self.ahead = min(MAX_AHEAD, int(self.room * AHEAD_SECONDS / max(self._seconds, 1e-6)))
                            case ProcessesEnded():
                                self.processes_ended.set()
                            case RoundEnded(measured):
                                self.measured = measured
                                self._end_round()
                        receive(message)
                    nursery.cancel_scope.cancel()
                # Where it crashes by itself, a kill at this moment would be reported in place of the true cause.
                with trio.move_on_after(REAP_TIMEOUT):
                    await wait_for_exit(self.process)
            finally:
                # In this order: `lost` first, so that no game is given to it from here on; `gone` last, so that nothing
                # takes its place while it or a bot of it is alive. It is killed as it may have closed its output only;
                # the kernel and its keepers end what it started.
                self.lost = True
                self.process.kill()
                await trio.to_thread.run_sync(self.process.wait)
                with trio.move_on_after(REAP_TIMEOUT):
                    await wait_for_keepers(self.process.pid)
                self.gone.set()
                self._end_round()
                receive(None)

    async def _watch(self) -> None:
        """Wait until it does nothing any more, and end it then: it has failed, and its games are not waited for."""
        try:
            silence = await self._heartbeat.watch(lambda: self.channel.send(Ping()))
        except trio.ClosedResourceError:
            return  # it has been told to end, and `close` doesn't wait for ever
        self._silence = silence
        self.process.kill()

    async def close(self) -> None:
        """End it with its bots, which it ends itself when its input ends; if it doesn't, its keepers do."""
        self.channel.end()
        with trio.move_on_after(WORKER_END_TIMEOUT):
            await self.gone.wait()
            return
        self.process.kill()
        await self.gone.wait()

    def describe_end(self) -> str:
        """How it ended, once it is gone."""
        if self._silence is None:
            return describe_status(self.process.returncode)
        return (
            f"didn't answer for {self._silence:g} s and was killed (was it stopped, or is the machine out of memory?)"
        )

    def _end_round(self) -> None:
        self._idle.clear()
        self.processes_ended.set()
        self.round_over.set()


async def wait_for_exit(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a child process has ended, without reaping it. Returns at once if the kernel has no pidfd_open(2)."""
    pidfd = open_pidfd(process.pid) if process.returncode is None else None
    if pidfd is not None:
        try:
            await trio.lowlevel.wait_readable(pidfd)
        finally:
            os.close(pidfd)
