"""A short tournament of each format, for all tests that play one of each."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tests.tournaments.competition.simulated import regulations
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.regulations import Regulations


class Sample(NamedTuple):
    """Settings with which a tournament is over after some ten games, as in the format's table of a tournament file."""

    settings: Callable[[Sequence[str]], dict[str, Any]]
    """By the names of the bots, at tables of two."""
    max_bots: int = 5
    joining: bool = True
    """Whether bots can join late."""


SAMPLES: Final[dict[str, Sample]] = {
    "round_robin": Sample(lambda names: {}),
    "swiss": Sample(lambda names: {"rounds": 3}),
    "gauntlet": Sample(lambda names: {"challengers": list(names[:1]), "rounds": 2}),
    "knockout": Sample(lambda names: {"third_place": True}, joining=False),
    "double_elimination": Sample(lambda names: {}, max_bots=4, joining=False),
    "groups": Sample(lambda names: {"advance": 1}, joining=False),
    "swiss_final": Sample(lambda names: {"rounds": 2}, joining=False),
    "ladder_final": Sample(lambda names: {"rounds": 2}, joining=False),
    "ladder": Sample(lambda names: {"budget": 16}),
    "sprt": Sample(
        lambda names: {"candidate": names[0], "baseline": names[1], "batch": 3, "max_games": 18},
        max_bots=2,
        joining=False,
    ),
}


def sample_of(format_: str) -> Sample:
    """The sample of a format. Says where to add it if there is none."""
    assert format_ in SAMPLES, f"add a sample of the format {format_!r} to SAMPLES in tests/tournaments/samples.py"
    return SAMPLES[format_]


def sample_regulations(format_: str) -> Regulations:
    """A tournament of a format, for made-up results."""
    sample = sample_of(format_)
    names = [f"b{bot}" for bot in range(sample.max_bots)]
    return regulations(format_, names, **sample.settings(names))


def each_format() -> list[Regulations]:
    """One such tournament of each format in the registry."""
    return [sample_regulations(format_) for format_ in FORMATS]
