"""Openings as matches and tournaments are given them: a number of drawn decisions, or the contents of a file."""

from pathlib import Path
from typing import Final

import msgspec
from msgspec import structs

from referee.games import Game, GameConfig, OptionError, Seeded
from referee.games.opening import DrawnOpenings, GivenOpenings, ListedOpening, ListedOpenings, OpeningError
from referee.games.registry import find_opening_reader
from tournaments.play.configuration import read_text

MAX_OPENINGS: Final = 32 * 1024**2
"""Maximum size in bytes of a file of openings."""
MAX_CHECKED: Final = 5000
"""Openings of a file that are checked."""
SAMPLE_DEALS: Final = 20
"""Deals, drawn for the check only, in one of which an opening of a game with chance has to be legal."""


def read_openings_file(path: Path) -> str:
    """The text of a file of openings. Raises OpeningError."""
    try:
        return read_text(str(path), MAX_OPENINGS)
    except OptionError as error:
        raise OpeningError(f"{path}: the file {error}") from None


def openings_of(game: type[Game], name: str | None, text: str, plies: int | None, seed: str) -> GivenOpenings:
    """Openings in an order, or drawn, by `seed`. `name` and `text`: of a file, of whose openings at most `plies`
    decisions are played, each that differs once; without a name so many are drawn. Raises OpeningError."""
    if name is None:
        return DrawnOpenings(plies=plies or 0, seed=seed)
    listed = find_opening_reader(game)(name, text)
    if not listed:
        raise OpeningError(f"{name}: the file has no opening; write one a line")
    if plies is not None:
        listed = [structs.replace(each, actions=each.actions[:plies]) for each in listed]
    different = {msgspec.json.encode((each.actions, each.options)): each for each in reversed(listed)}
    return ListedOpenings(listed=[*reversed(different.values())], seed=seed)


def check_openings(openings: GivenOpenings, game: type[Game], config: GameConfig) -> None:
    """Check that each opening of a file, unless they are many, can be played: in a game with chance in one of some
    deals that are drawn for this. Raises OpeningError."""
    if not isinstance(openings, ListedOpenings):
        return
    deals = [Seeded(number).seed for number in range(SAMPLE_DEALS if game.traits.chance else 1)]
    for listed in openings.listed[:MAX_CHECKED]:
        _check_opening(listed, game, config, deals)


def _check_opening(listed: ListedOpening, game: type[Game], config: GameConfig, deals: list[str]) -> None:
    for deal in deals:
        try:
            listed.begin(game, config, deal)
        except OpeningError:
            if deal == deals[-1]:
                raise
        else:
            return
