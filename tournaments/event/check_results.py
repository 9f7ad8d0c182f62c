"""The results of the check before a tournament, and the file beside the tournament file that keeps them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.files import read_file
from referee.players.thinking_time import ThinkingSummary
from tournaments.event.file.tournament_spec import TournamentSpec

CHECK_SUFFIX: Final = ".check.json"
"""Of the file beside a tournament file that keeps the results of its check."""
MAX_CHECK_FILE: Final = 16 << 20


class Readiness(Struct, frozen=True, kw_only=True):
    """The result of the check of one bot; an element of `bots` in the JSON of `referee tournament check`."""

    bot: str
    ready: bool
    problem: str | None = None
    advice: str | None = None
    """What to do about it. For a bot that is ready: a warning."""
    startup_ms: float | None = None
    """From its start to its `ready`; None for a built-in player, and for a bot that didn't get that far."""
    thinking_ms: ThinkingSummary | None = None
    """Its decisions in its games; None if it took none."""
    games: int = 0
    """The number of games that it has played in the check, each but the last with a fault. 0 for a built-in player, and
    for a bot that was not started."""
    stderr: str = ""
    """Beginning and end of its standard error, or of its build's output, if it is not ready. Untrusted."""


class CheckResults(Struct, frozen=True, kw_only=True):
    """The results of `referee tournament check`, in the form of its `--json`."""

    schema: int = 1
    tournament: str
    game: str
    seats: int
    ready: bool
    interrupted: bool
    bots: Sequence[Readiness]


def keep_results(file: Path, results: CheckResults) -> Path | None:
    """Keep the results of a check for `plan`. Returns the file; None if it can't be written."""
    path = file.with_suffix(CHECK_SUFFIX)
    try:
        path.write_bytes(msgspec.json.encode(results) + b"\n")
    except OSError:
        return None
    return path


def kept_results(spec: TournamentSpec) -> Sequence[Readiness]:
    """The results of the last check of a tournament file; none if there was none, or none of this game."""
    try:
        found = msgspec.json.decode(read_file(spec.path.with_suffix(CHECK_SUFFIX), MAX_CHECK_FILE), type=CheckResults)
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return ()
    return found.bots if (found.game, found.seats) == (spec.regulations.game, spec.regulations.seats) else ()
