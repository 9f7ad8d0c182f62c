"""The commands of `referee`, imported."""

from collections.abc import Iterator, Mapping
from functools import cache
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


@cache
def all_commands() -> Mapping[tuple[str, ...], Any]:
    """Every command and group, by the words that call it. Loading them takes long: not while tests are collected."""
    return dict(_below(()))


def _below(path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    command = load_command(*path)
    yield path, command
    for name in getattr(command, "commands", {}):
        yield from _below((*path, name))
