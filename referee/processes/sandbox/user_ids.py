"""User ids for the processes of bots, if the referee runs as root."""

import contextlib
import os
import secrets
from collections import deque
from functools import cache
from typing import Final

USERS: Final = (61184, 65520)
"""The range of user ids that no user has (the end is excluded): systemd reserves them for its dynamic users."""
RECENT_IDS: Final = 64
"""The number of latest user ids that are not given again, since their processes may not run yet."""


class UserIds:
    """Assigns the user ids of a range in random order.

    If they were consecutive, a process could choose those of its successors by how often it exits between two games,
    and so pass a message to them. An id that any process has is not assigned.
    """

    def __init__(self, first: int, end: int) -> None:
        self._range = range(first, end)
        self._left: list[int] = []
        self._given: deque[int] = deque(maxlen=min(RECENT_IDS, len(self._range) // 4))

    def new(self) -> int:
        if not self._left:
            taken = in_use().union(self._given)
            self._left = [user for user in self._range if user not in taken] or list(self._range)
        place = secrets.randbelow(len(self._left))
        self._left[place], self._left[-1] = self._left[-1], self._left[place]
        user = self._left.pop()
        self._given.append(user)
        return user


@cache
def user_ids(users: tuple[int, int]) -> UserIds:
    """The ids of a range, for this process of the referee."""
    return UserIds(*users)


def in_use() -> set[int]:
    """The user ids of all processes; empty if there is no /proc."""
    found = set()
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
            with contextlib.suppress(OSError):  # it has ended
                found.add(os.stat(f"/proc/{name}").st_uid)  # noqa: PTH116
    return found
