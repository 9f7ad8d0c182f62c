"""`referee record show` of The Forbidden City: the board drawn, on terminals of any width and in colours or without."""

import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Literal

import pytest

from referee.cli.record_show import line_writer
from referee.games import find_narrator
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.tile_set import MAX_COLOURS
from referee.games.forbidden_city.tiles import OWNERS
from referee.games.placed_names import place_names
from referee.record.reader import TruncatedRecord
from referee.record.render import player_names, render
from referee.record.replay import Replay
from tests.cases import some_in_ci
from tests.cli.command import referee
from tests.cli.on_pty import run_on_terminal
from tests.record.city_records import (
    FILLS,
    ODD_TILES,
    Cell,
    CityRecord,
    Laid,
    is_drawn,
    read_city_record,
    record_city_game,
)
from tests.record.played import FaultyPlayer, GamePlan, record_game, render_until_error

ESCAPE = "\x1b"
HOT_PINK = "38;5;206"


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


def boards(text: Sequence[str]) -> list[Drawn]:
    """The boards drawn in a text."""
    found: list[list[str]] = []
    for before, line in zip(["", *text], text, strict=False):
        if is_drawn(line):
            if not is_drawn(before):
                found.append([])
            found[-1].append(line)
    return [Drawn(lines) for lines in found]


def check_board(drawn: Drawn, table: dict[Cell, Laid], fills: dict[str, str]) -> None:
    """A drawn board shows these tiles, their borders, and nothing else."""
    assert set(table) <= set(drawn.cells())
    check_cells(drawn, table, fills)


def check_cells(drawn: Drawn, table: dict[Cell, Laid], fills: dict[str, str]) -> None:
    """What is drawn of a board shows these tiles and their borders as far as it goes."""
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


def test_the_board_is_drawn_at_first_and_after_every_round_with_exactly_the_laid_tiles(game: CityRecord) -> None:
    drawn = boards(game.text)
    players = len(game.names)
    assert len(drawn) == len(game.decisions) // players + 1
    for number, board in enumerate(drawn):
        check_board(board, game.table(number * players), FILLS)


def test_other_tile_sets_are_drawn_too(tmp_path: Path) -> None:
    game = record_city_game(tmp_path, 3, ODD_TILES)
    for number, board in enumerate(boards(game.text)):
        check_board(board, game.table(number * 3), {**FILLS, "cyan": "▓", "red": "◦"})


def test_the_board_is_drawn_after_the_last_turn_of_its_round_and_before_the_next_round(game: CityRecord) -> None:
    marks = [
        {" lays": "turn", "The b": "board", "Round": "round", "The l": "end"}[found[0]]
        for line in game.text
        if (found := re.search(r"^Round|^The l|(?<=^  )The b| lays", line))
    ]
    players = len(game.names)
    rounds = len(game.decisions) // players
    assert marks == ["round", *["turn"] * players, "board"] * rounds + ["end"]


@pytest.mark.parametrize("turns", [0, 1, 3, 5])
def test_a_record_truncated_in_mid_round_ends_with_the_board_as_it_was_left(tmp_path: Path, turns: int) -> None:
    whole = record_city_game(tmp_path, 3)
    number = [at for at, line in enumerate(whole.lines) if line["type"] == "decision"][turns]
    lines = whole.path.read_text().splitlines(keepends=True)
    whole.path.write_text("".join(lines[:number]))
    text, error = render_until_error(whole.path)
    assert isinstance(error, TruncatedRecord)
    drawn = boards(text)
    assert len(drawn) == 1 + turns // 3 + bool(turns % 3)
    check_board(drawn[-1], whole.table(turns), FILLS)
    assert any("The board as it was left; coins: Anna" in line for line in text) == bool(turns % 3)


@pytest.mark.parametrize("asked", [1, 2])
def test_a_game_that_stops_in_mid_round_ends_with_the_board_as_it_was_left(tmp_path: Path, asked: int) -> None:
    game = read_city_record(
        GamePlan("forbidden_city", {"players": 2}, {1: FaultyPlayer(at=asked)}).record(tmp_path / "game.jsonl")
    )
    drawn = boards(game.text)
    assert len(game.decisions) == 2 * asked - 1
    check_board(drawn[-1], game.table(2 * asked - 1), FILLS)
    left = next(at for at, line in enumerate(game.text) if "The board as it was left" in line)
    assert left < game.text.index("Result")


# -- on a terminal --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("width", some_in_ci((30, 80, 119), [30]))
def test_on_a_narrow_terminal_the_board_is_drawn_in_parts_that_fit_and_together_are_all_of_it(
    game: CityRecord, width: int
) -> None:
    lines = [*render(Replay(game.path), width)]
    assert max(len(line) for line in lines if is_drawn(line)) <= width
    parts = boards(lines)
    for number, whole in enumerate(boards(game.text)):
        table = game.table(number * len(game.names))
        shown: list[Cell] = []
        while len(shown) < len(whole.cells()):
            part = parts.pop(0)
            check_cells(part, table, FILLS)
            shown += part.cells()
        assert sorted(shown) == sorted(whole.cells())
    assert not parts
    assert [line for line in lines if line.startswith("    Columns ")] or width > 80


@pytest.mark.slow
def test_the_columns_of_each_part_are_named(tmp_path: Path) -> None:
    game = record_city_game(tmp_path, 4, start_tile="advanced")
    lines = [*render(Replay(game.path), 40)]
    named = [line for line in lines if line.startswith("    Columns ")]
    parts = [part for part in boards(lines) if part.width < max(each.width for each in boards(game.text))]
    assert [f"    Columns {part.west} to {part.west + part.width - 1}:" for part in parts][-3:] == named[-3:]


@pytest.mark.slow
def test_sentences_are_wrapped_where_the_terminal_ends(game: CityRecord) -> None:
    lines = [line for line in render(Replay(game.path), 60) if not is_drawn(line)]
    assert all(len(line) <= 60 for line in lines if line.startswith(" " * 6))
    assert sum(line.startswith(" " * 10) for line in lines) > 10


Show = Callable[..., str]
Color = Literal["auto", "always", "never"]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Show:
    """Writes a record as `referee record show` does on a terminal with 256 colours, or elsewhere; the output."""
    for name, value in (("TERM", "xterm-256color"), ("COLUMNS", "200"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def show(path: Path, color: Color = "auto", *, terminal: bool = False) -> str:
        replay = Replay(path)
        names = player_names(replay.header.players)
        write = line_writer(names, find_narrator(replay.game_type), color, terminal=terminal)
        for line in render(replay, names=place_names(names)):
            write(line)
        return capsys.readouterr().out

    return show


def coloured(style: str, text: str) -> str:
    """Text in a style of a terminal with 256 colours."""
    return f"{ESCAPE}[{style}m{text}{ESCAPE}[0m"


def plain(text: str) -> str:
    """Text without its styles."""
    return re.sub(rf"{ESCAPE}\[[\d;]+m", "", text)


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("color", "terminal", "colours"),
    [("auto", True, True), ("auto", False, False), ("always", False, True), ("never", True, False)],
)
def test_colours_are_for_terminals_or_for_those_who_ask_for_them(
    color: Color, terminal: bool, colours: bool, tmp_path: Path, show: Show
) -> None:
    game = record_city_game(tmp_path, 2)
    out = show(game.path, color, terminal=terminal)
    assert plain(out).splitlines() == game.text
    assert (ESCAPE in out) == colours


@pytest.mark.ci_only
def test_no_color_is_honoured_unless_colours_are_asked_for(
    tmp_path: Path, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = record_city_game(tmp_path, 2)
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("32", "▒▒▒▒▒") not in show(game.path, terminal=True)
    assert coloured("32", "▒▒▒▒▒") in show(game.path, "always", terminal=True)


@pytest.mark.ci_only
def test_the_command_knows_a_terminal_from_a_pipe(tmp_path: Path) -> None:
    game = record_city_game(tmp_path, 2)
    assert referee("record", "show", game.path, FORCE_COLOR="1").out.splitlines() == game.text
    for options in ((), ("--color", "never")):
        out = run_on_terminal("record", "show", game.path, *options, columns=200, TERM="xterm-256color")
        assert plain(out).splitlines() == game.text
        assert (ESCAPE in out) == (not options)


@pytest.mark.slow
def test_rooms_and_pictures_have_the_colours_of_their_names(tmp_path: Path, show: Show) -> None:
    game = record_city_game(tmp_path, 2)
    out = show(game.path, "always")
    assert coloured("1", "The table") in out
    assert coloured("33", "Ben") in out
    assert coloured("32", "▒▒▒▒▒") in out
    assert coloured(HOT_PINK, "░░░░░") in out
    assert coloured("37", "·····") in out
    assert coloured("1", "D") in out
    assert re.search(re.escape(f"{ESCAPE}[1;38;5;") + r"\d+mP[12]", out)
    assert set(re.findall(rf"{ESCAPE}\[([\d;]+)m░+", out)) == {HOT_PINK}


@pytest.mark.slow
def test_names_are_coloured_where_the_narrator_puts_them_and_words_like_them_are_not(
    tmp_path: Path, show: Show
) -> None:
    path = tmp_path / "game.jsonl"
    record_game(path, ForbiddenCity, ForbiddenCity.Config(), ["tile", "round"], {})
    out = show(path, "always")
    first = re.escape(f"{ESCAPE}[38;5;129mtile{ESCAPE}[0m")
    assert re.search(rf"^    {first} lays a \w+ tile ", out, re.MULTILINE)
    assert re.search(rf"^  The board after round 1; coins: {first} 0, ", out, re.MULTILINE)


@pytest.mark.slow
def test_the_rooms_of_every_colour_of_another_set_look_different(tmp_path: Path, show: Show) -> None:
    colours = [f"colour {number}" for number in range(MAX_COLOURS)]
    tiles = f"colours = {colours}\n" + "".join(
        f'[[tile]]\nedges = "wawa"\nparts = ["{colour}"]\n' for colour in colours
    )
    game = record_city_game(tmp_path, 2, tiles)
    legend = dict(re.findall(r"(\S) (green|pink|white|colour \d+)(?=  |$)", "\n".join(game.text), re.MULTILINE))
    assert sorted(legend.values()) == sorted([*FILLS, *colours])
    fills = {colour: fill for fill, colour in legend.items()}
    for number, board in enumerate(boards(game.text)):
        check_board(board, game.table(number * 2), fills)
    lines = show(game.path, "always").splitlines()
    for fill in fills.values():
        assert any(re.search(rf"{ESCAPE}\[[\d;]+m{fill}+{ESCAPE}\[0m", line) for line in lines)
