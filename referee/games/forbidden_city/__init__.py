"""The Forbidden City: tile laying on an unbounded board with hidden tiles, for 2 to 4 players."""

from referee.games.forbidden_city.game import ForbiddenCity

__all__ = ["ForbiddenCity"]
