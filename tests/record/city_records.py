"""Recorded games of The Forbidden City and their rendered text, for the tests of `referee record show`."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from referee.games import config_from
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.start_tile import START_TILES
from referee.games.forbidden_city.tile_set import parse_tile_set
from referee.record.render import render
from referee.record.replay import Replay
from tests.record.played import Line, record_game

NAMES = ("Anna", "Ben", "Cleo", "Dora")
FILLS = {"green": "▒", "pink": "░", "white": "·"}
ODD_TILES = """
colours = ["green", "cyan", "red"]
[[tile]]
edges = "wooo"
parts = ["cyan"]
picture = "dragon"
count = 1
copies = 3
[[tile]]
edges = "aooo"
parts = ["green", "red"]
picture = "advisors"
count = 2
copies = 5
"""

Cell = tuple[int, int]


class Laid(NamedTuple):
    """A laid tile: its owner, the tile in the record, and its rotation."""

    seat: int
    tile: Line
    rotation: int

    def edge(self, side: int) -> str:
        """The edge in the north, east, south or west."""
        letter: str = self.tile["edges"][(side - self.rotation) % 4]
        return letter

    def part(self, side: int) -> int:
        """Which part touches that side."""
        return 0 if (side - self.rotation) % 4 < 2 or len(self.tile["parts"]) < 2 else 1


class CityRecord(NamedTuple):
    """A recorded game and its rendered text."""

    path: Path
    lines: list[Line]
    text: list[str]

    @property
    def names(self) -> list[str]:
        """By seat."""
        return [player["name"] for player in self.lines[0]["players"]]

    @property
    def decisions(self) -> list[Line]:
        """The decisions in the record."""
        return [line for line in self.lines if line["type"] == "decision"]

    def table(self, turns: int) -> dict[Cell, Laid]:
        """The table after this number of turns, according to the record."""
        start = START_TILES[self.lines[0]["config"]["start_tile"]]
        stacks = next(line["value"] for line in self.lines if line["type"] == "chance")
        table = {
            cell: Laid(-1, {"edges": tile.edges, "parts": tile.parts, "picture": "none"}, 0)
            for cell, tile in start.items()
        }
        for turn, line in enumerate(self.decisions[:turns]):
            action = line["action"]
            tile = stacks[line["seat"]][turn // len(self.names)]
            table[action["x"], action["y"]] = Laid(line["seat"], tile, action["rotation"])
        return table


def record_city_game(folder: Path, players: int, tiles: str | None = None, **options: object) -> CityRecord:
    """Record a game of random decisions."""
    config: Any = config_from(ForbiddenCity.Config, {"players": players, **options})
    if tiles is not None:
        config = replace(config, tile_set="odd.toml", tiles=parse_tile_set(tiles))
    path = folder / "game.jsonl"
    record_game(path, ForbiddenCity, config, NAMES[:players], {})
    return read_city_record(path)


def read_city_record(path: Path) -> CityRecord:
    """A record with its rendered text."""
    return CityRecord(path, [json.loads(line) for line in path.read_text().splitlines()], list(render(Replay(path))))


def unwrapped(text: Sequence[str]) -> list[str]:
    """The text with wrapped lines joined."""
    lines: list[str] = []
    for line in text:
        if re.match(r" {10}\S", line) and lines and not is_drawn(lines[-1]):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def is_drawn(line: str) -> bool:
    """Whether a line is part of a drawn board."""
    return line[9:10] == "┊"
