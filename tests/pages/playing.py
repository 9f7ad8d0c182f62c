"""Recorded games for the tests of pages: one of each game, with retries, a fault and substitutes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from referee.games.renderer import Audience
from referee.pages.document import Document
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


@contextmanager
def third_game() -> Iterator[None]:
    """High Card is registered, without a renderer."""
    with ExitStack() as stack:
        stack.enter_context(registered(HighCard, narrator=NARRATOR, presenter=PRESENTER, known=KNOWN))
        yield


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
