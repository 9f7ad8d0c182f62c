"""Which games of OpenSpiel are drawn with dice and tracks, and how their texts are read."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from referee.games.boards.dice_and_tracks import Backgammon, Throw, Track, backgammon_panel, dice_panel
from referee.games.boards.pieces import Piece
from referee.games.boards.seats import Strip
from referee.games.renderer import Panel

Texts = Mapping[int, str]
CHECKERS: Final = (Piece("disc", "seat0", "of x"), Piece("disc", "seat1", "of o"))


class Around(NamedTuple):
    """What is drawn around the dice: the names, who is to decide, the row of seats, and words to click."""

    names: Sequence[str]
    turn: int | None
    strip: Strip
    words: Sequence[str]


class DiceFacts(NamedTuple):
    draw: Callable[[Texts, "Around"], Panel | None]
    words: str = ""
    moves: Callable[[str, int], Sequence[str]] | None = None
    """The keys of the sprites that an action's text and seat are chosen by."""
    pieces: Sequence[Piece] = ()
    side_words: Sequence[str] = ()


def pig(texts: Texts, around: Around) -> Panel | None:
    found = re.match(r"Scores: ([\d ]+), Turn total: (\d+)", texts[0])
    if found is None:
        return None
    scores = [int(score) for score in found[1].split()]
    track = Track(max(100, *scores), scores, int(found[2]), around.turn)
    return dice_panel([], track, [f"This turn so far: {found[2]}"], around.strip, around.words)


def liars_dice(texts: Texts, around: Around) -> Panel | None:
    throws, bids = [], ""
    for seat, text in texts.items():
        found = re.fullmatch(r"(?:P\d )?([1-9]+)((?: \d+-\d+)*)(?: Liar)?\s*", text)
        if found is None:
            return None
        throws.append(Throw(around.names[seat], [*map(int, found[1])], seat))
        bids = found[2]
    throws += [
        Throw(name, [0] * len(throws[0].dice), seat) for seat, name in enumerate(around.names) if seat not in texts
    ]
    made = [f"{count} × {face}" for count, face in re.findall(r"(\d+)-(\d+)", bids)]
    return dice_panel(
        sorted(throws, key=lambda throw: throw.seat or 0),
        None,
        [f"Bids: {', then '.join(made) or 'none yet'}"],
        around.strip,
        around.words,
    )


def yacht(texts: Texts, around: Around) -> Panel | None:
    text = texts[0]
    rolled = re.search(r"^Dice: ([\d ]+)$", text, re.MULTILINE)
    if rolled is None:
        return None
    throw = Throw(
        f"Roll {text.partition('Roll: ')[2].partition(chr(10))[0]}", [*map(int, rolled[1].split())], around.turn
    )
    lines = []
    for seat, total, scored in re.findall(r"^Player (\d) \(total: (\d+)\):((?:\n  .*)*)", text, re.MULTILINE):
        categories = re.findall(r"  (\w+): (\d+)", scored)
        lines.append(f"{around.names[int(seat)]}, {total} points")
        lines += [
            ", ".join(f"{name} {points}" for name, points in categories[n : n + 5])
            for n in range(0, len(categories), 5)
        ]
    return dice_panel([throw], None, lines, around.strip, around.words)


def backgammon(texts: Texts, around: Around) -> Panel | None:
    text = texts[0]
    lines = [line.replace("|", "") for line in text.splitlines() if re.fullmatch(r"\|.{6}\|.{6}\|", line)]
    dice = re.search(r"^Dice: ?(\d*)", text, re.MULTILINE)
    bar = re.search(r"^Bar:(.*)$", text, re.MULTILINE)
    off = re.search(r"Scores, X: (\d+), O: (\d+)", text)
    if len(lines) != 11 or dice is None or bar is None or off is None:
        return None
    points = {}
    for column in range(12):
        for point, rows in ((13 + column, lines[:5]), (12 - column, lines[6:])):
            stack = "".join(row[column] for row in rows if row[column] not in ". ")
            owners = stack.strip("0123456789")
            if owners:
                number = re.search(r"\d+", stack)  # from ten on its digits are one below the other
                points[point] = ("xo".index(owners[0]), len(stack) if number is None else int(number[0]))
    held = [bar[1].count("x"), bar[1].count("o")]
    board = Backgammon(points, held, [int(off[1]), int(off[2])], [*map(int, dice[1])], around.turn)
    return backgammon_panel(board, CHECKERS, around.strip)


def backgammon_move(text: str, seat: int) -> list[str]:
    """The points of a move. Those of the first seat are counted from the other end."""
    points = [
        int(point) for point in re.findall(r"\d+", text.partition("-")[2].replace("(", "")) if 1 <= int(point) <= 24
    ]
    return [f"point{25 - point if seat == 0 else point}" for point in points]


DICE_GAMES: Final[Mapping[str, DiceFacts]] = {
    "backgammon": DiceFacts(backgammon, moves=backgammon_move, pieces=CHECKERS, side_words=("x", "o")),
    "liars_dice": DiceFacts(liars_dice, r"^(\d+-\d+|Liar)$"),
    "liars_dice_ir": DiceFacts(liars_dice, r"^(\d+-\d+|Liar)$"),
    "pig": DiceFacts(pig, "(roll|stop)"),
    "yacht": DiceFacts(yacht),
}
"""The games that are drawn with dice."""
