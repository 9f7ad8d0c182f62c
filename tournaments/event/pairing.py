"""Pairing a round in a process of its own: meanwhile the clocks, views and heartbeats of this one go on.

A pairing that takes long is one long computation, which would keep Python from all other threads.
"""

import os
import sys
import threading
from typing import Any, Final

import msgspec
import trio
from msgspec import Struct

from referee.errors import RefereeError
from referee.own_python import module_command
from tournaments.competition.formats.interface import Format, FormatContext, FormatError
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.rounds import History, PlayedRound, Round

IN_PROCESS_SECONDS: Final = 0.2
"""Pairings that take longer have a process of their own; its start takes about as long."""


class PairingError(RefereeError):
    """The process that pairs a round can't be started, or has ended before it had paired it. The text says why."""


class PairingTask(Struct, frozen=True, kw_only=True):
    format: str
    settings: dict[str, Any]
    context: FormatContext
    history: tuple[PlayedRound, ...]


PairedRound = Round | str | None
"""The answer: a round, why it can't be paired, or None at the end of the tournament."""


async def pair_apart(settings: Format, context: FormatContext, history: History) -> Round | None:
    """The next round, as the format pairs it, from a process of its own. Raises FormatError and PairingError.

    The process ends if this is cancelled, and also if this process is killed.
    """
    task = PairingTask(
        format=settings.name, settings=msgspec.to_builtins(settings), context=context, history=tuple(history)
    )
    lifeline, held = os.pipe()
    try:
        done = await trio.run_process(
            module_command("tournaments.event.pairing", lifeline),
            stdin=msgspec.json.encode(task),
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            pass_fds=(lifeline,),
            start_new_session=True,  # the signals of a terminal are for this process, which then cancels
        )
    except OSError as error:
        raise PairingError(f"the process that pairs can't be started: {error.strerror or error}") from None
    finally:
        os.close(lifeline)
        os.close(held)
    if done.returncode < 0:
        raise PairingError(
            f"the process that pairs was ended by signal {-done.returncode}: is the machine out of memory?"
        )
    if done.returncode:
        *_, last = done.stderr.decode(errors="replace").strip().splitlines() or [f"status {done.returncode}"]
        raise PairingError(f"the process that pairs has failed: {last}")
    paired: PairedRound = msgspec.json.decode(done.stdout, type=PairedRound)
    if isinstance(paired, str):
        raise FormatError(paired)
    return paired


def main(lifeline: int) -> None:
    """Pair the round on standard input, and write it to standard output. Ends when the other end of the pipe does."""

    def end_with_it() -> None:
        os.read(lifeline, 1)
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=PairingTask)
    try:
        settings = msgspec.convert(task.settings, FORMATS[task.format])
        paired: PairedRound = settings.next_round(task.context, task.history)
    except FormatError as error:
        paired = str(error)
    sys.stdout.buffer.write(msgspec.json.encode(paired))
