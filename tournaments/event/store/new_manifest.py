"""The manifest of a new tournament, and the entry that each run of the referee adds to it."""

import hashlib
import inspect
import os
import platform
import socket
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Final

from msgspec import UNSET, UnsetType

from protocol.messages import PROTOCOL
from protocol.record import RECORD
from referee.bots.bot_spec import BUILTIN
from referee.bots.hashed_files import HashedFiles
from referee.processes.selftest.guarantees import SandboxReport
from referee.version import __version__
from tournaments.competition import formats
from tournaments.competition.formats.interface import Format
from tournaments.competition.games import commitment
from tournaments.competition.regulations import Regulations
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec
from tournaments.event.store.manifest import Manifest, ManifestBot, Run, now
from tournaments.play.archives import Sources, files_hash, sources_sha256
from tournaments.play.conditions import Conditions

LIBRARIES: Final = ("msgspec", "trio")


def new_manifest(
    spec: TournamentSpec,
    seed: str,
    files: Mapping[str, HashedFiles],
    left_out: Mapping[str, str] = {},
    sources: Mapping[str, Sources] = {},
) -> Manifest:
    """The manifest of a tournament before its first game. `files`: those of bots, by name."""
    regulations = spec.regulations
    hashes = {name: found.sha256 for name, found in files.items()}
    return Manifest(
        regulations=regulations,
        versions=current_versions(regulations),
        bots=tuple(
            manifest_bot(bot, hashes.get(bot.spec.name), sources_sha256(sources, bot.spec.name)) for bot in spec.bots
        ),
        conditions=spec.conditions.published(),
        left_out=dict(left_out),
        start_at=None if spec.start_at is None else spec.start_at.isoformat(timespec="seconds"),
        shared_deals=regulations.shared_deals,
        seed_commitment=commitment(seed),
        seed_secret=spec.seed is None,
    ).opened()


def manifest_bot(bot: TournamentBot, files_sha256: str | None, sources_sha256: str | UnsetType = UNSET) -> ManifestBot:
    """A bot of the tournament file, or a late entry, as in the manifest."""
    spec = bot.spec
    builtin = spec.policy is not None
    return ManifestBot(
        name=spec.name,
        owner=bot.owner,
        command=(f"{BUILTIN}{spec.policy}",) if builtin else spec.argv,
        build=spec.build,
        folder=None if builtin else str(spec.folder),
        files_sha256=files_sha256,
        sources_sha256=sources_sha256,
        limits=spec.limits,
        environment=tuple(sorted(spec.environment)),
        exclusive=bot.exclusive,
        show=tuple(map(str, spec.show)) or UNSET,
    )


def manifest_run(
    regulations: Regulations,
    conditions: Conditions,
    *,
    command: str,
    sandbox: str,
    sandbox_report: SandboxReport | None = None,
) -> Run:
    """A run of the referee that begins now on this machine."""
    return Run(
        command=command,
        host=socket.gethostname(),
        system=f"{platform.platform()}, {os.cpu_count()} cores",
        started=now(),
        sandbox=sandbox,
        sandbox_report=sandbox_report,
        conditions=conditions.published(),
        versions=current_versions(regulations),
    )


def current_versions(regulations: Regulations) -> dict[str, str]:
    versions = {
        "referee": __version__,
        "protocol": str(PROTOCOL),
        "record": str(RECORD),
        "rules": files_hash(Path(inspect.getfile(regulations.game_type)).parent),
        "formats": hash_formats(type(regulations.format_settings)),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    version = resolve_name("importlib.metadata:version")  # its import takes long
    for library in LIBRARIES:
        try:
            versions[library] = version(library)
        except ModuleNotFoundError:
            versions[library] = "unknown"
    return versions


def hash_formats(format_: type[Format]) -> str:
    """The hash of the source files of all formats here, with the module of a format that was registered elsewhere."""
    here, module = Path(formats.__file__).parent, Path(inspect.getfile(format_))
    if module.is_relative_to(here):
        return files_hash(here)
    return hashlib.sha256((files_hash(here) + hashlib.sha256(module.read_bytes()).hexdigest()).encode()).hexdigest()
