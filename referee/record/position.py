"""A position of a recorded game, to be played on from."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from protocol.record import DecisionLine, GameLine
from referee.errors import RefereeError
from referee.games import Game, GameConfig
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.opening import PlayedOn
from referee.record.reader import stem
from referee.record.replay import Replay, draw_of


class NoSuchPosition(RefereeError):
    """A record has no position that can be played on from. The message says why, without the name of the file."""


class RecordedPosition(Struct, frozen=True, kw_only=True):
    """A position and what the record says of the game up to it."""

    header: GameLine
    game: type[Game]
    config: GameConfig
    played_on: PlayedOn
    thought_ms: list[list[float]]
    """By seat the milliseconds of each decision that a player took."""


def position_at(record: Path, number: int | None) -> RecordedPosition:
    """The position with this number, as on the page of the game; None: the last one, of a record that is unfinished.

    Raises InvalidRecord if the record is wrong up to there, and NoSuchPosition.
    """
    replay = Replay(record)
    if replay.other_rules is not None:
        here, there = replay.other_rules
        raise NoSuchPosition(f"was played by the rules {there}; {here} can't play on from it")
    if replay.unstarted is not None:
        raise replay.unstarted
    name = stem(record) if replay.header.game_id is UNSET else replay.header.game_id
    thought: list[list[float]] = [[] for _ in replay.header.players]
    for numbered in replay.rest:
        if replay.position == number and not replay.is_cut_off:
            break
        replay.step()
        line = numbered.line
        if isinstance(line, DecisionLine) and line.ms is not UNSET and not replay.is_cut_off:
            thought[line.seat].append(line.ms)
    reached = replay.position - replay.is_cut_off
    finished = replay.result is not None
    if number is None and finished:
        raise NoSuchPosition(f"is finished: say from where, as RECORD#N; its positions are #0 to #{reached}")
    if number is not None and reached < number:
        end = "its positions are" if finished else "it breaks off: its whole positions are"
        raise NoSuchPosition(f"has no position #{number}; {end} #0 to #{reached}")
    if replay.game.turn is None and not replay.is_cut_off:
        raise NoSuchPosition(f"is over at #{reached}: no decision follows")
    return RecordedPosition(
        header=replay.header,
        game=replay.game_type,
        config=replay.config,
        played_on=_played_on(replay, f"{name}#{reached}"),
        thought_ms=thought,
    )


def _played_on(replay: Replay, source: str) -> PlayedOn:
    """The draws and decisions of a game so far; of a record that breaks off within a decision, those before it."""
    log = [event for event, _ in replay.game.log]
    decisions = [place for place, event in enumerate(log) if isinstance(event, DecisionEvent)]
    if replay.is_cut_off:
        log = log[: decisions[-1]]
    as_json: Any = msgspec.to_builtins
    return PlayedOn(
        position=source,
        draws=[(*draw_of(event), as_json(event.value)) for event in log if isinstance(event, ChanceEvent)],
        actions=[as_json(event.action) for event in log if isinstance(event, DecisionEvent)],
    )
