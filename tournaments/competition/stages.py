"""The names of the rounds of a knockout: "semi-finals", "semi-finals, play-off 2 of 5". Pure."""

from collections.abc import Sequence
from typing import Final

from tournaments.competition.formats.knockout import PLAY_OFFS, Knockout, Stage
from tournaments.competition.progress import Progress

NAMES: Final = {1: "final", 2: "semi-finals", 4: "quarter-finals"}
"""At tables of two, by the number of bots that go on."""


def stages(progress: Progress) -> list[Stage]:
    """The stages of a knockout that have begun; none in other formats."""
    settings = progress.regulations.format_settings
    if not isinstance(settings, Knockout):
        return []
    return settings.stages(progress.format_context(), progress.paired_by)


def stage_name(stage: Stage, seats: int) -> str:
    """The name of a stage: of the last two as everywhere; before them "round of 16" at tables of two, of which the
    first may lack some bots, and else "stage 1"."""
    if stage.final:
        return NAMES[1]
    if seats == 2:
        return NAMES.get(stage.going_on, f"round of {2 * stage.going_on}")
    return NAMES[2] if len(stage.tables) == 2 and stage.going_on <= seats else f"stage {stage.number}"


def round_names(found: Sequence[Stage], seats: int) -> dict[int, str]:
    """By the number of a round its name, also of the one that is played next. Empty without stages."""
    names = {}
    for stage in found:
        name = stage_name(stage, seats)
        for attempt, number in enumerate(stage.rounds):
            names[number] = f"{name}, play-off {attempt} of {PLAY_OFFS}" if attempt else name
    return names
