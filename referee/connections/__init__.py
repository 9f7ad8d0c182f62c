"""Channels of lines to bots: the interface `Connection`, and its implementation for a process in `pipe`.

`traced` has one that shows the lines of another one to somebody else too.
"""

from referee.connections.connection import ConnectError, Connection, ConnectionEnded, Pending

__all__ = ["ConnectError", "Connection", "ConnectionEnded", "Pending"]
