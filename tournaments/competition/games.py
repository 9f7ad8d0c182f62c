"""The games of a tournament, planned and finished; and their deals, from its one seed: HMAC-SHA256(seed, purpose).

One purpose reveals nothing about another one, nor about the seed. Pairings use
`tournaments.competition.formats.draws`, which works in the same way.
"""

import hashlib
import re
from typing import Final, NamedTuple

from msgspec import Struct

from protocol.messages import FaultCode
from referee.seeds import keyed
from tournaments.competition.rounds import Deal, GameResult

GAME_ID: Final = re.compile(r"r(\d{2,9})-t(\d{3,9})-d(\d{2,9})-s(\d)(?:-again([1-9]\d{0,8}))?")
"""Round, table, deal, rotation, and the number of the replay."""


def game_id_of(round_number: int, table: int, deal: int, rotation: int, again: int = 0) -> str:
    """The name of a game. All numbers count from 1."""
    name = f"r{round_number:02}-t{table:03}-d{deal:02}-s{rotation}"
    return f"{name}-again{again}" if again else name


class GameName(NamedTuple):
    """What the id of a game says."""

    round: int
    table: int
    deal: int
    rotation: int
    again: int
    """0, or the number of the replay of this game."""


def parse_game_id(game_id: str) -> GameName | None:
    """None if this is not the id of a game."""
    match = GAME_ID.fullmatch(game_id)
    name = None if match is None else GameName(*(int(part or 0) for part in match.groups()))
    return name if name is not None and game_id_of(*name) == game_id else None


class PlannedGame(Struct, frozen=True, kw_only=True):
    """A game that is to be played in a round."""

    game_id: str
    round: int
    table: int
    """From 1, in the order of `Round.tables`."""
    deal: int
    """From 1, numbered through the whole tournament."""
    rotation: int
    """From 1."""
    bots: tuple[int, ...]
    """Indices of entries, by seat."""

    @property
    def planned_id(self) -> str:
        """Its id, without the number of a replay."""
        return game_id_of(self.round, self.table, self.deal, self.rotation)


class StoredGame(PlannedGame, frozen=True, kw_only=True):
    """A finished game of a tournament. All lists are by seat."""

    again: int = 0
    """0, or the number of the replay of this game."""
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[FaultCode | None, ...]
    forfeits: tuple[bool, ...]
    """The seats whose bots could not be started."""
    decisions_hash: str = ""
    """As in Outcome."""
    sha256: str = ""
    """Of the uncompressed record."""

    def result(self, deals_of: str) -> GameResult:
        """The result as formats see it: by position at the table. `deals_of`: as in the regulations."""
        size, turn = len(self.bots), self.rotation - 1
        seats = [(position - turn) % size for position in range(size)]
        return GameResult(
            deal=Deal.of(deals_of, self.table, self.deal),
            rotation=turn,
            ranks=tuple(self.ranks[seat] for seat in seats),
            scores=tuple(self.scores[seat] for seat in seats),
            forfeits=tuple(self.forfeits[seat] for seat in seats),
            faults=tuple(self.faults[seat] is not None for seat in seats),
            decisions_hash=self.decisions_hash,
        )


def commitment(seed: str) -> str:
    """SHA-256 of the seed, to be published before the first game."""
    return hashlib.sha256(seed.encode()).hexdigest()


def deal_seed(seed: str, round_number: int, deal: Deal) -> str:
    place = f"{deal.table}/{deal.number}" if deal.table else str(deal.number)
    return keyed(seed)(f"deal/{round_number}/{place}")
