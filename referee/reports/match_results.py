"""What is said of a match: standings, pairs, thinking times, faults, and its JSON."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from protocol.messages import FaultCode
from referee.bots.advice import advice_on, problem_of
from referee.bots.crash import stderr_lines
from referee.bots.variants import parse_variation
from referee.games import Game
from referee.games.narrator import format_count, format_game_id
from referee.games.opening import PlayedOn
from referee.outcome import Outcome
from referee.players.clock import milliseconds
from referee.printable import printable
from referee.processes.causes import SUSPENDED
from referee.processes.stderr_log import StderrExcerpt
from referee.reports.comparison import format_best, format_difference, format_sprt
from referee.reports.formatting import (
    format_confidence,
    format_estimate,
    format_path,
    format_repeated_deals,
    format_seat_wins,
    format_share,
    without_numbers,
)
from referee.reports.model import THINKING, Cell, Column, Table, numbers, thinking_table
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.intervals import MIN_DEALS, Estimate
from tournaments.competition.match_standings import (
    PairComparison,
    Standing,
    compare_pairs,
    decided,
    match_standings,
    seat_standings,
    seat_wins,
)
from tournaments.competition.points import SeatWins
from tournaments.competition.repeats import DealCounts, Decided, Line, count_deals, repeating
from tournaments.play.executor import executor_kind

if TYPE_CHECKING:
    from tournaments.play.match import MatchResult

MAX_SHOWN_FAULTS: Final = 10
"""Number of different faults that are shown in full."""
FAULT_STDERR_LINES: Final = 4
SHOWN_STDERR_CHARS: Final = 300
"""Characters of a line of standard error that are shown."""


class BotFault(Struct, frozen=True, kw_only=True):
    """A fault, and what the bot wrote to its standard error in that game."""

    game_id: str
    seat: int
    bot: str
    code: FaultCode
    message: str
    referee_late_ms: float
    record: str | None
    stderr: str | None
    head: str
    omitted: int
    tail: str


class MatchSummary:
    """The results of a match, each computed once."""

    def __init__(
        self,
        result: "MatchResult",
        *,
        broken_off: bool = False,
        state: SprtState | None = None,
        elos: tuple[float, float] | None = None,
        vary: Sequence[str] = (),
    ) -> None:
        """`broken_off`: the match ended early. `state`: that of its sequential test, which decides between `elos`.
        `vary`: the settings that its bots are variants of."""
        self.result = result
        self.broken_off = broken_off
        self.state = state
        self.elos = elos
        self.vary = vary
        self.plan = result.match.plan
        self.names = [bot.name for bot in self.plan.bots]
        self.field = self.names[len(self.names) - result.match.field :]

    @cached_property
    def deals(self) -> int:
        """The number of deals that were played in at least one rotation."""
        return self.result.games.deals()

    @property
    def _decided(self) -> Iterator[Decided]:
        """The games, where some can be equal to others."""
        unequal = self.plan.game.traits.chance and self.plan.openings is None
        outcomes = () if unequal else self.result.games.outcomes()
        return (decided(game, outcome) for game, outcome in outcomes)

    @cached_property
    def _repeated(self) -> Collection[Line]:
        return repeating(self._decided)

    @cached_property
    def repeated_deals(self) -> DealCounts | None:
        """How many deals are distinct; None if all are."""
        return count_deals(self._decided)

    @cached_property
    def standings(self) -> list[Standing]:
        """The standings; with a field, the bots that are compared come first, by their scores."""
        rows = match_standings(self.names, self.result.games.outcomes(), self._repeated)
        if self.field:
            by_rank = any(row.faults for row in rows if row.name not in self.field)
            rows.sort(key=lambda row: (row.name in self.field, row.rank.mean if by_rank else -row.score.mean))
        return rows

    @cached_property
    def seats(self) -> list[Standing] | None:
        """The results of each seat, of a game that is played on from a record."""
        if not isinstance(self.plan.openings, PlayedOn):
            return None
        return seat_standings(self.plan.config.players, self.result.games.outcomes(), self._repeated)

    @cached_property
    def pairs(self) -> list[PairComparison]:
        """The difference between the bots of each pair, in the order of the standings."""
        place = {standing.name: place for place, standing in enumerate(self.standings)}
        pairs = compare_pairs(self.names, self.result.games.outcomes(), self._repeated)
        return sorted(pairs, key=lambda pair: sorted((place[pair.a], place[pair.b])))

    @property
    def pairs_shown(self) -> list[PairComparison]:
        """The pairs in points of the rules; with a field, only those of the best bot under comparison."""
        pairs = self.pairs
        if self.field and self.result.games:
            pairs = [pair for pair in pairs if pair.a == self.standings[0].name]
        return [
            pair if pair.by_points else structs.replace(pair, score=in_points(self.plan.game, pair.score))
            for pair in pairs
        ]

    @cached_property
    def faults(self) -> list[BotFault]:
        return [
            BotFault(
                game_id=played.game.game_id,
                seat=seat,
                bot=self.names[played.game.seating[seat]],
                code=fault.code,
                message=fault.message,
                referee_late_ms=round(fault.referee_late * 1000, 1),
                record=format_path(played.record),
                stderr=None if (excerpt := played.stderr[seat]) is None else format_path(excerpt.path),
                head="" if excerpt is None else excerpt.head,
                omitted=0 if excerpt is None else excerpt.omitted,
                tail="" if excerpt is None else excerpt.tail,
            )
            for played in self.result.games.with_faults()
            for seat, fault in enumerate(played.outcome.faults)
            if fault is not None
        ]

    @property
    def record_to_show(self) -> Path | None:
        """The most informative record: of the first game with a fault, or else of the first game."""
        games = chain(self.result.games.with_faults(), self.result.games)
        return next((played.record for played in games if played.record is not None), None)

    # -- tables ---------------------------------------------------------------------------------------------------

    def standings_table(self, bots: Sequence[Cell] | None = None) -> Table:
        """The standings. `bots`: the cells with the names, where they are more than text."""
        return self._results_table("Standings", self.standings, "bot", bots)

    def seats_table(self) -> Table | None:
        """The results of each seat, of a game that is played on from a record."""
        return None if self.seats is None else self._results_table("The results of each seat", self.seats, "seat")

    def _results_table(
        self, caption: str, rows: Sequence[Standing], kind: str, names: Sequence[Cell] | None = None
    ) -> Table:
        return Table.of(
            caption,
            Column(kind, names or [printable(row.name) for row in rows], "name"),
            Column("mean score", [format_estimate(in_points(self.plan.game, row.score)) for row in rows]),
            Column("wins", [format_share(row.wins) for row in rows]),
            Column("mean rank", [format_estimate(row.rank, digits=2) for row in rows]),
            numbers("games", [row.games for row in rows]),
            numbers("faults", [row.faults for row in rows]),
        )

    def pairs_table(self, names: tuple[Column, Column] | None = None) -> Table | None:
        """The difference between the bots of each pair; None before the second deal. `names`: both bots of each."""
        pairs = self.pairs_shown
        if self.deals < 2 or not pairs:
            return None
        first = Column("bot", [printable(pair.a) for pair in pairs], "name")
        second = Column("against", [printable(pair.b) for pair in pairs], "name")
        return Table.of(
            "The difference between the bots of each pair",
            *(names or (first, second)),
            Column("score per deal", [format_difference(pair) for pair in pairs]),
            Column("ahead", ["" if pair.ahead is None else format_share(pair.ahead) for pair in pairs]).shown_if(
                not self.field
            ),
            Column("better", [format_confidence(pair.better) for pair in pairs]),
        )

    def thinking_table(self) -> Table | None:
        """The thinking times of bots, in the order of the standings; None if only built-in players played."""
        times = dict(zip(self.names, self.result.thinking, strict=True))
        found = {row.name: times[row.name] for row in self.standings if times[row.name].decisions}
        if not found:
            return None
        return thinking_table(Column(THINKING, list(map(printable, found)), "name"), list(found.values()))

    # -- in words -------------------------------------------------------------------------------------------------

    def format_heading(self) -> str:
        match, games, openings = self.result.match, len(self.result.games), self.plan.openings
        opening = "" if openings is None else f", {printable(openings.source)}"
        of = f"{games} of {format_count(match.games, 'games')}" if self.broken_off else format_count(games, "games")
        return f"{self.plan.game.title}: {of}, {format_count(self.deals, 'deals')}, seed {match.seed}" + opening

    def format_interval_note(self) -> str:
        if self.deals < MIN_DEALS:
            return f"Too few deals for confidence intervals: {self.deals}; {MIN_DEALS} are needed"
        if all(row.score.low is None for row in self.standings):
            return f"Too few distinct deals for confidence intervals; {MIN_DEALS} are needed"
        return "± and (low–high): 95 % confidence intervals over deals"

    def format_repeated_deals(self) -> Iterator[str]:
        """A line if some deals are equal to others."""
        if self.repeated_deals is not None:
            found, game, openings = self.repeated_deals, self.plan.game, self.plan.openings
            if not isinstance(openings, PlayedOn):
                instead = "--games 1" if openings is None else f"--games {found.distinct}"
                yield format_repeated_deals(found, game.name, instead, openings=openings is not None)
                return
            why = "nothing is drawn after this position" if game.traits.chance else ""
            line = format_repeated_deals(found, game.name, "--games 1", why=why)
            redraw = game.traits.hidden and game.is_searchable(self.plan.config) and openings.redraw is None
            yield line + ("; --redraw SEAT draws again what is hidden from a seat" if redraw else "")

    @cached_property
    def seat_wins(self) -> SeatWins | None:
        """How many deals one seat won in all rotations, where an opening may have decided them."""
        if self.plan.openings is None or not self.result.match.rotate:
            return None
        return seat_wins(self.result.games.outcomes())

    def format_seat_wins(self) -> Iterator[str]:
        """A line for a match with openings."""
        if self.seat_wins is not None and self.seat_wins.deals:
            yield format_seat_wins(self.seat_wins, "the position" if isinstance(self.plan.openings, PlayedOn) else None)

    def format_verdict(self) -> Iterator[str]:
        """The line for which bots were compared: the result of a test, or which of them scores best against the
        field."""
        if self.state is not None:
            yield format_sprt(self.state)
            if self.field and self.state.result == "undecided" and self.state.mean == 0:
                yield "Both got the same game points: do they play alike, or does the field always win, or never?"
        elif self.field and self.deals > 1:
            leads = [pair for pair in self.pairs_shown if pair.b not in self.field]
            if leads:
                yield format_best(leads[0].a, leads)

    def format_faults(self) -> Iterator[str]:
        """The first MAX_SHOWN_FAULTS different faults with messages and standard error, and the number of the others.

        Equal faults of a bot are told once, with their number and the standard error of the first one.
        """
        bots = {bot.name: bot for bot in self.plan.bots}
        groups: dict[tuple[str, str, str], list[BotFault]] = defaultdict(list)
        for fault in self.faults:
            groups[fault.bot, fault.code, without_numbers(fault.message)].append(fault)
        for group in list(groups.values())[:MAX_SHOWN_FAULTS]:
            fault = group[0]
            count = f"×{len(group)} " if len(group) > 1 else ""
            game = f"{format_game_id(fault.game_id)} ({fault.game_id})"
            excerpt = StderrExcerpt(path=None, head=fault.head, omitted=fault.omitted, tail=fault.tail)
            problem = problem_of(fault.code, fault.message, excerpt.text)
            yield f"{count}{game}: {fault.bot}: {fault.code}: {problem}"
            late = max(each.referee_late_ms for each in group)
            if late:
                yield f"    the referee itself was {'up to ' if count else ''}{late:.0f} ms late meanwhile"
            for line in format_stderr(fault, excerpt):
                yield f"    {printable(line, SHOWN_STDERR_CHARS)}"
            bot, sandboxed = bots[fault.bot], self.plan.sandbox is not None
            advice = advice_on(fault.code, fault.message, excerpt.text, bot, reader="player", sandboxed=sandboxed)
            yield f"    what to do: {advice}"
        rest = sum(map(len, list(groups.values())[MAX_SHOWN_FAULTS:]))
        if rest:
            yield f"… and {format_count(rest, 'more faults')}; --json lists them all"

    def format_fallbacks(self) -> Iterator[str]:
        """By bot that took decisions at random for want of a part, how many."""
        for name, time in zip(self.names, self.result.thinking, strict=True):
            if time.fallbacks:
                yield f"{printable(name)}: {time.format_fallbacks()}"

    def format_warnings(self) -> Iterator[str]:
        """Warnings that the results may not mean what they seem to."""
        yield from self._lag_warnings()
        yield from self._idle_settings()

    def _lag_warnings(self) -> Iterator[str]:
        """Warnings if the referee was suspended, or its event loop lag over the margin, while bots played with enforced
        clocks."""
        lag, conditions = self.result.lag, self.plan.conditions
        if not conditions.control.enforced or self.plan.only_builtin:
            return
        late = sum(fault.referee_late_ms > 0 for fault in self.faults)
        timeouts = f" {format_count(late, 'timeouts')} happened while it was late." if late else ""
        if lag.suspensions:
            yield (
                f"Warning: the referee was suspended {format_count(lag.suspensions, 'times')}, for"
                f" {lag.suspended_ms / 1000:.1f} s in all, {SUSPENDED.explanation}. Bots were charged for that time"
                f" within their limits.{timeouts} What to do: {SUSPENDED.remedy}."
            )
            timeouts = ""
        if not lag.over_margin:
            return
        if executor_kind(conditions).plays_here:
            who, less = (
                "this machine was",
                f"Lower --concurrency (now {conditions.games_at_a_time}), stop what else runs here",
            )
        else:
            who, less = "machines of the cluster were", "Start fewer threads of Dask there, stop what else runs there"
        yield (
            f"Warning: {who} too busy to keep time. {format_count(lag.over_margin, 'times')} the referee was"
            f" late by more than the margin of {milliseconds(conditions.control.margin)} ms, by"
            f" {round(lag.max_ms)} ms at most. Bots were charged for that time, and were probably held up"
            f" themselves.{timeouts} {less}, or stretch the limits and their margin with --time-scale."
        )

    def _idle_settings(self) -> Iterator[str]:
        """A warning for each setting of `vary` that had no effect: games of variants that differ in it ended alike."""
        variations = dict(map(parse_variation, self.vary))
        variants = list(product(*variations.values()))
        for number, (name, tried) in enumerate(variations.items()):
            ended: dict[tuple[object, ...], list[Outcome]] = defaultdict(list)
            for game, outcome in self.result.games.outcomes():
                variant = min(game.seating)
                values = variants[variant]
                ended[game.deal, game.seating.index(variant), values[:number], values[number + 1 :]].append(outcome)
            compared = [outcomes for outcomes in ended.values() if len(outcomes) == len(tried) > 1]
            if compared and all(outcome == outcomes[0] for outcomes in compared for outcome in outcomes):
                yield (
                    f"Warning: {name} had no effect: games with its different values ended alike. Does the bot read the"
                    f" environment variable {name}, or should its command contain {{{name}}}?"
                )


def in_points(game: type[Game], estimate: Estimate) -> Estimate:
    """A mean of scores in points of the rules (see `narrator.in_points`)."""
    scale = game.score_scale
    margin, low, high = (
        None if value is None else value / scale for value in (estimate.margin, estimate.low, estimate.high)
    )
    return Estimate(estimate.mean / scale, margin, low, high)


def format_stderr(fault: BotFault, excerpt: StderrExcerpt) -> Iterator[str]:
    """The standard error of a bot before a fault, and its path; or else the path of the record.

    Of a crash the beginning and the end; of other faults only the end. Not yet printable.
    """
    crashed = fault.code == "crash"
    lines = stderr_lines(excerpt.text) if crashed else excerpt.tail.strip().splitlines()[-FAULT_STDERR_LINES:]
    if lines:
        where = "" if fault.stderr is None else f" ({fault.stderr})"
        yield f"{'its standard error' if crashed else 'the end of its standard error'}{where}:"
        yield from (f"  {line}" for line in lines)
    elif fault.record is not None:
        yield f"the record: {fault.record}"
