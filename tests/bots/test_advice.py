"""Advice by fault code."""

from typing import get_args

from protocol.messages import FaultCode
from referee.bots.advice import ADVICE, advice_for_author, advice_for_organiser

NO_MODULE = "ModuleNotFoundError: No module named 'numpy'\n"


def test_there_is_advice_for_every_fault() -> None:
    assert ADVICE.keys() == set(get_args(FaultCode))


def test_an_organiser_is_told_what_an_author_is_told_and_what_the_tournament_file_can_allow() -> None:
    for code in ADVICE:
        told = advice_for_organiser(code, "", sandboxed=False)
        assert told.startswith(advice_for_author(code))
    assert advice_for_organiser("timeout", "", sandboxed=False).count("[clock]") == 1


def test_what_a_known_message_of_a_crash_asks_for_goes_first() -> None:
    told = advice_for_organiser("crash", NO_MODULE, sandboxed=False)
    assert told == "install numpy for the Python that its command names"
    assert "show it to bots" in advice_for_organiser("crash", "", sandboxed=True)
    assert "numpy" not in advice_for_organiser("timeout", NO_MODULE, sandboxed=False)
