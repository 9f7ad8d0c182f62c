"""Single errors in a record, each with the message of its verification."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.record.played import Line

Mutation = Callable[[list[Line]], int]
"""Changes the lines; returns the number of the first line that is wrong afterwards."""


class Case(NamedTuple):
    """A mutation, and a regular expression for the message."""

    mutation: Mutation
    words: str


CASES: dict[str, Case] = {}


def wrong(words: str) -> Callable[[Mutation], Mutation]:
    """Register a mutation with a regular expression for the message."""

    def register(mutation: Mutation) -> Mutation:
        CASES[mutation.__name__.replace("_", " ")] = Case(mutation, words)
        return mutation

    return register


def wrong_field(field: str) -> Callable[[Mutation], Mutation]:
    """Register a mutation with a message that names this field before it quotes the line.

    The rest of such a message is in the words of the JSON library, which may change.
    """
    return wrong(rf"^(?:(?!: ').)*\b{field}\b")


def find(lines: list[Line], kind: str, nth: int = 1, **fields: Any) -> int:
    """The number of the nth line of a type with these fields (None: without the field)."""
    fitting = [
        number
        for number, line in enumerate(lines, start=1)
        if line["type"] == kind and all(line.get(name) == value for name, value in fields.items())
    ]
    return fitting[nth - 1]


def change(lines: list[Line], number: int, **fields: Any) -> int:
    """Set fields of a line (None: drop the field)."""
    line = {**lines[number - 1], **fields}
    lines[number - 1] = {name: value for name, value in line.items() if value is not None}
    return number


def turn(lines: list[Line], decision: str) -> int:
    """The number of a decision of that kind in mid-game, taken by a bot."""
    return find(lines, "decision", 6, decision=decision, forced=None, substitute=None)


# -- decisions ------------------------------------------------------------------------------------------------


@wrong(r"not an action of play_card: .*\bcard\b")
def an_action_of_unknown_words(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), action={"card": "beggar"})


@wrong(r"not an action of choose_action: .*\bkind\b")
def an_action_without_a_field(lines: list[Line]) -> int:
    return change(lines, turn(lines, "choose_action"), action={"group": 0, "card": "taxes"})


@wrong("not an action of play_card: .")
def an_action_of_another_type(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), action=3)


@wrong(r'\{"kind":"card","group":9,"card":"taxes"\} is not legal here')
def an_action_that_is_not_legal(lines: list[Line]) -> int:
    return change(lines, turn(lines, "choose_action"), action={"kind": "card", "group": 9, "card": "taxes"})


@wrong("play_card of seat . is due, not play_card of seat .")
def the_seat_of_a_decision(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    return change(lines, number, seat=(lines[number - 1]["seat"] + 1) % 4)


@wrong("play_card of seat . is due, not play_card of seat 7")
def a_decision_of_an_unknown_seat(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), seat=7)


@wrong("choose_action of seat . is due, not build_floor of seat .")
def the_kind_of_a_decision(lines: list[Line]) -> int:
    return change(lines, turn(lines, "choose_action"), decision="build_floor")


@wrong("not forced: there is a choice")
def forced_where_there_is_a_choice(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), forced=True)


@wrong("forced: there is no choice")
def not_forced_where_there_is_no_choice(lines: list[Line]) -> int:
    return change(lines, find(lines, "decision", forced=True, substitute=None), forced=None)


@wrong("seat . decides for itself")
def a_substitute_for_a_bot_without_a_fault(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), substitute=True)


@wrong("seat 2 is out: a substitute decides")
def a_bot_that_decides_although_it_is_out(lines: list[Line]) -> int:
    return change(lines, find(lines, "decision", 3, seat=2, substitute=True, forced=None), substitute=None)


@wrong("is due, not")
def a_missing_decision(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    del lines[number - 1]
    return number


@wrong("is due, not play_card")
def a_decision_given_twice(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    lines.insert(number, lines[number - 1])
    return number + 1


@wrong("is due, not")
def two_decisions_in_the_wrong_order(lines: list[Line]) -> int:
    number = next(
        number
        for number in range(turn(lines, "choose_action"), len(lines))
        if lines[number - 1]["type"] == lines[number]["type"] == "decision"
        and lines[number - 1]["seat"] != lines[number]["seat"]
    )
    lines[number - 1 : number + 1] = [lines[number], lines[number - 1]]
    return number


@wrong_field("seat")
def a_decision_with_a_field_of_the_wrong_type(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), seat="1")


@wrong_field("action")
def a_decision_without_an_action(lines: list[Line]) -> int:
    return change(lines, turn(lines, "play_card"), action=None)


# -- draws ----------------------------------------------------------------------------------------------------


@wrong("events: the first two are not peace")
def an_event_row_that_cannot_be(lines: list[Line]) -> int:
    number = find(lines, "chance", what="events")
    lines[number - 1]["value"].reverse()
    return number


@wrong(r"events: ill-formed: .*\[3\]")
def an_unknown_event(lines: list[Line]) -> int:
    number = find(lines, "chance", what="events")
    lines[number - 1]["value"][3] = "party"
    return number


@wrong("action_groups of round 5: ")
def action_groups_that_cannot_be(lines: list[Line]) -> int:
    number = find(lines, "chance", what="action_groups", round=5)
    lines[number - 1]["value"][0].append("taxes")
    return number


@wrong("super_event: none was drawn")
def no_super_event_although_one_was_to_be_drawn(lines: list[Line]) -> int:
    return change(lines, find(lines, "chance", what="super_event"), value="none")


@wrong("after this line the game needs action_groups of round 4: no chance line for this draw")
def a_missing_draw(lines: list[Line]) -> int:
    number = find(lines, "chance", what="action_groups", round=4)
    del lines[number - 1]
    return last_decision_before(lines, number)


@wrong("after this line the game needs events: no chance line for this draw")
def a_missing_draw_at_the_start(lines: list[Line]) -> int:
    del lines[find(lines, "chance", what="events") - 1]
    return 1


@wrong("after this line the game needs action_groups of round 4")
def a_draw_of_another_round(lines: list[Line]) -> int:
    number = find(lines, "chance", what="action_groups", round=4)
    change(lines, number, round=5)
    return last_decision_before(lines, number)


@wrong("gives the same draw")
def a_draw_given_twice(lines: list[Line]) -> int:
    number = find(lines, "chance", what="action_groups", round=4)
    lines.insert(number + 2, lines[number - 1])
    return number + 3


@wrong("the game never makes this draw")
def a_draw_that_the_game_never_makes(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    lines.insert(number - 1, {"type": "chance", "what": "weather", "value": "rain"})
    return number


@wrong("the game needs action_groups of round 4 before this line; line .* is too late")
def a_draw_after_the_decision_that_depends_on_it(lines: list[Line]) -> int:
    number = find(lines, "chance", what="action_groups", round=4)
    lines.insert(number + 3, lines.pop(number - 1))
    return number


def last_decision_before(lines: list[Line], number: int) -> int:
    """The number of the decision that a draw followed from."""
    return max(at for at in range(1, number) if lines[at - 1]["type"] == "decision")


# -- rounds ---------------------------------------------------------------------------------------------------


@wrong('the rules say .*"round":3,"scores"')
def the_scores_of_a_round(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    lines[number - 1]["scores"][0] += 1
    return number


@wrong('the rules say .*"track"')
def the_person_track_of_a_round(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    lines[number - 1]["track"][2] -= 1
    return number


@wrong('the rules say .*"order"')
def the_order_of_play_of_a_round(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    lines[number - 1]["order"].reverse()
    return number


@wrong("the rules say")
def a_round_without_its_scores(lines: list[Line]) -> int:
    return change(lines, find(lines, "round", round=3), scores=None)


@wrong("the rules say")
def the_number_of_a_round(lines: list[Line]) -> int:
    return change(lines, find(lines, "round", round=3), round=4)


@wrong("a line of type round is missing before this one")
def a_missing_round(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    del lines[number - 1]
    return number + 1  # it may be the draw for the next round


@wrong("unexpected line of type round")
def a_round_given_twice(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    lines.insert(number, lines[number - 1])
    return number + 1


@wrong("unexpected line of type round")
def a_round_too_early(lines: list[Line]) -> int:
    number = find(lines, "round", round=3)
    lines.insert(number - 3, lines.pop(number - 1))
    return number - 2


@wrong("unexpected line of type weather")
def a_line_of_an_unknown_type(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    lines.insert(number - 1, {"type": "weather", "value": "rain"})
    return number


@wrong("unexpected line of type .*")
def a_line_of_a_type_with_control_characters(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    lines.insert(number - 1, {"type": "\x1b[2J" * 1000})
    return number


# -- faults ---------------------------------------------------------------------------------------------------


@wrong("unknown seat 4")
def a_fault_of_an_unknown_seat(lines: list[Line]) -> int:
    return change(lines, find(lines, "fault", retry=None), seat=4)


@wrong("seat 2 is already out")
def a_second_fault_of_a_seat_that_is_out(lines: list[Line]) -> int:
    number = find(lines, "fault", retry=None)
    lines.insert(number + 5, lines[number - 1])
    return number + 6


@wrong_field("code")
def an_unknown_fault(lines: list[Line]) -> int:
    return change(lines, find(lines, "fault", retry=None), code="laziness")


@wrong("seat 2 decides for itself")
def a_missing_fault(lines: list[Line]) -> int:
    number = find(lines, "fault", retry=None)
    del lines[number - 1]
    return number


@wrong(r'the faults are \[null,null,"timeout",null\], not \[null,null,"crash",null\]')
def the_code_of_a_fault(lines: list[Line]) -> int:
    change(lines, find(lines, "fault", retry=None), code="timeout")
    return len(lines)


@wrong("seat 3 was not asked: .* of seat . is due")
def another_try_for_a_seat_that_is_not_asked(lines: list[Line]) -> int:
    return change(lines, find(lines, "fault", seat=0, retry=True), seat=3)


@wrong("no further decision is due: the result should follow")
def a_fault_after_the_last_decision(lines: list[Line]) -> int:
    lines.insert(-1, {"type": "fault", "seat": 1, "code": "crash", "message": ""})
    return len(lines) - 1


@wrong("the game has stopped: at most one bot is left without a fault")
def a_game_that_goes_on_with_one_bot(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    faults = [{"type": "fault", "seat": seat, "code": "crash", "message": ""} for seat in (0, 1, 3)]
    lines[number - 1 : number - 1] = faults[: 2 if lines[number - 1]["seat"] == 3 else 3]
    out = [line["seat"] for line in lines[:number] if line["type"] == "fault" and "retry" not in line]
    assert len(out) < 4
    return next(at for at in range(number, len(lines)) if lines[at - 1]["type"] != "fault")


# -- the result -----------------------------------------------------------------------------------------------


@wrong(r"the scores are \[.*\], not \[.*\]")
def the_scores_of_the_result(lines: list[Line]) -> int:
    lines[-1]["scores"][1] += 1
    return len(lines)


@wrong(r"the ranks are \[.*\], not \[.*\]")
def the_ranks_of_the_result(lines: list[Line]) -> int:
    lines[-1]["ranks"].reverse()
    return len(lines)


@wrong(r'the faults are \[null,null,"crash",null\], not \[null,null,null,null\]')
def the_faults_of_the_result(lines: list[Line]) -> int:
    lines[-1]["faults"][2] = None
    return len(lines)


@wrong("the game was not stopped: it was played to its end")
def a_stop_that_did_not_happen(lines: list[Line]) -> int:
    return change(lines, len(lines), stopped="nobody knows why")


@wrong("too early: .* of seat . is due")
def a_result_too_early(lines: list[Line]) -> int:
    number = turn(lines, "play_card")
    lines.insert(number - 1, lines[-1])
    return number


@wrong("nothing may follow the result")
def a_result_given_twice(lines: list[Line]) -> int:
    lines.append(lines[-1])
    return len(lines)


@wrong("nothing may follow the result")
def a_line_after_the_result(lines: list[Line]) -> int:
    lines.append({"type": "weather"})
    return len(lines)


@wrong("the game is over: no decision is due")
def an_extra_decision(lines: list[Line]) -> int:
    lines.insert(-1, lines[turn(lines, "play_card") - 1])
    return len(lines) - 1


# -- the first line -------------------------------------------------------------------------------------------


@wrong("this is version '2' of the record format; this referee reads version 1")
def another_version_of_the_format(lines: list[Line]) -> int:
    lines[0] = {"type": "game", "record": 2, "title": "everything is different here"}
    return 1


@wrong("unknown game 'chess'; available: year_of_the_dragon")
def an_unknown_game(lines: list[Line]) -> int:
    return change(lines, 1, game="chess")


@wrong("players=9 is not allowed; players is 2 to 5")
def a_config_that_is_not_allowed(lines: list[Line]) -> int:
    lines[0]["config"]["players"] = 9
    return 1


@wrong("unknown option 'colour'")
def an_unknown_option(lines: list[Line]) -> int:
    lines[0]["config"]["colour"] = "red"
    return 1


@wrong("config must be an object")
def a_config_that_is_not_an_object(lines: list[Line]) -> int:
    return change(lines, 1, config=[4])


@wrong("bot_seeds has 3 values in a game of 4")
def too_few_bot_seeds(lines: list[Line]) -> int:
    lines[0]["bot_seeds"] = [1, 2, 3]
    return 1


@wrong("shown_names has 5 values in a game of 4")
def too_many_shown_names(lines: list[Line]) -> int:
    lines[0]["shown_names"] = ["a"] * 5
    return 1


@wrong("3 players are named in a game of 4")
def too_few_players(lines: list[Line]) -> int:
    lines[0]["players"].pop()
    return 1


@wrong_field("seed")
def a_first_line_without_the_seed(lines: list[Line]) -> int:
    return change(lines, 1, seed=None)


@wrong("a game record begins with a line of type game, not .*chance")
def a_missing_first_line(lines: list[Line]) -> int:
    del lines[0]
    return 1


@wrong("a record has only one game line")
def a_second_first_line(lines: list[Line]) -> int:
    lines.insert(5, lines[0])
    return 6
