"""`referee record show` of The Forbidden City: turns, rooms and coins in words, and the board drawn."""

import json
import re
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trio
from msgspec.structs import replace
from rich.style import Style

from protocol.record import Seat
from referee.cli import main
from referee.games import GAMES, config_from
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.rooms import payments
from referee.games.forbidden_city.start_tile import START_TILES
from referee.games.forbidden_city.tile_set import parse_tile_set
from referee.games.forbidden_city.tiles import OWNERS
from referee.match import GameSetup, Match
from referee.players.builtin import BuiltinPlayer, choose_random
from referee.players.clock import TimeControl
from referee.record.replay import Replay
from referee.record.tell import tell
from referee.record.write import RecordFile

NAMES = ("Anna", "Ben", "Cleo", "Dora")
ESCAPE = "\x1b"
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

Line = dict[str, Any]
Cell = tuple[int, int]


class Laid(NamedTuple):
    """A tile as it lies: who laid it, the tile as the record has it, and its rotation."""

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


class Played(NamedTuple):
    """A recorded game and its story."""

    path: Path
    lines: list[Line]
    story: list[str]

    @property
    def names(self) -> list[str]:
        """By seat."""
        return [player["name"] for player in self.lines[0]["players"]]

    @property
    def decisions(self) -> list[Line]:
        """The decisions in the record."""
        return [line for line in self.lines if line["type"] == "decision"]

    def table(self, turns: int) -> dict[Cell, Laid]:
        """What lies where after so many turns, by the record."""
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


def played(folder: Path, players: int, tiles: str | None = None, **options: object) -> Played:
    """A game by random decisions, and how it is told."""
    config: Any = config_from(ForbiddenCity.Config, {"players": players, **options})
    if tiles is not None:
        config = replace(config, tile_set="odd.toml", tiles=parse_tile_set(tiles))
    names = list(NAMES[:players])
    setup = GameSetup(
        game_id="deal-1",
        game=ForbiddenCity,
        config=config,
        seed="show",
        names=names,
        bot_seeds=list(range(players)),
        control=TimeControl(),
    )
    path = folder / "game.jsonl"
    seats = [BuiltinPlayer(choose_random) for _ in names]
    trio.run(Match(setup, seats, [Seat(name=name) for name in names], RecordFile(path)).play)
    return told(path)


def told(path: Path) -> Played:
    """A record and its story."""
    return Played(path, [json.loads(line) for line in path.read_text().splitlines()], list(tell(Replay(path))))


@pytest.fixture(params=[(2, "garden"), (3, "advanced"), (4, "garden")], ids=str)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Played:
    """Games of each number of players and on both start tiles."""
    players, start_tile = request.param
    return played(tmp_path, players, start_tile=start_tile)


def whole(story: Sequence[str]) -> list[str]:
    """The story with wrapped lines put together again."""
    lines: list[str] = []
    for line in story:
        if re.match(r" {10}\S", line) and lines and not is_drawn(lines[-1]):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


# -- turns and rooms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tiles", "named"), [(None, "reconstructed"), (ODD_TILES, "odd.toml")])
def test_the_header_names_the_tile_set_and_does_not_spell_it_out(tmp_path: Path, tiles: str | None, named: str) -> None:
    assert played(tmp_path, 2, tiles).story[1] == f"  players 2, start tile garden, tile set {named}"


def test_every_turn_is_told_once_and_in_order(game: Played) -> None:
    stacks = next(line["value"] for line in game.lines if line["type"] == "chance")
    turns = [line for line in whole(game.story) if " lays " in line]
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


def test_the_sides_of_the_parts_of_a_diagonal_tile_are_told(game: Played) -> None:
    table = game.table(len(game.decisions))
    told_of = 0
    for sentence in game.story:
        if found := re.search(r"\w+ \((.), (.)\)( with .+?)? and \w+ \((.), (.)\) at \((-?\d+),(-?\d+)\)", sentence):
            laid = table[int(found[6]), int(found[7])]
            first, second = {found[1], found[2]}, {found[4], found[5]}
            assert [laid.part("NESW".index(side)) for side in first] == [0, 0]
            assert [laid.part("NESW".index(side)) for side in second] == [1, 1]
            told_of += 1
    assert told_of == sum(len(laid.tile["parts"]) == 2 for laid in table.values()) > 2


def test_every_settled_room_is_told_after_the_turn_that_closed_it(game: Played) -> None:
    expected = []
    for line in game.lines:
        if line["type"] == "decision":
            expected.append("turn")
        elif line["type"] == "settled":
            cells = " ".join(f"({x},{y})" for x, y in line["cells"])
            expected.append(f"cells {cells}; ")
    lines = [line for line in whole(game.story) if " lays " in line or " room is closed: " in line]
    assert len(lines) == len(expected)
    for sentence, part in zip(lines, expected, strict=True):
        assert part in sentence if part != "turn" else " lays " in sentence
    assert len(set(expected)) > 5


def test_the_parts_of_a_value_add_up_to_it(game: Played) -> None:
    for line in whole(game.story):
        if found := re.search(r"\); (\d+) tiles?(.*?) = (\d+); ", line):
            further = [int(number) for number in re.findall(r"\+ (\d+) for", found[2])]
            assert int(found[1]) + sum(further) == int(found[3])


def test_the_advisors_in_a_room_explain_who_is_paid(game: Played) -> None:
    rooms = [line for line in whole(game.story) if "room is closed" in line]
    settled = [line for line in game.lines if line["type"] == "settled"]
    for sentence, line in zip(rooms, settled, strict=True):
        told = dict(re.findall(r"(\w+) has (\d+) advisor", sentence))
        advisors = [int(told.get(name, 0)) for name in game.names]
        assert payments(line["value"], advisors) == line["paid"]


def test_coins_add_up_to_the_result(game: Played) -> None:
    coins = dict.fromkeys(game.names, 0)
    for line in whole(game.story):
        for name, paid, now in re.findall(r"(\w+) is paid (\d+) coins?, now (\d+)", line):
            coins[name] += int(paid)
            assert coins[name] == int(now)
        if "The board after" in line:
            assert line.endswith("; coins: " + ", ".join(f"{name} {had}" for name, had in coins.items()))
        if found := re.match(r"    (\w+) shows a .* and a .*: (\d+) coins?$", line):
            coins[found[1]] += int(found[2])
    assert list(coins.values()) == game.lines[-1]["scores"]


def test_the_last_two_tiles_of_each_stack_are_shown(game: Played) -> None:
    stacks = next(line["value"] for line in game.lines if line["type"] == "chance")
    shown = [line for line in game.story if " shows " in line]
    for name, stack, line in zip(game.names, stacks, shown, strict=True):
        worth = sum({"dragon": 3, "advisors": 2, "none": 0}[tile["picture"]] * tile["count"] for tile in stack[-2:])
        assert line.startswith(f"    {name} shows ")
        assert line.endswith(f": {worth} coin{'' if worth == 1 else 's'}")


def test_the_final_table_says_where_the_coins_come_from(game: Played) -> None:
    table = game.story[game.story.index("Final table") + 1 :][: len(game.names) + 1]
    assert table[0].split() == ["rooms", "last", "2", "coins", "rank"]
    result = game.lines[-1]
    for seat, row in enumerate(table[1:]):
        name, rooms, last, coins, rank = row.split()
        assert name == game.names[seat]
        assert int(rooms) + int(last) == int(coins) == result["scores"][seat]
        assert int(rank) == result["ranks"][seat]


def test_rooms_in_the_same_cells_are_told_one_by_one(tmp_path: Path) -> None:
    tiles = 'colours = ["green", "pink"]\n' + "".join(
        f'[[tile]]\nedges = "wwww"\nparts = {parts}\npicture = "advisors"\ncount = {number}\ncopies = 4\n'
        for number, parts in ((1, '["green", "pink"]'), (2, '["pink", "pink"]'))
    )
    game = played(tmp_path, 2, tiles)
    rooms = [line for line in whole(game.story) if "room is closed" in line]
    settled = [line for line in game.lines if line["type"] == "settled"]
    assert len(rooms) == len(settled) >= 2 * len(game.decisions)
    for sentence, line in zip(rooms, settled, strict=True):
        assert ("advisors; nobody is paid" in sentence) == (not any(line["paid"]))


# -- the board ------------------------------------------------------------------------------------------------


def is_drawn(line: str) -> bool:
    """Whether a line is part of a drawn board."""
    return line[9:10] == "┊"


class Drawn:
    """A board as it was drawn, read by its characters."""

    def __init__(self, lines: Sequence[str]) -> None:
        numbers = lines[-1][10:].split()
        self.west = int(numbers[0])
        self.north = int(lines[1][:9])
        self._rows = [line[10:] for line in lines[:-1]]
        self.width = len(numbers)
        self.height = len(self._rows) // 2

    def at(self, column: int, row: int, width: int = 1) -> str:
        """The characters from there on; blank where the line has ended."""
        return self._rows[row][column : column + width].ljust(width)

    def cell(self, cell: Cell) -> str:
        """The inside of a cell."""
        return self.at(6 * (cell[0] - self.west) + 1, 2 * (self.north - cell[1]) + 1, 5)

    def north_of(self, cell: Cell) -> str:
        """The border in the north of a cell."""
        return self.at(6 * (cell[0] - self.west) + 1, 2 * (self.north - cell[1]), 5)

    def west_of(self, cell: Cell) -> str:
        """The border in the west of a cell."""
        return self.at(6 * (cell[0] - self.west), 2 * (self.north - cell[1]) + 1)

    def cells(self) -> list[Cell]:
        """Every cell in the drawn rectangle."""
        columns, rows = range(self.west, self.west + self.width), range(self.north, self.north - self.height, -1)
        return list(product(columns, rows))


def boards(story: Sequence[str]) -> list[Drawn]:
    """The boards in a story."""
    found: list[list[str]] = []
    for before, line in zip(["", *story], story, strict=False):
        if is_drawn(line):
            if not is_drawn(before):
                found.append([])
            found[-1].append(line)
    return [Drawn(lines) for lines in found]


def check_board(drawn: Drawn, table: dict[Cell, Laid], fills: dict[str, str]) -> None:
    """A drawn board shows these tiles, their borders, and nothing else."""
    assert set(table) <= set(drawn.cells())
    for cell in drawn.cells():
        laid = table.get(cell)
        inside = drawn.cell(cell)
        if laid is None:
            assert inside == "     "
        elif not laid.tile["parts"]:
            assert inside.strip() == ("⌂" if cell == (0, 0) else "♣♣♣")
        else:
            check_cell(inside, laid, fills)
        x, y = cell
        for mark, other, side in ((drawn.north_of(cell), (x, y + 1), 0), (drawn.west_of(cell), (x - 1, y), 3)):
            edges = {laid.edge(side)} if laid else set()
            edges |= {table[other].edge((side + 2) % 4)} if other in table else set()
            assert set(mark.replace("┃", "━")) - {"━"} == door(edges)


def door(edges: set[str]) -> set[str]:
    """What a border shows besides a wall."""
    if "w" in edges:
        return {"×"} if "a" in edges else set()
    return {"∩"} if "a" in edges else {" "}


def check_cell(inside: str, laid: Laid, fills: dict[str, str]) -> None:
    """The fill of each part and the picture in its own part."""
    tile = laid.tile
    picture = {"none": "", "dragon": "D"}.get(tile["picture"])
    if picture is None:
        picture = f"{OWNERS[laid.seat][0].upper()}{tile['count']}"
    halves = re.split("[╱╲]", inside)
    if len(tile["parts"]) == 1:
        assert [half.replace(picture, "") for half in halves] == [fills[tile["parts"][0]] * (5 - len(picture))]
        assert picture in inside
        return
    assert ("╱" in inside) == (laid.part(0) == laid.part(3))
    for half, side in ((halves[0], 3), (halves[1], 1)):
        part = laid.part(side)
        own = picture if part == 0 else ""
        assert own in half
        assert set(half.replace(own, "") if own else half) == {fills[tile["parts"][part]]}


def test_the_board_is_drawn_at_first_and_after_every_round_with_exactly_the_laid_tiles(game: Played) -> None:
    drawn = boards(game.story)
    players = len(game.names)
    assert len(drawn) == len(game.decisions) // players + 1
    for number, board in enumerate(drawn):
        check_board(board, game.table(number * players), FILLS)


def test_other_tile_sets_are_drawn_too(tmp_path: Path) -> None:
    game = played(tmp_path, 3, ODD_TILES)
    for number, board in enumerate(boards(game.story)):
        check_board(board, game.table(number * 3), {**FILLS, "cyan": "▓", "red": ":"})


def test_the_board_stands_after_the_last_turn_of_its_round_and_before_the_next_round(game: Played) -> None:
    marks = [
        {" lays": "turn", "The b": "board", "Round": "round", "The l": "end"}[found[0]]
        for line in game.story
        if (found := re.search(r"^Round|^The l|(?<=^  )The b| lays", line))
    ]
    players = len(game.names)
    rounds = len(game.decisions) // players
    assert marks == ["round", *["turn"] * players, "board"] * rounds + ["end"]


# -- the command ----------------------------------------------------------------------------------------------


def show(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run `referee record show`; the exit status."""
    monkeypatch.setattr(sys, "argv", ["referee", "record", "show", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


def test_colours_are_for_terminals_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = played(tmp_path, 2)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert show(game.path, monkeypatch) == 0
    plain = capsys.readouterr().out
    assert plain.splitlines() == game.story
    assert all(char.isprintable() for char in plain.replace("\n", ""))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert show(game.path, monkeypatch) == 0
    styled = capsys.readouterr().out
    assert f"{ESCAPE}[32m▒▒▒▒▒{ESCAPE}[0m" in styled
    assert re.search(rf"{ESCAPE}\[[\d;]+m░+{ESCAPE}\[0m", styled)
    assert re.search(rf"{ESCAPE}\[1;[\d;]+mP[12]{ESCAPE}\[0m", styled)
    assert re.sub(rf"{ESCAPE}\[[\d;]+m", "", styled) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert show(game.path, monkeypatch) == 0
    assert f"{ESCAPE}[32m" not in capsys.readouterr().out


def test_a_hostile_tile_set_gets_nothing_through_to_the_terminal(tmp_path: Path) -> None:
    game = played(tmp_path, 2, ODD_TILES)
    text = game.path.read_text().replace('"cyan"', json.dumps(f"{ESCAPE}[2J\n… x"))
    game.path.write_text(text)
    story = told(game.path).story
    assert all(char.isprintable() for line in story for char in line)
    assert any("\ufffd[2J\ufffd" in line for line in story)


@pytest.mark.parametrize("name", GAMES)
def test_the_styles_of_every_game_are_understood(name: str) -> None:
    game = GAMES[name]
    assert len(game.seat_styles) >= 4
    for pattern, style in game.styles:
        assert re.compile(pattern).search("") is None
        Style.parse(style)
    for style in game.seat_styles:
        Style.parse(style)
