"""The findings of checks, as plain data. Lines of bots in them are printable."""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Status = Literal["pass", "warn", "fail", "skipped"]


class ShownLine(Struct, frozen=True, kw_only=True):
    """A line of the wire for display: printable, and truncated if it is long."""

    direction: Literal["->", "<-"]
    """`->`: from the referee to the bot."""
    ms: float
    """Milliseconds since the start of the process."""
    bytes: int
    """Length of the whole line, without its end."""
    line: str
    received: bool = True
    """False for bytes that were not received as a line that the referee asked for."""


class Finding(Struct, frozen=True, kw_only=True):
    """What a check returns."""

    status: Status
    message: str
    """What happened, in a sentence without its full stop."""
    advice: str = ""
    wire: Sequence[ShownLine] = ()
    """The lines that show it, in order."""
    stderr: str = ""
    """The end of the bot's standard error. Untrusted."""


class NotPassed(Exception):
    """Raised within a check that can't continue: `finding` is its result."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class CheckResult(Struct, frozen=True, kw_only=True):
    """A check and its finding; an element of `checks` in the JSON of `referee bot check`."""

    id: str
    """`LEVEL.NAME`"""
    level: str
    requirement: str
    """What a bot has to do."""
    source: str
    """Where that is written."""
    status: Status
    message: str
    advice: str
    wire: Sequence[ShownLine]
    stderr: str
    seconds: float


class Counts(Struct, frozen=True, kw_only=True):
    """The number of checks with each status."""

    passed: int
    warned: int
    failed: int
    skipped: int


class AnswerTimes(Struct, frozen=True, kw_only=True):
    """The times of the bot's answers in all games under the usual clock, in milliseconds."""

    decisions: int
    median: float
    p99: float
    worst: float


class Report(Struct, frozen=True, kw_only=True):
    """The result of all checks; the JSON of `referee bot check`."""

    schema: int = 1
    bot: str
    protocol: int
    referee: str
    games: Sequence[str]
    """The games that were to be played."""
    sandboxed: bool
    passed: bool
    """Whether all requested checks were made and none has failed."""
    interrupted: bool
    seconds: float
    counts: Counts
    answer_ms: AnswerTimes | None
    """None without a game."""
    checks: Sequence[CheckResult]


def count(results: Sequence[CheckResult]) -> Counts:
    statuses = [result.status for result in results]
    return Counts(
        passed=statuses.count("pass"),
        warned=statuses.count("warn"),
        failed=statuses.count("fail"),
        skipped=statuses.count("skipped"),
    )


def passed(message: str) -> Finding:
    return Finding(status="pass", message=message)


def as_warning(finding: Finding) -> Finding:
    """A warning in place of a failure."""
    return replace(finding, status="warn") if finding.status == "fail" else finding


def skipped(message: str, advice: str = "", wire: Sequence[ShownLine] = ()) -> Finding:
    return Finding(status="skipped", message=message, advice=advice, wire=wire)


def format_details(result: CheckResult) -> Iterator[str]:
    """The explanation of a check that has not passed. Not yet printable."""
    if result.status == "pass" or not result.advice:
        return
    yield f"      required: {result.requirement} ({result.source})"
    yield f"      what to do: {result.advice}"
    for line in result.wire:
        size = "" if line.bytes <= len(line.line) else f" ({line.bytes} bytes)"
        missed = "" if line.received else " (not asked for, or without an end of line)"
        yield f"      {line.ms:>8.1f} ms {line.direction} {line.line}{size}{missed}"
    lines = result.stderr.strip().splitlines()
    if lines:
        yield "      the end of its standard error:"
        yield from (f"        {line}" for line in lines)
