"""The page of a record, as data."""

from pathlib import Path

from referee.games.renderer import Audience
from referee.pages.document import Document
from referee.pages.timeline import Timeline
from referee.record.replay import Replay


def document_of(path: Path, *audiences: Audience) -> Document:
    """The data of a page; for all audiences if none is named."""
    timeline = Timeline(Replay(path), audiences or None)
    timeline.finish()
    return timeline.document()
