"""Games that are in the registry for the length of a `with` statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from referee.games import Game, GamePackage, registry


@contextmanager
def registered(game: type[Game], **locations: str) -> Iterator[None]:
    """`register` a game, in place of any other one with its name."""
    with patch.dict(registry._registry, {game.name: GamePackage(game, **locations)}):
        yield
