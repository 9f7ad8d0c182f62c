"""What a machine of a cluster does for a director: functions from bytes to bytes, called in threads of Dask.

`describe` and `prepare`, with `receive` for the archives that are missing, come before any game; then each `play` is a
task. `end` comes after the last. A task that is not wanted any more, because the director has cancelled it or has
ended, ends its game and all processes.
"""

import contextlib
import fcntl
import hashlib
import inspect
import os
import platform
import re
import shutil
import socket
import stat
import sys
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from queue import Empty
from typing import Final

import msgspec
import trio
from msgspec import structs

from referee.bots.bot_spec import BotSpec, check_program
from referee.bots.build import BuildError
from referee.bots.files_hash import TooMuch
from referee.bots.hashed_files import FilesChangedError, HashedFiles, hashed_files
from referee.bots.preflight import Preflight
from referee.errors import RefereeError
from referee.games import Game
from referee.processes.message_channel import decode, encode
from referee.processes.sandbox.visibility import KIT_TEMPLATES
from referee.version import __version__
from tournaments.play.archives import (
    ArchiveError,
    Archives,
    files_hash,
    make_read_only,
    program_hash,
    remove_tree,
    store,
)
from tournaments.play.cluster.messages import Description, FromMachine, Preparation, Prepared, SentTask, TaskBegun
from tournaments.play.cluster.processes import IdleProcesses, PlayingProcess
from tournaments.play.plan import GamePlan
from tournaments.play.worker_messages import PlayTask, RoundFailed, TaskEnded, TaskResult, WorkerNotice

OWN_PYTHON: Final = "python"
"""Stands in commands for the Python that runs the referee."""
OWN_KITS: Final = "kits"
"""Stands in commands for the folder with the files of the starter kits."""
STOP_INTERVAL: Final = 0.25
"""Seconds between two checks whether a task is still wanted."""

_plans: Final[dict[str, tuple[GamePlan, bool]]] = {}
"""The plans that this worker of Dask is prepared for, and whether standard error is kept, by their ids."""
_idle: Final = IdleProcesses()
_parts: Final[dict[str, bytearray]] = {}
"""The archives of which parts have come."""


# -- admission ------------------------------------------------------------------------------------------------


def describe(game: bytes) -> bytes:
    """Describe this machine: a Description as JSON. `game`: the rules, as `module:class`."""
    rules, problem = "", None
    try:
        rules = rules_hash(resolve_name(game.decode()))
    except (ImportError, AttributeError, ValueError, OSError) as error:
        problem = f"the game {game.decode()} can't be imported: {error}"
    return msgspec.json.encode(description(program_hash(), rules, problem))


def description(sources: str, rules: str, problem: str | None = None) -> Description:
    """The description of this machine."""
    return Description(
        host=socket.gethostname(),
        referee=__version__,
        python=".".join(platform.python_version_tuple()[:2]),
        sources=sources,
        rules=rules,
        problem=problem,
    )


def rules_hash(game: type[Game]) -> str:
    return files_hash(Path(inspect.getfile(game)).parent)


def receive(files: str, archive: bytes, is_last: bool) -> bytes:
    """Add a part to an archive; the last one unpacks it. The answer is what went wrong, if anything did."""
    parts = _parts.setdefault(files, bytearray())
    parts += archive
    if is_last:
        try:
            Archives(store() / "bots").unpack(files, bytes(_parts.pop(files)))
        except ArchiveError as error:
            return str(error).encode()
    return b""


def prepare(message: bytes) -> bytes:
    """Prepare for the games of a plan: a Preparation; the answer is Prepared."""
    preparation: Preparation = decode(message, Preparation)
    archives = Archives(store() / "bots")
    missing = {sent.files for sent in preparation.bots.values() if not archives.has(sent.files)}
    if missing:
        return encode(Prepared(missing=tuple(sorted(missing))))
    plan: GamePlan = decode(preparation.plan, GamePlan)
    try:
        with contextlib.ExitStack() as locks:
            return encode(prepare_bots(plan, preparation, archives, locks))
    except BuildError as error:
        output = " / ".join(line.strip() for line in error.output)
        return encode(Prepared(problem=f"{error} {output}"))
    except (RefereeError, OSError, TooMuch) as error:
        return encode(Prepared(problem=str(error)))


def prepare_bots(plan: GamePlan, preparation: Preparation, archives: Archives, locks: contextlib.ExitStack) -> Prepared:
    """Prepare for the games of a plan, when all archives are there. Raises RefereeError, OSError, and TooMuch."""
    by_sources: dict[str, list[BotSpec]] = {}
    for index, sent in sorted(preparation.bots.items()):
        if sent.build:
            by_sources.setdefault(sent.files, []).append(plan.bots[index])
    built = {
        files: Built(store() / "builds", files, own, plan.conditions.environment)
        for files, own in sorted(by_sources.items())
    }
    for each in built.values():
        locks.enter_context(each.locked())
    missing = {files: each for files, each in built.items() if each.sha256() is None}
    for files, each in missing.items():
        each.begin(archives.path(files))
    bots = []
    for index, bot in enumerate(plan.bots):
        own = bot
        if bot.is_program:
            files = preparation.bots[index].files
            folder = built[files].bot if preparation.bots[index].build else archives.path(files)
            own = own_bot(bot, preparation, folder, index)
            own = own if files in missing else structs.replace(own, build=())
        bots.append(own)
    # The organiser's machine has a sandbox: then none plays without, and none with a weaker one.
    preflight = Preflight(
        bots,
        mode="none" if plan.sandbox is None else "bwrap",
        show=() if plan.sandbox is None else plan.sandbox.show,
        environment=plan.conditions.environment,
        on_notice=lambda text: None,
    )
    preflight.check(plan.game)
    preflight.choose_sandbox()
    if not plan.conditions.ponder:
        trio.run(preflight.check_suspending)
    for path in () if plan.sandbox is None else plan.sandbox.show:
        if not path.exists():
            return Prepared(problem=f"{path}, which is shown to bots, doesn't exist there")
    sandbox = preflight.sandbox
    if plan.sandbox is not None and sandbox is not None and plan.sandbox.is_complete and not sandbox.is_complete:
        return Prepared(problem=f"its sandbox lacks a protection: {preflight.in_force}")
    if missing:
        trio.run(preflight.build)
        for each in missing.values():
            each.complete()
    for bot in bots:
        check_program(bot)
    bots = [structs.replace(bot, build=()) for bot in bots]
    ready = structs.replace(
        plan,
        bots=bots,
        files=own_files(plan, bots, preparation),
        sandbox=sandbox,
        records=None,
        records_in_memory=True,
        stderr=None,
    ).with_conditions(concurrency=1)
    _plans[preparation.plan_id] = ready, preparation.keep_stderr
    hashes = {
        plan.bots[index].name: built[sent.files].sha256() or "unknown"
        for index, sent in preparation.bots.items()
        if sent.build
    }
    return Prepared(sandbox=preflight.in_force, built=hashes)


def own_bot(bot: BotSpec, preparation: Preparation, folder: Path, index: int) -> BotSpec:
    """A bot of the director as this machine builds and starts it: its folder here, and what stands for paths
    replaced."""
    sent = preparation.bots[index]
    own = {OWN_PYTHON: sys.executable, OWN_KITS: str(KIT_TEMPLATES)}
    paths = {sent.folder: str(folder), **{path: own[name] for path, name in preparation.own.items()}}
    argv, build = (tuple(with_paths(word, paths) for word in words) for words in (bot.argv, bot.build))
    return structs.replace(bot, folder=folder, place=folder, argv=argv, build=build)


def own_files(plan: GamePlan, bots: Sequence[BotSpec], preparation: Preparation) -> dict[str, HashedFiles]:
    """The files of the bots on this machine, by name. Raises BotFilesError, and FilesChangedError if they are not those
    that were sent."""
    found = {}
    for index, sent in preparation.bots.items():
        bot = bots[index]
        files = hashed_files(bot, strict=plan.sandbox is not None)
        if not (sent.build or bot.from_command_line or files.sha256 == sent.files):
            raise FilesChangedError(f"{bot.name}: its files in {bot.folder} have changed since they were unpacked")
        known = plan.files.get(bot.name)
        found[bot.name] = structs.replace(files, recorded=None if known is None else known.recorded)
    return found


def with_paths(word: str, paths: dict[str, str]) -> str:
    for path, here in paths.items():
        word = re.sub(rf"{re.escape(path)}(?=[/:]|$)", lambda _, here=here: here, word)  # type: ignore[misc]
    return word


class Built:
    """The place of the bots that are built from the same sources. Several processes may use it at a time.

    `FOLDER/KEY/bot` has the files, in the place where they were built, as some builds write its path into them. KEY is
    over the sources and the build commands. `FOLDER/KEY/built` has the hash of the files once they are complete.
    """

    def __init__(self, folder: Path, sources: str, bots: Iterable[BotSpec], environment: Mapping[str, str]) -> None:
        """`folder`: of all builds. `bots`: those that have these sources. `environment`: of all bots."""
        how = sorted({(bot.build, *sorted({**environment, **bot.environment}.items())) for bot in bots})
        self._folder = folder / hashlib.sha256(encode((sources, how))).hexdigest()
        self.bot = self._folder / "bot"

    @property
    def _hash_file(self) -> Path:
        return self._folder / "built"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from building meanwhile. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def sha256(self) -> str | None:
        """The hash of the files; None if they are not built, or were changed."""
        try:
            known = self._hash_file.read_text(encoding="ascii")
            return known if files_hash(self.bot) == known else None
        except (OSError, ValueError, TooMuch):
            return None

    def begin(self, sources: Path) -> None:
        """Copy the sources to where they are built. Raises OSError."""
        self._hash_file.unlink(missing_ok=True)
        remove_tree(self.bot)
        shutil.copytree(sources, self.bot, symlinks=True)
        for place, _, files in os.walk(self.bot):
            Path(place).chmod(0o755)
            for path in (Path(place, name) for name in files):
                if not path.is_symlink():
                    path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IWUSR)

    def complete(self) -> None:
        """The build is over. Raises OSError, and TooMuch."""
        make_read_only(self.bot)
        draft = self._hash_file.with_suffix(".new")
        draft.write_text(files_hash(self.bot), encoding="ascii")
        draft.rename(self._hash_file)


# -- tasks ----------------------------------------------------------------------------------------------------


def play(sent: SentTask, send: Callable[[FromMachine], None], is_wanted: Callable[[], bool]) -> None:
    """Play the games of a task in a process of the referee, and `send` what happens."""
    number, process = sent.task.number, None
    send(TaskBegun(number))
    try:
        process = _idle.reuse(sent.plan_id) or started(sent.plan_id)
        ended = play_in(process, sent.task, send, is_wanted)
    except (RefereeError, OSError) as error:
        ended = TaskEnded(number, problem=str(error))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        ended = TaskEnded(number, problem=repr(error), traceback=text)
    if process is not None:
        if ended.measured is None:  # it has not played to the end
            process.end()
        else:
            _idle.add(process)
    send(ended)


def play_in(
    process: PlayingProcess, task: PlayTask, send: Callable[[FromMachine], None], is_wanted: Callable[[], bool]
) -> TaskEnded:
    """Let a process play a task: how that ended. Raises OSError."""
    notices: list[str] = []
    process.send(task)  # as a whole, because a process that waits for the next game plays nothing
    while is_wanted():
        with contextlib.suppress(Empty):
            match process.received.get(timeout=STOP_INTERVAL):
                case TaskResult() as result:
                    send(packed(result, process.slot.folder))
                case WorkerNotice(text):
                    notices.append(text)
                case RoundFailed(problem, text):
                    return TaskEnded(task.number, problem=problem, traceback=text)
                case None:
                    return TaskEnded(task.number, died=process.describe_end())
                case TaskEnded() as ended:
                    return structs.replace(ended, notices=tuple(dict.fromkeys(notices)))
    return TaskEnded(task.number)


def started(plan_id: str) -> PlayingProcess:
    """A new process for the games of a plan. Raises OSError."""
    plan, keep_stderr = _plans[plan_id]
    return PlayingProcess(plan, plan_id, store() / "slots", keep_stderr=keep_stderr)


def packed(result: TaskResult, folder: Path) -> TaskResult:
    """A result with its record compressed, and with the standard error of its bots."""
    stderr: list[bytes | None] = []
    for seat, excerpt in enumerate(result.played.stderr):
        content = None
        if excerpt is not None:  # no built-in player
            path = folder / f"{result.played.game.game_id}.seat{seat}.stderr"
            with contextlib.suppress(OSError):
                content = zlib.compress(path.read_bytes(), 1)
                path.unlink()
        stderr.append(content)
    record = None if result.content is None else zlib.compress(result.content, 1)
    return structs.replace(result, content=record, stderr=tuple(stderr))


def end() -> bytes:
    _idle.end()
    return b""
