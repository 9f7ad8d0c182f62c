"""Recorded games of two bots as the notations that players exchange have them: moves with clocks, the result, and how
they ended."""

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct

from protocol.messages import FaultCode
from protocol.record import DecisionLine, FaultLine, GameLine, ResultLine
from referee.games.interface import DecisionEvent
from referee.printable import printable
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from referee.reports.decisions import Records
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder

BLACK, WHITE = 0, 1
"""The seats, as OpenSpiel numbers the sides of chess and Go."""
MAX_NOTE = 300
"""Characters of a name or message that are written."""
How = Literal["normal", "time", "rules", "abandoned", "unterminated"]
HOW: dict[FaultCode, How] = {"timeout": "time", "startup_timeout": "time", "crash": "abandoned", "memory": "abandoned"}
"""How a game ends after these faults; others break rules."""
ID_NUMBERS: Final = re.compile("[0-9]{1,9}")
DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
"""How the time of a run begins, and the name of the folder of a match."""


class PlayedMove(Struct, frozen=True, kw_only=True):
    seat: int
    text: str
    """As OpenSpiel has it."""
    seconds: float | None
    """How long the bot thought; None if it was not asked."""
    bank: float | None
    """The seconds that it has left afterwards; None without a bank, and as long as the bot has not been asked."""
    info: dict[str, Any]


class Occasion(Struct, frozen=True, kw_only=True):
    """Where a game was played, as far as it is known."""

    event: str = ""
    """The name of the tournament."""
    date: str = ""
    """Such as `2026-11-26`, `2026-11` or `2026`."""


class PlayedGame(Struct, frozen=True, kw_only=True):
    header: GameLine
    occasion: Occasion
    config: Any
    """The options of the game."""
    round: str
    """The numbers in the game's id, such as `7.2`; `-` without one."""
    players: list[str]
    """The names of the bots, by seat."""
    start: str
    """OpenSpiel's text of the first position."""
    moves: list[PlayedMove]
    end: str
    """OpenSpiel's text of the last position."""
    winner: int | None
    """A seat; None after a draw, and after a game without a result."""
    how: How
    note: str
    """What a bot did wrong; empty after a game that was played to its end."""

    @property
    def is_draw(self) -> bool:
        return self.winner is None and self.how == "normal"


class Notation(NamedTuple):
    name: str
    game: str
    write: Callable[[PlayedGame], str]


def game_texts(records: Records, notation: Notation) -> Iterator[str]:
    """The text of each game. Records of other games are a problem of theirs; a wrong one is written up to there."""
    for file, replay in records.replays():
        if replay.header.game != notation.game:
            records.problem(file, f"{notation.name} is for {notation.game}, not for {replay.game_type.name}")
            continue
        try:
            game, problem = played_game(replay, occasion_in(file.resolve().parent))
        except InvalidRecord as error:
            records.problem(file, error)
            continue
        if problem is not None:
            records.problem(file, problem)
        records.games += 1
        yield notation.write(game)


@functools.cache
def occasion_in(folder: Path) -> Occasion:
    """What is known of the games with records in this folder: that of a match, or `records` of a tournament."""
    if folder.name != "records":
        return Occasion(date=common_date([folder.name]))
    try:
        manifest = TournamentFolder.open(folder.parent).manifest
    except StoreError:
        return Occasion()
    times = [time or "" for run in manifest.sessions for time in (run.started, run.ended)]
    return Occasion(event=printable(manifest.regulations.name, MAX_NOTE), date=common_date(times))


def common_date(times: Iterable[str]) -> str:
    """What the dates with which these texts begin have in common; empty if one has none."""
    days = [day.groups() if (day := DAY.match(time)) else () for time in times]
    return "-".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, zip(*days, strict=False)))


def played_game(replay: Replay, occasion: Occasion) -> tuple[PlayedGame, InvalidRecord | None]:
    """The game of a record that has not been replayed yet, and why it ends early, if it does.

    Raises InvalidRecord if it has not begun.
    """
    if replay.unstarted is not None:
        raise replay.unstarted
    header, game, problem = replay.header, replay.game, None
    start, moves, faults = text_of(game), list[PlayedMove](), list[FaultLine]()
    clock = header.clock if header.clock is not UNSET and header.enforced else None
    banks: list[float] | None = None
    if clock is not None and clock.bank_ms is not UNSET:
        banks = [float(clock.bank_ms)] * len(header.players) if header.banks_ms is UNSET else header.banks_ms[:]
    increment = 0 if clock is None or clock.increment_ms is UNSET else clock.increment_ms
    try:
        for numbered, events in replay.steps():
            line = numbered.line
            if isinstance(line, FaultLine) and not line.retry:
                faults.append(line)
            if isinstance(line, DecisionLine):
                seconds = None if line.ms is UNSET else line.ms / 1000
                if banks is not None and line.ms is not UNSET:
                    banks[line.seat] += increment - line.ms
                moves.append(
                    PlayedMove(
                        seat=line.seat,
                        text=next(event.action.text for event in events if isinstance(event, DecisionEvent)),
                        seconds=seconds,
                        bank=None if banks is None or seconds is None else max(0.0, banks[line.seat] / 1000),
                        info=info_of(line),
                    )
                )
    except InvalidRecord as error:
        problem = error
    winner, how = ending(replay.result)
    return PlayedGame(
        header=header,
        occasion=occasion,
        config=replay.config,
        round=".".join(str(int(digits)) for digits in ID_NUMBERS.findall(header.game_id or "")) or "-",
        players=[printable(player.name, MAX_NOTE) for player in header.players],
        start=start,
        moves=moves,
        end=text_of(game),
        winner=winner,
        how=how,
        note="; ".join(printable(f"{header.players[f.seat].name}: {f.code}: {f.message}", MAX_NOTE) for f in faults),
    ), problem


def text_of(game: Any) -> str:
    text: str = game.observe(0).observation
    return text


def ending(result: ResultLine | None) -> tuple[int | None, How]:
    """The seat that has won, and how the game ended."""
    if result is None:
        return None, "unterminated"
    winner = None if result.ranks[0] == result.ranks[1] else result.ranks.index(1)
    faults = [fault for fault in result.faults if fault is not None]
    return winner, HOW.get(faults[0], "rules") if faults else "normal"


def info_of(line: DecisionLine) -> dict[str, Any]:
    """What the bot sent with its move, if it is an object."""
    info = None if line.info is UNSET else msgspec.json.decode(line.info)
    return info if isinstance(info, dict) else {}


def number_of(value: Any) -> float | None:
    """A number that a bot sent; None if it is something else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
    return value if is_number and math.isfinite(value) else None
