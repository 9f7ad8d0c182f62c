"""Finds the cause of a crash in what the program wrote, and says what to do about it.

Pure, except that it looks whether a file that a bot did not find exists, and whether a variable is set here.
"""

import os
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from referee.files import is_there
from referee.processes.environment import PRIVATE_TMP
from referee.processes.sandbox.bubblewrap import SHOW_IT
from referee.processes.stderr_log import LEFT_OUT

EDGE_LINES: Final = 4
"""Lines shown of the beginning and of the end."""
MAX_CAUSES: Final = 3
"""Lines shown between them because they name a cause."""
MAX_FRAMES: Final = 3
"""Lines shown after a cause because they say where in the program it was."""
MAX_STACK: Final = 30
"""Lines searched for these after a cause."""
CAUSE: Final = (
    r"^([A-Za-z_]\w*\.)*\w*(Error|Exception|Exit|Interrupt)\b(?!\w)(: .*)?$"  # Python, JavaScript
    r"|^(Uncaught |Unhandled exception|Exception in thread|Caused by: |panic: |fatal error: )"  # C#, Java, Go
    r"|panicked at "  # Rust
    r"|: .+ \((\w+::)*\w+(Error|Exception)\)$"  # Ruby
    r"|^terminate called |^\s*what\(\): |: Assertion .* failed|ERROR: \w+Sanitizer"  # C, C++
    r"|Segmentation fault"
    r"|\berror(\[\w+\])?: "  # compilers
)
"""Lines in which languages say why a program ended, and compilers why they failed. As all patterns here it is compiled
when it is first used: most matches are played without a crash."""
RUNTIME: Final = (
    r"^\s*at (java|jdk|sun|javax)\b[.\w]*/|^\s*at (async )?[^(]*\(<anonymous>\)$|\bnode:"  # Java, JavaScript
    r"|^\s*at System\.|^\s*-+> "  # C#
    r"|^goroutine \d+ \[|^\[signal |^panic\(|^runtime\.|/src/runtime/"  # Go
    r"|^=+$|/sanitizer_common/|/asan/"  # C, C++
)
"""Lines after a cause that name only a language's own library: the author's mistake is not there."""
OMISSION: Final = LEFT_OUT.strip()
MAX_STDERR_LINE: Final = 500
"""Characters of a line that are searched, as a search may take more than linear time."""
NEXT_LINE: Final = r"panicked at \S+:\d+:\d+:$"
"""A line after which the cause follows."""
HIDES: Final = f"; the sandbox hides what is outside the bot's folder: put it there, or {SHOW_IT}"
GIVE_IT: Final = "--env {name}, or env in a tournament file"
"""How an organiser passes an environment variable on to bots."""
MISSING: Final = (
    (r"can't open file '([^']+)'", "it can't find {0}: check the path"),
    (r"Cannot find module '(/[^']+)'", "it can't find {0}: check the path"),
    (r"Unable to access jarfile (\S+)", "it can't find {0}: check the path"),
    (r"No module named '?([\w.]+)", "install {0} for the Python that its command names"),
    (r"error while loading shared libraries: ([^:\s]+)", "install {0}"),
)
"""Advice on messages of interpreters that don't find a file."""
NO_FILE: Final = (
    r"No such file or directory: '([^'\n]{1,255})'",  # Python
    r"ENOENT: [^'\n]{1,80} '([^'\n]{1,255})'",  # JavaScript
    r"FileNotFoundException: ([^\n]{1,255}) \(No such file",  # Java
    r"NoSuchFileException: (\S[^\n]{0,255})",
    r"Could not find (?:file|a part of the path) '([^'\n]{1,255})'",  # C#
    r"No such file or directory @ \w+ - ([^\n]{1,255}) \(Errno",  # Ruby
    # C, Go, shells; a relative path is told from other words by a dot or a slash in it
    r"(?m)(?:^|\s)(/[^:\n]{1,255}|[^\s:'\"/]{0,100}[./][^\s:'\"]{1,155}): [Nn]o such file or directory",
)
NO_VARIABLE: Final = (
    r"KeyError: '([A-Z][A-Z0-9_]*)'",  # Python
    r'key not found: "([A-Z][A-Z0-9_]*)"',  # Ruby
    r"\b([A-Z][A-Z0-9_]*): (?:unbound variable|parameter (?:null or )?not set)",  # shells
    r"(?i)environment variable:? ['\"`$]?([A-Z][A-Z0-9_]*)",
    r"\b([A-Z][A-Z0-9_]{2,})['\"`]? (?:is |must be |was )?(?:not |un|mis)?(?:set|sing|defined|found)\b",
)
"""How programs say that an environment variable isn't set."""
OF_ENVIRONMENT: Final = r"environ|getenv|<frozen os>|\bENV\b|unbound variable|parameter (null or )?not set"
"""A sign that such a message is about the environment."""
LIMITED: Final = (
    (r"(?i)exec format error", "it is a program for another processor or system: compile it for this one"),
    (
        (
            r"that is the limit \(processes\)"
            r"|can't start new thread|unable to create (?:new )?native thread|Resource temporarily unavailable"
            r"|\bspawn(?:Sync)? \S+ EAGAIN|failed to (?:spawn|create|start) (?:a |new |OS )*thread|\b[Cc]annot fork\b"
        ),
        "the limit `processes` counts its processes and threads together: start fewer (a pool often has one thread "
        "for each core), or raise it (--limit processes=…, or limits in a tournament file)",
    ),
)
REFUSED: Final = (
    (
        r"(?i)\bpermission denied\b|\bEACCES\b|\bAccessDeniedException\b",
        "in the sandbox a bot may write to /tmp only, and reads the system and its own folder as an ordinary user",
    ),
    (
        r"(?i)read-only file ?system|\bEROFS\b",
        "the bot's folder can't be written to in the sandbox, except by its build: write files to /tmp, and logs to "
        "standard error",
    ),
    (
        (
            r"[Nn]o CUDA(?:-capable device| GPUs? (?:is|are) available)|CUDA driver"
            r"|cudaErrorNoDevice|CUDA_ERROR_NO_DEVICE"
            r"|[Nn]o NVIDIA driver|/dev/(?:nvidia|dri|kfd)\b|CL_DEVICE_NOT_FOUND|CL_PLATFORM_NOT_FOUND"
            r"|VK_ERROR_(?:INCOMPATIBLE_DRIVER|INITIALIZATION_FAILED)|hipErrorNoDevice|[Nn]o HIP GPUs"
        ),
        "there is no GPU in the sandbox: compute on the CPU, or play without it (--sandbox none, or sandbox in a "
        "tournament file)",
    ),
    (
        (
            r"(?i)temporary failure in name resolution|name or service not known|network is unreachable"
            r"|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bUnknownHostException\b"
        ),
        "there is no network in the sandbox: put what the bot needs into its folder",
    ),
)
NOT_COMPILED: Final = r"Could not find or load main class (\S+)"


def stderr_lines(text: str) -> list[str]:
    """The first and last lines of what a program wrote, and those between that name a cause and where it was.

    … stands for the others. Not yet printable.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    numbers = range(len(lines))
    shown = sorted({*numbers[:EDGE_LINES], *numbers[-EDGE_LINES:], *causes(lines), *frames(lines)})
    result: list[str] = []
    last = -1
    for number in shown:
        for line in (*([OMISSION] if number > last + 1 else []), lines[number]):
            if (line, *result[-1:]) != (OMISSION, OMISSION):
                result.append(line)
        last = number
    return result


def cause_of_crash(text: str) -> str | None:
    """The line of a program's standard error that best explains its end; None if it wrote nothing.

    Not yet printable.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = causes(lines)
    return lines[found[-1] if found else -1] if lines else None


def causes(lines: Sequence[str]) -> list[int]:
    """The numbers of the last lines that name a cause."""
    found = [number for number, line in enumerate(lines) if re.search(CAUSE, line[:MAX_STDERR_LINE])]
    found += [number + 1 for number in found if re.search(NEXT_LINE, lines[number]) and number + 1 < len(lines)]
    return sorted(found)[-MAX_CAUSES:]


def frames(lines: Sequence[str]) -> list[int]:
    """The numbers of the first lines after the last cause that name the program's own code, if any.

    If no such line follows a cause, those of the previous cause count. Python names the place before the cause.
    """
    for cause, end in reversed([*pairwise([*causes(lines), len(lines)])]):
        stack = range(cause + 1, min(end, cause + 1 + MAX_STACK))
        own = [
            number
            for number in stack
            if not re.search(RUNTIME, lines[number][:MAX_STDERR_LINE]) and lines[number] != OMISSION
        ]
        if own:
            return own[:MAX_FRAMES]
    return []


def crash_advice(text: str, *, sandboxed: bool, folder: Path | None = None) -> str | None:
    """Advice on a crash, if its standard error has a known message: of an interpreter, or of a language about a file,
    an environment variable or a limit, or about what the sandbox hides or refuses. None if it has not.

    `folder` is the one in which the bot was started; None: the reader, such as a stranger who can make a bot write the
    name of any file, is told nothing of this machine. Not yet printable."""
    if (java := re.search(NOT_COMPILED, text)) is not None:
        if java[1].endswith(".java"):
            return f"it can't find {java[1]}: check the path" + (HIDES if sandboxed else "")
        if java[1].endswith(".class"):
            return f"write java {java[1].removesuffix('.class')}, without .class"
        return f'compile {java[1]}: build = "javac {java[1]}.java" in bot.toml'
    for pattern, advice in MISSING:
        if (found := re.search(pattern, text)) is not None:
            return advice.format(shlex.quote(found[1])) + (HIDES if sandboxed else "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ends = "\n".join(lines[number][:MAX_STDERR_LINE] for number in sorted({*causes(lines), *range(len(lines))[-1:]}))
    for pattern in NO_FILE:
        if (found := re.search(pattern, ends)) is not None:
            return advice_on_file(found[1], folder, sandboxed=sandboxed)
    refused = (*LIMITED, *(REFUSED if sandboxed else ()))
    known: str | None = next((advice for pattern, advice in refused if re.search(pattern, ends)), None)
    if known is not None:
        return known
    for pattern in NO_VARIABLE:
        found = re.search(pattern, ends)
        is_here = found is not None and folder is not None and found[1] in os.environ
        if found is not None and (is_here or re.search(OF_ENVIRONMENT, text)):
            here = "is set here, but a bot" if is_here else "is not set: a bot"
            return f"{found[1]} {here} gets only what it is given: {GIVE_IT.format(name=found[1])}"
    return None


def advice_on_file(name: str, folder: Path | None, *, sandboxed: bool) -> str | None:
    """Advice on a file that a bot did not find under this name; None if nothing is known of it."""
    path, name = Path(name), shlex.quote(name)
    if folder is None:
        where = "the folder in which the bot is started"
        return None if path.is_absolute() else f"{name} was looked for in {where}: put it there"
    if not path.is_absolute():
        if sandboxed and is_there(folder / path):
            own = f"{name} is in {folder}, of which the sandbox shows only the files that the command names"
            return f"{own}: put the bot and its files into a folder of their own, or {SHOW_IT}"
        return f"{name} was looked for in {folder}, where the bot is started: put it there, or give its whole path"
    if sandboxed and is_there(path):
        return f"{path} exists outside of the sandbox, which hides it: put it into the bot's folder, or {SHOW_IT}"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (raises without a home)
    if path.is_relative_to(PRIVATE_TMP) and is_there(home / (rest := path.relative_to(PRIVATE_TMP))):
        hidden = f", or {SHOW_IT} and give its whole path" if sandboxed else ", or give its whole path"
        other = f"the home folder of a bot is {PRIVATE_TMP}, so ~/{rest} is not {home / rest}"
        return f"{other}: put it into the bot's folder{hidden}"
    return None
