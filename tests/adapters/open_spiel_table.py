"""Writes the table of all games of OpenSpiel into docs/games/open-spiel.md.

make open-spiel-table
"""

import sys
from pathlib import Path
from typing import Any, Final

import trio

from referee.adapters.open_spiel import catalogue, library
from referee.adapters.open_spiel.cards import CARD_GAMES
from referee.adapters.open_spiel.dice import DICE_GAMES
from referee.adapters.open_spiel.grid_table import GRID_GAMES
from referee.games import OptionError, find_game
from referee.games.options import options
from tests.adapters.open_spiel_games import play, tensor_pairs
from tests.adapters.open_spiel_samples import PUBLIC_SAMPLES, SAMPLES, draw_samples

PAGE: Final = Path(__file__).parents[2] / "docs" / "games" / "open-spiel.md"
BEGIN: Final = "<!-- written by make open-spiel-table -->"
END: Final = "<!-- end of the table -->"
PAIRS: Final = 300
"""Pairs of positions whose tensors are compared."""
FEWEST_PAIRS: Final = 100


DRAWINGS: Final = ("grid, clicks", "grid", "dice", "cards", "text")
Lists = dict[str, list[str]]
"""Names of games by the drawing that they have."""


def games() -> tuple[Lists, Lists, list[str]]:
    """The games that can be played: with nothing hidden, with moves at the same time, and rows for the others.

    Each is played, and its record verified.
    """
    public: Lists = {}
    simultaneous: Lists = {}
    rows = []
    for name, kind in sorted(library.game_types().items()):
        if catalogue.refusal(kind) is not None:
            continue
        game: Any = find_game(f"open_spiel:{name}")
        trio.run(play, f"open_spiel:{name}", "table")
        players = next(option for option in options(game.Config) if option.name == "players")
        low, high = players.minimum, players.maximum
        seats = f"{low}" if low == high else f"{low} to {high}"
        shown = f"`{name}`" + r"\*" * game.cooperative
        can_search, has_tensors = searchable(game), tensors(game)
        if catalogue.has_secrets(kind):
            rows.append(f"| {shown} | {seats} | {can_search} | {has_tensors} | {drawing(name)} |")
            continue
        assert can_search == "yes", name
        assert has_tensors.endswith(("yes", " pairs")), name
        (public if game.is_public else simultaneous).setdefault(drawing(name), []).append(
            shown if seats == "2" else f"{shown} ({seats})"
        )
    return public, simultaneous, rows


def by_drawing(lists: Lists) -> list[str]:
    """A line for each drawing."""
    return [f"- {drawn}: {', '.join(lists[drawn])}" for drawn in DRAWINGS if drawn in lists]


def refused() -> list[str]:
    """The other games, by the reason why they can't be played."""
    by_reason: dict[str, list[str]] = {}
    for name, kind in sorted(library.game_types().items()):
        reason = catalogue.refusal(kind)
        if reason is not None:
            by_reason.setdefault(reason, []).append(f"`{name}`")
    return [f"- {', '.join(names)}: {reason}" for reason, names in sorted(by_reason.items())]


def searchable(game: Any) -> str:
    """Whether a bot can draw again what it doesn't know. In a game with secrets, of how many samples none was bad."""
    if game.is_public:
        return "yes"
    if not game.traits.searchable:
        return "no"
    has_secrets = catalogue.has_secrets(game.kind)
    drawn, _, problems = draw_samples(game, SAMPLES if has_secrets else PUBLIC_SAMPLES)
    assert not problems, (game.name, problems)
    return f"{drawn} samples" if has_secrets else "yes"


def tensors(game: Any) -> str:
    """Whether a bot can have tensors."""
    if not (game.kind.provides_observation_tensor or game.kind.provides_information_state_tensor):
        return "none"
    if game.is_public:
        return "yes"
    found, differ = tensor_pairs(game.name, PAIRS)
    offered = game.kind.short_name in catalogue.TENSORS
    assert offered == (found >= FEWEST_PAIRS and not differ), (game.name, found, differ)
    return f"{found} pairs" if offered else f"no: {differ} of {found} pairs differ" if differ else "no: too few pairs"


def drawing(name: str) -> str:
    """How pages draw a game, and whether clicks choose actions."""
    if name in GRID_GAMES:
        return "grid, clicks" if GRID_GAMES[name].moves else "grid"
    return "cards" if name in CARD_GAMES else "dice" if name in DICE_GAMES else "text"


def table() -> str:
    """The table, with a line on the version and the numbers."""
    public, simultaneous, rows = games()
    playable = sum(map(len, (*public.values(), *simultaneous.values()))) + len(rows)
    return "\n".join(
        [
            BEGIN,
            "",
            f"With {library.version()}: {len(library.game_types())} games, of which {playable} can be played.",
            "",
            "Nothing is hidden, and a bot can search and have tensors; by drawing:",
            "",
            *by_drawing(public),
            "",
            "Only moves at the same time are hidden; likewise:",
            "",
            *by_drawing(simultaneous),
            "",
            "The others:",
            "",
            "| game | seats | searchable | tensors | drawing |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            "The others are refused:",
            "",
            *refused(),
            "",
            END,
        ]
    )


def main() -> None:
    """Write the table."""
    try:
        written = table()
    except OptionError as error:
        sys.exit(str(error))
    text = PAGE.read_text()
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(before + written + after)


if __name__ == "__main__":
    main()
