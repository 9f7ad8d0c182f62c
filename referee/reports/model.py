"""A report as plain data: pages of sections, each with words, a plot and a table. Its contents are fixed before it is
written; `write` only decides how they look.

Links are targets such as `bot:3`, `game:r01-t001-d01-s1` or, for a file beside the report, `file:PATH`, which lead to
other files in a folder and to other places in one file; a target that isn't there is shown as plain text.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from referee.reports.table import Column, Table


class Section(Struct, frozen=True, kw_only=True):
    """A section of a page. Parts without a value are left out."""

    key: str
    """Its address within the page."""
    title: str = ""
    words: Sequence[str] = ()
    """Paragraphs before the plot."""
    plot: str = ""
    """SVG."""
    table: Table | None = None
    folded: str = ""
    """If not empty, the table is behind a click on these words."""
    text: str = ""
    """A file, shown as it is."""
    notes: Sequence[str] = ()
    """Paragraphs after the table."""
    parts: Sequence["Section"] = ()
    filtered: bool = False
    """Whether the rows of the parts can be filtered by bot and by fault."""

    @classmethod
    def with_table(cls, key: str, title: str, *columns: Column, caption: str = "", **parts: Any) -> "Section":
        """A section with a table, of which the title is the caption unless there is another."""
        return cls(key=key, title=title, table=Table(caption=caption or title, columns=columns), **parts)


class Page(Struct, frozen=True, kw_only=True):
    """A page, or in one file a part of it."""

    target: str
    """The target of links that lead to it: `home`, `bot:3`."""
    title: str
    lead: str = ""
    """The sentence below the title: who has won."""
    lines: Sequence[str]
    """Below that."""
    mark: int | None = None
    """The colour and shape of its bot, from 0."""
    live: bool = False
    """Whether games are played now."""
    sections: Sequence[Section]


class Report(Struct, frozen=True, kw_only=True):
    """A report. The first page is the one that a reader opens."""

    pages: Sequence[Page]
    bots: Sequence[str]
    """The names, for filters."""
    changes: bool = False
    """Whether a later report will differ, so that pages refresh themselves."""
    with_paths: bool = False
    """Whether absolute paths in its texts are shown."""
    footer: str
    """Which program made it, and from what."""
