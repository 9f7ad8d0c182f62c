"""Processes of the referee that are forks of the tests' process, which has imported all modules: importing them takes
most of the time of a process that does little else.
"""

import atexit
import contextlib
import faulthandler
import gc
import importlib
import os
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import sniffio
import trio

from referee.own_python import module_command


def fork(
    argv: list[str], run: Callable[[], int | None] | Callable[[], None], **options: Any
) -> "subprocess.Popen[Any]":
    """As Popen, but the process does `run`, which returns its exit status, and no program is started."""
    if "coverage" in sys.modules:  # which measures programs
        return subprocess.Popen(argv, **options)
    prepare, variables = options.get("preexec_fn"), options.get("env")

    def become() -> NoReturn:
        status = 1
        try:
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # with the pipe that tells Popen that the program has begun
            be_like_new()
            if prepare is not None:
                prepare()
            if variables is not None:
                os.environ.clear()
                os.environ.update(variables)
            status = run() or 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: the other threads do nothing but wait
        return subprocess.Popen(argv, **options | {"preexec_fn": become})


def be_like_new() -> None:
    """Forget what a process that has just started doesn't have: handlers, warnings, garbage, an event loop."""
    gc.freeze()
    gc.enable()
    atexit._clear()
    faulthandler.disable()
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    sys.unraisablehook = sys.__unraisablehook__
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    vars(trio._core._run.GLOBAL_RUN_CONTEXT).clear()
    sniffio.thread_local.name = None
    sys.set_asyncgen_hooks(None, None)


def fork_module(module: str) -> "subprocess.Popen[bytes]":
    """As `start_module` of the product."""

    main: Callable[[], None] = importlib.import_module(module).main

    def run() -> None:
        with contextlib.suppress(OSError):
            Path("/proc/self/comm").write_text(fork_name(module))
        main()

    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    return fork(module_command(module), run, **pipes)


def fork_name(module: str) -> str:
    """The name of a process of `fork_module`, of which the kernel keeps fifteen characters."""
    return module[-15:]
