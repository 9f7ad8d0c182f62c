"""The configuration of a game from its options and the number of bots; and its openings, as matches and tournaments are
given them: a number of drawn decisions, or the contents of a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from referee.files import IrregularFile, read_file
from referee.games import Game, GameConfig, OptionError, Seeded, config_from, find_game, split_parameters
from referee.games.opening import DrawnOpenings, GivenOpenings, ListedOpening, ListedOpenings, OpeningError
from referee.games.registry import find_opening_reader

MAX_OPTION_FILE: Final = 1024**2
"""Maximum size in bytes of a file that an option names."""
MAX_OPENINGS: Final = 32 * 1024**2
"""Maximum size in bytes of a file of openings."""
MAX_CHECKED: Final = 5000
"""Openings of a file that are checked."""
SAMPLE_DEALS: Final = 20
"""Deals, drawn for the check only, in one of which an opening of a game with chance has to be legal."""


def configuration(name: str, options: Mapping[str, Any], bots: int) -> tuple[type[Game], GameConfig]:
    """The game and its Config for this number of bots. Raises OptionError."""
    name, parameters = split_parameters(name)
    game = find_game(name)
    twice = parameters.keys() & options.keys()
    if twice:
        raise OptionError(f"{name}: {', '.join(sorted(twice))} is given in parentheses and as an option: leave one out")
    options = {**parameters, **options}
    try:
        given = {"players": str(bots), **options}
        config: GameConfig = config_from(game.Config, given, from_text=True).with_files(read_text)
    except OptionError as error:
        more = "; add an opponent, such as builtin:random" if bots == 1 else ""
        about_players = "players" not in options and str(error).startswith("players=")
        hint = f" (bots given: {bots}){more}" if about_players else ""
        raise OptionError(f"{name}: {error}{hint}") from None
    if config.players != bots:
        raise OptionError(f"players={config.players} needs {config.players} bots, but {bots} are given")
    return game, config


def read_text(name: str, max_bytes: int = MAX_OPTION_FILE) -> str:
    """The text of a file that an option names. Raises OptionError without the name of the option."""
    try:
        content = read_file(Path(name), max_bytes + 1)
        if len(content) > max_bytes:
            raise OptionError(f"is over {max_bytes // 1024**2} MiB")
        return content.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except IrregularFile as error:
        raise OptionError(str(error.strerror).removeprefix("it ")) from None
    except OSError as error:
        raise OptionError(f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError("is not a text in UTF-8") from None


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
