"""Openings of chess as chess has them: PGN, and EPD or FEN for positions."""

import re
from collections.abc import Iterator
from typing import Final

from referee.games.opening import ListedOpening, OpeningError
from referee.games.opening_files import read_openings

CHESS: Final = "chess"
FEN_OPTION: Final = "fen"
FEN: Final = re.compile(
    r"(?P<board>[1-8pnbrqkPNBRQK]+(?:/[1-8pnbrqkPNBRQK]+){7}) +(?P<side>[wb]) +(?P<castling>-|K?Q?k?q?)"
    r" +(?P<passing>-|[a-h][36])(?: +(?P<clocks>\d{1,3} +\d{1,4})(?=\s|$))?"
)
BOARD_START: Final = re.compile(r"[1-8pnbrqkPNBRQK]+/")
"""How a line with a position begins."""
PGN_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
FIRST_MOVE: Final = "1."
PGN_TOKEN: Final = re.compile(
    r"""
    (?P<first> 1\.(?!\s*\.) )
    | (?P<skipped> \{[^}]*\} | ;[^\n]* | (?:(?<=\n)|^)%[^\n]* | \$\d+ | \d+(?:\.+|(?=\s)) | \.+ | [!?]+ | \s+ )
    | (?P<result> 1-0 | 0-1 | 1/2-1/2 | \* )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<tag> \[ \s* \w+ \s+ "(?:[^"\\\n]|\\.)*" \s* \] )
    | (?P<move> [^\s(){};!?$]+ )
    """,
    re.VERBOSE,
)
PROMOTION: Final = re.compile(r"([a-h](?:x[a-h])?[18])([QRBN])")
HOME: Final = {"K": ("e1", "h1"), "Q": ("e1", "a1"), "k": ("e8", "h8"), "q": ("e8", "a8")}
"""By the letter of a right to castle, the squares of the king and the rook."""


def read_chess_openings(name: str, text: str) -> list[ListedOpening]:
    """The openings in a file: PGN, or lines with moves or with positions (EPD, FEN). Raises OpeningError."""
    start = text.lstrip()
    if start.startswith(FIRST_MOVE) or PGN_TAG.match(start) or name.lower().endswith(".pgn"):
        return [*read_pgn(name, text)]
    lines = text.splitlines()
    positions = {number: line for number, line in enumerate(lines, 1) if BOARD_START.match(line.lstrip())}
    moves = "\n".join("" if number in positions else line for number, line in enumerate(lines, 1))
    return [*read_openings(name, moves), *(position(f"{name}:{number}", line) for number, line in positions.items())]


def position(source: str, line: str) -> ListedOpening:
    """The opening of a line of EPD, whose operations are ignored. Raises OpeningError."""
    found = FEN.match(line.lstrip())
    problem = "expected board, side to move, castling and en passant" if found is None else problem_of(found[0])
    if found is None or problem is not None:
        raise OpeningError(f"{source}: not a position of chess: {problem}")
    return ListedOpening(source=source, options={FEN_OPTION: found[0]})


def problem_of(fen: str) -> str | None:
    """Why a FEN, with or without its last two numbers, is not a position that can be played from; None if it is.

    The library accepts some that crash it later.
    """
    found = FEN.fullmatch(fen)
    if found is None:
        return "expected board, side to move, castling and en passant"
    rows = ["".join("." * int(each) if each.isdigit() else each for each in row) for row in found["board"].split("/")]
    board = {f"{'abcdefgh'[x]}{8 - y}": piece for y, row in enumerate(rows) for x, piece in enumerate(row[:8])}
    if any(len(row) != 8 for row in rows):
        return "each row must have 8 squares"
    pieces = "".join(rows)
    if pieces.count("K") != 1 or pieces.count("k") != 1:
        return "each side must have one king"
    if set("pP") & set(rows[0] + rows[7]):
        return "a pawn stands on the first or the last row"
    for letter in found["castling"].strip("-"):
        king, rook = HOME[letter]
        if board[king] != ("K" if letter.isupper() else "k") or board[rook] != ("R" if letter.isupper() else "r"):
            return f"castling {letter} needs the king on {king} and a rook on {rook}"
    if found["passing"] != "-":
        file, row = found["passing"][0], found["passing"][1]
        pawn, expected, side = (file + "4", "P", "b") if row == "3" else (file + "5", "p", "w")
        if board[pawn] != expected or found["side"] != side:
            return f"no pawn can be taken en passant on {found['passing']}"
    return None


def read_pgn(name: str, text: str) -> Iterator[ListedOpening]:
    """The main line of each game. Comments, variations and marks are skipped. Raises OpeningError."""
    moves: list[str] = []
    options: dict[str, str] = {}
    depth, line, began = 0, 1, 0
    place = 0

    def opening() -> Iterator[ListedOpening]:
        if moves or options:
            yield ListedOpening(source=f"{name}:{began}", actions=moves[:], options=options.copy())
        moves.clear()
        options.clear()

    while place < len(text):
        token = PGN_TOKEN.match(text, place)
        if token is None:
            unclosed = "a comment begins that doesn't end"
            problem = unclosed if text[place] == "{" else text[place : place + 20].splitlines()[0]
            raise OpeningError(f"{name}:{line}: not PGN: {problem}")
        kind, place = token.lastgroup, token.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                raise OpeningError(f"{name}:{line}: not PGN: a variation ends that has not begun")
        elif kind in ("first", "tag", "move", "result") and not depth:
            if kind in ("first", "tag") and moves:  # after a game without a result
                yield from opening()
            if not (moves or options):
                began = line
            if kind == "result":
                yield from opening()
            elif kind == "move":
                moves.append(san(token[0]))
            elif (tag := PGN_TAG.fullmatch(token[0])) is not None and tag[1] == "FEN":
                options = position(f"{name}:{line}", tag[2]).options
        line += token[0].count("\n")
    if depth:
        raise OpeningError(f"{name}:{began}: not PGN: a variation of this game doesn't end")
    yield from opening()


def san(move: str) -> str:
    """A move as the library writes it: castling with letters, and a promotion with an equals sign."""
    move = move.replace("0-0-0", "O-O-O").replace("0-0", "O-O")
    return PROMOTION.sub(r"\1=\2", move)
