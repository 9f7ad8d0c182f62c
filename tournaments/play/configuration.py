"""The configuration of a match's game, from its options and the number of bots."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from referee.files import IrregularFile, read_file
from referee.games import Game, GameConfig, OptionError, config_from, find_game, split_parameters

MAX_OPTION_FILE: Final = 1024**2
"""Maximum size in bytes of a file that an option names."""


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
        raise OptionError(str(error.strerror)) from None
    except OSError as error:
        raise OptionError(f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError("is not a text in UTF-8") from None
