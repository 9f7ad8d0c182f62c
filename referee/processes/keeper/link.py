"""Messages between the referee and its keeper, over a pair of sockets. Imported by both.

A message is a tuple of plain values that begins with its type. It is sent as its length in four bytes, followed by the
tuple in the format of `marshal`, as both sides are the same Python. Descriptors are sent along (SCM_RIGHTS, unix(7)).
"""

import _socket as socket
import marshal
import os
import sys
from _collections_abc import Sequence

READ_SIZE = 65536
MAX_FDS = 64
"""Maximum number of descriptors in one system call."""
FD_BYTES = 4
LENGTH_BYTES = 4
LOST_FD = -1
PREPARATION = "prepare the process"
"""The failed step that the keeper reports if the program to be started can't be to blame."""
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

Message = tuple[object, ...]


def encode(message: Message) -> bytes:
    body = marshal.dumps(message)  # type: ignore[arg-type]
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def send_some(link: socket.socket, data: bytes, fds: Sequence[int]) -> int:
    """Send some of the bytes, and with the first of them all descriptors. Returns their number. Raises OSError."""
    numbers = b"".join(fd.to_bytes(FD_BYTES, sys.byteorder) for fd in fds)
    return link.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if fds else [])


class Inbox:
    """The messages and descriptors that have been received and not yet taken."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._fds: list[int] = []
        """With LOST_FD if the kernel dropped descriptors of a message, because this process may not open more."""

    def receive(self, link: socket.socket) -> bool:
        """Read what has arrived; False at the end. Raises OSError."""
        data, ancillary, flags, _ = link.recvmsg(READ_SIZE, socket.CMSG_SPACE(MAX_FDS * FD_BYTES), CLOSE_ON_EXEC)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                came = memoryview(content[: len(content) // FD_BYTES * FD_BYTES]).cast("i")
                for fd in came:
                    os.set_inheritable(fd, False)
                self._fds += came
        if flags & socket.MSG_CTRUNC:
            self._fds.append(LOST_FD)
        self._data += data
        return bool(data)

    def pop(self) -> Message | None:
        end = LENGTH_BYTES + int.from_bytes(self._data[:LENGTH_BYTES], "big")
        if len(self._data) < max(end, LENGTH_BYTES + 1):
            return None
        message: Message = marshal.loads(self._data[LENGTH_BYTES:end])
        del self._data[:end]
        return message

    def take_fds(self, count: int) -> list[int]:
        """The next `count` descriptors, in the order in which they were sent; fewer if some were lost."""
        taken: list[int] = []
        while self._fds and len(taken) < count:
            fd = self._fds.pop(0)
            if fd == LOST_FD:
                break
            taken.append(fd)
        return taken

    def close(self) -> None:
        """Close the descriptors that nobody has taken."""
        for fd in self._fds:
            if fd != LOST_FD:
                os.close(fd)
        self._fds.clear()
