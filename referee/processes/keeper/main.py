"""The keeper: a small process that starts all bots of a supervisor, is their parent, and ends them all.

It has one thread, so it may run Python between fork and exec; and of the standard library it imports only what is
written in C, and what Python itself has imported by then, so that it starts fast and is small. `KeeperClient` starts it
and communicates with it.

If the system allows it, the keeper is the first process of a process namespace. When it ends, for whatever reason, the
kernel kills everything in it. Otherwise it is a subreaper (prctl(2)): a process whose parent has ended becomes its
child. In both cases each of its children that it did not start is an orphan of a bot; it is killed with all its
descendants. When the connection to the referee closes, or the referee ends, the keeper ends all bots and then itself.

Messages from the referee:

- ("start", number, targets, ready, group, arguments, environment, folder, limits, image, inner) with descriptors:
  those for the numbers `targets` of the new process, then one for errors. The program gets it, too, as number `ready`
  unless this is None. `group`: the folders of its cgroup, in v2 (or None) and in v1. The first of the `arguments` is
  the path of the program. `image`: an image file and the folder on which it is mounted for this process alone, or None.
  `inner`: the path of the program that this one executes, or None.
- ("signal", number, signal) for the process group of a bot.
- ("clear", token): kill orphans until there are none.
- ("suspend", number, whether): suspend all processes of a bot, or resume them.
- ("try", group): try to create a process in a cgroup.
- ("ping",): answer.

Messages to the referee:

- ("ready", whether in a namespace, why not, whether a pidfd of the keeper comes with it).
- ("started", number, pid), or, in a namespace, with a pidfd in place of the pid.
- ("failed", number, errno, what failed); ("exited", number, status); ("cleared", token); ("tried", errno or 0);
  ("pong",).
- ("suspended", number, whether, 0 or the errno if the machine refused it); ("prevented", number): a bot keeps running
  while suspended.
"""

import _signal as signal  # type: ignore[import-not-found]
import _socket as socket
import errno
import fcntl
import os
import resource
import select
import time
from _collections_abc import Sequence

from referee.processes import linux
from referee.processes.keeper import cgroup_folders
from referee.processes.keeper.cgroup_folders import Folders
from referee.processes.keeper.link import PREPARATION, READ_SIZE, Inbox, Message, encode, send_some
from referee.processes.keeper.suspender import Suspender, first_inside, is_running
from referee.processes.procfs import children, descendants

LINK_FD = 0
"""The descriptor of the keeper's end of the connection to the referee."""
SWEEP_INTERVAL = 0.1
"""Seconds between two searches for orphans while bots run."""
FAST_SWEEP_INTERVAL = 0.002
"""The same while the referee waits for the end of all orphans."""
SHUTDOWN_TIMEOUT = 5.0
"""Seconds that the keeper waits at its end for killed processes."""
SUSPENDER_TIMEOUT = 1.0
"""Seconds for which the keeper retries to create a suspender while the machine is short of something."""
EXEC_FAILED = 127
KEEPER_IGNORED_SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGTSTP,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
"""Signals that don't end the keeper: the referee decides when it ends."""
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that programs expect to have their default effect."""


class Bot:
    """A process that the keeper has started."""

    def __init__(self, number: int, pid: int, group: Folders) -> None:
        self.number = number
        self.pid = pid
        self.group = group
        self.suspender: Suspender | None = None
        """Its suspender, created on first use."""
        self.is_prevented = False
        """Whether the referee has been told that it keeps running while suspended."""
        self.is_suspended = False
        """What the referee last asked for."""
        self.not_suspended_since: float | None = None
        """When the machine first refused to create its suspender; None if it didn't."""
        self.refusal = 0
        """The errno of that refusal."""


class Keeper:
    """The state of the keeper, and its loop."""

    def __init__(self, *, in_namespace: bool, referee: int | None) -> None:
        """`in_namespace`: this is the first process of its own namespace. `referee`: a pidfd of the referee."""
        self._pid = os.getpid()
        self._in_namespace = in_namespace
        self._referee = referee
        self._link = socket.socket(fileno=LINK_FD)
        self._inbox = Inbox()
        self._bots: dict[int, Bot] = {}
        """By pid."""
        self._left_groups: list[str] = []
        """Cgroups of bots that have ended. They can't be removed before all their processes are gone."""
        self._parents: set[str] = set()
        """The groups that contain them; they are removed at the end."""
        self._waiting: list[object] = []
        """The tokens of the requests that wait until there are no orphans."""
        self._wakeup, signalled = os.pipe()
        for fd in (self._wakeup, signalled):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)  # without a handler a signal would not wake the loop
        self._poll = select.poll()
        for fd in (LINK_FD, self._wakeup, *(() if referee is None else (referee,))):
            self._poll.register(fd, select.POLLIN)

    def run(self) -> None:
        """Handle the referee's requests until it is gone."""
        swept = 0.0
        while True:
            interval = FAST_SWEEP_INTERVAL if self._waiting else SWEEP_INTERVAL
            idle = not self._waiting and not self._bots and not self._left_groups
            ready = {fd for fd, _ in self._poll.poll(None if idle else interval * 1000)}
            if self._wakeup in ready:
                self._reap()
            self._receive_answers(ready)
            if self._referee in ready or (LINK_FD in ready and not self._receive()):
                return
            if not idle and time.monotonic() - swept >= interval:
                self._sweep()
                swept = time.monotonic()

    def _receive(self) -> bool:
        """Handle messages from the referee. False if it is gone."""
        try:
            if not self._inbox.receive(self._link):
                return False
        except OSError:
            return False
        while (message := self._inbox.pop()) is not None:
            match message:
                case ("start", int(number), targets, ready, tuple(folders), *program):
                    self._start(number, targets, ready, Folders(*folders), program)  # type: ignore[arg-type]
                case ("signal", int(number), int(which)):
                    for bot in self._bots.values():
                        if bot.number == number:
                            _signal(bot, which)
                case ("clear", token):
                    self._waiting.append(token)
                case ("suspend", int(number), bool(suspended)):
                    for bot in self._bots.values():
                        if bot.number == number:
                            self._suspend(bot, suspended)
                case ("ping",):
                    self.send(("pong",))
                case ("try", tuple(folders)):
                    self.send(("tried", cgroup_folders.attempt(Folders(*folders))))
        return True

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Send a message to the referee. If it is gone, the loop will notice. Raises OSError."""
        data = encode(message)
        with linux.suppress(ConnectionError):
            while data:
                data, fds = data[send_some(self._link, data, fds) :], ()

    # -- starts -------------------------------------------------------------------------------------------

    def _start(
        self,
        number: int,
        targets: tuple[int, ...],
        ready: int | None,
        group: Folders,
        program: list[object],
    ) -> None:
        fds = self._inbox.take_fds(len(targets) + 1)
        try:
            if len(fds) <= len(targets):
                raise OSError(errno.EMFILE, "", "receive its pipes")
            group.create()
            self._parents.update(group.parents)
            pid = group.fork()
            if not pid:
                given = dict(zip(targets, fds, strict=False))
                if ready is not None:
                    given[ready] = fds[-1]
                self._become(given, fds[-1], group, *program)  # type: ignore[arg-type]
            self._bots[pid] = Bot(number, pid, group)
            self._announce(number, pid)
        except OSError as error:
            cgroup_folders.remove(group.all)
            self.send(("failed", number, error.errno or 0, error.filename or "fork"))
        finally:
            for fd in fds:
                os.close(fd)

    def _announce(self, number: int, pid: int) -> None:
        """Tell the referee about a new process. Outside the namespace it has another pid, so send a pidfd."""
        if not self._in_namespace:
            self.send(("started", number, pid))
            return
        pidfd = linux.open_pidfd(pid)
        try:
            if pidfd is None:
                raise OSError(errno.EMFILE, "", "pidfd_open")
            self.send(("started", number, 0), (pidfd,))
        except OSError as error:
            os.kill(pid, signal.SIGKILL)
            raise OSError(error.errno, "", error.filename or "send its descriptor") from None
        finally:
            if pidfd is not None:
                os.close(pidfd)

    def _become(
        self,
        fds: dict[int, int],
        errors: int,
        group: Folders,
        arguments: tuple[bytes, ...],
        environment: dict[bytes, bytes],
        folder: bytes,
        limits: tuple[tuple[int, int, int], ...],
        image: tuple[bytes, bytes] | None,
        inner: bytes | None,
    ) -> None:
        """Become the program, in the new process. If that fails, write the errno and what failed to `errors`."""
        doing = PREPARATION
        try:
            if not linux.die_with_parent(self._pid):
                os._exit(EXEC_FAILED)
            group.enter()  # before it has a session, which moves it again where the scheduler groups sessions
            os.setsid()
            linux.join_new_session_keyring()
            linux.raise_oom_score()
            for number in (*KEEPER_IGNORED_SIGNALS, *IGNORED_BY_PYTHON):
                signal.signal(number, signal.SIG_DFL)
            above = max(*fds, errors) + 1  # so that no descriptor is overwritten before it is duplicated
            errors = fcntl.fcntl(errors, fcntl.F_DUPFD_CLOEXEC, above)
            moved = {target: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, above) for target, fd in fds.items()}
            for target, fd in moved.items():
                os.dup2(fd, target)
            if image is not None:
                linux.mount_image(*image)
            doing = "enter its folder"
            os.chdir(folder)
            doing = "set its limits"
            for which, soft, hard in limits:
                resource.setrlimit(which, (soft, hard))
            doing = ""
            if inner is not None and linux.is_open_for_writing(inner):
                raise OSError(errno.ETXTBSY, "")
            os.execve(arguments[0], arguments, environment)
        except OSError as error:
            os.write(errors, f"{error.errno} {doing}".encode())
        finally:
            os._exit(EXEC_FAILED)

    # -- suspending ---------------------------------------------------------------------------------------

    def _suspend(self, bot: Bot, suspended: bool) -> None:
        """Suspend all processes of a bot in its own process namespace, or resume them.

        Waits for nothing that the bot could delay.
        """
        bot.is_suspended = suspended
        if bot.suspender is None:
            self._create_suspender(bot)
        if bot.suspender is not None:
            self._check_suspender(bot)
            bot.suspender.request(suspended)
            return
        lasts = bot.not_suspended_since is not None and time.monotonic() - bot.not_suspended_since >= SUSPENDER_TIMEOUT
        if lasts or not suspended:
            self.send(("suspended", bot.number, suspended, bot.refusal if lasts else 0))

    def _create_suspender(self, bot: Bot) -> None:
        if not bot.is_suspended:
            return
        inside = first_inside(bot.pid)
        try:
            if inside is None:
                raise OSError(errno.ENOTSUP, "it has no process namespace")
            bot.suspender = Suspender(inside)
        except OSError as error:
            if is_running(inside or bot.pid):
                bot.refusal = error.errno or errno.EIO
                bot.not_suspended_since = bot.not_suspended_since or time.monotonic()
            return
        self._poll.register(bot.suspender.answers, select.POLLIN)
        bot.not_suspended_since = None

    def _receive_answers(self, ready: set[int]) -> None:
        for bot in self._bots.values():
            if bot.suspender is None or bot.suspender.answers not in ready:
                continue
            done, prevented = bot.suspender.receive()
            for suspended in done:
                self.send(("suspended", bot.number, suspended, 0))
            if prevented:
                self._report_prevention(bot)

    def _check_suspenders(self, ended: int | None = None) -> None:
        """Check whether bots have disturbed their suspenders. `ended`: check only the bot with this suspender."""
        for bot in self._bots.values():
            if bot.suspender is not None and ended in (None, bot.suspender.pid):
                self._check_suspender(bot)

    def _check_suspender(self, bot: Bot) -> None:
        if bot.suspender is not None and not bot.is_prevented and bot.suspender.is_disturbed():
            self._report_prevention(bot)

    def _report_prevention(self, bot: Bot) -> None:
        """Report that a bot keeps running while suspended, unless it has only ended."""
        assert bot.suspender is not None
        with linux.suppress(KeyError):
            self._poll.unregister(bot.suspender.answers)  # the end of a pipe can always be read
        if not bot.is_prevented and bot.suspender.is_needed():
            self.send(("prevented", bot.number))
        bot.is_prevented = True

    # -- ends ---------------------------------------------------------------------------------------------

    def _reap(self) -> None:
        """Reap all child processes that have ended. When a bot has, kill its process group and cgroups before."""
        with linux.suppress(BlockingIOError):
            os.read(self._wakeup, READ_SIZE)
        with linux.suppress(ChildProcessError):
            while (ended := linux.ended_child()) is not None:
                pid, status = ended
                bot = self._bots.get(pid)
                if bot is not None:
                    _signal(bot, signal.SIGKILL)
                    if bot.suspender is not None:
                        with linux.suppress(KeyError):
                            self._poll.unregister(bot.suspender.answers)
                        bot.suspender.close()
                    self._left_groups += bot.group.all
                    del self._bots[bot.pid]
                else:
                    self._check_suspenders(pid)
                if status is None:
                    _, status = os.waitpid(pid, 0)
                if bot is not None:
                    self.send(("exited", bot.number, os.waitstatus_to_exitcode(status)))
        self._check_suspenders()

    def _sweep(self) -> None:
        """Kill all orphans and their descendants, remove cgroups, and answer waiting requests if nothing is left.

        Also retry to suspend bots if the machine refused it.
        """
        for bot in self._bots.values():
            if bot.not_suspended_since is not None and bot.is_suspended:
                self._suspend(bot, True)
        self._check_suspenders()
        suspenders = {bot.suspender.pid for bot in self._bots.values() if bot.suspender is not None}
        orphans = [pid for pid in children(self._pid) if pid not in self._bots and pid not in suspenders]
        for orphan in orphans:
            for pid in descendants(orphan):
                with linux.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        self._left_groups = cgroup_folders.remove(self._left_groups)
        if not orphans and not self._left_groups:
            for token in self._waiting:
                self.send(("cleared", token))
            self._waiting.clear()

    def finish(self) -> None:
        if self._in_namespace:
            with linux.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # everything in the namespace but this process
        for bot in self._bots.values():
            _signal(bot, signal.SIGKILL)
        deadline = time.monotonic() + SHUTDOWN_TIMEOUT
        while (children(self._pid) or self._left_groups) and time.monotonic() < deadline:
            self._reap()
            self._sweep()
            time.sleep(FAST_SWEEP_INTERVAL)
        cgroup_folders.remove(self._parents)


def _signal(bot: Bot, which: int) -> None:
    """Send a signal to the process group of a bot that has not been reaped; SIGKILL to all of its cgroup, too."""
    for send in (os.killpg, os.kill):  # a process that has only just been created does not lead a group
        with linux.suppress(ProcessLookupError, PermissionError):
            send(bot.pid, which)
    if which == signal.SIGKILL:
        bot.group.kill()


def main(referee: int, namespace: str) -> None:
    """Run the keeper of the referee, the parent process. `namespace`: "" for none, "process" or "user" to try one.

    Root may create a process namespace; other users only in a user namespace.
    """
    for number in KEEPER_IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with linux.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    pidfd = linux.open_pidfd(referee)
    if os.getppid() != referee:
        return
    linux.join_new_session_keyring()
    refusal = "an ordinary user needs a user namespace for it, which only the sandbox has"
    if namespace:
        refusal = "no pidfds" if pidfd is None else linux.enter_namespaces(user=namespace == "user")
    if refusal:
        linux.become_subreaper()
    keeper = Keeper(in_namespace=not refusal, referee=pidfd)
    own = linux.open_pidfd(os.getpid())
    keeper.send(("ready", not refusal, refusal, own is not None), () if own is None else (own,))
    if own is not None:
        os.close(own)
    keeper.run()
    keeper.finish()
