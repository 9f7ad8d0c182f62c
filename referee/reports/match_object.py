"""What `referee match --json` prints."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from referee.players.event_loop_lag import LagSummary
from referee.players.thinking_time import ThinkingSummary
from referee.reports.formatting import format_path
from referee.reports.match_results import BotFault, MatchSummary
from referee.reports.next_steps import NextStep, after_match
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import PairComparison, Standing
from tournaments.competition.points import SeatWins
from tournaments.competition.repeats import DealCounts
from tournaments.play.match_spec import MatchSpec


class GameObject(Struct, frozen=True, kw_only=True):
    """A finished game; lists are by seat."""

    game_id: str
    bots: list[str]
    scores: list[int]
    ranks: list[int]
    faults: list[str | None]
    record: str | None


class BuiltBot(Struct, frozen=True, kw_only=True):
    """A bot that machines of a cluster have built: the hash of its sources, and by machine those of its files."""

    sources_sha256: str
    built: dict[str, list[str]]


class MatchObject(Struct, frozen=True, kw_only=True):
    """The results of a match (docs/matches.md, "JSON")."""

    game: str
    config: Any
    conditions: dict[str, Any]
    seed: str
    opening: str | None
    interrupted: bool
    deals: int
    seconds: float
    standings: Sequence[Standing]
    games: Sequence[GameObject]
    field: Sequence[str]
    pairs: Sequence[PairComparison]
    repeated_deals: DealCounts | None
    seat_wins: SeatWins | None
    seats: Sequence[Standing] | None
    sprt: SprtState | None
    thinking_ms: Sequence[ThinkingSummary]
    faults: Sequence[BotFault]
    notices: Sequence[str]
    records: str | None
    traces: str | None
    scheduling_delay: LagSummary
    builds: dict[str, BuiltBot]
    next: Sequence[NextStep]


def match_object(found: MatchSummary, spec: MatchSpec) -> MatchObject:
    """The object. Its `games` are an iterator that makes them one by one, as there can be many."""
    result, plan = found.result, found.plan
    times = dict(zip(found.names, result.thinking, strict=True))
    summaries = [times[row.name].summary(row.name) for row in found.standings]
    games: Any = (
        GameObject(
            game_id=played.game.game_id,
            bots=[found.names[bot] for bot in played.game.seating],
            scores=played.outcome.scores,
            ranks=played.outcome.ranks,
            faults=list(played.outcome.result().faults),
            record=format_path(played.record),
        )
        for played in result.games
    )
    return MatchObject(
        game=plan.game.name,
        config=plan.config,
        conditions=plan.conditions.as_in_json(),
        seed=result.match.seed,
        opening=None if plan.openings is None else plan.openings.source,
        interrupted=found.broken_off,
        deals=found.deals,
        seconds=round(result.seconds, 3),
        standings=found.standings,
        games=games,
        field=found.field,
        pairs=found.pairs,
        repeated_deals=found.repeated_deals,
        seat_wins=found.seat_wins,
        seats=found.seats,
        sprt=found.state,
        thinking_ms=[summary for summary in summaries if summary is not None],
        faults=found.faults,
        notices=result.notices,
        records=format_path(plan.records),
        traces=format_path(plan.traces),
        scheduling_delay=result.lag,
        builds=_builds(found),
        next=list(after_match(found, spec)),
    )


def _builds(found: MatchSummary) -> dict[str, BuiltBot]:
    """By bot that machines of a cluster have built."""
    builds = {name: BuiltBot(sources_sha256=own.sha256, built={}) for name, own in found.plan.sources.items()}
    for played in found.result.games:
        for name, files in played.built.items():
            hashes = builds[name].built.setdefault(played.host or "", [])
            if files not in hashes:
                hashes.append(files)
    return builds
