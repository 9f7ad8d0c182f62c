"""Bots compared by what they do against a field, and sequential tests: options and text."""

from typing import Annotated, Final

import typer
from msgspec import Struct

from referee.cli.failure import USAGE, Failure
from referee.cli.formatting import format_confidence, format_estimate
from referee.cli.options import OptionGroup
from referee.games.narrator import format_count
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import PairComparison

DEFAULT_ERROR: Final = 0.05
"""Of alpha and beta."""


class Hypotheses(Struct, frozen=True):
    """What a sequential test decides between, and how often it may err."""

    elo0: float
    elo1: float
    alpha: float
    beta: float


class ComparisonOptions(OptionGroup, frozen=True):
    """What bots are compared by."""

    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Play until it is decided whether the first BOT is better than the second by ELO0 or by ELO1.",
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(help="For --sprt: the probability of accepting if ELO0 is true.", show_default=str(DEFAULT_ERROR)),
    ] = None
    beta: Annotated[
        float | None,
        typer.Option(help="For --sprt: the probability of rejecting if ELO1 is true.", show_default=str(DEFAULT_ERROR)),
    ] = None
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="BOT", help="An opponent; each BOT then plays only with the field. May be repeated."),
    ] = None
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="Compare variants of the first BOT against the others: {NAME} in its command, or else an "
            "environment variable. May be repeated.",
        ),
    ] = None

    def hypotheses(self) -> Hypotheses | None:
        """The test that `--sprt` asks for. Raises Failure."""
        if self.sprt is None:
            if self.alpha is not None or self.beta is not None:
                raise Failure("--alpha and --beta are for a test: give --sprt ELO0,ELO1, such as --sprt 0,20", USAGE)
            return None
        try:
            elo0, elo1 = map(float, self.sprt.split(","))
        except ValueError:
            raise Failure(f"--sprt {self.sprt}: write ELO0,ELO1, for example --sprt 0,20", USAGE) from None
        alpha, beta = (DEFAULT_ERROR if error is None else error for error in (self.alpha, self.beta))
        return Hypotheses(elo0, elo1, alpha, beta)


def format_sprt(state: SprtState) -> str:
    """The state of a sequential test."""
    result = {
        "accept": "accept (elo1)",
        "reject": "reject (elo0)",
        "undecided": "undecided: it ended without a decision",
        None: "not decided yet",
    }[state.result]
    mean = (
        ""
        if state.mean is None
        else f"; mean difference per deal {state.mean:+.3f} game points, biased by the stopping"
    )
    return f"SPRT: {result}. {format_llr(state)}, after {format_count(state.deals, 'deals')}{mean}"


def format_llr(state: SprtState) -> str:
    """The log-likelihood ratio of a test and its bounds."""
    return f"Log-likelihood ratio {state.llr:.2f}, between {state.lower:.2f} and {state.upper:.2f}"


def format_best(best: str, leads: list[PairComparison]) -> str:
    """Which of several bots scores best, and whether its lead over the next one is certain."""
    closest = min(leads, key=lambda pair: pair.score.mean)
    low = closest.score.low
    lead = f"by {format_estimate(closest.score, sign='+')} points per deal over {closest.b}"
    if low is None:
        return f"best so far: {best}, {lead}; too few deals for an interval"
    if low > 0:
        return f"best: {best}, {lead} ({format_confidence(closest.better)})"
    level = [pair.b for pair in leads if pair.score.low is not None and pair.score.low <= 0]
    return f"best so far: {best}, {lead}; not yet told apart from {', '.join(level)}: play more deals"
