"""Signals that end a match or a tournament early: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (the terminal was closed)."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any, Final

import trio


class Interruption:
    """Whether a signal has requested the end, and which kind of end. Made by `catch_signals`."""

    def __init__(self, *, finish_first: bool = False) -> None:
        self.finishing = False
        """Whether no further game is to start. Running ones may finish, unless `requested` is set too."""
        self.requested = False
        """Whether everything is to end at once."""
        self._finish_first = finish_first
        self._scope: trio.CancelScope | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        self._until_finishing: list[tuple[trio.CancelScope, trio.lowlevel.TrioToken]] = []

    @contextlib.contextmanager
    def scope(self) -> Iterator[trio.CancelScope]:
        """A cancel scope, within a Trio run, that is cancelled when an immediate end is requested, or has been already.

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

    @contextlib.contextmanager
    def until_finishing(self) -> Iterator[trio.CancelScope]:
        """A cancel scope that is cancelled by any request: for work not worth waiting for, such as a build."""
        with trio.CancelScope() as scope:
            entry = scope, trio.lowlevel.current_trio_token()
            self._until_finishing.append(entry)
            if self.finishing:
                scope.cancel()
            try:
                yield scope
            finally:
                self._until_finishing.remove(entry)

    def interrupt(self) -> None:
        """Interrupt, as Ctrl-C does. Safe to call from a signal handler.

        With `finish_first` the first call lets running games finish, and the second one requests an immediate end.
        """
        if self._finish_first and not self.finishing:
            self._finish()
        else:
            self.request()

    def request(self) -> None:
        """Request an immediate end. Safe to call from a signal handler."""
        self.requested = True
        self._finish()
        if self._scope is not None and self._token is not None:
            cancel_soon(self._scope, self._token)

    def _finish(self) -> None:
        self.finishing = True
        for scope, token in list(self._until_finishing):  # a copy: another signal may come while this one is handled
            cancel_soon(scope, token)


def cancel_soon(scope: trio.CancelScope, token: trio.lowlevel.TrioToken) -> None:
    """Cancel a scope of a Trio run from anywhere, also from a signal handler."""
    with contextlib.suppress(trio.RunFinishedError):
        token.run_sync_soon(scope.cancel)


class ProcessSignals:
    """The handlers of these signals, which belong to the whole process and are shared by all who catch signals."""

    def __init__(self) -> None:
        self._catching: list[Interruption] = []
        """All of them are notified of each signal."""
        self._before: dict[signal.Signals, Any] = {}
        """The handlers to be restored once nothing catches signals any more."""
        self._ignore_afterwards = False
        """Whether signals are to be ignored then instead."""

    def add(self, interruption: Interruption) -> None:
        """Notify an interruption of signals. In the main thread only."""
        if not self._catching:
            before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
            # Not those that are ignored, as under `nohup` or after `trap '' INT`.
            self._before.update({number: handler for number, handler in before.items() if handler != signal.SIG_IGN})
        self._catching.append(interruption)
        # Also if others catch signals already: where all of them have been asked to end, signals are ignored by now.
        for number in self._before:
            signal.signal(number, self._handle)

    def remove(self, interruption: Interruption, *, ignore_afterwards: bool) -> None:
        """Undo `add`; the last one restores the handlers, or ignores signals from now on if the end of any that is to
        ignore them afterwards was requested."""
        self._catching.remove(interruption)
        self._ignore_afterwards |= ignore_afterwards and interruption.finishing
        if not self._catching:
            for number, handler in self._before.items():
                signal.signal(number, signal.SIG_IGN if self._ignore_afterwards else handler)
            self._before.clear()
            self._ignore_afterwards = False

    def _handle(self, number: int, _frame: object) -> None:
        # Python runs this between two instructions of the main thread, at any point of any task: it only sets flags and
        # asks Trio to cancel scopes, which it does in a task of its own.
        for interruption in self._catching:
            if number == signal.SIGINT:
                interruption.interrupt()
            else:
                interruption.request()
        if all(interruption.requested for interruption in self._catching):
            for caught in self._before:
                signal.signal(caught, signal.SIG_IGN)


PROCESS_SIGNALS: Final = ProcessSignals()
"""A singleton, as a process has one table of handlers."""


@contextlib.contextmanager
def catch_signals(*, ignore_afterwards: bool = False, finish_first: bool = False) -> Iterator[Interruption]:
    """Catch the signals that end a match while the block runs. Does nothing outside the main thread.

    The first signal requests an immediate end; with `finish_first` the first SIGINT only prevents further games from
    starting. After a request for an immediate end all signals are ignored until the block ends, or with
    `ignore_afterwards` for good: a further Ctrl-C must not lose the results. Several matches may catch signals at a
    time; all are notified.
    """
    interruption = Interruption(finish_first=finish_first)
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    PROCESS_SIGNALS.add(interruption)
    try:
        yield interruption
    finally:
        PROCESS_SIGNALS.remove(interruption, ignore_afterwards=ignore_afterwards)
