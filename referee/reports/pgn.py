"""Games of chess as PGN (Portable Game Notation, Standard: Specification and Implementation Guide, 1994).

The clock and the evaluation of a move are in its comment, as `[%clk …]`, `[%emt …]` and `[%eval …]`.
"""

import textwrap
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from protocol.messages import Clock
from referee.reports.played_game import BLACK, WHITE, How, Notation, PlayedGame, PlayedMove, number_of

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
TERMINATIONS: Final[dict[How, str]] = {"time": "time forfeit", "rules": "rules infraction"}
"""The standard's word for how a game ended, where it differs."""


def pgn_game(game: PlayedGame) -> str:
    """A game of chess in the export format, with an empty line after it."""
    result = "*" if game.winner is None else "0-1" if game.winner == BLACK else "1-0"
    result = "1/2-1/2" if game.is_draw else result
    date = game.occasion.date.split("-") if game.occasion.date else ["????"]
    tags = {
        "Event": game.occasion.event or "?",
        "Site": "?",
        "Date": ".".join([*date, "??", "??"][:3]),
        "Round": game.round,
        "White": game.players[WHITE],
        "Black": game.players[BLACK],
        "Result": result,
        "PlyCount": str(len(game.moves)),
        "Termination": TERMINATIONS.get(game.how, game.how),
        "TimeControl": time_control(None if game.header.clock is UNSET else game.header.clock, game.header.enforced),
    }
    if game.config.chess960:
        tags["Variant"] = "Chess960"
    if game.start != START:
        tags |= {"SetUp": "1", "FEN": game.start}
    lines = [f'[{name} "{escape(value)}"]' for name, value in tags.items()]
    text = " ".join([*moves_text(game), *([comment(game.note)] if game.note else []), result])
    return "\n".join([*lines, "", *textwrap.wrap(text, 79, break_long_words=False, break_on_hyphens=False), "", ""])


def escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def comment(text: str) -> str:
    return f"{{{text.replace('}', ')')}}}"


def time_control(clock: Clock | None, enforced: bool) -> str:
    """The field of TimeControl: seconds and increment, or the seconds of each move as a period of one move."""
    if clock is None or not enforced:
        return "-"
    if clock.bank_ms is UNSET:
        return "-" if clock.move_ms is UNSET else f"1/{clock.move_ms / 1000:g}"
    increment = 0 if clock.increment_ms is UNSET else clock.increment_ms
    return f"{clock.bank_ms / 1000:g}" + (f"+{increment / 1000:g}" if increment else "")


def moves_text(game: PlayedGame) -> Iterator[str]:
    """The moves with their numbers and comments."""
    _, side, *_, number = game.start.split()
    ply = 2 * int(number) - (side == "w") - 1
    is_numbered = False
    for move in game.moves:
        ply += 1
        if ply % 2:
            yield f"{(ply + 1) // 2}."
        elif not is_numbered:
            yield f"{ply // 2}..."
        yield move.text
        said = [*commands(move)]
        if said:
            yield comment(" ".join(said))
        is_numbered = bool(ply % 2) and not said


def commands(move: PlayedMove) -> Iterator[str]:
    """What is said about a move."""
    if move.bank is not None:
        yield f"[%clk {hours(move.bank)}]"
    if move.seconds is not None:
        yield f"[%emt {hours(move.seconds)}]"
    sign = 1 if move.seat == WHITE else -1
    mate, score, depth = (number_of(move.info.get(name)) for name in ("mate", "score", "depth"))
    deep = f",{int(depth)}" if depth is not None and depth >= 0 else ""
    if mate:
        yield f"[%eval #{sign * int(mate)}{deep}]"
    elif score is not None:
        yield f"[%eval {sign * score:.2f}{deep}]"


def hours(seconds: float) -> str:
    """As `0:01:02.345`."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


PGN: Final = Notation("PGN", "open_spiel:chess", pgn_game)
