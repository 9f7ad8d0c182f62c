"""System calls of Linux that Python lacks. On other systems, those that bots don't depend on do nothing.

The keeper imports this, so it imports little itself (see there).
"""

import _signal as signal  # type: ignore[import-not-found]
import fcntl
import os
import sys
from _ctypes import FUNCFLAG_CDECL, FUNCFLAG_PYTHONAPI, FUNCFLAG_USE_ERRNO, CFuncPtr, dlopen, get_errno

IS_LINUX = sys.platform == "linux"


class _Function(CFuncPtr):
    # PYTHONAPI keeps the interpreter's lock during a call, so that a call may fork.
    _flags_ = FUNCFLAG_CDECL | FUNCFLAG_PYTHONAPI | FUNCFLAG_USE_ERRNO


class _Library:
    """The C library, as `ctypes.PyDLL(None, use_errno=True)`. Numbers are passed and returned as int."""

    _handle = dlopen(None, 0)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> _Function:
        return _Function((name, self))  # type: ignore[arg-type]


LIBC = _Library()


class suppress:  # noqa: N801
    """As in `contextlib`, whose import takes a tenth of the start of the keeper."""

    def __init__(self, *errors: type[Exception]) -> None:
        self._errors = errors

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._errors)


PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_INTO_CGROUP = 0x200000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MS_REMOUNT, MS_BIND, MS_REC, MS_SLAVE = 1 << 5, 1 << 12, 1 << 14, 1 << 19
DEVICE_NAMES = ("null", "zero", "full", "random", "urandom", "tty")
"""The host's devices that bubblewrap shows in /dev."""
SYS_CLONE3 = 435
"""The same on all architectures."""
KEYCTL_NUMBERS = {"x86_64": 250, "aarch64": 219}
"""The number of the system call keyctl(2), by `os.uname().machine`."""
KEYCTL_JOIN_SESSION_KEYRING = 1
OOM_SCORE = b"1000"
"""The highest value of oom_score_adj (proc(5)): when memory runs out, the kernel kills bots first."""
FDINFO_BYTES = 4096
ENTERED = b"\0"


def die_with_parent(parent: int) -> bool:
    """Make the kernel kill this process with SIGKILL when its parent dies. False if `parent` isn't its parent."""
    if IS_LINUX:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    return os.getppid() == parent


def open_pidfd(pid: int) -> int | None:
    """A descriptor for a process (pidfd_open(2)); None if there is no such process or call."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def pid_of(pidfd: int) -> int:
    """The pid of the process of a pidfd, in this process's namespace; 0 if it is gone. Raises OSError."""
    fdinfo = os.open(f"/proc/self/fdinfo/{pidfd}", os.O_RDONLY)
    try:
        return max(0, int(os.read(fdinfo, FDINFO_BYTES).partition(b"\nPid:")[2].split(maxsplit=1)[0]))
    finally:
        os.close(fdinfo)


def ended_child() -> tuple[int, int | None] | None:
    """The pid of a child process that has ended, and its wait status if it had to be reaped: where Python has no
    waitid(2), as on macOS before 3.13. None if none has ended. Raises ChildProcessError if there are none."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return None if ended is None else (ended.si_pid, None)
    except ChildProcessError:
        raise
    except (AttributeError, OSError):
        pid, status = os.waitpid(-1, os.WNOHANG)
        return (pid, status) if pid else None


def become_subreaper() -> None:
    """Make this process, instead of init, the parent of descendants whose own parent ends."""
    if IS_LINUX:
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def join_new_session_keyring() -> None:
    """Leave the session keyring (keyrings(7)) for a new, empty one."""
    number = KEYCTL_NUMBERS.get(os.uname().machine) if IS_LINUX else None
    if number is not None:
        LIBC.syscall(number, KEYCTL_JOIN_SESSION_KEYRING, None)


def raise_oom_score() -> None:
    """Let the kernel kill this process first when memory runs out."""
    with suppress(OSError):
        write("/proc/self/oom_score_adj", OOM_SCORE)


def is_open_for_writing(path: bytes) -> bool:
    """Whether a process has a file open for writing, so that it can't be executed; False if that is not known.

    Only its owner, and root, may know. A process that opens it in this moment sends SIGIO to this one.
    """
    with suppress(OSError):
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
    return False


def fork_into(cgroup: str) -> int:
    """Fork; the new process starts in this cgroup (v2). Raises OSError."""
    folder = os.open(cgroup, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        arguments = [0] * 11  # struct clone_args, clone(2)
        arguments[0], arguments[4], arguments[10] = CLONE_INTO_CGROUP, signal.SIGCHLD, folder
        packed = b"".join(value.to_bytes(8, sys.byteorder) for value in arguments)
        return _check(LIBC.syscall(SYS_CLONE3, packed, len(packed)), "clone3")
    finally:
        os.close(folder)


def enter_namespaces(*, user: bool) -> str:
    """Continue in a child process that is the first of a new process namespace, with its own /proc; exit from this one.

    `user`: do it in a user namespace in which only the current user exists. If that is refused, nothing has changed,
    and the reason is returned; otherwise "".
    """
    flags = CLONE_NEWPID | CLONE_NEWNS | (CLONE_NEWUSER if user else 0)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            ids = {"uid_map": os.getuid(), "gid_map": os.getgid()}
            _check(LIBC.unshare(flags), "unshare")
            if user:
                write("/proc/self/setgroups", b"deny")
                for name, own in ids.items():
                    write(f"/proc/self/{name}", b"%d %d 1" % (own, own))
            if os.fork():
                os._exit(0)
            _check(LIBC.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "mount /")
            _check(LIBC.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None), "mount /proc")
            _protect_devices()
        except OSError as error:
            os.write(writing, f"{error.filename}: {os.strerror(error.errno or 0)}".encode())
            os._exit(1)
        os.write(writing, ENTERED)
        os.close(reading)
        os.close(writing)
        return ""
    os.close(writing)
    answer = os.read(reading, 1000)
    os.close(reading)
    if answer == ENTERED:
        os._exit(0)
    os.waitpid(child, 0)
    return answer.decode() or "the new process ended"


def _protect_devices() -> None:
    """Make the files of devices read-only in this mount namespace, as far as possible.

    The devices can still be written to, but their times can no longer be set: everybody sees those, so they could
    carry a message from one bot to another. The sandbox shows a device as it is mounted here.
    """
    for name in DEVICE_NAMES:
        path = f"/dev/{name}"
        with suppress(OSError):
            flags = os.statvfs(path).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)  # which a user namespace must keep
            device = path.encode()
            _check(LIBC.mount(device, device, None, MS_BIND, None), f"mount {path}")
            _check(LIBC.mount(b"none", device, None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, None), f"mount {path}")


def mount_image(image: bytes, folder: bytes) -> None:
    """Mount an image of erofs on a folder, read-only, in a new mount namespace of this process. Raises OSError."""
    _leave_mounts()
    _check(LIBC.mount(image, folder, b"erofs", MS_RDONLY | MS_NOSUID | MS_NODEV, None), "mount its files")


def stage_and_execute(staging: bytes, *words: bytes) -> None:
    """Collect files and folders in an empty folder, in a new mount namespace, and become a program that reads them.

    `words`: pairs of "show" or "hide" and a path, outer folders first, then "--" and the program with its arguments.
    Raises OSError.
    """
    _leave_mounts()
    _check(LIBC.mount(b"none", staging, b"tmpfs", 0, b"mode=0755"), "mount the staging folder")
    kinds = iter(words)
    for kind in kinds:
        if kind == b"--":
            break
        path = next(kinds)
        target = staging + path
        if kind == b"hide":
            if os.path.isdir(target):  # noqa: PTH112
                _check(LIBC.mount(b"none", target, b"tmpfs", 0, b"mode=0755"), "hide a folder")
            continue
        if not os.path.exists(path):  # noqa: PTH110
            continue
        is_folder = os.path.isdir(path)  # noqa: PTH112
        os.makedirs(target if is_folder else os.path.dirname(target), mode=0o755, exist_ok=True)  # noqa: PTH103, PTH120
        if not is_folder and not os.path.exists(target):  # noqa: PTH110
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC))
        _check(LIBC.mount(path, target, None, MS_BIND | MS_REC, None), "show a folder")
    command = list(kinds)
    os.execv(command[0], command)


def _leave_mounts() -> None:
    """Give this process a mount namespace of its own, from which nothing spreads. Raises OSError."""
    _check(LIBC.unshare(CLONE_NEWNS), "unshare")
    _check(LIBC.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "mount /")


def enter_namespace(pidfd: int, kinds: int) -> None:
    """Enter the namespaces of these kinds (CLONE_NEWPID, …) of a process. Raises OSError."""
    _check(LIBC.setns(pidfd, kinds), "setns")


def forbid_dumps() -> None:
    """Keep processes of the same user from reading and tracing this process and its forks."""
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def in_other_namespace(pid: int) -> bool:
    """Whether a process is in a different process namespace from this one."""
    try:
        return namespace_of(str(pid), "pid") != namespace_of("self", "pid")
    except OSError:
        return False


def namespace_of(pid: str, kind: str) -> str:
    """The namespace of a kind ("pid", "user") in which a process is. Raises OSError."""
    return os.readlink(f"/proc/{pid}/ns/{kind}")  # noqa: PTH115


def write(path: str, data: bytes) -> None:
    """Write to a file of the kernel. Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def _check(result: int, call: str) -> int:
    """The result of a system call. Raises OSError if it is an error."""
    if result < 0:
        raise OSError(get_errno(), os.strerror(get_errno()), call)
    return result
