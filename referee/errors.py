"""The base class of all errors of the public API."""


class RefereeError(Exception):
    """An error that the caller can handle. Its text says what was wrong, where, and what to do."""
