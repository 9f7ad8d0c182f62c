"""One hash over all files of a bot, so that a bot that has changed is noticed.

It is the SHA-256 of one line per file, in the order of the bytes of their paths, each line ending with LF:

    KIND SHA256 PATH

KIND is `file`, `executable` (its owner may execute it), `link` or `special` (a pipe, a socket, a device). SHA256 is
that of the contents; of the target for a link, which is never followed; of nothing for a special file. PATH is relative
to the bot's folder, with `/`; a backslash in it is written `\\\\` and an end of line `\\n`. Folders as such don't
count, so an empty one makes no difference. Left out, with all that is in them, every file or folder named in CACHES.

A bot that is a command line has no folder of its own. Its lines are `word`, the SHA-256 of the word and the word for
each word of the command, in their order; after a word that is the program or an existing file, the line of that file.
"""

import hashlib
import inspect
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from referee.bots.bot_spec import BotSpec
from tournaments.competition import formats
from tournaments.competition.formats.interface import Format
from tournaments.event.store.errors import StoreError
from tournaments.play.file_hashes import TooMuch, command_lines, hash_sources, tree_lines


class BotFilesError(StoreError):
    """The files of a bot can't be hashed: too many, too large, or unreadable. The text says which bot and file."""


def hash_bot(bot: BotSpec, exclude: Collection[Path] = ()) -> str | None:
    """The hash of a bot's files as they are now; None for a built-in player. Raises BotFilesError.

    `exclude`: absolute paths that are not files of the bot, such as a tournament's folder inside its own.
    """
    lines = list(bot_lines(bot, exclude))
    return None if bot.policy is not None else hashlib.sha256(b"".join(lines)).hexdigest()


def bot_lines(bot: BotSpec, exclude: Collection[Path] = ()) -> Iterator[bytes]:
    """The lines that are hashed. Raises BotFilesError."""
    if bot.policy is not None:
        return
    try:
        yield from command_lines(bot) if bot.from_command_line else tree_lines(bot.folder, exclude)
    except OSError as error:
        where = "its files" if error.filename is None else os.fsdecode(error.filename)
        raise BotFilesError(
            f"{bot.name}: can't read {where}: {error.strerror}; files of bots are hashed, so that changes are noticed"
        ) from None
    except TooMuch as error:
        raise BotFilesError(
            f"{bot.name}: {bot.folder} has over {error}; move what the bot doesn't need out of it"
        ) from None


def hash_formats(format_: type[Format]) -> str:
    """The hash of the source files of all formats here, with the module of a format that was registered elsewhere."""
    here, module = Path(formats.__file__).parent, Path(inspect.getfile(format_))
    if module.is_relative_to(here):
        return hash_sources(here)
    return hashlib.sha256((hash_sources(here) + hashlib.sha256(module.read_bytes()).hexdigest()).encode()).hexdigest()
