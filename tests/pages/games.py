"""Records for the tests of pages."""

from pathlib import Path

from referee.games.renderer import Audience
from referee.pages.document import Document
from referee.pages.timeline import Timeline
from referee.record.replay import Replay
from tests.record.played import FaultyPlayer, GamePlan, RetryingPlayer

DRAGON = GamePlan(
    "year_of_the_dragon",
    {"players": 5, "great_wall": True, "super_event": "random"},
    {0: RetryingPlayer(), 2: FaultyPlayer(at=30, code="crash", retries=1)},
)
CITY = GamePlan("forbidden_city", {"players": 4}, {1: RetryingPlayer(), 3: FaultyPlayer(at=9, code="timeout")})


def document_of(path: Path, *audiences: Audience) -> Document:
    """The data of a page; for all audiences if none is named."""
    timeline = Timeline(Replay(path), audiences or None)
    timeline.finish()
    return timeline.document()
