"""The drawings that games share: what can be clicked, what glides, and that only allowed shapes are drawn."""

from itertools import pairwise

import pytest

from referee.games.boards.cards import FACE_WIDTH, HIDDEN, Row, card_words, cards_panel
from referee.games.boards.dice_and_tracks import Backgammon, Throw, Track, backgammon_panel, dice_panel
from referee.games.boards.grid import Grid, Grids, Stroke, squares
from referee.games.boards.pieces import BLACK, BOARD_CSS, CHESS_SHAPES, NEUTRAL, WHITE, Piece
from referee.games.boards.seats import BOARD_WIDTH, Side, seat_strip
from referee.games.renderer import Panel
from referee.pages.pools import Pools, ShownPanels
from referee.pages.svg import write_svg

KING, PAWN = Piece("king", WHITE, "white king"), Piece("pawn", BLACK, "black pawn")
OTHERS = ("disc", "small disc", "crowned disc", "cross", "ring", "block", "hit", "dot", "pit", "seeds 7", "K", "+P")


def labels(panel: Panel) -> set[str]:
    return {sprite.label for sprite in panel.sprites}


def test_a_piece_that_moves_keeps_its_key_and_one_that_is_taken_goes() -> None:
    grids = Grids()
    pieces = {"K": KING, "p": PAWN}

    def keys(*rows: str) -> dict[str, tuple[float, float]]:
        panel = grids.draw(Grid(squares(rows, pieces)))
        return {sprite.key: (sprite.x, sprite.y) for sprite in panel.sprites if sprite.key.startswith("piece")}

    before = keys("K.", "p.")
    moved = keys(".K", "p.")
    assert before.keys() == moved.keys()
    assert sum(before[key] != moved[key] for key in before) == 1
    assert len(keys("..", "K.")) == 1


def test_a_choice_has_its_fields_as_targets_the_last_of_them_first_and_shows_what_is_put_there() -> None:
    grids = Grids()
    panel = grids.draw(Grid(squares(["K.", ".."], {"K": KING})))
    assert "0,0 white king" in labels(panel)
    choice = grids.choice("king to the right", ["0,0", "0,1"], KING)
    assert choice.targets == ("board/0,1", "board/0,0")
    assert choice.ghost is not None
    assert {target.partition("/")[2] for target in choice.targets} <= {sprite.key for sprite in panel.sprites}


def test_every_shape_can_be_drawn() -> None:
    colours = (WHITE, BLACK, NEUTRAL, "seat3")
    every = [Piece(shape, colour, shape) for shape in (*CHESS_SHAPES.values(), *OTHERS) for colour in colours]
    characters = {chr(0x100 + n): piece for n, piece in enumerate(every)}
    strip = seat_strip(
        ["a long name that has no room here", "b"],
        [Side("White", KING), Side()],
        ["a note"],
    )
    board = Backgammon({24: (0, 15), 1: (1, 3)}, [1, 2], [0, 9], [6, 6])
    panels = [
        Grids().draw(Grid(squares(["".join(characters)], characters), strokes=[Stroke(0, 0, 1, 1, key="wall")]), strip),
        Grids().draw(Grid(squares(["ab", "cd"], {}), "hexagons", [("1", 0, 0)], key="hexagons"), words=["pass"]),
        cards_panel([Row("Hand", ["As", "Th", HIDDEN, HIDDEN, "7"] * 12, 0), Row("Trick", ["2c"], owners=[1])], strip),
        dice_panel(
            [Throw("Dice", [1, 2, 3, 4, 5, 6, 0], 1)],
            Track(100, [3, 50], 7, 1),
            ["a line"],
            words=["x" * 40, "y" * 40, "z"],
        ),
        backgammon_panel(board, [KING, PAWN], strip),
    ]
    for panel in panels:
        ShownPanels(Pools()).update([panel])
        assert write_svg([panel], "drawing", BOARD_CSS).startswith("<svg")
    assert {"a long name that has no room here: White", "b"} <= labels(panels[0])
    assert "point 24: 15 white king" in labels(panels[4])


def test_cards_are_said_in_words() -> None:
    assert [card_words(card) for card in ("Qs", "Td", HIDDEN, "12")] == [
        "queen of spades",
        "10 of diamonds",
        "a card face down",
        "card 12",
    ]


@pytest.mark.parametrize("count", [5, 13, 14, 40])
def test_cards_of_long_rows_are_wrapped_so_that_their_ranks_and_suits_are_seen(count: int) -> None:
    drawn = [s for s in cards_panel([Row("Hand", ["Ts"] * count)]).sprites if s.key.startswith("card")]
    assert len({s.y for s in drawn}) == -(-count // 13)
    assert all(right.x - left.x >= 31 for left, right in pairwise(drawn) if left.y == right.y)
    assert all(s.x + FACE_WIDTH <= BOARD_WIDTH for s in drawn)
