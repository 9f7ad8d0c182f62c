"""A Dask cluster of processes on this machine."""

import contextlib
import importlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.cli.command import text_streams
from tests.forked import fork
from tests.timeouts import TEST_TIMEOUT

REPOSITORY: Final = Path(__file__).parents[4]
REGISTERED: Final = "Registered to:"


class RealCluster:
    """A scheduler, and workers that can be started and killed. Made by `real_cluster`.

    They are forks of this process, which has imported what they need, or start Python as on other machines.
    """

    def __init__(self, folder: Path, *, forked: bool) -> None:
        self._folder = folder
        self._forked = forked
        self._processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.scheduler = self._start("scheduler", "--port", str(self.port), "--host", "127.0.0.1")

    @property
    def address(self) -> str:
        """For `--executor`."""
        return f"dask://127.0.0.1:{self.port}"

    def worker(self, *, source: Path = REPOSITORY, threads: int = 1) -> "subprocess.Popen[bytes]":
        """Start a worker that imports the referee from this folder, as a machine of its own."""
        return self._start(
            "worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", str(threads), "--no-nanny", source=source
        )

    def _start(self, *command: str, source: Path = REPOSITORY) -> "subprocess.Popen[bytes]":
        number = len(self._processes)
        here = f"import sys; sys.path.insert(0, {str(source)!r}); sys.argv[0] = 'dask'"
        code = f"{here}; from dask.__main__ import main; main()"
        argv = [sys.executable, "-P", "-c", code, *command, "--no-dashboard"]
        with self._log(number).open("wb") as log:
            options: dict[str, Any] = {
                "cwd": self._folder,
                "env": {**os.environ, "REFEREE_STORE": str(self._store(number)), "TMPDIR": str(self._folder)},
                "stdin": subprocess.DEVNULL,
                "stdout": log,
                "stderr": subprocess.STDOUT,
            }
            if self._forked and source == REPOSITORY:
                process = fork(argv, lambda: dask(*argv[4:]), **options)
            else:
                process = subprocess.Popen(argv, **options)
        self._processes.append(process)
        return process

    def bots_of(self, worker: "subprocess.Popen[bytes]") -> list[int]:
        """The bots that a worker has running, by their working directory: their environment is empty."""
        return started_in(self._store(self._processes.index(worker)))

    def _store(self, number: int) -> Path:
        return self._folder / f"store{number}"

    def _log(self, number: int) -> Path:
        return self._folder / f"dask{number}.log"

    def wait_for_workers(self) -> None:
        """Wait until all workers that were started have registered."""
        deadline = time.monotonic() + TEST_TIMEOUT
        for number in range(1, len(self._processes)):
            while not re.search(REGISTERED, self._log(number).read_text(errors="replace")):
                assert time.monotonic() < deadline, self._log(number).read_text(errors="replace")
                time.sleep(0.05)

    def end(self) -> None:
        """End it: first the workers, which try for a minute to tell a scheduler that has gone that they end."""
        for processes in (self._processes[1:], self._processes[:1]):
            for process in processes:
                process.send_signal(signal.SIGCONT)
                process.terminate()
            for process in processes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(TEST_TIMEOUT)
                process.kill()
                process.wait()


def dask(*words: str) -> None:
    """What the program does that starts schedulers and workers."""
    sys.argv = ["dask", *words]
    sys.stdin, sys.stdout, sys.stderr = text_streams()
    for logger in (logging.root, *map(logging.getLogger, logging.root.manager.loggerDict)):
        logger.handlers.clear()  # which write where the tests did when they were imported
        logger.propagate = True
    logging.basicConfig(stream=sys.stderr)
    importlib.import_module("dask.__main__").main()


def started_in(folder: Path) -> list[int]:
    """The processes whose working directory is in a folder."""
    found = []
    for process in processes():
        with contextlib.suppress(OSError):  # it has ended
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(int(process.name))
    return found


def with_store_in(folder: Path) -> list[int]:
    """The processes that have `REFEREE_STORE` set to a folder in this one."""
    found = []
    for process in processes():
        with contextlib.suppress(OSError):  # it has ended
            if f"REFEREE_STORE={folder}/".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def processes() -> list[Path]:
    """The folders in /proc."""
    return [process for process in Path("/proc").iterdir() if process.name.isdigit()]


@contextlib.contextmanager
def real_cluster(folder: Path, *, forked: bool = True) -> Iterator[RealCluster]:
    """A cluster while the block runs. All that it started has to end with it."""
    if forked:
        for module in ("dask.__main__", "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"):
            importlib.import_module(module)
    cluster = RealCluster(folder, forked=forked)
    try:
        yield cluster
    finally:
        cluster.end()
    deadline = time.monotonic() + TEST_TIMEOUT
    while left := started_in(folder) + with_store_in(folder):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def with_version(folder: Path, version: str) -> Path:
    """A copy of the referee with another version, and with its compiled modules: none has to be compiled again."""
    for package in ("protocol", "referee", "tournaments"):
        shutil.copytree(
            REPOSITORY / package, folder / package, ignore=shutil.ignore_patterns("browser", "build", "*.pyc.*")
        )
    (folder / "referee" / "version.py").write_text(f'__version__ = "{version}"\n')
    return folder
