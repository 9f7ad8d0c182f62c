"""Single errors in a record, each with a regular expression for the message of its verification."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.record.played import Line

Mutation = Callable[[list[Line]], int]
"""Changes the lines; returns the number of the first line that is wrong afterwards."""
Where = Callable[[list[Line]], int]
"""The number of a line."""


class Case(NamedTuple):
    """A mutation, and a regular expression for the message."""

    words: str
    mutation: Mutation


def field(name: str) -> str:
    """A message that names this field before it quotes the line; the rest is in the words of the JSON library."""
    return rf"^(?:(?!: ').)*\b{name}\b"


# -- lines ----------------------------------------------------------------------------------------------------


def find(lines: list[Line], kind: str, nth: int = 1, **fields: Any) -> int:
    """The number of the nth line of a type with these fields (None: without the field)."""
    fitting = [
        number
        for number, line in enumerate(lines, start=1)
        if line["type"] == kind and all(line.get(name) == value for name, value in fields.items())
    ]
    return fitting[nth - 1]


def the(kind: str, nth: int = 1, **fields: Any) -> Where:
    """Such a line, for a mutation."""
    return lambda lines: find(lines, kind, nth, **fields)


def change(lines: list[Line], number: int, **fields: Any) -> int:
    """Set fields of a line (None: drop the field)."""
    line = {**lines[number - 1], **fields}
    lines[number - 1] = {name: value for name, value in line.items() if value is not None}
    return number


def turn(lines: list[Line], decision: str) -> int:
    """The number of a decision of that kind in mid-game, taken by a bot."""
    return find(lines, "decision", 6, decision=decision, forced=None, substitute=None)


def last_decision_before(lines: list[Line], number: int) -> int:
    """The number of the decision that a draw followed from."""
    return max(at for at in range(1, number) if lines[at - 1]["type"] == "decision")


FIRST: Final[Where] = lambda lines: 1  # noqa: E731
RESULT: Final[Where] = len
PLAY: Final[Where] = lambda lines: turn(lines, "play_card")  # noqa: E731
CHOOSE: Final[Where] = lambda lines: turn(lines, "choose_action")  # noqa: E731
OUT: Final = the("fault", retry=None)
ROUND: Final = the("round", round=3)
EVENTS: Final = the("chance", what="events")
GROUPS: Final = the("chance", what="action_groups", round=4)
PARTY: Final = {"type": "weather", "value": "rain"}


# -- mutations ------------------------------------------------------------------------------------------------


def fields(where: Where, **values: Any) -> Mutation:
    """Other fields in a line (None: without the field)."""
    return lambda lines: change(lines, where(lines), **values)


def edit(where: Where, editing: Callable[[Line], Any]) -> Mutation:
    """A line that a function changes in place."""

    def mutation(lines: list[Line]) -> int:
        editing(lines[where(lines) - 1])
        return where(lines)

    return mutation


def off_by_one(where: Where, name: str, index: int) -> Mutation:
    """One more in a list of numbers."""
    return edit(where, lambda line: line[name].__setitem__(index, line[name][index] + 1))


def without(where: Where, wrong: Callable[[list[Line], int], int] = lambda lines, number: number) -> Mutation:
    """A line that is missing; `wrong` is the number of the line that is wrong then."""

    def mutation(lines: list[Line]) -> int:
        number = where(lines)
        del lines[number - 1]
        return wrong(lines, number)

    return mutation


def twice(where: Where, after: int = 0) -> Mutation:
    """A line once more, so many lines later."""

    def mutation(lines: list[Line]) -> int:
        number = where(lines)
        lines.insert(number + after, lines[number - 1])
        return number + after + 1

    return mutation


def inserted(where: Where, line: Line | Where) -> Mutation:
    """A line before another one: this one, or a copy of that one."""

    def mutation(lines: list[Line]) -> int:
        number = where(lines)
        lines.insert(number - 1, line if isinstance(line, dict) else lines[line(lines) - 1])
        return number

    return mutation


def moved(where: Where, by: int, wrong: int) -> Mutation:
    """A line so many lines later; `wrong` is the line that is wrong then, counted from where it was."""

    def mutation(lines: list[Line]) -> int:
        number = where(lines)
        lines.insert(number - 1 + by, lines.pop(number - 1))
        return number + wrong

    return mutation


def another_seat(lines: list[Line]) -> int:
    number = PLAY(lines)
    return change(lines, number, seat=(lines[number - 1]["seat"] + 1) % 4)


def swapped_decisions(lines: list[Line]) -> int:
    number = next(
        number
        for number in range(CHOOSE(lines), len(lines))
        if lines[number - 1]["type"] == lines[number]["type"] == "decision"
        and lines[number - 1]["seat"] != lines[number]["seat"]
    )
    lines[number - 1 : number + 1] = [lines[number], lines[number - 1]]
    return number


def draw_of_another_round(lines: list[Line]) -> int:
    return last_decision_before(lines, change(lines, GROUPS(lines), round=5))


def other_code(lines: list[Line]) -> int:
    change(lines, OUT(lines), code="timeout")
    return len(lines)


def one_bot_left(lines: list[Line]) -> int:
    number = PLAY(lines)
    faults = [{"type": "fault", "seat": seat, "code": "crash", "message": ""} for seat in (0, 1, 3)]
    lines[number - 1 : number - 1] = faults[: 2 if lines[number - 1]["seat"] == 3 else 3]
    out = [line["seat"] for line in lines[:number] if line["type"] == "fault" and "retry" not in line]
    assert len(out) < 4
    return next(at for at in range(number, len(lines)) if lines[at - 1]["type"] != "fault")


def appended(line: Line | Where) -> Mutation:
    """A line at the end."""

    def mutation(lines: list[Line]) -> int:
        lines.append(line if isinstance(line, dict) else lines[line(lines) - 1])
        return len(lines)

    return mutation


def another_version(lines: list[Line]) -> int:
    lines[0] = {"type": "game", "record": 2, "title": "everything is different here"}
    return 1


NINTH: Final = {"kind": "card", "group": 9, "card": "taxes"}
CRASH: Final = {"type": "fault", "seat": 1, "code": "crash", "message": ""}
CASES: Final[dict[str, Case]] = {
    # decisions
    "an action of unknown words": Case(
        r"not an action of play_card: .*\bcard\b", fields(PLAY, action={"card": "beggar"})
    ),
    "an action without a field": Case(
        r"not an action of choose_action: .*\bkind\b", fields(CHOOSE, action={"group": 0, "card": "taxes"})
    ),
    "an action of another type": Case("not an action of play_card: .", fields(PLAY, action=3)),
    "an action that is not legal": Case(
        r'\{"kind":"card","group":9,"card":"taxes"\} is not legal here', fields(CHOOSE, action=NINTH)
    ),
    "the seat of a decision": Case("play_card of seat . is due, not play_card of seat .", another_seat),
    "a decision of an unknown seat": Case("play_card of seat . is due, not play_card of seat 7", fields(PLAY, seat=7)),
    "the kind of a decision": Case(
        "choose_action of seat . is due, not build_floor of seat .", fields(CHOOSE, decision="build_floor")
    ),
    "forced where there is a choice": Case("not forced: there is a choice", fields(PLAY, forced=True)),
    "not forced where there is no choice": Case(
        "forced: there is no choice", fields(the("decision", forced=True, substitute=None), forced=None)
    ),
    "a substitute for a bot without a fault": Case("seat . decides for itself", fields(PLAY, substitute=True)),
    "a bot that decides although it is out": Case(
        "seat 2 is out: a substitute decides",
        fields(the("decision", 3, seat=2, substitute=True, forced=None), substitute=None),
    ),
    "a missing decision": Case("is due, not", without(PLAY)),
    "a decision given twice": Case("is due, not play_card", twice(PLAY)),
    "two decisions in the wrong order": Case("is due, not", swapped_decisions),
    "a decision with a field of the wrong type": Case(field("seat"), fields(PLAY, seat="1")),
    "a decision without an action": Case(field("action"), fields(PLAY, action=None)),
    # draws
    "an event row that cannot be": Case(
        "events: the first two are not peace", edit(EVENTS, lambda line: line["value"].reverse())
    ),
    "an unknown event": Case(
        r"events: ill-formed: .*\[3\]", edit(EVENTS, lambda line: line["value"].__setitem__(3, "party"))
    ),
    "action groups that cannot be": Case(
        "action_groups of round 4: ", edit(GROUPS, lambda line: line["value"][0].append("taxes"))
    ),
    "no super event although one was to be drawn": Case(
        "super_event: none was drawn", fields(the("chance", what="super_event"), value="none")
    ),
    "a missing draw": Case(
        "after this line the game needs action_groups of round 4: no chance line for this draw",
        without(GROUPS, last_decision_before),
    ),
    "a missing draw at the start": Case(
        "after this line the game needs events: no chance line for this draw", without(EVENTS, lambda lines, number: 1)
    ),
    "a draw of another round": Case("after this line the game needs action_groups of round 4", draw_of_another_round),
    "a draw given twice": Case("gives the same draw", twice(GROUPS, after=2)),
    "a draw that the game never makes": Case(
        "the game never makes this draw", inserted(PLAY, {"type": "chance", "what": "weather", "value": "rain"})
    ),
    "a draw after the decision that depends on it": Case(
        "the game needs action_groups of round 4 before this line; line .* is too late", moved(GROUPS, 4, wrong=0)
    ),
    # rounds
    "the scores of a round": Case('the rules say .*"round":3,"scores"', off_by_one(ROUND, "scores", 0)),
    "the person track of a round": Case('the rules say .*"track"', off_by_one(ROUND, "track", 2)),
    "the order of play of a round": Case('the rules say .*"order"', edit(ROUND, lambda line: line["order"].reverse())),
    "a round without its scores": Case("the rules say", fields(ROUND, scores=None)),
    "the number of a round": Case("the rules say", fields(ROUND, round=4)),
    # the next line may be the draw for the next round
    "a missing round": Case(
        "a line of type round is missing before this one", without(ROUND, lambda lines, number: number + 1)
    ),
    "a round given twice": Case("unexpected line of type round", twice(ROUND)),
    "a round too early": Case("unexpected line of type round", moved(ROUND, -2, wrong=-2)),
    "a line of an unknown type": Case("unexpected line of type weather", inserted(PLAY, PARTY)),
    "a line of a type with control characters": Case(
        "unexpected line of type .*", inserted(PLAY, {"type": "\x1b[2J" * 1000})
    ),
    # faults
    "a fault of an unknown seat": Case("unknown seat 4", fields(OUT, seat=4)),
    "a second fault of a seat that is out": Case("seat 2 is already out", twice(OUT, after=5)),
    "an unknown fault": Case(field("code"), fields(OUT, code="laziness")),
    "a missing fault": Case("seat 2 decides for itself", without(OUT)),
    "the code of a fault": Case(
        r'the faults are \[null,null,"timeout",null\], not \[null,null,"crash",null\]', other_code
    ),
    "another try for a seat that is not asked": Case(
        "seat 3 was not asked: .* of seat . is due", fields(the("fault", seat=0, retry=True), seat=3)
    ),
    "a fault after the last decision": Case(
        "no further decision is due: the result should follow", inserted(RESULT, CRASH)
    ),
    "a game that goes on with one bot": Case(
        "the game has stopped: at most one bot is left without a fault", one_bot_left
    ),
    # the result
    "the scores of the result": Case(r"the scores are \[.*\], not \[.*\]", off_by_one(RESULT, "scores", 1)),
    "the ranks of the result": Case(
        r"the ranks are \[.*\], not \[.*\]", edit(RESULT, lambda line: line["ranks"].reverse())
    ),
    "the faults of the result": Case(
        r'the faults are \[null,null,"crash",null\], not \[null,null,null,null\]',
        fields(RESULT, faults=[None, None, None, None]),
    ),
    "a stop that did not happen": Case(
        "the game was not stopped: it was played to its end", fields(RESULT, stopped="nobody knows why")
    ),
    "a result too early": Case("too early: .* of seat . is due", inserted(PLAY, RESULT)),
    "a result given twice": Case("nothing may follow the result", appended(RESULT)),
    "a line after the result": Case("nothing may follow the result", appended({"type": "weather"})),
    "an extra decision": Case("the game is over: no decision is due", inserted(RESULT, PLAY)),
    # the first line
    "another version of the format": Case(
        "this is version '2' of the record format; this referee reads version 1", another_version
    ),
    "an unknown game": Case("unknown game 'ludo'; available: year_of_the_dragon", fields(FIRST, game="ludo")),
    "a config that is not allowed": Case(
        "players=9 is not allowed; players is 2 to 5", edit(FIRST, lambda line: line["config"].update(players=9))
    ),
    "an unknown option": Case("unknown option 'colour'", edit(FIRST, lambda line: line["config"].update(colour="red"))),
    "a config that is not an object": Case("config must be an object", fields(FIRST, config=[4])),
    "too few bot seeds": Case("bot_seeds has 3 values in a game of 4", fields(FIRST, bot_seeds=[1, 2, 3])),
    "too many shown names": Case("shown_names has 5 values in a game of 4", fields(FIRST, shown_names=["a"] * 5)),
    "too few players": Case("a game of 4 players has 3 names", edit(FIRST, lambda line: line["players"].pop())),
    "a first line without the seed": Case(field("seed"), fields(FIRST, seed=None)),
    "a missing first line": Case("a game record begins with a line of type game, not .*chance", without(FIRST)),
    "a second first line": Case("a record has only one game line", inserted(lambda lines: 6, FIRST)),
}
