"""The decisions of a record as rows of a table: what the seat saw and could do, what it did, and what came of it."""

import msgspec
from msgspec import UNSET, Struct

from protocol.record import DecisionLine
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay, as_json


class DecisionRow(Struct, kw_only=True):
    """A decision. The names and types of the fields are those of the columns."""

    record: str
    game: str
    config: str
    """The options of the game as bots were told them, as JSON."""
    number: int
    """The place of the decision in its game, from 1."""
    seat: int
    player: str
    decision: str
    observation: str
    """What the seat was sent or, for a decision that nobody was asked for, would have been: as JSON."""
    legal: str
    """The legal actions, as JSON."""
    choices: int
    """The number of legal actions."""
    index: int | None
    """The place of the action among the legal ones; None if it is another form of one of them."""
    action: str
    """As JSON."""
    forced: bool
    """Whether the referee took the decision, because there was only one legal action."""
    opening: bool
    """Whether it belongs to the opening, of which nobody is asked anything."""
    substitute: bool
    """Whether it was taken in place of a bot that was out of the game."""
    ms: float | None
    """The milliseconds that the player took, if one was asked."""
    score: int | None = None
    """The score of the seat at the end of the game. This and the next ones are None in an unfinished game."""
    rank: int | None = None
    fault: str | None = None


def decision_rows(record: str, replay: Replay) -> tuple[list[DecisionRow], InvalidRecord | None]:
    """The rows of a record that has not been replayed yet, and why they end early, if they do."""
    rows: list[DecisionRow] = []
    steps = replay.steps()
    try:
        while True:
            row = next_row(record, replay, len(rows) + 1)
            if next(steps, None) is None:
                break
            if row is not None:
                rows.append(row)
    except InvalidRecord as error:
        return rows, error
    result = replay.result
    assert result is not None  # otherwise the record is not finished, which is an error
    for row in rows:
        row.score = result.scores[row.seat]
        row.rank = result.ranks[row.seat]
        row.fault = result.faults[row.seat]
    return rows, None


def next_row(record: str, replay: Replay, number: int) -> DecisionRow | None:
    """The row of the line that is replayed next; None if it is not a decision that is due."""
    if replay.unstarted is not None or replay.replayed >= len(replay.rest):
        return None
    game, line = replay.game, replay.rest[replay.replayed].line
    if not isinstance(line, DecisionLine) or game.turn is None or line.seat != game.turn.seat:
        return None
    legal = msgspec.json.decode(msgspec.json.encode(game.legal_actions()))
    return DecisionRow(
        record=record,
        game=replay.header.game,
        config=as_json(game.public_config()),
        number=number,
        seat=line.seat,
        player=replay.header.players[line.seat].name,
        decision=line.decision,
        observation=as_json(game.observe(line.seat)),
        legal=as_json(legal),
        choices=len(legal),
        index=legal.index(line.action) if line.action in legal else None,
        action=as_json(line.action),
        forced=line.forced,
        opening=line.opening,
        substitute=line.substitute,
        ms=None if line.ms is UNSET else line.ms,
    )
