"""One error instead of the exception group that a Trio nursery raises."""

import contextlib
from collections.abc import Iterator

import trio


@contextlib.contextmanager
def single_errors() -> Iterator[None]:
    """Raise the first error of an exception group by itself, unless the group is a cancellation."""
    try:
        yield
    except BaseExceptionGroup as group:
        _, errors = group.split(trio.Cancelled)
        if errors is None:
            raise
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
