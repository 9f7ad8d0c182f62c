"""The commands of `referee`, imported."""

from typing import Any

from referee.cli import build_group
from referee.cli.lazy import LazyCommand


def load_command(*words: str) -> Any:
    """The command or group that these words call, imported; of a group its commands are not."""
    found = build_group()
    for word in words:
        below = found.commands[word]
        found = below.load() if isinstance(below, LazyCommand) else below
    return found
