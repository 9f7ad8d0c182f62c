"""The base of every error that this project raises on purpose."""


class RefereeError(Exception):
    """Something that the caller can act on. Its text names what was wrong, where, and what to do."""
