"""The output of `referee match`: progress while it runs, and the results at the end."""

import itertools
import shlex
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import structs
from rich.box import HEAVY_HEAD
from rich.console import Console
from rich.table import Table

from referee.bots.advice import advice_in_match
from referee.bots.crash import stderr_lines
from referee.cli.comparison import format_best, format_llr, format_sprt
from referee.cli.formatting import (
    estimate_in_points,
    format_confidence,
    format_estimate,
    format_ms,
    format_path,
    format_share,
    format_text,
    without_numbers,
)
from referee.cli.json_output import echo_json_object
from referee.cli.output import echo
from referee.cli.progress_bar import ProgressBar
from referee.cli.tables import UNLIMITED, Column, fitting_tables
from referee.games.narrator import format_count
from referee.players.clock import milliseconds
from referee.players.thinking_time import ThinkingSummary
from referee.printable import printable
from referee.processes.stderr_log import StderrExcerpt
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.match_standings import (
    PairComparison,
    Standing,
    compare_pairs,
    match_standings,
    win_share,
)
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice
from tournaments.play.match import MatchResult
from tournaments.sequential import SprtEvaluated

MAX_SHOWN_FAULTS: Final = 10
"""Number of different faults that are shown in full."""
FAULT_STDERR_LINES: Final = 4
MAX_LEADERS: Final = 5
"""Bots beside the progress bar."""
STATE_INTERVAL: Final = 10.0
"""Seconds between two lines about a test where there is no bar."""
SHOWN_STDERR_CHARS: Final = 300
"""Characters of a line of standard error that are shown."""


# -- while it runs --------------------------------------------------------------------------------------------


class MatchProgress(ProgressBar):
    """The number of games, and the leaders. If it is not `shown`, there is no bar even on a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        super().__init__("games", shows_time=True)
        self._shown = shown
        self._names: list[str] = []
        self._wins: list[float] = []
        self._games: list[int] = []
        self._faults = 0
        self._started = 0.0
        self._state: SprtState | None = None
        self._told = 0.0

    def tell(self, event: LiveEvent) -> None:
        """Update the progress: an observer of the match."""
        match event:
            case MatchBegun():
                self._begin(event)
            case MatchGameOver():
                self._count(event)
            case Notice(text=text):
                self.notice(text)
            case SprtEvaluated(state=state):
                self._evaluated(state)

    def _begin(self, event: MatchBegun) -> None:
        """Show the bar."""
        self._names = list(event.bots)
        self._wins = [0.0] * len(self._names)
        self._games = [0] * len(self._names)
        self._started = self._told = time.monotonic()
        if self._shown:
            self.open(event.games)

    def _count(self, event: MatchGameOver) -> None:
        """Count a finished game."""
        self.done += 1
        for seat, bot in enumerate(event.seating):
            self._wins[bot] += win_share(event.outcome, seat)
            self._games[bot] += 1
            self._faults += event.outcome.faults[seat] is not None

    def _evaluated(self, state: SprtState) -> None:
        """Show how a test stands: on a terminal in the bar, otherwise as a line from time to time."""
        self._state = state
        now = time.monotonic()
        if not self.is_open and now - self._told >= STATE_INTERVAL:
            self._told = now
            self.notice(f"{format_llr(state)}, after {format_count(state.deals, 'deals')}")

    def status(self) -> str:
        """Games per second, shares of wins and number of faults."""
        parts = [f"{self.done / max(time.monotonic() - self._started, 1e-9):.1f}/s"]
        if self._state is not None:
            parts.append(f"LLR {self._state.llr:.2f} ({self._state.lower:.2f} to {self._state.upper:.2f})")
        shares = [wins / games if games else 0 for wins, games in zip(self._wins, self._games, strict=True)]
        if self.done:
            leaders = sorted(zip(shares, self._names, strict=True), key=lambda row: -row[0])[:MAX_LEADERS]
            parts += [f"{name} {share:.0%}" for share, name in leaders]
        if self._faults:
            parts.append(f"faults {self._faults}")
        return "  ".join(parts)


# -- at the end -----------------------------------------------------------------------------------------------


def show_result(result: MatchResult, *, as_json: bool, broken_off: bool, state: SprtState | None = None) -> None:
    """Print the results of a match to stdout, and warnings to stderr. `broken_off`: the match ended early. `state`:
    that of its sequential test."""
    warn_of_lag(result)
    if as_json:
        echo_json_object(result_object(result, broken_off=broken_off, state=state))
        return
    match = result.match
    out = Console(soft_wrap=True)
    width = out.width if out.is_terminal else None
    out.width = UNLIMITED
    of = f"{len(result.games)} of " if broken_off else ""
    games = f"{of}{format_count(match.games if broken_off else len(result.games), 'games')}"
    deals = finished_deals(result)
    heading = f"{match.plan.game.title}: {games}, {format_count(deals, 'deals')}, seed {match.seed}"
    out.print(format_text(heading), style="bold")
    if result.games:
        show_tables(result, out, width)
    for line in verdict(result, state):
        out.print()
        out.print(format_text(line), style="bold")
    folders = {"Records": match.plan.records, "Traces": match.plan.traces}
    if any(folders.values()) or broken_off or any(row.faults for row in standings_of(result)):
        out.print()
    show_faults(result, out)
    if broken_off:
        kept = "the games finished so far are counted and kept" if result.games else "no game has finished"
        out.print(format_text(f"Interrupted; {kept}."))
    for what, folder in folders.items():
        if folder is not None:
            out.print(format_text(f"{what}: {folder}"))
    record = record_to_show(result)
    if record is not None:
        shown = shlex.quote(str(record))
        out.print(format_text(f"To read a game: referee record show {shown}"))
        out.print(format_text(f"To look at it:  referee record view {shown} --open"))


def show_tables(result: MatchResult, out: Console, width: int | None) -> None:
    """Print the tables of a match with at least one finished game."""
    for table in standings_tables(result, width):
        out.print(table)
    out.print(format_text(format_interval_note(finished_deals(result))), style="dim italic")
    for tables in (pair_tables(result, width), thinking_tables(result, width)):
        for number, table in enumerate(tables):
            if not number:
                out.print()
            out.print(table)


def verdict(result: MatchResult, state: SprtState | None) -> Iterator[str]:
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


def warn_of_lag(result: MatchResult) -> None:
    """Warn if the event loop lag was over the margin while bots played with enforced clocks."""
    lag, plan, cluster = result.lag, result.match.plan, result.match.cluster
    if not lag.over_margin or not plan.control.enforced or all(bot.policy is not None for bot in plan.bots):
        return
    late = sum(fault["referee_late_ms"] > 0 for fault in faults(result))
    timeouts = f" {format_count(late, 'timeouts')} happened while it was late." if late else ""
    if cluster is None:
        who, less = "this machine was", f"Lower --concurrency (now {plan.concurrency}), stop what else runs here"
    else:
        who, less = "machines of the cluster were", "Start fewer threads of Dask there, stop what else runs there"
    echo(
        f"Warning: {who} too busy to keep time. {format_count(lag.over_margin, 'times')} the referee was"
        f" late by more than the margin of {milliseconds(plan.control.margin)} ms, by"
        f" {round(lag.max_ms)} ms at most. Bots were charged for that time, and were probably held up"
        f" themselves.{timeouts} {less}, or stretch the limits and their margin with --time-scale.",
        err=True,
    )


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


def show_faults(result: MatchResult, out: Console) -> None:
    """Print the first MAX_SHOWN_FAULTS different faults with messages and standard error, and the number of the others.

    Equal faults of a bot are printed once, with their number and the standard error of the first one.
    """
    folders = {bot.name: bot.folder for bot in result.match.plan.bots}
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for fault in faults(result):
        groups[fault["bot"], fault["code"], without_numbers(fault["message"])].append(fault)
    for group in list(groups.values())[:MAX_SHOWN_FAULTS]:
        fault = group[0]
        count = f"×{len(group)} " if len(group) > 1 else ""
        out.print(format_text(f"{count}{fault['game_id']}: {fault['bot']}: {fault['code']}: {fault['message']}"))
        late = max(each["referee_late_ms"] for each in group)
        if late:
            out.print(
                format_text(f"    the referee itself was {'up to ' if count else ''}{late:.0f} ms late meanwhile")
            )
        for line in format_stderr(fault):
            out.print(format_text(f"    {printable(line, SHOWN_STDERR_CHARS)}"))
        advice = advice_in_match(
            fault["code"],
            fault["message"],
            excerpt_of(fault).text,
            sandboxed=result.match.plan.sandbox is not None,
            folder=folders[fault["bot"]],
        )
        if advice is not None:
            out.print(format_text(f"    what to do: {advice}"))
    if len(groups) > MAX_SHOWN_FAULTS:
        rest = sum(map(len, list(groups.values())[MAX_SHOWN_FAULTS:]))
        out.print(format_text(f"… and {format_count(rest, 'more faults')}; --json lists them all"))


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
