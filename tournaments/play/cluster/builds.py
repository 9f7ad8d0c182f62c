"""Bots that this machine of a cluster has built from sources that it was sent.

`FOLDER/KEY/bot` has the files, in the place where they were built, as some builds write its path into them. KEY is over
the sources and the build commands. `FOLDER/KEY/built` has the hash of the files once they are complete.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import TooMuch
from referee.processes.message_channel import encode
from tournaments.play.archives import files_hash, make_read_only, remove_tree


class Built:
    """The place of the bots that are built from the same sources. Several processes may use it at a time."""

    def __init__(self, folder: Path, sources: str, bots: Iterable[BotSpec], environment: Mapping[str, str]) -> None:
        """`folder`: of all builds. `bots`: those that have these sources. `environment`: of all bots."""
        how = sorted({(bot.build, *sorted({**environment, **bot.environment}.items())) for bot in bots})
        self._folder = folder / hashlib.sha256(encode((sources, how))).hexdigest()
        self.bot = self._folder / "bot"

    @property
    def _hash_file(self) -> Path:
        return self._folder / "built"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from building meanwhile. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def sha256(self) -> str | None:
        """The hash of the files; None if they are not built, or were changed."""
        try:
            known = self._hash_file.read_text(encoding="ascii")
            return known if files_hash(self.bot) == known else None
        except (OSError, ValueError, TooMuch):
            return None

    def begin(self, sources: Path) -> None:
        """Copy the sources to where they are built. Raises OSError."""
        self._hash_file.unlink(missing_ok=True)
        remove_tree(self.bot)
        shutil.copytree(sources, self.bot, symlinks=True)
        for place, _, files in os.walk(self.bot):
            Path(place).chmod(0o755)
            for path in (Path(place, name) for name in files):
                if not path.is_symlink():
                    path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IWUSR)

    def complete(self) -> None:
        """The build is over. Raises OSError, and TooMuch."""
        make_read_only(self.bot)
        draft = self._hash_file.with_suffix(".new")
        draft.write_text(files_hash(self.bot), encoding="ascii")
        draft.rename(self._hash_file)
