"""The manifest of a tournament: bots, conditions and results, as published."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from referee.printable import sanitise
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.selftest.guarantees import SandboxReport
from tournaments.competition.changes import AnyChange, FilesAccepted
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Regulations
from tournaments.event.store.chain import FinishedRound, changes_before, extend, finished_rounds, first_head
from tournaments.event.store.errors import DamagedManifest, NoTournament
from tournaments.play.conditions import Conditions, as_path, as_text

OPENING: Final = ("bots", "conditions", "regulations", "seed_secret", "versions")
"""The fields of a new manifest that are its `opening`."""
MANIFEST_SCHEMA: Final = 1
"""The version of the manifest that this referee writes."""


class ManifestBot(Struct, frozen=True, kw_only=True):
    """A bot as it was built and started. Of one with a pseudonym only name, label of the owner and seals are there."""

    name: str
    owner: str | None = None
    command: tuple[str, ...] = ()
    """Its words; `builtin:POLICY` for a built-in player."""
    build: tuple[str, ...] = ()
    folder: str | None = None
    """None for a built-in player."""
    files_sha256: str | None = None
    """Of its files after the build (see `referee.bots.files_hash`), or its seal. None for a built-in player."""
    sources_sha256: str | UnsetType = UNSET
    """Of its files before the build, if the machines of a cluster build it themselves; otherwise absent."""
    limits: ProcessLimits | UnsetType = UNSET
    environment: tuple[str, ...] = ()
    """The names of its own environment variables. Their values may be secret."""
    exclusive: str | None = None
    show: tuple[str, ...] | UnsetType = UNSET
    """The files, folders and sockets that it alone is shown; absent if there are none."""
    private_sha256: str | UnsetType = UNSET
    """Where bots have pseudonyms, the seal of what else is known of it (see `tournaments.event.store.private`)."""


class Run(Struct, frozen=True, kw_only=True):
    command: str
    """`run`, `resume` …"""
    host: str
    system: str
    started: str
    """Date and time, ISO 8601, of the machine's clock; for information only."""
    ended: str | None = None
    """None if it was killed, or still runs."""
    ending: str | None = None
    """Why it stopped playing rounds: `finished`, `stopped` (by stop_at), `paused` or `interrupted`."""
    problem: str | UnsetType = UNSET
    """Why the next round could not be paired, if it paused for that. The key is absent otherwise."""
    sandbox: str
    sandbox_report: SandboxReport | None = None
    """Which of its guarantees hold on this machine; None without a sandbox, or if no bot plays."""
    images: tuple[str, ...] = ()
    """SHA-256 of the image of the files that bots saw (`files = "image"`); of several if bots joined meanwhile."""
    conditions: Conditions
    """Those of this run, published; with the numbers of games at a time and of workers."""
    versions: dict[str, str]
    """As in the manifest, at that time."""


class Manifest(Struct, frozen=True, kw_only=True):
    """See the module. With the records and the seed it is all that `standings` and `verify` need."""

    schema: int = MANIFEST_SCHEMA
    regulations: Regulations
    versions: dict[str, str]
    """Of the referee, the protocol, the form of records, Python and libraries; `rules` and `formats` are SHA-256 of
    the source files that decide a game and the pairings."""
    bots: tuple[ManifestBot, ...]
    """In the order of entries, late ones last."""
    conditions: Conditions
    """Those of the file, published."""
    left_out: dict[str, str] = {}
    """The bots of the file without which it began (`run --without-unready`), with what was wrong with each."""
    start_at: str | None = None
    """When the first round was to begin, ISO 8601; None: at once."""
    sessions: tuple[Run, ...] = ()
    """The runs of the referee on this tournament."""
    events: tuple[AnyChange, ...] = ()
    hosts: dict[str, tuple[str, ...]] = {}
    """By machine of a cluster, the games that it played. The host of its run has played all others."""
    builds: dict[str, dict[str, tuple[str, ...]]] = {}
    """By bot and machine of a cluster, the hashes of the files that this machine has built and played with."""
    shared_deals: str | None = None
    """What colluding bots gain by deals that tables share, in a sentence; None if tables don't share them."""
    seed_commitment: str
    """SHA-256 of the seed."""
    seed: str | None = None
    """Null until the end."""
    seed_secret: bool
    """False if the organiser chose the seed: a short one can be guessed from the commitment or a `bot_seed`."""
    rounds: tuple[FinishedRound, ...] = ()
    opening: dict[str, Any] = {}
    """What was fixed before the first game: the fields OPENING as they were then. With the commitment, the first head
    is over it."""
    head: str = ""
    """Of the chain (see `tournaments.event.store.chain`), after the last of `rounds` and the changes since."""
    finished: bool = False
    standings: Any = None
    """The final standings, as in `standings --json`; null until the end."""

    @property
    def has_pseudonyms(self) -> bool:
        """Whether it does not tell who entered what."""
        return any(bot.private_sha256 is not UNSET for bot in self.bots)

    @property
    def first_head(self) -> str:
        return first_head(self.seed_commitment, self.opening)

    def opened(self) -> "Manifest":
        """A new manifest, with its opening and the first head."""
        opening = msgspec.json.decode(_encode({name: getattr(self, name) for name in OPENING}))
        manifest = structs.replace(self, opening=opening)
        return structs.replace(manifest, head=manifest.first_head)

    def with_rounds(self, progress: Progress) -> "Manifest":
        """With the heads of all rounds that are over by now, and of the changes since."""
        rounds = finished_rounds(self.first_head, self.rounds, progress)
        return structs.replace(self, rounds=tuple(rounds)).with_head(progress)

    def with_head(self, progress: Progress) -> "Manifest":
        """With the head after its rounds and the changes since."""
        head = self.rounds[-1].head if self.rounds else self.first_head
        return structs.replace(self, head=extend(head, changes_before(progress, len(self.rounds) + 1)))

    def with_events(self, events: Iterable[AnyChange]) -> "Manifest":
        """With more events, and the hashes of files that they accept. Call `with_head` when `Progress` has them."""
        added = tuple(events)
        accepted: dict[str, str] = {}
        for event in added:
            accepted |= event.bots if isinstance(event, FilesAccepted) else {}
        bots = tuple(structs.replace(bot, files_sha256=accepted.get(bot.name, bot.files_sha256)) for bot in self.bots)
        return structs.replace(self, bots=bots, events=(*self.events, *added))

    def with_run(self, run: Run) -> "Manifest":
        if self.has_pseudonyms:
            run = structs.replace(run, conditions=run.conditions.without_paths())
        return structs.replace(self, sessions=(*self.sessions, run))

    def with_image(self, sha256: str) -> "Manifest":
        """With one more image in the last run of the referee."""
        *before, last = self.sessions
        return structs.replace(self, sessions=(*before, structs.replace(last, images=(*last.images, sha256))))

    def with_end_of_run(self, ending: str | None, problem: str | None) -> "Manifest":
        """The last run of the referee ends now. `ending` and `problem`: see `Run`."""
        *before, last = self.sessions
        last = structs.replace(last, ended=now(), ending=ending, problem=problem or UNSET)
        return structs.replace(self, sessions=(*before, last))


def now() -> str:
    """The date and time in the form used in manifests."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value, enc_hook=as_text)


def encode_manifest(manifest: Manifest) -> bytes:
    return msgspec.json.format(_encode(manifest), indent=2) + b"\n"


def manifest_from(content: object) -> Manifest:
    """The manifest in decoded JSON. Raises ValidationError of msgspec."""
    return msgspec.convert(content, Manifest, dec_hook=as_path)


def decode_manifest(data: bytes, where: object) -> Manifest:
    """The manifest in a file, which errors name `where`. Raises DamagedManifest; NoTournament for a later version."""
    try:
        content = msgspec.json.decode(data)
        schema = content.get("schema") if isinstance(content, dict) else None
        if isinstance(schema, int) and schema > MANIFEST_SCHEMA:
            raise NoTournament(
                f"{where} was written by a later referee (schema {schema}; this one reads {MANIFEST_SCHEMA}):"
                " use that one"
            )
        return manifest_from(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DamagedManifest(
            f"{where} is not the manifest of a tournament ({sanitise(error)}); put the right one back from a copy"
        ) from None
