"""The referee's side of its keeper: requests processes from it, and is told when they end."""

import contextlib
import errno
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import trio

from referee.printable import sanitise
from referee.processes import linux
from referee.processes.causes import find_cause
from referee.processes.heartbeat import Heartbeat
from referee.processes.keeper.link import PREPARATION, READ_SIZE, Inbox, Message, encode, send_some
from referee.processes.launch import Launch, SpawnError, memory_file
from referee.processes.limits.cgroups import Cgroups, Group, create_cgroups
from referee.processes.limits.machine import MACHINE_REMEDIES, MachineError, pipe_capacity

KEEPER_START_TIMEOUT: Final = 30.0
"""Seconds that the keeper may take to start, and a process until its program is executed."""
WRAPPER_TIMEOUT: Final = 1.0
"""Seconds to wait for the end of a wrapper that closed its descriptors."""
REFUSALS: Final = frozenset({*MACHINE_REMEDIES, errno.EPERM})
"""Errors that are never the fault of the program to be started."""


class KeeperError(MachineError):
    """The keeper can't be started, or has ended while it was needed. The text says why."""


class KeptProcess:
    """A process of the keeper, and the referee's ends of its pipes, which the caller of `start` closes."""

    def __init__(self, number: int, stdin: int, stdout: int, stderr: int) -> None:
        self.number = number
        self.pid = 0
        """In the referee's namespace; 0 if the process ended before its pid was known."""
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        """Descriptors that do not block."""
        self.stdin_capacity = pipe_capacity(stdin)
        """The bytes that its standard input could hold when it was made: the process can change that."""
        self.exited = trio.Event()
        """Set when the process has been reaped."""
        self.status: int | None = None
        """The exit status, or less than 0 for a signal; None if it is not known."""
        self.created = trio.Event()
        """Set when the process has been created, or creating it has failed: then there is a `failure`."""
        self.failure: tuple[int, str] | None = None
        """The errno, and what failed."""
        self.given: Sequence[int] = ()
        """The descriptors that are sent to the keeper for it."""
        self.group: Group | None = None
        self.resumed: trio.Event | None = None
        """Exists while it is asked to resume: set when it has."""
        self.suspend_refusal = 0
        """The errno if the machine refused to suspend or resume it."""
        self.on_prevented: Callable[[], None] | None = None
        """Called if it keeps running after `suspend`."""


class KeeperClient:
    """The connection to a keeper. Made by `open_keeper`."""

    def __init__(self, link: socket.socket) -> None:
        self.in_namespace = False
        """Whether the keeper has its own process namespace."""
        self.heartbeat = Heartbeat()
        self.is_unresponsive = False
        """Whether it no longer answers, so that waiting for its end is useless."""
        self.problem: KeeperError | None = None
        """Why nothing can be sent to it, or received from it."""
        self.refusal = ""
        """Why it doesn't have one."""
        self.pidfd: int | None = None
        """A descriptor for the keeper itself, if the system has them."""
        self.cgroups: Cgroups | None = None
        """The hierarchies in which processes get cgroups, if any."""
        self.is_ready = trio.Event()
        """Set when the keeper has reported that it runs, or has ended."""
        self.ended = trio.Event()
        """Set when it has ended, or there is a `problem`."""
        self.link = link
        self._inbox = Inbox()
        self._outbox: deque[tuple[bytes, Sequence[int], Sequence[int]]] = deque()
        """Unsent messages: bytes, descriptors to send with them, and descriptors to close afterwards."""
        self._sending = trio.Event()
        self._processes: dict[int, KeptProcess] = {}
        self._waiting: dict[int, trio.Event] = {}
        """By token: the tasks that wait until there are no orphans."""
        self._count = 0
        self._trial = trio.Event()
        self._tried = 0

    # -- processes ----------------------------------------------------------------------------------------

    async def start(self, launch: Launch) -> KeptProcess:
        """Start a program in its own session, with pipes for its standard streams.

        Raises SpawnError, or MachineError if the program is not to blame.

        Returns when the program has been executed; with a `ready_fd`, when the wrapper executes the actual program.
        """
        process, errors = self._request_start(launch)
        try:
            with trio.fail_after(KEEPER_START_TIMEOUT):
                await process.created.wait()
                await self._wait_until_executed(process, launch, errors)
        except BaseException as error:
            # Even if it has not been created yet: the keeper handles messages in their order, so it is by then.
            self.signal(process, signal.SIGKILL)
            for fd in (process.stdin, process.stdout, process.stderr):
                os.close(fd)
            if isinstance(error, trio.TooSlowError):
                raise MachineError(f"can't start {launch.argv[0]!r}: it took over {KEEPER_START_TIMEOUT:g} s") from None
            raise
        finally:
            os.close(errors)
        return process

    def _request_start(self, launch: Launch) -> tuple[KeptProcess, int]:
        """Request a process from the keeper. Returns it and the descriptor that reports errors. Raises as `start`."""
        # No checkpoint from here to the end: numbers, messages and descriptors reach the keeper in the same order.
        self._count += 1
        with contextlib.ExitStack() as opened:
            try:
                (stdin, ours_in), (ours_out, stdout), (ours_err, stderr), (reading, errors) = (
                    new_pipe(opened) for _ in range(4)
                )
                files = [memory_file(opened, content) for content in launch.files.values()]
                if launch.user is not None:
                    for pipe in (stdin, stdout, stderr):
                        os.fchown(pipe, launch.user, launch.user)
                message = encode(self._start_message(launch))
            except OSError as error:
                raise spawn_error(launch, error.errno or 0, "") from None
            except ValueError as error:
                raise spawn_error(launch, 0, str(error)) from None
            for fd in (ours_in, ours_out, ours_err):
                os.set_blocking(fd, False)
            opened.pop_all()
        process = KeptProcess(self._count, ours_in, ours_out, ours_err)
        if self.cgroups is not None:
            process.group = self.cgroups.group(str(process.number))
        self._processes[process.number] = process  # before it is asked for: the answer may come at any checkpoint
        process.given = theirs = (stdin, stdout, stderr, *files, errors)
        self._send(message, theirs)
        return process, reading

    def _start_message(self, launch: Launch) -> Message:
        """The request to start a launch. Raises ValueError if it has null bytes."""
        arguments = tuple(map(system_string, launch.argv))
        environment = {system_string(name): system_string(value) for name, value in launch.environment.items()}
        return (
            "start",
            self._count,
            (0, 1, 2, *launch.files),
            launch.ready_fd,
            (None, ()) if self.cgroups is None else self.cgroups.group(str(self._count)).folders,
            arguments,
            environment,
            system_string(str(launch.folder)),
            tuple(launch.limits),
            None if launch.image is None else tuple(map(system_string, launch.image)),
            None if launch.inner is None else system_string(str(launch.inner)),
        )

    async def _wait_until_executed(self, process: KeptProcess, launch: Launch, errors: int) -> None:
        """Wait until `errors` reports that the program has been executed, or why not. Raises as `start`."""
        # The keeper says whether there is a process. Errors between that and the program are known only to the process:
        # it writes them to the pipe `errors`, which closes when the program is executed or the process ends.
        if process.failure is not None:
            code, doing = process.failure
            raise MachineError.of(OSError(code, os.strerror(code)), f"start {launch.argv[0]!r} ({doing})")
        await trio.lowlevel.wait_readable(errors)
        text = os.read(errors, READ_SIZE).decode()
        number, _, doing = text.partition(" ")
        if number.isdigit():
            raise spawn_error(launch, int(number), doing)
        if text or launch.ready_fd is None:
            return
        with trio.move_on_after(WRAPPER_TIMEOUT):
            await process.exited.wait()
        said = b""
        with contextlib.suppress(BlockingIOError):
            said = os.read(process.stderr, READ_SIZE)
        reason = sanitise(said.decode(errors="replace").strip()) or f"its wrapper ended with status {process.status}"
        cause = find_cause(reason)
        if cause is not None:
            raise MachineError(f"can't start {str(launch.inner or launch.argv[0])!r}: {reason} ({cause})")
        refusal = next((code for code in REFUSALS if os.strerror(code) in reason), 0)
        if not refusal and process.status is not None and process.status < 0:
            raise MachineError(f"can't start {launch.argv[0]!r}: {reason}")
        raise spawn_error(launch, refusal, reason)

    def signal(self, process: KeptProcess, number: int) -> None:
        """Send a signal to the process group, unless it has ended. SIGKILL also goes to its cgroups."""
        # It may have ended without this side knowing yet. That is harmless: the keeper, which is its parent, knows it
        # by its number and not by its pid, which another process might have by now.
        if not process.exited.is_set():
            self._send(encode(("signal", process.number, int(number))))

    def suspend(self, process: KeptProcess, suspended: bool) -> None:
        """Suspend all processes of a bot, or resume them, which sets `resumed`. Returns immediately."""
        # If the process has ended, no answer comes, so the event is set here; if it ends meanwhile, its end sets it.
        process.resumed = None if suspended else trio.Event()
        if not process.exited.is_set():
            self._send(encode(("suspend", process.number, suspended)))
        elif process.resumed is not None:
            process.resumed.set()

    async def clear(self) -> None:
        """Wait until the keeper has killed all orphans: processes that outlived the bot that started them."""
        if self.ended.is_set():
            return
        # No checkpoint between this check and `_waiting`: if the keeper ends now, `receive_all` finds the event there.
        self._count += 1
        event = self._waiting[self._count] = trio.Event()
        self._send(encode(("clear", self._count)))
        await event.wait()

    async def use_cgroups(self, *, in_scope: bool) -> None:
        """Let all processes have cgroups from now on, if the system allows it. `in_scope`: the keeper has one."""
        created = create_cgroups(linux.pid_of(self.pidfd) if in_scope and self.pidfd is not None else None)
        if created is None:
            return
        unified = [each for each in created.hierarchies if each.version == 2]
        for cgroups in (created, Cgroups(unified)):  # v2 may work even if v1 doesn't
            if cgroups.hierarchies and not await self._attempt(cgroups):
                self.cgroups = cgroups
                break
        used = self.cgroups.hierarchies if self.cgroups else ()
        Cgroups([each for each in created.hierarchies if each not in used]).remove()

    async def _attempt(self, cgroups: Cgroups) -> int:
        """Let the keeper try to create a process in such groups. Returns 0, or the errno if that is refused."""
        self._trial = trio.Event()
        if not self.ended.is_set():
            self._send(encode(("try", cgroups.group("try").folders)))
            await self._trial.wait()
        return self._tried

    # -- messages -----------------------------------------------------------------------------------------

    def _send(self, data: bytes, fds: Sequence[int] = ()) -> None:
        """Send as much as the socket takes now, and the rest later; closes the descriptors. Returns immediately."""
        # Only if nothing is waiting: a message must not overtake those that the socket did not take.
        self._outbox.append((data, fds, fds))
        if len(self._outbox) == 1:
            self._send_now()

    def ping(self) -> None:
        """Ask for a sign of life; see `heartbeat`."""
        self._send(encode(("ping",)))

    def _send_now(self) -> None:
        """Send as much of the outbox as the socket takes."""
        while self._outbox:
            data, fds, to_close = self._outbox[0]
            try:
                data = data[send_some(self.link, data, fds) :]
            except BlockingIOError:
                self._sending.set()
                return
            except ConnectionError:  # the keeper has ended; `receive_all` says so
                data = b""
            except OSError as error:
                # The machine refused it. What has descriptors is a request for a process, which alone has failed: the
                # keeper doesn't know of it, as nothing of it was sent. A message that is lost otherwise, or in its
                # middle, leaves nothing that could go on.
                data = b""
                if not (fds and self._refuse_start(fds, error)):
                    self._fail(error, "send to")
            # Descriptors travel with the first bytes: what the socket did not take must not bring them a second time.
            self._outbox[0] = (data, (), to_close)
            if not data:
                self._outbox.popleft()
                for fd in to_close:
                    os.close(fd)

    def _refuse_start(self, fds: Sequence[int], error: OSError) -> bool:
        """Let the request for a process that was to get these descriptors fail. False if nobody waits for it."""
        process = next((each for each in self._processes.values() if each.given is fds), None)
        if process is None:
            return False
        del self._processes[process.number]
        process.failure = (error.errno or 0, "send its descriptors")
        process.exited.set()
        process.created.set()
        return True

    def _fail(self, error: OSError, doing: str) -> None:
        """Nothing more can be sent or received."""
        self.problem = self.problem or KeeperError.of(error, f"{doing} the process that starts bots")
        self.ended.set()

    async def send_all(self) -> None:
        """Send what the socket did not take immediately, until cancelled."""
        while True:
            await self._sending.wait()
            await trio.lowlevel.wait_writable(self.link)
            # In this order: `_send_now` sets the new event if the socket is full again.
            self._sending = trio.Event()
            self._send_now()

    async def receive_all(self) -> None:
        """Handle messages from the keeper until it ends. Then wakes all tasks that wait for it or its processes."""
        try:
            while True:
                await trio.lowlevel.wait_readable(self.link)
                if not self._inbox.receive(self.link):
                    return
                while (message := self._inbox.pop()) is not None:
                    self._handle(message)
        except ConnectionError:
            return
        except OSError as error:
            self._fail(error, "receive from")
        finally:
            # No answer comes any more: wake all tasks that wait for one, also when this task is cancelled.
            for process in self._processes.values():
                process.failure = (errno.ESRCH, "reach the keeper")
                process.created.set()
                process.exited.set()
                if process.resumed is not None:
                    process.resumed.set()
            for event in (self.is_ready, self.ended, self._trial, *self._waiting.values()):
                event.set()

    def _handle(self, message: Message) -> None:
        match message:
            case ("ready", bool(in_namespace), str(refusal), bool(has_pidfd)):
                self.in_namespace, self.refusal = in_namespace, refusal
                self.pidfd = self._inbox.take_fds(1)[0] if has_pidfd else None
                self.is_ready.set()
            case ("started", int(number), int(pid)):
                process = self._processes[number]
                try:
                    process.pid = pid or self._pid_of_descriptor()
                except OSError as error:
                    process.failure = (error.errno or 0, "receive its descriptor")
                process.created.set()
            case ("failed", int(number), int(code), str(doing)):
                process = self._processes.pop(number)
                process.failure = (code, doing)
                process.exited.set()
                process.created.set()
            case ("pong",):
                self.heartbeat.answered()
            case ("exited", int(number), int(status)) if number in self._processes:  # not if it has "failed"
                process = self._processes.pop(number)
                process.status = status
                process.exited.set()
                if process.resumed is not None:
                    process.resumed.set()
            case ("suspended", int(number), bool(suspended), int(refusal)) if number in self._processes:
                process = self._processes[number]
                process.suspend_refusal = process.suspend_refusal or refusal
                if not suspended and process.resumed is not None:
                    process.resumed.set()
            case ("prevented", int(number)) if number in self._processes:
                process = self._processes[number]
                if process.on_prevented is not None:
                    process.on_prevented()
            case ("tried", int(code)):
                self._tried = code
                self._trial.set()
            case ("cleared", int(token)):
                self._waiting.pop(token).set()

    def _pid_of_descriptor(self) -> int:
        """The pid, in the referee's namespace, of the process whose pidfd has come; 0 if it is gone. Raises OSError."""
        pidfds = self._inbox.take_fds(1)
        if not pidfds:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        try:
            return linux.pid_of(pidfds[0])
        finally:
            os.close(pidfds[0])

    def close(self) -> None:
        for _, _, to_close in self._outbox:
            for fd in to_close:
                os.close(fd)
        if self.pidfd is not None:
            os.close(self.pidfd)
        self._inbox.close()
        self.link.close()


def new_pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe that the stack closes. Raises OSError."""
    ends = os.pipe()
    for fd in ends:
        opened.callback(os.close, fd)
    return ends


def system_string(text: str) -> bytes:
    """A string as it is passed to the system. Raises ValueError."""
    if "\0" in text:
        raise ValueError("embedded null byte")
    return os.fsencode(text)


def spawn_error(launch: Launch, code: int, doing: str) -> SpawnError | MachineError:
    """Why a program could not be started: the error for an errno, or if it is 0 for a failure of `doing`."""
    if code in REFUSALS or doing == PREPARATION:
        what = f"start {str(launch.inner or launch.argv[0])!r}" + (f" ({doing})" if doing else "")
        return MachineError.of(OSError(code, os.strerror(code)), what)
    problem = f"{doing}: {os.strerror(code)}" if doing and code else doing or os.strerror(code)
    return SpawnError(f"can't start {launch.argv[0]!r}: {problem}")
