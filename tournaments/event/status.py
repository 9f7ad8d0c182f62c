"""The state of a tournament in a few figures, for other terminals and scripts."""

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from tournaments.competition.results import RoundInProgress, round_in_progress
from tournaments.event.plan import longest_game
from tournaments.event.store.errors import FolderInUse, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import Loaded, load

State = Literal["running", "paused", "interrupted", "finished"]
PAUSED = ("paused", "stopped")
"""Endings of a run after which a tournament is paused."""


class Status(Struct, frozen=True, kw_only=True):
    """In the form of `status --json`."""

    round: int
    """The round in progress, or the last one that is over."""
    rounds: int | None
    """The number of rounds, or its upper bound; None if results decide."""
    games: int
    """Finished games, without those that were played again."""
    of: int | None
    """The games of the whole tournament, or their upper bound; None if results decide."""
    games_per_second: float | None
    """In the last run of the referee; None until it has finished two games."""
    ends: str | None
    """When a running tournament will end at that rate, ISO 8601; at the latest then, if `of` is an upper bound."""
    state: State
    ends_without_play_offs: str | UnsetType = UNSET
    """When it will end if no tie is played off from now on. Absent unless it has play-offs, and with `ends`."""
    ends_by_clocks: str | UnsetType = UNSET
    """When it will end if every bot uses up its clock in every further game. Absent without `ends`."""
    name: str | UnsetType = UNSET
    """The name of that round, such as `semi-final`. Absent if the format doesn't name it."""
    in_progress: RoundInProgress | UnsetType = UNSET
    """That round, while it is in progress."""
    starts: str | UnsetType = UNSET
    """When the first round begins, ISO 8601. Absent unless the tournament waits for that."""
    problem: str | UnsetType = UNSET
    """Why it paused, if the next round could not be paired. Absent otherwise."""
    ended_early: str | UnsetType = UNSET
    """Of a finished tournament, why before its last planned round. Absent otherwise."""


def status(path: Path) -> Status:
    """The state of the tournament in a folder. Raises StoreError."""
    folder = TournamentFolder.open(path)
    return status_of(folder, load(folder, repair=False))


def status_of(folder: TournamentFolder, loaded: Loaded) -> Status:
    try:
        with folder.lock():
            running = False
    except StoreError as error:  # a folder that can't be written to is not being played here
        running = isinstance(error, FolderInUse)
    progress, manifest = loaded.progress, loaded.manifest
    played = sum(len(begun.played) for begun in progress.begun)
    plan = progress.regulations.format_settings.plan(progress.format_context())
    planned = sum(len(begun.planned) for begun in progress.begun)
    endings = [run.ending for run in manifest.sessions if run.command in ("run", "resume")]
    at_rest: State = "paused" if endings and endings[-1] in PAUSED else "interrupted"
    state: State = "finished" if manifest.finished else "running" if running else at_rest
    games = played if manifest.finished else None if plan.games is None else max(plan.games, planned)
    rate = _rate(folder, manifest.sessions[-1].started) if manifest.sessions else None
    ends = usual = by_clocks = None
    if state == "running" and rate and games is not None:
        now, rounds_left = datetime.now(UTC), (plan.rounds or len(progress.begun)) - len(progress.rounds)
        ends = in_utc(now + timedelta(seconds=(games - played) / rate))
        if plan.usual_games is not None:
            usual = in_utc(now + timedelta(seconds=max(0, plan.usual_games - played) / rate))
        regulations = progress.regulations
        _, thinking = longest_game(regulations.game_type, regulations.full_config, manifest.conditions.control)
        # Each rotation of each round adds at most one batch that is not full.
        batches = (games - played) / manifest.sessions[-1].conditions.games_at_a_time + rounds_left * regulations.seats
        by_clocks = in_utc(now + timedelta(seconds=batches * (manifest.conditions.control.startup + thinking)))
    rounds = len(progress.rounds) if manifest.finished else plan.rounds
    waits = None if progress.begun else manifest.start_at
    starts = None if waits is None else datetime.fromisoformat(waits)
    return Status(
        round=len(progress.begun),
        ends_without_play_offs=usual or UNSET,
        ends_by_clocks=by_clocks or UNSET,
        name=(progress.round_name(len(progress.begun)) or UNSET) if progress.begun else UNSET,
        in_progress=round_in_progress(progress) or UNSET,
        rounds=None if rounds is None else max(rounds, len(progress.begun)),
        games=played,
        of=games,
        games_per_second=None if rate is None else round(rate, 2),
        ends=ends,
        starts=UNSET if starts is None or starts <= datetime.now(UTC) else in_utc(starts),
        state=state,
        problem=manifest.sessions[-1].problem if state == "paused" else UNSET,
        ended_early=(progress.ended_early() if manifest.finished else None) or UNSET,
    )


def in_utc(moment: datetime) -> str:
    """A time as in the JSON, such as 2026-11-28T17:00:00Z."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _rate(folder: TournamentFolder, since: str) -> float | None:
    """Games per second since the last run began, by the times at which their records were written."""
    began = datetime.fromisoformat(since).timestamp()
    written = []
    for name in folder.record_ids():
        with contextlib.suppress(OSError):  # it is being written, or was set aside
            written.append(folder.record(name).stat().st_mtime)
    recent = [moment for moment in written if moment >= began]
    if len(recent) < 2 or max(recent) <= began:
        return None
    return len(recent) / (max(recent) - began)
