"""Starts bots: a process, or a listener for a bot that its author starts, and the session over the connection to it."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from protocol import codec
from protocol.messages import HelloLimits, Quit
from referee.bots.bot_spec import BotSpec
from referee.bots.languages import language_of
from referee.connections import ConnectError, Connection
from referee.connections.pipe import PipeConnection
from referee.connections.tcp import BotListener
from referee.players.clock import TimeControl, milliseconds
from referee.players.event_loop_lag import EventLoopLag
from referee.players.secrets import Secrets
from referee.players.session import BotSession
from referee.processes.launch import SpawnError
from referee.processes.supervisor import Supervisor

QUIT_GRACE: Final = 1.0
"""Seconds that a bot has to exit after `quit`."""

Connect = Callable[[BotSpec], Awaitable[Connection]]
"""Starts a bot and opens a connection to it. Raises ConnectError."""


def process_connector(
    supervisor: Supervisor, listeners: Mapping[str, BotListener] = {}, *, ponder: bool = True
) -> Connect:
    """Returns a `Connect` that starts each bot as a process of the supervisor, or waits for it on its listener.

    If the machine or its settings prevent a start, it raises MachineError instead: no bot is charged for that, and the
    match can't continue.

    `ponder`: bots may run while they are not on turn; otherwise they are suspended.
    """

    async def connect(bot: BotSpec) -> Connection:
        if bot.port is not None:
            return await listeners[bot.name].connect()
        try:
            process = await supervisor.start(bot, bot.limits, extra_env=bot.environment)
        except SpawnError as error:
            raise ConnectError(str(error)) from None
        return PipeConnection(process, codec.encode(Quit()), QUIT_GRACE, suspends=not ponder)

    return connect


@contextlib.contextmanager
def listen_for(bots: Sequence[BotSpec], on_notice: Callable[[str], None]) -> Iterator[Mapping[str, BotListener]]:
    """Listen for all bots that are started manually; yields their listeners by name. Raises ListenError."""
    with contextlib.ExitStack() as stack:
        listeners: dict[str, BotListener] = {}
        for bot in bots:
            if bot.port is not None:
                listener = BotListener(bot.name, bot.port, bot.limits, codec.encode(Quit()), on_notice)
                stack.callback(listener.close)
                listeners[bot.name] = listener
        yield listeners


def session_over(bot: BotSpec, connection: Connection, control: TimeControl, lag: EventLoopLag) -> BotSession:
    """A session over a new connection to a bot, which has not been greeted yet."""
    language = partial(language_of, bot.argv, bot.folder, bot.build)
    limits = HelloLimits(
        line_bytes=bot.limits.line_bytes,
        info_bytes=codec.MAX_INFO,
        startup_ms=milliseconds(control.startup),
        margin_ms=milliseconds(control.margin),
        quit_ms=milliseconds(QUIT_GRACE),
        memory_mb=bot.limits.memory_mb,
    )
    return BotSession(connection, control, limits, lag, language, Secrets(bot.environment.values()))
