"""Random draws that are the same on every machine and with every version of Python."""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

BITS: Final = 64


class Draws:
    """A generator for one purpose: SHA-256 of a key and a counter. The key is HMAC-SHA256(seed, purpose).

    So one purpose reveals nothing about another one, nor about the seed.
    """

    def __init__(self, seed: str, purpose: str) -> None:
        self._key = hmac.digest(seed.encode(), purpose.encode(), hashlib.sha256)
        self._counter = 0
        self._numbers: list[int] = []

    def below(self, end: int) -> int:
        """A number from 0 to `end` - 1, all equally likely: the last, incomplete range of 64 bits is rejected."""
        limit = 2**BITS - 2**BITS % end
        while True:
            if not self._numbers:
                block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
                self._counter += 1
                self._numbers = [int.from_bytes(block[i : i + 8], "big") for i in (24, 16, 8, 0)]
            number = self._numbers.pop()
            if number < limit:
                return number % end

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
