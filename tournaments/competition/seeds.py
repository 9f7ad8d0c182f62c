"""Everything that chance decides in a tournament, from its one seed: HMAC-SHA256(seed, purpose).

A purpose reveals nothing about another one, nor about the seed. Pairings draw by
`tournaments.competition.formats.draws`, likewise.
"""

import hashlib
import hmac
from typing import Final

from referee.seeds import BOT_SEED_BITS, PUBLIC_ID_DIGITS

MAX_BOT_SEED: Final = (1 << BOT_SEED_BITS) - 1


def commitment(seed: str) -> str:
    """SHA-256 of the seed, to be published before the first game."""
    return hashlib.sha256(seed.encode()).hexdigest()


def deal_seed(seed: str, round_number: int, deal: int) -> str:
    """The seed of a deal, which its record shows. `deal` counts through the tournament."""
    return _derive(seed, f"deal/{round_number}/{deal}")


def bot_seed(seed: str, game_id: str, seat: int) -> int:
    """The number that a bot is told, for its own random choices."""
    return int(_derive(seed, f"bot/{game_id}/{seat}"), 16) & MAX_BOT_SEED


def public_id(seed: str, game_id: str) -> str:
    """The `game_id` that bots see."""
    return _derive(seed, f"public id/{game_id}")[:PUBLIC_ID_DIGITS]


def _derive(seed: str, purpose: str) -> str:
    return hmac.digest(seed.encode(), purpose.encode(), hashlib.sha256).hex()
