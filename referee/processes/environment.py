"""The environment variables of a bot: a documented few, and none of the referee's own besides."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import is_folder

PRIVATE_TMP: Final = "/tmp"
"""Where a bot in the sandbox may write."""
RUSTUP: Final = "RUSTUP_HOME"


class EnvironmentSettingError(RefereeError):
    """A setting that names no variable; says how to write one."""


def environment(extra: Mapping[str, str], *, sandboxed: bool) -> dict[str, str]:
    """PATH as it is, UTF-8 as the encoding, a home and a folder for temporary files, and what the organiser adds."""
    scratch = PRIVATE_TMP if sandboxed else tempfile.gettempdir()
    base = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch}
    rustup = rustup_home()
    if rustup is not None:
        base[RUSTUP] = str(rustup)  # else its `cargo` and `rustc` look for the compiler in HOME
    return {**base, **extra}


def rustup_home() -> Path | None:
    """Where the Rust compilers are, if rustup manages them."""
    folder = Path(os.environ.get(RUSTUP) or Path.home() / ".rustup")
    return folder if is_folder(folder) else None


def parse_environment(settings: Iterable[str]) -> dict[str, str]:
    """Variables from `NAME=VALUE`, or `NAME` for the referee's own value. Raises EnvironmentSettingError."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name or "\0" in setting:
            raise EnvironmentSettingError(f"{setting!r}: write NAME or NAME=VALUE")
        if not equals:
            if name not in os.environ:
                raise EnvironmentSettingError(f"{name} is not set here; write {name}=VALUE")
            value = os.environ[name]
        found[name] = value
    return found
