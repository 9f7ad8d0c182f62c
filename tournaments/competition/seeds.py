"""Everything that chance decides in a tournament, from its one seed: HMAC-SHA256(seed, purpose).

One purpose reveals nothing about another one, nor about the seed. Pairings use
`tournaments.competition.formats.draws`, which works in the same way.
"""

import hashlib

from referee.seeds import keyed
from tournaments.competition.rounds import Deal


def commitment(seed: str) -> str:
    """SHA-256 of the seed, to be published before the first game."""
    return hashlib.sha256(seed.encode()).hexdigest()


def deal_seed(seed: str, round_number: int, deal: Deal) -> str:
    place = f"{deal.table}/{deal.number}" if deal.table else str(deal.number)
    return keyed(seed)(f"deal/{round_number}/{place}")
