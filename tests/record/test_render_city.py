"""`referee record show` of The Forbidden City: turns, rooms and coins in words."""

import re
from pathlib import Path

import pytest

from referee.games.forbidden_city.rooms import payments
from tests.record.city_records import ODD_TILES, CityRecord, Laid, record_city_game, unwrapped


@pytest.mark.parametrize(("tiles", "named"), [(None, "reconstructed"), (ODD_TILES, "odd.toml")])
def test_the_header_names_the_tile_set_without_its_tiles(tmp_path: Path, tiles: str | None, named: str) -> None:
    assert record_city_game(tmp_path, 2, tiles).text[1] == f"  players 2, start tile garden, tile set {named}"


def test_every_turn_is_rendered_once_and_in_order(game: CityRecord) -> None:
    stacks = next(line["value"] for line in game.lines if line["type"] == "chance")
    turns = [line for line in unwrapped(game.text) if " lays " in line]
    assert len(turns) == len(game.decisions)
    for number, (decision, sentence) in enumerate(zip(game.decisions, turns, strict=True)):
        action, tile = decision["action"], stacks[decision["seat"]][number // len(game.names)]
        assert sentence.startswith(f"    {game.names[decision['seat']]} lays a ")
        assert f"at ({action['x']},{action['y']}): " in sentence
        assert all(colour in sentence for colour in tile["parts"])
        assert ("diagonal" in sentence) == (len(tile["parts"]) == 2)
        assert ("with a dragon" in sentence) == (tile["picture"] == "dragon")
        advisors = re.search(r"with (\d) advisor", sentence)
        assert (advisors and int(advisors[1])) == (tile["count"] if tile["picture"] == "advisors" else None)
        assert walls_in(sentence) == walls_of(Laid(0, tile, action["rotation"]))


def walls_in(sentence: str) -> dict[str, list[str]]:
    """The walls and archways that a sentence names."""
    named = sentence.rpartition("): ")[2]
    return {
        letter: (found[1].split(", ") if (found := re.search(rf"{word}s? ((\w, )*\w)", named)) else [])
        for letter, word in (("w", "wall"), ("a", "archway"))
    }


def walls_of(laid: Laid) -> dict[str, list[str]]:
    """The walls and archways of a tile as it lies."""
    return {letter: ["NESW"[side] for side in range(4) if laid.edge(side) == letter] for letter in "wa"}


def test_the_sides_of_the_parts_of_a_diagonal_tile_are_rendered(game: CityRecord) -> None:
    table = game.table(len(game.decisions))
    told_of = 0
    for sentence in game.text:
        if found := re.search(r"\w+ \((.), (.)\)( with .+?)? and \w+ \((.), (.)\) at \((-?\d+),(-?\d+)\)", sentence):
            laid = table[int(found[6]), int(found[7])]
            first, second = {found[1], found[2]}, {found[4], found[5]}
            assert [laid.part("NESW".index(side)) for side in first] == [0, 0]
            assert [laid.part("NESW".index(side)) for side in second] == [1, 1]
            told_of += 1
    assert told_of == sum(len(laid.tile["parts"]) == 2 for laid in table.values()) > 2


def test_every_settled_room_is_rendered_after_the_turn_that_closed_it(game: CityRecord) -> None:
    expected = []
    for line in game.lines:
        if line["type"] == "decision":
            expected.append("turn")
        elif line["type"] == "settled":
            cells = " ".join(f"({x},{y})" for x, y in line["cells"])
            expected.append(f"cells {cells}; ")
    lines = [line for line in unwrapped(game.text) if " lays " in line or " room is closed: " in line]
    assert len(lines) == len(expected)
    for sentence, part in zip(lines, expected, strict=True):
        assert part in sentence if part != "turn" else " lays " in sentence
    assert len(set(expected)) > 5


def test_the_parts_of_a_value_add_up_to_it(game: CityRecord) -> None:
    for line in unwrapped(game.text):
        if found := re.search(r"\); (\d+) tiles?(.*?) = (\d+); ", line):
            further = [int(number) for number in re.findall(r"\+ (\d+) for", found[2])]
            assert int(found[1]) + sum(further) == int(found[3])


def test_the_advisors_in_a_room_explain_who_is_paid(game: CityRecord) -> None:
    rooms = [line for line in unwrapped(game.text) if "room is closed" in line]
    settled = [line for line in game.lines if line["type"] == "settled"]
    for sentence, line in zip(rooms, settled, strict=True):
        counts = dict(re.findall(r"(\w+) has (\d+) advisor", sentence))
        advisors = [int(counts.get(name, 0)) for name in game.names]
        assert payments(line["value"], advisors) == line["paid"]


def test_coins_add_up_to_the_result(game: CityRecord) -> None:
    coins = dict.fromkeys(game.names, 0)
    for line in unwrapped(game.text):
        for name, paid, now in re.findall(r"(\w+) is paid (\d+) coins?, now (\d+)", line):
            coins[name] += int(paid)
            assert coins[name] == int(now)
        if "The board after" in line:
            assert line.endswith("; coins: " + ", ".join(f"{name} {had}" for name, had in coins.items()))
        if found := re.match(r"    (\w+) shows a .* and a .*: (\d+) coins?$", line):
            coins[found[1]] += int(found[2])
    assert list(coins.values()) == game.lines[-1]["scores"]


def test_the_last_two_tiles_of_each_stack_are_shown(game: CityRecord) -> None:
    stacks = next(line["value"] for line in game.lines if line["type"] == "chance")
    shown = [line for line in game.text if " shows " in line]
    for name, stack, line in zip(game.names, stacks, shown, strict=True):
        worth = sum({"dragon": 3, "advisors": 2, "none": 0}[tile["picture"]] * tile["count"] for tile in stack[-2:])
        assert line.startswith(f"    {name} shows ")
        assert line.endswith(f": {worth} coin{'' if worth == 1 else 's'}")


def test_the_final_table_says_where_the_coins_come_from(game: CityRecord) -> None:
    table = game.text[game.text.index("Final table") + 1 :][: len(game.names) + 1]
    assert table[0].split() == ["rooms", "last", "2", "coins"]
    result = game.lines[-1]
    for seat, row in enumerate(table[1:]):
        name, rooms, last, coins = row.split()
        assert name == game.names[seat]
        assert int(rooms) + int(last) == int(coins) == result["scores"][seat]


def test_rooms_in_the_same_cells_are_rendered_one_by_one(tmp_path: Path) -> None:
    tiles = 'colours = ["green", "pink"]\n' + "".join(
        f'[[tile]]\nedges = "wwww"\nparts = {parts}\npicture = "advisors"\ncount = {number}\ncopies = 4\n'
        for number, parts in ((1, '["green", "pink"]'), (2, '["pink", "pink"]'))
    )
    game = record_city_game(tmp_path, 2, tiles)
    rooms = [line for line in unwrapped(game.text) if "room is closed" in line]
    settled = [line for line in game.lines if line["type"] == "settled"]
    assert len(rooms) == len(settled) >= 2 * len(game.decisions)
    for sentence, line in zip(rooms, settled, strict=True):
        assert ("advisors; nobody is paid" in sentence) == (not any(line["paid"]))
