"""The workers of Dask as a director knows them: who may play, what each plays, and when it counts as lost."""

import hashlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec
import trio
from msgspec import structs

from referee.bots.build import BUILD_TIMEOUT
from referee.bots.hashed_files import check_files
from referee.printable import sanitise
from referee.processes.message_channel import decode, encode
from referee.processes.sandbox.visibility import KIT_TEMPLATES
from tournaments.play.archives import PART_BYTES, ArchiveError, pack, program_hash
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import Description, Preparation, Prepared, SentBot, SentTask
from tournaments.play.dispatcher import Task, Worker
from tournaments.play.executor import ExecutorError
from tournaments.play.plan import GamePlan

MAX_REFUSAL: Final = 400
"""Characters of what a machine says about why it can't play."""


class CallFailed(Exception):
    """A function could not be run on a machine. The text says why."""


class ConnectionLost(ExecutorError):
    """The scheduler no longer answers, or was restarted."""


ListedWorker = dict[str, Any]
"""What the scheduler says about a worker."""
OnEnd = Callable[[CallFailed | ConnectionLost | None], None]
"""Gets what has gone wrong with a function on a machine, if anything: the function itself, or the connection."""


class Connection(Protocol):
    """The connection to the scheduler of a cluster."""

    topic: str
    """The topic under which machines report what happens in tasks."""

    def play(self, task: SentTask, *, worker: str, on_end: OnEnd) -> Any:
        """Have a worker play a task; what `cancel` takes."""

    async def call(self, function: Callable[..., bytes], *arguments: Any, worker: str, timeout: float) -> bytes:
        """The result of a function that a thread of this worker runs. Raises CallFailed."""

    def cancel(self, future: Any) -> None:
        """Cancel a task: the machine ends it."""

    async def workers(self, timeout: float) -> dict[str, ListedWorker]:
        """The workers that the scheduler has now, by address. Raises ConnectionLost."""


class Refused(Exception):
    """A machine may not take part. The text says why."""


class DaskWorker(Worker):
    """A worker of Dask. Each of its threads plays a task, in a process of the referee."""

    def __init__(self, address: str, listed: ListedWorker) -> None:
        super().__init__()
        self.address = address
        self.host: str = str(listed.get("host", ""))
        self.threads: int = listed["nthreads"]
        self.ready_for: str | None = None
        """The id of the plan for whose games it is prepared."""
        self.admitted = False
        """Whether it is prepared for those that are being played, and not refused."""
        self.refused = False
        self.is_lost = False
        self.asking: trio.CancelScope | None = None
        """The request that it has not answered yet, before it may take part."""
        self.built: dict[str, str] = {}
        """By the name of a bot that it has built itself, the hash of the files."""
        self._last_seen: object = None
        self._heard = trio.current_time()

    def capacity(self, *, again: bool) -> int:
        return self.threads if self.admitted else 0

    def rank(self, task: Task["DaskWorker"]) -> float:
        """The share of its threads that are busy."""
        return len(self.tasks) / self.threads

    @property
    def description(self) -> str:
        return f"{sanitise(self.host)} ({self.address})"

    def seen(self, listed: ListedWorker, lost_after: float) -> bool:
        """Note what the scheduler says of it now. False if it has been silent too long."""
        # Not the time that the scheduler tells, as its clock may differ; only whether it has changed.
        if listed.get("last_seen") != self._last_seen:
            self._last_seen = listed.get("last_seen")
            self._heard = trio.current_time()
        return trio.current_time() - self._heard <= lost_after

    def lose(self) -> None:
        self.is_lost = True
        self.admitted = False
        self.ready_for = None
        if self.asking is not None:
            self.asking.cancel()

    def heard(self) -> None:
        self._heard = trio.current_time()


class Admission:
    """Admits the machines that can play the games of one plan: asks for their descriptions, and sends them the bots."""

    def __init__(self, plan: GamePlan, bots: Mapping[int, SentBot], archives: "PackedBots", timeout: float) -> None:
        """`bots`: what `archives` has packed of this plan. `timeout`: seconds for each answer."""
        encoded = encode(structs.replace(plan, sources={}))
        files = sorted((i, sent.files, sent.build) for i, sent in bots.items())
        self.plan_id = hashlib.sha256(encoded + encode(files)).hexdigest()
        builds = sum(bot.build != () for i, bot in enumerate(plan.bots) if i in bots and bots[i].build)
        self._prepare_timeout = timeout + builds * BUILD_TIMEOUT
        self._plan = plan
        self._archives = archives
        self._timeout = timeout
        own = {sys.executable: machine.OWN_PYTHON, str(KIT_TEMPLATES): machine.OWN_KITS}
        self.preparation = encode(
            Preparation(
                plan=encoded,
                plan_id=self.plan_id,
                bots=dict(bots),
                own=own,
                keep_stderr=(plan.stderr or plan.records) is not None,
            )
        )
        self._own = machine.description(own_program(), machine.rules_hash(plan.game))

    async def admit(self, connection: Connection, worker: DaskWorker) -> None:
        async def call(function: Callable[..., bytes], *arguments: Any) -> bytes:
            timeout = self._prepare_timeout if function is machine.prepare else self._timeout
            return await connection.call(function, *arguments, worker=worker.address, timeout=timeout)

        try:
            game = f"{self._plan.game.__module__}:{self._plan.game.__qualname__}"
            found = msgspec.json.decode(await call(machine.describe, game.encode()), type=Description)
            worker.host = found.host
            check_description(found, self._own, self._plan.game.title)
            prepared: Prepared = decode(await call(machine.prepare, self.preparation), Prepared)
            for files in prepared.missing:
                for part, is_last in self._archives.parts(files):
                    problem = await call(machine.receive, files, part, is_last)
                    if problem:
                        raise Refused(sanitise(problem.decode(), MAX_REFUSAL))
            if prepared.missing:
                prepared = decode(await call(machine.prepare, self.preparation), Prepared)
        except (CallFailed, msgspec.MsgspecError) as error:
            raise Refused(sanitise(f"it doesn't answer: {error}", MAX_REFUSAL)) from None
        if prepared.problem is not None or prepared.missing:
            raise Refused(sanitise(prepared.problem or "it doesn't keep the files of bots", MAX_REFUSAL))
        worker.built = {sanitise(bot): sanitise(files) for bot, files in prepared.built.items()}


own_program: Final = cache(program_hash)


def check_description(found: Description, own: Description, game: str) -> None:
    """Raise Refused if a machine differs from this one in anything that decides a game."""
    if found.referee != own.referee:
        raise Refused(f"it has referee {sanitise(found.referee)}, and this machine {own.referee}")
    if found.python != own.python:
        raise Refused(f"it has Python {sanitise(found.python)}, and this machine {own.python}")
    if found.problem is not None:
        raise Refused(sanitise(found.problem, MAX_REFUSAL))
    if found.rules != own.rules:
        raise Refused(f"it has other rules of {game} than this machine: install the same package on both")
    if found.sources != own.sources:
        raise Refused(f"it has other files of referee {own.referee} than this machine: install the same one on both")


class PackedBots:
    """The archives of bots, in temporary files until `close`."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}
        self._sources: dict[str, Path] = {}
        """Archives that others made, and keep."""

    def pack(self, plan: GamePlan) -> dict[int, SentBot]:
        """Pack the bots of a plan that are programs. Raises ArchiveError, and FilesChangedError if the files are not
        those of the plan."""
        # A tournament's folder, or that of records, may be in that of a bot.
        written = plan.records or (plan.stderr and plan.stderr.parent)
        exclude = () if written is None else (written.absolute(),)
        known: dict[Path, str] = {}
        sent = {}
        for index, bot in enumerate(plan.bots):
            sources = plan.sources.get(bot.name)
            if sources is not None:
                if not sources.archive.is_file():
                    raise ArchiveError(
                        f"{bot.name}: its sources, from which machines build it, are missing: {sources.archive}; put"
                        " that file back from a copy, or play on this machine"
                    )
                self._sources[sources.sha256] = sources.archive
                sent[index] = SentBot(files=sources.sha256, folder=str(bot.folder), build=True)
            elif bot.is_program:
                if bot.folder not in known:
                    files, packed = pack(bot.name, bot.folder, exclude)
                    known[bot.folder] = files
                    if self._files.setdefault(files, packed) != packed:
                        packed.unlink()
                sent[index] = SentBot(files=known[bot.folder], folder=str(bot.folder))
                if bot.name in plan.files:  # after packing, so that this is what was packed
                    check_files(bot, structs.replace(plan.files[bot.name], strict=True))
        return sent

    def parts(self, files: str) -> list[tuple[bytes, bool]]:
        """The archive in parts, and whether each is the last one."""
        path = self._files.get(files) or self._sources[files]
        size = max(1, path.stat().st_size)
        with path.open("rb") as file:
            return [(file.read(PART_BYTES), begin + PART_BYTES >= size) for begin in range(0, size, PART_BYTES)]

    def close(self) -> None:
        for path in self._files.values():
            path.unlink(missing_ok=True)
        self._files.clear()
