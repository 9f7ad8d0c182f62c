"""No input raises any errors but the documented ones: hostile ones, their mutations, and any bytes."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.framing import MAX_LINE
from tests.fuzz.answers import positions
from tests.fuzz.hostile import HOSTILE_LINES, LineBuilder, info
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, corpus

fixed = settings(derandomize=True, max_examples=25)
MAX_MUTATED = 20_000
"""Maximum length of a mutated input in bytes."""
START_POSITION = b"`"
"""The letter for the start of a game, in inputs of the target for answers."""


@pytest.mark.parametrize("target", TARGETS)
def test_each_of_tens_of_hostile_inputs(target: str) -> None:
    assert len(corpus(target)) > 10
    for path in corpus(target):
        try:
            TARGETS[target](path.read_bytes())
        except BaseException as error:
            error.add_note(f"the input is {path}")
            raise


@pytest.mark.parametrize("target", TARGETS)
@fixed
@given(st.binary())
def test_any_bytes(target: str, data: bytes) -> None:
    TARGETS[target](data)


@pytest.mark.ci_only
@pytest.mark.parametrize("target", TARGETS)
@fixed
@given(data=st.data())
def test_any_mutation_of_a_hostile_input(target: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(corpus(target))).read_bytes()
    for seed in data.draw(st.lists(st.integers(0, 2**32), min_size=1, max_size=4)):
        text = mutate(text, Random(seed))[:MAX_MUTATED]
    TARGETS[target](text)


@pytest.mark.ci_only
@pytest.mark.parametrize("target", ["decode", "answer"])
@pytest.mark.parametrize("build", HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_hostile_line_as_long_as_may_be_and_longer(target: str, build: LineBuilder) -> None:
    for size in (MAX_LINE - 2_000, MAX_LINE + 1):
        TARGETS[target]((START_POSITION if target == "answer" else b"") + build(size) + b"\n")


@pytest.mark.slow
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_info_about_as_deep_as_the_parser_goes(opened: bytes, closed: bytes) -> None:
    for levels in range(880, 1010, 3):
        TARGETS["answer"](START_POSITION + info(opened * levels + b"0" + closed * levels) + b"\n")


def test_target_for_answers_asks_decisions_of_every_kind() -> None:
    assert len(positions()) == 13
