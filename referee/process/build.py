"""Running a bot's build command before it plays."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import trio

TAIL_LINES = 15


class BuildError(Exception):
    """A build command that failed; says how, with the end of its output."""


async def build(name: str, argv: Sequence[str], folder: Path) -> None:
    """Run a build command in the bot's folder. Raises BuildError."""
    try:
        done = await trio.run_process(
            argv, cwd=folder, stdin=b"", capture_stdout=True, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise BuildError(f"{name}: can't start its build command {argv[0]!r}: {error.strerror}") from None
    if done.returncode:
        output = (done.stdout or b"").decode(errors="replace").splitlines()[-TAIL_LINES:]
        raise BuildError("\n  ".join([f"{name}: its build command ended with status {done.returncode}:", *output]))
