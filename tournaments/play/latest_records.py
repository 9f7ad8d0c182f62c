"""The link `latest` beside the folders of records: it leads to those of the newest finished match."""

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

from referee.record.reader import LATEST_LINK

TARGET: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d([-#]\d+)?")
"""The name of a folder that a match has made, formerly with a #: only a link to such a folder is ours."""


def link_latest(folder: Path) -> None:
    """Make `latest`, beside this folder of records, a link to it. Never raises.

    Anything else with that name is left unchanged, and where links can't be made there is none. An existing link is
    replaced in one step, so that other programs and matches always find a complete one.
    """
    link = folder.parent / LATEST_LINK
    try:
        link.symlink_to(folder.name)
    except FileExistsError:
        if is_ours(link):
            replace_link(link, folder.name)
    except OSError:
        return


def is_ours(link: Path) -> bool:
    """Whether this is a link made by `link_latest`."""
    try:
        return TARGET.fullmatch(os.fsdecode(link.readlink())) is not None
    except OSError:  # not a link
        return False


def replace_link(link: Path, target: str) -> None:
    """Make a link lead elsewhere, in one step. Never raises."""
    made = link.with_name(f".{LATEST_LINK}-{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        made.symlink_to(target)
        try:
            made.replace(link)
        except OSError:
            made.unlink()
