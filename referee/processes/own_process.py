"""Further processes of the referee itself: a module that runs with the modules of this process, and a channel to it."""

import os
import subprocess
from typing import Any

from referee.own_python import module_command
from referee.processes.message_channel import MessageChannel


def start_module(module: str) -> "subprocess.Popen[bytes]":
    """Start `main` of a module, for `channel_to`. Raises OSError."""
    return subprocess.Popen(module_command(module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def channel_to(process: "subprocess.Popen[bytes]", received: Any) -> MessageChannel[Any]:
    """The channel to a process from `start_module`, which sends messages of the type `received`."""
    assert process.stdin is not None
    assert process.stdout is not None
    reading, writing = os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno())
    process.stdout.close()
    process.stdin.close()
    return MessageChannel(reading, writing, received)


def take_standard_streams() -> tuple[int, int]:
    """In a process from `start_module`: descriptors for its end of the channel, to read from and to write to."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # what a library prints must not get between the messages
    os.close(nothing)
    return reading, writing
