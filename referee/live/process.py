"""The process that serves pages: reads messages of the referee from its standard input until that ends."""

import os
import signal
import socket
from typing import Final

import trio

from referee.live.access import LOOPBACK, is_loopback, new_token, parse_address
from referee.live.connections import Connections
from referee.live.messages import ListenFailed, Listening, RunShown, ToServer
from referee.live.run import LiveRun
from referee.live.server import Site
from referee.processes.message_channel import MessageChannel
from referee.processes.own_process import take_standard_streams

NICENESS: Final = 10
"""Drawing pages must not take the processor from bots that are on the clock."""
FAREWELL: Final = 3.0
"""Seconds after which a browser that takes nothing is not told the rest, nor that the run is over: it may be gone."""
CLOSING: Final = 0.5
"""Seconds that connections have after that: those that are idle stay open until then."""


async def serve_run(channel: MessageChannel[ToServer]) -> None:
    """Serve pages until the referee has ended."""
    messages = channel.messages()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(channel.write)
        shown = await anext(messages, None)
        if not isinstance(shown, RunShown):
            return
        host, port = parse_address(shown.listen or LOOPBACK)
        try:
            listener = open_listener(host, port)
        except OSError as error:
            problem = f"can't listen on {shown.listen or LOOPBACK}: {error.strerror or error}"
            channel.send(ListenFailed(f"{problem}; give --listen another ADDRESS[:PORT]"))
            channel.end()
            return
        spectators = new_token()
        run = LiveRun(shown, spectators, channel.send)
        address = listener.getsockname()
        own_names = frozenset(name.lower() for name in ("localhost", socket.gethostname(), socket.getfqdn()))
        connections = Connections(Site(run, own_names, loopback=is_loopback(host)).answer)
        nursery.start_soon(connections.serve, trio.SocketListener(trio.socket.from_stdlib_socket(listener)))
        channel.send(Listening(address[1], spectators))
        async for message in messages:
            run.receive(message)
        run.end()
        channel.end()
        await run.wait_until_taken(FAREWELL)
        await connections.end(CLOSING)
        nursery.cancel_scope.deadline = trio.current_time() + CLOSING


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises OSError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except UnicodeError:  # a label of over 63 characters, for example
        raise OSError(f"{host} is not a valid host name") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def main() -> None:
    # The terminal sends these to all processes; this one ends when its input does.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    reading, writing = take_standard_streams()
    os.nice(NICENESS)

    async def run() -> None:
        await serve_run(MessageChannel(reading, writing, ToServer))

    trio.run(run)


if __name__ == "__main__":
    main()
