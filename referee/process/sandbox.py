"""Bubblewrap around a bot: no network, no other processes, nothing to write to but a private /tmp.

What it does not do: the bot can still read what the referee's user can read, the record folder apart.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

Mode = Literal["auto", "bwrap", "none"]

PROGRAM: Final = "bwrap"
ISOLATION: Final = (
    "--die-with-parent",
    "--new-session",
    "--unshare-all",
    *("--ro-bind", "/", "/"),
    *("--dev", "/dev"),
    *("--proc", "/proc"),
    *("--tmpfs", "/tmp"),
)
IN_FORCE: Final = "sandbox: bwrap (no network, no other processes, files read-only, a private /tmp)"
PROBE_TIME: Final = 10.0


class SandboxError(Exception):
    """The sandbox that was asked for doesn't work here; says why."""


def choose(mode: Mode) -> tuple[bool, str]:
    """Whether bots run in bubblewrap, and a line that says what is in force. Raises SandboxError."""
    if mode == "none":
        return False, "sandbox: none, as you asked: bots run with your rights"
    problem = why_not()
    if problem is None:
        return True, IN_FORCE
    if mode == "bwrap":
        raise SandboxError(f"--sandbox bwrap: {problem}")
    return False, f"sandbox: none ({problem}): bots run with your rights"


def why_not() -> str | None:
    """Why bubblewrap can't be used here, if it can't: tried out, for many systems have it but forbid it."""
    if shutil.which(PROGRAM) is None:
        return "bubblewrap is not installed"
    try:
        subprocess.run([PROGRAM, *ISOLATION, "true"], check=True, capture_output=True, timeout=PROBE_TIME)
    except subprocess.CalledProcessError as error:
        return f"bubblewrap doesn't work here: {error.stderr.decode(errors='replace').strip()}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap doesn't work here: {error}"
    return None


def wrap(argv: Sequence[str], folder: Path, hidden: Path | None = None) -> list[str]:
    """The command line that runs `argv` in `folder` inside the sandbox, where the folder `hidden` looks empty."""
    shown = [word for part in parts_in_tmp(argv, folder) for word in ("--ro-bind", str(part), str(part))]
    emptied = [] if hidden is None else ["--tmpfs", str(hidden.resolve())]
    return [PROGRAM, *ISOLATION, *shown, *emptied, "--chdir", str(folder), "--", *argv]


def parts_in_tmp(argv: Sequence[str], folder: Path) -> list[Path]:
    """What the bot consists of in the real /tmp, which the private one hides: to be shown again, read-only.

    That is its folder, the folders of files that its command names in full, and where its program lies in a `bin`,
    as that of a virtual environment does, all that is installed beside it.
    """
    tmp = Path(tempfile.gettempdir())
    program, *arguments = argv
    named = [Path(word).parent for word in (shutil.which(program) or program, *arguments) if Path(word).is_absolute()]
    parts = {folder, *(part.parent if part.name == "bin" else part for part in named)}
    return sorted(part for part in parts if tmp in part.parents and part.exists())
