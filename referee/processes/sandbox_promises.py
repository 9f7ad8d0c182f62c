"""Which of the sandbox's promises hold on a machine: plain data, also in the manifests of tournaments."""

from typing import Literal

from msgspec import Struct

Verdict = Literal["pass", "fail", "untested"]


class SandboxCheck(Struct, frozen=True, kw_only=True):
    """One promise, and whether it is kept here."""

    name: str
    promise: str
    verdict: Verdict
    reason: str = ""
    """Why it is not kept, or was not tested."""


class SandboxReport(Struct, frozen=True, kw_only=True):
    """What is in force on this machine. Plain data, for people and for the manifest of a tournament."""

    sandbox: Literal["bubblewrap", "none"]
    reason: str
    """Why there is none, or what is in force."""
    system: str
    bubblewrap: str | None
    """Its version."""
    user: Literal["root", "ordinary"]
    """Who runs the referee."""
    filtered: bool
    """Whether system calls are filtered."""
    watch: str
    """By which means the use of resources is counted, and how everything is ended."""
    checks: tuple[SandboxCheck, ...]

    @property
    def holds(self) -> bool:
        """Whether all promises were tested and are kept."""
        return all(check.verdict == "pass" for check in self.checks)
