"""Causes in the system that keep the referee or its sandbox from working, and what to do about them."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct


class Cause(Struct, frozen=True, kw_only=True):
    """A cause, and a remedy. `message`: a pattern in what bubblewrap says."""

    explanation: str
    remedy: str
    message: str = ""

    def __str__(self) -> str:
        return f"{self.explanation}: {self.remedy}"


CONTAINER: Final = "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN"
BUBBLEWRAP_CAUSES: Final = (
    Cause(
        message=r"setting up uid map: Permission denied|RTM_NEWADDR: Operation not permitted",
        explanation="AppArmor allows user namespaces only to programs that have a profile for them"
        " (kernel.apparmor_restrict_unprivileged_userns = 1, as in Ubuntu 24.04)",
        remedy="load a profile for bwrap, as docs/security.md says under AppArmor",
    ),
    Cause(
        message=r"unprivileged_userns_clone|non-privileged user namespaces",
        explanation="the kernel allows user namespaces only to root (kernel.unprivileged_userns_clone = 0), or a"
        " container does",
        remedy=f"sysctl -w kernel.unprivileged_userns_clone=1, or start the container with {CONTAINER}",
    ),
    Cause(
        message=r"max_\S*_namespaces|new namespace failed: No space left on device",
        explanation="there may be no further namespaces (user.max_user_namespaces and other max_…_namespaces)",
        remedy="sysctl -w user.max_user_namespaces=10000; `sysctl user` shows which of them are low",
    ),
    Cause(
        message=r"[Cc]an't mount proc",
        explanation="parts of /proc are covered, as in containers",
        remedy="start the container with --security-opt systempaths=unconfined",
    ),
    Cause(
        message=r"Unexpected capabilities",
        explanation="the referee has capabilities, but is not root",
        remedy="start it without them: setpriv --inh-caps=-all --ambient-caps=-all",
    ),
)
NAMESPACES_REFUSED: Final = Cause(
    message=r"Operation not permitted|Permission denied|Invalid argument",
    explanation="namespaces or mounts are refused here, as in containers",
    remedy=f"start the container with {CONTAINER}",
)
"""What remains if bubblewrap fails with any bot."""
BUSY_PROGRAM: Final = Cause(
    explanation="a process still has the program open for writing, such as a build or a copy",
    remedy="wait until that is finished, or end it",
)
SUSPENDED: Final = Cause(
    explanation="by a signal (SIGSTOP, Ctrl-Z), because the machine or its container slept or was paused, or by a disk"
    " that did not answer",
    remedy="play games with a timeout in that time again",
)


def find_cause(message: str, causes: Iterable[Cause] = BUBBLEWRAP_CAUSES) -> Cause | None:
    """The first cause of a failure of bubblewrap whose message fits; None if there is none."""
    return next((cause for cause in causes if re.search(cause.message, message)), None)
