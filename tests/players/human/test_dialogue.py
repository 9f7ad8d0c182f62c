"""The dialogue of a decision, without a terminal."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface import Action
from referee.games.presenter import Menu, MenuEntry
from referee.games.rule_texts import RuleText
from referee.players.human.dialogue import HELP, Dialogue
from tests.hostile_texts import HOSTILE

CONTAGION: Final = RuleText(name="contagion", kind="Events", text="Three persons leave.\n", also=("plague",))
DROUGHT: Final = RuleText(name="drought", kind="Events", text="Rice is used up.\n")
CONTRACT: Final = RuleText(name="contract", kind="Cards", text="Signed.\n")
RULES: Final = {rule.name: rule for rule in (CONTAGION, DROUGHT, CONTRACT)}


class Pick(Action, frozen=True, kw_only=True):
    """An action that can be told apart."""

    name: str


def entry(label: str, leads_to: Menu | None = None, note: str = "", heading: str = "") -> MenuEntry:
    return MenuEntry(label, leads_to or Pick(name=label), note, heading)


PRIVILEGES: Final = Menu("Which size?", [entry("small", note="1 point"), entry("large", note="2 points")])
CARDS: Final = Menu(
    "Which card?",
    [
        entry("taxes", note="4 yuan", heading="group 0"),
        entry("build", heading="group 0"),
        entry("build wall", heading="group 1"),
        entry("privilege", PRIVILEGES, heading="group 1"),
    ],
)
LONG: Final = Menu("Where?", [entry(f"({number},{-number})") for number in range(1, 26)])


def dialogue(menu: Menu = CARDS, **given: Any) -> Dialogue:
    return Dialogue(menu, RULES, **{"width": 80, "page_size": 10} | given)


def after(talk: Dialogue, *lines: str | None) -> str:
    """What is shown after the last of these lines."""
    shown: Sequence[str] = talk.show()
    for line in lines:
        assert talk.answer is None
        shown = talk.respond(line)
    return "\n".join(shown)


def names(talk: Dialogue) -> list[str]:
    """The actions that were confirmed."""
    assert talk.answer is not None
    return [action.name for action in talk.answer if isinstance(action, Pick)]


# -- choosing -------------------------------------------------------------------------------------------------


def test_the_list_has_numbers_headings_and_notes() -> None:
    assert after(dialogue()).splitlines() == [
        "Which card?",
        "  group 0",
        "    0  taxes       4 yuan",
        "    1  build",
        "  group 1",
        "    2  build wall",
        "    3  privilege",
    ]


@pytest.mark.parametrize("typed", ["0", " 0 ", "taxes", "TAXES", "tax", "ax", "tax group"])
def test_a_number_or_a_part_of_a_name_chooses_and_enter_confirms(typed: str) -> None:
    talk = dialogue()
    assert "You choose: taxes\n  4 yuan\n" in after(talk, typed)
    assert talk.prompt == "confirm? > "
    assert talk.answer is None
    talk.respond("")
    assert names(talk) == ["taxes"]


def test_who_is_called_exactly_so_is_meant_although_others_have_it_in_their_names() -> None:
    assert "You choose: build\n" in after(dialogue(), "build")


def test_a_part_that_several_have_narrows_the_list_whose_numbers_stay() -> None:
    talk = dialogue()
    shown = after(talk, "bui")
    assert "    1  build" in shown
    assert "    2  build wall" in shown
    assert "taxes" not in shown
    assert "2 of 4" in shown
    assert "You choose: build wall" in after(talk, "2")


def test_within_a_narrowed_list_only_what_is_listed_is_searched_and_undo_shows_all_again() -> None:
    talk = dialogue()
    assert "No entry matches “tax”" in after(talk, "bui", "tax")
    assert "You choose: build wall" in after(talk, "wall")
    assert "taxes" not in after(talk, "u")
    assert "taxes" in after(talk, "u")


@pytest.mark.parametrize("typed", ["4", "5", "99999999999999999999999", "-1", "1.5", "٣٣", "zzz", "!"])
def test_what_means_nothing_is_said_to_and_chooses_nothing(typed: str) -> None:
    talk = dialogue()
    assert "There is no number" in after(talk, typed) or "No entry matches" in after(talk, typed)
    assert talk.prompt == "> "
    assert after(talk, "") == after(dialogue())


def test_coordinates_are_words() -> None:
    assert "You choose: (2,-2)" in after(dialogue(LONG), "2,-2")
    assert "You choose: (2,-2)" in after(dialogue(LONG), "(2,-2)")
    assert "(2,-2)" in after(dialogue(LONG), "2,")
    assert "(12,-12)" not in after(dialogue(LONG), "2,-")


def test_a_long_list_is_shown_in_pages() -> None:
    talk = dialogue(LONG)
    assert "page 1 of 3, 25 entries" in after(talk)
    assert "page 2 of 3" in after(talk, "n")
    assert "   20  (21,-21)" in after(talk, "n")
    assert "no next page" in after(talk, "n")
    assert "page 2 of 3" in after(talk, "p")
    assert "You choose: (1,-1)" in after(talk, "0"), "numbers of other pages count too"
    assert "no previous page" in after(dialogue(LONG), "p")


def test_a_menu_with_one_entry_asks_nothing() -> None:
    talk = dialogue(Menu("Where?", [entry("here", Menu("How?", [entry("as it is")])), entry("there")]))
    assert "You choose: here > as it is" in after(talk, "here")
    assert "Where?" in after(talk, "u")
    assert "You choose: only" in after(dialogue(Menu("Where?", [entry("only")])))


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    note = "a long note with many words " * 8
    menu = Menu(
        "A question of very many words " * 4, [entry("short", note=note), entry("a long label " * 2, note=note)]
    )
    talk = dialogue(menu, width=width)
    for shown in (after(talk), after(talk, "?"), after(talk, "? drought"), after(talk, "short")):
        assert max(map(len, shown.splitlines())) <= max(width, *map(len, HELP))


# -- taking back ----------------------------------------------------------------------------------------------


def test_every_step_can_be_taken_back_until_it_is_confirmed() -> None:
    talk = dialogue()
    assert "Which size?" in after(talk, "privilege")
    assert "You choose: privilege > large\n  2 points" in after(talk, "large")
    assert "Which size?" in after(talk, "u")
    assert "Which card?" in after(talk, "undo")
    assert "nothing to take back" in after(talk, "u")
    after(talk, "0", "")
    assert names(talk) == ["taxes"]


def test_what_is_to_be_confirmed_is_not_changed_by_a_slip() -> None:
    talk = dialogue()
    assert "Enter confirms “taxes”, u takes it back" in after(talk, "0", "1")
    assert talk.answer is None
    talk.respond("")
    assert names(talk) == ["taxes"]


def test_decisions_that_belong_together_are_confirmed_and_taken_back_together() -> None:
    def further(actions: Sequence[Action]) -> Menu | None:
        return PRIVILEGES if len(actions) < 3 else None

    talk = dialogue(further=further)
    assert "Which size?" in after(talk, "taxes")
    assert "You choose: taxes > small > large" in after(talk, "small", "large")
    assert "You choose: taxes > small > small" in after(talk, "u", "small")
    assert "Which card?" in after(talk, "u", "u", "u")
    after(talk, "build", "large", "small", "")
    assert names(talk) == ["build", "large", "small"]


# -- help, table, stopping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["? contagion", "?contagion", "? CONTAGION", "?  conta", "? plague"])
def test_a_rule_is_explained_by_name(typed: str) -> None:
    assert after(dialogue(), typed) == "Contagion\n  Three persons leave."


def test_help_on_several_on_none_and_in_general() -> None:
    assert "Several rules match: contagion, contract" in after(dialogue(), "? cont")
    assert "No rule matches “nonsense”" in after(dialogue(), "? nonsense")
    for typed in ("?", "h", "help", " ? "):
        shown = after(dialogue(), typed)
        assert "Events: contagion, drought" in shown
        assert "takes back" in shown


def test_what_is_in_the_list_is_explained_by_its_number() -> None:
    rules = {name: RuleText(name=name, kind="Cards", text=f"On {name}.\n") for name in ("build", "build_wall", "taxes")}
    talk = Dialogue(CARDS, rules, width=80, page_size=10)
    assert after(talk, "? 0") == "Taxes\n  On taxes."
    assert after(talk, "? 1") == "Build\n  On build."
    assert after(talk, "? 2") == "Build wall\n  On build_wall."
    for typed in ("? 4", "? 5"):
        assert "No rule matches" in after(talk, typed)


def test_where_there_are_no_pages_their_commands_are_parts_of_names() -> None:
    assert "Which size?" in after(dialogue(), "p")


def test_help_may_be_asked_while_something_is_to_be_confirmed() -> None:
    talk = dialogue()
    assert "Rice is used up" in after(talk, "0", "? drought")
    assert "You choose: taxes" in after(talk, "t")


def test_the_table_the_events_and_the_preview_are_shown() -> None:
    talk = dialogue(
        table=lambda: ["the table"], events=lambda: ["what happened"], preview=lambda actions: [f"with {actions}"]
    )
    assert after(talk, "t").startswith("the table\nWhich card?")
    assert after(talk, "l").startswith("what happened\nWhich card?")
    assert "with (Pick(name='taxes'),)" in after(talk, "taxes")
    assert "Nothing has happened" in after(dialogue(), "l")


@pytest.mark.parametrize("first", ["q", "quit", "Exit", None])
@pytest.mark.parametrize("second", ["q", "y", "yes", None])
def test_q_and_the_end_of_input_stop_once_that_is_sure(first: str | None, second: str | None) -> None:
    talk = dialogue()
    assert "Stop the match?" in after(talk, first)
    assert talk.prompt == "stop? > "
    assert not talk.stopped
    talk.respond(second)
    assert talk.stopped
    assert talk.answer is None


def test_who_does_not_stop_plays_on_where_they_were() -> None:
    talk = dialogue()
    assert "You choose: taxes" in after(talk, "0", "q", "no")
    assert not talk.stopped
    talk.respond("")
    assert names(talk) == ["taxes"]


# -- anything at all ------------------------------------------------------------------------------------------

typing = st.lists(
    st.none()
    | st.sampled_from(["", "1", "2", "25", "u", "n", "p", "t", "l", "?", "? cont", "q", "(", "bui", *HOSTILE.values()])
    | st.text(max_size=60),
    max_size=25,
)


@pytest.mark.slow
@settings(max_examples=40)
@given(typed=typing, menu=st.sampled_from([CARDS, LONG, PRIVILEGES]))
def test_whatever_is_typed_it_answers_in_printable_lines(typed: list[str | None], menu: Menu) -> None:
    talk = dialogue(menu)
    for line in typed:
        if talk.answer is not None or talk.stopped:
            break
        shown = talk.respond(line)
        assert shown or talk.answer is not None or talk.stopped
        assert all(text.isprintable() and len(text) <= 90 for text in shown)


def test_a_very_long_line_is_answered_shortly() -> None:
    assert len(after(dialogue(), "x" * 1_000_000)) < 200
    assert len(after(dialogue(), "9" * 1_000_000)) < 200
