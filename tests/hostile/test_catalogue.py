"""Bots that nobody trusts: what each of them is in for, and that nobody else has to suffer for it.

Every bot of the gallery plays real games against a well-behaved process and a built-in player, those that do more than
talk without a sandbox and in one. Then the others play on without it.
"""

import ast
import re

import pytest

from protocol.messages import FaultCode
from tests.hostile.catalogue import CATALOGUE, WORDS, Expected
from tests.hostile.cleanup import MEMORY_BOUND, nothing_left
from tests.hostile.hostile_harness import BOTS, NEIGHBOUR, PRELUDE, Stage, seat_of_the_hostile, stderr_of, verified
from tests.processes.sandboxed import needs_sandbox
from tournaments.runner import PlayedGame

pytestmark = pytest.mark.xdist_group("clocks and bombs")  # never side by side: bombs cost everybody time

SANDBOXED = pytest.param(True, id="bwrap", marks=needs_sandbox)
FREE = pytest.param(False, id="free")
CASES = [
    pytest.param(name, *mode.values, id=f"{name}-{mode.id}", marks=mode.marks)
    for name, expected in CATALOGUE.items()
    for mode in ((FREE,) if name in WORDS else (SANDBOXED,) if expected.sandbox_only else (FREE, SANDBOXED))
]


@pytest.mark.usefixtures("short_grace", "pebbles_known", "secret_in_the_environment")
@pytest.mark.parametrize(("bot", "sandboxed"), CASES)
async def test_hostile_bot_gets_what_it_deserves_and_harms_nobody(stage: Stage, bot: str, sandboxed: bool) -> None:
    """The harness's census finds no child, zombie, descriptor or task afterwards."""
    expected = CATALOGUE[bot]
    with nothing_left(stage.folder):
        *games, last = await stage.play(bot, expected, sandboxed=sandboxed)
    for played in games:
        assert_judged(played, expected)
    words = "\n".join(stderr_of(played, seat_of_the_hostile(played)) for played in games)
    assert re.search(expected.stderr, words), words
    assert expected.never is None or not re.search(expected.never, words), words
    in_peace = await stage.play_in_peace(expected)
    assert verified(last)[1:] == verified(in_peace)[1:], "apart from the names, it is the game that it would have been"
    assert stage.growth < MEMORY_BOUND
    assert not stage.was_called()


def assert_judged(played: PlayedGame, expected: Expected) -> None:
    """The bot got its fault, or none, in words that say what was wrong; the others played on for their places."""
    seat = seat_of_the_hostile(played)
    fault = played.outcome.faults[seat]
    codes: list[FaultCode | None] = [None, None, None]
    codes[seat] = expected.code
    assert [each and each.code for each in played.outcome.faults] == codes, fault
    if fault is not None:
        assert re.fullmatch(expected.message, fault.message), fault
        assert len(fault.message) < 500
        assert fault.message.isprintable()
        assert played.outcome.ranks[seat] == 3
    assert played.outcome.stopped is None
    *_, result = verified(played)
    assert result["faults"] == codes
    assert result["ranks"] == played.outcome.ranks


def test_the_gallery_and_the_catalogue_agree() -> None:
    gallery = {path.stem for path in BOTS.glob("*.py")}
    assert gallery - {PRELUDE, NEIGHBOUR} == set(CATALOGUE)
    assert len(CATALOGUE) >= 40


@pytest.mark.parametrize("bot", [*CATALOGUE, NEIGHBOUR])
def test_each_bot_is_tiny_and_says_in_its_first_line_what_it_does(bot: str) -> None:
    source = (BOTS / f"{bot}.py").read_text()
    words = ast.get_docstring(ast.parse(source))
    assert words is not None
    assert source.startswith(f'"""{words}"""\n')
    assert words.endswith(".")
    assert len(source.splitlines()) < 50
