"""Lines of a narrator or a presenter in which names are placed, in the colours of a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from referee.games.narrator import Narrator
from referee.games.placed_names import split_names


def styled(line: str, names: Sequence[str], narrator: type[Narrator[Any]]) -> Text:
    """The line with the names in the colours of their seats, and the rest in the narrator's. A heading is bold."""
    text = Text(style="" if line.startswith(" ") else "bold")
    colours = narrator.seat_styles
    for part, seat in split_names(line):
        if seat is not None:
            text.append(names[seat], colours[seat % len(colours)])
            continue
        plain = Text(part)
        for pattern, style in narrator.styles:
            plain.highlight_regex(pattern, style)
        text.append_text(plain)
    return text
