"""Which games are played, as pure functions: deals, seat rotations, and the seeds of everything."""

import hashlib
from collections.abc import Iterator

from msgspec import Struct

BOT_SEED_BITS = 53


class ScheduledGame(Struct, frozen=True, kw_only=True):
    """A game to be played. `seating[seat]` is the entrant who sits there; games of one deal share their seed."""

    game_id: str
    deal: int
    rotation: int
    seating: tuple[int, ...]
    seed: str
    bot_seeds: tuple[int, ...]


def rotations(deals: int, entrants: int, seed: str, *, rotate: bool = True) -> Iterator[ScheduledGame]:
    """Every deal once per cyclic rotation of the seats (or once, in the order given), so that luck and seat cancel."""
    for deal in range(1, deals + 1):
        for rotation in range(entrants if rotate else 1):
            game_id = f"{deal:04}-{rotation + 1}"
            yield ScheduledGame(
                game_id=game_id,
                deal=deal,
                rotation=rotation,
                seating=tuple((seat + rotation) % entrants for seat in range(entrants)),
                seed=derive(seed, "deal", deal)[:32],
                bot_seeds=tuple(
                    int(derive(seed, "bot", game_id, seat), 16) % 2**BOT_SEED_BITS for seat in range(entrants)
                ),
            )


def derive(seed: str, *path: str | int) -> str:
    """A seed of its own for each purpose, as hexadecimal digits: one says nothing about another."""
    return hashlib.sha256("/".join(map(str, (seed, *path))).encode()).hexdigest()
