"""The results of a match: standings, pairs, thinking times, faults, and its JSON."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import structs
from rich.box import HEAVY_HEAD
from rich.table import Table

from referee.bots.advice import advice_in_match
from referee.bots.crash import stderr_lines
from referee.bots.variants import parse_variation
from referee.games.narrator import format_count
from referee.outcome import Outcome
from referee.players.clock import milliseconds
from referee.players.thinking_time import ThinkingSummary
from referee.printable import printable
from referee.processes.stderr_log import StderrExcerpt
from referee.reports.comparison import format_best, format_sprt
from referee.reports.formatting import (
    estimate_in_points,
    format_confidence,
    format_estimate,
    format_ms,
    format_path,
    format_share,
    without_numbers,
)
from referee.reports.terminal import Column, fitting_tables
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.match_standings import PairComparison, Standing, compare_pairs, match_standings
from tournaments.play.match import MatchResult

MAX_SHOWN_FAULTS: Final = 10
"""Number of different faults that are shown in full."""
FAULT_STDERR_LINES: Final = 4
SHOWN_STDERR_CHARS: Final = 300
"""Characters of a line of standard error that are shown."""


def format_verdict(result: MatchResult, state: SprtState | None) -> Iterator[str]:
    """The line for which bots were compared: the result of a test, or which of them scores best against the field."""
    if state is not None:
        yield format_sprt(state)
        if result.match.field and state.result == "undecided" and state.mean == 0:
            yield "Both got the same game points: do they play alike, or does the field always win, or never?"
        return
    compared = {bot.name for bot in result.match.plan.bots[: -result.match.field or None]}
    leads = [pair for pair in best_leads(result) if pair.b in compared]
    if leads and finished_deals(result) > 1:
        yield format_best(leads[0].a, [pair_in_points(result, pair) for pair in leads])


def pair_in_points(result: MatchResult, pair: PairComparison) -> PairComparison:
    """A pair with its difference of scores in points of the rules."""
    return structs.replace(pair, score=estimate_in_points(result.match.plan.game, pair.score))


def best_leads(result: MatchResult) -> list[PairComparison]:
    """With a field: what the best of the bots that are compared is ahead of each other one, and of the field."""
    if not result.match.field or not result.games:
        return []
    best = standings_of(result)[0].name
    return [pair for pair in pairs_of(result) if pair.a == best]


def record_to_show(result: MatchResult) -> Path | None:
    """The most informative record of a match: of the first game with a fault, or else of the first game."""
    games = itertools.chain(result.games.with_faults(), result.games)
    return next((played.record for played in games if played.record is not None), None)


def format_lag_warning(result: MatchResult) -> str | None:
    """A warning if the event loop lag was over the margin while bots played with enforced clocks."""
    lag, plan, conditions = result.lag, result.match.plan, result.match.plan.conditions
    if not lag.over_margin or not conditions.control.enforced or plan.only_builtin:
        return None
    late = sum(fault["referee_late_ms"] > 0 for fault in faults(result))
    timeouts = f" {format_count(late, 'timeouts')} happened while it was late." if late else ""
    if result.match.cluster is None:
        at_a_time = conditions.games_at_a_time
        who, less = "this machine was", f"Lower --concurrency (now {at_a_time}), stop what else runs here"
    else:
        who, less = "machines of the cluster were", "Start fewer threads of Dask there, stop what else runs there"
    return (
        f"Warning: {who} too busy to keep time. {format_count(lag.over_margin, 'times')} the referee was"
        f" late by more than the margin of {milliseconds(conditions.control.margin)} ms, by"
        f" {round(lag.max_ms)} ms at most. Bots were charged for that time, and were probably held up"
        f" themselves.{timeouts} {less}, or stretch the limits and their margin with --time-scale."
    )


def format_faults(result: MatchResult) -> Iterator[str]:
    """The first MAX_SHOWN_FAULTS different faults with messages and standard error, and the number of the others.

    Equal faults of a bot are told once, with their number and the standard error of the first one.
    """
    folders = {bot.name: bot.folder for bot in result.match.plan.bots}
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for fault in faults(result):
        groups[fault["bot"], fault["code"], without_numbers(fault["message"])].append(fault)
    for group in list(groups.values())[:MAX_SHOWN_FAULTS]:
        fault = group[0]
        count = f"×{len(group)} " if len(group) > 1 else ""
        yield f"{count}{fault['game_id']}: {fault['bot']}: {fault['code']}: {fault['message']}"
        late = max(each["referee_late_ms"] for each in group)
        if late:
            yield f"    the referee itself was {'up to ' if count else ''}{late:.0f} ms late meanwhile"
        for line in format_stderr(fault):
            yield f"    {printable(line, SHOWN_STDERR_CHARS)}"
        advice = advice_in_match(
            fault["code"],
            fault["message"],
            excerpt_of(fault).text,
            sandboxed=result.match.plan.sandbox is not None,
            folder=folders[fault["bot"]],
        )
        if advice is not None:
            yield f"    what to do: {advice}"
    if len(groups) > MAX_SHOWN_FAULTS:
        rest = sum(map(len, list(groups.values())[MAX_SHOWN_FAULTS:]))
        yield f"… and {format_count(rest, 'more faults')}; --json lists them all"


def finished_deals(result: MatchResult) -> int:
    """The number of deals that were played in at least one rotation."""
    return result.games.deals()


def standings_of(result: MatchResult) -> list[Standing]:
    """The standings; with a field, the bots that are compared come first, by their scores."""
    names = [bot.name for bot in result.match.plan.bots]
    rows = match_standings(names, result.games.outcomes())
    if result.match.field:
        in_field = {bot.name for bot in result.match.plan.bots[-result.match.field :]}
        rows.sort(key=lambda row: (row.name in in_field, -row.score.mean))
    return rows


def standings_tables(result: MatchResult, width: int | None) -> list[Table]:
    """The standings as a table, or as several where the terminal is narrow."""
    rows = standings_of(result)
    names = Column("bot", [printable(row.name) for row in rows])
    values = [
        Column("games", [str(row.games) for row in rows]),
        Column("mean score", [format_estimate(estimate_in_points(result.match.plan.game, row.score)) for row in rows]),
        Column("mean rank", [format_estimate(row.rank, digits=2) for row in rows]),
        Column("wins", [format_share(row.wins) for row in rows]),
        Column("faults", [str(row.faults) for row in rows]),
    ]
    return fitting_tables([names], values, width, HEAVY_HEAD)


def format_interval_note(deals: int) -> str:
    """The kind of the intervals, or why there are none."""
    if deals < MIN_DEALS:
        return f"Too few deals for confidence intervals: {deals}; {MIN_DEALS} are needed"
    return "± and (low–high): 95 % confidence intervals over deals"


def pair_tables(result: MatchResult, width: int | None) -> list[Table]:
    """The difference between the bots of each pair, from two deals on."""
    pairs = [pair_in_points(result, pair) for pair in (best_leads if result.match.field else pairs_of)(result)]
    if finished_deals(result) < 2 or not pairs:
        return []
    names = [
        Column("bot", [printable(pair.a) for pair in pairs]),
        Column("against", [printable(pair.b) for pair in pairs]),
    ]
    values = [
        Column("score per deal", [format_estimate(pair.score, sign="+") for pair in pairs]),
        *([] if result.match.field else [Column("ahead", [format_share(pair.ahead) for pair in pairs if pair.ahead])]),
        Column("better", [format_confidence(pair.better) for pair in pairs]),
    ]
    return fitting_tables(names, values, width, None)


def thinking_tables(result: MatchResult, width: int | None) -> list[Table]:
    """The thinking times of bots; empty if only built-in players played."""
    rows = thinking_of(result)
    if not rows:
        return []
    names = Column("thinking in ms", [printable(row.bot) for row in rows])
    values = [
        Column("mean", [format_ms(row.mean) for row in rows]),
        Column("99 %", [format_ms(row.p99) for row in rows]),
        Column("worst", [format_ms(row.worst) for row in rows]),
    ]
    return fitting_tables([names], values, width, None)


def format_idle_settings(result: MatchResult, vary: Sequence[str]) -> Iterator[str]:
    """A warning for each setting of `vary` that had no effect: games of variants that differ in it ended alike."""
    variations = [parse_variation(text) for text in vary]
    variants = list(itertools.product(*(variation.values for variation in variations)))
    for number, variation in enumerate(variations):
        ended: dict[tuple[object, ...], list[Outcome]] = defaultdict(list)
        for game, outcome in result.games.outcomes():
            variant = min(game.seating)
            values = variants[variant]
            ended[game.deal, game.seating.index(variant), values[:number], values[number + 1 :]].append(outcome)
        compared = [outcomes for outcomes in ended.values() if len(outcomes) == len(variation.values) > 1]
        if compared and all(outcome == outcomes[0] for outcomes in compared for outcome in outcomes):
            name = variation.name
            yield (
                f"Warning: {name} had no effect: games with its different values ended alike. Does the bot read the"
                f" environment variable {name}, or should its command contain {{{name}}}?"
            )


def format_fallbacks(result: MatchResult) -> Iterator[str]:
    """By bot that took decisions at random for want of a part, how many."""
    for bot, time in zip(result.match.plan.bots, result.thinking, strict=True):
        if time.fallbacks:
            yield f"{printable(bot.name)}: {time.format_fallbacks()}"


def pairs_of(result: MatchResult) -> list[PairComparison]:
    """The difference between the bots of each pair, in the order of the standings."""
    names = [bot.name for bot in result.match.plan.bots]
    place = {standing.name: place for place, standing in enumerate(standings_of(result))}
    pairs = compare_pairs(names, result.games.outcomes())
    return sorted(pairs, key=lambda pair: sorted((place[pair.a], place[pair.b])))


def thinking_of(result: MatchResult) -> list[ThinkingSummary]:
    """The thinking time of every bot that has made a decision, in the order of the standings."""
    times = {bot.name: time for bot, time in zip(result.match.plan.bots, result.thinking, strict=True)}
    rows = [times[standing.name].summary(standing.name) for standing in standings_of(result)]
    return [row for row in rows if row is not None]


def excerpt_of(fault: dict[str, Any]) -> StderrExcerpt:
    """The standard error of a bot in the game of a fault."""
    return StderrExcerpt(path=None, head=fault["head"], omitted=fault["omitted"], tail=fault["tail"])


def format_stderr(fault: dict[str, Any]) -> Iterator[str]:
    """The standard error of a bot before a fault, and its path; or else the path of the record.

    Of a crash the beginning and the end; of other faults only the end. Not yet printable.
    """
    excerpt = excerpt_of(fault)
    crashed = fault["code"] == "crash"
    lines = stderr_lines(excerpt.text) if crashed else excerpt.tail.strip().splitlines()[-FAULT_STDERR_LINES:]
    if lines:
        where = "" if fault["stderr"] is None else f" ({fault['stderr']})"
        yield f"{'its standard error' if crashed else 'the end of its standard error'}{where}:"
        yield from (f"  {line}" for line in lines)
    elif fault["record"] is not None:
        yield f"the record: {fault['record']}"


def faults(result: MatchResult) -> Iterator[dict[str, Any]]:
    """Every fault as an object of the JSON output (docs/matches.md, "Results")."""
    for played in result.games.with_faults():
        for seat, fault in enumerate(played.outcome.faults):
            if fault is not None:
                excerpt = played.stderr[seat]
                yield {
                    "game_id": played.game.game_id,
                    "seat": seat,
                    "bot": result.match.plan.bots[played.game.seating[seat]].name,
                    "code": fault.code,
                    "message": fault.message,
                    "referee_late_ms": round(fault.referee_late * 1000, 1),
                    "record": format_path(played.record),
                    "stderr": None if excerpt is None else format_path(excerpt.path),
                    "head": "" if excerpt is None else excerpt.head,
                    "omitted": 0 if excerpt is None else excerpt.omitted,
                    "tail": "" if excerpt is None else excerpt.tail,
                }


def result_object(result: MatchResult, *, broken_off: bool, state: SprtState | None) -> dict[str, Any]:
    """The JSON output (docs/matches.md, "Results"); games are made one by one, as there can be many."""
    match = result.match
    return {
        "game": match.plan.game.name,
        "config": match.plan.config,
        "seed": match.seed,
        "interrupted": broken_off,
        "deals": finished_deals(result),
        "seconds": round(result.seconds, 3),
        "standings": standings_of(result),
        "games": (
            {
                "game_id": played.game.game_id,
                "bots": [match.plan.bots[bot].name for bot in played.game.seating],
                "scores": played.outcome.scores,
                "ranks": played.outcome.ranks,
                "faults": played.outcome.result().faults,
                "record": format_path(played.record),
            }
            for played in result.games
        ),
        "field": [bot.name for bot in match.plan.bots[len(match.plan.bots) - match.field :]],
        "pairs": pairs_of(result),
        "sprt": state,
        "thinking_ms": thinking_of(result),
        "faults": list(faults(result)),
        "notices": result.notices,
        "records": format_path(match.plan.records),
        "traces": format_path(match.plan.traces),
        "scheduling_delay": result.lag,
        **({"builds": builds_of(result)} if match.plan.sources else {}),
    }


def builds_of(result: MatchResult) -> dict[str, Any]:
    """By bot that machines of a cluster have built, the hash of its sources, and by machine those of its files."""
    built: dict[str, dict[str, list[str]]] = {name: {} for name in result.match.plan.sources}
    for played in result.games:
        for name, files in played.built.items():
            hashes = built[name].setdefault(played.host or "", [])
            if files not in hashes:
                hashes.append(files)
    return {
        name: {"sources_sha256": own.sha256, "built": built[name]} for name, own in result.match.plan.sources.items()
    }
