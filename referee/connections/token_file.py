"""The file with the token for a connection by TCP, so that nobody has to copy it. Only its user can read it."""

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.files import read_file

TOKEN_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_TOKEN: Final = 200
HOST: Final = "127.0.0.1"
"""Where the referee listens."""


class TokenError(RefereeError):
    """The token was not found. The text says what to do."""


def token_path(port: int) -> Path:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    return folder / "referee" / f"tcp-{port}"


def keep_token(port: int, token: str) -> Path | None:
    """Write the token of a port to a file that only this user can read. None if that is impossible."""
    try:
        path = token_path(port)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.parent.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return None
        path.parent.chmod(0o700)
        path.unlink(missing_ok=True)
        fd = os.open(path, TOKEN_FILE_FLAGS, 0o600)
        try:
            os.write(fd, f"{token}\n".encode())
        finally:
            os.close(fd)
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None
    return path


def read_token(port: int) -> str:
    """The token that a referee of the same user waits for on this port. Raises TokenError."""
    try:
        return read_file(token_path(port), MAX_TOKEN).decode().strip()
    except FileNotFoundError:
        raise TokenError(
            f"none of your referees is waiting for a bot on port {port}: start one first, for example"
            f" `referee match tcp:{port} builtin:random --no-timeout`"
        ) from None
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise TokenError(f"the token for port {port} can't be read: {error}") from None


def forget_token(port: int) -> None:
    with contextlib.suppress(OSError, RuntimeError):
        token_path(port).unlink(missing_ok=True)
