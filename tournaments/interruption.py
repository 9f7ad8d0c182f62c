"""Signals that end a match early: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (the terminal was closed)."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any, Final

import trio


class Interruption:
    """Whether a signal requested the end of the match. Made by `catch_signals`."""

    def __init__(self) -> None:
        self.requested = False
        self._scope: trio.CancelScope | None = None
        self._token: trio.lowlevel.TrioToken | None = None

    @contextlib.contextmanager
    def scope(self) -> Iterator[trio.CancelScope]:
        """A cancel scope, within a Trio run, that is cancelled when the end is requested, or has been already.

        Of nested scopes only the innermost is cancelled.
        """
        outer = self._scope, self._token
        with trio.CancelScope() as scope:
            self._scope, self._token = scope, trio.lowlevel.current_trio_token()
            if self.requested:
                scope.cancel()
            try:
                yield scope
            finally:
                self._scope, self._token = outer

    def request(self) -> None:
        """Request the end. Safe to call from a signal handler."""
        self.requested = True
        if self._scope is not None and self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._scope.cancel)


_active: Final[list[Interruption]] = []
"""Signal handlers belong to the whole process: these are requested together."""
_before: Final[dict[signal.Signals, Any]] = {}
"""The handlers to be restored once nothing catches signals any more."""


@contextlib.contextmanager
def catch_signals(*, ignore_afterwards: bool = False) -> Iterator[Interruption]:
    """Catch the signals that end a match while the block runs. Does nothing outside the main thread.

    After the first signal all others are ignored until the block ends, or with `ignore_afterwards` for good: a second
    Ctrl-C must not lose the results. Several matches may catch signals at a time; a signal ends them all.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    if not _active:
        _before.update({number: signal.signal(number, _handle) for number in ending_signals()})
    _active.append(interruption)
    try:
        yield interruption
    finally:
        _active.remove(interruption)
        if not _active:
            ignored = ignore_afterwards and interruption.requested
            for number, handler in _before.items():
                signal.signal(number, signal.SIG_IGN if ignored else handler)
            _before.clear()


def _handle(*_: object) -> None:
    for number in _before:
        signal.signal(number, signal.SIG_IGN)
    for interruption in _active:
        interruption.request()


def ending_signals() -> list[signal.Signals]:
    """SIGINT, SIGTERM, and SIGHUP unless it is ignored, as under `nohup`."""
    hangup = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]
