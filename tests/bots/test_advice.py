"""Advice by fault code."""

from pathlib import Path
from typing import get_args

from protocol.messages import FaultCode
from referee.bots.advice import ADVICE, advice_for_author, advice_for_organiser, advice_in_match
from referee.bots.diagnosis import END_LINE

NO_MODULE = "ModuleNotFoundError: No module named 'numpy'\n"


def test_there_is_advice_for_every_fault() -> None:
    assert ADVICE.keys() == set(get_args(FaultCode))


def test_an_organiser_is_told_what_an_author_is_told_and_what_the_tournament_file_can_allow() -> None:
    for code in ADVICE:
        told = advice_for_organiser(code, "", sandboxed=False)
        assert told.startswith(advice_for_author(code))
    for code in ("timeout", "startup_timeout"):
        assert advice_for_organiser(code, "", sandboxed=False).count("[clock]") == 1


def test_what_a_known_message_of_a_crash_asks_for_goes_first() -> None:
    told = advice_for_organiser("crash", NO_MODULE, sandboxed=False)
    assert told == "install numpy for the Python that its command names"
    assert "show it to bots" in advice_for_organiser("crash", "", sandboxed=True)
    assert "numpy" not in advice_for_organiser("timeout", NO_MODULE, sandboxed=False)


def test_a_bot_that_answered_in_time_but_wrongly_is_not_told_to_be_faster() -> None:
    def told(message: str) -> str | None:
        return advice_in_match("timeout", message, "", sandboxed=False, folder=Path("/bots"))

    assert told(f"no answer to act 1 (draft) within 1 s; 34 bytes came, but no end of line: {END_LINE}") is None
    assert "--trace DIR" in str(told("no answer to act 1 (draft) within 1 s; nothing came"))
