"""The section on rotations in the page about The Forbidden City is what the rules do."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest

from referee.games import new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.tiles import SIDE_NAMES, Tile, sides

PAGE: Final = (Path(__file__).parents[2] / "protocol/games/forbidden_city.md").read_text(encoding="utf-8")
(SECTION,) = re.findall(r"^## Rotations\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
LETTERS: Final = Tile("abcd", ("first", "second"), "none", 0)
"""A tile whose edges are all different."""


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose first heading is this."""
    (body,) = re.findall(rf"^\| {heading} \|.*\n\| -.*\n((?:\|.*\n)+)", SECTION, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in body.splitlines()]


def test_the_edges_and_parts_of_every_rotation() -> None:
    table = rows("`rotation`")
    assert [row[0] for row in table] == ["0", "1", "2", "3"]
    for rotation, (_, *edges, first, second) in enumerate(table):
        real = sides(LETTERS, rotation)
        assert edges == [f"`edges[{LETTERS.edges.index(side.edge)}]`" for side in real]
        for number, names in enumerate((first, second)):
            touched = {SIDE_NAMES[side] for side in range(4) if real[side].part == number}
            assert set(names.split(", ")) == touched


def test_the_example_with_all_sides_and_rotations() -> None:
    (text,) = re.findall(r"the tile\n`(\{.*?\})`", SECTION)
    tile = msgspec.json.decode(text, type=Tile)
    table = rows("cell")
    game = new_game("forbidden_city", "rotations", players=2)
    assert isinstance(game, ForbiddenCity)
    game.hands[0] = tile
    legal = {(action.x, action.y, action.rotation) for action in game.legal_actions() if isinstance(action, LayTile)}
    assert "four\nof these twelve cells" in SECTION
    assert (len(table), len({(x, y) for x, y, _ in legal})) == (4, 12)
    for cell, room, side_name, *outcomes in table:
        x, y = (int(number.replace("−", "-")) for number in cell.split(", "))
        for rotation, outcome in enumerate(outcomes):
            side = sides(tile, rotation)[SIDE_NAMES.index(side_name)]
            assert outcome.startswith(f"`{side.edge}` {side.colour}: ")
            assert (outcome.endswith("not legal")) == ((x, y, rotation) not in legal)
            if (x, y, rotation) in legal:
                assert outcome.endswith(what_follows(game, LayTile(x=x, y=y, rotation=rotation), room.split()[0]))


def what_follows(game: ForbiddenCity, action: LayTile, colour: str) -> str:
    """The relation of the tile in hand to the room of that colour beside it, once it is laid."""
    after = game.copy()
    after.apply(action)
    seen: Any = json.loads(msgspec.json.encode(after.observe(0)))
    laid = next(each for each in seen["board"] if (each["x"], each["y"]) == (action.x, action.y))
    (beside,) = [
        room
        for room in seen["rooms"]
        if room["colour"] == colour and any(abs(x - action.x) + abs(y - action.y) == 1 for x, y in room["cells"])
    ]
    if [action.x, action.y] in beside["cells"]:
        return "one room"
    return "passage" if set(laid["rooms"]) & set(beside["passages"]) else "wall"


@pytest.mark.parametrize("start_tile", ["garden", "advanced"])
def test_the_function_finds_the_rooms_borders_and_passages_of_real_games(start_tile: str) -> None:
    names: dict[str, Any] = {}
    (block,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(block, "forbidden_city.md", "exec"), names)
    game, random = new_game("forbidden_city", 5, players=3, start_tile=start_tile), Random(5)
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
        seen = json.loads(msgspec.json.encode(game.observe(0)))
        by_cell = {(laid["x"], laid["y"]): laid for laid in seen["board"]}
        open_edges: dict[int | None, int] = {room["id"]: 0 for room in seen["rooms"]}
        passages: dict[int, set[int]] = {room["id"]: set() for room in seen["rooms"]}
        for (x, y), laid in by_cell.items():
            for side, (dx, dy) in enumerate(names["STEPS"]):
                edge, room = names["edge_and_room"](laid, side)
                neighbour = by_cell.get((x + dx, y + dy))
                if neighbour is None:
                    open_edges[room] = open_edges.get(room, 0) + (edge == "o")
                    continue
                other_edge, other_room = names["edge_and_room"](neighbour, (side + 2) % 4)
                if edge == other_edge == "o":
                    assert room == other_room
                elif "w" not in (edge, other_edge) and room != other_room:
                    passages[room].add(other_room)
        open_edges.pop(None, None)
        assert open_edges == {room["id"]: room["open_edges"] for room in seen["rooms"]}
        assert passages == {room["id"]: set(room["passages"]) for room in seen["rooms"]}
