"""Advice on faults, by code: for the author of the bot, and for the organiser of a tournament."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from protocol.messages import FaultCode
from referee.bots.crash import crash_advice
from referee.bots.diagnosis import END_LINE, OWN_ID
from referee.processes.sandbox.bubblewrap import SHOW_IT


class Advice(Struct, frozen=True):
    """Advice on faults with one code."""

    author: str
    organiser: str | None = None
    """For an organiser who isn't the author."""
    in_match: str | None = None
    """For an author who plays a match and can play it again."""


ADVICE: Final[Mapping[FaultCode, Advice]] = {
    "startup_timeout": Advice(
        'answer `hello` with a line {"type":"ready", …}, end it with LF and flush it, before anything that takes long',
        'if it needs more time to start, give it longer: startup = "…" in [clock]',
    ),
    "timeout": Advice(
        "answer each `act` with its own id, end the line with LF, flush it, and keep within time_ms",
        "if it needs more time, give it longer in [clock]; a lower concurrency in [run] helps a busy machine",
        "decide by the time_ms of each act; --trace DIR keeps the question that took too long, and --no-timeout waits "
        "for its answer",
    ),
    "crash": Advice(
        "its standard error says where it stopped",
        "run its command yourself in its folder",
    ),
    "bad_message": Advice(
        "standard output carries the protocol and nothing else, one JSON object a line; print logs to standard error"
    ),
    "oversize": Advice(
        "write less: a line has at most line_bytes bytes, and only answers belong on standard output",
    ),
    "illegal_action": Advice(
        "choose one of `legal` as sent with this `act`, by index or copied from there",
    ),
    "protocol_version": Advice(
        'this referee speaks protocol 1: answer `hello` with "protocol":1',
        "get a version of this bot for that protocol",
    ),
    "memory": Advice(
        "let it use less: memory_mb in `hello` says how much it may use, its children included",
        "raise memory_mb: limits = { memory_mb = … } in its [[bot]] or in [run]",
        "let it use less, or give it more: --limit memory_mb=…",
    ),
}
SAID_BY_STDERR: Final = ("crash", "timeout", "startup_timeout")
"""Faults whose cause may be in standard error: a bot may also hang after an exception in one of its threads."""
IN_SANDBOX: Final = f"in the sandbox it sees its own folder and the system only: put what it needs there, or {SHOW_IT}"


def advice_for_author(code: FaultCode) -> str:
    return ADVICE[code].author


def advice_in_match(code: FaultCode, message: str, stderr: str, *, sandboxed: bool, folder: Path) -> str | None:
    """Advice on a fault below the table of a match, beside the message; None if that says it all.

    `stderr` is the bot's standard error, `folder` the one in which it was started. Not yet printable.
    """
    known = None
    if code in SAID_BY_STDERR:
        known = crash_advice(stderr, sandboxed=sandboxed, folder=folder) or crash_advice(message, sandboxed=sandboxed)
    if known is None and code == "timeout" and message.endswith((END_LINE, OWN_ID)):  # it was in time
        return None
    return known or ADVICE[code].in_match


def advice_for_organiser(code: FaultCode, stderr: str, *, sandboxed: bool, folder: Path | None = None) -> str:
    """Advice for the organiser on a fault of a bot that is not ready; `stderr` is its standard error, `folder` the one
    in which it was started.

    Not yet printable.
    """
    if code == "crash" and (known := crash_advice(stderr, sandboxed=sandboxed, folder=folder)) is not None:
        return known
    advice = ADVICE[code]
    parts = (advice.author, advice.organiser, IN_SANDBOX if sandboxed and code == "crash" else None)
    return "; ".join(part for part in parts if part is not None)
