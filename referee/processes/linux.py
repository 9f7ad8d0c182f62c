"""Functions of prctl(2) and keyctl(2), which only Linux has. On other systems they do nothing and return False."""

import ctypes
import platform
import signal
import sys
from functools import cache
from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_GET_CHILD_SUBREAPER: Final = 37
KEYCTL_NUMBERS: Final = {"x86_64": 250, "aarch64": 219}
"""The number of the system call keyctl(2), by `platform.machine()`."""
KEYCTL_JOIN_SESSION_KEYRING: Final = 1


@cache
def _prctl() -> Any:
    return ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


@cache
def _keyctl() -> tuple[Any, int] | None:
    number = KEYCTL_NUMBERS.get(platform.machine())
    return None if sys.platform != "linux" or number is None else (ctypes.CDLL(None, use_errno=True).syscall, number)


def join_new_session_keyring() -> bool:
    """Give this process a session keyring of its own instead of the one of the login session. True on success."""
    found = _keyctl()
    return found is not None and found[0](found[1], KEYCTL_JOIN_SESSION_KEYRING, None) > 0


def die_with_parent() -> bool:
    """Make the kernel kill this process with SIGKILL when its parent dies. True on success."""
    prctl = _prctl()
    return prctl is not None and prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0


def become_subreaper(enable: bool = True) -> bool:
    """Make this process, not init, the parent of descendants whose own parent ends; or undo that. True on success."""
    prctl = _prctl()
    return prctl is not None and prctl(PR_SET_CHILD_SUBREAPER, int(enable), 0, 0, 0) == 0


def is_subreaper() -> bool:
    """Whether this process is a subreaper."""
    prctl = _prctl()
    flag = ctypes.c_int()
    return prctl is not None and prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0) == 0 and bool(flag)
