"""What only Linux offers: see prctl(2). Elsewhere these do nothing and say so by returning False."""

import ctypes
import signal
import sys
from functools import cache
from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_GET_CHILD_SUBREAPER: Final = 37


@cache
def _prctl() -> Any:
    return ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def die_with_parent() -> bool:
    """Have the kernel kill this process when its parent dies, whatever kills that."""
    prctl = _prctl()
    return prctl is not None and prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0


def become_subreaper(wanted: bool = True) -> bool:
    """Have this process, rather than init, become the parent of its descendants that lose theirs; or no longer."""
    prctl = _prctl()
    return prctl is not None and prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0


def is_subreaper() -> bool:
    """Whether this process is a subreaper."""
    prctl = _prctl()
    answer = ctypes.c_int()
    return prctl is not None and prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0) == 0 and bool(answer)
