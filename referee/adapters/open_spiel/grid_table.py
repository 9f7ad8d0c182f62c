"""Which games of OpenSpiel are drawn as a grid: their texts, pieces, sides, and what clicks choose."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from msgspec import structs

from referee.adapters.open_spiel import grids
from referee.adapters.open_spiel.grids import KNIGHT, PAIR, SQUARE, GridFacts
from referee.games.boards.pieces import BLACK, CHESS_SHAPES, NEUTRAL, WHITE, Piece

PROMOTED: Final = r"(?i)(pass$|(?<=\d)[qrbn]$)"
PASS: Final = r"(?i)\b(pass)\b"
BLACK_FIRST: Final = ("Black", "White")

DISC: Final = {"w": Piece("disc", WHITE, "White"), "b": Piece("disc", BLACK, "Black")}


def discs(first: str, second: str, shape: str = "disc") -> dict[str, Piece]:
    """Discs in the colours of seats."""
    return {first: Piece(shape, "seat0", "first"), second: Piece(shape, "seat1", "second")}


def marks(first: str, second: str) -> dict[str, Piece]:
    return {first: Piece("cross", "seat0", "crosses"), second: Piece("ring", "seat1", "rings")}


CHESSMEN: Final[dict[str, Piece]] = {
    letter: Piece(shape, colour, f"{words} {shape}")
    for key, shape in CHESS_SHAPES.items()
    for letter, colour, words in ((key, BLACK, "black"), (key.upper(), WHITE, "white"))
} | {"?": Piece("?", "muted", "unknown", bare=True)}
CHESSMEN.update({
    promoted: CHESSMEN[letter]._replace(words=f"promoted {CHESSMEN[letter].words}")
    for promoted, letter in zip("abcehABCEH", "pbrqnPBRQN", strict=True)
    if promoted not in CHESSMEN
})  # fmt: skip
"""With the letters of crazyhouse for pieces that were pawns."""


def lettered(names: Mapping[str, str], *, upper: str, lower: str, words: tuple[str, str]) -> dict[str, Piece]:
    """Discs with letters: `names` by lower-case letter, sides by the case of letters."""
    return {
        key: Piece(letter.upper(), colour, f"{side} {name}")
        for letter, name in names.items()
        for key, colour, side in ((letter.upper(), upper, words[0]), (letter.lower(), lower, words[1]))
    }


XIANGQI: Final = {
    "r": "chariot", "h": "horse", "e": "elephant", "a": "advisor", "g": "general", "c": "cannon", "s": "soldier",
}  # fmt: skip
SHOGI: Final = {
    "p": "pawn", "l": "lance", "n": "knight", "s": "silver", "g": "gold", "b": "bishop", "r": "rook", "k": "king",
}  # fmt: skip
SHOGI_PIECES: Final = {
    prefix + key: Piece(prefix + letter.upper(), colour, f"{side} {'promoted ' if prefix else ''}{name}")
    for letter, name in SHOGI.items()
    for prefix in ("", "+")
    for key, colour, side in ((letter.upper(), BLACK, "black"), (letter, WHITE, "white"))
}
CASTLING_SIDES: Final = {"K": " kingside", "Q": " queenside"}


def castling(rights: str) -> str:
    """The rights to castle of a FEN in words."""
    if rights == "KQkq":
        return "Both sides may castle"
    said = []
    for side, own in (("White", re.sub("[kq]", "", rights)), ("Black", re.sub("[KQ]", "", rights).upper())):
        if own:
            said.append(f"{side} may castle{CASTLING_SIDES.get(own, '')}")
    return ", ".join(said)


CHESS_FACTS: Final = GridFacts(
    pieces=CHESSMEN, sides=("k", "K"), side_words=BLACK_FIRST, name=grids.up, form="checkered", moves=grids.chess_move,
    words=r"(=[QRBNK]|[PNBRQ](?=@)|(?i:\bpass\b))", dropped=r"^(\w)@", read=grids.read_fen,
)  # fmt: skip
GO_FACTS: Final = GridFacts(
    pieces={"X": DISC["b"], "O": DISC["w"]}, sides=("X", "O"), side_words=BLACK_FIRST,
    row=r" ?\d+ ([+XO]+)", empty="+", name=grids.go_name,
    form="lines", moves=r" ([a-z]\d+)", words=PASS, area=True,
)  # fmt: skip
TIC_TAC_TOE: Final = GridFacts(pieces=marks("x", "o"), sides=("x", "o"), row="(?:P\\d )?([.xo]{3})", moves=PAIR,
                        line=3)  # fmt: skip
HEX_NEAR: Final = 1.1


def opposite_sides(spot: tuple[int, int], end: tuple[int, int], seat: int) -> tuple[bool, bool]:
    """Those of the first seat are above and below, those of the second left and right."""
    return spot[1 - seat] == 0, spot[1 - seat] == end[1 - seat]


HEX: Final = GridFacts(
    pieces=discs("x", "o"), sides=("x", "o"), side_words=("top to bottom", "left to right"),
    row="([.xo]+)", compact=True, slant=0.5, name=grids.down, form="hexagons", edges=True, moves=SQUARE,
    chain=HEX_NEAR, chain_sides=opposite_sides,
)  # fmt: skip
LETTER_GRID: Final = r"([.*\w]{4,})"


def letters(text: str, *, seats: str) -> dict[str, Piece]:
    """Letters of a text: those of seats as discs in their order, others as they are."""
    plain = {letter: Piece(letter, "muted", letter, bare=True) for letter in text}
    return plain | {letter: Piece(letter, f"seat{seat}", letter) for seat, letter in enumerate(seats)}


HIVE: Final = {
    "Q": "queen", "A": "ant", "G": "grasshopper", "S": "spider", "B": "beetle", "M": "mosquito", "L": "ladybug",
    "P": "pill bug",
}  # fmt: skip
GRID_GAMES: Final[Mapping[str, GridFacts]] = {
    "amazons": GridFacts(
        pieces=discs("X", "O", "queen") | dict.fromkeys(("#", "SHOOT"), Piece("block", NEUTRAL, "burnt")),
        dropped="(Shoot)", sides=("X", "O"), row="([.XO#]{4,})",
        name=grids.from_one, form="checkered", moves=PAIR,
    ),
    # There are three more moves of each field, since a pawn may also become a king.
    "antichess": structs.replace(CHESS_FACTS, moves=partial(grids.chess_move, of_field=76)),
    "banqi": GridFacts(notes={r"\(P0=(\w+)\)": "The first player has the {} pieces"},
        pieces=lettered(XIANGQI, upper="suit-red", lower=BLACK, words=("red", "black"))
        | {"?": Piece("?", NEUTRAL, "face down")},
        row=r"((?:[\w.?] ){7}[\w.?]) *", moves=PAIR, ghosts=False,
    ),
    "battleship": GridFacts(
        pieces={letter: Piece("block", NEUTRAL, "ship") for letter in "abcdefghij"}
        | {letter: Piece("hit", NEUTRAL, "ship, hit") for letter in "ABCDEFGHIJ#"}
        | {"*": Piece("dot", "", "missed"), "@": Piece("dot", "", "missed")},
        row=r"\|(.*)\|", cell=".", empty=" ", read=grids.read_fleets, moves=grids.fleet_move, ghosts=False,
        words="(horizontally|vertically)",
    ),
    "breakthrough": GridFacts(
        pieces={"b": CHESSMEN["p"], "w": CHESSMEN["P"]}, sides=("b", "w"), side_words=BLACK_FIRST,
        row=r"\d([.bw]+)", name=grids.up, form="checkered",
        moves=SQUARE, counted="{} pieces",
    ),
    "capture_the_flag": GridFacts(notes={r"Score: (.*)": "Captured: {}", r"Carrier(.*)Carrier(.*)": "Carriers{}{}"},
        pieces=letters("", seats="AB")
        | {flag: Piece("⚑", f"seat{seat}", "flag", bare=True) for seat, flag in enumerate("ab")},
        row=LETTER_GRID, coordinates=False,
    ),
    "checkers": GridFacts(
        pieces=discs("o", "+")
        | {"8": Piece("crowned disc", "seat0", "king"), "*": Piece("crowned disc", "seat1", "king")},
        sides=("o", "+"), row=r"\d([.o+8*]+)", name=grids.up, form="checkered", moves=SQUARE, counted="{} pieces",
    ),
    "chess": structs.replace(
        CHESS_FACTS, notes={r"^\S+ [wb] ([KQkq]+) ": castling}, counted="material {}",
        worth={"knight": 3, "bishop": 3, "rook": 5, "queen": 9, "king": 0},
    ),
    "chinese_checkers": GridFacts(
        pieces={str(seat + 1): Piece("disc", f"seat{seat % 5}", str(seat + 1)) for seat in range(6)},
        sides=("1", "2", "3", "4", "5", "6"), row=r"([ .1-6]+)", form="points", pitch=2, numbered=True,
        moves=r"(\d+)", words=PASS,
    ),
    "clobber": GridFacts(
        pieces=discs("o", "x"), sides=("o", "x"), row=r"\d([.xo]+)", name=grids.up, form="checkered",
        moves=SQUARE,
    ),
    "coin_game": GridFacts(notes={r"^(player0 .*)$": "Coins: {}", r"^(player1 .*)$": "{}"},
        pieces=letters("abcdefghij", seats="01234"), row=r"\|(.*)\|", cell=".", empty=" ", coordinates=False
    ),
    "connect_four": GridFacts(
        pieces=discs("x", "o"), sides=("x", "o"), row="([.xo]{4,})", moves=grids.column_move,
        name=lambda row, column, rows: f"{rows - row},{column + 1}",
        line=4, line_option="x_in_row",
    ),
    "crazyhouse": structs.replace(CHESS_FACTS, notes={r"\[(\w+)\]": "In hand: {}"}),
    "cursor_go": structs.replace(GO_FACTS, notes={r"Cursor: (\w+)": "The cursor is at {}"}, moves=""),
    "dark_chess": CHESS_FACTS,
    "dark_hex": HEX,
    "dark_hex_ir": structs.replace(HEX, row="(?:P\\d )?([.xo]+)"),
    "dots_and_boxes": GridFacts(
        pieces=discs("1", "2"), sides=("1", "2"),
        moves=r"\((\w),(\d+),(\d+)\)", read=grids.read_boxes, counted="{} boxes",
    ),
    "einstein_wurfelt_nicht": GridFacts(
        pieces={f"{letter}{n}": Piece(str(n), colour, f"{words} {n}") for n in range(1, 7)
                for letter, colour, words in (("b", BLACK, "black"), ("w", WHITE, "white"))},
        sides=("b1", "w1"), side_words=BLACK_FIRST,
        row=r"((?:\|(?:__|[bw]\d)\|)+)", cell=r"__|[bw]\d", empty="__", moves=grids.die_move, die=True,
    ),
    "go": GO_FACTS,
    "gomoku": GridFacts(
        pieces=DISC, sides=("b", "w"), side_words=BLACK_FIRST, row="([.bw]{5,})",
        form="lines", moves=r"(\d+),(\d+)", line=5, line_option="connect",
    ),
    "havannah": GridFacts(
        pieces=discs("O", "@"), sides=("O", "@"), row=r" *\d+([ .@O\[\]]+?)(?: [a-z])?", cell="[.@O]", pitch=2,
        name=grids.havannah_name, form="hexagons", moves=SQUARE, chain=HEX_NEAR,
    ),
    "hex": HEX,
    "hive": GridFacts(
        pieces={side + insect: Piece(insect, colour, f"{words} {name}") for insect, name in HIVE.items()
                for side, colour, words in (("w", WHITE, "white"), ("b", BLACK, "black"))},
        sides=("wQ", "bQ"), side_words=("White", "Black"), read=grids.read_hive, moves=grids.hive_move,
        ghosts=False, words=r"^(?:[wb](?=[A-Z]))?([A-Z]\d?|pass)",
    ),
    "kriegspiel": structs.replace(
        CHESS_FACTS, notes={r"^([^/]*\.)$": "{}"}, moves=SQUARE, words=PROMOTED
    ),
    "laser_tag": GridFacts(
        notes={r"Orientations: (.*)": "Orientations: {}"}, pieces=letters("*", seats="AB"), row=LETTER_GRID,
        coordinates=False,
    ),
    "latent_ttt": TIC_TAC_TOE,
    "lines_of_action": GridFacts(
        pieces=discs("x", "o"), sides=("x", "o"), row=r"\d([.xo]+)", name=grids.up, form="checkered", moves=SQUARE,
        chain=1.5,
    ),
    "maedn": GridFacts(die=True,
        pieces={str(seat + 1): Piece("disc", f"seat{seat}", str(seat + 1)) for seat in range(4)}
        | {"o": Piece("pit", "", "field"), "S": Piece("S", "muted", "start", bare=True)},
        sides=("1", "2", "3", "4"), row=r"([ .oS\-1-4]+)", cell="[.oS1-4]", form="points", pitch=2,
    ),
    "mancala": GridFacts(side_words=("lower row", "upper row"), moves=r"(\d+)", read=grids.read_pits, ghosts=False),
    "markov_soccer": GridFacts(
        pieces=letters("", seats="ab") | letters("", seats="AB") | {"O": Piece("small disc", NEUTRAL, "ball")},
        row="([.abABO]{4,})",
        coordinates=False,
    ),
    "mnk": GridFacts(pieces=marks("x", "o"), sides=("x", "o"), row="([.xo]+)", moves=PAIR,
                     line=3, line_option="k"),
    "nim": GridFacts(read=grids.read_piles, moves=grids.pile_move, ghosts=False),
    "nine_mens_morris": GridFacts(notes={r"Men to deploy: (\d+) (\d+)": "Men to deploy: White {}, Black {}"},
        pieces={"W": DISC["w"], "B": DISC["b"]}, sides=("W", "B"), side_words=("White", "Black"), moves=r"(\d+)",
        read=grids.read_points,
    ),
    "oshi_zumo": GridFacts(notes={r"Coins: (\d+) (\d+)": "Coins: {} and {}"},
        pieces={"#": Piece("block", NEUTRAL, "edge"), "W": Piece("disc", NEUTRAL, "wrestler")},
        row=r"Coins: .*Field: ([#.W]+)", coordinates=False,
    ),
    "othello": GridFacts(
        pieces={"x": DISC["b"], "o": DISC["w"]}, sides=("x", "o"), side_words=BLACK_FIRST,
        row=r"\d ((?:[-xo] ){8})\d", empty="-", name=grids.down,
        moves=SQUARE, words=PASS, counted="{} discs",
    ),
    "oware": GridFacts(side_words=("lower row", "upper row"), moves=r"(\w)", read=grids.read_pits, ghosts=False),
    "pentago": GridFacts(
        heavy=3,
        pieces=discs("O", "@"), sides=("O", "@"), name=grids.down, form="points", read=grids.read_pentago, line=5,
        moves=r"([a-f]\d|[s-z]$)",
    ),
    "phantom_go": structs.replace(GO_FACTS, area=False, notes={r"(Previous move .*)": "{}"}),
    "phantom_ttt": TIC_TAC_TOE,
    "phantom_ttt_ir": TIC_TAC_TOE,
    "quoridor": GridFacts(notes={r"walls: (.*)": "Walls left: {}"},
        pieces={letter: Piece("pawn", f"seat{seat}", "pawn") for seat, letter in enumerate("0@#%")},
        sides=("0", "@", "#", "%"), side_words=("to the top", "to the bottom"), moves=r"([a-z]\d+[vh]?)",
        read=grids.read_quoridor,
    ),
    "rbc": structs.replace(CHESS_FACTS, moves=SQUARE, ghosts=False, words=PROMOTED),
    "shogi": GridFacts(notes={r"^\S+ [bw] (\w+) ": "In hand: {}"},
        pieces=SHOGI_PIECES, sides=("K", "k"), side_words=BLACK_FIRST, name=grids.shogi_name, read=grids.read_fen,
        moves=r"(\d[a-i])", words=r"([PLNSGBR](?=\*)|\+)", dropped=r"^(\w)\*",
    ),
    "snake": GridFacts(notes={r"Scores: (.*)": "Eaten: {}"},
        pieces=letters("", seats="0123") | {"*": Piece("small disc", NEUTRAL, "food")}
        | {letter: Piece("small disc", f"seat{seat}", "body") for seat, letter in enumerate("abcd")},
        row=LETTER_GRID, coordinates=False,
    ),
    "tic_tac_toe": TIC_TAC_TOE,
    "twixt": GridFacts(pieces=discs("x", "o", "small disc"), sides=("x", "o"), read=grids.read_twixt, moves=SQUARE,
        side_words=("top to bottom", "left to right"), chain=KNIGHT, chain_sides=opposite_sides,
    ),
    "ultimate_tic_tac_toe": GridFacts(heavy=3, notes={r"Forced board: (\d)": "To play on local board {}"},
        pieces=marks("x", "o"), sides=("x", "o"), row="([.xo]{3} [.xo]{3} [.xo]{3})", moves=grids.local_move, line=3,
    ),
    "xiangqi": GridFacts(
        pieces=lettered(XIANGQI, upper="seat0", lower="seat1", words=("first", "second")), sides=("G", "g"),
        row="([.a-zA-Z]{9})", form="lines", moves=PAIR,
    ),
    "y": GridFacts(
        pieces=discs("O", "@"), sides=("O", "@"), row=r" *\d+([ .@O\[\]]+)", cell="[.@O]", pitch=2, name=grids.down,
        form="hexagons", moves=SQUARE, chain=HEX_NEAR,
        chain_sides=lambda spot, end, seat: (spot[0] == 0, spot[1] == 0, sum(spot) == end[0]),
    ),
}  # fmt: skip
"""The games that are drawn as a grid."""
