"""An independent check of records: a plain replay with the rules, written without the referee's own replay."""

from typing import Any

import msgspec

from referee.games import Game, Recorded, find_game
from referee.outcome import Eliminations
from tests.record.played import Line


def first_wrong_line(lines: list[Line]) -> int | None:
    """The number of the first line that the rules contradict. The lines are well-formed, and in a sensible order."""
    game = begin(lines)
    expected: list[Any] = []
    out: list[int] = []
    for number, line in enumerate(lines[1:], start=2):
        match line["type"]:
            case "decision":
                valid = not expected and decide(game, line, out, expected)
            case "fault":
                valid = faulted(game, line, out)
            case "result":
                valid = not expected and line == {**line, **result(game, out, lines)}
            case "chance":
                valid = True
            case _:
                valid = bool(expected) and line == expected.pop(0)
        if not valid:
            return number
    return None


def begin(lines: list[Line]) -> Game:
    """The game at its first decision."""
    game_type = find_game(lines[0]["game"])
    draws = {(line["what"], line.get("round")): line["value"] for line in lines if line["type"] == "chance"}
    return game_type.new(msgspec.convert(lines[0]["config"], game_type.Config), Recorded(draws))


def decide(game: Game, line: Line, out: list[int], expected: list[Any]) -> bool:
    """Whether the decision is valid; applies it, and adds the lines that have to follow."""
    turn = game.turn
    if turn is None or (turn.seat, turn.decision) != (line["seat"], line["decision"]):
        return False
    legal = game.legal_actions()
    if line.get("forced", False) != (len(legal) == 1) or line.get("substitute", False) != (turn.seat in out):
        return False
    encoded = {msgspec.json.encode(action): action for action in legal}
    try:
        action = msgspec.convert(line["action"], game.actions[turn.decision])
    except msgspec.ValidationError:
        return False
    chosen = encoded.get(msgspec.json.encode(action))
    if chosen is None and not game.is_legal(action):
        return False
    since = len(game.log)
    game.apply(chosen or action)
    expected += [
        msgspec.json.decode(msgspec.json.encode(event))
        for event, _ in game.log[since:]
        if isinstance(event, game.recorded)
    ]
    return True


def faulted(game: Game, line: Line, out: list[int]) -> bool:
    """Whether the seat may commit a fault here; without a retry it is out afterwards."""
    seat = line["seat"]
    if not 0 <= seat < game.config.players or seat in out or game.turn is None:
        return False
    if line.get("retry"):
        return seat == game.turn.seat and len(game.legal_actions()) > 1
    out.append(seat)
    return True


def result(game: Game, out: list[int], lines: list[Line]) -> Line:
    """The result that the record should have."""
    codes = {line["seat"]: line["code"] for line in lines if line["type"] == "fault" and not line.get("retry")}
    ranking = game.ranking()
    over = game.turn is None
    return {
        "scores": ranking.scores if over else "too early",
        "ranks": Eliminations(seats=len(ranking.ranks), groups=[[seat] for seat in out]).final_ranks(ranking.ranks),
        "faults": [codes.get(seat) for seat in range(game.config.players)],
    }
