"""Channels of lines to bots. A pipe to a process is the first kind; whatever implements `Connection` is another."""

from referee.connections.connection import ConnectError, Connection, ConnectionEnded

__all__ = ["ConnectError", "Connection", "ConnectionEnded"]
