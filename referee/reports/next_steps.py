"""The next steps that a command proposes to a program, in the loop of whoever improves a bot (docs/bots/loop.md)."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.conformance.finding import Report
from referee.record.replay import Replay
from referee.record.review import Review, ReviewedDecision
from referee.reports.formatting import format_path
from referee.reports.match_results import MatchSummary
from referee.search import why_unsearchable
from tournaments.competition.formats.sprt import MAX_ELO, SprtState
from tournaments.competition.intervals import MIN_DEALS
from tournaments.play.match_spec import MatchSpec

ELOS: Final = "0,20"
CLEARLY: Final = "0,100"
"""Against a rival that is beaten clearly, which is decided in far fewer games."""
WORST: Final = 5
MOST_MORE: Final = 10
"""Times as many deals are proposed at most where a test was not decided."""
MAX_CHECKS: Final = 5
"""Failed checks that are named."""
REVIEW_SECONDS: Final = 240
"""For the review of all records of a match, if that is enough for each."""
PROPOSED_POSITIONS: Final = 10
"""Positions of a record that are proposed at once."""
BOT: Final = "BOT"


class NextStep(Struct, frozen=True, kw_only=True):
    """A command that makes sense next; of several, the first is the most urgent."""

    command: str
    """For a shell in the same folder. BOT stands for a bot whose place the command doesn't know."""
    why: str


class CheckedBot(Report, frozen=True, kw_only=True):
    """What `referee bot check --json` prints."""

    next: list[NextStep]


def step(why: str, *words: str | Path) -> NextStep:
    """A call of `referee` that prints JSON too."""
    texts = [str(format_path(word)) if isinstance(word, Path) else word for word in words]
    return NextStep(command=shlex.join(["referee", *texts, "--json"]), why=why)


def after_check(report: Report, bot: str) -> Iterator[NextStep]:
    """`bot`: as on the command line."""
    failed = [check.id for check in report.checks if check.status == "fail"]
    for check in failed[:MAX_CHECKS]:
        yield step("follow the advice of this check, then run it again", "bot", "check", bot, "--only", check)
    if report.interrupted or failed:
        yield step("run all checks again", "bot", "check", bot)
        return
    for game in report.games:
        yield step(f"play {game}", "match", bot, "builtin:random", "--game", game)


def after_match(found: MatchSummary, spec: MatchSpec) -> Iterator[NextStep]:
    """For the author of the first BOT of the match."""
    given, game, records = spec.bots[0], found.plan.game, found.plan.records
    setting = ["--game", game.name, *(f"--set={name}={value}" for name, value in spec.options.items())]
    own = ((played, played.game.seating.index(0)) for played in found.result.games if 0 in played.game.seating)
    is_beaten, lost = False, None
    for played, seat in own:
        if played.outcome.faults[seat] is not None and played.record is not None:
            shown = (played.record, "--as-seat", str(seat))
            yield step("see what happened up to its fault", "record", "show", *shown)
            yield step("check how it keeps to the protocol", "bot", "check", given)
            same = (played.record, given, "--seat", str(seat))
            yield step("ask it the same questions once it is fixed", "bot", "replay", *same)
            return
        if played.outcome.ranks[seat] != 1:
            is_beaten, lost = True, lost or (played.record, seat)
    if found.state is not None and found.elos is not None and found.state.result == "undecided":
        others = [*(f"--field={bot}" for bot in spec.field), *(f"--vary={values}" for values in spec.vary)]
        yield from _after_undecided(found.state, found.elos, "match", *spec.bots, *others, *setting)
    if records is not None and is_beaten and why_unsearchable(game, found.plan.config, recorded=True) is None:
        seconds = max(2, min(30, REVIEW_SECONDS // len(found.result.games)))
        words = ("--bot", found.names[0], "--worst", str(WORST), "--time", f"{seconds}s")
        yield step("see which of its decisions cost most", "record", "review", records, *words)
    elif lost is not None and lost[0] is not None:
        yield step("see a game that it did not win", "record", "show", lost[0], "--as-seat", str(lost[1]))
    elif not is_beaten and found.deals < MIN_DEALS and found.state is None and len(spec.bots) == 2 and not spec.vary:
        yield step("see whether it is better, or was lucky", "match", *spec.bots, *setting, "--sprt", CLEARLY)
    elif not is_beaten and why_unsearchable(game) is None:
        yield NextStep(
            command="referee bot new rival --kit searcher", why="have a stronger rival: one that searches by the rules"
        )
        yield step("play it", "match", given, "rival", *setting)
    if found.state is None and Path(given).is_dir():
        old = f"{given.rstrip('/')}-old"
        yield NextStep(command=shlex.join(["cp", "-r", given, old]), why="keep this version before you change it")
        test = (f"new={given}", f"old={old}", *setting, "--sprt", ELOS)
        yield step("test whether the change was an improvement", "match", *test)


def _after_undecided(state: SprtState, elos: tuple[float, float], *match: str) -> Iterator[NextStep]:
    """The test goes on where it has come closer to one of its bounds; otherwise it asks for a larger difference, if one
    can be asked for.

    The likelihood ratio grows with the deals, so as many are proposed as the nearer bound needs at the same rate, and
    half as many again.
    """
    if state.undecided_by == "repeated_deals":
        return
    bound, way = (state.upper, "accept") if state.llr > 0 else (state.lower, "reject")
    deals = round(1.5 * state.deals * bound / state.llr) if state.llr else sys.maxsize
    low, high = elos
    if deals > MOST_MORE * state.deals:
        if high >= MAX_ELO:
            return
        high, deals = min(low + 2 * (high - low), MAX_ELO), 4 * state.deals
        why = "test for a larger difference, which is decided earlier: this one came to nothing"
    else:
        why = f"play more deals: the test leans to {way}, and these are about what it needs"
    yield step(why, *match, "--sprt", f"{low:g},{high:g}", "--games", str(deals))


def after_show(record: Path, replay: Replay, seat: int | None, last: int, end: int) -> Iterator[NextStep]:
    """After the steps of a record up to position `last` for a seat; `end`: its last position."""
    own = () if seat is None else ("--as-seat", str(seat))
    if last < end:
        further = ("--from", str(last + 1), "--to", str(last + PROPOSED_POSITIONS))
        yield step("see what follows", "record", "show", record, *own, *further)
    by = () if seat is None else ("--seat", str(seat))
    if why_unsearchable(replay.game_type, replay.config, recorded=True) is None:
        yield step("see which decisions cost most", "record", "review", record, *by, "--worst", str(WORST))
    if seat is not None:
        yield step("ask a changed bot the same questions", "bot", "replay", record, BOT, *by)


def after_review(review: Review, worst: ReviewedDecision) -> Iterator[NextStep]:
    """After a review of records whose worst decision this is."""
    place, seat = str(worst.position), str(worst.seat)
    shown = ("--as-seat", seat, "--from", place, "--to", place)
    yield step("see what the bot knew at its worst decision", "record", "show", Path(review.record), *shown)
    if worst.verdict != "mistake":
        by = ("--seat", seat, "--play-on", BOT)
        yield step("ask the bot itself whether it is a mistake", "record", "review", Path(review.record), *by)
    yield NextStep(command=worst.play_on, why="play on from there, with what the bot couldn't know drawn again")
