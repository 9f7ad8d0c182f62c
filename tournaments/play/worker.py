"""A worker: a process of the referee that plays games for the director, with bots of its own.

It reads messages from its standard input and writes others to its standard output (see `worker_messages`). It decides
nothing: not which games are played, not when the end has come, so it ignores the signals that end a tournament. When
its input ends, the director has ended, and so do the worker and all its bots.
"""

import math
import os
import signal
import traceback
from collections.abc import Iterable
from typing import Final

import trio

from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.players.connect import process_connector
from referee.players.event_loop_lag import EventLoopLag
from referee.processes.supervisor import supervise
from referee.record.writer import Recorder, RecordInMemory
from tournaments.play.pool import Pool
from tournaments.play.runner import PlayedGame, Runner
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker_messages import (
    BeginRound,
    CancelRound,
    EndProcesses,
    EndRound,
    EndTable,
    GameFinished,
    MessageChannel,
    Notice,
    PlayGame,
    ProcessesEnded,
    RoundEnded,
    RoundFailed,
    ToWorker,
)

IGNORED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The terminal and service managers send these to all processes. The director starts workers with them blocked, so
that none comes before they are ignored."""


class Worker:
    """Plays the rounds that the director begins."""

    def __init__(self, channel: MessageChannel[ToWorker]) -> None:
        self._channel = channel
        self._received, self._inbox = trio.open_memory_channel[ToWorker](math.inf)
        self._round = trio.CancelScope()

    async def run(self) -> None:
        """Do what the director says, until it has ended."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._channel.write)
            nursery.start_soon(self._play_rounds)
            async for message in self._channel.messages():
                if isinstance(message, CancelRound):
                    self._round.cancel()
                    continue
                if isinstance(message, BeginRound):
                    self._round = trio.CancelScope()
                self._received.send_nowait(message)
            nursery.cancel_scope.cancel()

    async def _play_rounds(self) -> None:
        async for message in self._inbox:
            if not isinstance(message, BeginRound):
                continue  # what is left of a round that has been cancelled or has failed
            end: RoundEnded | RoundFailed = RoundEnded()
            try:
                with self._round, single_errors():
                    await self._play_round(message)
            except (RefereeError, OSError) as error:
                end = RoundFailed(str(error))
            except Exception as error:
                end = RoundFailed(repr(error), "".join(traceback.format_exception(error)))
            self._channel.send(end)

    async def _play_round(self, begin: BeginRound) -> None:
        plan = begin.plan.plan()
        lag = EventLoopLag(plan.control.margin)
        async with trio.open_nursery() as measuring:
            measuring.start_soon(lag.measure)
            async with supervise(plan.sandbox, plan.environment) as supervisor:
                connect = process_connector(supervisor, ponder=plan.ponder)
                pool = Pool(plan.bots, connect, plan.control, lag, lambda text: self._channel.send(Notice(text)))
                runner = Runner(
                    plan,
                    pool,
                    on_game=lambda played: None,
                    recorder=lambda game: RecordInMemory(),
                    store=self._send_finished,
                )
                async with trio.open_nursery() as games:
                    await self._obey(pool, runner, games)
                await pool.close()
            measuring.cancel_scope.cancel()

    async def _obey(self, pool: Pool, runner: Runner, games: trio.Nursery) -> None:
        """Do what the director says, until the end of the round."""

        async def play(game: ScheduledGame) -> None:
            await runner.play(game, needs_processes=lambda: True)

        async for message in self._inbox:
            match message:
                case PlayGame(game):
                    runner.announce(game)
                    games.start_soon(play, game)
                case EndTable(table):
                    pool.end_idle(table)
                case EndProcesses():
                    await pool.close()
                    self._channel.send(ProcessesEnded())
                case EndRound():
                    return

    async def _send_finished(self, played: PlayedGame, recorder: Recorder) -> None:
        assert isinstance(recorder, RecordInMemory)
        self._channel.send(
            GameFinished(
                game_id=played.game.game_id,
                outcome=played.outcome,
                stderr=played.stderr,
                startup=played.startup,
                record=recorder.content(),
            )
        )


def main() -> None:
    """Run a worker on standard input and output."""
    ignore(IGNORED)
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # what a library prints must not get between the messages
    os.close(nothing)

    async def run() -> None:
        await Worker(MessageChannel(reading, writing, ToWorker)).run()

    trio.run(run)


def ignore(signals: Iterable[signal.Signals]) -> None:
    """Ignore signals, but not in the programs that this process starts: they would inherit SIG_IGN."""
    for number in signals:
        signal.signal(number, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)


if __name__ == "__main__":
    main()
