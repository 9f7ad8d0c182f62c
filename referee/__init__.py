"""A headless referee and tournament runner for bots that play board games."""

__version__ = "0.1.0"
