"""Bots compared by what they do against a field, and sequential tests: the options."""

from typing import Annotated, Final

import typer
from msgspec import Struct

from referee.cli.failure import USAGE, Failure
from referee.cli.options import OptionGroup

DEFAULT_ERROR: Final = 0.05
"""Of alpha and beta."""


class Hypotheses(Struct, frozen=True):
    """What a sequential test decides between, and how often it may err."""

    elo0: float
    elo1: float
    alpha: float
    beta: float


class TestOptions(OptionGroup, frozen=True):
    """A sequential test."""

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
