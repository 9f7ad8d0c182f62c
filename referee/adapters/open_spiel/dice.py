"""Which games of OpenSpiel are drawn with dice and tracks, and how their texts are read."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from referee.adapters.open_spiel.cards import after
from referee.adapters.open_spiel.games import OpenSpielGame
from referee.games.boards.dice_and_tracks import Backgammon, Throw, Track, backgammon_panel, track_panel
from referee.games.boards.pieces import Piece
from referee.games.boards.seats import Strip
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.narrator import format_count
from referee.games.renderer import Panel

CHECKERS: Final = (Piece("disc", "seat0", "of x"), Piece("disc", "seat1", "of o"))
POINT: Final = r"(?<!\()\b\d+"
"""In a move of backgammon, which also says how often it is made: "8/5(2)"."""


class Rolls(NamedTuple):
    """The text of the dice of the latest decision, its seat, and the text of those rolled since."""

    before: str = ""
    seat: int | None = None
    since: str = ""


def latest_rolls(game: OpenSpielGame) -> Rolls:
    """What was rolled lately."""
    rolls = Rolls()
    for event, _ in reversed(game.log):
        if isinstance(event, DecisionEvent):
            rolls = rolls if rolls.seat is not None else rolls._replace(seat=event.seat)
        elif isinstance(event, ChanceEvent):
            text = game.draws[event.round - 1] if isinstance(event.round, int) else ""
            if rolls.seat is not None:
                return rolls._replace(before=text)
            rolls = rolls._replace(since=rolls.since or text)
    return rolls


def turn_of(game: OpenSpielGame) -> int | None:
    return None if game.turn is None else game.turn.seat


def dice_told(game: OpenSpielGame, names: Sequence[str]) -> str:
    """Whose die shows what: that of the latest decision, and that of the next one."""
    before, seat, since = latest_rolls(game)
    said = ((seat, "moved by a", before), (turn_of(game), "has rolled a", since))
    return ", ".join(
        f"{names[who]} {verb} {re.findall('[0-9]', text)[-1]}" for who, verb, text in said if text and who is not None
    )


class DiceFacts(NamedTuple):
    draw: Callable[[OpenSpielGame, Sequence[str], Strip, Sequence[str]], Panel | None]
    """Draws a game, with the names of the players, the row of seats, and words to click."""
    words: str = ""
    moves: Callable[[str, int], Sequence[str]] | None = None
    """The keys of the sprites that an action's text and seat are chosen by."""
    pieces: Sequence[Piece] = ()
    side_words: Sequence[str] = ()
    standing: Callable[[str], Sequence[str]] = lambda text: ()
    """What is said of each seat, to see who is ahead."""


def pig(game: OpenSpielGame, names: Sequence[str], strip: Strip, words: Sequence[str]) -> Panel | None:
    found = re.match(r"Scores: ([\d ]+), Turn total: (\d+)", str(game.state))
    if found is None:
        return None
    scores = [int(score) for score in found[1].split()]
    track = Track(max(100, *scores), scores, int(found[2]), turn_of(game))
    _, seat, since = latest_rolls(game)
    throw = Throw("No roll yet", [])
    if seat is not None:
        title = f"{names[seat]} {'rolled' if since else 'has stopped'}"
        throw = Throw(title, [int(since.split()[-1])] if since else [], seat)
    return track_panel(throw, track, strip, words)


def read_backgammon(text: str) -> Backgammon | None:
    """The board in a text; None if it doesn't fit."""
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
    return Backgammon(points, held, [int(off[1]), int(off[2])], sorted(map(int, dice[1]), reverse=True))


def backgammon(game: OpenSpielGame, names: Sequence[str], strip: Strip, words: Sequence[str]) -> Panel | None:
    board = read_backgammon(str(game.state))
    if board is None:
        return None
    before, seat, _ = latest_rolls(game)
    throws = [Throw("played", sorted(map(int, before[-3:-1]), reverse=True), seat)] if before else []
    throws += [Throw("to play", board.dice, turn_of(game))] if game.turn is not None else []
    return backgammon_panel(board, CHECKERS, throws, strip)


def pips(text: str) -> list[str]:
    """How far the checkers of each seat have to go in all."""
    board = read_backgammon(text)
    if board is None:
        return []
    to_go = [25 * count for count in board.bar]
    for point, (seat, count) in board.points.items():
        to_go[seat] += count * (point if seat else 25 - point)
    return [f"{format_count(count, 'pips')} to go" for count in to_go]


def points(text: str) -> list[str]:
    """The points of each seat."""
    return [format_count(int(count), "points") for count in after(text, "Scores: ").partition(",")[0].split()]


def backgammon_text(text: str, seat: int) -> str:
    """A move without its number, with points as the board has them: the first seat counts them from the other end."""
    move = text.partition(" - ")[2] or text
    return re.sub(POINT, lambda found: str(25 - int(found[0])), move) if seat == 0 else move


def backgammon_move(text: str, seat: int) -> list[str]:
    """The points of a move, as the board has them."""
    points = map(int, re.findall(POINT, backgammon_text(text, seat)))
    return [f"point{point}" for point in points if 1 <= point <= 24]


DICE_GAMES: Final[Mapping[str, DiceFacts]] = {
    "backgammon": DiceFacts(
        backgammon,
        moves=backgammon_move,
        pieces=CHECKERS,
        side_words=("to 24", "to 1"),
        standing=pips,
    ),
    "pig": DiceFacts(pig, "(roll|stop)", standing=points),
}
"""The games that are drawn with dice."""
