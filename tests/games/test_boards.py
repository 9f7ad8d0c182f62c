"""The drawings that games share: what can be clicked, what glides, and that only allowed shapes are drawn."""

from itertools import pairwise

import pytest

from referee.games.boards.cards import CLOSEST, FACE_WIDTH, HIDDEN, CardTable, Row, card_words
from referee.games.boards.dice_and_tracks import Backgammon, Throw, Track, backgammon_panel, track_panel
from referee.games.boards.grid import Grid, Grids, Stroke, squares
from referee.games.boards.pieces import BLACK, BOARD_CSS, CHESS_SHAPES, NEUTRAL, WHITE, Piece
from referee.games.boards.seats import Side, seat_strip
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
        Grids().draw(
            Grid(squares(["ab", "cd"], {}), "hexagons", [("1", 0, 0)], key="hexagons", won=[(0, 0, 1, 1)]),
            words=["pass"],
        ),
        CardTable("abcde").draw(
            [Row("Hand", ["As", "Th", HIDDEN, HIDDEN, "7", "die 6"] * 12, 0), Row("Trick", ["2c"], owners=[1])],
            ["pass"],
        ),
        track_panel(
            Throw("Dice", [1, 2, 3, 4, 5, 6, 0], 1), Track(100, [3, 50], 7, 1), words=["x" * 40, "y" * 40, "z"]
        ),
        backgammon_panel(board, [KING, PAWN], [Throw("played", [6, 6], 0), Throw("to play", [1, 2], 1)], strip),
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


@pytest.mark.parametrize("seats", [2, 3, 4, 7, 10])
def test_hands_are_around_the_table_with_their_ranks_and_suits_in_sight(seats: int) -> None:
    table = CardTable([f"player {seat}" for seat in range(seats)])
    hands = [Row("", ["Ts"] * 13, seat) for seat in range(seats)]
    panel = table.draw([*hands, Row("Trick", ["As"] * seats, owners=range(seats))])
    drawn = [s for s in panel.sprites if s.key.startswith("card")]
    assert len(drawn) == 14 * seats
    for one, other in pairwise(drawn):
        assert one.y != other.y or one.seat != other.seat or other.x - one.x >= CLOSEST
    assert all(0 <= s.x <= panel.width - FACE_WIDTH and 0 <= s.y <= panel.height for s in drawn)
    assert panel.width <= 1.5 * panel.height
    assert {f"player {seat}" for seat in range(seats)} < labels(panel)
    own = CardTable(table.names, first=1).draw(hands)
    assert {s.seat for s in own.sprites if s.y == max(each.y for each in own.sprites)} == {1}
    fewer = table.draw([hands[0]._replace(cards=["Ts"]), *hands[1:]])
    assert (fewer.width, fewer.height) == (panel.width, panel.height)
