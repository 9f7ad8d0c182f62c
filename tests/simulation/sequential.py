"""The error rates of sequential tests, and their numbers of deals, in simulated matches of two bots."""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from tests.simulation.coverage import LUCK
from tests.tournaments.competition.results import game
from tests.tournaments.competition.results import table as table_result
from tournaments.competition.formats.interface import FormatContext
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.rounds import Entry, GameResult, PlayedRound, Round

Decision = Literal["accept", "reject", "undecided"]
Decide = Callable[[Sequence[float]], Decision]
"""The test: from what the candidate scored more than the baseline in each deal so far, from −1 to 1 as the mean over
its games, whether the candidate is stronger by `elo1` (accept), by no more than `elo0` (reject), or to go on."""

TIES: Final = 0.1
"""How many games of two are tied."""
POINTS: Final = 41
"""Of the quadrature over luck."""


class Decisions(Struct, frozen=True, kw_only=True):
    """How the runs ended."""

    runs: int
    accepted: int
    rejected: int
    mean_deals: float

    @property
    def undecided(self) -> int:
        """Runs that came to the largest number of deals."""
        return self.runs - self.accepted - self.rejected


def wald(elo0: float, elo1: float, risk: float, *, independent_games: bool = False) -> Decide:
    """Wald's sequential probability ratio test of the mean difference per deal, normal with the variance seen so far.

    The reference that other tests are compared with. With `independent_games` it makes the mistake of counting the two
    games of a deal as independent evidence.
    """
    low, high = (2 / (1 + 10 ** (-elo / 400)) - 1 for elo in (elo0, elo1))
    bound = math.log((1 - risk) / risk)

    def decide(differences: Sequence[float]) -> Decision:
        deals = len(differences)
        mean = math.fsum(differences) / deals
        variance = math.fsum(value * value for value in differences) / deals - mean**2
        if variance <= 0:
            return "undecided"
        ratio = deals * (high - low) * (2 * mean - low - high) / (2 * variance)
        if independent_games:
            ratio *= 2
        return "accept" if ratio >= bound else "reject" if ratio <= -bound else "undecided"

    return decide


def decisions(decide: Decide, *, elo: float, batch: int, max_deals: int, runs: int, seed: str) -> Decisions:
    """Matches between bots whose expected score differs by `elo`, decided after each batch of deals.

    A deal is two games with the seats changed, which share the luck of both bots; one game in ten is tied.
    """
    rng = random.Random(seed)
    advantage = advantage_of(elo)
    found: list[tuple[Decision, int]] = []
    for _ in range(runs):
        differences: list[float] = []
        decision: Decision = "undecided"
        while decision == "undecided" and len(differences) < max_deals:
            differences += [_deal(advantage, rng) for _ in range(batch)]
            decision = decide(differences)
        found.append((decision, len(differences)))
    return Decisions(
        runs=runs,
        accepted=sum(decision == "accept" for decision, _ in found),
        rejected=sum(decision == "reject" for decision, _ in found),
        mean_deals=statistics.fmean(deals for _, deals in found),
    )


def format_decisions(format_: Sprt, of: FormatContext, *, elo: float, runs: int, seed: str) -> Decisions:
    """Tests of the format itself, played to their end, where the candidate is better by `elo`.

    Beside a field, whose bots are all alike, the candidate is half of that better than they, and the baseline half of
    it worse. Every bot has a luck of its own in each deal, the same at all tables; with two seats one game in ten is
    tied.
    """
    rng = random.Random(seed)
    ties = TIES if of.seats == 2 else 0.0
    strengths = [0.0] * len(of.entries)
    candidate, baseline = of.index(format_.candidate, "candidate"), of.index(format_.baseline, "baseline")
    if format_.field:
        strengths[candidate], strengths[baseline] = advantage_of(elo / 2, ties), advantage_of(-elo / 2, ties)
    else:
        strengths[candidate] = advantage_of(elo, ties)
    states = []
    for _ in range(runs):
        history: list[PlayedRound] = []
        while (round_ := format_.next_round(of, history)) is not None:
            history.append(_played(round_, strengths, ties, rng))
        states.append(format_.decide(of, history))
    return Decisions(
        runs=runs,
        accepted=sum(state.result == "accept" for state in states),
        rejected=sum(state.result == "reject" for state in states),
        mean_deals=statistics.fmean(state.deals for state in states),
    )


def _played(round_: Round, strengths: Sequence[float], ties: float, rng: random.Random) -> PlayedRound:
    games: list[list[GameResult]] = [[] for _ in round_.tables]
    for deal in range(round_.deals):
        base = [strength + rng.gauss(0, LUCK) for strength in strengths]
        for table, own in zip(round_.tables, games, strict=True):
            for rotation in range(len(table.bots)):
                performance = [base[bot] - math.log(rng.expovariate(1)) for bot in table.bots]
                if rng.random() < ties:
                    performance = [0.0] * len(performance)
                ranks = [1 + sum(other > value for other in performance) for value in performance]
                own.append(game(ranks, deal=deal, rotation=rotation))
    return PlayedRound(
        round=round_,
        results=tuple(table_result(of.bots, *own) for of, own in zip(round_.tables, games, strict=True)),
    )


def sprt_of(elo1: float, *, batch: int, max_games: int, seats: int = 2, field: int = 0) -> tuple[Sprt, FormatContext]:
    """A test of 0 against `elo1` with risks of 5 %, and the tournament of its bots."""
    names = ["candidate", "baseline", *(f"field{bot}" for bot in range(field))]
    of = FormatContext(
        entries=tuple(Entry(name=name) for name in names),
        seats=seats,
        deals=1,
        points="game",
        seed="simulation",
    )
    format_ = Sprt(
        candidate="candidate", baseline="baseline", field=tuple(names[2:]), elo1=elo1, batch=batch, max_games=max_games
    )
    format_.check(of)
    return format_, of


def advantage_of(elo: float, ties: float = TIES) -> float:
    """The advantage in strength at which the expected score, luck and ties included, is that of `elo`."""
    target = 1 / (1 + 10 ** (-elo / 400))
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if _expected(middle, ties) < target:
            low = middle
        else:
            high = middle
    return low


def sampling_error(share: float, runs: int) -> float:
    """Twice the standard deviation of a share over so many runs."""
    return 2 * math.sqrt(share * (1 - share) / runs)


def _expected(advantage: float, ties: float) -> float:
    normal = statistics.NormalDist(0, LUCK * math.sqrt(2))
    lucks = [normal.inv_cdf((point + 0.5) / POINTS) for point in range(POINTS)]
    return statistics.fmean(ties / 2 + (1 - ties) * _win_chance(advantage + luck) for luck in lucks)


def _win_chance(advantage: float) -> float:
    return 1 / (1 + math.exp(-advantage))


def _deal(advantage: float, rng: random.Random) -> float:
    chance = _win_chance(advantage + rng.gauss(0, LUCK * math.sqrt(2)))
    return sum(0 if rng.random() < TIES else 1 if rng.random() < chance else -1 for _ in range(2)) / 2
