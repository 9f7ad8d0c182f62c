"""What every format promises: settings from TOML, the same rounds from the same seed, a plan of them, draws of our own.

A new format is tested by its sample in `tests/tournaments/samples.py`.
"""

from collections import Counter

import msgspec
import pytest
from msgspec import structs

from tests.tournaments.competition.formats.tournament_factory import (
    Play,
    all_equal,
    by_chance,
    by_strength,
    play_out,
    played,
    tournament,
    with_entry,
)
from tests.tournaments.samples import sample_of, sample_regulations
from tournaments.competition.formats.double_elimination import DoubleElimination
from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.groups import Groups
from tournaments.competition.formats.interface import Format, FormatContext
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.progress import Progress
from tournaments.competition.rounds import Entry, PlayedRound

pytestmark = pytest.mark.usefixtures("short_search")

EVERY = pytest.mark.parametrize("name", FORMATS)


def sample(name: str, *further: Entry) -> tuple[Format, FormatContext]:
    """A format with the settings of its sample, which has these bots besides; and its context."""
    of = sample_regulations(name)
    context = Progress(of, "seed").format_context()
    context = structs.replace(context, entries=(*context.entries, *further))
    of.format_settings.check(context)
    return of.format_settings, context


@EVERY
def test_the_same_seed_gives_the_same_rounds(name: str) -> None:
    format_, context = sample(name)
    first = play_out(format_, context, by_chance(4))
    assert first
    assert first == play_out(format_, context, by_chance(4))


@EVERY
@pytest.mark.parametrize("play", [by_strength, all_equal, by_chance(5)], ids=["strength", "draws", "chance"])
@pytest.mark.parametrize("changing", [False, True])
def test_a_plan_counts_the_rounds_that_are_paired(name: str, play: Play, changing: bool) -> None:
    format_, context = sample(name)
    if changing:
        if not sample_of(name).joining:
            pytest.skip("no bot can join it late")
        format_, context = sample(name, Entry(name="late", joined=2))
        last = len(context.entries) - 2
        context = with_entry(context, last, structs.replace(context.entries[last], withdrawn=3))
    history = play_out(format_, context, play)
    plan = format_.plan(context)
    assert plan.rule == format_.rule(context) != ""
    if plan.schedule is not None:
        assert plan.schedule == tuple(round_.round for round_ in history)
    assert (plan.schedule is None) == format_.adaptive
    tables = [result for round_ in history for result in round_.results]
    counted = (len(history), len(tables), sum(len(result.games) for result in tables))
    for number, planned in zip(counted, (plan.rounds, plan.tables, plan.games), strict=True):
        assert planned is None or (number <= planned if plan.upper_bound else number == planned)


def test_a_bracket_without_ties_has_the_usual_figures_and_with_every_tie_the_greatest() -> None:
    def figures(history: list[PlayedRound]) -> tuple[int, int, int]:
        tables = [result for round_ in history for result in round_.results]
        return len(history), len(tables), sum(len(result.games) for result in tables)

    brackets: list[tuple[Format, FormatContext]] = [
        (Knockout(third_place=True), tournament(6, deals=2)),
        (Knockout(advance=2), tournament(11, 4)),
        (Groups(groups=2, third_place=True), tournament(9, deals=2)),
        (DoubleElimination(), tournament(5, deals=2)),
    ]
    for format_, of in brackets:
        plan = format_.plan(of)
        rounds, _, games = figures(play_out(format_, of))
        assert (rounds, games) == (plan.usual_rounds, plan.usual_games)
        tied = play_out(format_, of, all_equal)
        if isinstance(format_, DoubleElimination):  # the last play-off of the grand final makes a second one necessary
            tied = [*tied[:-1], played(tied[-1].round, lambda bots, _game: bots)]
            while (round_ := format_.next_round(of, tied)) is not None:
                tied.append(played(round_, all_equal))
        assert figures(tied) == (plan.rounds, plan.tables, plan.games)


@EVERY
def test_unknown_settings_are_refused(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `rouns`"):
        msgspec.convert({**sample_regulations(name).settings, "rouns": 3}, FORMATS[name])


def test_draws_are_sha_256_in_counter_mode() -> None:
    # From the key hmac.digest(b'seed', b'purpose', 'sha256'), the hashes of it and eight bytes of 0, then of 1.
    draws = Draws("seed", "purpose")
    assert [draws.below(1000) for _ in range(6)] == [31, 577, 336, 573, 848, 885]
    assert Draws("seed", "purpose").shuffled(range(8)) == [1, 6, 4, 5, 3, 0, 2, 7]


def test_draws_are_even() -> None:
    draws = Draws("seed", "dice")
    counts = Counter(draws.below(6) for _ in range(6000))
    assert all(850 < counts[face] < 1150 for face in range(6))
