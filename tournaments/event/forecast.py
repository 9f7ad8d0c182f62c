"""How long a tournament will take, forecast from the times that its bots took in the check."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.files import read_file
from referee.processes.limits.machine import cores
from tournaments.competition.formats.interface import FormatPlan
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.plan import count_decisions
from tournaments.event.readiness import Readiness
from tournaments.play.start_limiter import START_SECONDS

CHECK_SUFFIX: Final = ".check.json"
MAX_CHECK_FILE: Final = 16 << 20
PHASE_SECONDS: Final = 0.5
"""From the last game of a rotation to the first one of the next: all processes end, and files leave the page cache.
Half of what it took on two cores, besides starts."""
DECISION_SECONDS: Final = 0.0004
"""The time that the referee itself needs for a decision, about."""


class CheckResults(Struct, frozen=True, kw_only=True):
    """The results of `referee tournament check`, in the form of its `--json`."""

    schema: int = 1
    tournament: str
    game: str
    seats: int
    ready: bool
    interrupted: bool
    bots: Sequence[Readiness]


def check_file(file: Path) -> Path:
    """The file beside a tournament file that keeps the results of its check."""
    return file.with_suffix(CHECK_SUFFIX)


def keep_results(file: Path, results: CheckResults) -> Path | None:
    """Keep the results of a check for `plan`. Returns the file; None if it can't be written."""
    path = check_file(file)
    try:
        path.write_bytes(msgspec.json.encode(results) + b"\n")
    except OSError:
        return None
    return path


def kept_results(spec: TournamentSpec) -> Sequence[Readiness]:
    """The results of the last check of a tournament file; none if there was none, or none of this game."""
    try:
        found = msgspec.json.decode(read_file(check_file(spec.path), MAX_CHECK_FILE), type=CheckResults)
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return ()
    return found.bots if (found.game, found.seats) == (spec.regulations.game, spec.regulations.seats) else ()


def forecast(spec: TournamentSpec, plan: FormatPlan, results: Sequence[Readiness]) -> float | None:
    """The seconds that all games will probably take; None unless every bot was ready in the check.

    Each seat takes the time of an average bot: its decisions in the check, and its start once per table and rotation.
    Where results decide how many games there are, it is the number without play-offs, or else the maximum.
    """
    regulations, seats = spec.regulations, spec.regulations.seats
    known = {result.bot: result for result in results if result.ready}
    games, rounds = plan.usual_games or plan.games, plan.usual_rounds or plan.rounds
    if games is None or rounds is None or any(bot.spec.name not in known for bot in spec.bots):
        return None
    mine = [known[bot.spec.name] for bot in spec.bots]
    times = [result.thinking_ms for result in mine]
    thinking = sum(time.mean * time.decisions for time in times if time is not None) / 1000 / len(mine)
    startup = sum(result.startup_ms or 0.0 for result in mine) / 1000 / len(mine)
    referee = count_decisions(regulations.game_type, regulations.full_config, 0).total() * DECISION_SECONDS
    starts = games / regulations.format_settings.deals(regulations.format_context(""))  # tables times rotations
    programs = any(result.startup_ms is not None for result in mine)
    at_a_time = min(spec.conditions.games_at_a_time, max(1.0, starts / (rounds * seats)))
    played = games * (seats * thinking + referee) / at_a_time
    # Half of a table's starts take their time one after another, and those of all tables wait for each other.
    one_by_one = starts * seats * min(startup, START_SECONDS) / cores()
    starting = max(starts * startup * seats / 2 / at_a_time, one_by_one)
    return round(played + starting + rounds * seats * PHASE_SECONDS * programs, 1)
