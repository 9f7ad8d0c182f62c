"""Advice on faults by what was wrong: for the author of the bot, and for the organiser of a tournament."""

import re
import shlex
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from protocol.messages import FaultCode
from referee.bots.crash import crash_advice
from referee.bots.diagnosis import END_LINE, split_remedy
from referee.processes.launch import Command
from referee.processes.sandbox.bubblewrap import SHOW_IT

Reader = Literal["author", "player", "organiser"]
"""Who is told: the author of a bot; an author who plays a match and can play it again; the organiser of a tournament,
who isn't the author."""


class Advice(Struct, frozen=True, kw_only=True):
    """Advice on faults with one code."""

    usual: str
    cases: Mapping[str, str] = {}
    """By a pattern of the message, what to do instead."""
    player: str = ""
    """What else somebody who plays a match can do."""
    organiser: str = ""
    """What else an organiser can do."""


ADVICE: Final[Mapping[FaultCode, Advice]] = {
    "startup_timeout": Advice(
        usual='answer `hello` with a line {"type":"ready", …}, end it with LF and flush it, before anything that takes'
        " long",
        player="if it needs more time to start, give it longer: --startup-time",
        organiser='if it needs more time to start, give it longer: startup = "…" in [clock]',
    ),
    "timeout": Advice(
        usual="answer each `act` with its own id, end the line with LF, flush it, and keep within time_ms",
        cases={
            "has answered before|still computing|no choice": "decide by the time_ms of each act",
            "SIGSTOP": "leave out what stops it: only the referee suspends bots, and continues them itself",
            "has not read all": "read each line as it comes, whatever else it does",
        },
        player="--trace DIR keeps the question that took too long, and --no-timeout waits for its answer",
        organiser="if it needs more time, give it longer in [clock]; a lower concurrency in [run] helps a busy machine",
    ),
    "crash": Advice(
        usual="its standard error says where it stopped",
        cases={
            r"status 0\b": "keep reading standard input until `quit` or its end, and only then let the program end",
            "closed the connection": "keep it open until `quit`; where it was started may be written why it ended",
            "closed its standard": "keep both open until `quit`",
            "SIGSEGV|SIGBUS": "it accessed memory that isn't its own, or its recursion is too deep for its stack: run "
            "it in a debugger, or compile it with -fsanitize=address",
            "SIGILL": "it has an instruction that this processor doesn't have: don't compile for another one",
            "SIGABRT": "the program aborted itself: run it in a debugger",
            "SIGKILL": "something else killed it, such as the system for want of memory (`dmesg` says so)",
            "cpu_seconds|file_mb": "use less, or raise the limit that is named",
            "F_SETPIPE_SZ|in flight|while suspended": "leave that out: it disturbs the referee",
        },
        player="--trace DIR keeps what it was sent before",
    ),
    "bad_message": Advice(
        usual="write one JSON object a line to standard output and nothing else; logs to standard error"
    ),
    "oversize": Advice(
        usual="write less: a line has at most line_bytes bytes, and only answers belong on standard output",
        cases={
            "standard error": "log less: stderr_mb is for one game",
            "without an end": f"{END_LINE}; a line has at most line_bytes bytes",
            "nobody asked for|stdout_mb": "write one line for each question, and nothing else to standard output",
        },
    ),
    "illegal_action": Advice(
        usual="choose one of `legal` as sent with this `act`, by index or copied from there",
        cases={
            "^(illegal_action: )?index ": "count the actions of `legal` as sent with this `act` from 0",
            "is not a valid": "copy an action from `legal` with all its fields, or answer with its index",
        },
    ),
    "protocol_version": Advice(
        usual='this referee speaks protocol 1: answer `hello` with "protocol":1',
        organiser="get a version of this bot for that protocol",
    ),
    "memory": Advice(
        usual="let it use less: memory_mb in `hello` says how much it may use, its children included",
        cases={"hid which": "leave its processes dumpable (PR_SET_DUMPABLE), so that their memory can be counted"},
        player="or give it more: --limit memory_mb=…",
        organiser="or raise memory_mb: limits = { memory_mb = … } in its [[bot]] or in [run]",
    ),
}
AT_START: Final = "before it was ready"
LOG_MORE: Final = "write to standard error what it does, to find where it stops"
IN_SANDBOX: Final = f"in the sandbox it sees its own folder and the system only: put what it needs there, or {SHOW_IT}"
OF_ORGANISERS: Final = rf", or {re.escape(SHOW_IT)}|: --env \w+, or env in a tournament file"
"""What only an organiser can do, in advice that names it last."""


def for_entrant(text: str) -> str:
    """A problem or advice without what only an organiser can do."""
    return re.sub(OF_ORGANISERS, "", text)


def problem_of(code: FaultCode, message: str, stderr: str | None = None) -> str:
    """What was wrong, without what the message of a fault itself says about what to do."""
    problem, _ = split_remedy(message)
    return f"{problem}; it wrote nothing to its standard error" if is_silent(code, message, stderr) else problem


def is_silent(code: FaultCode, message: str, stderr: str | None) -> bool:
    return code == "crash" and stderr is not None and not stderr.strip() and "closed the conn" not in message


def advice_on(
    code: FaultCode,
    message: str,
    stderr: str | None = None,
    bot: Command | None = None,
    *,
    reader: Reader = "author",
    sandboxed: bool = False,
) -> str:
    """What to do about a fault with this message. `stderr`: the bot's standard error; None: it is not known. `bot`: how
    it was started; None: the reader may know nothing of this machine. Not yet printable."""
    _, remedy = split_remedy(message)
    if remedy:
        return remedy
    if code in ("crash", "timeout", "startup_timeout") and stderr is not None:  # it may hang where a thread has failed
        folder = None if bot is None else bot.folder
        for text in (stderr, message):
            if (known := crash_advice(text, sandboxed=sandboxed, folder=folder)) is not None:
                return known
    advice = ADVICE[code]
    usual = LOG_MORE if is_silent(code, message, stderr) else advice.usual
    parts = [next((case for pattern, case in advice.cases.items() if re.search(pattern, message)), usual)]
    if code == "crash" and message.endswith(AT_START):
        parts.append("" if bot is None or not bot.argv else f"start it yourself with `{format_start(bot)}`")
    else:
        parts.append({"author": "", "player": advice.player, "organiser": advice.organiser}[reader])
    if code == "crash" and reader == "organiser" and sandboxed:
        parts.append(IN_SANDBOX)
    return "; ".join(filter(None, parts))


def format_start(bot: Command) -> str:
    """The line of a shell that starts a bot as the referee does."""
    return f"cd {shlex.quote(str(bot.folder))} && {shlex.join(bot.argv)}"
