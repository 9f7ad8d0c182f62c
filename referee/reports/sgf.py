"""Games of Go as SGF (Smart Game Format, FF[4])."""

import re
from typing import Any, Final

from msgspec import UNSET

from referee.adapters.open_spiel.decided import area
from referee.reports.played_game import BLACK, WHITE, Notation, PlayedGame, PlayedMove
from referee.version import __version__

FILES_OF_POINTS: Final = "ABCDEFGHJKLMNOPQRST"
LETTERS: Final = "abcdefghijklmnopqrs"
ROW: Final = re.compile(r"^ *[0-9]+ ([+XO]+)$", re.MULTILINE)
"""A row of OpenSpiel's text of a board, the highest first."""
WAYS: Final = {"time": "T", "rules": "F", "abandoned": "F"}


def sgf_game(game: PlayedGame) -> str:
    """A game of Go as a game tree, with a line feed after it."""
    size, komi = game.config.board_size, game.config.komi
    stones = [
        f"{LETTERS[x]}{LETTERS[y]}"
        for y, row in enumerate(ROW.findall(game.start))
        for x, at in enumerate(row)
        if at == "X"
    ]
    root: dict[str, Any] = {
        "FF": 4,
        "CA": "UTF-8",
        "AP": f"referee:{__version__}",
        "GM": 1,
        "SZ": size,
        "KM": f"{komi:g}",
        "RU": "Chinese",
        "GN": "" if game.header.game_id is UNSET else game.header.game_id,
        "RO": game.round,
        "PB": game.players[BLACK],
        "PW": game.players[WHITE],
        "RE": result(game, komi),
        **({"EV": game.occasion.event} if game.occasion.event else {}),
        **({"DT": game.occasion.date} if game.occasion.date else {}),
        **time_limits(game),
    }
    if stones:
        root["HA"] = len(stones)
    first = "".join(f"{name}[{escape(str(value))}]" for name, value in root.items())
    placed = "AB" + "".join(f"[{stone}]" for stone in stones) if stones else ""
    note = f"C[{escape(game.note)}]" if game.note else ""
    return "\n".join([f"(;{first}{placed}", *(node(move, size) for move in game.moves), f"{note})", ""])


def escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def node(move: PlayedMove, size: int) -> str:
    colour, _, point = move.text.upper().partition(" ")
    place = "" if point == "PASS" else f"{LETTERS[FILES_OF_POINTS.index(point[0])]}{LETTERS[size - int(point[1:])]}"
    left = "" if move.bank is None else f"{colour}L[{move.bank:.3f}]"
    return f";{colour}[{place}]{left}"


def time_limits(game: PlayedGame) -> dict[str, str]:
    """Main time, and in words what comes on top of it."""
    clock = game.header.clock
    if clock is UNSET or not game.header.enforced:
        return {}
    if clock.bank_ms is UNSET:
        return {} if clock.move_ms is UNSET else {"TM": "0", "OT": f"1x{clock.move_ms / 1000:g} byo-yomi"}
    limits = {"TM": f"{clock.bank_ms / 1000:g}"}
    if clock.increment_ms is not UNSET and clock.increment_ms:
        limits["OT"] = f"{clock.increment_ms / 1000:g} fischer"
    return limits


def result(game: PlayedGame, komi: float) -> str:
    """The result: with the margin of area scoring, if both have passed."""
    if game.is_draw:
        return "Draw"
    if game.winner is None:
        return "Void"
    colour = "WB"[game.winner == BLACK]
    if game.how in WAYS:
        return f"{colour}+{WAYS[game.how]}"
    rows = enumerate(ROW.findall(game.end))
    counted = area({(x, y): None if at == "+" else at for y, row in rows for x, at in enumerate(row)})
    return f"{colour}+{abs(counted.get('X', 0) - counted.get('O', 0) - komi):g}"


SGF: Final = Notation("SGF", "open_spiel:go", sgf_game)
