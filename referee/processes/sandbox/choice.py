"""Which sandbox works here, what is said of it, and whether bots may play without one."""

import errno
import itertools
import os
import signal
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from referee.files import find_tool
from referee.processes.causes import BUBBLEWRAP_CAUSES, NAMESPACES_REFUSED, find_cause
from referee.processes.launch import Command, Launch
from referee.processes.limits.process_limits import ProcessLimits, kernel_limits
from referee.processes.sandbox.bubblewrap import NAMESPACES, USER_NAMESPACE, WRAPPER_ENVIRONMENT, Sandbox, SandboxError
from referee.processes.sandbox.proc_view import REFER_VERSION, landlock_version
from referee.processes.sandbox.seccomp import compile_filter
from referee.processes.sandbox.visibility import is_in_system, is_shared_directory

Mode = Literal["auto", "bwrap", "none"]

BWRAP: Final = "bwrap"
SETPRIV: Final = "setpriv"
PERL_PROGRAM: Final = "perl"
PROBE_TIMEOUT: Final = 10.0
TEMPORARY_ERRORS: Final = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Why a program can't be started on a machine that lacks something at the moment: no reason to do without a sandbox."""
KILLED: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
"""What others send; the signals of a program's own errors are a reason."""
INSTALL_COMMANDS: Final = ("apt-get install", "dnf install", "apk add", "pacman -S", "zypper install")


def choose(
    mode: Mode, show: Iterable[Path] = (), hide: Iterable[Path] = (), others: Collection[str] = ()
) -> tuple[Sandbox | None, str]:
    """The sandbox for bots, if any, and a notice that says what is in force. Raises SandboxError.

    `auto` does without one only if bubblewrap itself doesn't work. `others`: the names of bots that the organiser
    would not start manually; if there are any and the referee runs as root, `auto` never does without one.
    """
    if mode not in get_args(Mode):
        raise SandboxError(f"unknown sandbox {mode!r}; available: {', '.join(get_args(Mode))}")
    if mode == "none":
        return None, f"sandbox: none, as you asked. {notice_without_sandbox()}"
    hide = tuple(hide)
    probed, problem = probe(hide)
    if probed is not None:
        return msgspec.structs.replace(probed, show=tuple(show), hide=hide), sandbox_notice(probed)
    if mode == "bwrap":
        raise SandboxError(f"sandbox bwrap: {problem}")
    if others and os.geteuid() == 0:
        raise SandboxError(
            f"other people's bots ({', '.join(others)}) would run as root and without a sandbox, as {problem}. Make "
            "bubblewrap work, run the referee as an ordinary user, or, if you trust these bots, write "
            'sandbox = "none" in [run]'
        )
    return None, f"sandbox: none, as {problem}. {notice_without_sandbox()}"


def notice_without_sandbox() -> str:
    """A notice that says what is in force without a sandbox, and what is not."""
    files, processes = ("all files", "all processes") if os.geteuid() == 0 else ("your files", "your processes")
    return (
        f"In force: a clean environment, limits. Not in force: bots {'run as root, ' if os.geteuid() == 0 else ''}"
        f"can read and write {files}, use the network, and see and kill {processes}"
    )


def sandbox_notice(sandbox: Sandbox) -> str:
    missing = [
        *(() if sandbox.filtered else ("a filter of system calls, as there is none for this processor",)),
        *(() if sandbox.landlock else (f"Landlock, as {why_no_landlock() or 'it fails here'}",)),
    ]
    return (
        "sandbox: bubblewrap. In force: no network, no other processes, no files but the system and the bot's own, all "
        "read-only, a private /tmp, a clean environment, limits"
        + (", a filter of system calls" if sandbox.filtered else "")
        + (", Landlock" if sandbox.landlock else "")
        + ("" if sandbox.setpriv is None else ", a user id of its own for each process")
        + (f". Not in force: {'; '.join(missing)}" if missing else "")
    )


def probe(avoid: Iterable[Path] = ()) -> tuple[Sandbox | None, str]:
    """A sandbox that was found to work here, or None and the reason why bubblewrap doesn't.

    `avoid`: folders of bots, which are not searched for tools unless others share them. Raises SandboxError if
    bubblewrap works, but not with everything that the sandbox needs.
    """
    avoid = tuple(folder for folder in avoid if not is_shared_directory(folder))
    bwrap = find_tool(BWRAP, avoid)
    if bwrap is None:
        command = next((words for words in INSTALL_COMMANDS if find_tool(words.split()[0]) is not None), None)
        return None, "bubblewrap is not installed" + ("" if command is None else f" ({command} bubblewrap)")
    as_root = os.geteuid() == 0
    setpriv = find_tool(SETPRIV, avoid) if as_root else None
    base = Sandbox(bwrap=bwrap, setpriv=setpriv, filtered=compile_filter() is not None)
    problem = f"{SETPRIV} (of util-linux) is not installed, so bots would be root in it"
    if setpriv is not None or not as_root:
        perl = None if why_no_landlock(avoid) else find_tool(PERL_PROGRAM, avoid)
        kinds = itertools.product((None,) if perl is None else (perl, None), (True,) if as_root else (True, False))
        for landlock, disable_userns in kinds:
            sandbox = msgspec.structs.replace(base, disable_userns=disable_userns, landlock=landlock)
            problem = why_it_fails(sandbox.wrap(Command(("true",), Path("/usr")), ProcessLimits(), WRAPPER_ENVIRONMENT))
            if not problem:
                return sandbox, ""
    system = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
    bare = (bwrap, *(() if as_root else (USER_NAMESPACE,)), *NAMESPACES, *system, "/bin/sh", "-c", "true")
    bare_problem = why_it_fails(
        Launch(argv=bare, folder=Path("/"), environment=WRAPPER_ENVIRONMENT, limits=kernel_limits(ProcessLimits()))
    )
    if bare_problem:
        problem = " ".join(bare_problem.split()).removesuffix(".")  # notices are one line
        cause = find_cause(problem, (*BUBBLEWRAP_CAUSES, NAMESPACES_REFUSED))
        return None, f"bubblewrap doesn't work here: {problem}" + ("" if cause is None else f" ({cause})")
    raise SandboxError(f"bubblewrap works here, but not with everything that the sandbox needs: {problem}")


def why_no_landlock(avoid: Iterable[Path] = ()) -> str:
    """Why the sandbox can't use Landlock here; empty if it can, as far as is known without trying."""
    if landlock_version() < REFER_VERSION:
        return f"the kernel has no Landlock of version {REFER_VERSION} (Linux 5.19)"
    perl = find_tool(PERL_PROGRAM, avoid)
    return "" if perl is not None and is_in_system(Path(perl)) else "perl is not installed"


def why_it_fails(launch: Launch) -> str:
    """The reason why a command fails; empty if it succeeds. Raises SandboxError if that can't be found out now."""
    unknown = "so it is not known whether it works: try again"
    try:
        with launch.popen_arguments() as arguments:
            subprocess.run(
                **arguments, check=True, capture_output=True, timeout=PROBE_TIMEOUT, stdin=subprocess.DEVNULL
            )
    except subprocess.CalledProcessError as error:
        # A shell, and bubblewrap, add 128 to the number of the signal that killed their child process.
        if error.returncode in (*(-number for number in KILLED), *(128 + number for number in KILLED)):
            raise SandboxError(f"bubblewrap was killed by something else, {unknown}") from None
        return error.stderr.decode(errors="replace").strip() or f"exit status {error.returncode}"
    except subprocess.TimeoutExpired:
        busy = f"bubblewrap gave no answer within {PROBE_TIMEOUT:.0f} s, {unknown} when the machine is less busy"
        raise SandboxError(busy) from None
    except subprocess.SubprocessError:  # before its execution
        return "bots can't have user ids of their own here, as this user namespace has none for them"
    except OSError as error:
        if error.errno in TEMPORARY_ERRORS:
            raise SandboxError(f"bubblewrap could not be started ({error.strerror}), {unknown}") from None
        return str(error)
    return ""
