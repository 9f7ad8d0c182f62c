"""What a tournament whose bots play under pseudonyms keeps to itself (`pseudonyms` in its file).

What is published of it, manifest, changes and records, has of each bot its name in the file, a label in place of its
owner, and in place of the hash of its files a seal: an HMAC with a secret key, which nobody can compute from files that
they guess. All else about it is in `private.json`. The manifest, and so the first head of the chain, seals that too
(`private_sha256`): whoever publishes the file later can't say that other bots played.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, structs

from protocol.record import DecisionLine, FaultLine, GameLine, PlayerInfo
from referee.record.reader import parse_line
from referee.record.writer import RecordInMemory
from referee.seeds import keyed
from tournaments.event.store.manifest import Manifest, ManifestBot
from tournaments.play.events import LineRecorded, LiveEvent, Observer

NOT_PUBLISHED: Final = "not published"
"""In place of a message that may quote a bot, or name its files."""
HEADER: Final = b'{"type":"game"'
LABEL_DIGITS: Final = 12


class PrivateFacts(Struct, frozen=True, kw_only=True):
    """The contents of `private.json`."""

    key: str
    """Of all seals. With it the hashes of files can be guessed: it is as private as they are."""
    bots: dict[str, ManifestBot]
    """By name, what the manifest would say of them without pseudonyms, except for their owners."""
    sources: dict[str, dict[str, Any]] = {}
    """By name, the [[bot]] tables of late entries."""

    def published_bot(self, bot: ManifestBot) -> ManifestBot:
        if bot.files_sha256 is None:
            return bot  # a built-in player
        # Without the hash of its files, which changes with them and has a seal of its own.
        sources = bot.sources_sha256
        facts = msgspec.json.encode(structs.replace(bot, files_sha256=None), order="sorted").decode()
        return ManifestBot(
            name=bot.name,
            owner=bot.owner,
            files_sha256=sealed_hash(self.key, bot.name, bot.files_sha256),
            sources_sha256=sources if sources is UNSET else sealed_hash(self.key, bot.name, sources),
            private_sha256=keyed(self.key)(f"bot/{facts}"),
        )

    def published_record(self, record: bytes) -> bytes:
        """An uncompressed record without what bots said of themselves or with their moves, and without the messages of
        faults, which may quote them."""
        return b"".join(self.published_line(line) + b"\n" for line in record.splitlines())

    def published_line(self, line: bytes) -> bytes:
        told = RecordInMemory()
        match parsed := parse_line(1 if line.startswith(HEADER) else 2, line):
            case GameLine():
                told.write(structs.replace(parsed, players=list(map(self._player, parsed.players))))
            case DecisionLine(info=info, stderr=stderr) if (info, stderr) != (UNSET, UNSET):
                told.write(structs.replace(parsed, info=UNSET, stderr=UNSET))
            case FaultLine():
                told.write(structs.replace(parsed, message=NOT_PUBLISHED))
            case _:
                return line
        return told.content().removesuffix(b"\n")

    def observer(self, observer: Observer) -> Observer:
        """One that is told of running games what is published: spectators see them on live pages."""

        def observe(event: LiveEvent) -> None:
            if isinstance(event, LineRecorded):
                event = structs.replace(event, line=self.published_line(event.line))
            observer(event)

        return observe

    def _player(self, player: PlayerInfo) -> PlayerInfo:
        files = player.files_sha256
        return PlayerInfo(
            name=player.name, files_sha256=UNSET if files is UNSET else sealed_hash(self.key, player.name, files)
        )

    def with_bot(self, bot: ManifestBot, source: dict[str, Any] | None = None) -> "PrivateFacts":
        """With a late entry and its [[bot]] table, or with other files of a bot."""
        sources = self.sources if source is None else {**self.sources, bot.name: source}
        return structs.replace(self, bots={**self.bots, bot.name: bot}, sources=sources)


def sealed_hash(key: str, name: str, sha256: str) -> str:
    """What is published in place of the hash of the files of a bot: the same in all events with this key, so that
    ratings know a version again. Equal files under two names have different seals."""
    return keyed(key)(f"files/{name}/{sha256}")


def owner_label(key: str, owner: str) -> str:
    """What is published in place of an owner, by which pairings keep bots of one owner apart."""
    return f"owner {keyed(key)(f'owner/{owner}')[:LABEL_DIGITS]}"


def with_pseudonyms(manifest: Manifest, key: str | None) -> tuple[Manifest, PrivateFacts | None]:
    """A new manifest as it is published, and what it doesn't say. Without a key that is nothing."""
    if key is None:
        return manifest, None
    facts = PrivateFacts(key=key, bots={bot.name: bot for bot in manifest.bots})
    published = structs.replace(
        manifest,
        bots=tuple(map(facts.published_bot, manifest.bots)),
        left_out=dict.fromkeys(manifest.left_out, "it was not ready"),
        conditions=manifest.conditions.without_paths(),
    )
    return published.opened(), facts
