"""Sequential tests, and which of several bots is best, in words."""

from collections.abc import Sequence
from typing import Final

from referee.games.narrator import format_count
from referee.reports.formatting import format_confidence, format_estimate
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import PairComparison

WHY: Final = {
    "max_games": "no decision within the maximum number of games",
    "organiser": "no decision before the organiser ended it",
    "repeated_deals": "the game has no chance, and the bots repeat themselves, so more deals would say nothing",
    None: "",
}
"""Why a test is undecided."""
MAX_WINNERS: Final = 3
"""The most bots that share a place and are named; more are counted."""


def format_sprt(state: SprtState) -> str:
    result = {
        "accept": "accept (elo1)",
        "reject": "reject (elo0)",
        "undecided": f"undecided: {WHY[state.undecided_by]}",
        None: "not decided yet",
    }[state.result]
    mean = ""
    if state.mean is not None:
        mean = f"; mean difference per deal {state.mean:+.3f} game points, biased by the stopping"
    counted = "" if state.observations == state.deals else f" ({state.observations} distinct)"
    return f"SPRT: {result}. {format_llr(state)}, after {format_count(state.deals, 'deals')}{counted}{mean}"


def format_test(state: SprtState, candidate: str, baseline: str) -> str:
    """What a sequential test has decided, in a sentence without its figures."""
    said = {
        "accept": f"{candidate} is as good against {baseline} as claimed: the test accepts elo1",
        "reject": f"{candidate} is not as good against {baseline} as claimed: the test rejects elo1",
        "undecided": f"The test of {candidate} against {baseline} is undecided: {WHY[state.undecided_by]}",
        None: f"The test of {candidate} against {baseline} is not decided yet",
    }[state.result]
    return f"{said}, after {format_count(state.deals, 'deals')}."


def format_llr(state: SprtState) -> str:
    """The log-likelihood ratio of a test and its bounds."""
    return f"Log-likelihood ratio {state.llr:z.2f}, between {state.lower:.2f} and {state.upper:.2f}"


def format_difference(pair: PairComparison) -> str:
    """The difference per deal of two bots: of their scores, or of their game points, which have a name."""
    if pair.by_points:
        return f"{format_estimate(pair.score, digits=2, sign='+')} game points"
    return format_estimate(pair.score, sign="+")


def format_best(best: str, leads: list[PairComparison]) -> str:
    """Which of several bots scores best, and whether its lead over the next one is certain."""
    closest = min(leads, key=lambda pair: pair.score.mean)
    low = closest.score.low
    unit = "" if closest.by_points else " points"
    lead = f"by {format_difference(closest)}{unit} per deal over {closest.b}"
    if low is None:
        return f"best so far: {best}, {lead}; too few deals for an interval"
    if low > 0:
        return f"best: {best}, {lead} ({format_confidence(closest.better)})"
    level = [pair.b for pair in leads if pair.score.low is not None and pair.score.low <= 0]
    return f"best so far: {best}, {lead}; not yet told apart from {', '.join(level)}: play more deals"


def named(names: Sequence[str]) -> str:
    """Up to three names as a list in words, or how many bots they are."""
    if len(names) > MAX_WINNERS:
        return f"{len(names)} bots"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
