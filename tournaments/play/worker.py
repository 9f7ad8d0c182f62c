"""A worker: a process of the referee that plays games for the director, with its own bots.

It reads messages from its standard input and writes others to its standard output (see `worker_messages`). It decides
neither which games are played nor when to end, so it ignores the signals that end a tournament. When
its input ends, the director has ended, and so do the worker and all its bots.
"""

import math
import signal
import traceback
from collections import deque
from typing import Final

import trio

from referee.bots.hashed_files import FilesChangedError
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.garbage import collect_rarely
from referee.processes.message_channel import MessageChannel
from referee.processes.own_process import take_standard_streams
from referee.record.writer import Recorder, RecordInMemory
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Callbacks, Measurements, PlayedGame, Runner, open_runner
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker_messages import (
    BeginRound,
    CancelRound,
    EndProcesses,
    EndRound,
    EndTable,
    LinesPlayed,
    Ping,
    PlayTask,
    Pong,
    ProcessesEnded,
    RoundEnded,
    RoundFailed,
    TaskEnded,
    TaskResult,
    ToWorker,
    WorkerNotice,
)

WORKER_IGNORED_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The terminal and service managers send these to all processes. The director starts workers with them blocked, so
that none arrives before they are ignored."""

RESULT_DELAY: Final = 0.02
"""Seconds after which the director is told of a finished game, and of lines of a running one, if not before."""


class WorkerLoop:
    """Plays the rounds that the director begins."""

    def __init__(self, channel: MessageChannel[ToWorker]) -> None:
        self._channel = channel
        self._received, self._inbox = trio.open_memory_channel[ToWorker](math.inf)
        self._round = trio.CancelScope()
        self._waiting: deque[PlayTask] = deque()
        """Tasks that begin when there is room."""
        self._to_begin = 0
        """Games of all tasks that have not begun."""
        self._playing: dict[str, tuple[int, float]] = {}
        """The number of the task of each running game, and when the game began."""
        self._finished: list[TaskResult] = []
        """What the director has not been told yet."""
        self._lines: dict[str, list[bytes]] = {}
        """Lines of records that the director has not been sent yet, by game."""
        self._has_unsent = trio.Event()
        """Set while there is something of these kinds."""

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._channel.write)
            nursery.start_soon(self._play_rounds)
            async for message in self._channel.messages():
                if isinstance(message, Ping):
                    self._channel.send(Pong())
                    continue
                if isinstance(message, CancelRound):
                    # At once, not in order: the task that plays the round may be waiting for a game or a process to
                    # end. Messages left in the inbox belong to this round and are skipped.
                    self._round.cancel()
                    continue
                if isinstance(message, BeginRound):
                    # Created here, and not when the round begins: that task runs later, and a CancelRound that is read
                    # before it runs must cancel this round.
                    self._round = trio.CancelScope()
                self._received.send_nowait(message)
            nursery.cancel_scope.cancel()

    async def _play_rounds(self) -> None:
        async for message in self._inbox:
            if not isinstance(message, BeginRound):
                continue  # what is left of a round that has been cancelled or has failed
            measured: Measurements | None = None
            try:
                # It is the scope of this round: the director begins none before it has been told of the end of the one
                # before. It may be cancelled already, as messages are read by another task.
                with self._round, single_errors():
                    plan = message.game_plan()
                    measured = Measurements(plan)
                    await self._play_round(plan, measured, message.room)
            except (RefereeError, OSError) as error:
                self._channel.send(RoundFailed(str(error), files_changed=isinstance(error, FilesChangedError)))
            except Exception as error:
                self._channel.send(RoundFailed(repr(error), "".join(traceback.format_exception(error))))
            self._send_unsent()
            self._channel.send(RoundEnded(None if measured is None else measured.new_samples()))

    async def _play_round(self, plan: GamePlan, measured: Measurements, room: int) -> None:
        channel = self._channel
        self._waiting.clear()
        self._to_begin = 0
        self._lines.clear()
        self._playing.clear()
        playing = 0

        async def play_tasks() -> None:
            nonlocal playing
            while self._waiting:
                task = self._waiting.popleft()
                await self._play_task(task, runner)
                if not task.keeps_processes:
                    channel.send(TaskEnded(task.number, measured.new_samples()))
            playing -= 1

        def notice(text: str) -> None:
            channel.send(WorkerNotice(text))

        # Processes are kept until the director ends them: only it knows which games come next.
        callbacks = Callbacks(
            store=self._finish,
            on_notice=notice,
            needs_processes=lambda game: True,
            on_line=self._take_line if plan.conditions.watched else None,
        )
        async with open_runner(plan, measured, callbacks) as runner, trio.open_nursery() as games:
            games.start_soon(self._send_late)
            async for message in self._inbox:
                match message:
                    case PlayTask():
                        # Here and not in its task, which runs later: an EndTable right behind it must not end the
                        # processes that this game can use.
                        runner.pool.announce(message.games[0].table)
                        self._waiting.append(message)
                        self._to_begin += len(message.games)
                        if playing < room:
                            playing += 1
                            games.start_soon(play_tasks)
                    case EndTable(table):
                        runner.pool.end_idle(table)
                    case EndProcesses():
                        # Awaited here, so that no further message is read, and no game begins, before all have ended.
                        await runner.pool.close()
                        channel.send(ProcessesEnded())
                    case EndRound():
                        games.cancel_scope.cancel()

    async def _play_task(self, task: PlayTask, runner: Runner) -> None:
        before: ScheduledGame | None = None
        for game in task.games:
            if before is not None:
                if not task.keeps_processes and (game.rotation != before.rotation or game.game_id in task.ends_before):
                    await runner.pool.close()
                runner.pool.announce(game.table)
            before = game
            self._to_begin -= 1
            self._playing[game.game_id] = task.number, trio.current_time()
            await runner.play(game)
        if not task.keeps_processes:
            await runner.pool.close()

    async def _finish(self, played: PlayedGame, recorder: Recorder) -> None:
        content = recorder.content() if isinstance(recorder, RecordInMemory) else None
        number, began = self._playing.pop(played.game.game_id)
        self._finished.append(TaskResult(number, played, content, trio.current_time() - began))
        # A message of its own for each very short game would cost more than the game. The director gives the next games
        # when it reads this, so that it has to be told before none is left here.
        if len(self._finished) >= self._to_begin:
            self._send_unsent()
        else:
            self._has_unsent.set()

    def _take_line(self, game_id: str, line: bytes) -> None:
        self._lines.setdefault(game_id, []).append(line)
        self._has_unsent.set()

    def _send_unsent(self) -> None:
        for game_id, lines in self._lines.items():
            self._channel.send(LinesPlayed(game_id, tuple(lines)))
        self._lines.clear()
        for finished in self._finished:
            self._channel.send(finished)
        self._finished.clear()
        if self._has_unsent.is_set():  # not otherwise: `_send_late` waits for this very event
            self._has_unsent = trio.Event()

    async def _send_late(self) -> None:
        """Send what has been finished or written for a while, also if no other game ends."""
        while True:
            await self._has_unsent.wait()
            await trio.sleep(RESULT_DELAY)
            self._send_unsent()


def main() -> None:
    for number in WORKER_IGNORED_SIGNALS:  # with a handler, as programs that this process starts would inherit SIG_IGN
        signal.signal(number, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WORKER_IGNORED_SIGNALS)
    reading, writing = take_standard_streams()
    collect_rarely()

    async def run() -> None:
        await WorkerLoop(MessageChannel(reading, writing, ToWorker)).run()

    trio.run(run)
