"""Plays well, and keeps as many descriptors in flight in its own sockets as it may: the kernel counts them by user."""

import array
import socket

from prelude import note, play, ready

ready()
kept: list[socket.socket] = []
sent = 0
try:
    while True:
        kept += socket.socketpair()
        for _ in range(5):
            kept[-1].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [2] * 253))])
            sent += 253
except OSError as error:
    note(f"no more after {sent}: {error.strerror}")
play()
