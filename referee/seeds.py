"""Seeds, and the sizes of what is derived from them and told to bots."""

import secrets
from typing import Final

SEED_BYTES: Final = 32
BOT_SEED_BITS: Final = 53
"""Every language can represent these numbers exactly, also where all numbers are floating point."""
PUBLIC_ID_DIGITS: Final = 16
"""Hexadecimal digits of the `game_id` that bots see."""


def new_seed() -> str:
    """A seed that nobody can guess: 256 bits as hexadecimal digits."""
    return secrets.token_hex(SEED_BYTES)
