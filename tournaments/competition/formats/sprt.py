"""SPRT: is a candidate better than its baseline by as much as claimed? Played until that is decided."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import chain
from math import factorial, fsum, log, log10
from typing import ClassVar, Final, Literal

from msgspec import Struct

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.interface import (
    MAX_ROUND_DEALS,
    MAX_TOURNAMENT_GAMES,
    Additions,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    TooFewBots,
    check_count,
)
from tournaments.competition.points import game_points
from tournaments.competition.repeats import MAX_REPEATS, decided_games, observation, repeating
from tournaments.competition.rounds import Deal, DealsOf, History, PlayedRound, Round, Table, derived

Decision = Literal["accept", "reject", "undecided"]

MODEL: Final = "GSPRT of normal differences per deal with unknown variance"

SPRT_BATCH: Final = 8
"""Deals between two evaluations of the test, unless the settings say otherwise."""
SPRT_MAX_GAMES: Final = 10_000
MAX_ELO: Final = 1000
"""Of elo0 and elo1; beyond it nearly every game is won."""


class SprtState(Struct, frozen=True, kw_only=True):
    """How a sequential test stands."""

    result: Decision | None
    """`accept`: elo1, `reject`: elo0, `undecided`: it ended without either. None while the test runs."""
    llr: float
    """The logarithm of the likelihood ratio of elo1 to elo0; it is decided at `lower` and at `upper`."""
    lower: float
    upper: float
    deals: int
    games: int
    observations: int
    """The deals that count: all, but one of those that are all equal, in a game without chance."""
    mean: float | None
    """The mean difference in game points per deal, from -1 to 1. Biased by the stopping rule."""
    undecided_by: Literal["max_games", "organiser", "repeated_deals"] | None = None
    """Why it ended undecided: another batch would exceed `max_games`, the organiser ended it, or deals only repeat."""
    model: str = MODEL


class DealSums(Struct, frozen=True, kw_only=True):
    """Sums over some deals: all that the likelihood ratio needs. d is the difference of a deal."""

    deals: int = 0
    games: int = 0
    both: float = 0.0
    """The mean game points of candidate and baseline together."""
    differences: float = 0.0
    """Of d."""
    squares: float = 0.0
    """Of d²."""


class Sprt(Format, frozen=True, forbid_unknown_fields=True):
    """Candidate and baseline take the same seats at the same deals with the same field; without one they play each
    other. The order around the table varies from batch to batch, and every deal is played in all rotations.

    Model. A deal gives one difference: the candidate's mean game points over the rotations less the baseline's. By the
    logistic model of Elo its mean is 2 L(elo) - 1 where the two play each other, and L(e + elo / 2) - L(e - elo / 2)
    beside a field, e being the Elo at which both together have the mean points that they have. The generalised
    likelihood ratio of two normal distributions with these means and an unknown variance is
    (n / 2) log(sum (d - mean0)² / sum (d - mean1)²) (X. Li, J. Liu, Z. Ying, "Generalized sequential probability ratio
    test for separate families of hypotheses", Sequential Analysis 33, 2014; M. Van den Bergh's notes on it for tests of
    chess programs, cantate.be/Fishtest/GSPRT_approximation.pdf). To both sums 2 / k is added, as the variance of the
    first few deals is often far too small. It ends at Wald's bounds log(beta / (1 - alpha)) and
    log((1 - beta) / alpha).
    """

    name: ClassVar[str] = "sprt"
    deals_of: ClassVar[tuple[DealsOf, ...]] = ("round",)

    candidate: str
    baseline: str
    field: tuple[str, ...] = ()
    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = SPRT_BATCH
    max_games: int = SPRT_MAX_GAMES
    """Maximum number of games; the test then ends undecided."""

    def check(self, context: FormatContext) -> None:
        k = context.seats
        names = [self.candidate, self.baseline, *self.field]
        for setting, name in zip(("candidate", "baseline", *["field"] * len(self.field)), names, strict=True):
            context.index(name, setting)
            if names.count(name) > 1:
                raise FormatError(f'{setting}: "{name}" has two roles in the test', setting=setting)
        for entry in context.entries:
            if entry.name not in names:
                raise FormatError(
                    f'"{entry.name}" has no role in the test: it is neither candidate nor baseline nor in the field'
                )
        if len(self.field) != k - 1 and not (k == 2 and not self.field):
            raise FormatError(
                f"field: {k - 1} bots sit beside candidate or baseline at a table of {k}, not {len(self.field)}",
                setting="field",
            )
        for setting, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= MAX_ELO:
                raise FormatError(f"{setting} must be from -{MAX_ELO} to {MAX_ELO}, not {elo:g}", setting=setting)
        if self.elo1 <= self.elo0:
            raise FormatError(f"elo1 must be more than elo0 ({self.elo0:g}), not {self.elo1:g}", setting="elo1")
        for setting, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise FormatError(f"{setting} must be between 0 and 0.5, not {value:g}", setting=setting)
        check_count("batch", self.batch, MAX_ROUND_DEALS)
        check_count("max_games", self.max_games, MAX_TOURNAMENT_GAMES)
        if self.max_games < self._games(context):
            raise FormatError(f"max_games: one batch alone is {self._games(context)} games", setting="max_games")

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        """See Format. It also ends when deals only repeat others."""
        if self.decide(context, history).result is not None:
            return None
        number = len(history) + 1
        if len(context.playing(number)) < len(context.entries):
            raise TooFewBots(context, number, "the test needs all of its bots")
        return Round(number=number, tables=self.tables(context, number), deals=self.batch)

    def tables(self, context: FormatContext, number: int) -> tuple[Table, ...]:
        """The tables of a round: the first is the candidate's, and a second one the baseline's."""
        draws = Draws(context.seed, f"sprt/{number}")
        if not self.field:
            first, second = (context.index(name, "candidate") for name in (self.candidate, self.baseline))
            return (Table(tuple(draws.shuffled([first, second]))),)
        order = draws.shuffled([None, *self.field])
        return tuple(
            Table(tuple(context.index(name or under_test, "field") for name in order))
            for under_test in (self.candidate, self.baseline)
        )

    def deals(self, context: FormatContext) -> int:
        return self.batch

    def refuses_bye(self, context: FormatContext, number: int) -> str | None:
        return "a test ends when one of its bots is absent"

    def additions(self, context: FormatContext, history: History) -> Additions:
        return Additions(added={"sprt": self.decide(context, history)})

    def decide(self, context: FormatContext, history: History) -> SprtState:
        """The state of the test after these rounds."""
        candidate = context.index(self.candidate, "candidate")
        baseline = context.index(self.baseline, "baseline")
        by_round = [_round_sums(played, candidate, baseline) for played in history]
        sums = DealSums(
            deals=sum(part.deals for part in by_round),
            games=sum(part.games for part in by_round),
            both=fsum(part.both for part in by_round),
            differences=fsum(part.differences for part in by_round),
            squares=fsum(part.squares for part in by_round),
        )
        own, repeats, orders = _observations(history, candidate, baseline)
        counted = sums if own is None else _sums(own)
        llr = 0.0
        if counted.deals:
            means = [self._mean(elo, counted) for elo in (self.elo0, self.elo1)]
            # The sums of (d - mean)².
            about = [
                counted.squares - 2 * mean * counted.differences + counted.deals * mean**2 + 2 / context.seats
                for mean in means
            ]
            llr = counted.deals / 2 * log(about[0] / about[1])
        lower, upper = log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)
        result: Decision | None = "accept" if llr >= upper else "reject" if llr <= lower else None
        over: Literal["max_games", "organiser", "repeated_deals"] | None = None
        if result is None:
            if sums.games + self._games(context) > self.max_games:
                over = "max_games"
            elif context.ended:
                over = "organiser"
            elif repeats >= MAX_REPEATS and orders == factorial(context.seats - 1):
                over = "repeated_deals"  # in every order around the table
        return SprtState(
            result="undecided" if over else result,
            llr=llr,
            lower=lower,
            upper=upper,
            deals=sums.deals,
            games=sums.games,
            observations=counted.deals,
            mean=sums.differences / sums.deals if sums.deals else None,
            undecided_by=over,
        )

    def rule(self, context: FormatContext) -> str:
        beside = " beside the same field" if self.field else ""
        between = f"between {self.elo0:g} and {self.elo1:g} Elo ({MODEL})"
        return f"{self.candidate} against {self.baseline}{beside}, until a sequential test decides {between}"

    def plan(self, context: FormatContext) -> FormatPlan:
        rounds = self.max_games // self._games(context)
        return FormatPlan(
            rule=self.rule(context),
            rounds=rounds,
            tables=rounds * (2 if self.field else 1),
            games=rounds * self._games(context),
            upper_bound=True,
        )

    def _games(self, context: FormatContext) -> int:
        return self.batch * context.seats * (2 if self.field else 1)

    def _mean(self, elo: float, sums: DealSums) -> float:
        """The mean difference per deal that an Elo difference makes."""
        if not self.field:
            return 2 * expected_points(elo) - 1
        # Half a win and half a loss are added, so that an Elo exists for bots that have won or lost everything.
        both = (sums.both + 1) / (2 * sums.deals + 2)
        level = 400 * log10(both / (1 - both))
        return expected_points(level + elo / 2) - expected_points(level - elo / 2)


def expected_points(elo: float) -> float:
    """The expected points of a bot that is stronger by this much."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@derived
def _round_sums(played: PlayedRound, candidate: int, baseline: int) -> DealSums:
    games = sum(len(result.games) + len(result.void) for result in played.results)
    return _sums([(a, b) for _, a, b in _deals(played, candidate, baseline)], games)


def _sums(pairs: Sequence[tuple[float, float]], games: int = 0) -> DealSums:
    return DealSums(
        deals=len(pairs),
        games=games,
        both=fsum(a + b for a, b in pairs),
        differences=fsum(a - b for a, b in pairs),
        squares=fsum((a - b) ** 2 for a, b in pairs),
    )


def _observations(history: History, candidate: int, baseline: int) -> tuple[list[tuple[float, float]] | None, int, int]:
    """The mean game points of both in each observation, the number of deals after the first of the last one, and the
    number of orders around the table, if all deals are repeated in them. None where each deal is an observation."""
    repeated = repeating(chain.from_iterable(map(decided_games, history)))
    if not repeated:
        return None, 0, 0
    found: dict[Hashable, tuple[float, float]] = {}
    repeats = 0
    for played in history:
        games = defaultdict(list)
        for game in decided_games(played):
            games[game.deal].append(game)
        for deal, a, b in _deals(played, candidate, baseline):
            own = observation(deal, games[deal], repeated)
            repeats = repeats + 1 if own in found else 0
            found.setdefault(own, (a, b))
    lines = [own for own in found if isinstance(own, frozenset)]
    orders = {frozenset(order for order, _ in own) for own in lines} if len(lines) == len(found) else ()
    return list(found.values()), repeats, len(orders)


@derived
def _deals(played: PlayedRound, candidate: int, baseline: int) -> tuple[tuple[Deal, float, float], ...]:
    """Deals with the mean game points of both; a forfeit is a lost game. A deal that a ruling has changed is left
    out."""
    spoiled: set[Deal] = set()
    by_deal: dict[Deal, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for result in played.results:
        spoiled.update(game.deal for game in result.void)
        spoiled.update(game.deal for game in result.games if game.by_ruling)
        for bot, side in ((candidate, 0), (baseline, 1)):
            if bot in result.table.bots:
                position = result.table.bots.index(bot)
                for game in result.games:
                    by_deal[game.deal][side].append(float(game_points(game)[position]))
    return tuple(
        (deal, sum(first) / len(first), sum(second) / len(second))
        for deal, (first, second) in by_deal.items()
        if first and second and deal not in spoiled
    )
