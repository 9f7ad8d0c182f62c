"""The guarantees of the sandbox that hold on a machine: plain data, also in the manifests of tournaments."""

from typing import Literal

from msgspec import Struct

Verdict = Literal["pass", "fail", "open", "untested"]
"""`fail`: a guarantee does not hold. `open`: a channel that the sandbox does not claim to close."""


class SandboxCheck(Struct, frozen=True, kw_only=True):
    """One promise, and whether it is kept here."""

    name: str
    promise: str
    verdict: Verdict
    reason: str = ""
    """Why it is not kept, or was not tested."""


class SandboxReport(Struct, frozen=True, kw_only=True):
    """The sandbox of this machine, and which promises hold."""

    sandbox: Literal["bubblewrap", "none"]
    reason: str
    """The notice about the sandbox, or why there is none."""
    system: str
    bubblewrap: str | None
    """Its version."""
    user: Literal["root", "ordinary"]
    """The user who runs the referee."""
    filtered: bool
    watch: str
    """How the use of resources is counted, and how processes are ended."""
    checks: tuple[SandboxCheck, ...]
    channels: tuple[SandboxCheck, ...] = ()
    """What two bots could tell each other: each channel, and whether it is closed (`pass`) or `open`."""

    @property
    def holds(self) -> bool:
        """Whether all promises were tested and are kept."""
        return all(check.verdict == "pass" for check in self.checks)
