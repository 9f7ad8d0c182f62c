"""A headless referee and tournament runner for bots that play board games."""

from referee.version import __version__

__all__ = ["__version__"]
