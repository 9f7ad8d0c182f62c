"""Whether bots can be run in a sandbox here: tried once, for all tests that need one."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.processes.launch import Command
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.processes.sandbox import choice
from referee.processes.sandbox.bubblewrap import Sandbox
from tests.timeouts import TEST_TIMEOUT

WORKING, PROBLEM = choice.probe()
needs_sandbox: Final = pytest.mark.skipif(WORKING is None, reason=f"needs the sandbox, but {PROBLEM}")
needs_root: Final = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
KINDS: Final = [
    pytest.param("root", marks=[needs_sandbox, needs_root]),
    pytest.param("user", marks=needs_sandbox),
]
"""Who runs the referee."""
NOBODY: Final = 65534


def sandbox_of(kind: str, **changes: Any) -> Sandbox:
    """The sandbox of a referee that runs as root or as an ordinary user."""
    assert WORKING is not None
    return msgspec.structs.replace(WORKING, **({"setpriv": None} if kind == "user" else {}), **changes)


def run(
    kind: str,
    argv: Sequence[str],
    folder: Path = Path("/usr"),
    limits: ProcessLimits = DEFAULT,
    variables: Mapping[str, str] | None = None,
    **changes: Any,
) -> "subprocess.CompletedProcess[str]":
    """Run a program in a sandbox of that kind, as the referee would; `changes` are of the sandbox."""
    sandbox = sandbox_of(kind, **changes)
    command = Command(tuple(argv), folder)
    launch = sandbox.wrap(command, limits, {"PATH": "/usr/bin:/bin"} if variables is None else variables)
    user = NOBODY if kind == "user" and os.geteuid() == 0 else launch.user
    with msgspec.structs.replace(launch, folder=Path("/"), user=user).popen_arguments() as arguments:
        prepare = arguments.pop("preexec_fn")

        def become() -> None:
            prepare()
            if user == NOBODY:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)

        return subprocess.run(
            **arguments, preexec_fn=become, capture_output=True, text=True, input="", check=False, timeout=TEST_TIMEOUT
        )
