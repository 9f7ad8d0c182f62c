"""A level of checks, and the decorator that adds a function to it as a check."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding

SPECIFICATION: Final = "protocol/specification.md"

Run = Callable[[Candidate], Awaitable[Finding]]


class Check(NamedTuple):
    """A check: what a bot has to do, where that is written, and the function that checks it."""

    level: str
    name: str
    requirement: str
    source: str
    run: Run

    @property
    def id(self) -> str:
        return f"{self.level}.{self.name}"


class Level:
    """A level with its checks in the order in which they were added."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self.checks: list[Check] = []

    def check(self, name: str, requirement: str, *, section: str = "", source: str = "") -> Callable[[Run], Run]:
        """Add a function to the level. `section` is a section of the specification, `source` another page."""

        def add(run: Run) -> Run:
            written = source or f"{SPECIFICATION}, section {section}"
            self.checks.append(Check(self.name, name, requirement, written, run))
            return run

        return add
