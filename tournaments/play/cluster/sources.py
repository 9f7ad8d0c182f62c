"""The sources of bots that the machines of a cluster build themselves: the files from which a build starts."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType


class Sources(Struct, frozen=True, kw_only=True):
    """The sources of a bot, made by `archives.pack_sources`."""

    sha256: str
    """Their hash, as of a bot's files."""
    archive: Path


def sources_in(folder: Path, sha256: str) -> Sources:
    """The sources with this hash, in a folder of such archives."""
    return Sources(sha256=sha256, archive=folder / f"{sha256}.tar.gz")


def sources_sha256(sources: Mapping[str, Sources], name: str) -> str | UnsetType:
    """The hash of the sources of a bot, absent if machines don't build it."""
    found = sources.get(name)
    return UNSET if found is None else found.sha256
