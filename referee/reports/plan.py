"""What a tournament will play, and whether its bots are ready, before its first game."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from referee.bots.crash import stderr_lines
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_duration, format_ms, format_startup
from referee.reports.model import Column, Table, numbers
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.regulations import SeedsFrom
from tournaments.competition.rounds import DealsOf
from tournaments.event.check_results import Readiness
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.plan import Duration, TournamentPlan

DEALS: Final[dict[DealsOf, str]] = {
    "table": "each table has deals of its own",
    "round": "all full tables of a round play the same deals",
}


def format_plan(spec: TournamentSpec, planned: TournamentPlan) -> Iterator[str]:
    """A plan in lines, but for its table of bots."""
    yield f"{planned.tournament}: {planned.format}, {len(planned.bots)} bots at tables of {planned.seats}"
    yield f"{spec.regulations.game_type.title}; {planned.rule}"
    most = "at most " if planned.upper_bound else ""
    for name, number in (("rounds", planned.rounds), ("tables", planned.tables), ("games", planned.games)):
        yield f"  {name:<9} {'not known beforehand' if number is None else f'{most}{number}'}"
    if planned.meetings is None:
        yield "  meetings  results decide who meets whom"
    else:
        low, high = planned.meetings.min, planned.meetings.max
        yield f"  meetings  any two bots meet at {'' if low == high else f'{low} to '}{format_count(high, 'tables')}"
        yield f"  repeats   {planned.repeats}"
    if planned.even_rounds is not None:
        after = format_count(planned.even_rounds, "rounds")
        yield f"  even      after {after} any two bots would have met equally often"
    yield f"  deals     {DEALS[planned.deals_of]}"
    if planned.opening is not None:
        yield f"  openings  {format_opening(planned)}"
    rated = [bot.rated_deals for bot in planned.bots if bot.rated_deals is not None]
    if rated:
        few, many = min(rated), max(rated)
        more = "raise `deals`" + (' or set deals_of = "table"' if planned.deals_of == "round" else "")
        short = f"; intervals need {MIN_DEALS}: {more}" if few < MIN_DEALS else ""
        yield f"  ratings   count {'' if few == many else f'{few} to '}{format_count(many, 'deals')} of each bot{short}"
    if planned.seeds_from is not None:
        order = printable(", ".join(bot.name for bot in planned.bots))
        yield f"  seeds     {format_seeds(planned.seeds_from)}: {order}"
    if spec.start_at is not None:
        past = " (past: `run` refuses it)" if spec.start_at <= datetime.now(UTC) else ""
        yield f"  start     {spec.start_at:%Y-%m-%d %H:%M} by the clock of this machine{past}"
    if planned.forecast_seconds is not None:
        about = format_duration(planned.forecast_seconds)
        yield f"  forecast  about {about}{beside_hook(spec)}, by the times of the bots in the last check"
    yield f"  duration  {format_plan_duration(spec, planned.duration)}"
    if planned.pairing_seconds >= 1:
        yield f"  pairing   {format_pairing(planned)}"


def format_seeds(seeds_from: SeedsFrom) -> str:
    """What the order of the bots rests on."""
    return f"by the final standings of {printable(seeds_from.tournament)} (head {printable(seeds_from.head)[:16]}…)"


def beside_hook(spec: TournamentSpec) -> str:
    """What a forecast leaves out."""
    return "" if spec.on_round is None else " and the time that on_round takes after each round"


def format_plan_notes(spec: TournamentSpec, planned: TournamentPlan) -> Iterator[str]:
    if planned.shared_deals is not None:
        yield planned.shared_deals
    tables, games = planned.tables, planned.games
    enough_openings = planned.opening is not None and planned.different_openings is None
    if not (planned.chance or enough_openings) and (
        planned.repeats or tables is None or games is None or games > tables * planned.seats
    ):
        several = planned.format != "sprt" and spec.regulations.deals > 1
        as_much = ", so deals = 1 says as much" if several else ""
        yield (
            f"Warning: {planned.game} has no chance, so bots that repeat themselves play the same games whenever they"
            f" meet. While all deals of the same bots are equal, they count once{as_much}; [opening] gives each another"
            " beginning"
        )
    if spec.seed is None:
        yield "Without a seed in the file one is drawn at the start; it may decide who meets whom when."


def format_opening(planned: TournamentPlan) -> str:
    opening, different, deals = planned.opening, planned.different_openings, planned.deals
    assert opening is not None
    if opening.file is None:
        text = f"{format_count(opening.plies or 0, 'drawn decisions')}, the same in all rotations of a deal"
    else:
        first = "" if opening.plies is None else f", at most {format_count(opening.plies, 'decisions')} of each"
        text = f"of {printable(opening.file)}{first}"
    if different is None:
        return text
    return f"{text}; {different} differ, so {'' if deals is None else f'of {deals} '}deals at most {different} do"


def format_plan_duration(spec: TournamentSpec, duration: Duration | None) -> str:
    if duration is None:
        return "not known beforehand"
    cores = "" if spec.conditions.concurrency is not None else ", one per core of this machine"
    total, game, startup = (
        format_duration(seconds, upper_bound=True)
        for seconds in (duration.estimated_seconds, duration.game_seconds, spec.conditions.control.startup)
    )
    batches, games = (
        f"{duration.batches} batch{'es' * (duration.batches != 1)}",
        format_count(duration.concurrency, "games"),
    )
    return (
        f"estimated at {total} if all bots use up their clocks: {batches} of {game}, {games} at a time{cores}."
        f" A game: {startup} to start, and {duration.decisions} decisions that use up the clock, the maximum"
        f" in {duration.sample_games} games of random players"
    )


def format_pairing(planned: TournamentPlan) -> str:
    each = f"up to about {format_duration(planned.pairing_seconds, upper_bound=True)} a round"
    if planned.rounds is None:
        return each
    total = format_duration(planned.pairing_seconds * planned.rounds, upper_bound=True)
    return f"{each}, {total} in all; the bots wait meanwhile, and `verify` takes as long"


def plan_table(planned: TournamentPlan) -> Table:
    bots = planned.bots
    seats = range(planned.seats if all(bot.seat_counts for bot in bots) else 0)
    return Table.of(
        "Bots",
        Column("bot", [printable(bot.name) for bot in bots], "name"),
        numbers("tables", [bot.tables for bot in bots]),
        numbers("byes", [bot.byes for bot in bots]),
        *(numbers(f"in seat {seat}", [(bot.seat_counts or ())[seat] for bot in bots]) for seat in seats),
    )


# -- whether the bots are ready ---------------------------------------------------------------------------------


def readiness_table(results: Sequence[Readiness]) -> Table:
    """The bots that have been checked, with the times that they took."""
    times = [result.thinking_ms for result in results]
    return Table.of(
        "Readiness",
        Column("bot", [printable(result.bot) for result in results], "name"),
        Column("ready", ["yes" if result.ready else "no" for result in results]),
        Column("start-up", [format_startup(result.startup_ms) for result in results]),
        Column("thinking mean", ["" if time is None else f"{format_ms(time.mean)} ms" for time in times]),
        Column("99 %", ["" if time is None else f"{format_ms(time.p99)} ms" for time in times]),
        Column("worst", ["" if time is None else f"{format_ms(time.worst)} ms" for time in times]),
    )


def format_readiness(result: Readiness) -> str:
    """Whether a bot is ready; not yet printable."""
    startup = "" if result.startup_ms is None else f", {format_startup(result.startup_ms)} to start"
    return f"{result.bot}: {'ready' if result.ready else 'not ready'}{startup}"


def format_problem(result: Readiness) -> Iterator[str]:
    """The problem of a bot, and what to do; empty if there is none. Not yet printable."""
    if result.ready:
        if result.advice is not None:
            yield f"{result.bot} is ready, but {result.advice}"
        return
    yield f"{result.bot} is not ready: {result.problem}"
    if result.advice is not None:
        yield f"    what to do: {result.advice}"
    lines = stderr_lines(result.stderr)
    if lines:
        yield "    what it wrote:"
        yield from (f"      {line}" for line in lines)


def format_certainty(results: Sequence[Readiness]) -> str | None:
    """How much the check says about rare faults; None if no program is ready without one."""
    decisions = [
        result.thinking_ms.decisions
        for result in results
        if result.ready and result.games == 1 and result.thinking_ms is not None
    ]
    if not decisions:
        return None
    least = min(decisions)
    return (
        f"one game without a fault says little about rare ones: after {format_count(least, 'decisions')} a bot may"
        f" still fail in up to {100 - 100 * 0.05 ** (1 / least):.0f} % of them (95 % confidence)"
    )
