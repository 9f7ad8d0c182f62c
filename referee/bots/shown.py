"""What the organiser shows to bots in the sandbox besides their own files: to all of them, or to one by its name."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import structs

from referee.bots.bot_spec import BotSpec, BotSpecError
from referee.files import is_there
from referee.near_misses import did_you_mean


def parse_shown(texts: Sequence[str]) -> tuple[list[Path], dict[str, list[Path]]]:
    """From PATH and NAME=PATH: the paths for all bots, and by name those for one bot.

    The name ends at the first `=` after which a path follows that exists. A text is a PATH if that exists, or if no
    name can be told from it. Raises BotSpecError.
    """
    for_all: list[Path] = []
    for_one: dict[str, list[Path]] = {}
    for text in texts:
        if "\0" in text or not text:
            raise BotSpecError(f"{text!r} is not the name of a file or folder")
        places = [place for place, character in enumerate(text) if character == "=" and place]
        if not places or is_there(Path(text)):
            for_all.append(Path(text))
            continue
        place = next((place for place in places if text[place + 1 :] and is_there(Path(text[place + 1 :]))), None)
        if place is None:
            missing = text[places[0] + 1 :]
            raise BotSpecError(
                f"{missing or text} can't be shown to {text[: places[0]]}: there is no such file or folder"
            )
        for_one.setdefault(text[:place], []).append(Path(text[place + 1 :]))
    return for_all, for_one


def show_to(bots: Sequence[BotSpec], shown: Mapping[str, Sequence[Path]]) -> list[BotSpec]:
    """The bots, those that are named with what is shown to them alone. Raises BotSpecError."""
    names = [bot.name for bot in bots]
    for name, paths in shown.items():
        if name not in names:
            hint = did_you_mean(name, names, "the bots are")
            raise BotSpecError(f"{paths[0]} can't be shown to {name}: unknown bot{hint}")
    return [
        structs.replace(bot, show=shown_paths(bot, shown[bot.name])) if shown.get(bot.name) else bot for bot in bots
    ]


def shown_paths(bot: BotSpec, paths: Sequence[Path]) -> tuple[Path, ...]:
    """Paths for this bot alone, without symbolic links. Raises BotSpecError."""
    if not bot.is_program:
        raise BotSpecError(f"{paths[0]} can't be shown to {bot.name}: the referee starts no program for it")
    for path in paths:
        if not is_there(path):
            raise BotSpecError(f"{path} can't be shown to {bot.name}: there is no such file or folder")
    return tuple(path.resolve() for path in paths)
