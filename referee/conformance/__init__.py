"""Checks of one bot against the protocol: a deliberately difficult referee, in levels.

A check is a small function that plays with the bot and returns a `Finding`; `suite` lists them in their order, and
`check_bot` runs them. Nothing here prints, and nothing but `Candidate` starts a process.
"""

from referee.conformance.candidate import Candidate
from referee.conformance.finding import CheckResult, Counts, Finding, Report, ShownLine, Status, count, format_details
from referee.conformance.suite import LEVELS, Check, UnknownCheck, check_bot, select, suite

__all__ = [
    "LEVELS",
    "Candidate",
    "Check",
    "CheckResult",
    "Counts",
    "Finding",
    "Report",
    "ShownLine",
    "Status",
    "UnknownCheck",
    "check_bot",
    "count",
    "format_details",
    "select",
    "suite",
]
