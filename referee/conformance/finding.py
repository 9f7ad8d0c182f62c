"""What a check has found, as plain data. Lines of bots in it are printable."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Status = Literal["pass", "warn", "fail", "skipped"]


class ShownLine(Struct, frozen=True, kw_only=True):
    """A line of the wire as it is shown: printable, and without the middle of what is long."""

    direction: Literal["->", "<-"]
    """`->` is from the referee to the bot."""
    ms: float
    """Milliseconds since the start of the process."""
    bytes: int
    """Of the whole line, without its end."""
    line: str
    received: bool = True
    """False for bytes that did not come as a line that the referee asked for."""


class Finding(Struct, frozen=True, kw_only=True):
    """What a check returns."""

    status: Status
    message: str
    """What happened, in a sentence without its full stop."""
    advice: str = ""
    """What the author can do about it."""
    wire: Sequence[ShownLine] = ()
    """The lines that show it, the latest last."""
    stderr: str = ""
    """The end of the bot's standard error. Untrusted."""


class NotPassed(Exception):
    """Raised within a check that can't go on: `finding` is what it has found."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class CheckResult(Struct, frozen=True, kw_only=True):
    """A check with what it has found; an element of `checks` in the JSON of `referee bot check`."""

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
    """How many checks ended in which way."""

    passed: int
    warned: int
    failed: int
    skipped: int


class AnswerTimes(Struct, frozen=True, kw_only=True):
    """How long the bot took for its answers in all games under the usual clock, in milliseconds."""

    decisions: int
    median: float
    p99: float
    """What 99 % of the answers did not exceed."""
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
    """Whether no check has failed and all that were asked for were made."""
    interrupted: bool
    seconds: float
    counts: Counts
    answer_ms: AnswerTimes | None
    """None without a game."""
    checks: Sequence[CheckResult]


def count(results: Sequence[CheckResult]) -> Counts:
    """How many of these checks ended in which way."""
    statuses = [result.status for result in results]
    return Counts(
        passed=statuses.count("pass"),
        warned=statuses.count("warn"),
        failed=statuses.count("fail"),
        skipped=statuses.count("skipped"),
    )


def passed(message: str) -> Finding:
    return Finding(status="pass", message=message)


def skipped(message: str, advice: str = "", wire: Sequence[ShownLine] = ()) -> Finding:
    return Finding(status="skipped", message=message, advice=advice, wire=wire)
