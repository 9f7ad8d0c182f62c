"""The chain of hashes over a tournament, so that nothing of it can be changed after a later head has been shown.

All hashes are SHA-256, written as 64 hexadecimal digits; what is hashed below are these digits.

    head 0 = SHA-256(commitment to the seed + SHA-256 of the opening)
    next   = SHA-256(head + SHA-256 of a change, or of an uncompressed record)        in this order:

round by round, first the changes between the round before and this one, each replayed game followed by its new record;
then the games of the round in the order of play: rotation by rotation, in each table by table, in each deal by deal. A
game that was played again later keeps its place with its first record. After the last round come the changes since.

The opening (`opening` in the manifest) and the changes (`events` in the manifest) are hashed as JSON in UTF-8, with
sorted keys and without spaces. What one of them consists of must stay: a new field needs another form of the chain.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from tournaments.competition.changes import Replayed
from tournaments.competition.progress import OpenRound, Progress


class FinishedRound(Struct, frozen=True, kw_only=True):
    """A finished round, and the head of the chain after its last game."""

    number: int
    games: int
    head: str


def first_head(commitment: str, opening: Any) -> str:
    return hashlib.sha256((commitment + json_hash(opening)).encode()).hexdigest()


def json_hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def extend(head: str, hashes: Iterable[str]) -> str:
    """The head after these records and changes, given by their hashes."""
    for added in hashes:
        head = hashlib.sha256((head + added).encode()).hexdigest()
    return head


def finished_rounds(first: str, known: Iterable[FinishedRound], progress: Progress) -> list[FinishedRound]:
    """All rounds that are over, with their heads, after the first head. Those `known` from before are not computed
    again."""
    found = list(known)
    for over in progress.rounds[len(found) :]:
        number = over.round.number
        head = extend(found[-1].head if found else first, changes_before(progress, number))
        head = extend(head, _originals(progress, over))
        found.append(FinishedRound(number=number, games=len(over.planned), head=head))
    return found


def _originals(progress: Progress, over: OpenRound) -> Iterable[str]:
    """The hashes of the first records of a round's games, in the order of play."""
    for game_id in over.planned:
        struck_out = progress.struck_out.get(game_id)
        game = over.played[game_id] if struck_out is None else struck_out[0]
        yield game.sha256


def changes_before(progress: Progress, number: int) -> Iterable[str]:
    """What the changes between the round before and this one add."""
    for event in progress.events:
        if event.round == number:
            yield json_hash(event)
            if isinstance(event, Replayed):
                old, again = event.old, progress.struck_out.get(event.replacement)  # it may itself have been replayed
                yield (progress.rounds[old.round - 1].played[old.planned_id] if again is None else again[0]).sha256
