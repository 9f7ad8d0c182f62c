"""Seeds, and the values derived from them that bots are told.

A match has its own function to derive them (`Derive`), for the same purposes as tournaments and bot checks.
"""

import hashlib
import hmac
import random
import secrets
from collections.abc import Callable
from typing import Final

SEED_BYTES: Final = 32
BOT_SEED_BITS: Final = 53
"""Every language can represent these numbers exactly, even if all its numbers are floating point."""
PUBLIC_ID_DIGITS: Final = 16
"""Hexadecimal digits of the `game_id` that bots see."""

Derive = Callable[[str], str]
"""The hexadecimal digits for a purpose, from one seed. They reveal nothing about the seed and other purposes."""


def new_seed() -> str:
    """A seed that nobody can guess: 256 bits as hexadecimal digits."""
    return secrets.token_hex(SEED_BYTES)


def public_id(derive: Derive, game_id: str) -> str:
    """The `game_id` that bots see."""
    return derive(f"public id/{game_id}")[:PUBLIC_ID_DIGITS]


def bot_seed(derive: Derive, game_id: str, seat: int) -> int:
    """The number that a bot is told, for its own random choices."""
    return int(derive(f"bot/{game_id}/{seat}"), 16) % (1 << BOT_SEED_BITS)


def keyed(seed: str) -> Derive:
    """The function that derives everything from the seed of a tournament: HMAC-SHA256(seed, purpose)."""
    return lambda purpose: hmac.digest(seed.encode(), purpose.encode(), hashlib.sha256).hex()


def substitute_random(seed: str, seat: int) -> random.Random:
    """The generator of the substitute in a seat: it draws one of the legal actions for each decision with a choice."""
    return random.Random(f"{seed}/substitute/{seat}")
