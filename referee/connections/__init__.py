"""Channels of lines to bots: the interface `Connection`, and its implementation for a process in `pipe`.

`traced` wraps a connection and passes its lines on to a sink.
"""

from referee.connections.connection import ConnectError, Connection, ConnectionEnded, Pending

__all__ = ["ConnectError", "Connection", "ConnectionEnded", "Pending"]
