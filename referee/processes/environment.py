"""The environment variables of a bot. Of the referee's own variables only a few documented ones are passed on."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import is_folder, search_path

PRIVATE_TMP: Final = "/tmp"
"""Where a bot in the sandbox may write."""
RUSTUP: Final = "RUSTUP_HOME"


class EnvironmentSettingError(RefereeError):
    """An invalid setting of an environment variable. The text says how to write it."""


def environment(extra: Mapping[str, str], *, sandboxed: bool) -> dict[str, str]:
    """The environment of a bot: the referee's PATH, UTF-8, a folder for HOME and temporary files, and `extra`.

    Relative and empty elements of PATH are left out.
    """
    scratch = PRIVATE_TMP if sandboxed else tempfile.gettempdir()
    base = {"PATH": search_path(), "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch}
    rustup = rustup_home()
    if rustup is not None:
        base[RUSTUP] = str(rustup)  # otherwise rustup's `cargo` and `rustc` look for the compiler in HOME
    return {**base, **extra}


def rustup_home() -> Path | None:
    """The folder of rustup's Rust compilers, if there is one."""
    folder = Path(os.environ.get(RUSTUP) or os.path.expanduser("~/.rustup"))  # noqa: PTH111 (raises without a home)
    return folder if folder.is_absolute() and is_folder(folder) else None


def parse_environment(settings: Iterable[str]) -> dict[str, str]:
    """Variables from `NAME=VALUE`, or `NAME` for the referee's own value. Raises EnvironmentSettingError."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name or name[0].isdigit() or "\0" in setting:
            raise EnvironmentSettingError(f"{setting!r}: write NAME or NAME=VALUE, with a NAME such as DEPTH")
        if not equals:
            if name not in os.environ:
                raise EnvironmentSettingError(f"{name} is not set here; write {name}=VALUE")
            value = os.environ[name]
        found[name] = value
    return found
