"""The golden files and their expected contents."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from tests.golden.playthrough import PLAYTHROUGHS, play
from tests.golden.scenarios import SCENARIOS, Played, play_scenario, shorten
from tests.golden.tournaments import TOURNAMENTS, lines_of_folder

FOLDER: Final = Path(__file__).parent


def golden_files() -> dict[str, Callable[[], list[str]]]:
    """Every golden file, by its path below the folder, with the function that makes its lines."""
    files: dict[str, Callable[[], list[str]]] = {}
    for name in PLAYTHROUGHS:
        files[f"playthroughs/{name}.txt"] = partial(_playthrough, name)
    for name in SCENARIOS:
        files[f"wire/{name}.txt"] = partial(_wire, name)
        files[f"records/{name}.jsonl"] = partial(_record, name)
    for name in TOURNAMENTS:
        files[f"tournaments/{name}.txt"] = partial(lines_of_folder, name)
    return files


def _playthrough(name: str) -> list[str]:
    return list(play(name))


@cache
def _played(name: str) -> Played:
    return play_scenario(name)


def _wire(name: str) -> list[str]:
    return shorten(name, _played(name).lines)


def _record(name: str) -> list[str]:
    return _played(name).records[0]
