"""Recorded games for the tests of pages: one of each game, with retries, a fault and substitutes."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

from msgspec import structs

from referee.games.renderer import Audience
from referee.pages.document import Document, Step
from referee.pages.timeline import Timeline
from referee.record.replay import Replay
from tests.games.third_game import KNOWN, NARRATOR, PRESENTER, HighCard
from tests.record.played import FaultyPlayer, GamePlan, RetryingPlayer
from tests.registered import registered

PLANS = {
    name: GamePlan(name, options, {0: RetryingPlayer(), 1: RetryingPlayer(), 2: FaultyPlayer(at=9, retries=1)})
    for name, options in {
        "year_of_the_dragon": {"players": "3", "great_wall": "true", "super_event": "random"},
        "forbidden_city": {"players": "3"},
        "high_card": {"players": "3"},
    }.items()
}


def third_game() -> AbstractContextManager[object]:
    """High Card is registered, without a renderer."""
    return registered(HighCard, narrator=NARRATOR, presenter=PRESENTER, known=KNOWN)


@cache
def whole_page(record: Path) -> Document:
    """The page of a record with everything in it; not to be changed."""
    return page(record)


def page(
    record: Path | bytes, audiences: Sequence[Audience] | None = None, stderr: Sequence[bytes] | None = None
) -> Document:
    """The page of a record."""
    timeline = Timeline(Replay(record), audiences, stderr)
    timeline.finish()
    return timeline.document()


def without_due(steps: Sequence[Step]) -> list[Step]:
    """The steps without the decisions that were due after them, which only unfinished pages have."""
    return [structs.replace(step, views=[structs.replace(view, due=None) for view in step.views]) for step in steps]
