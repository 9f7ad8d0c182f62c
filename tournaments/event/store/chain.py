"""The chain of hashes over the records of a tournament, so that a record can't be changed after a later head has been
shown.

All hashes are SHA-256, written as 64 hexadecimal digits; what is hashed below are these digits.

    head 0 = SHA-256(commitment to the seed)
    next   = SHA-256(head + SHA-256 of the uncompressed record)        for each record, in this order:

round by round, first the games that were played again between the round before and this one, in the order of their
changes; then the games of the round in the order of play: rotation by rotation, in each table by table, in each deal
by deal. A game that was played again later keeps its place with its first record. After the last round come the games
that were played again since.
"""

import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct

from tournaments.competition.progress import OpenRound, Progress, Replayed, game_id_of


class FinishedRound(Struct, frozen=True, kw_only=True):
    """A finished round, and the head of the chain after its last game."""

    number: int
    games: int
    head: str


def first_head(commitment: str) -> str:
    """The head before the first record."""
    return hashlib.sha256(commitment.encode()).hexdigest()


def extend(head: str, records: Iterable[str]) -> str:
    """The head after these records, given by their hashes."""
    for record in records:
        head = hashlib.sha256((head + record).encode()).hexdigest()
    return head


def finished_rounds(commitment: str, known: Iterable[FinishedRound], progress: Progress) -> list[FinishedRound]:
    """All rounds that are over, with their heads. Those `known` from before are not computed again."""
    found = list(known)
    for number in range(len(found) + 1, len(progress.rounds) + 1):
        found.append(finished_round(found[-1].head if found else first_head(commitment), progress, number))
    return found


def finished_round(before: str, progress: Progress, number: int) -> FinishedRound:
    """A round that is over, with its head, after the head of the round before."""
    over = progress.rounds[number - 1]
    head = extend(before, _replays_before(progress, number))
    return FinishedRound(number=number, games=len(over.planned), head=extend(head, _originals(progress, over)))


def head_after(commitment: str, rounds: Sequence[FinishedRound], progress: Progress) -> str:
    """The head after all finished rounds and the games that were played again since."""
    head = rounds[-1].head if rounds else first_head(commitment)
    return extend(head, _replays_before(progress, len(rounds) + 1))


def _originals(progress: Progress, over: OpenRound) -> Iterable[str]:
    """The hashes of the first records of a round's games, in the order of play."""
    for game_id in over.planned:
        struck_out = progress.struck_out.get(game_id)
        game = over.played[game_id] if struck_out is None else struck_out[0]
        yield game.sha256


def _replays_before(progress: Progress, number: int) -> Iterable[str]:
    """The hashes of the games that were played again between the round before and this one."""
    for event in progress.events:
        if isinstance(event, Replayed) and event.round == number:
            yield _replacement(progress, event)


def _replacement(progress: Progress, event: Replayed) -> str:
    struck_out = progress.struck_out.get(event.replacement)
    if struck_out is not None:  # it was itself replayed
        return struck_out[0].sha256
    old = event.old
    return progress.rounds[old.round - 1].played[game_id_of(old.round, old.table, old.deal, old.rotation)].sha256
